"""Shadows of storages: the last writers and readers of each element."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from triton_simulator.races.names import Names
from triton_simulator.storage.accesses import Access
from triton_simulator.storage.undo import Undo
from triton_simulator.values.formats import Array


class Table:
    """Name of one access to each element, which a group may undo."""

    def __init__(self, elements: int, names: Names, undo: Undo) -> None:
        self._data: Array = np.zeros(elements, names.dtype)
        self._several = np.array(names.several, names.dtype)
        self._undo = undo

    def __getitem__(self, marks: Array | slice) -> Array:
        return self._data[marks]

    def put(self, marks: Array | slice, names: Array) -> None:
        """Write names, the last of them where an element occurs again."""
        self._undo.put(self._data, marks, names)

    def put_several(self, marks: Array | slice, where: Array | None = None) -> None:
        """Write the name for several programs; `where` says where."""
        if where is None:
            self.put(marks, self._several)
        elif where.any():
            self.put(as_indices(marks)[where], self._several)


class Shadow:
    """Names of the last writers and readers of a storage's elements."""

    def __init__(self, elements: int, names: Names, undo: Undo, *, readers: bool) -> None:
        self.names = names
        self._elements = elements
        self._undo = undo
        self.writers = Table(elements, names, undo)
        self.readers = Table(elements, names, undo) if readers else None
        self.silent: Table | None = None
        """Last writers that stored a value already there.

        None of the readers can notice such a store. The value is None if there was no such writer.
        """

    def silent_writers(self) -> Table:
        """Return the silent writers, whose table is made when needed."""
        if self.silent is None:
            self.silent = Table(self._elements, self.names, self._undo)
        return self.silent


@dataclass(frozen=True)
class NamedAccess:
    """Access, with the names that it has in a shadow, and where."""

    access: Access
    shadow: Shadow
    marks: Array | slice
    """The elements' places in the shadow."""
    names: Array

    def select(self, where: Array) -> NamedAccess:
        """Return the accesses where `where` is true."""
        return NamedAccess(self.access.select(where), self.shadow, as_indices(self.marks)[where], self.names[where])


def as_indices(marks: Array | slice) -> Array:
    """Return places as an array."""
    return np.arange(marks.start, marks.stop) if isinstance(marks, slice) else marks
