"""The code behind each figure of `python -m benchmarks.kernels`: on the simulator, at sizes that take no time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

_before = os.environ.get("TRITON_INTERPRET")
os.environ["TRITON_INTERPRET"] = "1"

from triton_workshop import DEVICE  # noqa: E402, I001

import torch  # noqa: E402
import triton  # noqa: E402
import triton.language as tl  # noqa: E402

from benchmarks import deck_figures, kernels, second_half  # noqa: E402
from benchmarks.deck_figures import Figure  # noqa: E402
from triton_workshop.bench.timing import Timing  # noqa: E402


@triton.jit
def clock(after):
    """In place of a multiprocessor's, which the simulator does not have."""
    return after.to(tl.int64) * 0


if _before is None:
    del os.environ["TRITON_INTERPRET"]
else:
    os.environ["TRITON_INTERPRET"] = _before

pytestmark = pytest.mark.skipif(DEVICE != "cpu", reason="the figures are measured on a GPU; here their code runs")

ELSEWHERE = {"compiled", "static", "cuDNN", "flash"}
"""Contenders that need a GPU, or a compiler of C++."""


class Event:
    """In place of one of CUDA's: all that it measures takes a millisecond."""

    def __init__(self, enable_timing: bool) -> None:
        pass

    def record(self) -> None:
        pass

    synchronize = record

    def elapsed_time(self, _end: Event) -> float:
        return 1.0


def run_each(ways: Mapping[str, Callable[[], Any]], *_: object) -> dict[str, float]:
    for way in ways.values():
        way()
    return dict.fromkeys(ways, 1.0)


@pytest.fixture(autouse=True)
def _simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    monkeypatch.setattr(deck_figures, "_times", run_each)
    monkeypatch.setattr(deck_figures, "_clock", clock)
    monkeypatch.setattr(deck_figures, "LEVELS", (("L1", 2**12, 1), ("HBM", 2**13, 0)))
    monkeypatch.setattr(deck_figures, "STEPS", 16)
    monkeypatch.setattr(torch.cuda, "Event", Event)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device: SimpleNamespace(multi_processor_count=1))


FIGURES: dict[str, Callable[[], Iterable[Figure]]] = {
    "latencies": deck_figures.latencies,
    "fusion": deck_figures.fusion,
    "tf32 error": lambda: [deck_figures.tf32_error()],
    "block sizes": lambda: deck_figures.block_sizes(2**10),
    "tile orders": lambda: deck_figures.tile_orders(300),
    "tile sizes": lambda: deck_figures.tile_sizes((64, 130)),
    "attention": lambda: deck_figures.attention(heads=2, length=130),
}


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_of_the_deck_has_code_that_runs(name: str) -> None:
    figures = list(FIGURES[name]())
    assert figures
    assert [figure for figure in figures if not figure.value >= 0] == []


def test_tf32_loses_what_the_slide_says() -> None:
    assert f"{deck_figures.tf32_error().value:.0e}" == "8e-04"


WORK: dict[str, Callable[[], kernels.Work]] = {
    "add": lambda: kernels._add(1001),
    "sepia": lambda: kernels._sepia(17, 24),
    "conv2d": lambda: kernels._conv2d(3, 17, 24, 3),
    "matmul float16": lambda: kernels._half_matmul(72, 40, 136, torch.float16),
    "matmul by fp16x3": lambda: kernels._float32_matmul(72, 40, 136, "fp16x3"),
    "matmul by bf16x6": lambda: kernels._float32_matmul(72, 40, 136, "bf16x6"),
}


@pytest.mark.parametrize("name", WORK)
def test_the_work_of_the_first_half_is_right(name: str) -> None:
    work = WORK[name]()
    assert {"fast", "plain", "eager"} <= set(work.runs)
    kernels._check(replace(work, runs={each: ways for each, ways in work.runs.items() if each not in ELSEWHERE}))


def test_errors_are_measured_beside_those_of_cublas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "in_turns", lambda runs, *rest: dict.fromkeys(runs, Timing(1.0, 1.0, 1.0)))
    assert all(0 < each.fast < 1e-5 for each in kernels.accuracies((64,)))
    assert {each.inputs: 0 < each.error < 1e-2 for each in kernels.data_types(64)} == dict.fromkeys(
        ("float32", "TF32", "bfloat16", "float16"), True
    )


HALF = torch.float16
SECOND_HALF: dict[str, Callable[[], second_half.Work]] = {
    "cross-entropy": lambda: second_half.cross_entropy(3, 1024, torch.bfloat16),
    "cross-entropy backward": lambda: second_half.cross_entropy_backward(3, 1024, torch.bfloat16),
    "layer norm": lambda: second_half.layer_norm(3, 512, torch.bfloat16),
    "attention": lambda: second_half.attention(4, 128, 64, HALF, causal=False),
    "causal attention": lambda: second_half.attention(4, 128, 64, HALF, causal=True),
    "4-bit layer": lambda: second_half.int4_linear(2, 64, 256),
}


@pytest.mark.parametrize("name", SECOND_HALF)
def test_the_work_of_the_second_half_is_right(name: str) -> None:
    work = SECOND_HALF[name]()
    assert {"ours", "plain", "eager"} <= set(work.ways)
    errors = second_half._errors(
        replace(work, ways={each: ways for each, ways in work.ways.items() if each not in ELSEWHERE})
    )
    assert errors["ours"] <= 1.5 * errors["eager"]


def test_what_only_reads_runs_too() -> None:
    reads = second_half.int4_linear(1, 64, 256).ways["read"]
    assert [len(run()) for run in reads] == [1, 1, 1, 1]


def test_every_kind_of_work_of_the_second_half_is_tried_here() -> None:
    made = {make.func.__name__ for make in second_half.works() if isinstance(make, second_half.partial)}
    assert made == {"cross_entropy", "cross_entropy_backward", "layer_norm", "attention", "int4_linear"}
