"""Who stored and who loaded an element last, and which programs waited for which."""

from __future__ import annotations

import functools

import numpy as np

from triton_workshop.simulator.formats import Array


class Shadow:
    """One number beside each element of a storage, 0 for nobody, else program + 1: its last writer and its reader.

    The readers are kept only where the launch also stores, as only there they matter.
    """

    def __init__(self, elements: int, programs: int, *, readers: bool) -> None:
        # One value more than the programs need stands for "several programs".
        self.several = programs + 1
        kind = np.min_scalar_type(self.several)
        self.writers: Array = np.zeros(elements, kind)
        self.readers: Array | None = np.zeros(elements, kind) if readers else None


class Ordering:
    """Which programs a program has waited for, by atomics on the same address.

    An atomic that releases hands on all that its program did before; one that acquires takes over what was handed on
    at its address until then, by way of others too.
    """

    def __init__(self) -> None:
        self._events: list[tuple[int, int]] = []
        """(program, address) of each atomic on a single address, in the order in which they happened."""

    def __len__(self) -> int:
        return len(self._events)

    def happened(self, programs: Array, addresses: Array) -> None:
        self._events.extend(zip(programs.tolist(), addresses.tolist(), strict=True))

    def forget_after(self, length: int) -> None:
        del self._events[length:]

    def unordered(self, laters: Array, earliers: Array) -> Array:
        """Which of the pairs `earliers[i]` before `laters[i]` no atomic orders."""
        if not self._events:
            return np.ones(len(laters), np.bool_)
        waited_for = functools.cache(self._before)
        pairs = zip(laters.tolist(), earliers.tolist(), strict=True)
        return np.array([earlier not in waited_for(later) for later, earlier in pairs], np.bool_)

    def _before(self, program: int) -> frozenset[int]:
        """Every program that has handed something on to this one, followed backwards through the events."""
        until = {program: len(self._events)}
        addresses: dict[int, int] = {}
        # Backwards: an address matters up to the last event on it of a program that matters.
        for position in range(len(self._events) - 1, -1, -1):
            actor, address = self._events[position]
            if actor in until and position < until[actor]:
                addresses.setdefault(address, position)
            elif address in addresses:
                until.setdefault(actor, position)
                addresses.setdefault(address, position)
                until[actor] = max(until[actor], position + 1)
        return frozenset(until) - {program}
