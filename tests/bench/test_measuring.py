"""What a GPU would be asked to time, and what is made of it: with made-up timers, on the simulator."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from rich.console import Console

from triton_workshop.bench import bench as bench_module
from triton_workshop.bench import commands, measuring, plots, report, timing
from triton_workshop.bench.bench import Bench, Times
from triton_workshop.bench.measuring import Instruments, measure
from triton_workshop.bench.results import Measured, MeasuredOn, NoRoom, TimingProgress, Wrong
from triton_workshop.bench.timing import Run, TimedCall, Timing, copies_needed, in_turns, summary
from triton_workshop.checking.judging.verdict import CaseResult, FindingKind, Verdict
from triton_workshop.checking.observing.child import load
from triton_workshop.checking.observing.failure import Failure
from triton_workshop.checking.observing.observe import Observation
from triton_workshop.checking.observing.source import Source
from triton_workshop.checking.reporting.progress import load_progress
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.cases import Case
from triton_workshop.exercises.workloads import WORKLOADS

ADD = EXERCISES["1"]


def made_up(runs: Sequence[Run]) -> TimedCall:
    """As if a call took as many milliseconds as the inputs have copies."""
    return TimedCall(lambda: [float(len(runs))] * 3, graph=len(runs) > 1)


CPU = Instruments("cpu", made_up, lambda function: function, free=1 << 30, cache=1 << 14)


def _case(n: int) -> Case:
    def arguments(device: str) -> tuple[torch.Tensor, ...]:
        return tuple(torch.full((n,), float(value), device=device) for value in (1, 2))

    return Case(f"{n} floats", arguments)


@pytest.fixture(autouse=True)
def _small_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(WORKLOADS, "1", replace(WORKLOADS["1"], timing_cases=tuple(map(_case, (1000, 4000)))))


def launchers(number: str = "1") -> dict[str, Callable[..., torch.Tensor]]:
    exercise = EXERCISES[number]
    source = Source.read(exercise.solution_file, exercise)
    return {"yours": load(source)}


def test_every_size_is_timed_in_every_way() -> None:
    reports = list(measure(ADD, launchers(), CPU))
    assert [each for each in reports if isinstance(each, TimingProgress)] == [
        TimingProgress(0, 2, "1000 floats"),
        TimingProgress(1, 2, "4000 floats"),
        TimingProgress(2, 2, ""),
    ]
    sizes = [each for each in reports if isinstance(each, Measured)]
    assert [(size.size, size.bytes, size.operations) for size in sizes] == [
        ("1000 floats", 12_000, 1000),
        ("4000 floats", 48_000, 4000),
    ]
    assert list(sizes[0].times) == ["yours", "eager", "compiled", "limit"]


def test_small_inputs_are_rotated_until_they_are_twice_the_cache() -> None:
    small, large = (each for each in measure(ADD, launchers(), CPU) if isinstance(each, Measured))
    assert (small.times["yours"].median, small.graph) == (3.0, True)
    assert (large.times["yours"].median, large.graph) == (1.0, False)


@pytest.mark.parametrize(("size", "copies"), [(1, 256), (100, 20), (999, 3), (1000, 2), (2000, 1), (10**9, 1)])
def test_copies_needed(size: int, copies: int) -> None:
    assert copies_needed(size, 1000) == copies


def test_sizes_without_room_are_left_out() -> None:
    tight = replace(CPU, free=measuring.FREE_MEMORY_FACTOR * 12_000)
    sizes = [each.size for each in measure(ADD, launchers(), tight) if isinstance(each, Measured)]
    assert sizes == ["1000 floats"]
    assert [*measure(ADD, launchers(), replace(CPU, free=10_000))] == [NoRoom("1000 floats", 192_000, 10_000)]


@pytest.mark.parametrize("number", WORKLOADS)
def test_pytorchs_ways_do_the_same_work(number: str, monkeypatch: pytest.MonkeyPatch) -> None:
    workload = WORKLOADS[number]
    exercise = EXERCISES[number]
    case = exercise.cases[3]
    monkeypatch.setitem(WORKLOADS, number, replace(workload, timing_cases=(case,)))
    monkeypatch.setattr(measuring, "_needed_memory", lambda *arguments: 0)
    reports = list(measure(exercise, launchers(number), CPU))
    assert not any(isinstance(each, Wrong) for each in reports)
    [size] = [each for each in reports if isinstance(each, Measured)]
    assert set(size.times) == {"yours", "eager", "compiled", "limit"}


def off_by_one(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x + y + (len(x) == 4000)


WRONG: tuple[tuple[Callable[..., Any], str], ...] = (
    (off_by_one, "an element is off by 1, more than the checker allows"),
    (lambda x, y: (x + y)[:5] if len(x) == 4000 else x + y, "the result does not have the expected shape"),
    (lambda x, y: (x + y) * float("nan") if len(x) == 4000 else x + y, "an element is off by inf"),
)


@pytest.mark.parametrize(("launcher", "message"), WRONG)
def test_a_wrong_kernel_ends_the_measurement(launcher: Callable[..., Any], message: str) -> None:
    *_, last = measure(ADD, {"yours": launcher}, CPU)
    assert isinstance(last, Wrong)
    assert (last.size, last.contender) == ("4000 floats", "yours")
    assert last.message.startswith(message)


def test_the_swept_sizes_are_the_same_wherever_they_are_made() -> None:
    for workload in WORKLOADS.values():
        first = workload.timing_cases[0]
        made, shapes = first.arguments("cpu"), first.arguments("meta")
        assert [tensor.shape for tensor in made] == [tensor.shape for tensor in shapes]
        assert all(torch.equal(one, other) for one, other in zip(made, first.arguments("cpu"), strict=True))


# Timing


def test_contenders_are_timed_to_and_fro() -> None:
    order: list[str] = []

    def sample(way: str) -> list[float]:
        order.append(way)
        return [1.0, 2.0]

    in_turns({"a": ("a1", "a2"), "b": ("b1",)}, sample, rounds=2)
    assert order == ["a1", "a2", "b1", "b1", "a1", "a2"]


def test_the_fastest_way_counts() -> None:
    times = {"slow": [3.0, 3.0], "quick": [1.0, 2.0]}
    assert in_turns({"eager": ("slow", "quick")}, times.__getitem__)["eager"].median == 1.5


def test_a_summary_is_the_median_and_six_of_ten() -> None:
    assert summary([float(n) for n in range(11)]) == Timing(5.0, 2.0, 8.0)


def test_a_single_call_is_timed_cold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "cold_times", lambda run: [run(), 2.0])
    prepared = timing.prepare([lambda: 1.0])  # type: ignore[list-item,return-value]
    assert (prepared.sample(), prepared.graph) == ([1.0, 2.0], False)


# What becomes of it

VERDICT = Verdict("1", ADD.exercise_file.resolve(), "cuda", 1.0, (CaseResult("one", passed=True),), ())
BEGUN = Bench(ADD, ADD.exercise_file.resolve(), "yours", VERDICT)
MACHINE = MeasuredOn("NVIDIA MADE-UP", {"PyTorch": "2.11", "Triton": "3.6"})


def times_of(milliseconds: float) -> dict[str, Timing]:
    factors = {"yours": 1.25, "plain": 1.6, "fast": 1.0, "eager": 2.5, "compiled": 2.0, "limit": 1.0}
    return {
        name: Timing(f * milliseconds, 0.99 * f * milliseconds, 1.01 * f * milliseconds) for name, f in factors.items()
    }


SIZES = (
    Measured("2^16 floats", 12 << 16, 1 << 16, times_of(0.001), graph=True),
    Measured("2^22 floats", 12 << 22, 1 << 22, times_of(0.02), graph=False),
    Measured("2^28 floats", 12 << 28, 1 << 28, times_of(0.76), graph=False),
)
TIMED = replace(BEGUN, times=Times(MACHINE, SIZES))


def of_reports(monkeypatch: pytest.MonkeyPatch, *reports: object) -> Bench:
    monkeypatch.setattr(measuring, "measured", lambda *arguments: reports)
    source = Source.read(ADD.solution_file, ADD)
    return bench_module._measured(BEGUN, source, 2, lambda now: None)


def test_sizes_become_times(monkeypatch: pytest.MonkeyPatch) -> None:
    result = of_reports(monkeypatch, MACHINE, *SIZES)
    assert result == TIMED
    assert result.passed


FAILURES: tuple[tuple[object, FindingKind, str], ...] = (
    (Wrong("2^28 floats", "yours", "off by 3"), FindingKind.WRONG_VALUES, "off by 3"),
    (Wrong("2^28 floats", "fast", "off by 3"), FindingKind.WRONG_VALUES, "fast: off by 3"),
    (Observation(timed_out=True), FindingKind.TIMEOUT, "not finished after 600 s"),
    (Observation(failure=Failure("RuntimeError", "CUDA error", None)), FindingKind.CRASH, "RuntimeError: CUDA error"),
)


@pytest.mark.parametrize(("told", "kind", "message"), FAILURES, ids=lambda each: str(each)[:12])
def test_a_failure_leaves_no_figure(
    monkeypatch: pytest.MonkeyPatch, told: object, kind: FindingKind, message: str
) -> None:
    result = of_reports(monkeypatch, MACHINE, SIZES[0], told)
    assert result.times is None
    assert not result.passed
    assert (result.verdict.findings[0].kind, result.verdict.findings[0].message[: len(message)]) == (kind, message)


def test_a_gpu_without_room_leaves_a_sentence_and_no_figure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TRITON_WORKSHOP_STATE", str(tmp_path))
    result = of_reports(monkeypatch, MACHINE, NoRoom("2^16 floats", 12 << 20, 5 << 20))
    assert not result.passed
    assert result.verdict.passed
    assert "2^16 floats, takes 12 MiB of the GPU's memory, with its check, and 5 MiB are free" in shown(result, 200)
    assert result.as_json()["no_room"] == {"size": "2^16 floats", "needed": 12 << 20, "free": 5 << 20}
    commands._remember_best(result)
    assert load_progress() == {}
    assert not plots.plot([result], tmp_path / "nothing.png")


def test_times_as_json() -> None:
    data = TIMED.as_json()
    assert data["device"] == "cuda"
    times = data["times"]
    assert isinstance(times, dict)
    assert times["gpu"] == "NVIDIA MADE-UP"
    assert [size["size"] for size in times["sizes"]] == [size.size for size in SIZES]
    assert set(times["sizes"][0]["times"]["fast"]) == {"median", "low", "high"}


def shown(result: Bench, width: int) -> str:
    console = Console(width=width, record=True, file=io.StringIO())
    report.print_bench(result, console)
    return console.export_text()


@pytest.mark.parametrize("width", [80, 120])
def test_the_table_has_time_rate_ratio_and_share(width: int) -> None:
    lines = shown(TIMED, width).splitlines()
    assert max(map(len, lines)) <= width
    [row] = [line.split() for line in lines if line.startswith("fast") and "0.76" in line]
    assert row == ["fast", "0.76", "0.7524", "–", "0.7676", "4,238", "2.50", "100"]
    [row] = [line.split() for line in lines if line.startswith("yours") and "0.95" in line]
    assert row[5:] == ["3,391", "2.00", "80"]


def test_products_are_shown_in_operations_a_second() -> None:
    matmul = replace(BEGUN, exercise=EXERCISES["4"], times=Times(MACHINE, (replace(SIZES[0], size="256³"),)))
    text = shown(matmul, 100)
    assert "TFLOP/s" in text
    assert "PyTorch (cuBLAS)" in text


@pytest.mark.parametrize("width", [80, 120])
def test_every_size_has_a_line_and_every_contender_a_time(width: int) -> None:
    text = shown(TIMED, width)
    assert [line.split()[2] for line in text.splitlines() if line.startswith("2^")] == ["time,", "0.00125", "¹", "¹"]
    assert "…" not in text


def test_a_roofline_is_drawn_of_what_was_measured(tmp_path: Path) -> None:
    assert plots.plot([TIMED, BEGUN], tmp_path / "roofline.png")
    assert (tmp_path / "roofline.png").stat().st_size > 10_000
    assert not plots.plot([BEGUN], tmp_path / "nothing.png")


def test_the_learners_best_ratio_is_remembered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TRITON_WORKSHOP_STATE", str(tmp_path))
    commands._remember_best(TIMED)
    assert load_progress()["1"].best_ratio == 1.25
    slower = {**times_of(1.0), "yours": Timing(9.0, 9.0, 9.0)}
    commands._remember_best(replace(TIMED, times=Times(MACHINE, (replace(SIZES[2], times=slower),))))
    assert load_progress()["1"].best_ratio == 1.25
    commands._remember_best(replace(TIMED, name="plain", file=ADD.solution_file.resolve()))
    assert load_progress()["1"].best_ratio == 1.25


def test_a_script_is_measured_beside_the_solutions_that_it_is_not() -> None:
    files = {ADD.exercise_file: ["yours", "plain", "fast"], ADD.solution_file: ["plain", "fast"]}
    for file, names in files.items():
        sources = bench_module.sources_of(Source.read(file, ADD))
        assert list(sources) == names
        assert sources[names[0]].file == file


@pytest.mark.gpu
def test_the_command_times_a_kernel(run_python: Callable[..., Any]) -> None:
    outcome = run_python("-c", "from triton_workshop.cli import main; main()", "bench", "2", "--plain", "--json")
    assert outcome.returncode == 0, outcome.stderr
    assert '"device": "cuda"' in outcome.stdout
