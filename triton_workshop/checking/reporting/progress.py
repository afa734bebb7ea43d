"""A learner's progress, in `.workshop/progress.json` beside the exercises.

The file is written completely or not at all. A file that cannot be read is renamed, and never overwritten.
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

from triton_workshop.atomic_write import write_atomically
from triton_workshop.checking.judging.verdict import Verdict
from triton_workshop.errors import print_wrapped
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.exercises.todos import open_todos
from triton_workshop.repository import ROOT
from triton_workshop.scripts import read_bytes, read_source, read_text

FOLDER_VARIABLE = "TRITON_WORKSHOP_STATE"
"""Environment variable that names another folder for the state."""


@dataclass(frozen=True)
class Record:
    """Record of one exercise."""

    passed_at: float | None = None
    """Seconds since 1970."""
    seconds: float | None = None
    """Duration of the last check."""
    finding: str = ""
    """The kind of mistake at the last check."""
    mistake: str = ""
    """Its name, if it is one of the exercise's known ones."""
    hints: tuple[str, ...] = ()
    hints_shown: int = 0
    digest: str = ""
    """Digest of the checked text.

    Another text needs another check.
    """
    best_ratio: float | None = None
    """Time of the fastest measured kernel over the hardware's limit."""


def state_folder() -> Path:
    """Return the folder with the learner's state."""
    return Path(os.environ.get(FOLDER_VARIABLE) or ROOT / ".workshop")


def load_progress() -> defaultdict[str, Record]:
    """Return the records by exercise; none if there is no file.

    A broken file is renamed, with a message.
    """
    file = state_folder() / "progress.json"
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        return defaultdict(Record, {number: _record(values) for number, values in data["exercises"].items()})
    except (FileNotFoundError, NotADirectoryError):  # if there can be no file, saving one will say so
        pass
    except OSError as error:
        _warn(f"{file}: cannot be read: {error.strerror}")
    except (ValueError, KeyError, TypeError, AttributeError):
        aside = file.with_name(f"progress-broken-{time.strftime('%Y%m%d-%H%M%S')}.json")
        try:
            file.replace(aside)
            _warn(f"the record of your progress could not be read; it was moved to {aside}, and a new one begins")
        except OSError as error:
            _warn(f"the record of your progress could not be read, and {file} could not be moved: {error.strerror}")
    return defaultdict(Record)


def _record(values: dict[str, Any]) -> Record:
    # A newer version may have written other fields.
    arguments = {field.name: values[field.name] for field in fields(Record) if field.name in values}
    return Record(**arguments | {"hints": tuple(arguments.get("hints", ()))})


@functools.cache  # once is enough: a check may be followed by many more
def _warn(message: str) -> None:
    print_wrapped(message, sys.stderr)


def update(exercise: str, change: Callable[[Record], Record]) -> Record:
    """Change a record, and return it.

    If it cannot be written, only say so: a check is worth more than its record.
    """
    progress = load_progress()
    progress[exercise] = change(progress[exercise])
    exercises = {number: asdict(record) for number, record in sorted(progress.items())}
    file = state_folder() / "progress.json"
    try:
        write_atomically(file, json.dumps({"version": 1, "exercises": exercises}, indent=2).encode())
    except OSError as error:
        _warn(f"your progress is not recorded: {file} cannot be written: {error.strerror}")
    return progress[exercise]


def record_check(verdict: Verdict, *, hints_shown: int = 0) -> Record:
    """Record the check of a learner's exercise file, and return its record.

    Other files do not count as progress. `hints_shown`: how many of the finding's hints are on the screen with it.
    """
    exercise, finding = EXERCISES[verdict.exercise], next(iter(verdict.findings), None)
    if verdict.file != exercise.exercise_file.resolve():
        return Record()
    hints = finding.hints if finding else ()
    name = finding.hint_name if finding else ""
    return update(
        exercise.number,
        lambda previous: replace(
            previous,
            passed_at=time.time() if verdict.passed else previous.passed_at,
            seconds=round(verdict.seconds, 3),
            finding=str(finding.kind) if finding else "",
            mistake=name if exercise.knows(name) else "",
            hints=hints,
            # The same hints as at the last check stay shown.
            hints_shown=max(hints_shown, previous.hints_shown if hints == previous.hints else 0),
            digest=digest(exercise) if _is_unchanged(verdict) else "",
        ),
    )


def _is_unchanged(verdict: Verdict) -> bool:
    """Return whether the file still has the text that was judged.

    Nobody has checked a later save.
    """
    try:
        text = read_source(verdict.file)
    except (OSError, SyntaxError, ValueError, LookupError):
        text = ""  # as is that of a file that could not be read when it was judged
    return text == verdict.text


def record_hints(exercise: str, count: int) -> None:
    """Record the number of hints about the last finding that were shown."""
    update(exercise, lambda record: replace(record, hints_shown=max(record.hints_shown, count)))


def digest(exercise: Exercise) -> str:
    """Return the digest of the learner's file; empty if there is none."""
    try:
        return hashlib.sha256(read_bytes(exercise.exercise_file)).hexdigest()
    except OSError:
        return ""


class Status(StrEnum):
    """Status of an exercise."""

    MISSING = "missing"
    NEW = "new"
    BEGUN = "begun"
    FAILING = "failing"
    CHANGED = "changed"
    """All TODOs are done, and it has not been checked since."""
    PASSED = "passed"


@dataclass(frozen=True)
class ListedExercise:
    """Exercise in the list, with its status."""

    exercise: Exercise
    status: Status
    remaining_todos: int
    record: Record


def entries() -> tuple[ListedExercise, ...]:
    """Return all exercises, in order."""
    progress = load_progress()
    return tuple(_entry(exercise, progress[number]) for number, exercise in EXERCISES.items())


def required_entries(entries: Sequence[ListedExercise]) -> tuple[ListedExercise, ...]:
    """Return the exercises that everybody does.

    They are those of the first half, and of any other that has been begun.
    """
    untouched = (Status.NEW, Status.MISSING)
    halves = {1} | {entry.exercise.session for entry in entries if entry.status not in untouched}
    required = (entry for entry in entries if not entry.exercise.is_optional)
    return tuple(entry for entry in required if entry.exercise.session in halves)


def first_open_entry(entries: Sequence[ListedExercise]) -> ListedExercise | None:
    """Return the first required exercise that has not passed, if any."""
    return next((entry for entry in required_entries(entries) if entry.status is not Status.PASSED), None)


def next_half(entries: Sequence[ListedExercise]) -> ListedExercise | None:
    """Return the first exercise of the half that comes next, if any.

    It may be a warm-up.
    """
    last = max((entry.exercise.session for entry in required_entries(entries)), default=0)
    return next((entry for entry in entries if entry.exercise.session > last), None)


def _entry(exercise: Exercise, record: Record) -> ListedExercise:
    try:
        text = read_text(exercise.exercise_file)
    except OSError:
        status = Status.CHANGED if exercise.exercise_file.exists() else Status.MISSING
        return ListedExercise(exercise, status, exercise.tasks, record)
    is_checked = record.digest == digest(exercise)
    remaining = len(exercise.remaining_bugs(text)) + _count_todos(text)
    slow = len(exercise.goals)  # they count as left until all are reached
    if text == exercise.shipped_text:
        return ListedExercise(exercise, Status.NEW, remaining + slow, record)
    is_right = is_checked and not record.finding
    if is_right:  # a bug may be repaired elsewhere than where it was planted
        return ListedExercise(exercise, Status.PASSED, 0, record)
    if remaining:
        return ListedExercise(exercise, Status.BEGUN, remaining, record)
    return ListedExercise(exercise, Status.FAILING if is_checked else Status.CHANGED, slow, record)


def _count_todos(text: str) -> int:
    try:
        return len(open_todos(text))
    except (SyntaxError, ValueError):  # then the lines that look like a TODO have to do
        return sum(map(_looks_like_todo, text.splitlines()))


def _looks_like_todo(line: str) -> bool:
    return "= ..." in line or line.strip().startswith("...")
