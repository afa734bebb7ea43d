"""Full-size cases on the GPU, for scripts that passed on the simulator.

Results are compared with float64 on the GPU itself.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import torch

from triton_workshop.checking.judging.judge import Judge
from triton_workshop.checking.judging.trial import OnCase, Trial, judged
from triton_workshop.checking.observing.child import load, observer_of
from triton_workshop.checking.observing.observe import Observation, Observer
from triton_workshop.checking.observing.source import Source
from triton_workshop.checking.own_errors import dispensable
from triton_workshop.exercises.cases import Case, launcher_args
from triton_workshop.exercises.workloads import WORKLOADS
from triton_workshop.hints import sentence
from triton_workshop.processes.signal_scope import confine_signals
from triton_workshop.processes.wire import Connection

if TYPE_CHECKING:
    from triton_workshop.exercises.exercise import Launcher

GUARD_ELEMENTS = 4096
"""Elements before and after each argument that no kernel may touch."""
MEMORY_FACTOR = 4
"""Free memory for a case that is timed, over the bytes that it moves."""


def judge_on_the_gpu(connection: Connection, source: Source, limit: float) -> None:
    """Load the script, and send the Trial of all full-size cases.

    It is an Observation that is sent if loading fails. This runs in the script's own process.
    """
    confine_signals()
    observer = observer_of(source, simulated=False)
    if isinstance(observer, Observation):
        connection.send(observer)
    else:
        connection.send(run_on_the_gpu(source, observer, limit))


def run_on_the_gpu(source: Source, observer: Observer, limit: float, progress: OnCase = lambda case: None) -> Trial:
    """Run the full-size cases on the GPU until one fails."""
    cases = tuple(replace(case, name=f"{case.name}, GPU") for case in source.exercise.gpu_cases)
    observations = (_observe(observer, case) for case in cases)
    outcome = judged(Judge(source, limit), cases, observations, progress, device="cuda")
    times = ""
    if source.exercise.goals and not outcome.findings:
        with dispensable():  # other programs may fill the GPU's memory meanwhile, which is no fault of the script
            times = describe_times(source, observer.launcher)
    return replace(outcome, last=None, times=times)  # its tensors stay here


def describe_times(source: Source, launcher: Launcher) -> str:
    """Time a launcher beside the one as shipped.

    The size is the largest for which there is memory. The text is empty if there is none.
    """
    exercise, free = source.exercise, torch.cuda.mem_get_info()[0]
    cases = [
        case
        for case in WORKLOADS[exercise.number].timing_cases
        if MEMORY_FACTOR * exercise.bytes_moved(*case.arguments("meta")) <= free
    ]
    if not cases:
        return ""
    shipped = load(Source(exercise.folder / "shipped.txt", exercise.shipped_text, exercise))
    arguments = launcher_args(cases[-1].arguments("cuda"))
    # In turns, so that a GPU that gets warmer does not favour the first.
    turns = [[time_call(each, arguments) for each in (shipped, launcher)] for _ in range(2)]
    before, after = map(min, zip(*turns, strict=True))
    return sentence("goals.times", case=cases[-1].name, before=before, after=after, ratio=before / after)


def time_call(launcher: Launcher, arguments: tuple[object, ...]) -> float:
    """Return the milliseconds of a call, each with an empty cache."""
    from triton.testing import do_bench

    milliseconds: float = do_bench(partial(launcher, *arguments), return_mode="median")
    return milliseconds


def _observe(observer: Observer, case: Case) -> Observation:
    return observe_guarded(observer, case.arguments("cuda"))


def observe_guarded(observer: Observer, arguments: tuple[torch.Tensor, ...]) -> Observation:
    """Observe a call, with guards around copies of its arguments."""
    guarded, guards = _guard_arguments(arguments)
    observation = observer.observe(guarded)
    return replace(observation, stored_outside=observation.failure is None and not all(map(_is_intact, guards)))


def _guard_value(dtype: torch.dtype) -> float:
    """A number that no kernel has reason to store."""
    return float("nan") if dtype.is_floating_point else torch.iinfo(dtype).max


def _is_intact(guard: torch.Tensor) -> bool:
    return bool((guard.isnan() if guard.is_floating_point() else guard == _guard_value(guard.dtype)).all())


def _guard_arguments(
    arguments: tuple[torch.Tensor, ...],
) -> tuple[tuple[torch.Tensor, ...], tuple[torch.Tensor, ...]]:
    """Return copies of arguments, each between two guards.

    The guards, which come second, hold one value.
    """
    views, guards = [], []
    for argument in arguments:
        # A view may have gaps between its rows: its memory reaches from the first element to the last one.
        extent = 1 + sum((size - 1) * step for size, step in zip(argument.shape, argument.stride(), strict=True))
        memory = argument.new_full((extent + 2 * GUARD_ELEMENTS,), _guard_value(argument.dtype))
        view = memory.as_strided(argument.shape, argument.stride(), GUARD_ELEMENTS)
        view.copy_(argument)
        views.append(view)
        guards += [memory[:GUARD_ELEMENTS], memory[-GUARD_ELEMENTS:]]
    return tuple(views), tuple(guards)
