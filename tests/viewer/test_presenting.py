"""Editing on the slide, the output's own screen, search, the black screen, and the mouse."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot

from tests.apps import screen, until
from triton_workshop.screen import links as browser
from triton_workshop.screen.choice import Question
from triton_workshop.screen.transcript import Transcript
from triton_workshop.viewer import app
from triton_workshop.viewer.app import Viewer
from triton_workshop.viewer.live.editor import Editor
from triton_workshop.viewer.overlays.output import OutputScreen
from triton_workshop.viewer.overlays.search import SlideSearch
from triton_workshop.viewer.slide_screen import Black
from triton_workshop.viewer.slides.slide_step import SlideStep

from .test_viewer import DECKS, drive, finished, shown


async def click(viewer: Viewer, pilot: Pilot[int], text: str) -> None:
    """Clicks where this stands first on the screen."""
    rows = screen(viewer).split("\n")
    row = next(number for number, line in enumerate(rows) if text in line)
    await pilot.click(offset=(rows[row].index(text) + 1, row))
    await pilot.pause()


def editor(viewer: Viewer) -> Editor:
    assert viewer.body.editor is not None
    return viewer.body.editor


@shown("live.md", start=2)
async def test_an_edit_runs_stays_and_goes_and_none_of_it_is_lost(viewer: Viewer, pilot: Pilot[int]) -> None:
    await pilot.press("ctrl+o", "end", "enter", *"print('q/b12', secret)")
    await pilot.press("ctrl+e")
    await finished(viewer, pilot)
    assert "q/b12 hidden" in screen(viewer), "the hidden lines run with an edit"
    assert viewer.presentation.position == SlideStep(1, 0), "what is typed does nothing else"
    await pilot.press("escape")
    await pilot.pause()
    assert viewer.body.editor is None
    assert "edited · Esc restores" in screen(viewer)
    await pilot.press("n", "p")
    assert "edited · Esc restores" in screen(viewer), "another slide and back"
    await pilot.press("escape")
    assert "q/b12" not in screen(viewer)
    await pilot.press("escape")
    assert "q/b12" not in screen(viewer)
    await pilot.press("ctrl+o", "ctrl+z")
    assert "print('q/b12', secret)" in editor(viewer).text
    await pilot.press("escape")
    assert "q/b12 hidden" in screen(viewer), "an output stays with the code that printed it"


@shown("live.md", start=2)
async def test_quitting_asks_once_where_code_was_edited(viewer: Viewer, pilot: Pilot[int]) -> None:
    question = "1 block was edited · q again quits, Esc stays"
    await pilot.press("ctrl+o", *"mine ", "escape", "q")
    assert question in screen(viewer)
    await pilot.press("escape")
    assert question not in screen(viewer)
    assert "mine print" in screen(viewer), "Esc stays, and does nothing else"
    await pilot.press("q", "n", "ctrl+c")
    assert question in screen(viewer), "another slide, another question"
    assert viewer.return_code is None
    await pilot.press("ctrl+c")
    assert viewer.return_code == 0


@pytest.mark.parametrize("open_", [["question_mark"], ["ctrl+p"], ["ctrl+o"], ["b"]])
@shown("live.md", start=2)
async def test_the_question_is_seen_wherever_one_leaves_from(
    viewer: Viewer, pilot: Pilot[int], open_: list[str]
) -> None:
    await pilot.press("ctrl+o", *"mine ", "escape", *open_, "ctrl+q")
    await until(pilot, lambda: "1 block was edited" in screen(viewer))
    await pilot.press("q")
    assert viewer.return_code == 0


@shown("live.md", start=2)
async def test_an_output_of_the_code_before_the_edit_says_so(viewer: Viewer, pilot: Pilot[int]) -> None:
    await pilot.press("ctrl+e")
    await finished(viewer, pilot)
    await pilot.press("ctrl+o", "end", *"  # new", "escape")
    assert "before the last edit" in screen(viewer)
    await pilot.press("escape")
    assert "before the last edit" not in screen(viewer)
    assert "says hidden" in screen(viewer)


@shown("live.md", start=3)
async def test_an_edit_stops_the_run_that_it_replaces(viewer: Viewer, pilot: Pilot[int]) -> None:
    await pilot.press("ctrl+e")
    await until(pilot, lambda: "ready" in screen(viewer))
    await pilot.press("ctrl+o", "f7", *"print(1 + 1)", "ctrl+e")
    await finished(viewer, pilot)
    assert viewer.presentation.live.running == 0
    assert "✓" in screen(viewer)


@shown("live.md", start=2)
async def test_ctrl_o_goes_from_block_to_block_and_away(viewer: Viewer, pilot: Pilot[int]) -> None:
    await pilot.press("s", "ctrl+o")
    assert editor(viewer).code_language == "python"
    await pilot.press("ctrl+o")
    assert editor(viewer).code_language == "bash"
    await pilot.press("#", "ctrl+o")
    assert viewer.body.editor is None
    assert '#echo "from bash"' in screen(viewer)


@shown("live.md", start=2)
async def test_keys_in_the_editor_do_what_they_do_in_editors(viewer: Viewer, pilot: Pilot[int]) -> None:
    await pilot.press("ctrl+o", "f7", *"def f():", "enter", *"return 1", "enter", *"x", "tab", *"y")
    assert editor(viewer).text == "def f():\n    return 1\nx   y"
    await pilot.press("home", "tab", "tab", "backspace", "f7", "tab", "up", "shift+tab")
    assert editor(viewer).text == "    def f():\n    return 1\n        x   y"
    await pilot.press("f7")
    editor(viewer).post_message(events.Paste("a\r\n\tb\x07"))
    await until(pilot, lambda: editor(viewer).text == "a\n    b")
    await pilot.press("ctrl+z")
    assert "return 1" in editor(viewer).text
    await pilot.press("f7", "ctrl+c")
    assert viewer.clipboard == editor(viewer).text
    await pilot.press("right", "ctrl+c")
    assert "Esc leaves" in screen(viewer), "Ctrl+C does not quit from an editor"


@shown("live.md", start=2)
async def test_letters_do_not_overtake_the_cursor(viewer: Viewer, pilot: Pilot[int]) -> None:
    await pilot.press("ctrl+o", "f7", *"ab", "enter", *"cd", "home", "up")
    for key in ("down", "end", "e", "up", "home", "x"):  # as fast as a terminal can
        viewer.post_message(events.Key(key, key if len(key) == 1 else None))
    await until(pilot, lambda: {"e", "x"} <= set(editor(viewer).text))
    assert editor(viewer).text == "xab\ncde"


@shown("live.md", start=3)
async def test_the_line_that_is_typed_in_is_always_in_view_and_any_size_will_do(
    viewer: Viewer, pilot: Pilot[int]
) -> None:
    await pilot.press("ctrl+o")
    editor(viewer).post_message(events.Paste("\n" * 40))
    await pilot.press(*"here")
    await until(pilot, lambda: "here" in screen(viewer))
    for size in [(20, 5), (1, 1), (120, 36)]:
        await pilot.resize_terminal(*size)
        await pilot.press("x")
    await until(pilot, lambda: "herexxx" in screen(viewer))
    assert editor(viewer).size.height == 44
    await pilot.press("ctrl+p", "down", "enter")
    assert viewer.presentation.position == SlideStep(3)
    assert viewer.body.editor is None
    await pilot.press("p")
    assert "edited" in screen(viewer)


@pytest.mark.parametrize(
    ("answer", "shown_first", "then"),
    [("k", "mine too print", []), ("escape", "mine too print", []), ("d", "sings", ["ctrl+z"])],
)
def test_the_editor_stays_open_over_code_that_moves_and_changed_code_is_a_question(
    tmp_path: Path, answer: str, shown_first: str, then: list[str]
) -> None:
    deck = Path(shutil.copy(DECKS / "live.md", tmp_path))

    async def steps(viewer: Viewer, pilot: Pilot[int]) -> None:
        await pilot.press("ctrl+o", *"mine ")
        deck.write_text(
            deck.read_text(encoding="utf-8").replace("Run it\n===", "Run it now\n===\n\nA new line."), encoding="utf-8"
        )
        await pilot.press("ctrl+r", *"too ")
        assert editor(viewer).text.startswith("mine too print")
        assert "Run it now" in screen(viewer)
        deck.write_text(deck.read_text(encoding="utf-8").replace('"says"', '"sings"'), encoding="utf-8")
        await pilot.press("ctrl+r")
        assert viewer.body.editor is None
        assert "The code under your edit has changed (slide 2)" in screen(viewer), "an edit is never lost in silence"
        viewer._ignores_letters_until = 0.0
        await pilot.press(answer)
        assert shown_first in screen(viewer)
        await pilot.press("ctrl+o", *then)
        assert editor(viewer).text.startswith("mine too print")

    drive(deck, steps, start=2)


@shown("live.md", start=6)
async def test_an_output_has_a_screen_of_its_own(viewer: Viewer, pilot: Pilot[int]) -> None:
    await pilot.press("o")
    assert "no output here yet" in screen(viewer)
    await pilot.press("ctrl+e")
    await finished(viewer, pilot)
    await pilot.press("o")
    assert isinstance(viewer.screen, OutputScreen)
    assert "row 99" in screen(viewer)
    await pilot.press("home")
    assert "row 0\n" in screen(viewer)
    await pilot.press("pagedown", "down")
    assert "1 of" not in screen(viewer)
    assert "23–44 of 100" in screen(viewer)
    await pilot.press("escape")
    assert not isinstance(viewer.screen, OutputScreen)


@shown("tour.md", start=2)
async def test_slides_are_searched_by_their_text(viewer: Viewer, pilot: Pilot[int]) -> None:
    await pilot.press("slash", *"somebody said")
    assert isinstance(viewer.screen, SlideSearch)
    assert "Side by side" in screen(viewer)
    assert "The end" not in screen(viewer)
    await pilot.press("enter")
    assert viewer.presentation.position == SlideStep(3)
    await pilot.press("slash", *"nosuchword", "enter")
    assert viewer.presentation.position == SlideStep(3)
    await pilot.press("slash", "p", "a", "r", "escape")
    assert viewer.presentation.position == SlideStep(3)


@shown("tour.md", start=4)
async def test_t_shows_where_columns_meet_and_hides_it(viewer: Viewer, pilot: Pilot[int]) -> None:
    before = screen(viewer)
    assert "│" not in before
    await pilot.press("T")
    assert "│" in screen(viewer)
    await pilot.press("T")
    assert screen(viewer) == before


@pytest.mark.parametrize("key", ["b", "full_stop"])
@shown("tour.md", start=2)
async def test_a_key_blanks_the_screen_and_the_next_does_nothing_else(
    viewer: Viewer, pilot: Pilot[int], key: str
) -> None:
    await pilot.press(key)
    assert isinstance(viewer.screen, Black)
    assert not screen(viewer).strip()
    await pilot.press("ctrl+c" if key == "b" else "n")
    assert not isinstance(viewer.screen, Black)
    assert viewer.presentation.position == SlideStep(1)
    assert "First steps" in screen(viewer)


@shown("live.md", start=5)
async def test_clicks_run_edit_and_open(viewer: Viewer, pilot: Pilot[int]) -> None:
    await click(viewer, pilot, "▶ Ctrl+E")
    await finished(viewer, pilot)
    await click(viewer, pilot, "✓")
    assert isinstance(viewer.screen, OutputScreen)
    await pilot.press("escape")
    await click(viewer, pilot, '("far away')
    assert editor(viewer).cursor_location == (0, 6 - editor(viewer).gutter_width)
    await click(viewer, pilot, "Between.")
    assert viewer.body.editor is None


def test_a_link_is_opened_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(app, "open_link", lambda link: opened.append(link) or f"↗ {link}")

    async def steps(viewer: Viewer, pilot: Pilot[int]) -> None:
        await click(viewer, pilot, "link")
        assert opened == ["https://example.org"]
        assert "↗ https://example.org" in screen(viewer)

    drive(DECKS / "tour.md", steps, start=2)


@pytest.mark.parametrize(
    ("link", "variables", "said"),
    [
        ("https://example.org", {}, "no browser here: https://example.org"),
        ("file:///etc/passwd", {"DISPLAY": ":0"}, "↗ file:///etc/passwd"),
        ("https://example.org", {"DISPLAY": ":0"}, "no browser here: https://example.org"),
    ],
)
def test_no_browser_no_crash(link: str, variables: dict[str, str], said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError

    for name in browser.DISPLAYS:
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(browser.sys, "platform", "linux")
    monkeypatch.setattr(browser.subprocess, "Popen", fail)
    monkeypatch.setattr(browser, "_opening", [])
    assert browser.open_link(link) == said


@shown("live.md", start=6)
async def test_a_click_on_a_list_does_not_reach_the_slide_below(viewer: Viewer, pilot: Pilot[int]) -> None:
    for key in ("ctrl+p", "question_mark", "slash"):
        await pilot.press(key)
        await pilot.click(offset=(10, 5))
        await pilot.press("escape")
    assert viewer.body.editor is None
    assert not viewer.presentation.live.runs


def test_a_word_that_is_typed_on_when_a_save_closes_the_editor_is_no_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triton_workshop.viewer.app.TYPING_SECONDS", 60.0)  # a busy machine types slowly
    path = Path(shutil.copy(DECKS / "live.md", tmp_path))

    async def steps(viewer: Viewer, pilot: Pilot[int]) -> None:
        await pilot.press("ctrl+o", *"s")
        path.write_text(path.read_text(encoding="utf-8").replace('print("says"', 'print("said"'), encoding="utf-8")
        viewer.action_reload()
        assert viewer.body.editor is None
        await pilot.press(*"qrtkd")
        assert viewer.is_running
        assert viewer.return_code is None
        assert isinstance(viewer.screen, Question), "nor is it an answer"
        viewer._ignores_letters_until = 0.0
        await pilot.press("k", "n")
        assert viewer.presentation.position == SlideStep(2)

    drive(path, steps, start=2)


def test_an_output_that_cannot_be_shown_does_not_end_the_talk(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: Transcript) -> bool:
        raise ValueError("a defect")

    async def steps(viewer: Viewer, pilot: Pilot[int]) -> None:
        monkeypatch.setattr(Transcript, "process_pending", broken)
        await pilot.press("ctrl+e")
        await until(pilot, lambda: "a defect" in screen(viewer))
        monkeypatch.undo()
        await pilot.press("n")
        assert viewer.presentation.position == SlideStep(2)

    drive(DECKS / "live.md", steps, start=2)


@shown("live.md", start=2)
async def test_a_long_line_of_an_output_is_folded_and_growth_is_followed(viewer: Viewer, pilot: Pilot[int]) -> None:
    await pilot.press("ctrl+e")
    await finished(viewer, pilot)
    transcript = next(iter(viewer.presentation.live.runs.values())).transcript
    transcript.feed(b"a" * 70 + b"b" * 20 + b"\n" * 30)
    await pilot.press("o")
    assert "11–32 of 32" in screen(viewer), "it begins at the end"
    await pilot.press("home")
    assert f"{'a' * 70}{'b' * 7}\n▎ {'b' * 13}\n" in screen(viewer), "as on the slide, a long line goes on below"
    transcript.feed(b"more\n")
    viewer.slide_screen.draw()
    await pilot.pause()
    assert "1–22 of 33" in screen(viewer), "who reads is left alone"
    await pilot.press("G")
    transcript.feed(b"and more\n")
    viewer.slide_screen.draw()
    await pilot.pause()
    assert "13–34 of 34" in screen(viewer)
    assert "and more" in screen(viewer)
