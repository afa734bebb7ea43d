"""The time that is left for an exercise, in the footer of its slides."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from triton_workshop.deck import load_deck
from triton_workshop.deck.model import Slide
from triton_workshop.repository import ROOT
from triton_workshop.viewer.app import Viewer
from triton_workshop.viewer.countdown import GLANCE_SECONDS, Countdown

from .test_viewer import drive

TALK, EXERCISE, LAUNCHER, AFTER = range(4)
DECK = """\
Talk
===

<!-- speaker_note: 2 min. -->
<!-- end_slide -->

Exercise 1
===

<!-- speaker_note: 11 min, 10 hands-on. -->
<!-- end_slide -->

Exercise 1 · The launcher
===

<!-- speaker_note: 0 min. -->
<!-- end_slide -->

Debrief
===

<!-- speaker_note: 2 min. -->
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "deck.md"
    file.write_text(DECK, encoding="utf-8")
    return file


@pytest.fixture
def slides(file: Path) -> tuple[Slide, ...]:
    return load_deck(file).slides


@pytest.mark.parametrize(
    ("visits", "text"),
    [
        (((TALK, 0),), ""),
        (((EXERCISE, 0),), "10:00 left"),
        (((EXERCISE, 0), (LAUNCHER, 61.5)), "8:59 left"),
        (((EXERCISE, 0), (TALK, 100), (EXERCISE, 200)), "6:40 left"),
        (((EXERCISE, 0), (TALK, GLANCE_SECONDS), (EXERCISE, 200)), "10:00 left"),
        (((EXERCISE, 0), (LAUNCHER, 600)), "time is up"),
        (((EXERCISE, 0), (AFTER, 600)), ""),
    ],
)
def test_an_exercise_counts_down_from_its_first_visit(
    slides: tuple[Slide, ...], visits: tuple[tuple[int, float], ...], text: str
) -> None:
    clock = [0.0]
    countdown = Countdown(lambda: clock[0])
    for index, clock[0] in visits:
        shown = countdown.text(slides, index)
    assert shown == text


def test_the_footer_of_an_exercise_shows_it(file: Path) -> None:
    footers: list[str] = []

    async def steps(viewer: Viewer, pilot: Pilot[int]) -> None:
        for _ in range(4):
            footers.append("".join(line.text for line in viewer.slide_screen.footer_rows.lines))
            await pilot.press("n")

    drive(file, steps)
    assert [" left" in footer for footer in footers] == [False, True, True, False]


def test_the_plan_gives_each_required_exercise_a_countdown() -> None:
    for name in ("triton-workshop", "second-half"):
        slides = load_deck(ROOT / f"slides/{name}.md").slides
        counted = [slide.name for index, slide in enumerate(slides) if Countdown().text(slides, index)]
        exercises = [slide.name for slide in slides if slide.name.startswith("Exercise ")]
        assert [each for each in exercises if each not in counted] == []
