"""Steps as text: values in a few words, and a program line by line."""

from __future__ import annotations

import linecache
from typing import Any

import numpy as np
import pytest
import torch
import triton
import triton.language as tl

from triton_simulator import Launch, ProgramValue, record
from triton_simulator.steps.text import launch_text, number_text, type_text, value_text


@triton.jit
def total_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    total = 0.0
    for start in range(0, n, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        total += tl.sum(tl.load(x_ptr + offsets, mask=offsets < n, other=0.0))
    tl.store(out_ptr, total)


def text_of(launch: Launch, program: int = 0) -> list[str]:
    assert launch.steps is not None
    sources = {__file__: linecache.getlines(__file__)}
    return launch_text(launch.kernel, launch.grid, launch.steps, program, sources).splitlines()


def test_a_program_is_told_line_by_line_with_first_and_last_iterations() -> None:
    with record(steps=True) as launches:
        total_kernel[(1,)](torch.ones(75), torch.zeros(1), 75, BLOCK=16)
    heading, *lines = text_of(launches[0])
    assert heading == "total_kernel: program (0) of (1)"
    assert [line.split()[1] for line in lines[:4]] == ["x_ptr", "out_ptr", "n", "BLOCK"]
    starts = [
        line.rpartition("  ")[2] if "for start" in line else "…"
        for line in lines
        if "for" in line or line.strip() == "…"
    ]
    assert starts == ["0", "16", "…", "64"]
    endings = [line.partition("  ")[2] for line in lines]
    sums = [line.split("sum: ")[1] for line in lines if "sum: " in line]
    assert sums == ["fp32  16", "fp32  16", "fp32  11"]
    assert sum(ending.endswith("fp32[16]  all 1  ← x_ptr[0 … 15]") for ending in endings) == 1
    assert sum(ending.endswith("fp32[16]  0 … 1  ← x_ptr[64 … 74], 11 of 16") for ending in endings) == 1
    assert endings[-1].endswith("fp32  75  → out_ptr[0]")


def value(numbers: Any, dtype: str = "fp32", **rest: Any) -> ProgramValue:
    return ProgramValue(dtype, np.asarray(numbers), **rest)


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (value([1.0, -2.5], "fp32"), "fp32[2]: -2.5 … 1"),
        (value(np.float32(0.1)), "fp32: 0.1"),
        (value(np.int32(7), "int32"), "int32: 7"),
        (value(np.arange(6).reshape(2, 3), "int32"), "int32[2 × 3]: 0 … 5"),
        (value(np.zeros((2, 2), np.float32)), "fp32[2 × 2]: all 0"),
        (value([np.nan, 1.0, 2.0]), "fp32[3]: 1 … 2, 1 NaN"),
        (value([np.nan, np.nan]), "fp32[2]: all NaN"),
        (value(np.float32("nan")), "fp32: NaN"),
        (value([-np.inf, 3.0]), "fp32[2]: -inf … 3"),
        (value([True, False, True], "int1"), "int1[3]: 2 of 3 true"),
        (value([True, True], "int1"), "int1[2]: all true"),
        (value([False, False], "int1"), "int1[2]: all false"),
        (value(np.True_, "int1"), "int1: true"),
        (value([1.0, np.nan], undefined=np.array([False, True])), "fp32[2]: 1, 1 undefined"),
        (value([np.nan, np.nan], undefined=np.array([True, True])), "fp32[2]: all undefined"),
        (value(np.float32("nan"), undefined=np.asarray(True)), "fp32: undefined"),
        (value([5, -3], "int32", wrapped=np.array([False, True])), "int32[2]: -3 … 5, 1 beyond int32"),
        (value([8, 9], "pointer<fp16>", argument="x_ptr"), "fp16*[2]: x_ptr[8 … 9]"),
        (value(np.int64(3), "pointer<fp32>", argument="x_ptr"), "fp32*: x_ptr[3]"),
        (value(np.array("ieee", object), "constexpr"), ": 'ieee'"),
        (value(np.array(max, object), "constexpr"), ": max"),
    ],
)
def test_a_value_is_told_in_short(shown: ProgramValue, text: str) -> None:
    assert f"{type_text(shown)}: {value_text(shown)}" == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1, "1"),
        (1.0, "1"),
        (np.float32(1e-9), "1e-09"),
        (12345.678, "1.235e+04"),
        (np.False_, "false"),
        (2**40, str(2**40)),
    ],
)
def test_a_number_has_four_digits(number: object, text: str) -> None:
    assert number_text(number) == text
