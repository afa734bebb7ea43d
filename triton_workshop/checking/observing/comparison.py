"""Comparison of a call's result with the right one.

It says which elements are wrong, and which programs own those.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

import torch

from triton_workshop.checking.observing.observe import Launched, Observation, Output
from triton_workshop.exercises.cases import to_float64
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.exercises.tolerance import tolerance
from triton_workshop.tensors import cdiv


@dataclass(frozen=True)
class Comparison:
    """Result of a call with these arguments, beside the right one.

    No output, or one with an unexpected shape, counts as completely unwritten.
    """

    exercise: Exercise
    arguments: tuple[torch.Tensor, ...]
    seen: Observation

    @functools.cached_property
    def expected(self) -> torch.Tensor:
        """The reference's result, float64."""
        return self.exercise.reference(*to_float64(self.arguments))

    @functools.cached_property
    def allowed(self) -> torch.Tensor:
        """Largest allowed error of each element."""
        return tolerance(self.exercise, self.arguments, self.expected)

    def of_call(self, seen: Observation) -> Comparison:
        """Return the comparison of another call with the same arguments."""
        other = replace(self, seen=seen)
        # What is right takes longer to compute than to compare with.
        vars(other).update(expected=self.expected, allowed=self.allowed)
        return other

    @functools.cached_property
    def _output(self) -> Output | None:
        """The output, if it has the right shape."""
        output = self.seen.output
        if output is None:
            return None
        return output if output.values.shape == self.expected.shape else None

    @functools.cached_property
    def _bad(self) -> torch.Tensor:
        if self._output is None:
            return torch.ones_like(self.expected, dtype=torch.bool)
        output, unwritten = self._output.values, self._output.unwritten
        allowed = self.allowed  # before the others are there: a long case in a page takes tens of megabytes for each
        exact = output.double()
        close = (exact - self.expected).abs_() <= allowed
        if not self.expected.sum().isfinite():  # so much sooner than `isfinite` and `isnan` of all
            close &= self.expected.isfinite()
            written = True if unwritten is None else ~unwritten
            close |= self.expected.isnan() & output.isnan() & written
        close |= exact == self.expected  # an infinity has to be that infinity
        return ~close

    @functools.cached_property
    def unwritten(self) -> torch.Tensor:
        """Mask of the elements that were never written."""
        return self._bad if self._output is None else self._bad & self._output.missing

    @functools.cached_property
    def wrong(self) -> torch.Tensor:
        """Mask of the elements that were written, and are wrong."""
        return self._bad & ~self.unwritten

    @property
    def is_nan_where_wrong(self) -> bool:
        """All wrong elements are NaN, and none of them should be."""
        output, wrong = self._output, self.wrong
        return output is not None and bool((~wrong | (output.values.isnan() & ~self.expected.isnan())).all())

    @functools.cached_property
    def right(self) -> bool:
        return not bool(self._bad.any())

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
        """Block size for each axis of the exercise's grid.

        It is as launched, or else the solution's.
        """
        numbers = self.launch.numbers if self.launch else {}
        sizes = [numbers.get(axis.block or "", axis.size) for axis in self.exercise.tiling]
        return tuple(map(_block_size, sizes))

    @functools.cached_property
    def has_tiles_of_the_solution(self) -> bool:
        """The programs own tiles as those of the solution do.

        The grid has the same axes, and the block sizes have the same names.
        """
        numbers = self.launch.numbers if self.launch else {}
        axes = self.exercise.tiling
        if len(self.grid) != len(axes):
            return False
        blocks = [axis.block for axis in axes if axis.block is not None]
        return all(block in numbers for block in blocks)

    @functools.cached_property
    def wanted_grid(self) -> tuple[int, ...]:
        """The grid that the solution would launch with these block sizes."""
        sizes = (self.expected.shape[axis.dimension] for axis in self.exercise.tiling)
        return tuple(cdiv(size, block) for size, block in zip(sizes, self.blocks, strict=True))

    def by_tile(self, marks: torch.Tensor) -> torch.Tensor:
        """Return for each program of the expected grid if its tile has a mark."""
        tiles = torch.zeros(self.wanted_grid, dtype=torch.bool)
        indices = marks.cpu().nonzero()
        pairs = zip(self.exercise.tiling, self.blocks, strict=True)
        tiles[tuple(indices[:, axis.dimension] // block for axis, block in pairs)] = True
        return tiles

    def owners(self, marks: torch.Tensor) -> tuple[tuple[int, ...], ...]:
        """Return the programs in whose tiles an element is marked.

        There are none if it is not known which tiles they own.
        """
        if not self.has_tiles_of_the_solution:
            return ()
        return tuple(tuple(program) for program in self.by_tile(marks).nonzero().tolist())

    def owner(self, index: tuple[int, ...]) -> tuple[int, ...]:
        """Return the program that has to write this element of the output.

        It is empty if that is not known.
        """
        if not self.has_tiles_of_the_solution:
            return ()
        pairs = zip(self.exercise.tiling, self.blocks, strict=True)
        return tuple(index[axis.dimension] // block for axis, block in pairs)


def _block_size(number: int | float) -> int:
    # A script may launch with any number as a size, such as 0 or a float.
    if not isinstance(number, int):
        return 1
    return number if number > 0 else 1
