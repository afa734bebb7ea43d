"""Accesses of a load or a store.

They lead from pointers and masks of a group to elements of memory, program by program.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from triton_simulator.storage.regions import Region
from triton_simulator.values.formats import Array
from triton_simulator.values.value import Value


@dataclass(frozen=True)
class Lanes:
    """Lanes of a block in each program of a group.

    An access has those that are `chosen` (None: all).
    """

    shape: tuple[int, ...]
    index: Array
    chosen: Array | None
    group: Array

    @property
    def size(self) -> int:
        """Elements of the block."""
        return math.prod(self.shape)

    @property
    def full_shape(self) -> tuple[int, ...]:
        """The block's shape, after the number of programs."""
        return len(self.group), *self.shape

    def select(self, data: Array) -> Array:
        """Return an array's elements of the access, program by program."""
        return flatten(data, self.full_shape, self.chosen)

    def slots(self) -> Array:
        """Return the slot of each element of the access.

        It is the lane, plus the block's size times the position of its program.
        """
        return self.select(np.arange(math.prod(self.full_shape)).reshape(self.full_shape))


@dataclass(frozen=True)
class Access:
    """Elements that a group loads or stores.

    Program `owners[i]` accesses element `index[i]` of a region, in that order.

    `run` is the index as a slice where it counts up by one, as numpy copies that much faster, and the index otherwise.
    """

    region: Region
    index: Array
    run: Array | slice
    owners: Array
    item: int
    """Bytes of an element."""
    lanes: Lanes | None = None
    """Indices of the elements in a block, unless it is a part of an access."""

    @property
    def addresses(self) -> Array:
        """Return the addresses of the elements."""
        return self.region.address + self.index * self.item

    def select(self, where: Array) -> Access:
        """Return the accesses where `where` is true."""
        index = self.index[where]
        return Access(self.region, index, index, self.owners[where], self.item)


def include_undefined(mask: Value | None) -> Value | None:
    """Return a mask that also holds where it is undefined."""
    if mask is None or mask.poison is None:
        return mask
    return Value(mask.data | np.asarray(mask.poison), mask.dtype, mask.shape)


def make_access(region: Region, lanes: Lanes, item: int) -> Access:
    """Return the access of these lanes to elements of `item` bytes."""
    index = lanes.select(lanes.index)
    run = _as_run(index) if len(index) else index
    owners = lanes.select(along_programs(lanes.group, 1 + len(lanes.shape)))
    return Access(region, index, run, owners, item, lanes)


def gather(flat: Array, index: Array) -> Array:
    """Return `flat[index]`, with indices outside clipped.

    What those give is never used.
    """
    if not flat.size:
        return np.zeros(index.shape, flat.dtype)
    # A slice is copied several times faster than indices are looked up.
    if index.size > 1 and index.flags.c_contiguous:
        run = _as_run(index.reshape(-1))
        if isinstance(run, slice) and 0 <= run.start < run.stop <= flat.size:
            return flat[run].reshape(index.shape).copy()
    return flat.take(index, mode="clip")


def _as_run(index: Array) -> Array | slice:
    """Return a slice if the indices count up by one, otherwise the indices."""
    first, last = int(index[0]), int(index[-1])
    if len(index) == 1:
        return slice(first, first + 1)
    is_run = last - first == len(index) - 1 and (index == np.arange(first, last + 1)).all()
    return slice(first, last + 1) if is_run else index


def conflict_free_batches(index: Array) -> list[Array | slice]:
    """Return positions to be processed together.

    An element that occurs again waits for a later batch.
    """
    if len(index) == 1:
        return [slice(None)]
    # A stable order keeps the programs' order among accesses to the same element.
    order = np.argsort(index, kind="stable")
    ordered = index[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(index) else index
    if len(starts) == len(index):
        return [slice(None)]
    # How many earlier accesses there are to the same element: those of one rank never meet.
    rank = np.arange(len(index)) - np.repeat(starts, np.diff(np.r_[starts, len(index)]))
    by_rank = np.argsort(rank, kind="stable")
    return [order[chunk] for chunk in np.split(by_rank, np.cumsum(np.bincount(rank))[:-1])]


def along_programs(programs: Array, axes: int) -> Array:
    """Return the programs along the first axis of `axes` axes."""
    return programs.reshape(-1, *[1] * (axes - 1))


def access_mask(mask: Value | None, bad: Array | None) -> Array | None:
    """Return which elements are accessed; None for all.

    An accessed element is inside its tensor, and its mask is true.
    """
    if bad is not None:
        return ~bad if mask is None else mask.data & ~bad
    if mask is None:
        return None
    return None if mask.data.all() else mask.data


def flatten(data: Array, shape: tuple[int, ...], chosen: Array | None) -> Array:
    """Return the chosen elements of an array, program by program.

    The array is broadcast to `shape`.
    """
    if data.shape != shape:
        data = np.broadcast_to(data, shape)
    if chosen is None:
        return data.reshape(-1)
    return data[chosen if chosen.shape == shape else np.broadcast_to(chosen, shape)]


def select_origin(pointer: Value, mask: Value | None, origin: int) -> tuple[Value, Value]:
    """Return the pointers of one origin, and a mask for them."""
    matches: Array = np.asarray(pointer.origin == origin)
    pointers = Value(pointer.data, pointer.dtype, pointer.shape, origin, pointer.poison, pointer.wrapped)
    if mask is None:
        return pointers, Value(matches, None, pointer.shape)
    return pointers, Value(matches & mask.data, None, pointer.shape, poison=mask.poison)
