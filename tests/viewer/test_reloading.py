"""A deck that is saved while it is shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image
from textual.pilot import Pilot

from tests.apps import screen, until
from triton_workshop.deck import Deck, load_deck
from triton_workshop.deck.consent import Consent
from triton_workshop.file_watcher import FileWatcher
from triton_workshop.viewer.app import EDIT_WAITS, Viewer
from triton_workshop.viewer.reloading import find_slide, match_items, pictures, sources
from triton_workshop.viewer.slides.slide_step import SlideStep

from .test_viewer import Drive, drive, finished

SLIDES = {
    "a": "Alpha\n===\n\nFirst words.\n",
    "a2": "Alpha\n===\n\nOther words.\n",
    "a_renamed": "Renamed\n===\n\nFirst words.\n",
    "b": "Beta\n===\n\nSecond words.\n\nAnd more.\n",
    "b_other": "New name\n===\n\nSecond words.\n",
    "c": "Gamma\n===\n\n```python +exec\nprint('gamma')\n```\n",
    "c2": "Delta\n===\n\n```python +exec\nprint('delta')\n```\n",
    "auto": "Auto\n===\n\n```bash +auto_exec\necho ran >> ran; echo automatic\n```\n",
    "auto2": "Auto\n===\n\n```bash +auto_exec\necho ran >> ran; echo changed\n```\n",
}


def text_of(*names: str) -> str:
    return "\n<!-- end_slide -->\n\n".join(SLIDES[name] for name in names)


def deck_of(folder: Path, *names: str) -> Deck:
    path = folder / "talk.md"
    path.write_text(text_of(*names))
    return load_deck(path)


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("a b c", "a b c", 1), ("a b c", "c2 a a2 b c", 3), ("a b c", "b c", 0), ("a b c", "c b a", 1),
        ("a b c", "c a b", 2), ("c b a", "a a2 c", None), ("a b c", "a a2 b_other c", None), ("c a b", "c a2 b", 1),
        ("c a b", "a2 c b", 0), ("c a b", "c a_renamed b", 1), ("c a b", "c a2 a_renamed b", 1),
        ("a c b", "a c2 b", 1), ("a b c", "a c", None), ("a b c", "a", None), ("b b b", "b b b b", 1),
    ],
)  # fmt: skip
def test_a_slide_is_found_by_what_it_says(tmp_path: Path, before: str, after: str, found: int | None) -> None:
    first, second = (deck_of(tmp_path, *names.split()) for names in (before, after))
    assert find_slide(first, 1, second) == found


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("abc", "abc", {0: 0, 1: 1, 2: 2}),
        ("abc", "xabxc", {0: 1, 1: 2, 2: 4}),
        ("ab", "ba", {0: 1, 1: 0}),
        ("aa", "xaxa", {0: 1, 1: 3}),
        ("abc", "", {}),
    ],
)
def test_equal_things_are_paired(before: str, after: str, expected: dict[int, int]) -> None:
    assert match_items(before, after) == expected


def test_a_deck_is_made_of_all_that_it_names(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "empty.md").write_text("")
    (tmp_path / "code.py").write_text("print(1)\n")
    Image.new("RGB", (8, 8)).save(tmp_path / "logo.png")
    (tmp_path / "talk.md").write_text(
        "One\n===\n\n![](logo.png)\n\n<!-- include: parts/empty.md -->\n\n"
        "```file\npath: code.py\nlanguage: python\n```\n"
    )
    found = sources(load_deck(tmp_path / "talk.md"))
    assert found == {tmp_path / name for name in ("talk.md", "parts/empty.md", "code.py", "logo.png")}
    assert pictures(load_deck(tmp_path / "talk.md")) == {tmp_path / "logo.png"}


# On the screen


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    path = tmp_path / "talk.md"
    path.write_text(text_of("a", "b", "c", "auto"))
    return path


def follow(path: Path, steps: Drive, start: int = 1, **options: Consent) -> None:
    """Shows a deck that is read again at every save, and drives it."""
    drive(path, steps, start=start, saves=FileWatcher(path), **options)


def shown(viewer: Viewer, words: str) -> Callable[[], bool]:
    return lambda: words in screen(viewer)


def by_another_file(file: Path, text: str) -> None:
    other = file.with_name(".talk.md.swp")
    other.write_text(text)
    other.replace(file)


def in_pieces(file: Path, text: str) -> None:
    with file.open("w", encoding="utf-8") as opened:
        for start in range(0, len(text), 40):
            opened.write(text[start : start + 40])
            opened.flush()


def away_and_back(file: Path, text: str) -> None:
    file.unlink()
    file.write_text(text, encoding="utf-8")


def many_times(file: Path, text: str) -> None:
    for number in range(50):
        file.write_text(text.replace("words", f"words {number}"), encoding="utf-8")
    file.write_text(text, encoding="utf-8")


SAVES = [Path.write_text, by_another_file, in_pieces, away_and_back, many_times]


@pytest.mark.parametrize("save", SAVES)
def test_a_save_keeps_the_slide_and_its_output(talk: Path, save: Callable[[Path, str], None]) -> None:
    async def steps(viewer: Viewer, pilot: Pilot[int]) -> None:
        await pilot.press("ctrl+e")
        await until(pilot, shown(viewer, "✓"))
        save(talk, text_of("a", "c2", "b", "c", "auto").replace("Gamma\n===", "Gamma\n===\n\nA new line."))
        await until(pilot, shown(viewer, "A new line."))
        assert viewer.presentation.position == SlideStep(3)
        # The code, and what it printed; a frame later, where the page has grown.
        await until(pilot, lambda: screen(viewer).count("gamma") == 2)
        assert not viewer.slide_screen.error_rows.display

    follow(talk, steps, start=3)


def test_an_error_shows_over_the_slides_and_goes_with_the_next_save(talk: Path) -> None:
    async def steps(viewer: Viewer, pilot: Pilot[int]) -> None:
        talk.write_text(text_of("a", "b") + "\n<!-- puase -->\n", encoding="utf-8")
        await until(pilot, shown(viewer, "talk.md:15: unknown command 'puase'"))
        assert "First words." in screen(viewer)
        await pilot.press("n")
        assert "Second words." in screen(viewer)
        assert "puase" in screen(viewer)
        await pilot.press("escape")
        assert "unknown command" not in screen(viewer)
        talk.write_text(text_of("a", "b").replace("And more.", "And better."), encoding="utf-8")
        await until(pilot, shown(viewer, "And better."))

    follow(talk, steps)


def test_an_edit_comes_back_when_a_deck_is_saved_by_halves(talk: Path) -> None:
    async def steps(viewer: Viewer, pilot: Pilot[int]) -> None:
        await pilot.press("ctrl+o", *"# x", "escape")
        talk.write_text(text_of("a", "b"), encoding="utf-8")
        await until(pilot, shown(viewer, "2 / 2"))
        assert EDIT_WAITS in screen(viewer)
        await pilot.press("q")
        assert "1 block was edited" in screen(viewer)
        talk.write_text(text_of("a", "b", "c", "auto"), encoding="utf-8")
        await until(pilot, shown(viewer, "3 / 4"))
        assert "# x" in screen(viewer)
        assert viewer.presentation.edits.unsaved() == 1

    follow(talk, steps, start=3)


def folder_in_its_place(file: Path) -> None:
    file.unlink()
    file.mkdir()


GONE = {
    "emptied": (lambda file: file.write_text(""), "expected slides, found none"),
    "emptied by another file": (lambda file: by_another_file(file, ""), "expected slides, found none"),
    "white space": (lambda file: file.write_text("\ufeff \n\n\t\r\n", encoding="utf-8"), "expected slides, found none"),
    "front matter": (lambda file: file.write_text("---\ntitle: Talk\n---\n\n"), "expected slides, found none"),
    "deleted": (Path.unlink, "no such deck"),
    "a folder": (folder_in_its_place, "a folder, not a deck"),
}


@pytest.mark.parametrize("fault", GONE)
def test_the_slides_stay_when_their_file_is_gone(talk: Path, fault: str) -> None:
    spoil, reason = GONE[fault]

    async def steps(viewer: Viewer, pilot: Pilot[int]) -> None:
        spoil(talk)
        await until(pilot, shown(viewer, f"talk.md: {reason}"))
        assert "Second words." in screen(viewer)
        await pilot.press("r")
        assert f"talk.md: {reason}" in screen(viewer)
        await pilot.press("p")
        assert "First words." in screen(viewer)
        if talk.is_dir():
            talk.rmdir()
        by_another_file(talk, text_of("a2", "b"))
        await until(pilot, shown(viewer, "Other words."))
        assert reason not in screen(viewer)

    follow(talk, steps, start=2)


def test_the_slides_stay_when_a_file_that_they_include_is_emptied(talk: Path) -> None:
    part = talk.with_name("part.md")
    talk.write_text(text_of("a") + "\n<!-- end_slide -->\n\n<!-- include: part.md -->\n", encoding="utf-8")
    part.write_text(text_of("b"))

    async def steps(viewer: Viewer, pilot: Pilot[int]) -> None:
        part.write_text("\n")
        await until(pilot, shown(viewer, "part.md: expected slides, found none"))
        assert "Second words." in screen(viewer)
        talk.write_text(text_of("a2"), encoding="utf-8")  # what is no longer included may be empty
        await until(pilot, shown(viewer, "Other words."))

    follow(talk, steps, start=2)


def test_a_deck_that_began_empty_is_followed(talk: Path) -> None:
    talk.write_text("---\ntitle: A talk\n---\n", encoding="utf-8")

    async def steps(viewer: Viewer, pilot: Pilot[int]) -> None:
        talk.write_text("---\ntitle: A better one\n---\n", encoding="utf-8")
        await until(pilot, shown(viewer, "A better one"))

    follow(talk, steps)


def test_what_the_deck_is_made_of_is_followed_too(talk: Path) -> None:
    part = talk.with_name("part.md")
    talk.write_text("One\n===\n\n<!-- include: part.md -->\n", encoding="utf-8")
    part.write_text("As it was.\n")

    async def steps(viewer: Viewer, pilot: Pilot[int]) -> None:
        part.write_text("As it is.\n")
        await until(pilot, shown(viewer, "As it is."))
        part.unlink()
        await until(pilot, shown(viewer, "included file not found: part.md"))
        part.write_text("Back again.\n")
        await until(pilot, shown(viewer, "Back again."))

    follow(talk, steps)


def test_a_picture_that_was_saved_is_drawn_again(talk: Path) -> None:
    from PIL import Image

    def save(width: int) -> None:
        Image.new("RGB", (width, 40), "red").save(talk.with_name("picture.png"))

    save(40)
    talk.write_text("One\n===\n\n![](picture.png)\n", encoding="utf-8")

    async def steps(viewer: Viewer, pilot: Pilot[int]) -> None:
        before = screen(viewer).count("▀")
        save(160)
        await until(pilot, lambda: screen(viewer).count("▀") > before)

    follow(talk, steps)


def test_an_automatic_block_runs_again_only_if_it_changed(talk: Path) -> None:
    ran = talk.with_name("ran")

    async def steps(viewer: Viewer, pilot: Pilot[int]) -> None:
        await until(pilot, shown(viewer, "✓"))
        talk.write_text("Before.\n\n<!-- end_slide -->\n\n" + text_of("a", "b", "c", "auto"), encoding="utf-8")
        await until(pilot, shown(viewer, "5 / 5"))
        await finished(viewer, pilot)
        assert ran.read_text() == "ran\n"
        talk.write_text(text_of("a", "auto2"), encoding="utf-8")
        await until(pilot, shown(viewer, "2 / 2"))
        await until(pilot, shown(viewer, "✓"))
        assert ran.read_text() == "ran\nran\n"

    follow(talk, steps, start=4)


def test_code_without_leave_is_shown_and_does_not_run(talk: Path) -> None:
    async def steps(viewer: Viewer, pilot: Pilot[int]) -> None:
        assert "runs only with -x" in screen(viewer)
        await pilot.press("ctrl+e")
        assert "restart with -x" in screen(viewer)
        await pilot.press("n", "p")
        assert not viewer.presentation.live.runs
        assert "▶" not in screen(viewer)

    follow(talk, steps, start=3, consent=Consent())
