"""Keeps processes ready that take seconds to get ready, for as long as somebody may need them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, Protocol, TypeVar

from triton_workshop.processes.process import later

SETTLE_SECONDS = 1.5
"""Seconds in which a process that has got something to do need not share the cores with the next one's imports."""


class Spare(Protocol):
    """A process that waits for something to do."""

    def has_ended(self) -> bool: ...

    def close(self) -> None:
        """End it."""


S = TypeVar("S", bound=Spare)


class Spares(Generic[S]):
    """So many processes that wait. Every method may be called from any thread."""

    def __init__(self, start: Callable[[], S], most: int, seconds: float | None) -> None:
        """`start` raises OSError. They end after so many seconds in which none was taken; with None, they do not.

        With 0 there are none.
        """
        self._start, self._most, self._seconds = start, most, seconds
        self._waiting: list[S] = []
        self._clock = threading.Timer(0, self.drop)
        """When to do the next thing without being asked."""
        self._lock = threading.RLock()
        self._closed = False

    def fill(self) -> None:
        """Start those that are missing."""
        with self._lock, suppress(OSError):
            if self._closed or self._seconds == 0:
                return
            while len(self._waiting) < self._most:
                self._waiting.append(self._start())
            if self._seconds is not None:
                self._then(self._seconds, self.drop)

    def fill_soon(self) -> None:
        """The same a moment after one has got something to do, unless somebody asks for it before."""
        with self._lock:
            self._then(SETTLE_SECONDS, self.fill)

    def take(self) -> S | None:
        """The one that has waited longest, if there is one."""
        with self._lock:
            while self._waiting:
                spare = self._waiting.pop(0)
                if not spare.has_ended():
                    return spare
                spare.close()
            return None

    def give_back(self, spare: S) -> None:
        """Keep one that got nothing to do after all."""
        with self._lock:
            if not self._closed and self._seconds != 0 and len(self._waiting) < self._most:
                self._waiting.append(spare)
                return
        spare.close()

    def drop(self) -> None:
        """End those that wait."""
        with self._lock:
            self._clock.cancel()
            waiting, self._waiting = self._waiting, []
        for spare in waiting:
            spare.close()

    def close(self) -> None:
        """End those that wait, for good."""
        with self._lock:
            self._closed = True
        self.drop()

    def _then(self, seconds: float, act: Callable[[], None]) -> None:
        self._clock.cancel()
        self._clock = later(seconds, act)
