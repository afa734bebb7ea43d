"""What is asked about a script, and what it launched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
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


def told_apart(kernels: Sequence[PickledKernel]) -> tuple[PickledKernel, ...]:
    """Those of the same name with a number and what differs between them: `scale:2 (BLOCK = 64)`."""
    return tuple(_told_apart(kernel, [each for each in kernels if each.name == kernel.name]) for kernel in kernels)


def _told_apart(kernel: PickledKernel, same: list[PickledKernel]) -> PickledKernel:
    if len(same) == 1:
        return kernel
    differ = [pair for pair in kernel.numbers if any(pair not in each.numbers for each in same)]
    figures = ", ".join(f"{name} = {value:,}" for name, value in differ)
    return replace(kernel, name=f"{kernel.name}:{same.index(kernel) + 1}{f' ({figures})' * bool(differ)}")


def is_called(kernel: PickledKernel, wanted: str | None) -> bool:
    """Whether `--kernel` means it: `scale` is all that it is launched as, and `scale:2` the second of that."""
    numbered, _, _ = kernel.name.partition(" ")
    return wanted in (None, numbered, numbered.partition(":")[0])


def case_of(exercise: str, size: tuple[int, ...]) -> Case:
    """A case of these sizes, by default the one that `bench` counts; where it counts none, the checker's largest."""
    workload = WORKLOADS.get(exercise)
    if workload is None:
        return EXERCISES[exercise].cases[-1]
    return workload.sized(*size) if size and workload.sized else workload.counted
