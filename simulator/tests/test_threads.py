"""Threads of one program that meet at an element: `tl.debug_barrier()` makes it right, and equal lanes do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import triton
import triton.language as tl

from triton_simulator import Fault, record

N = 256
RIGHT: list[Any] = []
WRONG: list[Any] = []


def right(kernel: Any) -> Any:
    RIGHT.append(kernel)
    return kernel


def wrong(kernel: Any) -> Any:
    """Threads race on the line marked `# HERE`, with those of the line marked `# BEFORE`."""
    WRONG.append(kernel)
    return kernel


def faults(kernel: Any, **options: Any) -> tuple[Fault, ...]:
    x, out, scratch = torch.randn(4, N), torch.zeros(4, N), torch.zeros(4, N)
    with record() as launches:
        kernel[(4,)](x, out, scratch, N=N, **options)
    return launches[0].faults


@wrong
@triton.jit
def reads_from_the_back(x_ptr, out_ptr, scratch_ptr, N: tl.constexpr):
    row, i = tl.program_id(0) * N, tl.arange(0, N)
    tl.store(scratch_ptr + row + i, tl.load(x_ptr + row + i))  # BEFORE
    tl.store(out_ptr + row + i, tl.load(scratch_ptr + row + N - 1 - i))  # HERE


@wrong
@triton.jit
def reads_its_neighbour(x_ptr, out_ptr, scratch_ptr, N: tl.constexpr):
    row, i = tl.program_id(0) * N, tl.arange(0, N)
    x = tl.load(x_ptr + row + i)
    tl.store(scratch_ptr + row + i, x)  # BEFORE
    x += tl.load(scratch_ptr + row + i + 1, mask=i < N - 1, other=0.0)  # HERE
    tl.store(out_ptr + row + i, x)


@wrong
@triton.jit
def stores_where_other_threads_have_read_too(x_ptr, out_ptr, scratch_ptr, N: tl.constexpr):
    row, i = tl.program_id(0) * N, tl.arange(0, N)
    x = tl.load(scratch_ptr + row + i)
    x += tl.load(scratch_ptr + row + i - 1, mask=i > 0, other=0.0)  # BEFORE
    x += tl.load(scratch_ptr + row + i)
    tl.store(scratch_ptr + row + i, x + 1)  # HERE


@wrong
@triton.jit
def reads_in_blocks_of_another_size(x_ptr, out_ptr, scratch_ptr, N: tl.constexpr):
    row, i, part = tl.program_id(0) * N, tl.arange(0, N), tl.arange(0, 64)
    for start in range(0, N, 64):
        tl.store(scratch_ptr + row + start + part, tl.load(x_ptr + row + start + part))  # BEFORE
    tl.store(out_ptr + row + i, tl.load(scratch_ptr + row + i))  # HERE


@wrong
@triton.jit
def reads_one_element_of_a_block(x_ptr, out_ptr, scratch_ptr, N: tl.constexpr):
    row, i = tl.program_id(0) * N, tl.arange(0, N)
    tl.store(scratch_ptr + row + i, tl.load(x_ptr + row + i))  # BEFORE
    last = tl.load(scratch_ptr + row + N - 1)  # HERE
    tl.store(out_ptr + row, last)


@wrong
@triton.jit
def reads_a_scalar_for_a_block(x_ptr, out_ptr, scratch_ptr, N: tl.constexpr):
    row, i = tl.program_id(0) * N, tl.arange(0, N)
    x = tl.load(x_ptr + row + i)
    tl.store(scratch_ptr + row, tl.max(x))  # BEFORE
    largest = tl.load(scratch_ptr + row)  # HERE
    tl.store(out_ptr + row + i, tl.exp(x - largest))


@wrong
@triton.jit
def reads_a_scalar_for_pointers(x_ptr, out_ptr, scratch_ptr, N: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, N)
    tl.store(scratch_ptr + row, row.to(tl.float32))  # BEFORE
    same = tl.load(scratch_ptr + row).to(tl.int32)  # HERE
    tl.store(out_ptr + same * N + i, tl.load(x_ptr + row * N + i))


@wrong
@triton.jit
def gathers_scalars_into_a_block(x_ptr, out_ptr, scratch_ptr, N: tl.constexpr):
    row, i = tl.program_id(0) * N, tl.arange(0, N)
    for k in range(N):
        tl.store(scratch_ptr + row + k, tl.load(x_ptr + row + k) * 2)  # BEFORE
    tl.store(out_ptr + row + i, tl.load(scratch_ptr + row + i))  # HERE


@wrong
@triton.jit
def corrects_one_element_of_a_block(x_ptr, out_ptr, scratch_ptr, N: tl.constexpr):
    row, i = tl.program_id(0) * N, tl.arange(0, N)
    tl.store(out_ptr + row + i, tl.load(x_ptr + row + i))  # BEFORE
    tl.store(out_ptr + row + N - 1, 7.0)  # HERE


@wrong
@triton.jit
def adds_to_what_another_thread_clears(x_ptr, out_ptr, scratch_ptr, N: tl.constexpr):
    row, i = tl.program_id(0) * N, tl.arange(0, N)
    tl.store(scratch_ptr + row + i, tl.load(x_ptr + row + i))  # BEFORE
    tl.atomic_add(scratch_ptr + row + (i * 77) % N, 1.0, sem="relaxed")  # HERE


@wrong
@triton.jit
def reads_what_other_threads_have_added(x_ptr, out_ptr, scratch_ptr, N: tl.constexpr):
    row, i = tl.program_id(0) * N, tl.arange(0, N)
    tl.atomic_add(scratch_ptr + row + (i * 77) % N, 1.0, sem="relaxed")  # BEFORE
    tl.store(out_ptr + row + i, tl.load(scratch_ptr + row + i))  # HERE


@wrong
@triton.jit
def turns_round_in_place(x_ptr, out_ptr, scratch_ptr, N: tl.constexpr):
    row, i = tl.program_id(0) * N, tl.arange(0, N)
    x = tl.load(x_ptr + row + N - 1 - i)  # BEFORE
    tl.store(x_ptr + row + i, x)  # HERE


@wrong
@triton.jit
def replaces_what_all_threads_need(x_ptr, out_ptr, scratch_ptr, N: tl.constexpr):
    row, i = tl.program_id(0) * N, tl.arange(0, N)
    first = tl.load(x_ptr + row)  # BEFORE
    tl.store(out_ptr + row + i, first + i)
    tl.store(x_ptr + row, first + 1)  # HERE


@wrong
@triton.jit
def waits_too_early(x_ptr, out_ptr, scratch_ptr, N: tl.constexpr):
    row, i = tl.program_id(0) * N, tl.arange(0, N)
    x = tl.load(x_ptr + row + i)
    tl.debug_barrier()
    tl.store(scratch_ptr + row + i, x)  # BEFORE
    tl.store(out_ptr + row + i, tl.load(scratch_ptr + row + N - 1 - i))  # HERE


@right
@triton.jit
def a_barrier_lies_between(x_ptr, out_ptr, scratch_ptr, N: tl.constexpr):
    row, i = tl.program_id(0) * N, tl.arange(0, N)
    tl.store(scratch_ptr + row + i, tl.load(x_ptr + row + i))
    tl.debug_barrier()
    y = tl.load(scratch_ptr + row + N - 1 - i)
    tl.debug_barrier()
    tl.store(scratch_ptr + row + i, y)


@right
@triton.jit
def each_lane_reads_what_it_stored(x_ptr, out_ptr, scratch_ptr, N: tl.constexpr):
    row, part = tl.program_id(0) * N, tl.arange(0, 64)
    for start in range(0, N, 64):
        tl.store(out_ptr + row + start + part, tl.load(x_ptr + row + start + part))
    for start in range(0, N, 64):
        at, mask = N - 64 - start + part, part < 63
        tl.store(out_ptr + row + at, tl.load(out_ptr + row + at, mask=mask, other=1.0) * 2)


@right
@triton.jit
def one_thread_adds_up(x_ptr, out_ptr, scratch_ptr, N: tl.constexpr):
    row = tl.program_id(0) * N
    for k in range(N):
        tl.store(out_ptr + row, tl.load(out_ptr + row) + tl.load(x_ptr + row + k))
    tl.store(out_ptr + row + 1, tl.load(out_ptr + row) / N)


@right
@triton.jit
def in_place_by_halves(x_ptr, out_ptr, scratch_ptr, N: tl.constexpr):
    row, i = tl.program_id(0) * N, tl.arange(0, N // 2)
    a, b = tl.load(x_ptr + row + i), tl.load(x_ptr + row + N // 2 + i)
    tl.store(x_ptr + row + i, b)
    tl.store(x_ptr + row + N // 2 + i, a)


@right
@triton.jit
def a_sum_needs_all_that_is_replaced(x_ptr, out_ptr, scratch_ptr, N: tl.constexpr):
    row, i, part = tl.program_id(0) * N, tl.arange(0, N), tl.arange(0, 64)
    total = tl.sum(tl.load(x_ptr + row + i))
    for start in range(0, N, 64):
        tl.store(x_ptr + row + start + part, total + part)


@right
@triton.jit
def a_histogram_lies_between(x_ptr, out_ptr, scratch_ptr, N: tl.constexpr):
    row, i = tl.program_id(0) * N, tl.arange(0, N)
    tl.store(scratch_ptr + row + i, tl.load(x_ptr + row + i))
    counts = tl.histogram(i, N)
    tl.store(out_ptr + row + i, tl.load(scratch_ptr + row + N - 1 - i) + counts)


@right
@triton.jit
def columns_of_contiguous_rows(x_ptr, out_ptr, scratch_ptr, N: tl.constexpr):
    row, i, k = tl.program_id(0) * N, tl.arange(0, 16)[:, None], tl.arange(0, 16)[None, :]
    tl.store(scratch_ptr + row + i * 16 + k, tl.load(x_ptr + row + i * 16 + k))
    tl.store(out_ptr + row + i * 16 + k, tl.load(scratch_ptr + row + k * 16 + i))


@right
@triton.jit
def adds_a_column_to_a_product_in_place(x_ptr, out_ptr, scratch_ptr, N: tl.constexpr):
    i, k = tl.arange(0, 16), tl.arange(0, 16)
    tile = tl.program_id(0) * N + i[:, None] * 16 + k[None, :]
    product = tl.dot(tl.load(x_ptr + tile), tl.load(x_ptr + tile), input_precision="ieee")
    product += tl.load(out_ptr + tl.program_id(0) * N + i * 16)[:, None]
    tl.store(out_ptr + tile, product)


@wrong
@triton.jit
def adds_a_column_to_a_block_in_place(x_ptr, out_ptr, scratch_ptr, N: tl.constexpr):
    i, k = tl.arange(0, 16), tl.arange(0, 16)
    tile = tl.program_id(0) * N + i[:, None] * 16 + k[None, :]
    column = tl.load(out_ptr + tl.program_id(0) * N + i * 16)  # BEFORE
    tl.store(out_ptr + tile, tl.load(x_ptr + tile) + column[:, None])  # HERE


@right
@triton.jit
def stores_what_is_there(x_ptr, out_ptr, scratch_ptr, N: tl.constexpr):
    row, i = tl.program_id(0) * N, tl.arange(0, N)
    tl.store(scratch_ptr + row + i, tl.zeros((N,), tl.float32))
    tl.store(out_ptr + row + i, tl.load(scratch_ptr + row + N - 1 - i) + 1)


@right
@triton.jit
def many_threads_add(x_ptr, out_ptr, scratch_ptr, N: tl.constexpr):
    row, i = tl.program_id(0) * N, tl.arange(0, N)
    for _ in range(3):
        tl.atomic_add(scratch_ptr + row + (i * 77) % N, tl.load(x_ptr + row + i), sem="relaxed")
        tl.atomic_add(scratch_ptr + row + i, 1.0, sem="relaxed")


@pytest.mark.parametrize("kernel", RIGHT, ids=lambda kernel: kernel.fn.__name__)
def test_threads_that_wait_or_stay_with_their_elements_do_not_race(kernel: Any) -> None:
    assert faults(kernel) == ()


@pytest.mark.parametrize("kernel", WRONG, ids=lambda kernel: kernel.fn.__name__)
def test_threads_that_meet_without_waiting_race(kernel: Any) -> None:
    found = faults(kernel)
    for fault in found:
        assert fault.kind == "race"
        assert fault.earlier is not None
        assert (fault.line.text.endswith("# HERE"), fault.earlier.text.endswith("# BEFORE")) == (True, True), str(fault)
    assert found


@pytest.mark.parametrize("kernel", WRONG, ids=lambda kernel: kernel.fn.__name__)
def test_threads_of_a_single_warp_run_in_step(kernel: Any) -> None:
    assert faults(kernel, num_warps=1) == ()


def test_a_message_names_both_lines_and_the_barrier() -> None:
    [fault] = faults(reads_from_the_back)
    assert fault.summary.startswith(
        "threads of program 0 meet at 192 elements from scratch_ptr[0] to scratch_ptr[255]: one "
    )
    assert "`tl.debug_barrier()`" in str(fault)
    assert "# BEFORE" in str(fault)


def _launches(kernel: Callable[..., Any], times: int) -> list[tuple[Fault, ...]]:
    return [faults(kernel) for _ in range(times)]


def test_every_launch_is_told_of() -> None:
    first, second = _launches(reads_from_the_back, 2)
    assert first == second != ()
