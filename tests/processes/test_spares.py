"""Processes that are kept ready: how many, how long, and for whom. No process runs here, and no clock."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from triton_workshop.processes import spares as spares_module
from triton_workshop.processes.spares import SETTLE_SECONDS, SparePool


class Waiting:
    """One that waits for something to do."""

    def __init__(self) -> None:
        self.ended = self.closed = False

    def has_ended(self) -> bool:
        return self.ended

    def close(self) -> None:
        self.closed = True


class Clock:
    """What is to happen later, which a test lets happen."""

    def __init__(self) -> None:
        self.seconds: float | None = None

    def call_later(self, seconds: float, act: Callable[[], None]) -> threading.Timer:
        self.seconds = seconds
        self.timer = threading.Timer(seconds, act)
        return self.timer

    def strike(self) -> None:
        assert not self.timer.finished.is_set(), "it was cancelled"
        self.timer.function()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(spares_module, "call_later", clock.call_later)
    return clock


@pytest.fixture
def started() -> list[Waiting]:
    return []


def spares_of(started: list[Waiting], seconds: float | None = 60) -> SparePool[Waiting]:
    def start() -> Waiting:
        started.append(Waiting())
        return started[-1]

    return SparePool(start, max_count=2, seconds=seconds)


def test_there_are_never_more_than_the_most(clock: Clock, started: list[Waiting]) -> None:
    spares = spares_of(started)
    spares.fill()
    spares.fill()
    assert len(started) == 2
    assert spares.take() is started[0]
    spares.fill()
    spares.give_back(started[0])
    assert len(started) == 3
    assert [each.closed for each in started] == [True, False, False]


def test_who_has_waited_longest_is_first_and_without_any_there_is_none(clock: Clock, started: list[Waiting]) -> None:
    spares = spares_of(started)
    assert spares.take() is None
    spares.fill()
    assert [spares.take(), spares.take(), spares.take()] == [*started, None]


def test_one_that_has_ended_is_closed_and_not_given_out(clock: Clock, started: list[Waiting]) -> None:
    spares = spares_of(started)
    spares.fill()
    started[0].ended = True
    assert spares.take() is started[1]
    assert started[0].closed


def test_another_takes_its_place_a_moment_later(clock: Clock, started: list[Waiting]) -> None:
    spares = spares_of(started)
    spares.fill()
    spares.take()
    spares.refill_later()
    assert (len(started), clock.seconds) == (2, SETTLE_SECONDS)
    clock.strike()
    assert len(started) == 3


def test_one_that_did_nothing_is_given_out_again(clock: Clock, started: list[Waiting]) -> None:
    spares = spares_of(started)
    spares.fill()
    first = spares.take()
    assert first is not None
    spares.give_back(first)
    assert {spares.take(), spares.take()} == set(started)
    assert not first.closed


def test_who_waits_too_long_ends_and_the_next_use_starts_others(clock: Clock, started: list[Waiting]) -> None:
    spares = spares_of(started, seconds=900)
    spares.fill()
    assert clock.seconds == 900
    clock.strike()
    assert [each.closed for each in started] == [True, True]
    assert spares.take() is None
    spares.refill_later()
    clock.strike()
    assert len(started) == 4


def test_without_a_time_nobody_is_ended(clock: Clock, started: list[Waiting]) -> None:
    spares = spares_of(started, seconds=None)
    spares.fill()
    assert clock.seconds is None
    assert len(started) == 2


def test_with_no_time_at_all_there_are_none(clock: Clock, started: list[Waiting]) -> None:
    spares = spares_of(started, seconds=0)
    spares.fill()
    spares.refill_later()
    clock.strike()
    assert started == []
    late = Waiting()
    spares.give_back(late)
    assert late.closed


def test_after_the_end_nobody_is_kept(clock: Clock, started: list[Waiting]) -> None:
    spares = spares_of(started)
    spares.fill()
    taken = spares.take()
    spares.close()
    assert started[1].closed
    assert taken is not None
    spares.give_back(taken)
    assert taken.closed
    spares.fill()
    assert len(started) == 2
    assert spares.take() is None


def test_what_cannot_start_is_missed_by_nobody(clock: Clock) -> None:
    def fails() -> Waiting:
        raise OSError("no more processes")

    spares = SparePool(fails, max_count=2, seconds=60)
    spares.fill()
    assert spares.take() is None
