"""How far a learner has come, in `.workshop/progress.json` beside the exercises.

It is written completely or not at all. A file that cannot be read is renamed, and never overwritten.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from triton_workshop.atomic_write import write_whole
from triton_workshop.checking.judging.verdict import Verdict
from triton_workshop.checking.observing.source import Source
from triton_workshop.errors import print_wrapped
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.exercises.todos import open_todos
from triton_workshop.repository import ROOT
from triton_workshop.scripts import read_bytes, read_text

FOLDER = "TRITON_WORKSHOP_STATE"
"""This environment variable names another folder for the state."""


@dataclass(frozen=True)
class Record:
    """What is known of one exercise."""

    passed_at: float | None = None
    """Seconds since 1970."""
    seconds: float | None = None
    """How long the last check took."""
    finding: str = ""
    """The kind of mistake at the last check."""
    hints: tuple[str, ...] = ()
    hints_shown: int = 0
    digest: str = ""
    """The digest of the text that was checked: another text needs another check."""
    best_ratio: float | None = None
    """The time of the fastest measured kernel, divided by the hardware's limit."""


def state_folder() -> Path:
    return Path(os.environ.get(FOLDER) or ROOT / ".workshop")


def load_progress() -> defaultdict[str, Record]:
    """Return the records by exercise; none if there is no file. A broken file is renamed, with a message."""
    file = state_folder() / "progress.json"
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        return defaultdict(Record, {number: _record(values) for number, values in data["exercises"].items()})
    except (FileNotFoundError, NotADirectoryError):  # if there can be no file, saving one will say so
        pass
    except OSError as error:
        _say(f"{file}: cannot be read: {error.strerror}")
    except (ValueError, KeyError, TypeError, AttributeError):
        aside = file.with_name(f"progress-broken-{time.strftime('%Y%m%d-%H%M%S')}.json")
        try:
            file.replace(aside)
            _say(f"the record of your progress could not be read; it was moved to {aside}, and a new one begins")
        except OSError as error:
            _say(f"the record of your progress could not be read, and {file} could not be moved: {error.strerror}")
    return defaultdict(Record)


def _record(values: dict[str, Any]) -> Record:
    known = {field.name: values[field.name] for field in fields(Record) if field.name in values}
    return Record(**known | {"hints": tuple(known.get("hints", ()))})


@functools.cache  # once is enough: a check may be followed by many more
def _say(message: str) -> None:
    print_wrapped(message, sys.stderr)


def update(exercise: str, change: Callable[[Record], Record]) -> Record:
    """Change a record. If it cannot be written, only say so: a check is worth more than its record."""
    progress = load_progress()
    progress[exercise] = change(progress[exercise])
    exercises = {number: asdict(record) for number, record in sorted(progress.items())}
    file = state_folder() / "progress.json"
    try:
        write_whole(file, json.dumps({"version": 1, "exercises": exercises}, indent=2).encode())
    except OSError as error:
        _say(f"your progress is not recorded: {file} cannot be written: {error.strerror}")
    return progress[exercise]


def remember(verdict: Verdict, *, hints_shown: int = 0) -> Record:
    """Record what a check of the learner's own exercise file showed; other files do not count as progress.

    `hints_shown`: how many of the finding's hints are on the screen with it.
    """
    exercise, finding = EXERCISES[verdict.exercise], next(iter(verdict.findings), None)
    if verdict.file != exercise.exercise_file.resolve():
        return Record()
    hints = finding.hints if finding else ()
    return update(
        exercise.number,
        lambda before: replace(
            before,
            passed_at=time.time() if verdict.passed else before.passed_at,
            seconds=round(verdict.seconds, 3),
            finding=str(finding.kind) if finding else "",
            hints=hints,
            hints_shown=max(hints_shown, before.hints_shown if hints == before.hints else 0),
            digest=digest(exercise) if _is_what_was_judged(verdict) else "",
        ),
    )


def _is_what_was_judged(verdict: Verdict) -> bool:
    """Whether the file still has that text, if it is known: a later save has been checked by nobody."""
    try:
        return verdict.text in ("", Source.read(verdict.file, EXERCISES[verdict.exercise]).text)
    except (OSError, SyntaxError, ValueError, LookupError):
        return False


def remember_hints(exercise: str, shown: int) -> None:
    """Record how many hints about the last finding have been shown."""
    update(exercise, lambda record: replace(record, hints_shown=max(record.hints_shown, shown)))


def digest(exercise: Exercise) -> str:
    """Return the digest of the learner's file as it is now; empty if there is no file."""
    try:
        return hashlib.sha256(read_bytes(exercise.exercise_file)).hexdigest()
    except OSError:
        return ""


class Standing(StrEnum):
    """How far an exercise is."""

    MISSING = "missing"
    NEW = "new"
    BEGUN = "begun"
    FAILING = "failing"
    CHANGED = "changed"
    """All TODOs are done, and it has not been checked since."""
    PASSED = "passed"


@dataclass(frozen=True)
class ListedExercise:
    """A line of the list."""

    exercise: Exercise
    standing: Standing
    todos_left: int
    record: Record


def entries() -> tuple[ListedExercise, ...]:
    """All exercises, in order."""
    progress = load_progress()
    return tuple(_entry(exercise, progress[number]) for number, exercise in EXERCISES.items())


def to_do(entries: Sequence[ListedExercise]) -> tuple[ListedExercise, ...]:
    """The exercises that everybody does, of the first half and of any other that has been begun."""
    begun = {1} | {
        entry.exercise.session for entry in entries if entry.standing not in (Standing.NEW, Standing.MISSING)
    }
    return tuple(entry for entry in entries if entry.exercise.session in begun and not entry.exercise.optional)


def first_open(entries: Sequence[ListedExercise]) -> ListedExercise | None:
    """Return the first exercise to do that has not passed; None if all have passed."""
    return next((entry for entry in to_do(entries) if entry.standing is not Standing.PASSED), None)


def half_to_come(entries: Sequence[ListedExercise]) -> ListedExercise | None:
    """The first exercise of the half that comes next, be it a warm-up; None if the last one has been begun."""
    last = max((entry.exercise.session for entry in to_do(entries)), default=0)
    return next((entry for entry in entries if entry.exercise.session > last), None)


def _entry(exercise: Exercise, record: Record) -> ListedExercise:
    try:
        text = read_text(exercise.exercise_file)
    except OSError:
        standing = Standing.CHANGED if exercise.exercise_file.exists() else Standing.MISSING
        return ListedExercise(exercise, standing, len(exercise.hints), record)
    checked = record.digest == digest(exercise)
    left = len(exercise.remaining_bugs(text)) + _todos_left(text)
    if text == exercise.shipped_text:
        standing = Standing.NEW
    elif checked and not record.finding:  # a bug may be repaired elsewhere than where it was planted
        standing, left = Standing.PASSED, 0
    elif left:
        standing = Standing.BEGUN
    else:
        standing = Standing.FAILING if checked else Standing.CHANGED
    return ListedExercise(exercise, standing, left, record)


def _todos_left(text: str) -> int:
    try:
        return len(open_todos(text))
    except (SyntaxError, ValueError):
        return sum("= ..." in line or line.strip().startswith("...") for line in text.splitlines())
