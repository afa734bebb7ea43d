"""Lock of a GPU: many checks share it, and a timing has it alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class GpuLock:
    """Readers-writer lock in which writers come first, so that checks cannot starve a timing."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._checks = 0
        self._timings_waiting = 0
        self._is_timing = False

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Share the GPU with other checks. Waits while a timing runs, or waits for the GPU."""
        with self._changed:
            self._changed.wait_for(lambda: not (self._is_timing or self._timings_waiting))
            self._checks += 1
        try:
            yield
        finally:
            with self._changed:
                self._checks -= 1
                self._changed.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Have the GPU alone, for a thread that shares it now.

        It counts as no check while it waits, or two timings would wait for each other.
        """
        with self._changed:
            self._checks -= 1
            self._timings_waiting += 1
            self._changed.notify_all()
            try:
                self._changed.wait_for(lambda: not (self._is_timing or self._checks))
                self._is_timing = True
            finally:
                self._timings_waiting -= 1
        try:
            yield
        finally:
            with self._changed:
                self._is_timing = False
                self._checks += 1
                self._changed.notify_all()
