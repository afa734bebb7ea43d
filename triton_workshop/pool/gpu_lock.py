"""Lock of a GPU: many jobs share it, and a timing has it alone."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from torch.overrides import TorchFunctionMode


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

    def give_way(self) -> None:
        """Let a timing go first that waits, for a thread that shares the GPU now."""
        if not self._timings_waiting:
            return
        if self._timing_thread != threading.get_ident():
            with self.released():
                pass

    def giving_way(self) -> AbstractContextManager[object]:
        """Give way before each of PyTorch's operations, where no lock is held.

        Without it, a timing waits for whole comparisons. Before Python 3.12, `cached_property` holds a lock.
        """
        return _GivesWay(self.give_way) if sys.version_info >= (3, 12) else nullcontext()

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


class _GivesWay(TorchFunctionMode):
    """Calls something before each of PyTorch's operations in this thread."""

    def __init__(self, give_way: Callable[[], None]) -> None:
        super().__init__()
        self._give_way = give_way

    def __torch_function__(
        self,
        function: Callable[..., object],
        types: object,
        args: tuple[object, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> object:
        self._give_way()
        return function(*args, **(kwargs or {}))
