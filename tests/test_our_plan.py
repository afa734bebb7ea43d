"""The plan of the workshop's own deck: its minutes add up, it asks before it answers, and its slides fit the screen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.rehearsal import PartTime, SlideTime, complaints, rehearse
from triton_workshop.deck import load_deck
from triton_workshop.deck.model import Block, Code, Deck, Execution, Paragraph, Slide, plain, walk
from triton_workshop.repository import ROOT
from triton_workshop.screen.palette import DARK
from triton_workshop.terminal import PLAIN, Terminal, Way
from triton_workshop.viewer.live.live_blocks import shown_elsewhere
from triton_workshop.viewer.notes.schedule import schedule, slide_minutes
from triton_workshop.viewer.slides.page import compose
from triton_workshop.viewer.slides.view import View


@pytest.fixture(scope="module")
def deck() -> Deck:
    return load_deck(ROOT / "slides" / "triton-workshop.md")


@pytest.fixture(scope="module")
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


def test_only_slides_of_an_exercise_take_no_minutes(parts: tuple[PartTime, ...]) -> None:
    """The first slide is the deck's own title, which has no notes."""
    slides = [slide for slide in planned(parts)[1:] if not slide.title.startswith("Exercise ")]
    assert not [f"{slide.number}, {slide.title}" for slide in slides if not slide.named.total]


def test_no_slide_and_no_part_takes_longer_than_it_has(parts: tuple[PartTime, ...]) -> None:
    """With its notes read aloud, its blocks run and its exercise done."""
    assert parts
    over = list(complaints(parts))
    assert not over, "\n".join(over)


def test_the_parts_are_165_minutes_of_teaching_and_a_break_of_15(parts: tuple[PartTime, ...]) -> None:
    minutes = {part.name: part.planned for part in parts}
    assert minutes.pop("Break") == 15
    assert sum(minutes.values()) == 165


def test_people_work_for_at_least_85_minutes(parts: tuple[PartTime, ...]) -> None:
    assert sum(part.hands_on for part in parts) >= 85


def test_the_day_has_at_least_8_minutes_of_slack(parts: tuple[PartTime, ...]) -> None:
    assert sum(part.planned - part.used for part in parts) >= 8


def test_the_room_looks_for_a_bug_at_0_20(deck: Deck) -> None:
    [hunt] = [index for index, slide in enumerate(deck.slides) if slide.name == "Something is wrong here"]
    begins, _ = schedule(deck).windows[hunt]
    assert 19 <= begins <= 21


def test_exercise_4_has_at_least_25_minutes_of_work(parts: tuple[PartTime, ...]) -> None:
    assert sum(slide.named.hands_on for slide in planned(parts) if slide.title.startswith("Exercise 4")) >= 25


def test_the_first_exercise_begins_within_half_an_hour(deck: Deck) -> None:
    first = next(index for index, slide in enumerate(deck.slides) if slide.name.startswith("Exercise 1"))
    begins, _ = schedule(deck).windows[first]
    assert begins <= 30


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


def test_ten_slides_ask_and_pause_before_their_code_answers(deck: Deck) -> None:
    asking = [where(slide) for slide in deck.slides if waits(slide) and runs(slide)]
    assert len(asking) >= 10, "only these do:\n" + "\n".join(asking)


def test_a_slide_that_asks_for_a_prediction_waits_for_it(deck: Deck) -> None:
    asking = [slide for slide in deck.slides if any(asks(block) for block in walk(slide.blocks))]
    at_once = [where(slide) for slide in asking if not waits(slide)]
    assert not at_once, "\n".join(at_once)


@pytest.mark.parametrize("terminal", [PLAIN, Terminal(Way.KITTY)], ids=["characters", "pictures"])
@pytest.mark.parametrize(
    ("width", "height", "most"), [(100, 30, 0), (80, 24, 5), (120, 36, 0)], ids=["100x30", "80x24", "120x36"]
)
def test_slides_fit_the_screen_before_their_code_runs(
    deck: Deck, width: int, height: int, most: int, terminal: Terminal
) -> None:
    view = View(DARK, width, height, elsewhere=shown_elsewhere(deck), terminal=terminal)
    pages = [(slide, compose(deck, slide, replace(view, step=slide.steps - 1))) for slide in deck.slides]
    scrolling = [
        f"{where(slide)}: {len(page.body)} rows, room for {page.body_rows}"
        for slide, page in pages
        if len(page.body) > page.body_rows
    ]
    assert len(scrolling) <= most, f"expected at most {most} that scroll, but these do:\n" + "\n".join(scrolling)
