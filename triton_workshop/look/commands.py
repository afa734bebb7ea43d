"""The command `workshop look`."""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import dataclass

from rich.console import Console

from triton_workshop.checking.subjects import find_script, named_exercise, read_script
from triton_workshop.errors import MisuseError
from triton_workshop.exercises import EXERCISES, get_exercise
from triton_workshop.look.recorder import record_quietly, record_script
from triton_workshop.look.recording import Recording, Request
from triton_workshop.look.timeline import Position, Target
from triton_workshop.look.verdicts import case_names
from triton_workshop.printing import print_utf8, use_utf8
from triton_workshop.processes.idle import idle_seconds
from triton_workshop.processes.runner import Runner
from triton_workshop.repository import short_path
from triton_workshop.screen.palette import DARK, LIGHT

SHOWN, FAILED = 0, 1
STANDARD_ERROR = 2
"""File descriptor for what scripts print, where the screen is not ours."""


@dataclass(frozen=True)
class Subject:
    """Script to look into, with its name, and where to look first."""

    title: str
    request: Request
    target: Target


def parse_subject(
    argument: str | None,
    case: str | None = None,
    program: str | None = None,
    kernel: str | None = None,
    line: int | None = None,
    launch: int | None = None,
    *,
    plain: bool = False,
) -> Subject:
    """Return what the words of the command mean.

    Raises MisuseError if they make no sense.
    """
    target = Target(kernel, parse_ids(program), line, None if launch is None else launch - 1)
    number = named_exercise(argument)
    if argument is not None and not number:
        if plain or case:
            raise MisuseError("--plain and --case are for exercises; a script says itself what it launches")
        file = find_script(argument)
        return Subject(str(short_path(file)), Request(file, read_script(file)), target)
    exercise = get_exercise(number)
    file = exercise.solution_file if plain else exercise.exercise_file
    request = Request(file.resolve(), read_script(file), exercise.number, find_case_name(exercise.number, case))
    return Subject(f"Exercise {number}{', the solution' * plain} · {exercise.title}", request, target)


def parse_ids(program: str | None) -> tuple[int, ...]:
    """Return the ids that `1,0` means; none by default."""
    if program is None:
        return ()
    if not re.fullmatch(r"\d+(,\d+){0,2}", program):
        raise MisuseError(f"--program {program}: expected up to three numbers, such as 1,0")
    return tuple(map(int, program.split(",")))


def find_case_name(exercise: str, case: str | None) -> str:
    """Return a case's name, by its number or by a part of its name.

    Numbers start at 1. The name is empty by default.
    """
    names = case_names(EXERCISES[exercise])
    if case is None:
        return ""
    if case.isdecimal():
        number = int(case)
        if 1 <= number <= len(names):
            return names[number - 1]
    # The whole name first: it may be a part of another one.
    if case in names:
        return case
    matching = [name for name in names if case in name]
    if not matching:
        listed = "\n".join(f"  {number}  {name}" for number, name in enumerate(names, 1))
        raise MisuseError(f"--case {case}: expected a number or a part of a name:\n{listed}")
    return matching[0]


def run_look(subject: Subject, *, as_json: bool, light: bool) -> int:
    """Show a script's launches on the screen; in a pipe, as text."""
    use_utf8()
    shows_screen = not as_json and _is_in_terminal()
    if shows_screen:
        return _run_app(subject, light=light)
    with Runner(idle_seconds(os.environ)) as runner:
        recording = subject.target.record(
            subject.request, lambda request: record_script(request, runner, STANDARD_ERROR)
        )
    return _print(subject, recording, as_json=as_json)


def _is_in_terminal() -> bool:
    """Return whether this runs in a terminal that can show a screen."""
    if not sys.stdin.isatty():
        return False
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def _print(subject: Subject, recording: Recording, *, as_json: bool) -> int:
    if recording.error:
        return _print_error(subject, recording.error)
    if problem := subject.target.problem(recording):
        return _print_error(subject, problem)
    print_utf8(_text(subject.target.find(recording), as_json=as_json))
    if recording.failure:
        _print_error(subject, recording.failure)
    return SHOWN


def _text(position: Position, *, as_json: bool) -> str:
    from triton_workshop.look.report import as_plain_data, plain_text

    return json.dumps(as_plain_data(position)) if as_json else plain_text(position)


def _print_error(subject: Subject, error: str) -> int:
    Console(stderr=True, markup=False, highlight=False).print(f"{subject.title}: {error}")
    return FAILED


def _run_app(subject: Subject, *, light: bool) -> int:
    from triton_workshop.look.app import Look
    from triton_workshop.look.screen import LookScreen

    with Runner(idle_seconds(os.environ)) as runner:
        palette = LIGHT if light else DARK
        page = LookScreen(
            subject.title,
            subject.request,
            lambda request: record_quietly(request, runner),
            palette,
            subject.target,
            case_names(EXERCISES[subject.request.exercise]) if subject.request.exercise else (),
        )
        app = Look(page)
        status = app.run()
    # A crash has no status of its own, but it has a return code.
    if status is None:
        status = app.return_code
    if status:
        return status
    return FAILED if page.position is None else SHOWN
