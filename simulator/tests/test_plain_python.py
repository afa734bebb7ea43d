"""Python's own words in a kernel mean what Triton's compiler takes them for."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from triton.runtime.errors import InterpreterError

from triton_simulator import record


@triton.jit
def clips_by_builtins(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    at = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0.0)
    length = min(n - pid * BLOCK, BLOCK)
    tl.store(out_ptr + at, min(max(x, 0.25), 0.75) * length * max(1, 2), mask=at < n)


def test_min_and_max_of_blocks_go_element_by_element() -> None:
    x, out = torch.rand(1000), torch.empty(1000)
    with record() as launches:
        clips_by_builtins[(4,)](x, out, 1000, BLOCK=256)
    length = torch.full((1000,), 256.0)
    length[768:] = 232
    torch.testing.assert_close(out, x.clamp(0.25, 0.75) * length * 2)
    assert not launches[0].faults
    assert not launches[0].one_by_one


@triton.jit
def asserts(x_ptr, n):
    x = tl.load(x_ptr + tl.arange(0, 4))
    assert x >= 0, "x"
    assert n == 4


@triton.jit
def branches_on_a_block(x_ptr, n):
    x = tl.load(x_ptr + tl.arange(0, 4))
    if x > 0:
        tl.store(x_ptr + tl.arange(0, 4), x)


@triton.jit
def chooses_by_a_block(x_ptr, n):
    x = tl.load(x_ptr + tl.arange(0, 4))
    tl.store(x_ptr + tl.arange(0, 4), x if x > 0 else -x)


def test_a_block_may_be_asserted() -> None:
    asserts[(1,)](torch.ones(4), 4)


@triton.jit
def asserts_on_the_device(x_ptr, n):
    at = tl.program_id(0) * 4 + tl.arange(0, 4)
    tl.device_assert(tl.load(x_ptr + at, mask=at < n, other=-1.0) >= 0, "x", mask=at < n)


@triton.jit
def asserts_of_its_program(x_ptr, n):
    assert tl.load(x_ptr + tl.program_id(0) * 4 + tl.arange(0, 4)) >= 0, "x"


@pytest.mark.parametrize("kernel", [asserts_on_the_device, asserts_of_its_program])
def test_an_assertion_that_fails_says_where(kernel: Any) -> None:
    """On a GPU this takes `TRITON_DEBUG=1`; here, whoever asserts wants to know."""
    x = torch.arange(16.0)
    kernel[(3,)](x, 12)
    x[6] = -1
    with pytest.raises(InterpreterError, match="x, in program 1"):
        kernel[(3,)](x, 12)


def test_an_assertion_does_not_hold_for_what_its_mask_leaves_out() -> None:
    asserts_on_the_device[(4,)](torch.arange(16.0), 13)


@pytest.mark.parametrize("kernel", [branches_on_a_block, chooses_by_a_block])
def test_a_block_decides_no_branch(kernel: Any) -> None:
    """Triton's compiler refuses it; its interpreter goes on as if it were true."""
    with pytest.raises(InterpreterError, match=r"block of shape \(4,\) is neither true nor false"):
        kernel[(1,)](torch.ones(4), 4)


@triton.jit
def counts_to_an_argument(out_ptr, n, N: tl.constexpr):
    for i in range(-n, n):
        tl.store(out_ptr + i + n, (i // 2 * 10 + i % 3).to(tl.float32))


@triton.jit
def counts_to_a_constant(out_ptr, n, N: tl.constexpr):
    for i in tl.range(-N, N):
        tl.store(out_ptr + i + n, (i // 2 * 10 + i % 3).to(tl.float32))


@triton.jit
def counts_from_its_program(out_ptr, n, N: tl.constexpr):
    for i in range(tl.program_id(0) - n, n, tl.num_programs(0)):
        tl.store(out_ptr + i + n, (i // 2 * 10 + i % 3).to(tl.float32))


@pytest.mark.parametrize("kernel", [counts_to_an_argument, counts_to_a_constant, counts_from_its_program])
def test_a_loops_number_is_a_tensor(kernel: Any) -> None:
    """So it is divided towards zero, as everything on a GPU, and has a tensor's methods."""
    out = torch.zeros(8)
    kernel[(2,)](out, 4, N=4)
    assert out.tolist() == [int(i / 2) * 10 + math.fmod(i, 3) for i in range(-4, 4)]


@triton.jit
def multiplies_by_a_loops_number(x_ptr, out_ptr):
    at = tl.arange(0, 4)
    x = tl.load(x_ptr + at)
    for i in range(2, 3):
        tl.store(out_ptr + at, x * i)


def test_a_loops_number_is_an_int32() -> None:
    out = torch.zeros(4)
    multiplies_by_a_loops_number[(1,)](torch.full((4,), 100, dtype=torch.int8), out)
    assert out.tolist() == [200] * 4


@triton.jit
def assigns_a_tuple(out_ptr):
    low, (high, half) = -6, (6, 0.5)
    tl.store(out_ptr, low // 4)
    tl.store(out_ptr + 1, low % 4)
    tl.store(out_ptr + 2, high + half.to(tl.float16))


def test_the_numbers_of_a_tuple_are_tensors() -> None:
    out = torch.zeros(3)
    assigns_a_tuple[(1,)](out)
    assert out.tolist() == [-1, -2, 6.5]


@triton.jit
def takes_a_block_for_a_number(x_ptr, out_ptr):
    tl.store(out_ptr, math.exp(tl.load(x_ptr + tl.arange(0, 4))))


@triton.jit
def counts_to_a_float(x_ptr, out_ptr):
    for i in range(tl.load(x_ptr)):
        tl.store(out_ptr, i)


@triton.jit
def counts_to_a_block(x_ptr, out_ptr):
    for i in range(tl.load(x_ptr + tl.arange(0, 4)).to(tl.int32)):
        tl.store(out_ptr, i)


@triton.jit
def loads_by_brackets(x_ptr, out_ptr):
    tl.store(out_ptr, x_ptr[tl.arange(0, 4)])


@triton.jit
def unpacks_a_block(x_ptr, out_ptr):
    first, second = tl.load(x_ptr + tl.arange(0, 2))
    tl.store(out_ptr, first + second)


MISTAKEN = {
    takes_a_block_for_a_number: r"block of shape \(4,\) cannot become a Python number",
    counts_to_a_float: "`range` expects integers, but one of its arguments is a scalar of type fp32",
    counts_to_a_block: r"`range` expects integers, but one of its arguments is a block of shape \(4,\)",
    loads_by_brackets: r"brackets only add axes.*tl\.load\(pointer \+ offsets\)",
    unpacks_a_block: "a block cannot be unpacked, nor looped over",
}


@pytest.mark.parametrize("kernel", MISTAKEN)
def test_a_mistake_is_explained(kernel: Any) -> None:
    with pytest.raises(InterpreterError, match=MISTAKEN[kernel]):
        kernel[(1,)](torch.arange(4.0), torch.zeros(4))


@triton.jit
def declared(out_ptr, SHAPE: tl.constexpr):
    rows: tl.constexpr
    columns: tl.constexpr
    rows, columns = SHAPE
    size: tl.constexpr
    size = rows * columns
    block = tl.reshape(tl.full((rows, columns), 1.0, tl.float32), (size,))
    tl.store(out_ptr + tl.arange(0, size), block)


@pytest.mark.skipif(triton.__version__.startswith("3.6."), reason="Triton 3.6 ignores what is declared ahead")
def test_a_name_that_is_declared_as_a_constant_stays_one() -> None:
    out = torch.zeros(8)
    declared[(1,)](out, SHAPE=(4, 2))
    assert out.tolist() == [1.0] * 8


@triton.jit
def names_what_nobody_imported(x_ptr):
    x = tl.load(x_ptr + tl.arange(0, 4))
    tl.store(x_ptr + tl.arange(0, 4), np.add(x, x))  # type: ignore[name-defined]  # noqa: F821


def test_a_kernel_finds_no_names_of_the_interpreter() -> None:
    with pytest.raises(InterpreterError, match="name 'np' is not defined"):
        names_what_nobody_imported[(1,)](torch.ones(4))


@triton.jit
def promises_of_a_stride(x_ptr, out_ptr, n, B: tl.constexpr):
    rows = tl.arange(0, B)
    tl.store(out_ptr + rows, tl.multiple_of(rows * n, 4), mask=rows < n)


@triton.jit
def promises_of_a_size(x_ptr, out_ptr, n, B: tl.constexpr):
    tl.store(out_ptr + tl.program_id(0), tl.multiple_of(n, 4))


@triton.jit
def promises_of_rows(x_ptr, out_ptr, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    rows = (at + n)[:, None] + tl.arange(0, B)[None, :] * 0
    tl.store(out_ptr + at, tl.multiple_of(rows, [4, 1]).sum(1))


@triton.jit
def promises_of_addresses(x_ptr, out_ptr, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out_ptr + at, tl.load(tl.multiple_of(x_ptr + n + at, 16)))


@triton.jit
def promises_of_neighbours(x_ptr, out_ptr, n, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(out_ptr + at, tl.max_contiguous(at * (n - 7), B))


@triton.jit
def promises_of_constants(x_ptr, out_ptr, n, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(out_ptr + at, tl.max_constancy(at // (16 - n), 8))


FALSE = {
    promises_of_a_stride: "tl.multiple_of promises multiples of 4, and here is 9",
    promises_of_a_size: "tl.multiple_of promises multiples of 4, and here is 9",
    promises_of_rows: "tl.multiple_of promises multiples of 4, and here is 9",
    promises_of_addresses: "tl.multiple_of promises multiples of 16, and here is 36",
    promises_of_neighbours: "tl.max_contiguous promises 8 successive numbers, and here 2 begins others",
    promises_of_constants: "tl.max_constancy promises 8 equal numbers, and here 1 begins others",
}


@pytest.mark.parametrize("kernel", FALSE)
def test_a_false_promise_is_refused(kernel: Any) -> None:
    x, out = torch.arange(32, dtype=torch.int32), torch.zeros(32, dtype=torch.int32)
    kernel[(2,)](x, out, 8, B=8)
    with pytest.raises(InterpreterError, match=FALSE[kernel]):
        kernel[(2,)](x, out, 9, B=8)


def test_a_view_may_begin_where_its_memory_is_not_aligned() -> None:
    x, out = torch.arange(32, dtype=torch.int32), torch.zeros(32, dtype=torch.int32)
    promises_of_addresses[(2,)](x[4:], out, 0, B=8)
    with pytest.raises(InterpreterError, match="multiples of 16, and here is 4"):
        promises_of_addresses[(2,)](x[1:], out, 0, B=8)


@triton.jit
def wraps_rows(out_ptr, n, B: tl.constexpr):
    rows = (tl.program_id(0) * B + tl.arange(0, B)) % n
    rows = tl.max_contiguous(tl.multiple_of(rows, B), B)
    tl.store(out_ptr + rows, rows)


@triton.jit
def counts_rows_outside_as_the_first(out_ptr, n, B: tl.constexpr):
    rows = tl.program_id(0) * B + tl.arange(0, B)
    rows = tl.where(rows < n, rows, 0)
    rows = tl.max_contiguous(tl.multiple_of(rows, B), B)
    tl.store(out_ptr + rows, rows)


@triton.jit
def promises_more_than_an_access_needs(out_ptr, n, B: tl.constexpr):
    for start in range(0, n, 16):
        rows = tl.multiple_of(start, 128) + tl.arange(0, 16)
        tl.store(out_ptr + rows, rows, mask=rows < n)


@pytest.mark.parametrize("kernel", [wraps_rows, counts_rows_outside_as_the_first, promises_more_than_an_access_needs])
def test_harmless_promises_are_taken(kernel: Any) -> None:
    """As in Triton's tutorials on matrix products and on attention."""
    out = torch.zeros(20, dtype=torch.int32)
    kernel[(3,)](out, 20, B=8)
    assert out.tolist() == list(range(20))
