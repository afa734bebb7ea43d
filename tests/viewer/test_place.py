"""Where the keys lead, without a screen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triton_workshop.viewer.slides.place import MOVES, Place, goto

STEPS = (1, 3, 2)


@pytest.mark.parametrize(
    ("where", "before", "after"),
    [
        ("next", Place(1, 0), Place(1, 1)), ("next", Place(1, 2), Place(2, 0)), ("next", Place(2, 1), Place(2, 1)),
        ("previous", Place(1, 2), Place(1, 1)), ("previous", Place(2, 0), Place(1, 2)),
        ("previous", Place(0, 0), Place(0, 0)), ("next_slide", Place(1, 1), Place(2, 0)),
        ("next_slide", Place(2, 1), Place(2, 1)), ("previous_slide", Place(2, 1), Place(1, 0)),
        ("previous_slide", Place(0, 0), Place(0, 0)), ("complete", Place(1, 0), Place(1, 2)),
        ("first", Place(2, 1), Place(0, 0)), ("last", Place(0, 0), Place(2, 0)),
    ],
)  # fmt: skip
def test_a_key_leads_to_a_place(where: str, before: Place, after: Place) -> None:
    assert MOVES[where](before, STEPS) == after


@pytest.mark.parametrize("before", [Place(1, 2), Place(2, 1)])
def test_in_a_deck_that_has_become_shorter_the_nearest_place_is_taken(before: Place) -> None:
    assert before.within((1, 2)) == Place(1, 1)


@pytest.mark.parametrize(("number", "slide"), [(1, 0), (2, 1), (3, 2), (0, 0), (99, 2)])
def test_a_number_leads_to_its_slide_or_the_nearest_end(number: int, slide: int) -> None:
    assert goto(number, STEPS) == Place(slide)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=6))
def test_next_visits_every_step_once_and_previous_the_same_way_back(steps: list[int]) -> None:
    places = [Place()]
    while (following := places[-1].next(steps)) != places[-1]:
        places.append(following)
    assert places == [Place(slide, step) for slide, count in enumerate(steps) for step in range(count)]
    back = [places[-1]]
    while (before := back[-1].previous(steps)) != back[-1]:
        back.append(before)
    assert back == places[::-1]
