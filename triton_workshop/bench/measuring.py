"""Times of a script on the GPU beside its contenders.

They are taken in a short-lived child. Needs torch.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from triton_workshop.bench.limits import copy_of, half_product
from triton_workshop.bench.results import Measured, MeasuredOn, NoRoom, Report, TimingProgress, Wrong
from triton_workshop.bench.timing import Run, TimedCall, copies_needed, in_turns, prepare
from triton_workshop.checking.children import call_on_the_gpu
from triton_workshop.checking.observing.child import load
from triton_workshop.checking.observing.failure import failure_of
from triton_workshop.checking.observing.observe import Observation
from triton_workshop.checking.observing.source import Source
from triton_workshop.checking.subprocess_runner import observations
from triton_workshop.exercises.cases import Case, launcher_args, to_float64
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.exercises.tolerance import tolerance
from triton_workshop.exercises.workloads import WORKLOADS, load_baselines
from triton_workshop.processes.call import TimeLimit
from triton_workshop.processes.wire import Connection

if TYPE_CHECKING:
    from triton_workshop.exercises.exercise import Launcher

LIMIT_SECONDS = 600.0
"""Seconds for all sizes of an exercise, including compiling and tuning."""
FREE_MEMORY_FACTOR = 16
"""Free memory that a case needs, over its bytes.

A check against float64 takes that much.
"""
LIBRARY_ERROR = 1e-5
"""Largest error of PyTorch's own result, in the Frobenius norm.

PyTorch may choose its own algorithms. A half precision's result may be off by the distance from 1 to its next number.
"""


@dataclass(frozen=True)
class Instruments:
    """Everything that needs a GPU. Tests on a CPU substitute their own."""

    device: str
    prepare: Callable[[Sequence[Run]], TimedCall]
    compile: Callable[[Any], Any]
    free: int
    """Bytes of memory."""
    cache: int
    """Bytes of the L2 cache."""


def instruments_of_the_gpu() -> Instruments:
    """The instruments for PyTorch's default GPU."""
    cache = int(torch.cuda.get_device_properties(0).L2_cache_size)
    compile_for_one_size = partial(torch.compile, dynamic=False)  # compiling for any size would be slower
    return Instruments("cuda", prepare, compile_for_one_size, torch.cuda.mem_get_info()[0], cache)


def measure(exercise: Exercise, launchers: Mapping[str, Launcher], instruments: Instruments) -> Iterator[Report]:
    """Measure all sizes that fit, the smallest first.

    It ends at the first size for which a launcher's result is wrong. `launchers` maps each contender (yours, plain,
    fast) to its version of the exercise's launcher.
    """
    # A float64 reference is computed for each size, which is why not all may fit.
    every = WORKLOADS[exercise.number].timing_cases
    cases = [case for case in every if _needed_memory(exercise, case) <= instruments.free]
    if not cases:
        yield NoRoom(every[0].name, _needed_memory(exercise, every[0]), instruments.free)
        return
    for number, case in enumerate(cases):
        yield TimingProgress(number, len(cases), case.name)
        arguments = case.arguments(instruments.device)
        ways = load_baselines(exercise, instruments.device)
        contenders: Ways = {name: (launcher,) for name, launcher in launchers.items()}
        contenders |= {"eager": ways, "compiled": tuple(map(instruments.compile, ways))}
        wrong = _wrong(exercise, case, contenders, arguments)
        if wrong is not None:
            yield wrong
            return
        yield _timed(exercise, case, contenders, instruments)
    yield TimingProgress(len(cases), len(cases), "")


Ways = dict[str, "tuple[Callable[..., torch.Tensor], ...]"]


def _needed_memory(exercise: Exercise, case: Case) -> int:
    # Tensors on "meta" have shapes and no memory.
    return FREE_MEMORY_FACTOR * exercise.bytes_moved(*case.arguments("meta"))


def _wrong(exercise: Exercise, case: Case, contenders: Ways, arguments: tuple[torch.Tensor, ...]) -> Wrong | None:
    """Return the first contender with a wrong result.

    PyTorch's results are held to a norm, ours are compared element by element.
    """
    expected = exercise.reference(*to_float64(arguments))
    allowed = tolerance(exercise, arguments, expected)
    for name, ways in contenders.items():
        for function in ways:
            result = function(*launcher_args(arguments))
            if not isinstance(result, torch.Tensor) or result.shape != expected.shape:
                return Wrong(case.name, name, "the result does not have the expected shape")
            error = (result.double() - expected).abs()
            if name in ("eager", "compiled"):
                # A library may sum in any order, so single elements near zero may be far off.
                allowed_error = max(LIBRARY_ERROR, torch.finfo(result.dtype).eps)
                right = bool(error.norm() <= allowed_error * expected.norm())
            else:
                right = bool((error <= allowed).all())
            if not right:
                # NaN compares with nothing, but it is as wrong as can be.
                worst = float(error.nan_to_num(nan=float("inf")).max())
                return Wrong(case.name, name, f"an element is off by {worst:.2g}, more than the checker allows")
    return None


def _timed(exercise: Exercise, case: Case, contenders: Ways, instruments: Instruments) -> Measured:
    first = case.arguments(instruments.device)
    size = exercise.bytes_moved(*first)
    copies = copies_needed(size, instruments.cache)
    # Copies take turns, so that a call does not find its inputs in the cache.
    inputs = [first, *(tuple(tensor.clone() for tensor in first) for _ in range(copies - 1))]
    prepared = {
        name: tuple(
            instruments.prepare([partial(function, *launcher_args(arguments)) for arguments in inputs])
            for function in ways
        )
        for name, ways in contenders.items()
    }
    limits = [limit_of(exercise, arguments, instruments.device) for arguments in inputs]
    prepared["limit"] = (instruments.prepare(limits),)
    times = in_turns(prepared, lambda contender: contender.sample())
    graph = all(variant.graph for ways in prepared.values() for variant in ways)
    return Measured(case.name, size, exercise.operations(*first), times, graph)


def limit_of(exercise: Exercise, arguments: tuple[torch.Tensor, ...], device: str) -> Run:
    """Return what takes as long as an exercise's work has to, at least."""
    if WORKLOADS[exercise.number].compute_bound:
        return half_product(exercise.operations(*arguments), device)
    return copy_of(exercise.bytes_moved(*arguments), device)


def measure_script(connection: Connection, exercise: Exercise, sources: Mapping[str, Source]) -> None:
    """Time these scripts' launchers beside PyTorch, and send the reports.

    This runs on the GPU, in a separate process.
    """
    import triton

    try:
        torch.backends.cudnn.allow_tf32 = False  # as accurate as ours, for a fair comparison
        warnings.filterwarnings("ignore", module=r"torch\.")  # advice for callers of PyTorch, which here is us
        launchers = {name: load(source) for name, source in sources.items()}
        versions = {"PyTorch": torch.__version__, "CUDA": str(torch.version.cuda), "Triton": triton.__version__}
        connection.send(MeasuredOn(torch.cuda.get_device_name(), versions))
        for report in measure(exercise, launchers, instruments_of_the_gpu()):
            connection.send(report)
    except BaseException as error:
        connection.send(Observation(failure=failure_of(error, next(iter(sources.values())).file)))


def measured(
    exercise: Exercise, sources: Mapping[str, Source], output: int, report_progress: Callable[[TimingProgress], None]
) -> tuple[Report | object, ...]:
    """Return the GPU's reports on these scripts, the learner's first.

    Progress goes to `report_progress`. An item that is not a Report is the checker's Observation of a script that did
    not finish.
    """
    reports: list[Report | object] = []
    within = TimeLimit(LIMIT_SECONDS, next(iter(sources.values())).file)
    with call_on_the_gpu(measure_script, exercise, sources, output=output, limit=within) as measuring:
        for report in observations(measuring):
            if isinstance(report, TimingProgress):
                report_progress(report)
            else:
                reports.append(report)
    return tuple(reports)
