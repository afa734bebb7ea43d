"""Time that a process had, on a machine that others use as well."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

INTERVAL_SECONDS = 0.5
"""Seconds over which is seen whether a process runs or waits."""
SHARE = 0.25
"""Part of a processor's time that counts at least, however busy the machine is.

So whatever never ends is ended in a few times its limit.
"""
IDLE = 0.02
"""Part of a processor's time below which a process waits for something else, such as the end of a sleep."""


class Stopwatch:
    """Counts the seconds that a process has had.

    While it runs, that is its processor time, so that a process that others keep from running has all its time. While
    it waits, as in a sleep, all time counts.
    """

    def __init__(
        self,
        processor_seconds: Callable[[], float | None],
        interval: float = INTERVAL_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start to count.

        `processor_seconds` returns those of the process; None where they are not known.
        """
        self._processor_seconds, self._interval, self._clock = processor_seconds, interval, clock
        self._last, self._last_used = clock(), processor_seconds()
        self._seconds = 0.0

    def read(self) -> float:
        """Return the seconds until now, or until some moments ago."""
        now = self._clock()
        if now - self._last < self._interval:
            return self._seconds
        before, used = self._last_used, self._processor_seconds()
        self._seconds += counted(now - self._last, None if used is None or before is None else used - before)
        self._last, self._last_used = now, used
        return self._seconds


def counted(passed: float, used: float | None) -> float:
    """Return how much of the time that has passed counts.

    The processor time used meanwhile decides.
    """
    if used is None:
        return SHARE * passed
    return passed if used < IDLE * passed else min(passed, max(used, SHARE * passed))


def processor_seconds_of(process: int) -> float | None:
    """Return the processor time of another process.

    None where the system does not report it; Linux does.
    """
    if sys.platform != "linux":
        return None
    try:
        return time.clock_gettime((~process << 3) | 2)  # CPUCLOCK_SCHED of <linux/posix-timers.h>
    except OSError:  # it has ended
        return None
