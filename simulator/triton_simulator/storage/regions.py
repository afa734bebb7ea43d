"""Memory behind tensors.

A region is the part of a storage that an argument may touch.
"""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from triton_simulator.values.formats import Array


class Storage:
    """A block of memory that one or more tensors are views of."""

    def __init__(self, address: int, size: int) -> None:
        self.address = address
        self.bytes: Array = (
            np.ctypeslib.as_array((ctypes.c_ubyte * size).from_address(address)) if size else np.empty(0, np.uint8)
        )
        self.unit = 8
        """Bytes of the smallest element that any pointer into it has."""
        self.original: Array | None = None
        """The contents before the launch, once the launch has stored to it."""
        self.loaded = False
        self.stored = False
        self.updated = False
        """True if the launch has loaded, stored and updated it by atomics."""

    def save(self) -> None:
        """Save what it holds, before the launch changes it."""
        if self.original is None:
            self.original = self.bytes.copy()

    def restore(self) -> None:
        """Restore what it held before the launch."""
        if self.original is not None:
            self.bytes[:] = self.original
        self.loaded = self.stored = self.updated = False


@dataclass(frozen=True, eq=False)
class Region:
    """Bytes that a tensor argument may touch.

    They are `size` bytes from byte `offset` of its storage, in elements of `item` bytes.

    A GPU lets a kernel touch all memory that was allocated, and right kernels rely on it: they gather by strides that
    are not those of the view, flip with negative steps, or look at the element before `x[1:]`. So a region is the whole
    storage. The checker makes its tensors itself, many of them views, and whoever ignores their strides or forgets a
    mask reads or writes what is not the tensor's: there, a region is the view, and `inside` says which elements belong
    to it if not all in that extent do.

    `name` is the argument's; its first element is number `first`, and it has `extent` bytes.
    """

    number: int
    name: str | None
    storage: Storage
    offset: int
    size: int
    item: int
    first: int = 0
    extent: int = -1
    inside: Array | None = None
    _views: dict[Any, Array] = field(default_factory=dict)

    @property
    def address(self) -> int:
        """Return the address of the first byte."""
        return self.storage.address + self.offset

    def elements(self, dtype: np.dtype[Any]) -> Array:
        """Return the whole extent as elements of `dtype`."""
        view = self._views.get(dtype)
        if view is None:
            end = self.offset + self.size // dtype.itemsize * dtype.itemsize
            view = self._views[dtype] = self.storage.bytes[self.offset : end].view(dtype)
        return view

    def from_first(self, index: Array, item: int) -> Array:
        """Return indices counted from the argument's first element."""
        return index - self.first * self.item // item if self.first else index

    def length(self, item: int) -> int:
        """Return the number of the argument's elements, first to last."""
        return (self.size if self.extent < 0 else self.extent) // item

    def outside(self, index: Array, item: int) -> Array | None:
        """Return which of these elements are not the argument's.

        They have `item` bytes. None if all are.
        """
        extent = self.size // item
        bad: Array = index.view(np.uint64) >= np.uint64(extent)  # below zero is far beyond
        inside = self.inside if item == self.item else None
        if inside is not None and extent:
            bad |= ~inside.take(index, mode="clip")
        return bad if bad.any() else None

    def distance(self, addresses: Array) -> Array:
        """Return how far into the region addresses lie, in bytes.

        They are uint64: addresses before it count as very far.
        """
        return np.asarray(addresses - np.uint64(self.address))

    def contains(self, addresses: Array) -> Array:
        """Return which addresses lie in the region."""
        return np.asarray(self.distance(addresses) < np.uint64(self.size))


def region_of(number: int, name: str, tensor: Any, storage: Storage, item: int, *, strict: bool) -> Region:
    """Return the region that an argument may touch.

    It is its storage, or if `strict` its own elements, by its shape and its strides.
    """
    storage.unit = min(storage.unit, item)
    sizes, strides = tuple(tensor.size()), tuple(tensor.stride())
    count = math.prod(sizes)
    last = sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
    extent = 1 + last if count else 0
    start = tensor.data_ptr() - storage.address
    if not strict:
        # Indices count whole elements, and the view's first one has to be among them.
        offset = start % item
        return Region(number, name, storage, offset, len(storage.bytes) - offset, item, start // item, extent * item)
    inside = None
    # Only a view with gaps needs to know which elements belong to it.
    if count and not _is_dense(sizes, strides):
        inside = np.zeros(extent, np.bool_)
        np.lib.stride_tricks.as_strided(inside, sizes, strides, writeable=True)[...] = True
        inside = None if inside.all() else inside
    return Region(number, name, storage, start, extent * item, item, inside=inside)


def _is_dense(sizes: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Return whether a view has all elements of its extent, each once."""
    expected = 1
    axes = [(stride, size) for size, stride in zip(sizes, strides, strict=True) if size > 1]
    for stride, size in sorted(axes):
        if stride != expected:
            return False
        expected *= size
    return True
