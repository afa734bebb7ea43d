"""Steps that a recording gives, and one program's view of them."""

from __future__ import annotations

import linecache
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from triton_simulator.lines import KernelLine

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class ProgramValue:
    """Value of one program: a number, a block, or anything else."""

    dtype: str
    """As Triton writes it: int32, fp16, pointer<fp32>; "constexpr" for what the compiler knows."""
    numbers: Array
    """The elements; of a pointer, indices from its argument's first element. Of other things, one object."""
    argument: str = ""
    """For a pointer: the argument that it points into; several are separated by commas."""
    undefined: Array | None = None
    """Marks the elements that nothing has defined; None for none."""
    wrapped: Array | None = None
    """Marks the elements whose int32 offset has overflowed on the way; None for none."""
    parts: tuple[tuple[str, ProgramValue], ...] = ()
    """Of a tuple, an aggregate or a descriptor: its values, with their names if they have any."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the block's shape; () for a number."""
        return self.numbers.shape

    @property
    def is_pointer(self) -> bool:
        """Return whether it is a pointer, or a block of them."""
        return self.dtype.startswith("pointer<")


@dataclass(frozen=True, eq=False)
class StepValue:
    """Value of all programs that ran a step together.

    Arrays have the programs along their first axis, and length 1 along each axis where all elements are the same.
    """

    dtype: str
    shape: tuple[int, ...]
    data: Array
    arguments: tuple[str, ...] = ()
    """For pointers: the launch's arguments that they point into, by number."""
    owner: Array | None = None
    """For pointers into several arguments: the number of each element's."""
    undefined: Array | None = None
    wrapped: Array | None = None
    parts: tuple[tuple[str, StepValue], ...] = ()

    def of_row(self, row: int) -> ProgramValue:
        """Return the value of one of the programs that ran together."""
        owners = self.arguments
        if self.owner is not None:
            owners = tuple(self.arguments[number] for number in np.unique(_row(self.owner, row)))
        return ProgramValue(
            self.dtype,
            np.broadcast_to(_row(self.data, row), self.shape),
            ", ".join(owners),
            self._mask(self.undefined, row),
            self._mask(self.wrapped, row),
            tuple((name, part.of_row(row)) for name, part in self.parts),
        )

    def _mask(self, mask: Array | None, row: int) -> Array | None:
        if mask is None:
            return None
        chosen = np.broadcast_to(_row(mask, row), self.shape)
        return chosen if chosen.any() else None

    def take(self, rows: Array) -> StepValue:
        """Return the value of some of the programs.

        Where programs have different ones, it is a copy.
        """
        return StepValue(
            self.dtype,
            self.shape,
            _take(self.data, rows),
            self.arguments,
            _select_rows(self.owner, rows),
            _select_rows(self.undefined, rows),
            _select_rows(self.wrapped, rows),
            tuple((name, part.take(rows)) for name, part in self.parts),
        )

    def arrays(self) -> Iterator[Array]:
        """Yield the arrays that it holds."""
        yield from (array for array in (self.data, self.owner, self.undefined, self.wrapped) if array is not None)
        for _, part in self.parts:
            yield from part.arrays()


def _row(array: Array, row: int) -> Array:
    return np.asarray(array[row if len(array) > 1 else 0])


def _take(array: Array, rows: Array) -> Array:
    return array[rows] if len(array) > 1 else array


def _select_rows(array: Array | None, rows: Array) -> Array | None:
    """Return the rows of what is known about the elements, if anything is."""
    return None if array is None else _take(array, rows)


@dataclass(frozen=True, eq=False)
class Step:
    """Assignment or operation on memory, of all programs that ran together."""

    line: KernelLine
    function: str
    """The kernel's name, or that of the function that it calls."""
    depth: int
    """0 in the kernel, 1 in a function that it calls."""
    iteration: tuple[int, ...]
    """Numbers of the iterations of the loops around it, outermost first, from 0."""
    name: str
    """The variable; empty for an operation whose result has no name of its own."""
    operation: str
    """load, store, atomic_add, sum, …; "argument" and "return" of a function; empty for any other computation."""
    programs: Array
    """The numbers of the programs, in the order of the grid."""
    value: StepValue
    """The result; of a store, what is stored."""
    pointer: StepValue | None = None
    """For an operation on memory: where."""
    mask: StepValue | None = None
    """For an operation on memory: which elements; None for all."""
    operand: StepValue | None = None
    """For an atomic: what it adds, stores, …; `value` is what memory held before."""

    def of(self, program: int) -> ProgramStep | None:
        """Return the step as one program ran it; None if it did not."""
        # The programs of a group are in ascending order.
        row = int(np.searchsorted(self.programs, program))
        if row == len(self.programs) or self.programs[row] != program:
            return None
        pointer, mask, operand = (_of_row(value, row) for value in (self.pointer, self.mask, self.operand))
        return ProgramStep(self, self.value.of_row(row), pointer, mask, operand)


def _of_row(value: StepValue | None, row: int) -> ProgramValue | None:
    """Return one program's value, if there is one."""
    return None if value is None else value.of_row(row)


@dataclass(frozen=True, eq=False)
class ProgramStep:
    """Step of one program."""

    step: Step
    value: ProgramValue
    pointer: ProgramValue | None
    mask: ProgramValue | None
    operand: ProgramValue | None

    @property
    def line(self) -> KernelLine:
        """The line of the kernel, with its `number` and its `text`."""
        return self.step.line

    @property
    def name(self) -> str:
        """The variable that gets the value; empty if none does."""
        return self.step.name

    @property
    def operation(self) -> str:
        """load, store, sum, …; empty for any other computation."""
        return self.step.operation

    @property
    def iteration(self) -> tuple[int, ...]:
        """Numbers of the iterations around it, from 0, outermost loop first."""
        return self.step.iteration


@dataclass(frozen=True, eq=False)
class Steps:
    """Steps of a launch, in the order in which they ran."""

    all: tuple[Step, ...]
    grid: tuple[int, ...] = (1,)
    """The number of programs along each axis."""
    programs: int = 0
    """How many programs were recorded: those with the lowest numbers, unless `StepOptions` chose others."""
    omitted: str = ""
    """What is missing, as a sentence; empty for nothing."""
    nbytes: int = 0
    """Bytes that they take, about."""
    chosen: tuple[int, ...] | None = None
    """The programs that `StepOptions` chose, by number; None for all."""

    def has_program(self, number: int) -> bool:
        """Return whether the steps of a program are kept, if it made any."""
        return number < self.programs if self.chosen is None else number in self.chosen

    def of(self, program: int | Sequence[int]) -> list[ProgramStep]:
        """Return the steps of one program, in their order.

        The program is given by its ids along the axes of the grid, as `Fault.program`, or by its number in their order:
        in a grid of (3, 2), program (1, 0) is number 2.
        """
        number = program_number(program, self.grid)
        if number is None:
            return []
        return [found for step in self.all if (found := step.of(number)) is not None]

    def text(self, program: int | Sequence[int] = 0, sites: Sequence[FaultSite] = ()) -> str:
        """Return what one program did, line by line.

        Of a loop, that is the first iterations, the last one, and those with a fault at one of `sites`.
        """
        from triton_simulator.steps.text import program_text

        files = {step.line.file for step in self.all}
        return program_text(self.of(program), {file: linecache.getlines(file) for file in files}, sites)


FaultSite = tuple[KernelLine, int | None]
"""The line of a fault, and the element of its argument, if it is about one."""


def program_number(program: int | Sequence[int], grid: Sequence[int]) -> int | None:
    """Return a program's number in the order of the grid, if it exists.

    Ids that are missing at the end are 0, and so must those be that the grid has no axis for.
    """
    if isinstance(program, int | np.integer):
        return int(program) if 0 <= program < math.prod(grid) else None
    ids, axes = (*program, *(0,) * len(grid)), len(grid)
    if any(program[axes:]):
        return None
    is_in_grid = all(0 <= index < size for index, size in zip(ids, grid, strict=False))
    if not is_in_grid:
        return None
    return int(np.ravel_multi_index(ids[:axes], tuple(grid)))


def plain_value(thing: Any) -> StepValue:
    """Return a Python number, a string, None and the like as a value."""
    # `np.array` would look into a tuple.
    data = np.empty(1, object)
    data[0] = thing
    if isinstance(thing, bool | int | float):
        data = np.asarray([thing])
    return StepValue("constexpr", (), data)
