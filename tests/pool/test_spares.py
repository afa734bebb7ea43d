"""Spare sandboxes are warm before a script comes, and leave the cores to those that run."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import cast

import pytest

from triton_workshop.errors import WorkshopError
from triton_workshop.pool import spares as module
from triton_workshop.pool.sandbox import End, Sandbox, SandboxEndedError
from triton_workshop.pool.spares import SpareSandboxes

SECONDS = 10.0


class FakeSandbox:
    """Gets ready when it may, or fails."""

    def __init__(self, may_be_ready: threading.Event, error: str = "") -> None:
        self.may_be_ready, self.error = may_be_ready, error
        self.is_suspended = self.is_closed = False

    def wait_until_ready(self) -> None:
        assert self.may_be_ready.wait(SECONDS)
        if self.error:
            raise SandboxEndedError(End.CLOSED)

    def suspend(self) -> None:
        self.is_suspended = True

    def resume(self) -> None:
        self.is_suspended = False

    def has_ended(self) -> bool:
        return self.is_closed

    def errors(self) -> str:
        return self.error

    def end(self, _reason: End) -> None:
        self.may_be_ready.set()

    def close(self) -> None:
        self.is_closed = True


class Fakes:
    """Starts sandboxes that are not, and remembers them."""

    def __init__(self) -> None:
        self.started: list[FakeSandbox] = []
        self.may_be_ready = threading.Event()
        self.may_be_ready.set()
        self.error = ""

    def start(self) -> Sandbox:
        self.started.append(FakeSandbox(self.may_be_ready, self.error))
        return cast("Sandbox", self.started[-1])


@pytest.fixture
def fakes() -> Fakes:
    return Fakes()


@pytest.fixture
def make(fakes: Fakes) -> Iterator[Callable[[int], SpareSandboxes]]:
    made: list[SpareSandboxes] = []

    def make(count: int) -> SpareSandboxes:
        made.append(SpareSandboxes(fakes.start, count, starters=1))
        return made[-1]

    yield make
    for each in made:
        each.close()


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_all_are_warm_in_the_beginning_and_the_oldest_is_taken(
    fakes: Fakes, make: Callable[[int], SpareSandboxes]
) -> None:
    spares = make(3)
    spares.wait_until_warm()
    assert len(fakes.started) == 3
    assert cast("FakeSandbox", spares.take()) is fakes.started[0]


def test_others_are_started_only_when_scripts_rest(
    fakes: Fakes, make: Callable[[int], SpareSandboxes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CALM_SECONDS", 0.5)
    spares = make(8)
    spares.wait_until_warm()
    for _ in range(6):
        spares.take()
        time.sleep(0.02)
    assert len(fakes.started) == 8  # a quarter of 8 is there all the same
    wait_for(lambda: len(fakes.started) == 14)


def test_who_finds_none_waits_for_one(fakes: Fakes, make: Callable[[int], SpareSandboxes]) -> None:
    spares = make(1)
    spares.wait_until_warm()
    fakes.may_be_ready.clear()
    spares.take()
    threading.Timer(0.1, fakes.may_be_ready.set).start()
    assert cast("FakeSandbox", spares.take()) is fakes.started[1]


def test_one_that_has_died_is_not_taken(fakes: Fakes, make: Callable[[int], SpareSandboxes]) -> None:
    spares = make(2)
    spares.wait_until_warm()
    fakes.started[0].is_closed = True
    assert cast("FakeSandbox", spares.take()) is fakes.started[1]


def test_nothing_starts_while_it_is_suspended(fakes: Fakes, make: Callable[[int], SpareSandboxes]) -> None:
    fakes.may_be_ready.clear()
    spares = make(2)
    wait_for(lambda: fakes.started)
    spares.suspend()
    assert fakes.started[0].is_suspended
    fakes.may_be_ready.set()
    time.sleep(0.2)
    assert len(fakes.started) == 1
    spares.resume()
    spares.wait_until_warm()
    assert len(fakes.started) == 2


def test_failures_are_an_error_of_whom_they_keep_waiting(fakes: Fakes, make: Callable[[int], SpareSandboxes]) -> None:
    fakes.error = "no CUDA here"
    spares = make(1)
    with pytest.raises(WorkshopError, match="no CUDA here"):
        spares.take()
    wait_for(lambda: all(each.is_closed for each in fakes.started))
    count = len(fakes.started)
    time.sleep(0.2)
    assert len(fakes.started) == count  # it is not tried for ever
