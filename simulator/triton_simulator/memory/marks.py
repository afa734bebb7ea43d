"""Marks of the elements of a region that a launch has come to."""

from __future__ import annotations

import numpy as np

from triton_simulator.storage.accesses import Access
from triton_simulator.storage.regions import Region
from triton_simulator.values.formats import Array

LARGE = 1 << 26
"""Elements from which on a region has most of its memory only mapped.

It takes long to go through all of it.
"""
CHUNK_BITS = 16


class Marks:
    """Elements of a region that a launch has come to.

    Of a large region, only chunks that have any are counted.

    A mark stands for `unit` bytes: an element, or less once a pointer to smaller elements has been there.
    """

    def __init__(self, region: Region) -> None:
        # Rounded up: the last bytes of a view may be less than an element.
        size = -(-region.size // region.item)
        self.unit = region.item
        self.elements: Array = np.zeros(size, np.bool_)
        self._chunks = np.zeros((size >> CHUNK_BITS) + 1, np.bool_) if size >= LARGE else None

    def add(self, access: Access) -> None:
        """Mark what an access has come to."""
        index = self._marks_of(access)
        self.elements[access.run if index is access.index else index] = True
        if self._chunks is not None:
            self._chunks[index >> CHUNK_BITS] = True

    def add_new(self, access: Access) -> int:
        """Mark what an access has come to; return the bytes that were new."""
        index = self._marks_of(access)
        new = np.unique(index[~self.elements[index]])
        self.elements[new] = True
        return len(new) * self.unit

    def count(self) -> int:
        """Return the number of marked bytes."""
        if self._chunks is None:
            return int(np.count_nonzero(self.elements)) * self.unit
        starts = np.flatnonzero(self._chunks) << CHUNK_BITS
        chunks = (self.elements[start : start + (1 << CHUNK_BITS)] for start in starts)
        return sum(int(np.count_nonzero(chunk)) for chunk in chunks) * self.unit

    def by_byte(self, size: int) -> Array:
        """Return which of a region's `size` bytes are marked."""
        return np.repeat(self.elements, self.unit)[:size]

    def _marks_of(self, access: Access) -> Array:
        """Return the numbers of an access's marks.

        A kernel may have cast its pointer to elements of another size than the region's.
        """
        if access.item < self.unit:
            self.elements = np.repeat(self.elements, self.unit // access.item)
            self.unit, self._chunks = access.item, None
        marks = access.item // self.unit
        return access.index if marks == 1 else (access.index[:, None] * marks + np.arange(marks)).reshape(-1)
