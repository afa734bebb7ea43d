"""What is known of a call that went wrong, for those who recognise mistakes by what they do."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

import torch

from triton_workshop.checking.exercise import Exercise
from triton_workshop.checking.launches import Launched
from triton_workshop.checking.observe import Failure, Observation
from triton_workshop.checking.source import Source
from triton_workshop.checking.tolerance import tolerance
from triton_workshop.checking.verdict import Kind
from triton_workshop.simulator.faults import Fault
from triton_workshop.tensors import cdiv

SLACK = 4.0
"""A mistake may round otherwise than the right way does: that many tolerances are allowed to recognise it by."""


@dataclass(frozen=True)
class Evidence:
    """A failed call: what went in, what came out, what should have, and what the launches did on the way."""

    exercise: Exercise
    kind: Kind
    source: Source
    arguments: tuple[torch.Tensor, ...]
    seen: Observation
    expected: torch.Tensor
    """float64"""
    allowed: torch.Tensor
    wrong: torch.Tensor
    """Where the output was written, and is wrong."""
    unwritten: torch.Tensor
    fault: Fault | None = None
    earlier: tuple[tuple[torch.Tensor, ...], ...] = ()
    """The arguments of the calls before, for kernels that remember."""

    @property
    def output(self) -> torch.Tensor:
        assert self.seen.output is not None
        return self.seen.output

    @property
    def failure(self) -> Failure | None:
        return self.seen.failure

    @property
    def launch(self) -> Launched | None:
        """The last launch of the exercise's own kernel, or of any."""
        named = [launch for launch in self.seen.launches if launch.kernel == self.exercise.kernel]
        return next(reversed(named or self.seen.launches), None)

    @property
    def grid(self) -> tuple[int, ...]:
        return self.launch.grid if self.launch else ()

    @functools.cached_property
    def blocks(self) -> tuple[int, ...]:
        """For each axis of the exercise's grid, its block size: as launched, or the solution's."""
        numbers = self.launch.numbers if self.launch else {}
        sizes = [numbers.get(axis.block or "", axis.size) for axis in self.exercise.tiling]
        return tuple(size if isinstance(size, int) and size > 0 else 1 for size in sizes)

    @functools.cached_property
    def sizes(self) -> tuple[int, ...]:
        """For each axis of the exercise's grid, the elements that it divides into blocks."""
        return tuple(self.expected.shape[axis.dimension] for axis in self.exercise.tiling)

    @functools.cached_property
    def wanted_grid(self) -> tuple[int, ...]:
        """The grid that the solution would launch with these block sizes."""
        return tuple(cdiv(size, block) for size, block in zip(self.sizes, self.blocks, strict=True))

    @property
    def written(self) -> torch.Tensor:
        return ~self.unwritten

    @property
    def values_only(self) -> bool:
        """Whether everything was written, and some of it is wrong."""
        return self.kind is Kind.WRONG_VALUES

    def equals(self, mutant: torch.Tensor, where: torch.Tensor | None = None) -> bool:
        """Whether the output is what this wrong computation gives, which the right one does not: float64."""
        if mutant.shape != self.output.shape:
            return False
        chosen = self.written if where is None else where & self.written
        if not bool((((mutant - self.expected).abs() > SLACK * self.allowed) & chosen).any()):
            return False
        near = (self.output.double() - mutant).abs() <= SLACK * self.allowed + 1e-6 * mutant.abs()
        alike = near | (self.output.isnan() & mutant.isnan())
        return bool(alike[chosen].all()) and bool(chosen.any())

    def equals_reference(self, *arguments: torch.Tensor) -> bool:
        """Whether it is the right answer to other arguments."""
        return self.equals(self.exercise.reference(*(argument.double() for argument in arguments)))

    @functools.cached_property
    def tiles_written(self) -> torch.Tensor:
        """By program of the wanted grid: whether its tile has an element that was written."""
        return self.by_tile(self.written)

    def by_tile(self, marks: torch.Tensor) -> torch.Tensor:
        """By program of the wanted grid: whether any element of its tile is marked."""
        tiles = torch.zeros(self.wanted_grid, dtype=torch.bool)
        places = marks.cpu().nonzero()
        pairs = zip(self.exercise.tiling, self.blocks, strict=True)
        tiles[tuple(places[:, axis.dimension] // block for axis, block in pairs)] = True
        return tiles

    def owner(self, index: tuple[int, ...]) -> tuple[int, ...]:
        """The program that has to write this element of the output."""
        pairs = zip(self.exercise.tiling, self.blocks, strict=True)
        return tuple(index[axis.dimension] // block for axis, block in pairs)

    def only_first_along(self, axis: int) -> bool:
        """Whether nothing was written but in the first tile along an axis of the grid that has several."""
        if self.wanted_grid[axis] < 2:
            return False
        rest = self.tiles_written.narrow(axis, 1, self.wanted_grid[axis] - 1)
        first = self.tiles_written.narrow(axis, 0, 1)
        return bool(first.any()) and not bool(rest.any())

    def with_kind(self, kind: Kind) -> Evidence:
        return replace(self, kind=kind)


def evidence_of(
    exercise: Exercise,
    source: Source,
    arguments: tuple[torch.Tensor, ...],
    seen: Observation,
    kind: Kind,
    *,
    fault: Fault | None = None,
    earlier: tuple[tuple[torch.Tensor, ...], ...] = (),
) -> Evidence:
    """Put together what is known. An output of another shape than expected counts as all unwritten."""
    expected = exercise.reference(*(argument.double() for argument in arguments))
    allowed = tolerance(exercise, arguments)
    output = seen.output
    comparable = output is not None and output.shape == expected.shape
    if comparable and output is not None:
        bad = ~((output.double() - expected).abs() <= allowed)
        unwritten = bad & (seen.unwritten if seen.unwritten is not None else output.isnan())
        wrong = bad & ~unwritten
    else:
        unwritten = torch.ones(expected.shape, dtype=torch.bool)
        wrong = torch.zeros(expected.shape, dtype=torch.bool)
    return Evidence(
        exercise, kind, source, arguments, seen, expected, allowed, wrong, unwritten, fault=fault, earlier=earlier
    )
