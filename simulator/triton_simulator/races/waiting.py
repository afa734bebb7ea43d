"""Programs that wait for each other.

One that looks at the same elements again lets the others run.
"""

from __future__ import annotations

import contextvars
import sys
import threading
from collections import deque
from collections.abc import Callable

from triton_simulator.errors import SimulatorError
from triton_simulator.faults import FaultLog, Kind
from triton_simulator.signals import LaunchAborted, Signal
from triton_simulator.values.formats import Array

MAX_THREADS = 1024
"""Most programs that may be under way at a time.

A GPU too holds only so many.
"""
HAS_THREADS = sys.platform != "emscripten"
"""False in a page of a browser, whose Python has none."""
NO_THREADS = (
    "The programs of this kernel wait for each other. A page has no threads, so it cannot run them; on your laptop "
    "they run."
)
MAX_IDLE_POLLS, MAX_IDLE_POLLS_PER_PROGRAM = 1000, 100
"""Polls in vain, of all and of each, until it is clear that nobody stores."""


class LaunchStopped(Signal):
    """The launch ends in another thread."""


class Polls:
    """Elements that the running programs have polled.

    They are polled by atomics and volatile loads; a change of memory clears them.
    """

    def __init__(self) -> None:
        self._locations: set[int] = set()
        self._repeats = 0

    def forget(self) -> None:
        """Forget all polls."""
        self._locations.clear()
        self._repeats = 0

    def record(self, origin: int, index: Array) -> int:
        """Record a poll of these elements.

        Return how often in a row the same elements were polled.
        """
        # A hash stands for the elements: a collision only makes a program wait once too often.
        location = hash((origin, index.tobytes()))
        self._repeats = self._repeats + 1 if location in self._locations else 0
        self._locations.add(location)
        return self._repeats


class Scheduler:
    """Scheduler that runs programs one at a time, in grid order.

    One that waits lets the others run.

    It keeps its thread, where it goes on when all others have waited or ended. A launch in which nobody waits needs no
    thread but the caller's.
    """

    def __init__(self, programs: int, run: Callable[[int], None], log: FaultLog) -> None:
        self._programs = programs
        self._run = run
        self._log = log
        self._started = 0
        self._idle_polls = 0
        self._waiting: deque[threading.Event] = deque()
        self._threads: list[threading.Thread] = []
        self._finished = threading.Event()
        self._stopping = False
        self._error: BaseException | None = None

    def run(self) -> None:
        """Run all programs. Raises what one of them raises."""
        try:
            self._run_next()
            self._finished.wait()
        finally:
            self._stop()
            for thread in self._threads:
                thread.join(timeout=1)
        if self._error is not None:
            raise self._error

    def memory_changed(self) -> None:
        """Record that memory has changed: whoever waits should look again."""
        self._idle_polls = 0

    def wait(self, program: Array) -> None:
        """Let others run, and return when it is this program's turn again.

        Raises SimulatorError where there are no threads.
        """
        if not HAS_THREADS:
            raise SimulatorError(NO_THREADS)
        self._idle_polls += 1
        turn = threading.Event()
        # A program that has not started may store what this one waits for, so new programs come first.
        if self._started < self._programs and len(self._waiting) < MAX_THREADS:
            self._waiting.append(turn)
            context = contextvars.copy_context()  # numpy's warnings are off in it
            self._threads.append(threading.Thread(target=context.run, args=(self._run_next,), daemon=True))
            self._threads[-1].start()
        else:
            if self._idle_polls > MAX_IDLE_POLLS + MAX_IDLE_POLLS_PER_PROGRAM * len(self._waiting):
                self._log.add(Kind.ENDLESS_WAIT, program)
                raise LaunchAborted
            if not self._waiting:
                return
            self._waiting.append(turn)
            self._waiting.popleft().set()
        turn.wait()
        if self._stopping:
            raise LaunchStopped

    def _run_next(self) -> None:
        """Start one program after the other.

        The last one has started, or the launch has ended, when it returns.
        """
        try:
            while self._started < self._programs and not self._stopping:
                self._started += 1
                self._idle_polls = 0
                self._run(self._started - 1)
        except LaunchStopped:
            return
        except BaseException as error:  # raised again where the launch was started
            self._error = self._error or error
            self._stop()
            return
        # All have started: whoever waits longest goes on.
        if self._waiting:
            self._idle_polls = 0
            self._waiting.popleft().set()
        else:
            self._finished.set()

    def _stop(self) -> None:
        self._stopping = True
        self._finished.set()
        # Each wakes up, sees that the launch ends, and raises LaunchStopped.
        for turn in tuple(self._waiting):
            turn.set()
