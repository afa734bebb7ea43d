"""What a learner does with an exercise beside writing it: see the list, ask for a hint, start anew."""

from __future__ import annotations

import difflib
import time
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from triton_workshop.checking.exercise import Exercise
from triton_workshop.checking.exercises import EXERCISES
from triton_workshop.checking.progress import (
    Record,
    digest,
    load_progress,
    save_progress,
    state_folder,
    write_whole,
)
from triton_workshop.checking.unfinished import open_todos


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
    return tuple(_entry(exercise, progress.of(number)) for number, exercise in EXERCISES.items())


def _entry(exercise: Exercise, record: Record) -> Entry:
    try:
        text = exercise.exercise_file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return Entry(exercise, Standing.MISSING, len(exercise.hints), record)
    left = _todos_left(text)
    checked = record.digest == digest(exercise)
    if text == exercise.shipped():
        standing = Standing.NEW
    elif left:
        standing = Standing.BEGUN
    elif not checked:
        standing = Standing.CHANGED
    else:
        standing = Standing.FAILING if record.finding else Standing.PASSED
    return Entry(exercise, standing, left, record)


def _todos_left(text: str) -> int:
    try:
        return len(open_todos(text))
    except (SyntaxError, ValueError):
        return sum("= ..." in line or line.strip().startswith("...") for line in text.splitlines())


@dataclass(frozen=True)
class Hint:
    """One hint: the `level`-th of `levels`, about what the last check found."""

    about: str
    level: int
    levels: int
    text: str


def next_hint(exercise: Exercise, level: int | None = None) -> Hint | None:
    """The hint after those shown already, or the one asked for; None where there is nothing to give a hint for.

    It is about what the last check has found: check first where `needs_a_check` says so.
    """
    progress = load_progress()
    hint, record = hint_from(progress.of(exercise.number), level)
    if hint is not None:
        save_progress(progress.with_record(exercise.number, record))
    return hint


def hint_from(record: Record, level: int | None = None) -> tuple[Hint | None, Record]:
    """The same from a record in hand, which nobody has to have kept; and the record once that hint has been shown."""
    if not record.hints:
        return None, record
    chosen = min(level or record.hints_shown + 1, len(record.hints))
    hint = Hint(f"{record.finding}: {record.hint_name}", chosen, len(record.hints), record.hints[chosen - 1])
    return hint, replace(record, hints_shown=max(record.hints_shown, chosen))


def needs_a_check(exercise: Exercise) -> bool:
    """Whether the file is not the one that was checked last."""
    return load_progress().of(exercise.number).digest != digest(exercise)


def changed_lines(exercise: Exercise) -> int:
    """How many lines of the learner's file a reset would take away."""
    try:
        mine = exercise.exercise_file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return 0
    difference = difflib.ndiff(exercise.shipped().splitlines(), mine)
    return sum(line.startswith("+ ") for line in difference)


def reset(exercise: Exercise) -> Path | None:
    """Put the shipped file back. What was there is kept in a file of its own, which is returned. Raises OSError."""
    backup = None
    file = exercise.exercise_file
    if file.exists():
        name = f"{file.stem}-{time.strftime('%Y%m%d-%H%M%S')}"
        backup = _unused(state_folder() / "backups", name, file.suffix)
        write_whole(backup, file.read_bytes().decode("utf-8", "surrogateescape"))
    write_whole(file, exercise.shipped())
    return backup


def _unused(folder: Path, name: str, suffix: str) -> Path:
    """A name that no file has: two resets within one second keep two backups."""
    candidates = (folder / f"{name}{extra}{suffix}" for extra in ("", *(f"-{n}" for n in range(2, 1000))))
    return next(path for path in candidates if not path.exists())
