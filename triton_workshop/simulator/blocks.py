"""Operations that move elements within a block, and the blocks that descriptors and block pointers describe."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import triton.language as tl

from triton_workshop.simulator.formats import Array
from triton_workshop.simulator.values import Value, either, spread, uniform_origin


def combined(a: Value, b: Value, shape: tuple[int, ...], join: Callable[[Sequence[Array]], Array]) -> Value:
    """Two blocks joined into one, with everything that is known about their elements."""
    rows = max(a.data.shape[0], b.data.shape[0])

    def joined(parts: Sequence[Any]) -> Array:
        sides = zip(parts, (a, b), strict=True)
        return join([np.broadcast_to(part, (rows, *value.shape)) for part, value in sides])

    result = Value(joined((a.data, b.data)), a.dtype.scalar, shape)
    result.origin = a.origin if uniform_origin(a, b) else joined((a.origin, b.origin))
    for name in ("poison", "wrapped"):
        parts = [getattr(value, name) for value in (a, b)]
        if any(part is not None for part in parts):
            sure = any(part is True for part in parts)
            setattr(result, name, True if sure else joined([False if part is None else part for part in parts]))
    return result


def gather(source: Value, index: Value, axis: int) -> Value:
    """`source[..., index, ...]` along an axis of the block."""
    rows = max(source.data.shape[0], index.data.shape[0])
    where = np.broadcast_to(index.full(), (rows, *index.shape)).astype(np.int64)
    size = source.shape[axis]
    if where.size and (where.min() < 0 or where.max() >= size):
        low, high = where.min(), where.max()
        raise IndexError(f"tl.gather: expected indices from 0 to {size - 1}, got {low if low < 0 else high}")

    def take(data: Array) -> Array:
        full = np.broadcast_to(spread(data, source.shape), (rows, *source.shape))
        return np.take_along_axis(full, where, axis=axis + 1)

    result = source.rearranged(take, index.shape)
    if index.poison is not None:
        result.poison = index.poison if result.poison is None else result.poison | index.poison
    return result


def histogram(values: Value, bins: int, mask: Value | None) -> Value:
    """How many of a 1-D block's elements are 0, 1, … bins - 1; other values are not counted."""
    rows = max(values.data.shape[0], 1 if mask is None else mask.data.shape[0])
    full = np.broadcast_to(values.full(), (rows, *values.shape)).astype(np.int64)
    counted = (full >= 0) & (full < bins)
    if mask is not None:
        counted &= mask.data
    flat = (full + np.arange(rows)[:, None] * bins)[counted]
    counts = np.bincount(flat, minlength=rows * bins).reshape(rows, bins).astype(np.int32)
    poison = either(values, mask) if mask is not None else values.poison
    if isinstance(poison, np.ndarray):
        poison = np.asarray(poison.reshape(len(poison), -1).any(axis=1, keepdims=True))
    return Value(counts, tl.int32, (bins,), poison=poison)


@dataclass(frozen=True)
class Tile:
    """A block of a tensor that a descriptor or a block pointer describes, for all programs.

    `base` points to the tensor's first element; `tensor_shape` and `strides` are scalars, one for each axis.
    """

    base: Value
    tensor_shape: tuple[Value, ...]
    strides: tuple[Value, ...]
    block: tuple[int, ...]
    padding: Any
    offsets: tuple[Value, ...] = ()
    round_f32_to_tf32: bool = False

    def pointers(self, offsets: Sequence[Value], checked: Iterable[int]) -> tuple[Value, Value]:
        """Pointers to the block that starts at `offsets`, and a mask: true inside the tensor along checked axes."""
        axes = set(checked)
        ranges = [_range_from(offset, size, axis, len(self.block)) for axis, (offset, size) in self._sides(offsets)]
        return self._at(ranges, self.block, axes)

    def rows(self, rows: Value, column: Value) -> tuple[Value, Value]:
        """Pointers to the rows `rows` (N,), each from `column` on, and a mask: true inside the tensor."""
        positions = [rows.full()[:, :, None].astype(np.int64), _range_from(column, self.block[-1], 1, 2)]
        return self._at(positions, (rows.shape[0], self.block[-1]), {0, 1})

    def _sides(self, offsets: Sequence[Value]) -> list[tuple[int, tuple[Value, int]]]:
        return list(enumerate(zip(offsets, self.block, strict=True)))

    def _at(self, positions: list[Array], shape: tuple[int, ...], checked: set[int]) -> tuple[Value, Value]:
        ndim = len(shape)
        index = _lift(self.base.data, ndim)
        mask = np.ones((1,) * (ndim + 1), np.bool_)
        for axis, position in enumerate(positions):
            index = index + position * _lift(self.strides[axis].data, ndim)
            if axis in checked:
                mask = mask & (position >= 0) & (position < _lift(self.tensor_shape[axis].data, ndim))
        origin = self.base.origin if isinstance(self.base.origin, int) else _lift(self.base.origin, ndim)
        return Value(index, self.base.dtype, shape, origin), Value(mask, tl.int1, shape)


def _lift(scalars: Array, ndim: int) -> Array:
    """Each program's scalar, with an axis for each axis of a block, in int64, so that offsets do not wrap."""
    return scalars.reshape(len(scalars), *(1,) * ndim).astype(np.int64)


def _range_from(offset: Value, size: int, axis: int, ndim: int) -> Array:
    shape = [1] * (ndim + 1)
    shape[axis + 1] = size
    return _lift(offset.data, ndim) + np.arange(size).reshape(shape)
