"""Steps as text: values in a few words, and a program line by line."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
import triton
import triton.language as tl

from triton_simulator import ProgramValue, StepOptions, record
from triton_simulator.steps.text import number_text, type_text, value_text


@triton.jit
def total_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    total = 0.0
    for start in range(0, n, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        total += tl.sum(tl.load(x_ptr + offsets, mask=offsets < n, other=0.0))
    tl.store(out_ptr, total)


def test_a_program_is_told_line_by_line_with_first_and_last_iterations() -> None:
    with record(steps=True) as launches:
        total_kernel[(1,)](torch.ones(75), torch.zeros(1), 75, BLOCK=16)
    heading, *lines = launches[0].text().splitlines()
    assert heading == "total_kernel: program 0, grid (1,)"
    assert [line.split()[1] for line in lines[:4]] == ["x_ptr", "out_ptr", "n", "BLOCK"]
    starts = [
        line.rpartition("  ")[2] if "for start" in line else "…"
        for line in lines
        if "for" in line or line.strip() == "…"
    ]
    assert starts == ["0", "16", "…", "64"]
    sums = [line.split("sum: ")[1] for line in lines if "sum: " in line]
    assert sums == ["fp32  16", "fp32  16", "fp32  11"]
    assert sum(line.endswith("fp32[16]  all 1  ← x_ptr[0 … 15]") for line in lines) == 1
    assert sum(line.endswith("fp32[16]  0 … 1  ← x_ptr[64 … 74], 11 of 16") for line in lines) == 1
    assert lines[-1].endswith("fp32  75  → out_ptr[0]")


@triton.jit
def far_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0) * 2 + tl.program_id(1)
    for start in range(0, n, BLOCK):
        offsets = row * n + start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + offsets)
        tl.store(out_ptr + offsets, x, mask=offsets < 6 * n - 100)


def test_the_program_at_fault_is_told_with_the_iteration_of_the_fault() -> None:
    n = 160
    with record(steps=True) as launches:
        far_kernel[(3, 2)](torch.zeros(6 * n - 100), torch.zeros(6 * n), n, BLOCK=16)
    text = launches[0].text()
    assert text.startswith("far_kernel: program (2, 1), grid (3, 2)\n")
    [fault] = [line for line in text.splitlines() if line.startswith("✗")]
    assert "x = tl.load(x_ptr + offsets)" in fault
    assert "4 outside" in fault
    assert "← x_ptr[848 … 863]" in fault
    assert launches[0].text(2).startswith("far_kernel: program (1, 0), grid (3, 2)\n")
    assert launches[0].text((1, 0)) == launches[0].text(2)
    assert launches[0].text([1]) == launches[0].text(2)
    with pytest.raises(ValueError, match=r"the grid is \(3, 2\), so there is no program \(3, 0\)"):
        launches[0].text((3, 0))


def test_programs_are_chosen_by_number_or_by_ids() -> None:
    for chosen in ((3, 4), ((1, 1), (2, 0))):
        with record(steps=StepOptions(programs=chosen)) as launches:
            far_kernel[(3, 2)](torch.zeros(960), torch.zeros(960), 160, BLOCK=16)
        steps = launches[0].steps
        assert steps is not None
        assert [len(steps.of(program)) > 0 for program in range(6)] == [False, False, False, True, True, False]
        assert steps.of((1, 1))
        assert not steps.of((0, 0))
        assert not steps.of(17)
    with record(steps=StepOptions(programs=(17,))) as launches:
        far_kernel[(3, 2)](torch.zeros(960), torch.zeros(960), 160, BLOCK=16)
    assert launches[0].steps is not None
    assert launches[0].steps.omitted == "None of the programs that were asked for exists: the grid is (3, 2)."


def test_what_is_asked_wrongly_is_told() -> None:
    with pytest.raises(TypeError, match="steps: expected True, False or StepOptions, got 'yes'"), record(steps="yes"):  # type: ignore[arg-type]
        pass
    with record() as launches:
        total_kernel[(1,)](torch.ones(75), torch.zeros(1), 75, BLOCK=16)
    with pytest.raises(ValueError, match="the launch has no steps"):
        launches[0].text()


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


def test_a_program_whose_steps_were_not_kept_is_told() -> None:
    with record(steps=StepOptions(programs=(3, (2, 0)))) as launches:
        far_kernel[(3, 2)](torch.zeros(960), torch.zeros(960), 160, BLOCK=16)
    heading, told = launches[0].text(program=0).splitlines()
    assert heading == "far_kernel: program (0, 0), grid (3, 2)"
    assert told == ("The steps of this program were not kept. `StepOptions` chose program (1, 1), program (2, 0).")
    assert "not kept" not in launches[0].text(program=3)
    assert "not kept" not in launches[0].text(program=(2, 0))


def test_a_statement_over_several_lines_stands_on_one() -> None:
    @triton.jit
    def stores(
        x_ptr,
    ):
        tl.store(
            x_ptr + tl.arange(0, 4),  # a comment
            1.0,
        )

    with record(steps=True) as launches:
        stores[(1,)](torch.zeros(4))
    assert "  tl.store(x_ptr + tl.arange(0, 4), 1.0)  fp32[4]  all 1  → x_ptr[0 … 3]" in launches[0].text()


def test_a_step_has_its_line_and_its_iteration() -> None:
    with record(steps=True) as launches:
        total_kernel[(1,)](torch.ones(75), torch.zeros(1), 75, BLOCK=16)
    assert launches[0].steps is not None
    loads = [step for step in launches[0].steps.of(0) if step.operation == "load"]
    assert [step.iteration for step in loads] == [(number,) for number in range(5)]
    assert {(step.line, step.name) for step in loads} == {(loads[0].step.line, loads[0].step.name)}
    assert "tl.load(" in loads[0].line.text
