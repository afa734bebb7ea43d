"""From a script to the cost of its kernel, unless the result is wrong.

Plain data, and JSON with `--json`.

Correctness comes first: a script that the checker fails gets a verdict and no figures. On a GPU, several sizes are
timed. Without one there are no times: the simulator counts one size, and published peak rates give the limit.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from triton_simulator.compiler.compilation import Start
from triton_simulator.compiler.jobs import PickledKernel
from triton_simulator.gpus import DEFAULT_TARGET
from triton_workshop.asm.build import compile_kernels
from triton_workshop.asm.sentences import describe_instructions
from triton_workshop.bench.attainable import Limit, limits_of
from triton_workshop.bench.results import Measured, MeasuredOn, NoRoom, TimingProgress, Wrong
from triton_workshop.bench.sentences import sentences
from triton_workshop.checking.check import CheckRequest, check, source_or_verdict
from triton_workshop.checking.judging.verdict import CaseResult, Finding, FindingKind, Verdict
from triton_workshop.checking.observing.source import Source
from triton_workshop.costs.cost import Cost
from triton_workshop.costs.summary import summaries_of
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.exercises.workloads import WORKLOADS

YOURS, PLAIN, FAST = "yours", "plain", "fast"


@dataclass(frozen=True)
class Contender:
    """Kernel that was counted, and its limit on each published GPU.

    The limit is None if a GPU cannot run it.
    """

    name: str
    cost: Cost
    limits: tuple[Limit | None, ...]


@dataclass(frozen=True)
class Counted:
    """Counts of the simulator for one size."""

    size: str
    bytes: int
    """Bytes that must be moved at least.

    Each input is read once, and the output written once.
    """
    operations: int
    """Operations that the work itself takes."""
    contenders: tuple[Contender, ...]
    sentences: tuple[str, ...]
    """Sentences about the first contender."""
    instructions: tuple[str, ...] = ()
    """Sentences on what the instructions add to the bytes.

    There are none without a compiler.
    """


@dataclass(frozen=True)
class Times:
    """Measurements on a GPU, the smallest size first."""

    measured_on: MeasuredOn
    sizes: tuple[Measured, ...]


@dataclass(frozen=True)
class Bench:
    """Results of one script: a verdict, and figures only if it passed."""

    exercise: Exercise
    file: Path
    name: str
    """`yours`, or which solution the script is."""
    verdict: Verdict
    counts: Counted | None = None
    times: Times | None = None
    no_room: NoRoom | None = None
    """The reason why a right script has no times on this GPU."""

    @property
    def passed(self) -> bool:
        return self.verdict.is_correct and (self.counts is not None or self.times is not None)

    def as_json(self) -> dict[str, object]:
        """Plain data.

        `exercise`, `file`, `passed`; `device`: "cuda" or "simulator"; `verdict`: as in `workshop check --json`.
        `counts`, null unless the simulator counted: `size`, `bytes` and `operations` of the work itself, `sentences`,
        `instructions`, which are more sentences, and `contenders`: by name, the fields of `Cost` and `limits`, one
        object per GPU that can run it.
        `times`, null unless measured: `gpu`, `versions`, and `sizes`, each with its `size`, `bytes`, `operations`,
        `graph`, and `times`: contender → `median`, `low` and `high`, in milliseconds.
        `no_room`, null unless the GPU has too little free memory: the smallest `size`, and bytes, `needed` and `free`.
        """
        return {
            "exercise": self.exercise.number,
            "file": str(self.file),
            "contender": self.name,
            "passed": self.passed,
            "device": "cuda" if self.times is not None or self.no_room is not None else "simulator",
            "verdict": self.verdict.as_json(),
            "counts": None if self.counts is None else _counts_as_json(self.counts),
            "times": None if self.times is None else _times_as_json(self.times),
            "no_room": None if self.no_room is None else asdict(self.no_room),
        }


def _counts_as_json(counts: Counted) -> dict[str, object]:
    contenders = {
        contender.name: {
            **contender.cost.as_json(),
            "limits": [limit.as_json() for limit in contender.limits if limit is not None],
        }
        for contender in counts.contenders
    }
    size_figures = {"size": counts.size, "bytes": counts.bytes, "operations": counts.operations}
    return {
        **size_figures,
        "contenders": contenders,
        "sentences": [*counts.sentences],
        "instructions": [*counts.instructions],
    }


def _times_as_json(times: Times) -> dict[str, object]:
    return {**asdict(times.measured_on), "sizes": [asdict(size) for size in times.sizes]}


def bench(
    exercise: Exercise,
    file: Path,
    *,
    gpu: bool,
    output: int,
    report_progress: Callable[[TimingProgress], None] = lambda _: None,
    compiler: Start | None = None,
) -> Bench:
    """Check a script, then count or measure it.

    `output` is the file descriptor for what it prints.

    What it counts, it also has compiled, if there is a compiler.
    """
    file = file.resolve()
    verdict = check(CheckRequest(exercise, file, full_size=gpu, todos=False, compiler=None, output=output))
    begun = Bench(exercise, file, _name(exercise, file), verdict)
    if not verdict.is_correct:
        return begun
    source = source_or_verdict(exercise, file, time.perf_counter())
    if isinstance(source, Verdict):  # it has been saved again meanwhile
        return replace(begun, verdict=source)
    return (
        _measured(begun, source, output, report_progress)
        if gpu
        else _counted(begun, source, output, report_progress, compiler)
    )


def sources_of(source: Source) -> dict[str, Source]:
    """Return the source of each contender, by its name.

    The script comes first, then the solutions, unless it is one of them.
    """
    exercise = source.exercise
    sources = {_name(exercise, source.file): source}
    for name, file in _solutions(exercise).items():
        if name not in sources:
            sources[name] = Source.read(file, exercise)
    return sources


def _name(exercise: Exercise, file: Path) -> str:
    names = {solution.resolve(): name for name, solution in _solutions(exercise).items()}
    return names.get(file.resolve(), YOURS)


def _solutions(exercise: Exercise) -> dict[str, Path]:
    plain, fast = {PLAIN: exercise.solution_file}, exercise.fast_file
    return plain | {FAST: fast} if fast is not None else plain


def _counted(
    begun: Bench, source: Source, output: int, report_progress: Callable[[TimingProgress], None], compiler: Start | None
) -> Bench:
    from triton_workshop.bench.counting import count  # it imports torch

    exercise = begun.exercise
    workload = WORKLOADS[exercise.number]
    sources = sources_of(source)
    arguments = workload.traffic_case.arguments("cpu")
    useful = exercise.operations(*arguments)
    contenders: list[Contender] = []
    kernels: tuple[PickledKernel, ...] = ()
    for number, (name, contender_source) in enumerate(sources.items()):
        report_progress(TimingProgress(number, len(sources), f"exercise {exercise.number}, {name}"))
        counting = count(contender_source, output)
        if counting.cost is None:
            return _wrong(begun, workload.traffic_case.name, counting.findings)
        contenders.append(Contender(name, counting.cost, limits_of(counting.cost, useful)))
        kernels = kernels or counting.kernels  # the first contender's, which the sentences are about
    # Not the first, as the fast solution is not compared with itself.
    fast = next((contender.cost for contender in contenders[1:] if contender.name == FAST), None)
    counts = Counted(
        size=workload.traffic_case.name,
        bytes=exercise.bytes_moved(*arguments),
        operations=useful,
        contenders=tuple(contenders),
        sentences=sentences(contenders[0].cost, useful, workload.element, fast),
        instructions=() if compiler is None else _instructions(kernels, source, compiler),
    )
    return replace(begun, counts=counts)


def _instructions(kernels: Sequence[PickledKernel], source: Source, compiler: Start) -> tuple[str, ...]:
    """Return what the compiler's instructions for the default target add.

    A compiler that cannot be started has nothing to say.
    """
    with suppress(OSError):
        summaries = summaries_of(compile_kernels(kernels, DEFAULT_TARGET, compiler), source.file, source.text)
        return tuple(sentence for summary in summaries for sentence in describe_instructions(summary))
    return ()


def _measured(begun: Bench, source: Source, output: int, report_progress: Callable[[TimingProgress], None]) -> Bench:
    from triton_workshop.bench.measuring import LIMIT_SECONDS, measured
    from triton_workshop.checking.judging.judge import Judge
    from triton_workshop.checking.observing.observe import Observation

    reports = measured(begun.exercise, sources_of(source), output, report_progress)
    for report in reports:
        if isinstance(report, Wrong):
            owner = "" if report.contender == begun.name else f"{report.contender}: "
            return _wrong(begun, report.size, (Finding(FindingKind.WRONG_VALUES, f"{owner}{report.message}"),))
        if isinstance(report, NoRoom):
            return replace(begun, no_room=report)
        if isinstance(report, Observation):
            judge = Judge(source, LIMIT_SECONDS)
            failure = report.failure
            line = None if failure is None else failure.line
            ended = judge.timeout(line) if report.timed_out or failure is None else judge.crash(failure)
            return _wrong(begun, "", (ended,))
    [measured_on] = [report for report in reports if isinstance(report, MeasuredOn)]
    sizes = tuple(report for report in reports if isinstance(report, Measured))
    return replace(begun, times=Times(measured_on, sizes))


def _wrong(begun: Bench, size: str, findings: tuple[Finding, ...]) -> Bench:
    """Return the failure of a passed script at the benchmark's size."""
    cases = (*begun.verdict.cases, CaseResult(size, passed=False)) if size else begun.verdict.cases
    case_findings = tuple(replace(finding, case=size) for finding in findings)
    return replace(begun, verdict=replace(begun.verdict, cases=cases, findings=case_findings))
