"""Kernels with one fault each, or none: what is said of them is true of what was counted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
import triton
import triton.language as tl

from triton_simulator import record
from triton_simulator.gpus import A100, H200, PUBLISHED, GpuModel
from triton_workshop.bench.attainable import limit_on, limits_of, missing_unit
from triton_workshop.bench.sentences import number, sentences
from triton_workshop.costs.cost import Cost, cost_of


@triton.jit
def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, 2 * tl.load(x_ptr + at, mask=at < n), mask=at < n)


@triton.jit
def double_by_columns(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr):
    """A program takes a column of a matrix whose rows lie one after the other."""
    at = tl.arange(0, BLOCK) * columns + tl.program_id(0)
    tl.store(out_ptr + tl.program_id(0) * rows + tl.arange(0, BLOCK), 2 * tl.load(x_ptr + at))


@triton.jit
def scatter_by_columns(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK) * columns + tl.program_id(0)
    tl.store(out_ptr + at, 2 * tl.load(x_ptr + tl.program_id(0) * rows + tl.arange(0, BLOCK)))


@triton.jit
def neighbours(x_ptr, out_ptr, n, TIMES: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for step in tl.static_range(TIMES):
        total += tl.load(x_ptr + (at + step) % n)
    tl.store(out_ptr + at, total)


@triton.jit
def product(a_ptr, b_ptr, c_ptr, PRECISION: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    c = tl.dot(tl.load(a_ptr + at), tl.load(b_ptr + at), input_precision=PRECISION)
    tl.store(c_ptr + at, c)


@triton.jit
def busy(x_ptr, out_ptr, TURNS: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    for _ in range(TURNS):
        x = x * 0.5 + 1
    tl.store(out_ptr + at, x)


@triton.jit
def repeated_exponentials(x_ptr, out_ptr, TURNS: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    for _ in range(TURNS):
        x = tl.exp(-x)
    tl.store(out_ptr + at, x)


def cost_of_call(call: Callable[[], object]) -> Cost:
    with record(coalescing=True) as launches:
        call()
    return cost_of(launches)


def vector(n: int) -> torch.Tensor:
    return torch.rand(n)


def doubled(n: int, programs: int) -> Cost:
    return cost_of_call(lambda: double[(programs,)](vector(n), vector(n), n, BLOCK=256))


def by_columns(kernel: object, rows: int = 64, columns: int = 1024) -> Cost:
    x, out = vector(rows * columns), vector(rows * columns)
    return cost_of_call(lambda: kernel[(columns,)](x, out, rows, columns, BLOCK=rows))  # type: ignore[index]


def multiplied(precision: str, n: int = 128) -> Cost:
    a = torch.rand(n, n)
    return cost_of_call(lambda: product[(1,)](a, a.clone(), a.clone(), precision, n))


def test_whole_sectors_once_leave_nothing_to_a_cache() -> None:
    cost = doubled(4096, 16)
    assert sentences(cost, cost.operations) == (
        "memory-bound: 0.12 operations per byte, an H200 needs 14",
        "asks for each byte once, in whole sectors; caching can't help",
    )


def test_column_major_reads_waste_sectors() -> None:
    cost = by_columns(double_by_columns)
    said = "reads x_ptr in rows of 4 bytes with a stride of 4,096 bytes: each 32-byte sector brings 4 useful bytes"
    assert said in sentences(cost, cost.operations)
    assert (cost.reuse, cost.spread) == (1.0, 4.5)


def test_column_major_writes_waste_sectors() -> None:
    cost = by_columns(scatter_by_columns)
    said = "writes out_ptr in rows of 4 bytes with a stride of 4,096 bytes: each 32-byte sector takes 4 useful bytes"
    assert said in sentences(cost, cost.operations)


@pytest.mark.parametrize(("times", "served"), [(2, 1), (9, 8), (25, 24)])
def test_redundant_loads_are_the_caches_work(times: int, served: int) -> None:
    x = vector(4096)
    cost = cost_of_call(lambda: neighbours[(16,)](x, vector(4096), 4096, times, BLOCK=256))
    said = f"asks for each pixel {times} times; a cache must serve {served} of them"
    assert said in sentences(cost, cost.operations, noun="pixel")
    assert said.replace("pixel", "element of x_ptr") in sentences(cost, cost.operations)


def test_masked_lanes_and_idle_programs_are_named() -> None:
    cost = doubled(100, 5)
    assert sentences(cost, cost.operations)[1:] == (
        "4 of 5 programs store nothing: the grid is larger than the work",
        "masks leave out 92% of all lanes: blocks reach beyond the data",
    )


def test_a_partly_filled_last_block_is_not_worth_a_word() -> None:
    cost = doubled(4000, 16)
    assert not any("mask" in said or "programs" in said for said in sentences(cost, cost.operations))


def test_between_the_roofs_each_gpu_has_its_own_limit() -> None:
    cost = cost_of_call(lambda: busy[(16,)](vector(4096), vector(4096), 200, BLOCK=256))
    assert sentences(cost, cost.operations)[0] == "50 operations per byte: memory is the limit on an RTX 4090 " + (
        "(needs 82) and an RTX 5090 (needs 58), compute is the limit on a T4 (needs 25) and an A100 (needs 9.6) "
        "and an H200 (needs 14) and a B200 (needs 10)"
    )


def test_much_arithmetic_is_compute_bound_anywhere() -> None:
    cost = cost_of_call(lambda: busy[(16,)](vector(4096), vector(4096), 400, BLOCK=256))
    assert sentences(cost, cost.operations)[0] == "compute-bound: 100 operations per byte, an H200 needs only 14"


@pytest.mark.parametrize(("gpu", "rate"), [(H200, 67e12 / 16), (A100, 19.5e12 / 8)], ids=["H200", "A100"])
def test_exponentials_have_units_of_their_own(gpu: GpuModel, rate: float) -> None:
    cost = cost_of_call(lambda: repeated_exponentials[(16,)](vector(4096), vector(4096), 200, BLOCK=256))
    limit = limit_on(gpu, cost, cost.operations)
    assert limit is not None
    assert cost.special == 200 * 4096
    assert limit.arithmetic == limit.special == pytest.approx(cost.special / rate)
    assert limit.bound == "compute"


def test_exponentials_that_set_the_limit_are_named() -> None:
    cost = cost_of_call(lambda: repeated_exponentials[(16,)](vector(4096), vector(4096), 200, BLOCK=256))
    assert "exponentials keep their own units busy for 100% of the time on an H200" in sentences(cost, cost.operations)
    few = cost_of_call(lambda: repeated_exponentials[(16,)](vector(4096), vector(4096), 2, BLOCK=256))
    assert not any("exponentials" in said for said in sentences(few, few.operations))


def test_units_overlap_at_best() -> None:
    cost = replace(multiplied("tf32", 256), special=10_000, operations=2 * 256**3 + 20_000)
    limit = limit_on(H200, cost, cost.operations)
    assert limit is not None
    assert limit.arithmetic == pytest.approx(max(2 * 256**3 / 494.5e12, 10_000 / (67e12 / 16)))


def test_a_large_product_is_compute_bound() -> None:
    cost = multiplied("ieee", 256)
    assert cost.products == {"ieee": 2 * 256**3}
    said = sentences(cost, cost.operations)[0]
    assert said.startswith(
        "43 operations per byte: memory is the limit on an RTX 4090 (needs 82) and an RTX 5090 (needs 58), compute"
    )


def test_tensor_cores_move_the_limit() -> None:
    slow, quick = (limit_on(H200, multiplied(precision, 256), 2 * 256**3) for precision in ("ieee", "tf32"))
    assert slow is not None
    assert quick is not None
    assert (slow.bound, quick.bound) == ("compute", "memory")
    assert slow.rate == pytest.approx(67e12)
    assert quick.rate == pytest.approx(4.8e12 * quick.intensity)
    assert quick.balance == pytest.approx(494.5e12 / 4.8e12)


def test_what_one_dot_takes_several_products_for_costs_them() -> None:
    cost = multiplied("bf16x6", 256)
    limit = limit_on(H200, cost, cost.operations)
    assert limit is not None
    assert limit.arithmetic == pytest.approx(6 * 2 * 256**3 / 989.5e12)


def test_a_gpu_without_the_unit_has_no_limit() -> None:
    a = torch.rand(16, 16).bfloat16()
    cost = cost_of_call(lambda: product[(1,)](a, a, torch.rand(16, 16), "ieee", 16))
    limits = limits_of(cost, cost.operations)
    assert [gpu.name for gpu, limit in zip(PUBLISHED, limits, strict=True) if limit is None] == ["T4"]
    assert [missing_unit(gpu, cost) for gpu in PUBLISHED] == ["bf16", *[None] * 5]


def test_turing_multiplies_tf32_without_tensor_cores() -> None:
    cost = multiplied("tf32", 16)
    limit = limits_of(cost, cost.operations)[0]
    assert limit is not None
    assert limit.arithmetic == pytest.approx(cost.operations / 8.1e12)


def test_the_fast_solution_is_compared_where_it_differs() -> None:
    x = vector(4096)
    slow = cost_of_call(lambda: neighbours[(16,)](x, vector(4096), 4096, 9, BLOCK=256))
    quick = doubled(4096, 16)
    assert "the fast solution asks for 80% fewer bytes" in sentences(slow, 1, fast=quick)
    assert not any("fast" in said for said in sentences(quick, 1, fast=slow))


def test_tensor_cores_of_the_fast_solution_are_named() -> None:
    said = sentences(multiplied("ieee"), 1, fast=multiplied("bf16x6"))[-1]
    assert said == (
        "the fast solution does 6 times the products, on tensor cores: an H200's do 15 times as many per second"
    )


def test_a_cost_needs_launches_with_their_layout() -> None:
    with record() as launches:
        double[(1,)](vector(8), vector(8), 8, BLOCK=8)
    with pytest.raises(ValueError, match=r"record\(coalescing=True\)"):
        cost_of(launches)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0833, "0.08"), (1.0, "1"), (2.25, "2.2"), (8.98, "9"), (13.96, "14"), (26.0, "26"), (1234.5, "1,234"),
        (0, "0"),
    ],
)  # fmt: skip
def test_numbers_are_short(value: float, text: str) -> None:
    assert number(value) == text
