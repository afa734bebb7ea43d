"""The key that shows what the room got wrong, on a slide that debriefs an exercise."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from triton_workshop.attendance.board import Progress
from triton_workshop.attendance.register import FOLDER_VARIABLE, Register, register_file
from triton_workshop.deck import load_deck
from triton_workshop.exercises import EXERCISES
from triton_workshop.repository import ROOT
from triton_workshop.viewer.app import Viewer
from triton_workshop.viewer.overlays.mistakes import MistakesBox, debriefed_exercise

from .test_viewer import drive

DECK = "Debrief: exercise 2\n===\n\nAn easy mistake\n"


@pytest.fixture
def deck(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "room"))
    file = tmp_path / "deck.md"
    file.write_text(DECK, encoding="utf-8")
    return file


def press_m(deck: Path, size: tuple[int, int] = (80, 24)) -> str:
    """Return the box's lines, or the message."""
    shown: list[str] = []

    async def steps(viewer: Viewer, pilot: Pilot[int]) -> None:
        await pilot.press("m")
        screen = viewer.screen
        is_box = isinstance(screen, MistakesBox)
        shown.append("\n".join(line.text for line in screen.rows.lines) if is_box else viewer.slide_screen.notice.text)

    drive(deck, steps, size)
    return shown[0]


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_a_debrief_shows_the_three_most_frequent_mistakes_of_its_exercise(deck: Path, size: tuple[int, int]) -> None:
    room = Register(register_file())
    names = [mistake.name for mistake in EXERCISES["2"].mistakes[:4]]
    for made in range(4, 0, -1):
        number = room.enter(f"Ada {made}").number
        for name in names[:made]:
            room.report(number, Progress("2", 4, 4, right=False, hints=0, mistake=name))
    room.report(1, Progress("3", 5, 5, right=False, hints=0, mistake="no-other"))
    text = press_m(deck, size)
    for count, name in zip((4, 3, 2), names, strict=False):
        assert f"{count} × {name.replace('-', ' ')}" in text
    assert names[3].replace("-", " ") not in text
    assert "other" not in text.split("\n")[0]
    assert "Ada" not in text, "nobody is named"


def test_without_reports_the_slides_own_line_is_left(deck: Path) -> None:
    assert press_m(deck) == "nobody has sent a mistake: take the one on the slide"


def test_another_slide_says_where_the_key_works(deck: Path) -> None:
    deck.write_text("A slide\n===\n\nText\n", encoding="utf-8")
    assert press_m(deck) == "m shows the room's mistakes on a debrief slide"


def test_debriefs_of_both_decks_are_known() -> None:
    slides = [
        slide for name in ("triton-workshop", "second-half") for slide in load_deck(ROOT / f"slides/{name}.md").slides
    ]
    assert {debriefed_exercise(slide.name) for slide in slides} == {None, "2", "3", "4", "5a", "5", "6"}
