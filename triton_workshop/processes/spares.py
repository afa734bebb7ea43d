"""Spare processes, ready for use because starting one takes seconds."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, Protocol, TypeVar

from triton_workshop.processes.process import call_later

SETTLE_SECONDS = 1.5
"""Seconds after a spare got work before the next one is started.

Its imports would share the cores with that work.
"""


class Spare(Protocol):
    """A process that waits for something to do."""

    def has_ended(self) -> bool: ...

    def close(self) -> None:
        """End it."""


S = TypeVar("S", bound=Spare)


class SparePool(Generic[S]):
    """So many processes that wait. Every method may be called from any thread."""

    def __init__(self, start: Callable[[], S], max_count: int, seconds: float | None) -> None:
        """Create a pool of at most `max_count` spares.

        `start` raises OSError. The spares end after so many seconds in which none was taken; with None, they do not.
        With 0 there are none.
        """
        self._start, self._max_count, self._seconds = start, max_count, seconds
        self._waiting: list[S] = []
        self._timer = threading.Timer(0, self.drop)
        """The timer of the next action."""
        self._lock = threading.RLock()
        self._closed = False

    @property
    def _is_off(self) -> bool:
        """True if none may wait."""
        return self._closed or self._seconds == 0

    def fill(self) -> None:
        """Start those that are missing."""
        with self._lock, suppress(OSError):
            if self._is_off:
                return
            while len(self._waiting) < self._max_count:
                self._waiting.append(self._start())
            if self._seconds is not None:
                self._schedule(self._seconds, self.drop)

    def refill_later(self) -> None:
        """Start those that are missing a moment later.

        The moment begins when one has got something to do. `fill` may come first.
        """
        with self._lock:
            self._schedule(SETTLE_SECONDS, self.fill)

    def take(self) -> S | None:
        """Return the one that has waited longest, if there is one."""
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
            is_needed = not self._is_off and len(self._waiting) < self._max_count
            if is_needed:
                self._waiting.append(spare)
                return
        spare.close()

    def drop(self) -> None:
        """End those that wait."""
        with self._lock:
            self._timer.cancel()
            waiting, self._waiting = self._waiting, []
        for spare in waiting:
            spare.close()

    def close(self) -> None:
        """End those that wait, for good."""
        with self._lock:
            self._closed = True
        self.drop()

    def _schedule(self, seconds: float, act: Callable[[], None]) -> None:
        self._timer.cancel()
        self._timer = call_later(seconds, act)
