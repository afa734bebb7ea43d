"""The plans of our own decks: their minutes add up, they ask first and answer then, and their slides fit the screen."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

import pytest

from benchmarks.rehearsal import DECKS, PartTime, SlideTime, complaints, rehearse
from triton_workshop.deck import load_deck
from triton_workshop.deck.model import Block, Code, Deck, Execution, Paragraph, Slide, Table, plain, walk
from triton_workshop.repository import ROOT
from triton_workshop.screen.palette import DARK
from triton_workshop.terminal import PLAIN, GraphicsProtocol, Terminal
from triton_workshop.viewer.notes.schedule import schedule, slide_minutes
from triton_workshop.viewer.slides.page import compose
from triton_workshop.viewer.slides.view import View


@dataclass(frozen=True)
class Plan:
    """What a half-day promises, in minutes and in slides."""

    teaching: float
    pause: float
    hands_on: float
    slack: float
    exercises: tuple[tuple[str, float, float], ...]
    """When an exercise begins at the latest, and how long people work on it at the least."""
    asking: int
    """Slides that ask and pause before their code answers."""
    scrolling: int
    """Slides that scroll on a screen of 80 × 24."""


PLANS = (
    Plan(165, 15, 85, 8, (("1", 30, 10), ("4", 153, 25)), asking=10, scrolling=3),
    Plan(155, 10, 90, 3, (("5a", 1, 5), ("5", 22, 29), ("6", 102, 39)), asking=6, scrolling=5),
)


@functools.cache
def loaded(half: int) -> Deck:
    return load_deck(DECKS[half])


@pytest.fixture(params=range(len(DECKS)), ids=["first half", "second half"])
def half(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture
def deck(half: int) -> Deck:
    return loaded(half)


@pytest.fixture
def plan(half: int) -> Plan:
    return PLANS[half]


@pytest.fixture
def parts(deck: Deck) -> tuple[PartTime, ...]:
    return rehearse(deck)


def where(slide: Slide) -> str:
    return f"line {slide.line}, {slide.name}"


def planned(parts: tuple[PartTime, ...]) -> list[SlideTime]:
    """The slides that the plan has time for: those before the appendix."""
    return [slide for part in parts for slide in part.slides]


def test_every_slide_before_the_appendix_states_its_minutes(deck: Deck, parts: tuple[PartTime, ...]) -> None:
    slides = [deck.slides[time.number - 1] for time in planned(parts)]
    assert slides
    silent = [where(slide) for slide in slides if slide_minutes(slide) is None and not slide.introduction]
    assert not silent, "\n".join(silent)


def test_only_slides_of_an_exercise_take_no_minutes(deck: Deck, parts: tuple[PartTime, ...]) -> None:
    """The first deck begins with its own title, which has no notes."""
    slides = [slide for slide in planned(parts) if not slide.title.startswith("Exercise ")]
    silent = [f"{slide.number}, {slide.title}" for slide in slides if not slide.named.total]
    assert silent == [f"{number}, {slide.name}" for number, slide in enumerate(deck.slides, 1) if slide.introduction]


def test_no_slide_and_no_part_takes_longer_than_it_has(parts: tuple[PartTime, ...]) -> None:
    """With its notes read aloud, its blocks run and its exercise done."""
    assert parts
    over = list(complaints(parts))
    assert not over, "\n".join(over)


def test_the_parts_are_as_long_as_planned(plan: Plan, parts: tuple[PartTime, ...]) -> None:
    minutes = {part.name: part.planned for part in parts}
    assert minutes.pop("Break") == plan.pause
    assert sum(minutes.values()) == plan.teaching


def test_people_work_for_half_of_the_time(plan: Plan, parts: tuple[PartTime, ...]) -> None:
    assert sum(part.hands_on for part in parts) >= plan.hands_on


def test_the_day_has_some_slack(plan: Plan, parts: tuple[PartTime, ...]) -> None:
    assert sum(part.planned - part.used for part in parts) >= plan.slack


@pytest.mark.parametrize("half", [0], indirect=True)
def test_the_room_looks_for_a_bug_at_0_20(deck: Deck) -> None:
    [hunt] = [index for index, slide in enumerate(deck.slides) if slide.name == "Something is wrong here"]
    begins, _ = schedule(deck).windows[hunt]
    assert 19 <= begins <= 21


def test_exercises_begin_in_time_and_last_long_enough(plan: Plan, deck: Deck, parts: tuple[PartTime, ...]) -> None:
    windows = schedule(deck).windows
    for number, latest, least in plan.exercises:
        times = [slide for slide in planned(parts) if slide.title.startswith(f"Exercise {number} ·")]
        assert windows[times[0].number - 1][0] <= latest, number
        assert sum(slide.named.hands_on for slide in times) >= least, number


def test_a_softmax_takes_as_long_as_the_convolution() -> None:
    """The table in docs/presenting.md, which a room may take at 1:35."""
    [table] = [
        block.content
        for slide in load_deck(ROOT / "docs" / "presenting.md").slides
        for block in walk(slide.blocks)
        if isinstance(block.content, Table) and plain(block.content.header[0]) == "Minutes"
    ]
    minutes = {plain(what): float(plain(number)) for number, what in table.rows}
    [convolution] = [part for part in rehearse(loaded(0)) if part.name == "Part 3 · Convolution"]
    assert sum(minutes.values()) == convolution.planned
    assert loaded(1).slides[1].name.startswith("Exercise 5a ·")
    named = {slide.title: slide.named.total for slide in planned(rehearse(loaded(1)))}
    assert named["Debrief: exercise 5a"] == minutes['"Debrief: exercise 5a"']
    titles = list(named)
    first, last = (titles.index(title) for title in ("A sum by four programs", "Softmax without the maximum"))
    assert sum(named[title] for title in titles[first : last + 1]) == minutes[f'"{titles[first]}" to "{titles[last]}"']


def asks(block: Block) -> bool:
    """Whether a block is a line that starts with `**Predict:**`."""
    match block.content:
        case Paragraph((first, *_) as text):
            return first.bold and plain(text).startswith("Predict:")
    return False


def waits(slide: Slide) -> bool:
    """Whether something comes only after the pause that follows a question."""
    blocks = list(walk(slide.blocks))
    asked = [block.step for block in blocks if asks(block)]
    return bool(asked) and any(block.step > asked[-1] for block in blocks)


def runs(slide: Slide) -> bool:
    codes = (block.content for block in walk(slide.blocks))
    return any(isinstance(code, Code) and code.execution is not Execution.NONE for code in codes)


def test_slides_ask_and_pause_before_their_code_answers(plan: Plan, deck: Deck) -> None:
    asking = [where(slide) for slide in deck.slides if waits(slide) and runs(slide)]
    assert len(asking) >= plan.asking, "only these do:\n" + "\n".join(asking)


def test_a_slide_that_asks_for_a_prediction_waits_for_it(deck: Deck) -> None:
    asking = [slide for slide in deck.slides if any(asks(block) for block in walk(slide.blocks))]
    at_once = [where(slide) for slide in asking if not waits(slide)]
    assert not at_once, "\n".join(at_once)


@pytest.mark.parametrize("terminal", [PLAIN, Terminal(GraphicsProtocol.KITTY)], ids=["characters", "pictures"])
@pytest.mark.parametrize(("width", "height"), [(100, 30), (80, 24), (120, 36)], ids=["100x30", "80x24", "120x36"])
def test_slides_fit_the_screen_before_their_code_runs(
    plan: Plan, deck: Deck, width: int, height: int, terminal: Terminal
) -> None:
    most = plan.scrolling if width == 80 else 0
    view = View(DARK, width, height, terminal=terminal)
    pages = [(slide, compose(deck, slide, replace(view, step=slide.steps - 1))) for slide in deck.slides]
    scrolling = [
        f"{where(slide)}: {len(page.body)} rows, room for {page.body_rows}"
        for slide, page in pages
        if len(page.body) > page.body_rows
    ]
    assert len(scrolling) <= most, f"expected at most {most} that scroll, but these do:\n" + "\n".join(scrolling)
