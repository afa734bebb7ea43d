"""A GPU's lock: checks share it, a timing has it alone."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable

import pytest
import torch

from triton_workshop.pool.gpu_lock import GpuLock

SECONDS = 10.0
"""Seconds that a thread has to get somewhere."""


def in_thread(act: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=act, daemon=True)
    thread.start()
    return thread


def test_checks_share_the_gpu() -> None:
    lock, together = GpuLock(), threading.Barrier(2)

    def check() -> None:
        with lock.shared():
            together.wait(SECONDS)

    threads = [in_thread(check) for _ in range(2)]
    for thread in threads:
        thread.join(SECONDS)
    assert not together.broken
    assert not any(thread.is_alive() for thread in threads)


def test_a_timing_waits_for_checks_and_newer_checks_wait_for_it() -> None:
    lock, order = GpuLock(), []
    checking, may_end, timing, may_time = (threading.Event() for _ in range(4))

    def old_check() -> None:
        with lock.shared():
            checking.set()
            may_end.wait(SECONDS)
            order.append("old check")

    def time_it() -> None:
        with lock.shared(), lock.alone():
            order.append("timing")
            timing.set()
            may_time.wait(SECONDS)
            order.append("timed")

    def new_check() -> None:
        with lock.shared():
            order.append("new check")

    threads = [in_thread(old_check)]
    assert checking.wait(SECONDS)
    threads.append(in_thread(time_it))
    with lock._changed:
        assert lock._changed.wait_for(lambda: lock._timings_waiting == 1, SECONDS)
    threads.append(in_thread(new_check))
    assert order == []
    may_end.set()
    assert timing.wait(SECONDS)
    may_time.set()
    for thread in threads:
        thread.join(SECONDS)
    assert order == ["old check", "timing", "timed", "new check"]


def test_timings_take_turns() -> None:
    lock, both = GpuLock(), threading.Barrier(2)
    running, overlaps = [0], []

    def time_it() -> None:
        with lock.shared():
            both.wait(SECONDS)
            with lock.alone():
                running[0] += 1
                overlaps.append(running[0])
                running[0] -= 1

    threads = [in_thread(time_it) for _ in range(2)]
    for thread in threads:
        thread.join(SECONDS)
    assert overlaps == [1, 1]


def test_a_check_that_waits_leaves_the_gpu_to_a_timing() -> None:
    lock, order = GpuLock(), []
    waiting, may_go_on = threading.Event(), threading.Event()

    def check() -> None:
        with lock.shared():
            with lock.released():
                waiting.set()
                may_go_on.wait(SECONDS)
            order.append("check")

    thread = in_thread(check)
    assert waiting.wait(SECONDS)
    with lock.shared(), lock.alone():
        may_go_on.set()
        with lock.released():  # it keeps it
            thread.join(0.2)
        order.append("timing")
    thread.join(SECONDS)
    assert order == ["timing", "check"]


def test_a_check_gives_way_to_a_timing_that_waits() -> None:
    lock, order = GpuLock(), []
    checking = threading.Event()

    def check() -> None:
        with lock.shared():
            lock.give_way()  # to nobody
            checking.set()
            with lock._changed:
                assert lock._changed.wait_for(lambda: lock._timings_waiting == 1, SECONDS)
            lock.give_way()
            order.append("check")

    thread = in_thread(check)
    assert checking.wait(SECONDS)
    with lock.shared(), lock.alone():
        lock.give_way()  # it keeps the GPU
        order.append("timing")
    thread.join(SECONDS)
    assert order == ["timing", "check"]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="cached_property holds a lock")
def test_operations_give_way() -> None:
    calls: list[int] = []
    lock = GpuLock()
    lock.give_way = lambda: calls.append(1)  # type: ignore[method-assign]
    with lock.giving_way():
        assert int(torch.ones(3).sum()) == 3
    assert calls
    count = len(calls)
    torch.ones(3)
    assert len(calls) == count
