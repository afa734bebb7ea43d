"""How far a learner has come, in `.workshop/progress.json` beside the exercises.

Written at once or not at all. A file that cannot be read is set aside under another name, never overwritten.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from triton_workshop.checking.exercises.exercise import ROOT, Exercise
from triton_workshop.checking.judging.verdict import Verdict

FOLDER = "TRITON_WORKSHOP_STATE"
"""This environment variable puts the state elsewhere."""


@dataclass(frozen=True)
class Record:
    """What is known of one exercise. Times are seconds since 1970."""

    passed_at: float | None = None
    seconds: float | None = None
    """How long the last check took."""
    finding: str = ""
    """The kind of what was wrong at the last check."""
    hint_name: str = ""
    hints: tuple[str, ...] = ()
    hints_shown: int = 0
    digest: str = ""
    """Of the text that was checked: another text needs another check."""
    best_ratio: float | None = None
    """How many times the limit of the hardware the fastest measured kernel took."""

    def hint_level(self, level: int | None = None) -> int:
        """Which hint to show: the one asked for, or the one after those shown; 0 where there is none."""
        return min(level or self.hints_shown + 1, len(self.hints))

    def with_hints_shown(self, shown: int) -> Record:
        return replace(self, hints_shown=max(self.hints_shown, shown))


@dataclass(frozen=True)
class Progress:
    """The records by the number of the exercise."""

    records: dict[int, Record] = field(default_factory=dict)

    def of(self, exercise: int) -> Record:
        return self.records.get(exercise, Record())

    def with_record(self, exercise: int, record: Record) -> Progress:
        return Progress({**self.records, exercise: record})


def state_folder() -> Path:
    return Path(os.environ.get(FOLDER) or ROOT / ".workshop")


def load_progress() -> Progress:
    """What has been kept so far; nothing where there is no file. A broken one is set aside, with a message."""
    file = _file()
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        return Progress({int(number): _record(values) for number, values in data["exercises"].items()})
    except (FileNotFoundError, NotADirectoryError):  # that there can be no file, whoever saves one will say
        return Progress()
    except OSError as error:
        _say(f"{file}: cannot be read: {error.strerror}")
    except (ValueError, KeyError, TypeError, AttributeError):
        aside = file.with_name(f"progress-broken-{time.strftime('%Y%m%d-%H%M%S')}.json")
        try:
            file.replace(aside)
            _say(f"the record of your progress could not be read; it lies in {aside}, and a new one begins")
        except OSError as error:
            _say(f"the record of your progress could not be read, nor {file} set aside: {error.strerror}")
    return Progress()


def save_progress(progress: Progress) -> None:
    """Replace the file as a whole. Where it cannot be written, say so: a check is worth more than its record."""
    exercises = {str(number): asdict(record) for number, record in sorted(progress.records.items())}
    text = json.dumps({"version": 1, "exercises": exercises}, indent=2)
    try:
        write_whole(_file(), f"{text}\n")
    except OSError as error:
        _say(f"your progress is not recorded: {_file()} cannot be written: {error.strerror}")


def _say(message: str) -> None:
    print(message, file=sys.stderr)


def remember(verdict: Verdict, *, hints_shown: int = 0) -> Record:
    """Keep what a check of the learner's own exercise file has shown; other files are nobody's progress.

    `hints_shown`: how many of the finding's hints are on the screen with it.
    """
    from triton_workshop.checking.exercises import EXERCISES

    exercise = EXERCISES[verdict.exercise]
    if verdict.file != exercise.exercise_file.resolve():
        return Record()
    return _update(exercise.number, lambda record: after_check(record, verdict, exercise, hints_shown))


def remember_hints(exercise: int, shown: int) -> None:
    """Keep how many hints about the last finding have been shown."""
    _update(exercise, lambda record: record.with_hints_shown(shown))


def remember_ratio(exercise: int, ratio: float) -> None:
    """Keep how many times the limit of the hardware a measured kernel took, if none was nearer to it before."""
    best = round(ratio, 3)
    _update(exercise, lambda record: replace(record, best_ratio=min(best, record.best_ratio or best)))


def _update(exercise: int, change: Callable[[Record], Record]) -> Record:
    progress = load_progress()
    record = change(progress.of(exercise))
    save_progress(progress.with_record(exercise, record))
    return record


def after_check(before: Record, verdict: Verdict, exercise: Exercise, hints_shown: int = 0) -> Record:
    """What is known of an exercise once its own file has been checked."""
    finding = verdict.findings[0] if verdict.findings else None
    same = finding is not None and finding.hints == before.hints
    return replace(
        before,
        passed_at=time.time() if verdict.passed else before.passed_at,
        seconds=round(verdict.seconds, 3),
        finding=str(finding.kind) if finding else "",
        hint_name=finding.hint_name if finding else "",
        hints=finding.hints if finding else (),
        hints_shown=max(hints_shown, before.hints_shown if same else 0),
        digest=digest(exercise),
    )


def digest(exercise: Exercise) -> str:
    """Of the learner's file as it is now; empty where it is not there."""
    try:
        return hashlib.sha256(exercise.exercise_file.read_bytes()).hexdigest()
    except OSError:
        return ""


def write_whole(file: Path, text: str) -> None:
    """Write a file at once: who reads it sees what was there before, or all that is there now. Raises OSError."""
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.parent == state_folder() and not (ignored := file.parent / ".gitignore").exists():
        ignored.write_text("*\n", encoding="utf-8")
    descriptor, name = tempfile.mkstemp(prefix=f".{file.name}-", dir=file.parent)
    new = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogateescape", newline="") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        new.chmod(file.stat().st_mode & 0o777 if file.exists() else 0o644)
        new.replace(file)
    finally:
        new.unlink(missing_ok=True)


def _file() -> Path:
    return state_folder() / "progress.json"


def _record(values: dict[str, object]) -> Record:
    known = {name: values[name] for name in Record.__dataclass_fields__ if name in values}
    hints = known.get("hints", ())
    if not isinstance(hints, list | tuple):
        raise TypeError("hints")
    return Record(**{**known, "hints": tuple(map(str, hints))})  # type: ignore[arg-type]
