"""The commands `workshop check`, `list`, `hint` and `reset`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console

from triton_simulator.compiler.compilation import Start
from triton_workshop.checking.check import CheckRequest, check, verdicts
from triton_workshop.checking.reporting.progress import (
    digest,
    entries,
    first_open_entry,
    load_progress,
    record_check,
    record_hints,
    required_entries,
)
from triton_workshop.checking.reporting.report import print_hint, print_list, print_verdicts
from triton_workshop.checking.reporting.reset import is_shipped, reset
from triton_workshop.device import runs_on_a_gpu
from triton_workshop.errors import MisuseError, print_wrapped
from triton_workshop.exercises import EXERCISES, get_exercise
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.printing import use_utf8
from triton_workshop.processes.compilers import new_process, warm
from triton_workshop.processes.runner import Runner
from triton_workshop.repository import short_path
from triton_workshop.scripts import kind

PASSED, FAILED = 0, 1

Scripts = list[tuple[Exercise, Path]]
"""Scripts to check, each with its exercise."""


def select_scripts(numbers: list[str], file: Path | None, *, solutions: bool, every: bool) -> Scripts:
    """Return the scripts that the arguments of a command name.

    Raises MisuseError if they make no sense.
    """
    exercises = [get_exercise(number) for number in numbers]
    if file is not None:
        return [(_exercise_of(file, exercises, solutions or every), file)]
    if every and numbers:
        raise MisuseError("--all checks every exercise; give exercise numbers or --all, not both")
    if not exercises:
        exercises = _exercises_without_numbers(solutions=solutions, every=every)
    if solutions:
        return [(exercise, _require_script(exercise, exercise.solution_file)) for exercise in exercises]
    return [(exercise, _require_script(exercise, exercise.exercise_file)) for exercise in exercises]


def _exercises_without_numbers(*, solutions: bool, every: bool) -> list[Exercise]:
    """Return the exercises that a command means if it names none."""
    if solutions:
        return [*EXERCISES.values()]
    if every:
        return [entry.exercise for entry in required_entries(entries())]
    following = first_open_entry(entries())
    return [following.exercise if following else required_entries(entries())[-1].exercise]


def run_check(scripts: Scripts, *, as_json: bool, gpu: bool, costs: bool = False) -> int:
    """Check scripts, and print their verdicts, or JSON with a line for each.

    With `costs`, it says what those cost that are right.
    """
    use_utf8()
    # Standard output gets only the JSON: what a script prints goes to standard error.
    output = sys.stderr.fileno() if as_json else None
    console, passed = Console(), True
    gpu = gpu and runs_on_a_gpu()  # first: the first check has this process simulate
    with _compiler_for(scripts) as compiler:
        for index, (exercise, file) in enumerate(scripts):
            steps = verdicts(CheckRequest(exercise, file, gpu, compiler, output=output, costs=costs))
            if as_json:
                *_, verdict = steps
                print(json.dumps(verdict.as_json()), flush=True)
            else:
                if index:
                    console.print()
                verdict = print_verdicts(steps, exercise, console)
            record_check(verdict, hints_shown=0 if as_json else 1)
            passed &= verdict.passed
    return PASSED if passed else FAILED


def learner_exercises(scripts: Scripts) -> list[str]:
    """Return the numbers of the scripts that count as progress.

    These are the learner's own exercise files.
    """
    return [exercise.number for exercise, file in scripts if file.resolve() == exercise.exercise_file.resolve()]


@contextmanager
def _compiler_for(scripts: Scripts) -> Iterator[Start]:
    """Yield the starter of Triton's compiler.

    For several scripts, its processes import Triton only once.
    """
    if len(scripts) == 1:
        yield new_process
        return
    with Runner() as runner:
        yield warm(runner)


def run_list() -> int:
    """Say how far each exercise is."""
    use_utf8()
    print_list(entries(), Console())
    return PASSED


def run_hint(number: str, level: int | None) -> int:
    """Give the next hint about what is wrong, or that of a level.

    The file is checked again if it has changed.
    """
    use_utf8()
    exercise, record = get_exercise(number), load_progress()[number]
    file = _require_script(exercise, exercise.exercise_file)
    if record.digest != digest(exercise):
        # The hint is all that was asked for: what the script prints would hide it.
        with Path(os.devnull).open("wb") as null:
            record = record_check(check(CheckRequest(exercise, file, todos=False, output=null.fileno())))
    # After the last hint, it is that one again; 0 without hints.
    level = min(level or record.hints_shown + 1, len(record.hints))
    if level:
        record_hints(number, level)
        print_hint(record, level, exercise, Console())
    elif not record.finding:
        print(f"Exercise {number} is correct, so it needs no hint.")
    else:
        message = f"There is no hint for exercise {number} now. To see what is wrong: uv run workshop check {number}"
        print_wrapped(message, sys.stdout)
    return PASSED


def run_reset(number: str, confirm: Callable[[str], bool]) -> int:
    """Restore the shipped file after asking, and keep the learner's.

    That one becomes a backup.
    """
    use_utf8()
    exercise, note = get_exercise(number), ""
    file = short_path(exercise.exercise_file)
    if not is_shipped(exercise):
        question = f"Restore {file} as it was shipped? Your file is kept as a backup."
        is_allowed = not exercise.exercise_file.exists() or confirm(question)
        if not is_allowed:
            print("Nothing was changed.")
            return FAILED
        try:
            backup = reset(exercise)
        except OSError as error:
            raise MisuseError(f"{error.filename}: cannot be written: {error.strerror}") from error
        note = f" Yours is kept in {short_path(backup)}" if backup else ""
    print_wrapped(f"{file} is as it was shipped.{note}", sys.stdout)
    return PASSED


def _exercise_of(file: Path, exercises: list[Exercise], has_selection: bool) -> Exercise:
    """Return the exercise that a file is for.

    This is the one that was given, or the one whose number is in the file's name.
    """
    if has_selection:
        raise MisuseError("--file checks one file; leave out --all and --solutions")
    if not file.is_file():
        raise MisuseError(f"{file}: expected a Python script, found {kind(file)}")
    if len(exercises) > 1:
        raise MisuseError("a file belongs to one exercise; give one number")
    named = [EXERCISES[number] for number in file.stem.split("_") if number in EXERCISES]
    matches = exercises or named
    if len(matches) != 1:
        raise MisuseError(f"which exercise is {file.name} for? Give its number: workshop check N --file {file}")
    return matches[0]


def _require_script(exercise: Exercise, file: Path) -> Path:
    if not file.is_file():
        message = f"{short_path(file)}: expected a script, found {kind(file)}"
        raise MisuseError(f"{message}; to get it back: workshop reset {exercise.number}")
    return file
