"""`workshop check`, `list`, `hint` and `reset`: what they do, and the status that they end with."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from triton_workshop.checking.check import LIMIT, check
from triton_workshop.checking.exercises import EXERCISES
from triton_workshop.checking.exercises.exercise import ROOT, Exercise
from triton_workshop.checking.reporting.progress import after_check, digest, load_progress, remember, save_progress
from triton_workshop.checking.reporting.report import print_hint, print_list, print_verdict
from triton_workshop.checking.reporting.reset import changed_lines, reset
from triton_workshop.checking.reporting.standing import entries, first_open
from triton_workshop.device import simulated, visible_gpus
from triton_workshop.streams import speak_utf8

PASSED, FAILED, MISUSE = 0, 1, 2


class MisuseError(Exception):
    """A command that makes no sense; the message says why."""


@dataclass(frozen=True)
class Choice:
    """What to check: scripts with the exercises that they belong to."""

    scripts: tuple[tuple[Exercise, Path], ...]

    @classmethod
    def of(cls, numbers: list[int], file: Path | None, *, solutions: bool, every: bool) -> Choice:
        """Raises MisuseError for what cannot be meant."""
        for number in numbers:
            exercise_numbered(number)
        if file is not None:
            return cls(((_exercise_of(file, numbers, solutions or every), file),))
        if every and numbers:
            raise MisuseError("--all checks every exercise; name numbers, or say --all")
        chosen = [EXERCISES[number] for number in numbers or EXERCISES]
        if not (numbers or every or solutions):
            following = first_open(entries())
            chosen = [following.exercise] if following else chosen[-1:]
        scripts = [(each, each.solution_file if solutions else each.exercise_file) for each in chosen]
        for exercise, path in scripts:
            if not path.is_file():
                raise MisuseError(_missing(exercise, path))
        return cls(tuple(scripts))


def run_check(choice: Choice, *, as_json: bool, gpu: bool, limit: float = LIMIT) -> int:
    """Check what was chosen, and say what came out: verdicts on the screen, or JSON, an object on each line."""
    speak_utf8()
    gpu = gpu and not simulated() and any(each.runs_kernels for each in visible_gpus())
    # JSON stands alone on standard output: what a script prints goes beside it.
    output = sys.stderr.fileno() if as_json else None
    console = Console()
    passed = True
    for place, (exercise, file) in enumerate(choice.scripts):
        verdict = check(exercise, file, gpu=gpu, limit=limit, output=output)
        remember(verdict, hints_shown=0 if as_json else 1)
        passed &= verdict.passed
        if as_json:
            print(json.dumps(verdict.as_json()), flush=True)
        else:
            if place:
                console.print()
            print_verdict(verdict, exercise, console)
    return PASSED if passed else FAILED


def run_list() -> int:
    """Say how far each exercise is."""
    speak_utf8()
    print_list(entries(), Console())
    return PASSED


def run_hint(number: int, level: int | None) -> int:
    """Give the next hint about what is wrong, or the one asked for. The file is checked where it has changed."""
    speak_utf8()
    exercise, console = exercise_numbered(number), Console()
    if not exercise.exercise_file.is_file():
        raise MisuseError(_missing(exercise, exercise.exercise_file))
    progress = load_progress()
    record = progress.of(number)
    if record.digest != digest(exercise):
        with Path(os.devnull).open("w") as nowhere:
            verdict = check(exercise, exercise.exercise_file, output=nowhere.fileno())
        record = after_check(record, verdict, exercise)
    chosen = record.hint_level(level)
    # Once for the check and the hint, so that it is said once where nothing can be kept.
    save_progress(progress.with_record(number, record.with_hints_shown(chosen)))
    if chosen:
        print_hint(record, chosen, exercise, console)
    elif not record.finding:
        console.print(f"Exercise {number} is right: nothing to give a hint for.")
    else:
        console.print(f"There is no hint for exercise {number} now. uv run workshop check {number} says how it stands.")
    return PASSED


def run_reset(number: int, confirm: Callable[[str], bool]) -> int:
    """Put the shipped file back, after a question; what was there is kept."""
    speak_utf8()
    exercise = exercise_numbered(number)
    file, lines, kept = short_path(exercise.exercise_file), changed_lines(exercise), ""
    if lines or not exercise.exercise_file.is_file():
        if lines and not confirm(f"Put {file} back as shipped? {lines} of its lines are yours."):
            print("Nothing was changed.")
            return FAILED
        try:
            backup = reset(exercise)
        except OSError as error:
            raise MisuseError(f"{error.filename}: cannot be written: {error.strerror}") from error
        kept = f" Yours is kept in {short_path(backup)}" if backup else ""
    print(f"{file} is as it was shipped.{kept}")
    return PASSED


def exercise_numbered(number: int) -> Exercise:
    """Raises MisuseError for a number that no exercise has."""
    if number not in EXERCISES:
        known = ", ".join(map(str, EXERCISES))
        raise MisuseError(f"there is no exercise {number}; there are {known}")
    return EXERCISES[number]


def _exercise_of(file: Path, numbers: list[int], others: bool) -> Exercise:
    """The exercise that a file is for: the one named, or the one whose number the file's name has."""
    if others:
        raise MisuseError("--file checks one file; leave out --all and --solutions")
    if not file.is_file():
        raise MisuseError(f"{file}: expected a Python script, found {'a folder' if file.is_dir() else 'no such file'}")
    if len(numbers) > 1:
        raise MisuseError("a file belongs to one exercise; name one number")
    if numbers:
        return EXERCISES[numbers[0]]
    digits = [int(part) for part in file.stem.split("_") if part.isdecimal()]
    if len(digits) != 1 or digits[0] not in EXERCISES:
        raise MisuseError(f"which exercise is {file.name} for? Name its number: workshop check N --file {file}")
    return EXERCISES[digits[0]]


def _missing(exercise: Exercise, file: Path) -> str:
    return f"{short_path(file)}: no such file; to get it back: workshop reset {exercise.number}"


def short_path(path: Path) -> Path:
    """As short as it can be said from here."""
    for folder in (Path.cwd(), ROOT):
        if path.is_relative_to(folder):
            return path.relative_to(folder)
    return path
