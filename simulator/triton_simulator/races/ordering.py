"""Order among programs by atomics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from triton_simulator.values.formats import Array

UNKNOWN = -1
"""The moment of an access that is only known to have happened."""


@dataclass(frozen=True)
class AtomicEvent:
    """Atomic that orders programs.

    One that releases hands on all that its program did before it; one that acquires takes over what was handed on at
    its address until then, by way of others too.
    """

    program: int
    address: int
    acquires: bool
    releases: bool
    moment: int
    """The moment of the program that it ends."""


class Ordering:
    """Happens-before among the programs of a launch.

    Each program's life is cut into moments by its events: it starts with the moment of its own number, and event k
    begins moment `programs + k`. An access is known by the moment in which it happens.
    """

    def __init__(self, programs: int, capacity: int) -> None:
        self.capacity = capacity
        """The number of events that there can be."""
        self._programs = programs
        self._events: list[AtomicEvent] = []
        self._actors: Array = np.arange(programs)
        """By moment: whose it is."""
        self._now: Array = np.arange(programs)
        """By program: its moment."""
        self._acquirers: set[int] = set()
        self._released: dict[int, int] = {}
        """By address: the last event that hands something on there."""
        self._acquired: dict[tuple[int, int], int] = {}
        """The last acquiring event, by program and address.

        It takes over what was handed on at that address.
        """
        if capacity:
            self._actors = np.concatenate([self._actors, np.zeros(capacity, np.int64)])

    def __len__(self) -> int:
        return len(self._events)

    @property
    def has_acquires(self) -> bool:
        """Return whether any event acquires."""
        return bool(self._acquirers)

    @property
    def has_releases(self) -> bool:
        """Return whether any event releases."""
        return bool(self._released)

    def record(self, programs: Array, addresses: Array, *, acquires: bool, releases: Array) -> None:
        """Record an atomic of each of these programs, in this order.

        `releases` has a bool for each.

        There must be capacity left for them. One that has nothing to hand on and nothing to take over is no event: a
        program that waits asks a thousand times.
        """
        for program, address, does_release in zip(
            programs.tolist(), addresses.tolist(), releases.tolist(), strict=True
        ):
            does_acquire = acquires and self._released.get(address, -1) > self._acquired.get((program, address), -1)
            if does_acquire or does_release:
                self._put(AtomicEvent(program, address, acquires, does_release, int(self._now[program])))

    def _put(self, event: AtomicEvent) -> None:
        number = len(self._events)
        self._events.append(event)
        self._actors[self._programs + number] = event.program
        self._now[event.program] = self._programs + number
        self._remember(number, event)

    def _remember(self, number: int, event: AtomicEvent) -> None:
        if event.acquires:
            self._acquirers.add(event.program)
            self._acquired[event.program, event.address] = number
        if event.releases:
            self._released[event.address] = number

    def truncate(self, length: int) -> None:
        """Forget all events after the first `length`."""
        if length == len(self._events):
            return
        # Backwards: a program that had several events is then back before the first of them.
        for event in reversed(self._events[length:]):
            self._now[event.program] = event.moment
        del self._events[length:]
        # What an event had replaced is not kept, so the remaining ones are recorded again.
        self._acquirers.clear()
        self._released.clear()
        self._acquired.clear()
        for number, event in enumerate(self._events):
            self._remember(number, event)

    def moments(self, programs: Array) -> Array:
        """Return the current moments of these programs."""
        return self._now[programs] if self._events else programs

    def actors(self, moments: Array) -> Array:
        """Return the programs of these moments; -1 for an unknown moment."""
        return np.where(moments == UNKNOWN, -1, self._actors.take(moments, mode="clip"))

    def unordered(self, waiters: Array, moments: Array, excluded: Array | None = None) -> Array:
        """Return which waiters have not waited for a moment's end.

        Program `waiters[i]` should have waited for `moments[i]`.

        Waiting at the address `excluded[i]` does not count. Where the moment is unknown, a program that has waited for
        anything has waited for it: a doubt is no fault.
        """
        if not self._events or not len(waiters):
            return np.ones(len(waiters), np.bool_)
        # The usual case: one program asks, and a single walk through the events answers for all its moments.
        if excluded is None and (waiters == waiters[0]).all():
            requested = moments.tolist()
            reached = self._reached(int(waiters[0]), set(requested), 0)
            return np.array([moment not in reached for moment in requested])
        addresses = np.zeros(len(waiters), np.int64) if excluded is None else excluded
        # Equal questions are asked once: a block asks the same for many of its elements.
        queries, inverse = np.unique(np.stack([waiters, addresses, moments]), axis=1, return_inverse=True)
        answers = np.ones(queries.shape[1], np.bool_)
        for waiter, address in np.unique(queries[:2], axis=1).T.tolist():
            matches = (queries[0] == waiter) & (queries[1] == address)
            requested = queries[2][matches].tolist()
            reached = self._reached(waiter, set(requested), address)
            answers[matches] = [moment not in reached for moment in requested]
        # NumPy 2.0.0 gives the inverse more than one axis.
        return answers[inverse.reshape(-1)]

    def _reached(self, program: int, moments: set[int], excluded: int) -> set[int]:
        """Return the moments that ended before this program's moment began.

        The events are followed backwards.
        """
        reached = {UNKNOWN} if program in self._acquirers else set()
        pending: dict[int, set[int]] = {}
        for moment in moments - {UNKNOWN}:
            pending.setdefault(int(self._actors[moment]), set()).add(moment)
        visited, addresses = {program}, set[int]()
        for number in range(len(self._events) - 1, -1, -1):
            if not pending:
                break
            event = self._events[number]
            # Waiting at the element itself is luck: see `Races.update`.
            if event.address == excluded:
                continue
            # An event matters if its program is reached already, or if it releases at an address where a reached one
            # acquired.
            if event.program not in visited:
                if not (event.releases and event.address in addresses):
                    continue
                visited.add(event.program)
                start = self._programs + number
                reached |= {moment for moment in pending.pop(event.program, ()) if moment < start}
            if event.acquires:
                addresses.add(event.address)
        return reached
