"""Calls of a launcher that are timed together.

Each has inputs of its own.

The inputs are made from others by moving them, as late as the clock starts: what nobody knows before, nobody has
computed before.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from functools import partial

import torch

from triton_workshop.bench.timing import Recorded, recorded
from triton_workshop.exercises.cases import launcher_args
from triton_workshop.pool.arena import memory_of

Shifts = tuple[int, ...]
"""How far each of the arguments is moved."""


def random_shifts(arguments: Sequence[torch.Tensor]) -> Shifts:
    """Return how far to move each of these tensors, at random."""
    return tuple(random.SystemRandom().randrange(max(1, tensor.numel())) for tensor in arguments)


def moved(tensor: torch.Tensor, shift: int, into: torch.Tensor | None = None) -> torch.Tensor:
    """Return a tensor's elements, moved around, with its strides."""
    result = memory_of(tensor).clone().as_strided(tensor.shape, tensor.stride(), 0) if into is None else into
    has_equal_rows = 0 in tensor.stride() and tensor.numel() > 1
    if has_equal_rows:  # they are the same memory
        return result
    if tensor.is_contiguous():
        elements, shifted = tensor.view(-1), result.view(-1)
        shifted[shift:].copy_(elements[: elements.numel() - shift])
        shifted[:shift].copy_(elements[elements.numel() - shift :])
        return result
    # What lies between the elements stays there: it is not theirs.
    shifts = [shift % size for size in tensor.shape]
    return result.copy_(torch.roll(tensor, shifts, list(range(tensor.ndim))))


class Batch:
    """Inputs for calls, and the results of the last ones."""

    def __init__(self, base: tuple[torch.Tensor, ...], device: str) -> None:
        self._base = base
        self._gpu = device != "cpu"
        self._sets: list[tuple[torch.Tensor, ...]] = []
        self._count = 0
        self._graphs: dict[Callable[..., object], Recorded[object]] = {}
        self.results: Sequence[object] = []

    def make(self, shifts: Sequence[Sequence[int]]) -> float:
        """Make the inputs of so many calls, and return the milliseconds.

        That is for each call.
        """
        self._count, self.results = len(shifts), []
        while len(self._sets) < self._count:
            self._sets.append(tuple(moved(tensor, 0) for tensor in self._base))

        def move_all() -> None:
            # Sets stay for longer batches, so there may be more of them than calls.
            for tensors, distances in zip(self._sets, shifts, strict=False):
                for tensor, into, shift in zip(self._base, tensors, distances, strict=True):
                    moved(tensor, shift, into)

        return self._timed(move_all) / self._count

    def record(self, launcher: Callable[..., object]) -> None:
        """Record the calls with all inputs in a CUDA graph, if CUDA can.

        Launching them from Python then costs nothing.
        """
        if self._gpu:
            arguments = [launcher_args(tensors) for tensors in self._sets[: self._count]]
            graph = recorded([partial(launcher, *each) for each in arguments])
            if graph is not None:
                self._graphs[launcher] = graph

    def call(self, launcher: Callable[..., object], repeats: int = 1) -> float:
        """Call a launcher with each of the inputs, so many times.

        Return the milliseconds of one call.
        """
        arguments = [launcher_args(tensors) for tensors in self._sets[: self._count]]
        self.results = []

        def call_all() -> None:
            self.results = [launcher(*each) for each in arguments]

        graph = self._graphs.get(launcher)
        if graph is not None and len(graph.results) == self._count:
            self.results, act = graph.results, graph.replay
        else:
            act = call_all
        return self._timed(lambda: [act() for _ in range(repeats)]) / self._count / repeats

    def _timed(self, act: Callable[[], object]) -> float:
        if not self._gpu:
            started = time.perf_counter()
            act()
            return 1000 * (time.perf_counter() - started)
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))  # type: ignore[no-untyped-call]
        torch.cuda.synchronize()
        start.record()
        act()
        end.record()
        end.synchronize()
        return float(start.elapsed_time(end))
