"""Right kernels of many shapes: batched, without any fault, and with the right result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest
import torch
import triton
import triton.language as tl
from triton.runtime import interpreter
from triton.tools.tensor_descriptor import TensorDescriptor

from triton_simulator import record


@dataclass(frozen=True)
class Right:
    kernel: Any
    run: Callable[[Any], tuple[torch.Tensor, torch.Tensor]]
    """Launches the kernel; gives its result and what that should be."""


CASES: list[Right] = []


def right(run: Callable[[Any], tuple[torch.Tensor, torch.Tensor]]) -> Callable[[Any], Any]:
    def add(kernel: Any) -> Any:
        CASES.append(Right(kernel, run))
        return kernel

    return add


def noise(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(len(shape))).to(dtype)


# Elements


def _copy(k: Any) -> Any:
    x, out = noise(1000), torch.zeros(1000)
    k[(4,)](x, out, 1000, BLOCK=256)
    return out, x


@right(_copy)
@triton.jit
def copy_by_a_persistent_loop(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    for block in tl.range(tl.program_id(0), tl.cdiv(n, BLOCK), 3):
        at = block * BLOCK + tl.arange(0, BLOCK)
        if tl.program_id(0) < 3:
            tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n), mask=at < n)


@right(_copy)
@triton.jit
def copy_with_a_branch_for_the_last(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if tl.program_id(0) == tl.num_programs(0) - 1:
        tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n), mask=at < n)
    else:
        tl.store(out_ptr + at, tl.load(x_ptr + at))


@right(_copy)
@triton.jit
def copy_one_by_one(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    for i in range(start, min(start + BLOCK, n)):
        tl.store(out_ptr + i, tl.load(x_ptr + i))


@right(_copy)
@triton.jit
def copy_by_a_pointer_that_moves(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, 64)
    x_ptrs, out_ptrs = x_ptr + at, out_ptr + at
    for _ in range(BLOCK // 64):
        tl.store(out_ptrs, tl.load(x_ptrs, mask=at < n), mask=at < n)
        x_ptrs += 64
        out_ptrs += 64
        at += 64


def _doubled(k: Any) -> Any:
    x = noise(1000)
    expected = x * 2
    k[(4,)](x, 1000, BLOCK=256)
    return x, expected


@right(_doubled)
@triton.jit
def double_in_place(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, tl.load(x_ptr + at, mask=at < n) * 2, mask=at < n)


@right(lambda k: _pair(k, torch.maximum))
@triton.jit
def choose_by_pointer(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    larger = tl.load(x_ptr + at, mask=at < n, other=0) >= tl.load(y_ptr + at, mask=at < n, other=0)
    tl.store(out_ptr + at, tl.load(tl.where(larger, x_ptr + at, y_ptr + at), mask=at < n), mask=at < n)


@right(lambda k: _pair(k, lambda x, y: x * 3 + y.relu()))
@triton.jit
def relu_of_a_masked_load(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    y = tl.maximum(tl.load(y_ptr + at, mask=at < n), 0.0)
    tl.store(out_ptr + at, 3 * tl.load(x_ptr + at, mask=at < n) + y, mask=at < n)


def _pair(k: Any, expected: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> Any:
    x, y, out = noise(1000), noise(1000).flip(0), torch.zeros(1000)
    k[(8,)](x, y, out, 1000, BLOCK=128)
    return out, expected(x, y)


# Rows


def _row_by_row(k: Any, expected: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    x = noise(37, 100)
    result = expected(x)
    out = torch.zeros_like(result)
    k[(37,)](x, out, 100, BLOCK=128)
    return out, result


@triton.jit
def mean_and_square(x, columns):
    return tl.sum(x, 0) / columns, tl.sum(x * x, 0) / columns


@right(lambda k: _row_by_row(k, lambda x: (x**2).mean(1) - x.mean(1) ** 2))
@triton.jit
def variance_by_a_function_with_two_results(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + tl.program_id(0) * columns + at, mask=at < columns, other=0.0)
    mean, square = mean_and_square(x, columns)
    tl.store(out_ptr + tl.program_id(0), square - mean * mean)


# Tiles


def _tiles(k: Any, expected: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor | None = None) -> Any:
    x = noise(50, 70) if x is None else x
    result = expected(x)
    out = torch.zeros(result.shape)
    k[(triton.cdiv(x.shape[0], 16), triton.cdiv(x.shape[1], 32))](x, out, *x.shape, *x.stride(), *out.stride())
    return out, result


@right(lambda k: _tiles(k, lambda x: x * 2))
@right(lambda k: _tiles(k, lambda x: x * 2, noise(70, 50).T))
@right(lambda k: _tiles(k, lambda x: x * 2, noise(100, 140)[::2, ::2]))
@right(lambda k: _tiles(k, lambda x: x * 2, noise(1, 70).expand(50, 70)))
@right(lambda k: _tiles(k, lambda x: x * 2, noise(60, 80)[5:55, 5:75]))
@triton.jit
def double_tiles(x_ptr, out_ptr, height, width, xs0, xs1, os0, os1):
    rows = tl.program_id(0) * 16 + tl.arange(0, 16)
    cols = tl.program_id(1) * 32 + tl.arange(0, 32)
    mask = (rows < height)[:, None] & (cols < width)[None, :]
    x = tl.load(x_ptr + rows[:, None] * xs0 + cols[None, :] * xs1, mask=mask)
    tl.store(out_ptr + rows[:, None] * os0 + cols[None, :] * os1, x * 2, mask=mask)


def _product(k: Any, grid: Any, dtype: torch.dtype = torch.float32) -> Any:
    a, b = noise(50, 40, dtype=dtype), noise(40, 70, dtype=dtype)
    c = torch.zeros(50, 70)
    k[grid](a, b, c, 50, 70, 40)
    return c, a.float() @ b.float()


@triton.jit
def multiply_tile(a_ptr, b_ptr, c_ptr, tile, m, n, k_size):
    across = tl.cdiv(n, 32)
    rows, cols = tile // across * 16 + tl.arange(0, 16), tile % across * 32 + tl.arange(0, 32)
    total = tl.zeros((16, 32), tl.float32)
    for k in range(0, k_size, 16):
        ks = k + tl.arange(0, 16)
        a = tl.load(a_ptr + rows[:, None] * k_size + ks[None, :], (rows < m)[:, None] & (ks < k_size)[None, :], 0.0)
        b = tl.load(b_ptr + ks[:, None] * n + cols[None, :], (ks < k_size)[:, None] & (cols < n)[None, :], 0.0)
        total = tl.dot(a, b, total, input_precision="ieee")
    tl.store(c_ptr + rows[:, None] * n + cols[None, :], total, (rows < m)[:, None] & (cols < n)[None, :])


@right(lambda k: _product(k, (12,)))
@right(lambda k: _product(k, (12,), torch.bfloat16))
@right(lambda k: _product(k, (12,), torch.float16))
@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, m, n, k_size):
    multiply_tile(a_ptr, b_ptr, c_ptr, tl.program_id(0), m, n, k_size)


@right(lambda k: _product(k, (5,)))
@triton.jit
def persistent_matmul(a_ptr, b_ptr, c_ptr, m, n, k_size):
    for tile in tl.range(tl.program_id(0), tl.cdiv(m, 16) * tl.cdiv(n, 32), tl.num_programs(0)):
        multiply_tile(a_ptr, b_ptr, c_ptr, tile, m, n, k_size)


def _described(k: Any) -> Any:
    x, out = noise(40, 64), torch.zeros(40, 64)
    k[(3, 2)](x, out, 40, 64)
    return out, x + 1


@right(_described)
@triton.jit
def by_descriptors(x_ptr, out_ptr, height, width):
    source = tl.make_tensor_descriptor(x_ptr, [height, width], [width, 1], [16, 32])
    target = tl.make_tensor_descriptor(out_ptr, [height, width], [width, 1], [16, 32])
    at = [tl.program_id(0) * 16, tl.program_id(1) * 32]
    target.store(at, source.load(at) + 1)


def _described_by_the_host(k: Any) -> Any:
    x, out = noise(40, 64), torch.zeros(40, 64)
    k[(3, 2)](TensorDescriptor.from_tensor(x, [16, 32]), TensorDescriptor.from_tensor(out, [16, 32]))
    return out, x + 1


@right(_described_by_the_host)
@triton.jit
def by_descriptors_of_the_host(source, target):
    at = [tl.program_id(0) * 16, tl.program_id(1) * 32]
    target.store(at, source.load(at) + 1)


if hasattr(interpreter, "BlockPointerHandle"):  # removed in Triton 3.9

    @right(_described)
    @triton.jit
    def by_block_pointers(x_ptr, out_ptr, height, width):
        row = tl.program_id(0) * 16
        source = tl.make_block_ptr(x_ptr, (height, width), (width, 1), (row, 0), (16, 32), (1, 0))
        target = tl.make_block_ptr(out_ptr, (height, width), (width, 1), (row, 0), (16, 32), (1, 0))
        source = tl.advance(source, (0, tl.program_id(1) * 32))
        target = tl.advance(target, (0, tl.program_id(1) * 32))
        tl.store(target, tl.load(source, boundary_check=(0,), padding_option="zero") + 1, boundary_check=(0,))


# Programs that share


def _total(k: Any) -> Any:
    x, out = torch.arange(1000.0), torch.zeros(1)
    k[(8,)](x, out, 1000)
    return out, x.sum()[None]


@right(_total)
@triton.jit
def sum_by_an_atomic(x_ptr, out_ptr, n):
    at = tl.program_id(0) * 128 + tl.arange(0, 128)
    tl.atomic_add(out_ptr, tl.sum(tl.load(x_ptr + at, mask=at < n, other=0.0)))


@right(_total)
@triton.jit
def sum_by_atomics_of_elements(x_ptr, out_ptr, n):
    at = tl.program_id(0) * 128 + tl.arange(0, 128)
    tl.atomic_add(out_ptr + tl.zeros((128,), tl.int32), tl.load(x_ptr + at, mask=at < n, other=0.0), sem="relaxed")


@right(lambda k: _binned(k))
@triton.jit
def histogram_by_atomics(x_ptr, bins_ptr, n):
    at = tl.program_id(0) * 64 + tl.arange(0, 64)
    tl.atomic_add(bins_ptr + tl.load(x_ptr + at, mask=at < n, other=0), 1, mask=at < n)


def _binned(k: Any) -> Any:
    x = torch.randint(0, 8, (500,), generator=torch.Generator().manual_seed(0), dtype=torch.int32)
    bins = torch.zeros(8, dtype=torch.int32)
    k[(8,)](x, bins, 500)
    return bins, torch.bincount(x, minlength=8).int()


@right(lambda k: _flagged(k))
@triton.jit
def the_same_value_stored_by_all(x_ptr, out_ptr):
    at = tl.program_id(0) * 16 + tl.arange(0, 16)
    if tl.max(tl.load(x_ptr + at), 0) > 60:
        tl.store(out_ptr, 1.0)


def _flagged(k: Any) -> Any:
    out = torch.zeros(1)
    k[(8,)](torch.arange(128.0), out)
    return out, torch.ones(1)


# Other things that a kernel may do


class Sizes(NamedTuple):
    height: int
    width: int


def _with_tuples(k: Any) -> Any:
    x, y, out = noise(16), noise(16), torch.zeros(16)
    k[(1,)]((x, y), Sizes(4, 4), out)
    return out, x + y * 16


@right(_with_tuples)
@triton.jit
def tuples_as_arguments(inputs, sizes, out_ptr):
    at = tl.arange(0, 16)
    total = tl.load(inputs[0] + at) + tl.load(inputs[1] + at) * (sizes.height * sizes.width)
    tl.store(out_ptr + at, total)


def _by_address(k: Any) -> Any:
    x, out = noise(16), torch.zeros(16)
    k[(2,)](x.data_ptr(), out)
    return out, x


@right(_by_address)
@triton.jit
def pointer_from_an_integer(address, out_ptr):
    at = tl.program_id(0) * 8 + tl.arange(0, 8)
    tl.store(out_ptr + at, tl.load(address.to(tl.pointer_type(tl.float32)) + at))


@right(lambda k: _row_by_row(k, lambda x: x[:, :1].repeat(1, 100)))
@triton.jit
def scalar_load_with_a_mask(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    first = tl.load(x_ptr + row * columns, mask=row < 37, other=0.0)
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + row * columns + at, first, mask=at < columns)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.kernel.fn.__name__)
def test_a_right_kernel_has_no_fault(case: Right) -> None:
    with record() as launches:
        result, expected = case.run(case.kernel)
    for launch in launches:
        assert launch.faults == (), str(launch.faults[0])
        assert not launch.one_by_one
    torch.testing.assert_close(result, expected, rtol=1e-4, atol=1e-4)
