"""`workshop check`, `list`, `hint` and `reset`: what they do, and their exit status."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console

from triton_simulator.compiler.compilation import Start
from triton_workshop.checking.check import check, verdicts
from triton_workshop.checking.reporting.progress import (
    digest,
    entries,
    first_open,
    load_progress,
    remember,
    remember_hints,
    to_do,
)
from triton_workshop.checking.reporting.report import print_hint, print_list, print_verdicts
from triton_workshop.checking.reporting.reset import is_shipped, reset
from triton_workshop.device import runs_on_a_gpu
from triton_workshop.errors import MisuseError, print_wrapped
from triton_workshop.exercises import EXERCISES, get_exercise
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.printing import speak_utf8
from triton_workshop.processes.compilers import new_process, warm
from triton_workshop.processes.runner import Runner
from triton_workshop.repository import short_path
from triton_workshop.scripts import kind

PASSED, FAILED = 0, 1

Scripts = list[tuple[Exercise, Path]]
"""What to check, each with the exercise that it belongs to."""


def chosen(numbers: list[str], file: Path | None, *, solutions: bool, every: bool) -> Scripts:
    """Say what the words of a command mean. Raises MisuseError if they make no sense."""
    exercises = [get_exercise(number) for number in numbers]
    if file is not None:
        return [(_exercise_of(file, exercises, solutions or every), file)]
    if every and numbers:
        raise MisuseError("--all checks every exercise; give exercise numbers or --all, not both")
    if not (numbers or every or solutions):
        following = first_open(entries())
        exercises = [following.exercise if following else to_do(entries())[-1].exercise]
    if not exercises:
        exercises = [*EXERCISES.values()] if solutions else [each.exercise for each in to_do(entries())]
    return [(each, _there(each, each.solution_file if solutions else each.exercise_file)) for each in exercises]


def run_check(scripts: Scripts, *, as_json: bool, gpu: bool) -> int:
    """Check what was chosen, and report verdicts on the screen, or as JSON, one object per line."""
    speak_utf8()
    # Standard output gets only the JSON: what a script prints goes to standard error.
    output = sys.stderr.fileno() if as_json else None
    console, passed = Console(), True
    gpu = gpu and runs_on_a_gpu()  # first: the first check has this process simulate
    with _compiler_for(scripts) as compiler:
        for place, (exercise, file) in enumerate(scripts):
            if place and not as_json:
                console.print()
            steps = verdicts(exercise, file, gpu=gpu, compiler=compiler, output=output)
            if as_json:
                *_, verdict = steps
                print(json.dumps(verdict.as_json()), flush=True)
            else:
                verdict = print_verdicts(steps, exercise, console)
            remember(verdict, hints_shown=0 if as_json else 1)
            passed &= verdict.passed
    return PASSED if passed else FAILED


def own_exercises(scripts: Scripts) -> list[str]:
    """The numbers of the scripts that are the learner's own exercise files: only these count as progress."""
    return [exercise.number for exercise, file in scripts if file.resolve() == exercise.exercise_file.resolve()]


@contextmanager
def _compiler_for(scripts: Scripts) -> Iterator[Start]:
    """How to start Triton's compiler: for several scripts, in processes that import Triton only once."""
    if len(scripts) == 1:
        yield new_process
        return
    with Runner() as runner:
        yield warm(runner)


def run_list() -> int:
    """Say how far each exercise is."""
    speak_utf8()
    print_list(entries(), Console())
    return PASSED


def run_hint(number: str, level: int | None) -> int:
    """Give the next hint about what is wrong, or the one asked for. The file is checked again if it has changed."""
    speak_utf8()
    exercise, record = get_exercise(number), load_progress()[number]
    file = _there(exercise, exercise.exercise_file)
    if record.digest != digest(exercise):
        with Path(os.devnull).open("wb") as nowhere:
            record = remember(check(exercise, file, output=nowhere.fileno()))
    level = min(level or record.hints_shown + 1, len(record.hints))
    if level:
        remember_hints(number, level)
        print_hint(record, level, exercise, Console())
    elif not record.finding:
        print(f"Exercise {number} is right, so it needs no hint.")
    else:
        said = f"There is no hint for exercise {number} now. To see what is wrong: uv run workshop check {number}"
        print_wrapped(said, sys.stdout)
    return PASSED


def run_reset(number: str, confirm: Callable[[str], bool]) -> int:
    """Restore the shipped file after asking; the learner's file is kept as a backup."""
    speak_utf8()
    exercise, kept = get_exercise(number), ""
    file = short_path(exercise.exercise_file)
    if not is_shipped(exercise):
        question = f"Restore {file} as it was shipped? Your file is kept as a backup."
        if exercise.exercise_file.exists() and not confirm(question):
            print("Nothing was changed.")
            return FAILED
        try:
            backup = reset(exercise)
        except OSError as error:
            raise MisuseError(f"{error.filename}: cannot be written: {error.strerror}") from error
        kept = f" Yours is kept in {short_path(backup)}" if backup else ""
    print_wrapped(f"{file} is as it was shipped.{kept}", sys.stdout)
    return PASSED


def _exercise_of(file: Path, named: list[Exercise], others: bool) -> Exercise:
    """Return the exercise that a file is for: the one given, or the one whose number is in the file's name."""
    if others:
        raise MisuseError("--file checks one file; leave out --all and --solutions")
    if not file.is_file():
        raise MisuseError(f"{file}: expected a Python script, found {kind(file)}")
    if len(named) > 1:
        raise MisuseError("a file belongs to one exercise; give one number")
    found = named or [EXERCISES[part] for part in file.stem.split("_") if part in EXERCISES]
    if len(found) != 1:
        raise MisuseError(f"which exercise is {file.name} for? Give its number: workshop check N --file {file}")
    return found[0]


def _there(exercise: Exercise, file: Path) -> Path:
    if not file.is_file():
        found = f"{short_path(file)}: expected a script, found {kind(file)}"
        raise MisuseError(f"{found}; to get it back: workshop reset {exercise.number}")
    return file
