"""Steps of the solutions' launches, compared with Triton's own interpreter, program by program."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.tests.executors import interpreter, upstream
from triton_simulator import Launch, record
from triton_simulator.steps.steps import ProgramStep
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.cases import Case, launcher_args
from triton_workshop.exercises.exercise import Exercise

Array = NDArray[Any]
PROGRAMS = 3
"""Programs of a launch that are compared: the first, a middle and the last one."""


class Assignment(NamedTuple):
    """Assignment that Triton's interpreter has made in one program."""

    line: int
    name: str
    value: Any


def load_solution(exercise: Exercise) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"steps_of_{exercise.name}", exercise.solution_file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Assignments:
    """Collects what the kernels of a file assign, for each program: every name whose object is another one."""

    def __init__(self, file: Path) -> None:
        self.file = str(file)
        self.by_program: dict[tuple[int, ...], list[Assignment]] = {}
        self.bases: dict[str, int] = {}

    def __enter__(self) -> Assignments:
        sys.settrace(self._trace)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def _trace(self, frame: FrameType, event: str, _: Any) -> Any:
        grid_index = getattr(interpreter.interpreter_builder, "grid_idx", None)
        if event != "call" or frame.f_code.co_filename != self.file or grid_index is None:
            return None
        if not any(type(value).__name__ == "tensor" for value in frame.f_locals.values()):
            return None  # the launcher
        if grid_index not in self.by_program:
            self.by_program[grid_index] = []
        known = dict(frame.f_locals)
        for name, value in known.items():
            if hasattr(value, "handle") and str(value.dtype).startswith("pointer"):
                self.bases[name] = int(value.handle.data.reshape(-1)[0])
        line = frame.f_lineno

        def trace(frame: FrameType, event: str, _: Any) -> Any:
            nonlocal line
            for name, value in frame.f_locals.items():
                if known.get(name) is not value:
                    known[name] = value
                    copy = value.handle.data.copy() if hasattr(value, "handle") else value
                    self.by_program[grid_index].append(Assignment(line, name, (value, copy)))
            line = frame.f_lineno
            return trace

        return trace


def elements(assignment: Assignment, step: ProgramStep, bases: dict[str, int]) -> Array:
    """Return what Triton's interpreter has, as a step has it."""
    value, data = assignment.value
    if not hasattr(value, "handle"):
        return np.asarray(getattr(value, "value", value))
    data = data.reshape(step.value.shape)
    if str(value.dtype.scalar).startswith("pointer"):
        size = max(1, value.dtype.scalar.element_ty.primitive_bitwidth // 8)
        return (data.astype(np.int64) - bases[step.value.argument]) // size
    if str(value.dtype.scalar) == "bf16":
        return (data.astype(np.uint32) << 16).view(np.float32)
    return np.asarray(data)


def assert_alike(assignment: Assignment, step: ProgramStep, bases: dict[str, int]) -> None:
    theirs, ours = elements(assignment, step, bases), step.value.numbers
    defined = np.ones(ours.shape, np.bool_) if step.value.undefined is None else ~step.value.undefined
    where = f"line {assignment.line}: {assignment.name}"
    if ours.dtype.kind == "f":
        # Products of float16 blocks are added in another order.
        tolerance = 2e-2 if step.value.dtype in ("fp16", "bf16") else 1e-3
        np.testing.assert_allclose(
            ours[defined].astype(float), theirs[defined].astype(float), tolerance, tolerance, err_msg=where
        )
    else:
        np.testing.assert_array_equal(ours[defined], theirs[defined], err_msg=where)


def is_same(step: ProgramStep, before: ProgramStep | None) -> bool:
    """Return whether a name has got the object that it had, which Triton's interpreter does not show."""
    return before is not None and np.array_equal(step.value.numbers, before.value.numbers, equal_nan=_has_nan(step))


def _has_nan(step: ProgramStep) -> bool:
    return step.value.numbers.dtype.kind == "f"


def compare(assignments: list[Assignment], steps: list[ProgramStep], bases: dict[str, int]) -> int:
    """Compare all assignments of one program with its steps; return how many there are."""
    expected = iter(assignments)
    wanted = next(expected, None)
    last: dict[str, ProgramStep] = {}
    compared = 0
    for step in steps:
        name, line = step.step.name, step.step.line.number
        if not name or step.step.operation == "argument":
            continue
        if wanted is None or (wanted.line, wanted.name) != (line, name):
            assert is_same(step, last.get(name)), (line, name, wanted and wanted[:2])
        else:
            assert_alike(wanted, step, bases)
            wanted, compared = next(expected, None), compared + 1
        last[name] = step
    assert wanted is None
    return compared


def record_case(exercise: Exercise, launcher: Callable[..., Any]) -> tuple[Case, Launch]:
    """Record the solution's launch in the first case with at least three programs.

    None in bfloat16: Triton's interpreter multiplies its bits, as if they were integers.
    """
    for case in exercise.simulated_cases:
        if "bfloat16" in case.name:
            continue
        with record(steps=True) as launches:
            launcher(*launcher_args(case.arguments("cpu")))
        if launches[-1].programs >= PROGRAMS:
            return case, launches[-1]
    raise AssertionError(f"no case of exercise {exercise.number} has {PROGRAMS} programs")


def compare_exercise(number: str) -> None:
    """Compare the solution's steps with Triton's; print how many assignments each program has made.

    Raises AssertionError where one differs.
    """
    exercise = EXERCISES[number]
    launcher = getattr(load_solution(exercise), exercise.launcher)
    case, launch = record_case(exercise, launcher)
    with upstream(), Assignments(exercise.solution_file) as assignments:
        launcher(*launcher_args(case.arguments("cpu")))
    assert launch.steps is not None
    assert not launch.steps.omitted
    for program in (0, launch.programs // 2, launch.programs - 1):
        index = tuple(int(place) for place in np.unravel_index(program, (*launch.grid, 1, 1)[:3]))
        print(compare(assignments.by_program[index], launch.steps.of(program), assignments.bases))
