"""Lock of a GPU: many jobs share it, and a timing has it alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class GpuLock:
    """Readers-writer lock in which writers come first.

    So checks, which read, cannot starve a timing, which writes.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._sharing = 0
        self._timings_waiting = 0
        self._timing_thread: int | None = None

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Share the GPU with other jobs.

        Waits while a timing runs, or waits for the GPU.
        """
        self._enter()
        try:
            yield
        finally:
            self._leave()

    @contextmanager
    def released(self) -> Iterator[None]:
        """Leave the GPU to others, for a thread that shares it now.

        A thread that has it alone keeps it.
        """
        if self._timing_thread == threading.get_ident():
            yield
            return
        self._leave()
        try:
            yield
        finally:
            self._enter()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Have the GPU alone, for a thread that shares it now.

        It does not count as sharing while it waits, or two timings would wait for each other.
        """
        with self._changed:
            self._sharing -= 1
            self._timings_waiting += 1
            self._changed.notify_all()
            try:
                self._changed.wait_for(lambda: self._timing_thread is None and not self._sharing)
                self._timing_thread = threading.get_ident()
            finally:
                self._timings_waiting -= 1
        try:
            yield
        finally:
            with self._changed:
                self._timing_thread = None
                self._sharing += 1
                self._changed.notify_all()

    def _enter(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._timing_thread is None and not self._timings_waiting)
            self._sharing += 1

    def _leave(self) -> None:
        with self._changed:
            self._sharing -= 1
            self._changed.notify_all()
