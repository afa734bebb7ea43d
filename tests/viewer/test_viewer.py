"""The viewer, driven by keys on a screen that is not there."""

from __future__ import annotations

import functools
import inspect
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from rich.text import Text
from textual.pilot import Pilot

from tests.apps import driven, screen, until
from triton_workshop.deck import load_deck
from triton_workshop.screen.box import Keys
from triton_workshop.viewer.app import Viewer
from triton_workshop.viewer.keys import HELP
from triton_workshop.viewer.overlays.search import Index, SlideSearch
from triton_workshop.viewer.slides.slide_step import SlideStep

DECKS = Path(__file__).parent / "decks"
Drive = Callable[[Viewer, Pilot[int]], Awaitable[None]]


def drive(path: Path, steps: Drive, size: tuple[int, int] = (80, 24), start: int = 1, **options: Any) -> Viewer:
    """Shows a deck, with these options of the viewer, and drives it; every block is gone when this returns."""
    return driven(
        lambda: Viewer(load_deck(path), start, **options), steps, lambda viewer: viewer.presentation.live.close(), size
    )


def shown(deck: str, start: int = 1) -> Callable[[Callable[..., Awaitable[None]]], Callable[..., None]]:
    """Makes a test of steps on a deck: they get the viewer, its pilot, and the fixtures that they name."""

    def made(steps: Callable[..., Awaitable[None]]) -> Callable[..., None]:
        @functools.wraps(steps)
        def test(**fixtures: object) -> None:
            drive(DECKS / deck, lambda viewer, pilot: steps(viewer, pilot, **fixtures), start=start)

        signature = inspect.signature(steps)
        test.__signature__ = signature.replace(parameters=list(signature.parameters.values())[2:])
        return test

    return made


async def finished(viewer: Viewer, pilot: Pilot[int]) -> None:
    await until(pilot, lambda: viewer.slide_screen.settled)
    await pilot.pause()


@pytest.mark.parametrize("key", ["right", "l", "j", "down", "space", "pagedown"])
@shown("tour.md")
async def test_a_key_goes_on(viewer: Viewer, pilot: Pilot[int], key: str) -> None:
    await pilot.press(key)
    assert viewer.presentation.position == SlideStep(1, 0)
    await pilot.press(key)
    assert viewer.presentation.position == SlideStep(1, 1)


@pytest.mark.parametrize("key", ["left", "h", "k", "up", "pageup"])
@shown("tour.md", start=3)
async def test_a_key_goes_back_to_the_complete_slide(viewer: Viewer, pilot: Pilot[int], key: str) -> None:
    await pilot.press(key)
    assert viewer.presentation.position == SlideStep(1, viewer.presentation.steps[1] - 1)


@pytest.mark.parametrize(
    ("keys", "slide"),
    [
        (["n"], 3), (["p"], 1), (["g", "g"], 0), (["g", "n"], 3), (["home"], 0), (["G"], 5), (["end"], 5),
        (["4", "G"], 3), (["1", "2", "G"], 5), (["0", "G"], 0), (["4", "escape", "G"], 5), (["9"] * 10 + ["G"], 5),
    ],
)  # fmt: skip
@shown("tour.md", start=3)
async def test_keys_lead_to_a_slide(viewer: Viewer, pilot: Pilot[int], keys: list[str], slide: int) -> None:
    await pilot.press(*keys)
    assert viewer.presentation.position == SlideStep(slide)


@shown("tour.md", start=2)
async def test_the_index_lists_the_slides_and_goes_to_one(viewer: Viewer, pilot: Pilot[int]) -> None:
    await pilot.press("ctrl+p")
    assert isinstance(viewer.screen, Index)
    assert "Part two" in screen(viewer)
    await pilot.press("down", "j", "enter")
    assert viewer.presentation.position == SlideStep(3)
    await pilot.press("ctrl+p", "escape")
    assert viewer.presentation.position == SlideStep(3)


@shown("tour.md")
async def test_the_help_names_every_key_and_goes_away(viewer: Viewer, pilot: Pilot[int]) -> None:
    await pilot.press("question_mark")
    assert isinstance(viewer.screen, Keys)
    assert all(key in screen(viewer) for key in ("Ctrl+E", "Ctrl+X", "Ctrl+P", "12 G", "quit"))
    await pilot.press("escape")
    assert not isinstance(viewer.screen, Keys)


@pytest.mark.parametrize(("size", "scrolls"), [((40, 12), True), ((80, 24), False)])
def test_all_of_the_help_can_be_read(size: tuple[int, int], scrolls: bool) -> None:
    async def steps(viewer: Viewer, pilot: Pilot[int]) -> None:
        await pilot.press("question_mark")
        assert ("scroll ─" in screen(viewer)) is scrolls
        seen = screen(viewer)
        for _ in range(4):
            await pilot.press("pagedown")
            seen += screen(viewer)
        for _, rows in HELP:
            for keys, effect in rows:
                assert keys in seen
                assert all(word in seen for word in effect.split())

    drive(DECKS / "tour.md", steps, size)


@pytest.mark.parametrize("key", ["q", "ctrl+c"])
def test_a_key_leaves(key: str) -> None:
    async def steps(_viewer: Viewer, pilot: Pilot[int]) -> None:
        await pilot.press(key)

    assert drive(DECKS / "tour.md", steps).return_value == 0


@shown("live.md", start=2)
async def test_a_block_runs_with_its_hidden_lines_keeps_its_output_and_runs_again(
    viewer: Viewer, pilot: Pilot[int]
) -> None:
    await pilot.press("ctrl+e")
    await finished(viewer, pilot)
    assert "says hidden" in screen(viewer)
    assert "✓" in screen(viewer)
    assert "from bash" not in screen(viewer), "a block ran before its step"
    await pilot.press("n", "p")
    assert "says hidden" in screen(viewer), "another slide and back"
    [first] = viewer.presentation.live.runs.values()
    await pilot.press("ctrl+e")
    await finished(viewer, pilot)
    [second] = viewer.presentation.live.runs.values()
    assert second is not first
    assert "says hidden" in screen(viewer)


@shown("live.md", start=2)
async def test_visible_blocks_run_in_order_and_a_failure_shows_its_status(viewer: Viewer, pilot: Pilot[int]) -> None:
    await pilot.press("s", "ctrl+e")
    await finished(viewer, pilot)
    shown = screen(viewer)
    assert shown.index("says hidden") < shown.index("from bash") < shown.index("✗ exit 3")


@shown("live.md", start=3)
async def test_ctrl_x_stops_and_forty_ctrl_e_start_one_process(viewer: Viewer, pilot: Pilot[int]) -> None:
    await pilot.press("ctrl+e", "ctrl+e")
    for _ in range(38):
        viewer.action_run()
    # The line below the output comes with the next layout, not with the output.
    await until(pilot, lambda: "ready" in screen(viewer) and "Ctrl+X stops" in screen(viewer))
    assert len(viewer.presentation.live._threads) == 1
    await pilot.press("ctrl+x")
    await finished(viewer, pilot)
    assert "■ stopped" in screen(viewer)


KERNEL = """\
```python +exec
/// hidden = 1
visible = hidden + 1
print(visible)
```

```bash +exec
echo a shell
```
"""


def test_a_key_looks_inside_the_python_block_that_ran_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from triton_workshop.look.recording import Recording, Request
    from triton_workshop.look.screen import LookScreen

    requests: list[Request] = []

    def look(_: object, request: Request) -> Recording:
        requests.append(request)
        return Recording(failure="nothing here")

    monkeypatch.setattr("triton_workshop.viewer.live.live_blocks.LiveBlocks.look", look)
    deck = tmp_path / "deck.md"
    deck.write_text(f"A slide\n===\n\n{KERNEL}", encoding="utf-8")

    async def steps(viewer: Viewer, pilot: Pilot[int]) -> None:
        await pilot.press("i")
        await pilot.pause()
        assert "run a block with a kernel first: Ctrl+E" in screen(viewer)
        await pilot.press("ctrl+e")
        await finished(viewer, pilot)
        await pilot.press("i")
        await until(pilot, lambda: "nothing here" in screen(viewer))
        assert isinstance(viewer.screen, LookScreen)
        await pilot.press("q")
        await pilot.pause()
        assert "visible = hidden + 1" in screen(viewer)

    drive(deck, steps)
    [request] = requests
    assert request.text.splitlines() == ["hidden = 1", "visible = hidden + 1", "print(visible)"]
    assert (request.folder, request.numbers) == (tmp_path, (None, 1, 2))


@shown("live.md", start=3)
async def test_ctrl_x_never_cuts_a_line(viewer: Viewer, pilot: Pilot[int]) -> None:
    await pilot.press("ctrl+o")
    assert viewer.body.editor is not None
    code = viewer.body.editor.text
    await pilot.press("ctrl+x")
    assert viewer.body.editor.text == code
    assert "nothing is running" in screen(viewer)


@shown("tour.md")
async def test_keys_for_the_help_are_not_taken_for_a_slide(viewer: Viewer, pilot: Pilot[int]) -> None:
    await pilot.press("question_mark", "1", "right", "4")
    assert viewer.slide_screen.number == ""
    await pilot.press("escape", "2", "G")
    assert viewer.presentation.position.slide == 1


@shown("live.md", start=5)
async def test_an_output_that_presenterm_shows_elsewhere_stands_below_its_code(
    viewer: Viewer, pilot: Pilot[int]
) -> None:
    await pilot.press("ctrl+e")
    await finished(viewer, pilot)
    shown = screen(viewer)
    assert shown.count("far away") == 2
    assert shown.rindex("far away") < shown.index("Between.")
    assert "presenterm shows the output of 'far' here" in shown


@shown("live.md", start=6)
async def test_a_long_output_is_scrolled_into_view(viewer: Viewer, pilot: Pilot[int]) -> None:
    await pilot.press("ctrl+e")
    await finished(viewer, pilot)
    await until(pilot, lambda: "row 99" in screen(viewer))
    await pilot.press(*["ctrl+u"] * 20)
    assert "print(" in screen(viewer)
    assert "↓ more" in screen(viewer)
    await pilot.press("shift+down")
    assert viewer.body.scroll_offset.y == 1


@pytest.mark.parametrize("deck", ["tour.md", "live.md"])
def test_every_slide_survives_any_size(deck: str) -> None:
    async def steps(viewer: Viewer, pilot: Pilot[int]) -> None:
        for size in [(20, 5), (1, 1), (80, 24)]:
            await pilot.resize_terminal(*size)
            for where in ("first", *["complete", "next_slide"] * len(viewer.presentation.steps)):
                viewer.action_go(where)
                await pilot.pause()
        assert viewer.presentation.position.slide == len(viewer.deck.slides) - 1
        assert f"{len(viewer.deck.slides)} / {len(viewer.deck.slides)}" in screen(viewer)

    drive(DECKS / deck, steps)


@shown("tour.md", start=2)
async def test_the_footer_follows_the_size(viewer: Viewer, pilot: Pilot[int]) -> None:
    for size in [(100, 30), (60, 20), (120, 36)]:
        await pilot.resize_terminal(*size)
        await pilot.pause()
        page = f"2 / {len(viewer.deck.slides)}"
        (footer,) = [line for line in viewer.slide_screen.footer_rows.lines if page in line.text]
        assert footer.cell_length == size[0]
        assert footer.text.index(page) > size[0] * 3 // 4


@shown("tour.md", start=2)
async def test_hits_of_a_search_are_laid_out_for_the_size(viewer: Viewer, pilot: Pilot[int]) -> None:
    await pilot.press("slash", "s", "down")
    chosen = viewer.screen
    assert isinstance(chosen, SlideSearch)
    await pilot.resize_terminal(40, 20)
    await pilot.pause()
    assert all(option.prompt.cell_len <= 40 for option in chosen.options.options if isinstance(option.prompt, Text))
    assert chosen.options.highlighted == 1


@shown("tour.md")
async def test_an_open_list_survives_any_size(viewer: Viewer, pilot: Pilot[int]) -> None:
    for key in ("ctrl+p", "question_mark", "slash"):
        await pilot.press(key)
        for size in [(20, 5), (8, 24), (1, 1), (80, 24)]:
            await pilot.resize_terminal(*size)
            await pilot.pause()
            viewer.screen.set_focus(None if key == "ctrl+p" else viewer.screen.focused)
            await pilot.press("pageup", "pagedown", "j", "k")
        await pilot.press("escape")
    assert "A small deck" in screen(viewer)


def test_a_slide_that_cannot_be_drawn_says_so_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("a defect")

    async def steps(viewer: Viewer, pilot: Pilot[int]) -> None:
        with monkeypatch.context() as patch:
            patch.setattr("triton_workshop.viewer.slide_screen.compose", fail)
            await pilot.press("n")
            assert "could not be drawn" in screen(viewer)
        await pilot.press("n")
        assert "Side by side" in screen(viewer)

    drive(DECKS / "tour.md", steps, start=2)


@shown("live.md", start=7)
async def test_hostile_output_does_not_leave_its_block(viewer: Viewer, pilot: Pilot[int]) -> None:
    await pilot.press("ctrl+e")
    await finished(viewer, pilot)
    shown = screen(viewer)
    assert "日本" in shown
    assert "killed by SIGSEGV" in shown
    assert "\x1b" not in shown


def test_a_deck_that_broke_is_named_and_the_old_one_stays(tmp_path: Path) -> None:
    deck = Path(shutil.copy(DECKS / "tour.md", tmp_path))

    async def steps(viewer: Viewer, pilot: Pilot[int]) -> None:
        deck.write_text(deck.read_text(encoding="utf-8") + "\n<!-- nosuchcommand -->\n", encoding="utf-8")
        await pilot.press("r")
        assert "tour.md:" in screen(viewer)
        assert "First steps" in screen(viewer)
        deck.unlink()
        await pilot.press("r", "n")
        assert "Highlights" in screen(viewer)

    drive(deck, steps, size=(120, 36), start=2)


IN_PLACE = """
Banner
===

```bash +exec_replace
printf 'in''stead of code'
```

<!-- end_slide -->

Art
===

```bash +exec_replace +no_background
echo "ab"; echo "abcd"
```

<!-- end_slide -->

Broken
===

```bash +exec_replace
echo why; exit 4
```

<!-- end_slide -->

Picture
===

```python +image
import sys
from PIL import Image

Image.new("RGB", (200, 100), "red").save(sys.stdout.buffer, "PNG")
```
"""


@pytest.fixture
def in_place(tmp_path: Path) -> Path:
    deck = tmp_path / "deck.md"
    deck.write_text(IN_PLACE)
    return deck


def test_the_output_of_a_replaced_block_stands_where_its_code_would(in_place: Path) -> None:
    async def steps(viewer: Viewer, pilot: Pilot[int]) -> None:
        await finished(viewer, pilot)
        assert "instead of code" in screen(viewer)
        assert "printf" not in screen(viewer)
        assert "✓" not in screen(viewer)
        await pilot.press("n")
        await finished(viewer, pilot)
        first, second = (row for row in screen(viewer).splitlines() if "ab" in row)
        assert first.index("ab") == second.index("ab") == 38, "its lines stand together in the middle"
        await pilot.press("n")
        await finished(viewer, pilot)
        assert "why" in screen(viewer)
        assert "✗ exit 4" in screen(viewer)

    drive(in_place, steps)


def test_a_picture_that_a_block_prints_stands_where_its_code_would(in_place: Path) -> None:
    async def steps(viewer: Viewer, pilot: Pilot[int]) -> None:
        await finished(viewer, pilot)
        rows = [row.strip() for row in screen(viewer).splitlines() if "▀▀▀" in row]
        assert rows[1:] == ["▀" * 20] * 5, "200 by 100 pixels, below the title's bar"
        assert "import" not in screen(viewer)

    drive(in_place, steps, start=4)


def test_what_is_not_drawn_is_counted_on_the_first_slide_until_a_key_and_named_at_its_block(tmp_path: Path) -> None:
    deck = tmp_path / "deck.md"
    blocks = "```bash +pty:40:3\ntrue\n```\n\n```bash +acquire_terminal\ntrue\n```\n"
    deck.write_text(f"First\n===\n\n<!-- end_slide -->\n\nTerminal\n===\n\n{blocks}")

    async def steps(viewer: Viewer, pilot: Pilot[int]) -> None:
        assert "2 things differ from presenterm · workshop validate lists them" in screen(viewer)
        await pilot.press("right")
        assert screen(viewer).count("a terminal in presenterm; here as +exec   ▶ Ctrl+E") == 2
        assert "differ" not in screen(viewer)

    drive(deck, steps)


@pytest.mark.parametrize("name", ["+pty:40:3", "+acquire_terminal"])
def test_two_columns_at_80_say_that_a_block_has_no_terminal(tmp_path: Path, name: str) -> None:
    deck = tmp_path / "deck.md"
    block = f"```bash {name}\ntrue\n```\n"
    deck.write_text(f"<!-- column_layout: [1, 1] -->\n<!-- column: 0 -->\n\n{block}\n<!-- column: 1 -->\n\n{block}")

    async def steps(viewer: Viewer, pilot: Pilot[int]) -> None:
        assert screen(viewer).count("no terminal   ▶ Ctrl+E") == 2

    drive(deck, steps)
