"""Memory and strides of tensors, in elements.

Results are laid out as PyTorch's are. Nothing here knows a tensor.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence

import numpy as np

from triton_workshop.page.torch.dtypes import Array

ALIGNMENT = 64
"""Bytes to which memory is aligned, as PyTorch's on the CPU.

WebAssembly's own begins at a multiple of 8.
"""
Ints = tuple[int, ...]


class TensorStorage:
    """Memory behind tensors."""

    def __init__(self, bytes_: Array, owner: object = None) -> None:
        # The owner is kept alive: bytes at a borrowed address do not do that.
        self.bytes, self._owner = bytes_, owner
        self._address = int(bytes_.__array_interface__["data"][0]) if bytes_.size else 0

    def data_ptr(self) -> int:
        """Return the address of the first byte, 0 if there is none."""
        return self._address

    def nbytes(self) -> int:
        """Return the number of bytes."""
        return self.bytes.size

    size = nbytes
    __len__ = nbytes


def allocate(size: int) -> TensorStorage:
    """Return aligned memory of so many bytes."""
    buffer = np.empty(size + ALIGNMENT, np.uint8)
    start = -int(buffer.__array_interface__["data"][0]) % ALIGNMENT
    return TensorStorage(buffer[start : start + size])


def borrow(array: Array) -> tuple[TensorStorage, int]:
    """Return the memory of a numpy array, and the byte at which it begins."""
    if min(array.strides, default=0) < 0:
        raise ValueError("a tensor has no negative strides: copy the array first, by array.copy()")
    if not array.size:
        return allocate(0), 0
    # The array may be a view: its memory is everything between its first and its last byte.
    low, high = np.lib.array_utils.byte_bounds(array)
    memory = (ctypes.c_ubyte * (high - low)).from_address(low)
    return TensorStorage(np.ctypeslib.as_array(memory), array), int(array.__array_interface__["data"][0]) - low


def contiguous_strides(shape: Sequence[int]) -> Ints:
    """Return the strides of rows that follow each other."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


def extent(shape: Sequence[int], strides: Sequence[int]) -> int:
    """Return the number of elements that a tensor spans in memory."""
    if 0 in shape:
        return 0
    return 1 + sum(stride * (size - 1) for size, stride in zip(shape, strides, strict=True))


def is_contiguous(shape: Ints, strides: Ints) -> bool:
    """Return whether elements lie row by row.

    Strides along a single element do not matter.
    """
    if 0 in shape:
        return True
    return all(
        size == 1 or stride == expected
        for size, stride, expected in zip(shape, strides, contiguous_strides(shape), strict=True)
    )


def is_dense(shape: Ints, strides: Ints) -> bool:
    """Return whether elements fill their memory, in whatever order."""
    expected = 1
    # The shortest stride first, whichever dimension has it.
    dims = sorted((stride, size) for stride, size in zip(strides, shape, strict=True) if size != 1)
    for stride, size in dims:
        if stride != expected:
            return False
        expected *= size
    return True


def result_strides(shape: Ints, operands: Sequence[tuple[Ints, Ints]]) -> Ints:
    """Return the strides of a result of operands with shapes and strides.

    They are those of the operands where all agree, or else contiguous.
    """
    if len({*operands}) != 1:
        return contiguous_strides(shape)
    operand_shape, strides = operands[0]
    is_kept = operand_shape == shape and is_dense(shape, strides)
    return strides if is_kept else contiguous_strides(shape)


def expanded_strides(shape: Ints, strides: Ints, new_shape: Ints) -> Ints:
    """Return the strides of a view that repeats single elements."""
    leading = len(new_shape) - len(shape)
    dims = zip(shape, strides, new_shape[leading:], strict=True)
    result = [0] * leading
    for size, stride, target in dims:
        is_repeated = size == 1 and target != 1
        result.append(0 if is_repeated else stride)
    return tuple(result)


def broadcast(*shapes: Ints) -> Ints:
    """Return the shape to which these expand. Raises RuntimeError."""
    result: list[int] = []
    for shape in shapes:
        ndim = max(len(result), len(shape))
        # Shapes align at their last dimension, as numpy's do.
        first, second = [1] * (ndim - len(result)) + result, [1] * (ndim - len(shape)) + list(shape)
        result = []
        for axis, (a, b) in enumerate(zip(first, second, strict=True)):
            fits = a == b or 1 in (a, b)
            if not fits:
                sizes = f"The size of tensor a ({a}) must match the size of tensor b ({b})"
                raise RuntimeError(f"{sizes} at non-singleton dimension {axis}")
            result.append(b if a == 1 else a)
    return tuple(result)


def view_strides(shape: Ints, strides: Ints, new: Ints) -> Ints | None:
    """Return the strides with which the same memory has another shape.

    None if no strides do that.
    """
    if 0 in shape:
        return strides if shape == new else contiguous_strides(new)
    if not shape:
        return (1,) * len(new)
    # From the last dimension on: dimensions that follow each other in memory are one block of elements, and the new
    # dimensions have to fill it exactly.
    result: list[int] = []
    position, block, step = len(new) - 1, 1, strides[-1]
    covered = 1
    for axis in range(len(shape) - 1, -1, -1):
        block *= shape[axis]
        if axis:
            goes_on = shape[axis - 1] == 1 or strides[axis - 1] == block * step
            if goes_on:
                continue
        while position >= 0:
            is_full = covered >= block and new[position] != 1
            if is_full:
                break
            result.append(covered * step)
            covered *= new[position]
            position -= 1
        if covered != block:
            return None
        if axis:
            step, block, covered = strides[axis - 1], 1, 1
    return tuple(reversed(result)) if position < 0 else None


def infer_shape(shape: Ints, requested: Sequence[int]) -> Ints:
    """Return a requested shape with -1 filled in. Raises RuntimeError."""
    count, new = math.prod(shape), list(requested)
    if new.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    if -1 in new:
        product = math.prod(size for size in new if size != -1)
        # Beside a 0, any size would fit: PyTorch refuses to choose.
        is_unique = product != 0 and count % product == 0
        if is_unique:
            new[new.index(-1)] = count // product
    is_valid = -1 not in new and math.prod(new) == count
    if not is_valid:
        raise RuntimeError(f"shape '{list(requested)}' is invalid for input of size {count}")
    return tuple(new)


def normalize_axis(dim: int, ndim: int) -> int:
    """Return a dimension counted from the front. Raises IndexError."""
    limit = max(ndim, 1)
    if not -limit <= dim < limit:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-limit}, {limit - 1}], but got {dim})")
    return dim % limit
