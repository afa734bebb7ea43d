"""Full-size cases on the GPU, for scripts that passed on the simulator.

Results are compared with float64 on the GPU itself.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch.overrides import TorchFunctionMode

from triton_workshop.checking.judging.judge import Judge
from triton_workshop.checking.judging.trial import OnCase, Trial, judge_cases
from triton_workshop.checking.observing.child import load, observer_of
from triton_workshop.checking.observing.observe import Observation, Observer
from triton_workshop.checking.observing.source import Source
from triton_workshop.checking.observing.torch_calls import FILLS
from triton_workshop.checking.own_errors import suppress_own_errors
from triton_workshop.exercises.cases import Case, launcher_args
from triton_workshop.exercises.workloads import WORKLOADS
from triton_workshop.hints import sentence
from triton_workshop.processes.signal_scope import confine_signals
from triton_workshop.processes.wire import Connection

if TYPE_CHECKING:
    from triton_workshop.exercises.exercise import Launcher

GUARD_ELEMENTS = 4096
"""Elements before and after each argument that no kernel may touch."""
DTYPES = (
    *(torch.float64, torch.float32, torch.float16, torch.bfloat16),
    *(torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool),
)
"""Dtypes of tensors that a kernel gets, and of those that it fills."""
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
    outcome = judge_cases(Judge(source, limit), cases, observations, progress, device="cuda")
    times = ""
    if source.exercise.goals and not outcome.findings:
        # Other programs may fill the GPU's memory meanwhile, which is no fault of the script.
        with suppress_own_errors():
            times = describe_times(source, observer.launcher)
    return replace(outcome, last_call=None, times=times)  # its tensors stay here


def describe_times(source: Source, launcher: Launcher) -> str:
    """Time a launcher beside the one as shipped.

    The size is the largest for which there is memory. The text is empty if there is none.
    """
    exercise, free = source.exercise, torch.cuda.mem_get_info()[0]
    cases = [
        case
        for case in WORKLOADS[exercise.number].timing_cases
        # Tensors on this device have sizes, but no memory.
        if MEMORY_FACTOR * exercise.bytes_moved(*case.arguments("meta")) <= free
    ]
    if not cases:
        return ""
    shipped = load(Source(exercise.folder / "shipped.txt", exercise.shipped_text, exercise))
    arguments = launcher_args(cases[-1].arguments("cuda"))
    # In turns, so that a GPU that gets warmer does not favour the first.
    turns = [(time_call(shipped, arguments), time_call(launcher, arguments)) for _ in range(2)]
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
    """Observe a call with guards around its tensors.

    They are around copies of its arguments, and around the tensors that it makes.
    """
    guards = Guards()
    guarded = tuple(map(guards.put_around, arguments))
    with guards:
        observation = observer.observe(guarded)
    return replace(observation, stored_outside=observation.failure is None and not guards.are_intact())


class Guards(TorchFunctionMode):
    """Values around tensors, which no kernel has reason to change."""

    def __init__(self) -> None:
        super().__init__()
        self._guards: list[torch.Tensor] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call PyTorch, and guard a tensor that it makes for a kernel to fill."""
        result = func(*args, **(kwargs or {}))
        makes = FILLS.fullmatch(getattr(func, "__name__", "")) and not func.__name__.endswith("_")
        is_for_kernel = makes and _is_plain(result)
        return self.put_around(result) if is_for_kernel else result

    def put_around(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return a copy of a tensor, between two guards."""
        with torch._C.DisableTorchFunction():
            # A view may have gaps between its rows: its memory reaches from the first element to the last one.
            extent = 1 + sum((size - 1) * step for size, step in zip(tensor.shape, tensor.stride(), strict=True))
            # Without elements, the extent may be negative.
            memory = tensor.new_full((max(0, extent) + 2 * GUARD_ELEMENTS,), _guard_value(tensor.dtype))
            view = memory.as_strided(tensor.shape, tensor.stride(), GUARD_ELEMENTS)
            view.copy_(tensor)
        self._guards += [memory[:GUARD_ELEMENTS], memory[-GUARD_ELEMENTS:]]
        return view

    def are_intact(self) -> bool:
        """Return True if nothing has been stored in a guard."""
        return all(map(_is_intact, self._guards))


def _is_plain(result: object) -> bool:
    """Return whether a result is a tensor with memory, and nothing more."""
    if type(result) is not torch.Tensor:
        return False
    if result.requires_grad or result.is_meta:
        return False
    return result.dtype in DTYPES


def _guard_value(dtype: torch.dtype) -> float | bool:
    """A number that no kernel has reason to store."""
    if dtype is torch.bool:
        return True
    return float("nan") if dtype.is_floating_point else torch.iinfo(dtype).max


def _is_intact(guard: torch.Tensor) -> bool:
    return bool((guard.isnan() if guard.is_floating_point() else guard == _guard_value(guard.dtype)).all())
