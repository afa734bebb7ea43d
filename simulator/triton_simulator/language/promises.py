"""Promises to the compiler about a block's numbers, checked in a launch."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import triton.language as tl

from triton_simulator.language.loops import constexpr_value
from triton_simulator.operations.builder import Builder
from triton_simulator.values.formats import Array, item_bytes
from triton_simulator.values.value import spread

MAX_ACCESS_BYTES = 16
"""Bytes that a thread loads at once, at most.

Nothing depends on more elements that are neighbours, or aligned.
"""


def promise_functions(builder: Builder) -> dict[Any, Callable[..., Any]]:
    """Return what `tl.multiple_of` and its like call in a launch."""
    check = partial(_check_promise, builder)
    return {
        tl.multiple_of: partial(check, _is_multiple, "tl.multiple_of promises multiples of {}, and here is {}"),
        tl.max_contiguous: partial(
            check, _is_contiguous, "tl.max_contiguous promises {} successive numbers, and here {} begins others"
        ),
        tl.max_constancy: partial(
            check, _is_constant, "tl.max_constancy promises {} equal numbers, and here {} begins others"
        ),
    }


def _check_promise(builder: Builder, predicate: Callable[..., Array], message: str, input: Any, values: Any) -> Any:
    """Raise ValueError if a promise to the compiler is false.

    A GPU may answer it with a misaligned or a wrong access.
    """
    numbers = _numbers(input, values)
    for axis, number in enumerate(numbers):
        counterexample = _find_counterexample(
            builder, partial(predicate, number=min(number, MAX_ACCESS_BYTES)), input, axis
        )
        if counterexample is not None:
            raise ValueError(message.format(number, counterexample))
    return input


def _numbers(input: Any, values: Any) -> list[Any]:
    """Return the numbers that are promised, one for each axis.

    Raises ValueError for another number of them.
    """
    values = constexpr_value(values)
    numbers = list(map(constexpr_value, values if isinstance(values, list | tuple) else [values]))
    if not isinstance(input, tl.tensor):
        return numbers
    if len(numbers) != max(1, len(input.shape)):
        raise ValueError("expected a value for each axis of the block")
    return numbers


def _find_counterexample(builder: Builder, predicate: Callable[..., Array], block: Any, axis: int) -> int | None:
    """Return a number for which a promise about an axis is false, or None.

    Pointers count bytes of their tensor.
    """
    has_integers = isinstance(block, tl.tensor) and not block.dtype.scalar.is_floating()
    if not has_integers:
        return None
    value, unit = block.handle, 1
    if block.dtype.scalar.is_ptr():
        value, unit = builder.memory.space.byte_offsets(value), item_bytes(block.dtype.scalar.element_ty)
    data = value.full() if value.shape else value.full()[:, None]
    steps = np.diff(data, axis=axis + 1, prepend=data.take([0], axis=axis + 1))
    is_other_axis = len(value.shape) > 1 and not (steps == unit).any()
    if is_other_axis:
        return None  # accesses are wide along another axis: what is said of this one changes none
    wrong = ~predicate(data, steps // unit, axis + 1)
    if value.poison is not None:
        wrong &= ~spread(value.poison, value.shape).reshape(-1, *data.shape[1:])
    return next(iter(map(int, data[wrong][:1])), None)


def _is_multiple(data: Array, steps: Array, _axis: int, number: int) -> Array:
    """Return which runs of successive numbers begin with a multiple.

    Triton reads the hint so for 64, 65, 66 …
    """
    return np.asarray((data % number == 0) | (steps == 1))


def _is_contiguous(data: Array, steps: Array, axis: int, number: int) -> Array:
    """Return which groups of so many are successive numbers.

    In each group, there may be one place where they start again, or stay.

    Rows modulo their number do so, and rows with 0 for those outside, as in Triton's own kernels: nobody uses what is
    loaded there.
    """
    breaks = (steps != 1) & (steps != 0) & ~_is_group_start(data, number, axis)
    groups = np.add.reduceat(breaks, np.arange(0, data.shape[axis], number), axis=axis)
    is_broken = np.repeat(groups, number, axis=axis).take(range(data.shape[axis]), axis=axis) > 1
    return np.asarray(~(breaks & is_broken))


def _is_constant(data: Array, steps: Array, axis: int, number: int) -> Array:
    """Return which groups of so many are equal."""
    return np.asarray((steps == 0) | _is_group_start(data, number, axis))


def _is_group_start(data: Array, length: int, axis: int) -> Array:
    """Return which elements along an axis begin a group."""
    starts = np.asarray(np.arange(data.shape[axis]) % length == 0)
    shape = [1] * data.ndim
    shape[axis] = -1
    return starts.reshape(shape)
