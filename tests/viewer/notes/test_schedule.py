"""The plan that a deck tells, and how far a talk is from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from triton_workshop.deck import load_deck
from triton_workshop.deck.model import Deck, FrontMatter, Slide, Span
from triton_workshop.viewer.notes.schedule import Minutes, schedule, slide_minutes


def slide(title: str, note: str | None = None) -> Slide:
    return Slide((Span(title),), (), 1, 1, () if note is None else (note,))


def deck(*slides: Slide) -> Deck:
    return Deck(Path("deck.md"), FrontMatter(title="A talk"), slides)


@pytest.mark.parametrize(
    ("note", "minutes"),
    [
        ("2 min.", Minutes(2)), ("1.5 min. Ask first.", Minutes(1.5)), ("0 min.", Minutes(0)),
        ("10 min\nAsk.", Minutes(10)), ("15 min, 13 hands-on.", Minutes(15, 13)),
        ("25 min, 22.5 hands-on. Walk around.", Minutes(25, 22.5)),
        ("5 min, until 10:20", Minutes(5)), ("\n  2 min.", Minutes(2)), ("2.5 min\n", Minutes(2.5)),
        ("Two minutes.", None), ("2 minutes.", None), ("About 2 min.", None), ("2 minds.", None),
        ("Leave it up. 10 min.", None), ("", None), (None, None),
    ],
)  # fmt: skip
def test_notes_begin_with_a_slides_minutes(note: str | None, minutes: Minutes | None) -> None:
    assert slide_minutes(slide("A", note)) == minutes


def test_parts_begin_at_titles_with_a_time() -> None:
    plan = schedule(load_deck(Path(__file__).parent / "talk.md"))
    assert [(part.name, part.first, part.begins, part.ends, part.end_time) for part in plan.sections] == [
        ("First part", 0, 0, 10, "0:10"),
        ("Second part", 4, 10, 30, "0:30"),
    ]
    # The exercise's minutes are for both of its slides, and the part's slack comes last.
    assert plan.windows == ((0, 1), (0, 1), (1, 1.5), (1.5, 10), (10, 30), (10, 30), (10, 30))


def test_times_of_the_day_count_from_the_first() -> None:
    plan = schedule(deck(slide("Coffee · 9:30"), slide("Talk 10:00", "5 min, until 10:20"), slide("End", "2 min")))
    assert [(part.name, part.begins, part.ends, part.end_time) for part in plan.sections] == [
        ("Coffee", 0, 30, "10:00"),
        ("Talk", 30, 50, "10:20"),
    ]


@pytest.mark.parametrize(
    ("slides", "parts"),
    [
        pytest.param([slide("A"), slide("B", "Ask them.")], [], id="nothing said"),
        pytest.param([slide("A", "2 min"), slide("B", "3 min")], [("A talk", 0, 5)], id="minutes alone"),
        pytest.param([slide("A · 0:00", "2 min"), slide("B", "3 min")], [("A", 0, 5)], id="as long as its slides"),
        pytest.param([slide("Lunch at 12:30"), slide("B")], [], id="one time is no plan"),
        pytest.param([slide("A · 0:00"), slide("B · 0:20")], [("A", 0, 20), ("B", 20, 20)], id="an end of no length"),
        pytest.param([slide("A · 0:30"), slide("B · 0:10", "4 min")], [("A", 0, 4)], id="time does not go back"),
        pytest.param([slide("0:30")], [], id="a time is no name"),
    ],
)
def test_a_plan_is_what_a_deck_tells(slides: list[Slide], parts: list[tuple[str, float, float]]) -> None:
    plan = schedule(deck(*slides))
    assert [(part.name, part.begins, part.ends) for part in plan.sections] == parts
    assert len(plan.windows) == (len(slides) if parts else 0)


def test_slides_that_take_longer_than_their_part_end_with_it() -> None:
    plan = schedule(
        deck(slide("A · 0:00", "8 min"), slide("B", "8 min"), slide("C", "8 min"), slide("D · 0:10", "1 min"))
    )
    assert plan.windows == ((0, 8), (8, 10), (10, 10), (10, 11))


@pytest.mark.parametrize(("minute", "lag"), [(0, -10), (9.5, -0.5), (10, 0), (12, 0), (13, 0), (13.5, 0.5), (40, 27)])
def test_a_talk_is_behind_when_a_slides_time_is_over_and_ahead_before_it(minute: float, lag: float) -> None:
    plan = schedule(deck(slide("A", "10 min"), slide("B", "3 min")))
    assert plan.lag(1, minute) == lag


def test_without_a_plan_nobody_is_late() -> None:
    plan = schedule(deck(slide("A")))
    assert plan.lag(0, 500) == 0
    assert plan.section(0) is None


def test_what_comes_after_the_end_is_outside_of_the_plan() -> None:
    plan = schedule(
        deck(slide("Talk · 0:00", "2 min."), slide("Thank you", "8 min."), slide("Appendix · 0:10"), slide("A"))
    )
    assert [plan.section(index) for index in range(4)] == [plan.sections[0], plan.sections[0], None, None]
    assert (plan.sections[0].begins, plan.sections[0].ends) == (0, 10)


def test_the_second_slide_of_an_exercise_shares_its_minutes() -> None:
    plan = schedule(
        deck(slide("Exercise", "15 min, 13 hands-on."), slide("Its launcher", "0 min."), slide("B", "1 min."))
    )
    assert plan.windows == ((0, 15), (0, 15), (15, 16))
