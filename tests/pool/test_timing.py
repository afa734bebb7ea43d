"""A batch's time is the script's own if the judge's clock agrees, and delays by others do not count."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from triton_workshop.pool.timing import EXTRA_BATCHES, GPU_PACE, LONGEST_BATCH, RemoteBatch

CALLS = 10
GOOD, DELAYED, LYING = (1.0, 11.0), (1.0, 14.0), (0.1, 11.0)
"""Milliseconds that a batch claims for each call, and that the judge sees for all."""


def batch_of(monkeypatch: pytest.MonkeyPatch, *runs: tuple[float, float]) -> RemoteBatch:
    """Return a batch whose runs have these times, the last of them for ever."""
    sandbox = SimpleNamespace(deadline=lambda seconds: seconds)
    batch = RemoteBatch(cast("Any", SimpleNamespace(sandbox=sandbox)), (), GPU_PACE)
    remaining = [*runs]
    monkeypatch.setattr(batch, "_run", lambda *_: remaining.pop(0) if len(remaining) > 1 else remaining[0])
    return batch


def test_a_claim_that_the_judge_can_explain_is_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = batch_of(monkeypatch, GOOD)
    assert [batch.time(CALLS) for _ in range(4)] == [1.0] * 4
    assert batch.is_believed()


def test_batches_that_others_delay_are_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = batch_of(monkeypatch, DELAYED, GOOD, DELAYED, GOOD, GOOD, DELAYED, GOOD)
    assert [batch.time(CALLS) for _ in range(4)] == [1.0] * 4
    assert batch.is_believed()


def test_a_claim_that_stays_too_small_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = batch_of(monkeypatch, LYING)
    assert [batch.time(CALLS) for _ in range(3)] == [1.1] * 3  # the judge's
    assert not batch.is_believed()


def test_only_so_many_batches_are_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody else waits for the GPU meanwhile."""
    longest = LONGEST_BATCH * GPU_PACE.batch
    batch = batch_of(monkeypatch, *[(0.1, longest)] * (EXTRA_BATCHES + 1), GOOD)
    assert batch.time(CALLS) == longest / CALLS
    assert batch.time(CALLS) == 1.0


def test_a_batch_is_lengthened_until_its_calls_fill_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first run is slow, and of the next one, messages and inputs take most."""
    batch = batch_of(monkeypatch, (1.0, 24.0), (1.0, 3.0), (1.0, 6.0), (1.0, 12.0))
    batch.limit = 0.1
    batch.lengthen(CALLS)
    assert batch.time(CALLS) == 12.0 / (8 * CALLS)  # so many launches; the claim is too large for 12 ms


def test_a_batch_gets_no_longer_than_its_calls_allow(monkeypatch: pytest.MonkeyPatch) -> None:
    """A script that answers at once while its batch gets its length, and later says that all its time was calls."""
    batch = batch_of(monkeypatch, *[(0.001, 0.3)] * 3, (12.0 / 64_000 / CALLS, 12.0))
    batch.limit = 1.0
    batch.lengthen(CALLS)
    assert batch.time(CALLS) == 12.0 / (5 * CALLS)  # a batch of 48 ms, if calls take as long as the limit


def test_no_call_takes_less_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = batch_of(monkeypatch, (0.5, 5.5))
    batch.limit = 1.0
    assert [batch.time(CALLS) for _ in range(3)] == [0.55] * 3  # the judge's
    assert not batch.is_believed()


def test_a_script_that_works_only_where_it_is_judged_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = batch_of(monkeypatch, GOOD, GOOD, (1.5, 16.0))
    assert [batch.time(CALLS) for _ in range(3)] == [1.0, 1.0, 1.5]
    assert not batch.is_believed()


def test_a_batch_that_is_long_enough_is_not_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = batch_of(monkeypatch, (25.0, 500.0), (25.0, 500.0), (1.2, 12.0))
    batch.limit = 0.1
    batch.lengthen(CALLS)
    assert batch.time(CALLS) == 1.2
