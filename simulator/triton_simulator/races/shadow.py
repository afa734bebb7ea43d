"""Shadows of storages: the last writers and readers of each element."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from triton_simulator.faults import Site
from triton_simulator.races.names import NOBODY, Names
from triton_simulator.storage.accesses import Access
from triton_simulator.storage.undo import Undo, elements_at
from triton_simulator.values.formats import Array

MAX_SITES = 255
MAX_TABLE_BYTES = 64 << 20
"""Bytes of a storage up to which it is worth a byte for each element to know its line."""


MAX_KEPT = 1 << 22
"""Elements of accesses that are kept for one table, or for all threads, at about 30 bytes each."""


class Sites:
    """Lines that last came to each element, which a group may undo.

    Most kernels have one line that does so, and then there is no table.
    """

    def __init__(self, elements: int, undo: Undo) -> None:
        self._elements = elements
        self._undo = undo
        self._numbers: dict[Site, int] = {}
        self._table: Array | None = None

    def put(self, marks: Array | slice, site: Site) -> None:
        """Write the site of an access to these elements."""
        number = self._numbers.setdefault(site, min(len(self._numbers), MAX_SITES))
        needs_table = number > 0 and self._table is None
        if needs_table and self._elements <= MAX_TABLE_BYTES:
            # Until now there was one site, number 0, so zeros are right.
            self._table = np.zeros(self._elements, np.uint8)
        if self._table is not None:
            self._undo.put(self._table, marks, np.array(number, np.uint8))

    def at(self, mark: int) -> Site | None:
        """Return the site of the last access to an element, None if unknown."""
        if self._table is None:
            return self.only()
        number = int(self._table[mark])
        return [*self._numbers][number] if number < MAX_SITES else None

    def only(self) -> Site | None:
        """Return the site of all accesses, None if there are several."""
        return next(iter(self._numbers)) if len(self._numbers) == 1 else None


class Table:
    """Name of one access to each element, which a group may undo."""

    def __init__(self, elements: int, names: Names, undo: Undo) -> None:
        self._data: Array = np.zeros(elements, names.dtype)
        self._several = np.array(names.several, names.dtype)
        self._undo = undo
        self.sites = Sites(elements, undo)
        self._accesses: list[NamedAccess] = []
        self._kept = 0

    def __getitem__(self, marks: Array | slice) -> Array:
        return elements_at(self._data, marks)

    def record(self, named: NamedAccess) -> None:
        """Write an access's names, and the line that it is on."""
        self.put(named.marks, named.names)
        self.sites.put(named.marks, named.site)
        self.keep(named)

    def keep(self, named: NamedAccess) -> None:
        """Keep an access for `accesses_at`, if the plan says so."""
        if self._undo.plan.accesses and self._kept < MAX_KEPT:
            self._undo.append(self._accesses, named)
            self._kept += len(named.names)

    def accesses_at(self, mark: int) -> Iterator[tuple[Array, Site]]:
        """Yield the moments and the site of each kept access to an element."""
        for named in self._accesses:
            found = positions(named.marks, mark)
            if len(found):
                yield np.unique(named.moments[found]), named.site

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
    moments: Array
    site: Site

    def select(self, where: Array) -> NamedAccess:
        """Return the accesses where `where` is true."""
        marks = as_indices(self.marks)[where]
        access, names, moments = self.access.select(where), self.names[where], self.moments[where]
        return NamedAccess(access, self.shadow, marks, names, moments, self.site)


@dataclass(frozen=True)
class Predecessors:
    """Names of those who came to the elements of an access before."""

    table: Table
    names: Array
    foreign: Array | None = None
    """Where a name is another program's; None for nowhere."""
    untouched: bool = False

    def include_owner(self) -> bool:
        """Return whether a program has come to one of its elements itself."""
        if self.untouched:
            return False
        return self.foreign is None or bool(((self.names != NOBODY) & ~self.foreign).any())


def as_indices(marks: Array | slice) -> Array:
    """Return places as an array."""
    return np.arange(marks.start, marks.stop) if isinstance(marks, slice) else marks


def positions(marks: Array | slice, mark: int) -> Array:
    """Return the positions of an element among the places of an access."""
    if not isinstance(marks, slice):
        return np.flatnonzero(marks == mark)
    return np.arange(mark - marks.start, mark - marks.start + (marks.start <= mark < marks.stop))
