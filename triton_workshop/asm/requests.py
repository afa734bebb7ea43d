"""Requests to `workshop asm`: a script, and an exercise's sizes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from inspect import signature
from pathlib import Path

from triton_simulator.gpus import TARGETS, Target
from triton_workshop.checking.subjects import find_script, named_exercise, read_script
from triton_workshop.errors import MisuseError
from triton_workshop.exercises import EXERCISES, get_exercise
from triton_workshop.exercises.cases import Case
from triton_workshop.exercises.workloads import WORKLOADS, cost_case
from triton_workshop.repository import short_path

YOURS, PLAIN, FAST = "yours", "plain", "fast"


@dataclass(frozen=True)
class Request:
    """A script whose launches are wanted.

    Of an exercise, the launcher is called at a size; any other script runs.
    """

    file: Path
    text: str
    exercise: str = ""
    size: tuple[int, ...] = ()
    folder: Path = field(default_factory=Path.cwd)
    """The folder in which another script runs."""


@dataclass(frozen=True)
class Subject:
    """A script to look at.

    `variant`: yours, plain, fast, or the script's name.
    """

    request: Request
    variant: str

    @property
    def title(self) -> str:
        """Name of the script, and the size at which it is launched."""
        if not self.request.exercise:
            return self.variant
        size = case_of(self.request.exercise, self.request.size).name
        return f"exercise {self.request.exercise}, {self.variant} · {size}"


def case_of(exercise: str, size: tuple[int, ...]) -> Case:
    """Return a case of these sizes.

    By default, they are those at which costs are measured.
    """
    workload = WORKLOADS.get(exercise)
    make_case = workload and workload.make_case
    return make_case(*size) if size and make_case else cost_case(EXERCISES[exercise])


def parse_target(name: str) -> Target:
    """Return the GPU that `sm_90`, or `90`, means.

    Raises MisuseError for one that is not in the table, or whose instructions are not read.
    """
    match = re.fullmatch(r"(?:sm_?)?(\d+)a?", name)
    target = TARGETS.get(f"sm_{match[1]}" if match else name)
    if target is None:
        names = ", ".join(target.name for target in TARGETS.values() if target.is_nvidia)
        raise MisuseError(f"--gpu {name}: expected one of {names}")
    if not target.is_nvidia:
        raise MisuseError(
            f"--gpu {name}: asm reads the instructions of NVIDIA's GPUs only; whether a kernel compiles for {target}, "
            "the check of a right script says"
        )
    return target


def parse_subjects(
    arguments: list[str], size: str | None, *, plain: bool, fast: bool, compare: bool
) -> tuple[Subject, ...]:
    """The script that the words of the command mean, or the two to compare.

    Raises MisuseError if they make no sense.

    With one script, `compare` adds the plain solution or, beside that, the fast one.
    """
    both = plain and fast
    if both and not compare:
        raise MisuseError("--plain and --fast are two solutions: choose one, or add --compare")
    most = 2 if compare else 1
    if len(arguments) > most:
        raise MisuseError(f"expected one exercise or script, or two with --compare, and got {' '.join(arguments)}")
    variant = FAST if fast else YOURS
    if plain:
        variant = PLAIN
    first = _subject(arguments[0] if arguments else None, size, variant)
    if not compare:
        return (first,)
    if len(arguments) == 2:
        return first, _subject(arguments[1], size, variant)
    if not first.request.exercise:
        raise MisuseError(f"--compare: expected a second script beside {arguments[0]}")
    return first, _subject(first.request.exercise, size, FAST if variant == PLAIN else PLAIN)


def _subject(argument: str | None, size: str | None, variant: str) -> Subject:
    number = named_exercise(argument)
    if argument is not None and not number:
        return _script(find_script(argument), size, solution=variant != YOURS)
    exercise = get_exercise(number)
    files = {YOURS: exercise.exercise_file, PLAIN: exercise.solution_file, FAST: exercise.fast_file}
    file = files[variant]
    if file is None:
        raise MisuseError(f"exercise {exercise.number} has one solution only, --plain, and none that is --fast")
    text = read_script(file)
    return Subject(Request(file.resolve(), text, exercise.number, _sizes(exercise.number, size)), variant)


def _script(file: Path, size: str | None, *, solution: bool) -> Subject:
    if solution or size:
        raise MisuseError("--plain, --fast and --size are for exercises; a script says itself what it launches")
    return Subject(Request(file, read_script(file)), str(short_path(file)))


def _sizes(exercise: str, size: str | None) -> tuple[int, ...]:
    """Return the numbers of `--size`.

    One number stands for all that have no value of their own.
    """
    if size is None:
        return ()
    sized = WORKLOADS[exercise].make_case if exercise in WORKLOADS else None
    if sized is None:
        raise MisuseError(f"--size {size}: exercise {exercise} takes no size; leave --size out")
    names = signature(sized).parameters
    needed = [name for name, parameter in names.items() if parameter.default is parameter.empty]
    numbers: list[int] = []
    if re.fullmatch(r"\d+([x×]\d+)*", size):
        numbers = [int(number) for number in re.findall(r"\d+", size)]
    numbers *= len(needed) if len(numbers) == 1 else 1
    if not len(needed) <= len(numbers) <= len(names) or 0 in numbers:
        expected, example = "×".join(names), "x".join(["511"] * len(needed))
        raise MisuseError(f"--size {size}: exercise {exercise} takes {expected}, such as {example}")
    return tuple(numbers)
