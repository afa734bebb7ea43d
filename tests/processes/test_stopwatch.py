"""How the time of a process is counted, on a busy machine too."""

from __future__ import annotations

import os
from collections.abc import Iterable

import pytest

from triton_workshop.processes.stopwatch import SHARE, Stopwatch, counted, processor_seconds_of


@pytest.mark.parametrize(
    ("used", "seconds"),
    [
        (1.0, 1.0),  # it has a processor for itself
        (0.5, 0.5),  # it shares one
        (0.1, SHARE),  # with many: what never ends is ended all the same
        (4.0, 1.0),  # it uses several
        (0.0, 1.0),  # it sleeps, or waits for another process
        (0.01, 1.0),
        (None, SHARE),  # nobody knows
    ],
)
def test_a_second_counts_as_much_as_the_process_has_had_of_it(used: float | None, seconds: float) -> None:
    assert counted(1.0, used) == seconds


def read(times: Iterable[tuple[float, float | None]]) -> list[float]:
    """What a stopwatch shows at these times of the clock and of the processor."""
    clock, processor = zip(*times, strict=True)
    clocks, processors = iter(clock), iter(processor)
    stopwatch = Stopwatch(lambda: next(processors), 0.5, lambda: next(clocks))
    return [stopwatch.read() for _ in clock[1:]]


def test_a_process_that_others_keep_waiting_has_all_its_time() -> None:
    assert read([(0, 0), (10, 3), (20, 6), (30, 9)]) == [3, 6, 9]


def test_a_moment_without_a_processor_is_no_sleep() -> None:
    clock, used = iter([0, 0.1, 0.2, 0.6]), iter([0, 0.2])
    stopwatch = Stopwatch(lambda: next(used), 0.5, lambda: next(clock))
    assert [stopwatch.read() for _ in range(3)] == [0, 0, pytest.approx(0.2)]


def test_the_time_of_a_process_that_has_ended_is_not_known() -> None:
    ours = processor_seconds_of(os.getpid())
    assert ours is None or ours > 0
    assert processor_seconds_of(2**22 + 1) is None
