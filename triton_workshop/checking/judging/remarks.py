"""What deserves a sentence although the result is right: work that is done twice, or for nothing."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from triton_workshop.checking.exercises.exercise import Exercise
from triton_workshop.checking.observing.comparison import Comparison
from triton_workshop.checking.observing.observe import Launched, Provenance
from triton_workshop.checking.observing.source import Source, called
from triton_workshop.checking.observing.tile_sizes import OtherSize

WASTE = 9
"""How many times more idle than busy programs are worth a remark: small inputs always leave a few idle."""


def remarks(source: Source, case: str, comparison: Comparison) -> tuple[str, ...]:
    """What a right script could do better, as this case shows: a sentence or two for each thing."""
    launches = comparison.seen.launches
    found = [
        next((_idle(launch, case) for launch in launches if _wastes(launch)), ""),
        next((_stored_again(source, launch, comparison) for launch in launches if launch.stored_again), ""),
        *(_prepared(source.exercise, launch, comparison) for launch in launches),
        _another_tensor(source.exercise) if comparison.seen.provenance is Provenance.COPY else "",
    ]
    return tuple(filter(None, found))


def remark_on_size(found: OtherSize, what: str) -> str:
    """That a script is right with one tile size only, and what goes wrong with another."""
    told = f"Right with {found.name} = {found.value}, but not with {found.other}: {what} ({found.case})."
    mixed = found.mixed
    return told if mixed is None else f"{told} Line {mixed.line} names {mixed.name} where {mixed.meant} is meant."


def _wastes(launch: Launched) -> bool:
    return launch.idle >= WASTE * max(launch.programs - launch.idle, 1)


def _idle(launch: Launched, case: str) -> str:
    return (
        f"Right, but wasteful: {launch.idle:,} of {launch.programs:,} programs had nothing to do ({case}). "
        "A grid counts blocks, not elements."
    )


def _stored_again(source: Source, launch: Launched, comparison: Comparison) -> str:
    """Why elements are stored more than once: in each turn of a loop, by too many programs, or where tiles overlap."""
    told = f"Right, but {launch.stored_again:,} stores of {launch.kernel} go to elements that it has stored already"
    if (line := next(_stores_in_loops(source), None)) is not None:
        return f"{told}: the store on line {line} runs in each turn of its loop, and only the last one counts."
    tiles = math.prod(comparison.wanted_grid)
    if launch.programs >= 2 * tiles:
        return f"{told}: a grid of {launch.grid} has {launch.programs:,} programs for {tiles:,} tiles."
    return (
        f"{told}: tiles overlap, and several programs compute the same element. "
        "Mask each direction by itself, as `(rows < height) & (cols < width)` does."
    )


def _stores_in_loops(source: Source) -> Iterator[int]:
    for kernel in source.kernels:
        for loop in ast.walk(kernel):
            if isinstance(loop, ast.For | ast.While):
                calls = (node for node in ast.walk(loop) if isinstance(node, ast.Call))
                yield from (node.lineno for node in calls if called(node) == "store")


def _prepared(exercise: Exercise, launch: Launched, comparison: Comparison) -> str:
    """Tensors as large as the result, made by PyTorch for the kernel to read; small ones, such as weights, are free."""
    name, size = next((each for each in launch.prepared if each[1] >= comparison.expected.numel()), ("", 0))
    if not name:
        return ""
    return (
        f"Right, but {launch.kernel} reads {name} ({size:,} elements) from a tensor that PyTorch made in "
        f"{exercise.launcher}. That costs another trip through memory: pass the argument, and compute in the kernel."
    )


def _another_tensor(exercise: Exercise) -> str:
    return (
        f"Right, but {exercise.launcher} returns another tensor than the one that the kernel stored, with equal "
        "values. Return the kernel's own tensor: nothing is computed or copied again."
    )
