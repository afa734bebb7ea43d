"""Where the keys lead, without a screen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triton_workshop.viewer.slides.slide_step import MOVES, SlideStep, goto

STEPS = (1, 3, 2)


@pytest.mark.parametrize(
    ("where", "before", "after"),
    [
        ("next", (1, 0), (1, 1)), ("next", (1, 2), (2, 0)), ("next", (2, 1), (2, 1)),
        ("previous", (1, 2), (1, 1)), ("previous", (2, 0), (1, 2)), ("previous", (0, 0), (0, 0)),
        ("next_slide", (1, 1), (2, 0)), ("next_slide", (2, 1), (2, 1)),
        ("previous_slide", (2, 1), (1, 0)), ("previous_slide", (0, 0), (0, 0)),
        ("complete", (1, 0), (1, 2)), ("first", (2, 1), (0, 0)), ("last", (0, 0), (2, 0)),
    ],
)  # fmt: skip
def test_a_key_leads_to_a_step(where: str, before: tuple[int, int], after: tuple[int, int]) -> None:
    assert MOVES[where](SlideStep(*before), STEPS) == SlideStep(*after)


@pytest.mark.parametrize("before", [SlideStep(1, 2), SlideStep(2, 1)])
def test_in_a_deck_that_has_become_shorter_the_nearest_place_is_taken(before: SlideStep) -> None:
    assert before.within((1, 2)) == SlideStep(1, 1)


@pytest.mark.parametrize(("number", "slide"), [(1, 0), (2, 1), (3, 2), (0, 0), (99, 2)])
def test_a_number_leads_to_its_slide_or_the_nearest_end(number: int, slide: int) -> None:
    assert goto(number, STEPS) == SlideStep(slide)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=6))
def test_next_visits_every_step_once_and_previous_the_same_way_back(steps: list[int]) -> None:
    places = [SlideStep()]
    while (following := places[-1].next(steps)) != places[-1]:
        places.append(following)
    assert places == [SlideStep(slide, step) for slide, count in enumerate(steps) for step in range(count)]
    back = [places[-1]]
    while (before := back[-1].previous(steps)) != back[-1]:
        back.append(before)
    assert back == places[::-1]
