"""The course of a page for one person: it has every slide, and the steps of `docs/alone.md`."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.page.conftest import words
from triton_workshop.deck import load_deck
from triton_workshop.deck.model import Table, plain, walk
from triton_workshop.exercises import EXERCISES
from triton_workshop.page.assets import asset
from triton_workshop.page.course import Course, load_course
from triton_workshop.page.slides import Writer
from triton_workshop.repository import ROOT
from triton_workshop.viewer.notes.schedule import Minutes, slide_minutes, without_time

PLAN = tomllib.loads(asset("course.toml"))


@pytest.fixture(scope="module")
def course() -> Course:
    return load_course(ROOT / "slides")


def test_a_slide_is_in_the_course_or_named_as_left_out(course: Course) -> None:
    titles = [without_time(slide.name) for file in PLAN["decks"] for slide in load_deck(ROOT / "slides" / file).slides]
    there = [without_time(slide.name) for slide in course.deck.slides]
    assert set(PLAN["left_out"]) <= set(titles), "no name is out of date"
    assert [title for title in titles if title not in PLAN["left_out"]] == there


def test_the_page_has_words_of_its_own_for_what_a_terminal_or_a_room_needs(course: Course) -> None:
    decks = [(ROOT / "slides" / name).read_text(encoding="utf-8") for name in PLAN["decks"]]
    assert [old for old, _ in PLAN["words"] if not any(old in deck for deck in decks)] == [], "out of date"
    writer = Writer(course.deck, {}, {}, live=True)
    said = words("\n".join(writer.slide(slide, number) for number, slide in enumerate(course.deck.slides, 1)))
    # What `asm` prints is on the slide, or in its notes.
    assert re.findall(r"uv run (?!workshop asm|pytest).{30}|.{30}\b\d:\d\d\b|top of the file|this machine", said) == []


def test_a_step_leads_to_its_exercise_and_the_next_one_begins_with_the_debrief(course: Course) -> None:
    slides = course.deck.slides
    for step, following in zip(course.steps, course.steps[1:], strict=False):
        assert step.first <= step.last < following.first
        if step.exercise:
            assert slides[step.last - 1].name == f"Exercise {step.exercise} · The launcher"
            assert step.last == following.first - 1
    required = [number for number, exercise in EXERCISES.items() if not exercise.is_optional]
    assert [step.exercise for step in course.steps if step.exercise] == required


def test_the_steps_are_the_evenings_of_the_document(course: Course) -> None:
    [table] = [
        block.content
        for slide in load_deck(ROOT / "docs" / "alone.md").slides
        for block in walk(slide.blocks)
        if isinstance(block.content, Table) and plain(block.content.header[0]) == "Evening"
    ]
    written = [
        (re.findall(r'"(.+?)"', slides), exercise.partition(":")[0] if ":" in exercise else "", minutes, in_room)
        for _, slides, exercise, minutes, in_room in (map(plain, row) for row in table.rows)
    ]
    titles = [without_time(slide.name) for slide in course.deck.slides]
    for step, (names, exercise, minutes, in_room) in zip(course.steps, written, strict=True):
        # A step ends with its exercise's slides, which the table names in a column of their own.
        last = next(index for index in range(step.last - 1, -1, -1) if not titles[index].startswith("Exercise "))
        ends = (titles[step.first - 1], titles[last])
        assert all(title.startswith(name) for name, title in zip(names, ends, strict=False)), (names, ends)
        assert step.exercise == exercise
        assert step.minutes == sum(map(int, minutes.split("+")))
        if exercise:
            assert float(in_room) == _hands_on(course, exercise)


def _hands_on(course: Course, exercise: str) -> float:
    """The minutes that a room has for an exercise."""
    slides = [slide for slide in course.deck.slides if slide.name.startswith(f"Exercise {exercise} ·")]
    return sum((slide_minutes(slide) or Minutes()).hands_on for slide in slides)


def test_every_slide_of_the_course_is_in_one_section_of_the_contents(course: Course) -> None:
    firsts = [section.first for section in course.sections]
    assert firsts == sorted(set(firsts))
    assert firsts[0] == 0
    assert [section.name for section in course.sections].count("Appendix") == 2


def test_a_deck_beside_others_has_all_that_a_course_needs(tmp_path: Path) -> None:
    for name in PLAN["decks"]:
        text = (ROOT / "slides" / name).read_text(encoding="utf-8")
        (tmp_path / name).write_text(re.sub(r"^!\[.*$", "", text, flags=re.MULTILINE), encoding="utf-8")
    assert len(load_course(tmp_path).deck.slides) == len(load_course(ROOT / "slides").deck.slides)
