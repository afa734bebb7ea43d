"""Undo of what a group of programs has changed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from triton_simulator.signals import Plan, RestartOneByOne
from triton_simulator.values.formats import Array

UNDO_LIMIT_BYTES = 128 << 20
"""Bytes that a group may keep for undoing.

Beyond that, programs run one by one, which never needs undoing.
"""


def elements_at(array: Array, where: Array | slice) -> Array:
    """Return an array's elements: a view of a range, a copy for indices."""
    # It is what `array[where]` means, but numpy's `take` needs two thirds of the time.
    return array[where] if isinstance(where, slice) else array.take(where)


class Undo:
    """Writes to arrays and lists, undone later if the plan says so."""

    def __init__(self) -> None:
        self.plan = Plan()
        self._entries: list[tuple[Array, Array | slice, Array]] = []
        self._lists: list[list[Any]] = []
        self._bytes = 0

    def put(self, array: Array, where: Array | slice, values: Array, current: Array | None = None) -> None:
        """Carry out `array[where] = values`, and keep what was there.

        A caller that has looked up `current` by `elements_at` may hand it over.
        """
        if self.plan.records_undo:
            previous = elements_at(array, where) if current is None else current
            if isinstance(where, slice):
                previous = previous.copy()
            self._entries.append((array, where, previous))
            self._bytes += previous.nbytes + (0 if isinstance(where, slice) else where.nbytes)
            if self._bytes > UNDO_LIMIT_BYTES:
                raise RestartOneByOne("too much to undo", replace(self.plan, records_undo=False))
        array[where] = values

    def append(self, items: list[Any], item: object) -> None:
        """Carry out `items.append(item)`."""
        if self.plan.records_undo:
            self._lists.append(items)
        items.append(item)

    def forget(self) -> None:
        """Forget all changes, which then stay."""
        self._entries.clear()
        self._lists.clear()
        self._bytes = 0

    def roll_back(self) -> None:
        """Undo all changes, the last one first."""
        for array, where, previous in reversed(self._entries):
            array[where] = previous
        for items in self._lists:
            items.pop()
        self.forget()
