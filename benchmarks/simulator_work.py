"""The kernels that `benchmarks.simulator` measures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# ruff: noqa: I001, N803
from triton_workshop import DEVICE, cdiv  # first: it chooses the simulator, before Triton is imported

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    total = tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask)
    tl.store(output_ptr + offsets, total, mask=mask)


@triton.jit
def sepia_kernel(x_ptr, output_ptr, height, width, TILE: tl.constexpr):
    rows = tl.program_id(0) * TILE + tl.arange(0, TILE)
    cols = tl.program_id(1) * TILE + tl.arange(0, TILE)
    offsets = rows[:, None] * width + cols[None, :]
    mask = (rows < height)[:, None] & (cols < width)[None, :]
    channel = height * width
    red = tl.load(x_ptr + offsets, mask=mask)
    green = tl.load(x_ptr + channel + offsets, mask=mask)
    blue = tl.load(x_ptr + 2 * channel + offsets, mask=mask)
    tl.store(output_ptr + offsets, tl.minimum(0.393 * red + 0.769 * green + 0.189 * blue, 1.0), mask=mask)
    tl.store(output_ptr + channel + offsets, tl.minimum(0.349 * red + 0.686 * green + 0.168 * blue, 1.0), mask=mask)
    tl.store(output_ptr + 2 * channel + offsets, tl.minimum(0.272 * red + 0.534 * green + 0.131 * blue, 1.0), mask=mask)


@triton.jit
def conv2d_kernel(x_ptr, output_ptr, weight_ptr, height, width, SIZE: tl.constexpr, TILE: tl.constexpr):
    rows = tl.program_id(1) * TILE + tl.arange(0, TILE)
    cols = tl.program_id(2) * TILE + tl.arange(0, TILE)
    start = tl.program_id(0) * height * width
    total = tl.zeros((TILE, TILE), dtype=tl.float32)
    for i in tl.static_range(SIZE):
        for j in tl.static_range(SIZE):
            r, c = rows + i - SIZE // 2, cols + j - SIZE // 2
            mask = ((r >= 0) & (r < height))[:, None] & ((c >= 0) & (c < width))[None, :]
            pixels = tl.load(x_ptr + start + r[:, None] * width + c[None, :], mask=mask, other=0.0)
            total += pixels * tl.load(weight_ptr + i * SIZE + j)
    mask = (rows < height)[:, None] & (cols < width)[None, :]
    tl.store(output_ptr + start + rows[:, None] * width + cols[None, :], total, mask=mask)


@triton.jit
def tile_of_product(a_ptr, b_ptr, c_ptr, pid_m, pid_n, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows, cols, ks = pid_m * M + tl.arange(0, M), pid_n * N + tl.arange(0, N), tl.arange(0, K)
    a_ptrs = a_ptr + rows[:, None] * n + ks[None, :]
    b_ptrs = b_ptr + ks[:, None] * n + cols[None, :]
    total = tl.zeros((M, N), dtype=tl.float32)
    for k in range(0, n, K):
        a = tl.load(a_ptrs, mask=(rows[:, None] < n) & (ks[None, :] < n - k), other=0.0)
        b = tl.load(b_ptrs, mask=(ks[:, None] < n - k) & (cols[None, :] < n), other=0.0)
        total = tl.dot(a, b, total, input_precision="ieee")
        a_ptrs += K
        b_ptrs += K * n
    mask = (rows[:, None] < n) & (cols[None, :] < n)
    tl.store(c_ptr + rows[:, None] * n + cols[None, :], total, mask=mask)


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    tile_of_product(a_ptr, b_ptr, c_ptr, tl.program_id(0), tl.program_id(1), n, M, N, K)


@triton.jit
def persistent_kernel(a_ptr, b_ptr, c_ptr, n, tiles, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    across = tl.cdiv(n, N)
    for tile in tl.range(tl.program_id(0), tiles, tl.num_programs(0)):
        tile_of_product(a_ptr, b_ptr, c_ptr, tile // across, tile % across, n, M, N, K)


@triton.jit
def softmax_kernel(x_ptr, output_ptr, columns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0) * columns
    x = tl.load(x_ptr + row + at, mask=at < columns, other=-float("inf"))
    numerator = tl.exp(x - tl.max(x, 0))
    tl.store(output_ptr + row + at, numerator / tl.sum(numerator, 0), mask=at < columns)


def work(*, simulated: bool) -> dict[str, Callable[[], Any]]:
    """What is measured.

    The convolution's picture is a quarter of the workshop's, which would take Triton's interpreter minutes. The
    persistent matmul is only compared with the plain one, on the simulator.
    """
    assert DEVICE == "cpu"
    x, y = torch.rand(5_000_001), torch.rand(5_000_001)
    picture, small, weight = torch.rand(3, 768, 1024), torch.rand(3, 384, 512), torch.rand(3, 3)
    a, b, rows = torch.rand(512, 512), torch.rand(512, 512), torch.rand(4096, 500)
    runs: dict[str, Callable[[], Any]] = {
        "conv2d": lambda: conv2d_kernel[(3, 24, 32)](small, torch.empty_like(small), weight, 384, 512, 3, 16),
        "add": lambda: add_kernel[(cdiv(len(x), 1024),)](x, y, torch.empty_like(x), len(x), 1024),
        "sepia": lambda: sepia_kernel[(48, 64)](picture, torch.empty_like(picture), 768, 1024, 16),
        "matmul": lambda: matmul_kernel[(8, 8)](a, b, torch.empty_like(a), 512, 64, 64, 32),
        "softmax": lambda: softmax_kernel[(4096,)](rows, torch.empty_like(rows), 500, 512),
        "persistent": lambda: persistent_kernel[(32,)](a, b, torch.empty_like(a), 512, 64, 64, 64, 32),
    }
    return runs if simulated else {name: run for name, run in runs.items() if name != "persistent"}
