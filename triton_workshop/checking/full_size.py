"""Full-size cases on the GPU, for scripts that passed on the simulator: compared with float64 on the GPU itself."""

from __future__ import annotations

from dataclasses import replace

import torch

from triton_workshop.checking.judging.judge import Judge
from triton_workshop.checking.judging.trial import OnCase, Trial, judged
from triton_workshop.checking.observing.child import observer_of
from triton_workshop.checking.observing.observe import Observation, Observer
from triton_workshop.checking.observing.source import Source
from triton_workshop.exercises.cases import Case
from triton_workshop.processes.signal_scope import keep_signals_inside
from triton_workshop.processes.wire import Connection

GUARD_ELEMENTS = 4096
"""Elements before and after each argument that no kernel may touch."""


def judge_on_the_gpu(connection: Connection, source: Source, limit: float) -> None:
    """Load the script in its own process, and send the Trial of all cases, or an Observation if loading fails."""
    keep_signals_inside()
    observer = observer_of(source, simulated=False)
    if isinstance(observer, Observation):
        connection.send(observer)
    else:
        connection.send(run_on_the_gpu(source, observer, limit))


def run_on_the_gpu(source: Source, observer: Observer, limit: float, progress: OnCase = lambda case: None) -> Trial:
    """Run the full-size cases on the GPU until one fails."""
    cases = tuple(replace(case, name=f"{case.name}, GPU") for case in source.exercise.gpu_cases)
    observations = (_observed(observer, case) for case in cases)
    outcome = judged(Judge(source, limit), cases, observations, progress, device="cuda")
    return replace(outcome, last=None)  # its tensors stay here


def _observed(observer: Observer, case: Case) -> Observation:
    arguments, guards = _guarded(case)
    seen = observer.observe(arguments)
    return replace(seen, stored_outside=seen.failure is None and not all(map(_is_whole, guards)))


def _guarding(dtype: torch.dtype) -> float:
    """A number that no kernel has reason to store."""
    return float("nan") if dtype.is_floating_point else torch.iinfo(dtype).max


def _is_whole(guard: torch.Tensor) -> bool:
    return bool((guard.isnan() if guard.is_floating_point() else guard == _guarding(guard.dtype)).all())


def _guarded(case: Case) -> tuple[tuple[torch.Tensor, ...], tuple[torch.Tensor, ...]]:
    """Return a case's arguments on the GPU, each between two zones that hold one value, and those zones."""
    placed, guards = [], []
    for argument in case.arguments("cuda"):
        extent = 1 + sum((size - 1) * step for size, step in zip(argument.shape, argument.stride(), strict=True))
        memory = argument.new_full((extent + 2 * GUARD_ELEMENTS,), _guarding(argument.dtype))
        view = memory.as_strided(argument.shape, argument.stride(), GUARD_ELEMENTS)
        view.copy_(argument)
        placed.append(view)
        guards += [memory[:GUARD_ELEMENTS], memory[-GUARD_ELEMENTS:]]
    return tuple(placed), tuple(guards)
