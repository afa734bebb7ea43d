"""Operations that move the elements of blocks.

They work in all programs of a group at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import triton.language as tl

from triton_simulator.values.formats import Array
from triton_simulator.values.thread_scalars import block_data
from triton_simulator.values.value import Value, spread, uniform_origin, union

Shape = tuple[int, ...]


def splat(scalar: Value, shape: Shape) -> Value:
    """Return a block of this scalar."""
    size = math.prod(shape)
    return scalar.rearrange(lambda data: block_data(data, size).reshape(data.shape[0], *(1,) * len(shape)), shape)


def unsplat(block: Value) -> Value:
    """Return the only element of a block."""
    return block.rearrange(lambda data: data.reshape(data.shape[0], -1)[:, 0], ())


def expand_dims(block: Value, axis: int) -> Value:
    """Return the block with a new axis of length 1."""
    shape = (*block.shape[:axis], 1, *block.shape[axis:])
    return block.rearrange(lambda data: np.expand_dims(data, axis + 1), shape)


def broadcast(block: Value, shape: Sequence[int]) -> Value:
    """Return the block, broadcast to a shape."""
    sizes = tuple(int(size) for size in shape)
    return block.rearrange(lambda data: block_data(data, math.prod(sizes)), sizes)


def reshape(block: Value, shape: Sequence[int], _reorder: bool = False) -> Value:
    """Return the block's elements in another shape."""
    new = tuple(int(size) for size in shape)
    return block.rearrange(lambda data: _reshape(data, block.shape, new), new)


def _reshape(data: Array, old: Shape, new: Shape) -> Array:
    # A block that is the same everywhere stays as short in its new shape.
    if all(size == 1 for size in data.shape[1:]):
        return data.reshape(data.shape[0], *(1,) * len(new))
    return spread(data, old).reshape(data.shape[0], *new)


def transpose(block: Value, order: Sequence[int]) -> Value:
    """Return the block with its axes in another order."""
    axes = tuple(int(axis) for axis in order)
    shape = tuple(block.shape[axis] for axis in axes)
    return block.rearrange(lambda data: data.transpose(0, *(axis + 1 for axis in axes)), shape)


def concatenate(a: Value, b: Value) -> Value:
    """Return two blocks, one after the other along the first axis."""
    shape = (a.shape[0] + b.shape[0], *a.shape[1:])
    return _join(a, b, shape, lambda arrays: np.concatenate(arrays, axis=1))


def join(a: Value, b: Value) -> Value:
    """Return pairs of elements, along a new last axis."""
    return _join(a, b, (*a.shape, 2), lambda arrays: np.stack(arrays, axis=-1))


def split(block: Value) -> tuple[Value, Value]:
    """Return the two halves of pairs, as `join` gives them."""

    def half(index: int) -> Value:
        """Return one element of each pair."""
        return block.rearrange(lambda data: spread(data, block.shape)[..., index], block.shape[:-1])

    return half(0), half(1)


def _join(a: Value, b: Value, shape: Shape, merge: Callable[[Sequence[Array]], Array]) -> Value:
    """Return two blocks joined into one.

    Everything that is known about their elements is joined, too.
    """
    rows = max(a.data.shape[0], b.data.shape[0])

    def combine(arrays: Sequence[Any]) -> Array:
        """Return an array for each block, broadcast and joined."""
        sides = zip(arrays, (a, b), strict=True)
        return merge([np.broadcast_to(array, (rows, *value.shape)) for array, value in sides])

    result = Value(combine((a.data, b.data)), a.dtype.scalar, shape)
    result.origin = a.origin if uniform_origin(a, b) else combine((a.origin, b.origin))
    for name in ("poison", "wrapped"):
        arrays = [getattr(value, name) for value in (a, b)]
        if any(array is not None for array in arrays):
            setattr(result, name, combine([False if array is None else array for array in arrays]))
    return result


def gather(source: Value, index: Value, axis: int) -> Value:
    """Return `source[..., index, ...]` along an axis of the block.

    Raises IndexError for an index outside.
    """
    rows = max(source.data.shape[0], index.data.shape[0])
    where = np.broadcast_to(index.full(), (rows, *index.shape)).astype(np.int64)
    if index.poison is not None:  # an undefined index takes an undefined element, not one outside
        where = np.where(np.asarray(index.poison), 0, where)
    size = source.shape[axis]
    if where.size:
        low, high = where.min(), where.max()
        if not 0 <= low <= high < size:
            raise IndexError(f"tl.gather: expected indices from 0 to {size - 1}, got {low if low < 0 else high}")

    def take(data: Array) -> Array:
        """Return the elements of an array at the indices."""
        full = np.broadcast_to(spread(data, source.shape), (rows, *source.shape))
        return np.take_along_axis(full, where, axis=axis + 1)

    result = source.rearrange(take, index.shape)
    result.poison = union(result.poison, index.poison)
    return result.replace_undefined()


def histogram(values: Value, bins: int, mask: Value | None = None) -> Value:
    """Return how many elements of a 1-D block are 0, 1, … bins - 1.

    Other values are not counted.
    """
    rows = max(values.data.shape[0], 1 if mask is None else mask.data.shape[0])
    full = np.broadcast_to(values.full(), (rows, *values.shape)).astype(np.int64)
    in_range = (full >= 0) & (full < bins)
    if mask is not None:
        in_range &= mask.data
    # Each program counts into bins of its own, so that one count serves all of them.
    flat = (full + np.arange(rows)[:, None] * bins)[in_range]
    counts = np.bincount(flat, minlength=rows * bins).reshape(rows, bins).astype(np.int32)
    poison = values.poison
    if mask is not None:
        poison = union(None if poison is None else poison & mask.data, mask.poison)
    # An undefined element could be in any bin, so no count is certain.
    if poison is not None:
        poison = np.asanyarray(poison.reshape(len(poison), -1).any(axis=1, keepdims=True))
    return Value(counts, tl.int32, (bins,), poison=poison)
