"""What is asked about a script, and what it launched."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from triton_workshop.checking.exercises import EXERCISES
from triton_workshop.checking.exercises.exercise import Case
from triton_workshop.checking.exercises.workloads import WORKLOADS
from triton_workshop.compiler.jobs import PickledKernel

MOST = 6
"""How many kernels of a script are compiled, unless one is named."""


@dataclass(frozen=True)
class Launching:
    """A script whose launches are wanted. Of an exercise, the launcher is called at a size; any other script runs."""

    file: Path
    text: str
    exercise: str = ""
    size: tuple[int, ...] = ()


@dataclass(frozen=True)
class ScriptRun:
    """What a script has launched. `tuned`: kernels for which a GPU would choose one of so many configurations.

    `files` are those that the script has imported, other than libraries. `failure`: the error that ended it, with
    its line.
    """

    kernels: tuple[PickledKernel, ...]
    tuned: tuple[tuple[str, int], ...] = ()
    files: tuple[str, ...] = ()
    failure: str = ""


def case_of(exercise: str, size: tuple[int, ...]) -> Case:
    """A case of these sizes, by default the one that `bench` counts; where it counts none, the checker's largest."""
    workload = WORKLOADS.get(exercise)
    if workload is None:
        return EXERCISES[exercise].cases[-1]
    return workload.sized(*size) if size and workload.sized else workload.counted
