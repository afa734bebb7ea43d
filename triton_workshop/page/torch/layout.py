"""Memory and strides: how PyTorch lays out what it makes, in elements. Nothing here knows a tensor."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence

import numpy as np

from triton_workshop.page.torch.dtypes import Array

ALIGNMENT = 64
"""Bytes. PyTorch's memory on the CPU begins at a multiple; WebAssembly's own begins at a multiple of 8."""
Ints = tuple[int, ...]


class TensorStorage:
    """The memory behind tensors."""

    def __init__(self, bytes_: Array, owner: object = None) -> None:
        self.bytes, self._owner = bytes_, owner
        self._address = int(bytes_.__array_interface__["data"][0]) if bytes_.size else 0

    def data_ptr(self) -> int:
        """The address of its first byte, 0 if it has none."""
        return self._address

    def nbytes(self) -> int:
        return self.bytes.size

    size = nbytes
    __len__ = nbytes


def allocated(size: int) -> TensorStorage:
    """Memory of so many bytes, aligned."""
    whole = np.empty(size + ALIGNMENT, np.uint8)
    start = -int(whole.__array_interface__["data"][0]) % ALIGNMENT
    return TensorStorage(whole[start : start + size])


def borrowed(array: Array) -> tuple[TensorStorage, int]:
    """The memory of a numpy array, and the byte at which the array begins there."""
    if any(stride < 0 for stride in array.strides):
        raise ValueError("a tensor has no negative strides: copy the array first, by array.copy()")
    if not array.size:
        return allocated(0), 0
    low, high = np.lib.array_utils.byte_bounds(array)
    memory = (ctypes.c_ubyte * (high - low)).from_address(low)
    return TensorStorage(np.ctypeslib.as_array(memory), array), int(array.__array_interface__["data"][0]) - low


def contiguous_strides(shape: Sequence[int]) -> Ints:
    """Row by row."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


def extent(shape: Sequence[int], strides: Sequence[int]) -> int:
    """How many elements of memory a tensor spans."""
    return 0 if 0 in shape else 1 + sum(stride * (size - 1) for size, stride in zip(shape, strides, strict=True))


def is_contiguous(shape: Ints, strides: Ints) -> bool:
    """Whether elements lie row by row: strides along a single element do not matter."""
    if 0 in shape:
        return True
    return all(
        size == 1 or own == row for size, own, row in zip(shape, strides, contiguous_strides(shape), strict=True)
    )


def is_dense(shape: Ints, strides: Ints) -> bool:
    """Whether no two elements share memory and none is left out, in whatever order."""
    expected = 1
    for stride, size in sorted((stride, size) for stride, size in zip(strides, shape, strict=True) if size != 1):
        if stride != expected:
            return False
        expected *= size
    return True


def strides_of_result(shape: Ints, operands: Sequence[tuple[Ints, Ints]]) -> Ints:
    """The strides of what is computed from operands of these shapes and strides: theirs, or else contiguous ones."""
    if len({*operands}) == 1 and operands[0][0] == shape and is_dense(*operands[0]):
        return operands[0][1]
    return contiguous_strides(shape)


def expanded_strides(shape: Ints, strides: Ints, to: Ints) -> Ints:
    """The strides of a view that repeats what has a single element."""
    more = len(to) - len(shape)
    own = zip(shape, strides, to[more:], strict=True)
    return (0,) * more + tuple(0 if size == 1 and new != 1 else stride for size, stride, new in own)


def broadcast(*shapes: Ints) -> Ints:
    """The shape to which these expand. Raises RuntimeError."""
    result: list[int] = []
    for shape in shapes:
        wide = max(len(result), len(shape))
        one, other = [1] * (wide - len(result)) + result, [1] * (wide - len(shape)) + list(shape)
        for axis, (a, b) in enumerate(zip(one, other, strict=True)):
            if a != b and 1 not in (a, b):
                sizes = f"The size of tensor a ({a}) must match the size of tensor b ({b})"
                raise RuntimeError(f"{sizes} at non-singleton dimension {axis}")
        result = [b if a == 1 else a for a, b in zip(one, other, strict=True)]
    return tuple(result)


def viewed_strides(shape: Ints, strides: Ints, new: Ints) -> Ints | None:
    """The strides with which the same memory has another shape; None if no strides do that."""
    if 0 in shape:
        return strides if shape == new else contiguous_strides(new)
    if not shape:
        return (1,) * len(new)
    found: list[int] = []
    place, block, step = len(new) - 1, 1, strides[-1]
    wanted = 1
    for axis in range(len(shape) - 1, -1, -1):
        block *= shape[axis]
        if axis and (shape[axis - 1] == 1 or strides[axis - 1] == block * step):
            continue
        while place >= 0 and (wanted < block or new[place] == 1):
            found.append(wanted * step)
            wanted *= new[place]
            place -= 1
        if wanted != block:
            return None
        if axis:
            step, block, wanted = strides[axis - 1], 1, 1
    return tuple(reversed(found)) if place < 0 else None


def size_of(shape: Ints, given: Sequence[int]) -> Ints:
    """A shape that is asked for, with -1 filled in. Raises RuntimeError."""
    count, new = math.prod(shape), list(given)
    if new.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    known = math.prod(size for size in new if size != -1)
    if -1 in new and known and count % known == 0:
        new[new.index(-1)] = count // known
    if math.prod(new) != count or -1 in new:
        raise RuntimeError(f"shape '{list(given)}' is invalid for input of size {count}")
    return tuple(new)


def axis_of(dim: int, ndim: int) -> int:
    """A dimension counted from the front. Raises IndexError."""
    most = max(ndim, 1)
    if not -most <= dim < most:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-most}, {most - 1}], but got {dim})")
    return dim % most
