"""Compares what the lines of two scripts compute, whatever their style.

A line is known by its numbers: those of all programs, in all iterations. Names, layouts and splits do not matter.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from triton_simulator import Launch
    from triton_simulator.steps.steps import StepValue

Array = NDArray[Any]
RELATIVE = 2e-5
"""Distance of two numbers, relative to themselves, that are the same but for rounding."""
ABSOLUTE = 3e-6
"""The same, relative to the greatest of all numbers of the line."""
MASKED = 1e4
"""Beyond it, a number stands for -inf."""
MAX_ELEMENTS = 4_000
"""Elements of a line that are looked up."""
KNOWN = 0.99
"""Share of a line's numbers that have to be another's, to be taken for it."""
FEW = 3
"""Fewer numbers say nothing."""
SMALL = 8
"""So few numbers are looked for among few others only: they would be among many by chance."""
SEQUENCE = 6
"""Elements that stand side by side, and are compared together where there are few different ones."""
WEIGHTS = np.sqrt(np.array([2.0, 3.0, 5.0, 7.0, 11.0, 13.0]))
"""Of the elements of such a sequence, for one number that stands for all of it."""
LOG2_E = math.log2(math.e)
BASES = 3
"""The number of factors that only change the base of an exponential: 1, and that of log2(e)."""


@dataclass(frozen=True, order=True)
class Definition:
    """A line, and what it assigns or does there."""

    line: int
    name: str
    """A variable, or an operation whose result has none."""


@dataclass
class Numbers:
    """All numbers that a line has computed."""

    order: int
    """The number of the step in which it ran first."""
    blocks: list[Array] = field(default_factory=list)
    orders: list[int] = field(default_factory=list)
    """The number of the step of each part."""
    edges: list[Array] = field(default_factory=list)
    sequences: list[Array] = field(default_factory=list)
    is_masked: bool = False
    """Some are -inf, or a stand-in for it."""
    is_exact: bool = False
    """They are integers, or have 16 bits: many are the same by chance."""
    is_index: bool = False
    """They are 32- or 64-bit integers, which other styles may have no need of."""
    is_load: bool = False
    first_nan: int | None = None
    """The number of the first step in which some are NaN, or infinite."""

    def close(self) -> None:
        """Sort everything, once all of it is there."""
        self.elements, self.edge, self.sequence = map(_sorted, (self.blocks, self.edges, self.sequences))

    elements: Array = field(default_factory=lambda: np.empty(0))
    edge: Array = field(default_factory=lambda: np.empty(0))
    sequence: Array = field(default_factory=lambda: np.empty(0))

    @property
    def is_distinctive(self) -> bool:
        """Return whether there are enough numbers to know them again."""
        return len(self.sequence if self.is_exact else self.elements) >= FEW


def _sorted(arrays: list[Array]) -> Array:
    return np.unique(np.concatenate(arrays)) if arrays else np.empty(0)


Lines = dict[Definition, Numbers]


def lines_of(launches: Iterable[Launch], file: str) -> Lines:
    """Return the numbers of each line of a file, in order of execution."""
    found: Lines = {}
    recordings = (launch.steps for launch in launches if launch.steps is not None)
    steps = itertools.chain.from_iterable(recording.all for recording in recordings)
    for order, step in enumerate(steps):
        if step.line.file != file:
            continue
        if step.operation == "argument":
            continue
        result = step.name or step.operation
        for name, value in _values_of(result, step.value):
            numbers = found.setdefault(Definition(step.line.number, name), Numbers(order))
            numbers.is_load |= step.operation == "load"
            _add(numbers, value, order)
    for numbers in found.values():
        numbers.close()
    return found


def _values_of(name: str, value: StepValue) -> Iterator[tuple[str, StepValue]]:
    """Yield a value, or the parts of a tuple one by one."""
    if not value.parts:
        yield name, value
    for number, (_, block) in enumerate(value.parts):
        yield from _values_of(f"{name}[{number}]", block)


def _add(numbers: Numbers, value: StepValue, order: int) -> None:
    if value.dtype.startswith("pointer"):
        return
    if value.data.dtype in (object, np.bool_):
        return
    block = np.asarray(value.data, np.float64)
    if value.undefined is not None:
        # The simulator marks these elements with NaN or an absurd number, which the line has not computed.
        block = np.where(value.undefined, 0.0, block)
    if numbers.first_nan is None:
        # Not -inf: scripts put it where something is masked.
        is_nan = np.isnan(block) | (block == np.inf)
        if is_nan.any():
            numbers.first_nan = order
    if value.dtype in ("fp32", "fp64"):
        # Negated, so that NaN is masked, too.
        masked = ~(np.abs(block) <= MASKED)
        # Small whole numbers, such as counts and zeros, are on many lines by chance.
        kept = block[~masked & ((block != np.round(block)) | (np.abs(block) > 4096))]
        numbers.blocks.append(np.unique(kept))
        numbers.orders.append(order)
        numbers.is_masked |= bool(masked.any())
        # With `other=0.0`, what a mask leaves out is 0.
        outside = masked | (block == 0)
        if outside.any():
            numbers.edges.extend(_edges(block, outside))
        return
    if value.dtype == "constexpr":
        return
    numbers.is_exact = True
    numbers.is_index = value.dtype in ("int32", "int64")
    # Where all elements along an axis are the same, the recording has one, but a sequence needs them all.
    numbers.sequences.extend(_sequences(np.broadcast_to(block, (len(block), *value.shape))))


def _edges(block: Array, masked: Array) -> Iterator[Array]:
    """Yield the elements that stand beside one that is masked, or 0."""
    for axis in range(1, block.ndim):
        masked = masked & ~masked.all(axis=axis, keepdims=True) if block.ndim > 2 else masked
    for axis in range(1, block.ndim):
        there, here = np.moveaxis(masked, axis, -1), np.moveaxis(block, axis, -1)
        for edge in (here[..., :-1][there[..., 1:]], here[..., 1:][there[..., :-1]]):
            yield edge[(np.abs(edge) <= MASKED) & (edge != 0)]


def _sequences(block: Array) -> Iterator[Array]:
    # Axis 0 is that of the programs: which ones are side by side depends on the grid.
    for axis in range(1, block.ndim):
        along = np.moveaxis(block, axis, -1)
        length = along.shape[-1] - SEQUENCE + 1
        if length < 1:
            continue
        pieces = [along[..., at : at + length] for at in range(SEQUENCE)]
        varied = np.any([piece != pieces[0] for piece in pieces[1:]], axis=0)
        # In the same order for every line, as `_share_exactly` compares these sums to the last bit.
        total = np.zeros(varied.shape)
        for weight, piece in zip(WEIGHTS, pieces, strict=True):
            total = total + weight * piece
        yield np.unique(total[varied])


def share(numbers: Numbers, counterparts: Numbers, factor: float = 1.0) -> float:
    """Return the share of the numbers that are among the others.

    The first numbers are taken times a factor.
    """
    if numbers.is_exact != counterparts.is_exact:
        return 0.0
    if numbers.is_exact:
        return _share_exactly(numbers.sequence, counterparts.sequence) if factor == 1.0 else 0.0
    # A line that forgets its mask may have the right numbers otherwise.
    if numbers.is_masked != counterparts.is_masked:
        return 0.0
    common = _share(numbers.elements, counterparts.elements, factor)
    if common < KNOWN:
        return common
    # A mask in another place leaves most numbers as they are: it shows beside what is masked.
    if len(numbers.edge) < FEW:
        return common
    return min(common, _share(numbers.edge, counterparts.edge, factor))


def first_difference(numbers: Numbers, counterparts: Lines, factors: Sequence[float]) -> int:
    """Return the number of the first step whose numbers the others lack.

    If there is none, it is beyond all steps; if they differ only in what is masked, it is the line's first one.
    """
    for order, block in zip(numbers.orders, numbers.blocks, strict=True):
        if len(block) < FEW:
            continue
        if not _is_any_of(block, counterparts, factors):
            return order
    # What differs may be which of them are masked.
    # Exact numbers have no blocks, so the step in which they differ is not known.
    is_same = numbers.is_exact or _is_any_of(numbers.elements, counterparts, factors)
    return numbers.order if is_same else sys.maxsize


def _is_any_of(elements: Array, counterparts: Lines, factors: Sequence[float]) -> bool:
    """Return whether another line has the elements, by one of the factors."""
    for counterpart in counterparts.values():
        for factor in factors:
            if _share(elements, counterpart.elements, factor) >= KNOWN:
                return True
    return False


def _share(elements: Array, counterparts: Array, factor: float) -> float:
    if len(elements) < FEW:
        return 0.0
    if not len(counterparts):
        return 0.0
    if len(elements) < SMALL and len(counterparts) > SMALL * SMALL * len(elements):
        return 0.0
    if len(elements) > 100:
        some = elements[np.linspace(0, len(elements) - 1, 8).astype(int)]
        if _hits(some, counterparts, factor).mean() < 0.7:
            return 0.0
    step = -(-len(elements) // MAX_ELEMENTS)
    return float(_hits(elements[::step], counterparts, factor).mean())


def _hits(elements: Array, counterparts: Array, factor: float) -> Array:
    wanted = elements * factor
    at = np.searchsorted(counterparts, wanted)
    below, above = counterparts[np.maximum(at - 1, 0)], counterparts[np.minimum(at, len(counterparts) - 1)]
    distance = np.minimum(np.abs(wanted - below), np.abs(wanted - above))
    # They are sorted, so the greatest one is at either end.
    greatest = max(abs(float(counterparts[0])), abs(float(counterparts[-1])))
    return np.asarray(distance <= RELATIVE * np.abs(wanted) + ABSOLUTE * greatest)


def _share_exactly(elements: Array, counterparts: Array) -> float:
    if len(elements) < FEW:
        return 0.0
    if not len(counterparts):
        return 0.0
    step = -(-len(elements) // MAX_ELEMENTS)
    return float(np.isin(elements[::step], counterparts).mean())


def factors_of(launches: Iterable[Launch]) -> list[float]:
    """Return the factors by which lines may differ, the simplest first.

    The lines are of different styles.
    """
    arguments = itertools.chain.from_iterable(launch.arguments.values() for launch in launches)
    floats = (float(value) for value in arguments if isinstance(value, float))
    of_usual_size = (value for value in floats if 1e-3 < abs(value) < 1e3)
    given = {value for value in of_usual_size if not value.is_integer()}
    of_scale = [1.0, *sorted(given)[:2]]
    bases = (1.0, LOG2_E, 1 / LOG2_E)
    # 1.0 goes first, so that the first `BASES` factors are bases alone.
    every = [base * scale**power for scale, power, base in itertools.product(of_scale, (1, -1), bases)]
    return list(dict.fromkeys(every))


@dataclass(frozen=True)
class Likeness:
    """How much of a line's numbers another script has.

    `factor` is the number of the factor by which it has them.
    """

    share: float
    factor: int

    def is_known(self) -> bool:
        return self.share >= KNOWN


def likeness(numbers: Numbers, counterparts: Lines, factors: Sequence[float]) -> Likeness:
    """Return the best likeness of a line to any line of another script.

    Of equal likenesses, it is that of the simplest factor.
    """
    best = Likeness(0.0, 0)
    for number, factor in enumerate(factors):
        common = max((share(numbers, counterpart, factor) for counterpart in counterparts.values()), default=0.0)
        if common >= KNOWN:
            return Likeness(common, number)
        if common > best.share:
            best = Likeness(common, number)
    return best
