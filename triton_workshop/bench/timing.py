"""Times on a GPU, in milliseconds.

Imports only torch and Triton, as `python -m benchmarks.kernels` uses it too.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

import torch

ROUNDS = 4
WARMUP_MS, ROUND_MS = 10, 50
REPLAYS = 25
"""Replays of a CUDA graph in each round."""
MAX_COPIES = 256
"""Limit to the copies of the inputs.

A graph with more calls would take long to capture.
"""

Run = Callable[[], torch.Tensor]
Variant = TypeVar("Variant")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Timing:
    """Milliseconds: the median, and the range of six out of ten calls."""

    median: float
    low: float
    high: float


def summary(times: list[float]) -> Timing:
    """The summary of at least two times."""
    deciles = statistics.quantiles(times, n=10, method="inclusive")
    return Timing(statistics.median(times), deciles[1], deciles[7])


def in_turns(
    contenders: Mapping[str, tuple[Variant, ...]], sample: Callable[[Variant], list[float]], rounds: int = ROUNDS
) -> dict[str, Timing]:
    """The times of all contenders, each in its fastest way.

    The order alternates from round to round, so that a kernel that heats the GPU does not always precede the same one.
    """
    samples: dict[tuple[str, int], list[float]] = {}
    for turn in range(rounds):
        order = tuple(contenders.items())
        for name, ways in order if turn % 2 == 0 else reversed(order):
            for number, variant in enumerate(ways):
                samples.setdefault((name, number), []).extend(sample(variant))
    best: dict[str, Timing] = {}
    for (name, _), times in samples.items():
        timing = summary(times)
        if name not in best or timing.median < best[name].median:
            best[name] = timing
    return best


def cold_times(run: Run) -> list[float]:
    """Return the times of single calls, each with an empty L2 cache.

    `triton.testing.do_bench` empties it.
    """
    from triton.testing import do_bench

    times: list[float] = do_bench(run, warmup=WARMUP_MS, rep=ROUND_MS, return_mode="all")
    return times


@dataclass(frozen=True)
class TimedCall:
    """A contender that is ready to be timed."""

    sample: Callable[[], list[float]]
    """Milliseconds of single calls."""
    graph: bool
    """True if the calls are replayed.

    Launching them from Python then costs nothing.
    """
    alive: Sequence[Run] = ()
    """The calls in the graph: it reads their inputs, wherever these were."""


@dataclass(frozen=True)
class Recorded(Generic[Result]):
    """A CUDA graph of several runs."""

    replay: Callable[[], None]
    results: Sequence[Result]
    """What the runs return, of which each replay writes the numbers."""


def replayed_times(replay: Callable[[], None], results: Sequence[torch.Tensor]) -> list[float]:
    """Times of a call in a CUDA graph, one per result.

    All of these stay alive, or calls would write to the same place.

    Together they are larger than the L2 cache, so each call finds its inputs in memory, unless they are tiny (see
    `copies_needed`).
    """
    times = []
    for _ in range(REPLAYS):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))  # type: ignore[no-untyped-call]
        start.record()
        replay()
        end.record()
        end.synchronize()
        times.append(float(start.elapsed_time(end)) / len(results))
    return times


def prepare(runs: Sequence[Run]) -> TimedCall:
    """Prepare one run as it is, or several as a graph.

    If CUDA cannot capture them, only the first is taken. A single call is large: if the GPU takes longer than Python's
    launch, that is hidden behind the previous call.
    """
    graph = recorded(runs) if len(runs) > 1 else None
    if graph is None:
        return TimedCall(partial(cold_times, runs[0]), graph=False)
    return TimedCall(partial(replayed_times, graph.replay, graph.results), graph=True, alive=runs)


def recorded(runs: Sequence[Callable[[], Result]]) -> Recorded[Result] | None:
    """Record runs as a CUDA graph; None if CUDA cannot."""
    stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
    # Capturing needs a stream of its own, and a first call on it.
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        runs[0]()  # compiles and tunes, neither of which can be captured
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    try:
        # Other threads of a room's judge use the GPU meanwhile.
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):
            results = tuple(run() for run in runs)
    except RuntimeError:  # it waits for the GPU, or copies from it
        torch.cuda.synchronize()
        return None
    return Recorded(graph.replay, results)


def copies_needed(bytes_moved: int, cache: int) -> int:
    """Return how many copies of inputs and results are twice the cache.

    That is 1 if one is, and at most MAX_COPIES.
    """
    return max(1, min(MAX_COPIES, math.ceil(2 * cache / bytes_moved)))
