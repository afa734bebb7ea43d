"""How far a learner is with each exercise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from triton_workshop.checking.exercises import EXERCISES
from triton_workshop.checking.exercises.exercise import Exercise
from triton_workshop.checking.exercises.unfinished import open_todos
from triton_workshop.checking.reporting.progress import Record, digest, load_progress


class Standing(StrEnum):
    """How far an exercise is."""

    MISSING = "missing"
    NEW = "new"
    BEGUN = "begun"
    FAILING = "failing"
    CHANGED = "changed"
    """All TODOs are done, and it was not checked since."""
    PASSED = "passed"


@dataclass(frozen=True)
class Entry:
    """A line of the list."""

    exercise: Exercise
    standing: Standing
    todos_left: int
    record: Record


def entries() -> tuple[Entry, ...]:
    """All exercises, in order."""
    progress = load_progress()
    return tuple(_entry(exercise, progress[number]) for number, exercise in EXERCISES.items())


def first_open(entries: Sequence[Entry]) -> Entry | None:
    """The first exercise that has not passed; None where all have."""
    return next((entry for entry in entries if entry.standing is not Standing.PASSED), None)


def _entry(exercise: Exercise, record: Record) -> Entry:
    try:
        text = exercise.exercise_file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return Entry(exercise, Standing.MISSING, len(exercise.hints), record)
    left = _todos_left(text)
    if text == exercise.shipped():
        standing = Standing.NEW
    elif left:
        standing = Standing.BEGUN
    elif record.digest != digest(exercise):
        standing = Standing.CHANGED
    else:
        standing = Standing.FAILING if record.finding else Standing.PASSED
    return Entry(exercise, standing, left, record)


def _todos_left(text: str) -> int:
    try:
        return len(open_todos(text))
    except (SyntaxError, ValueError):
        return sum("= ..." in line or line.strip().startswith("...") for line in text.splitlines())
