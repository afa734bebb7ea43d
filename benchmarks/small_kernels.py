"""Kernels in the style of the field, at the sizes that tests of such kernels use: 1 to 64 programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# ruff: noqa: I001, N803
from triton_workshop import DEVICE  # first: it chooses the simulator, before Triton is imported

import torch
import triton
import triton.language as tl

from benchmarks.simulator_work import add_kernel, matmul_kernel, softmax_kernel


@triton.jit
def layer_norm(x_ptr, w_ptr, b_ptr, o_ptr, mean_ptr, rstd_ptr, stride, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    x = tl.load(x_ptr + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / n
    centred = tl.where(mask, x - mean, 0.0)
    rstd = 1 / tl.sqrt(tl.sum(centred * centred, axis=0) / n + eps)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)
    w = tl.load(w_ptr + cols, mask=mask)
    b = tl.load(b_ptr + cols, mask=mask)
    tl.store(o_ptr + row * stride + cols, centred * rstd * w + b, mask=mask)


@triton.jit
def layer_norm_backward(dx_ptr, dy_ptr, x_ptr, w_ptr, mean_ptr, rstd_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    x = tl.load(x_ptr + row * stride + cols, mask=mask, other=0.0)
    dy = tl.load(dy_ptr + row * stride + cols, mask=mask, other=0.0)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0)
    rstd = tl.load(rstd_ptr + row)
    normal = tl.where(mask, (x - tl.load(mean_ptr + row)) * rstd, 0.0)
    wdy = tl.where(mask, w * dy, 0.0)
    c1 = tl.sum(normal * wdy, axis=0) / n
    c2 = tl.sum(wdy, axis=0) / n
    tl.store(dx_ptr + row * stride + cols, (wdy - (normal * c1 + c2)) * rstd, mask=mask)


@triton.jit
def rms_norm(x_ptr, w_ptr, o_ptr, stride, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    x = tl.load(x_ptr + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(x * x, axis=0) / n + eps)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0)
    tl.store(o_ptr + row * stride + cols, (x * scale).to(w.dtype) * w, mask=mask)


@triton.jit
def silu(x):
    return x * tl.sigmoid(x)


@triton.jit
def swiglu(a_ptr, b_ptr, o_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * stride
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    a = tl.load(a_ptr + row + cols, mask=mask, other=0).to(tl.float32)
    b = tl.load(b_ptr + row + cols, mask=mask, other=0)
    tl.store(o_ptr + row + cols, silu(a).cast(b.dtype) * b, mask=mask)


@triton.jit
def gelu(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0.0)
    inner = 0.7978845608 * (x + 0.044715 * x * x * x)
    tl.store(o_ptr + at, 0.5 * x * (2 * tl.sigmoid(2 * inner)), mask=at < n)


@triton.jit
def rope(q_ptr, cos_ptr, sin_ptr, heads, positions, D: tl.constexpr):
    position, head = tl.program_id(0) % positions, tl.program_id(1)
    half = tl.arange(0, D // 2)
    at = q_ptr + (tl.program_id(0) * heads + head) * D + half
    cos, sin = tl.load(cos_ptr + position * (D // 2) + half), tl.load(sin_ptr + position * (D // 2) + half)
    first, second = tl.load(at), tl.load(at + D // 2)
    tl.store(at, first * cos - second * sin)
    tl.store(at + D // 2, second * cos + first * sin)


@triton.jit
def cross_entropy(x_ptr, target_ptr, loss_ptr, stride, n, ignored, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    target = tl.load(target_ptr + row)
    if target == ignored:
        tl.store(loss_ptr + row, 0.0)
        return
    largest, total = float("-inf"), 0.0
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * stride + cols, mask=cols < n, other=float("-inf")).to(tl.float32)
        new = tl.maximum(largest, tl.max(x))
        total = total * tl.exp(largest - new) + tl.sum(tl.exp(x - new))
        largest = new
    tl.store(loss_ptr + row, largest + tl.log(total) - tl.load(x_ptr + row * stride + target))


@triton.jit
def matmul_in_groups(a_ptr, b_ptr, c_ptr, M, N, K, sam, sak, sbk, sbn, scm, scn, BLOCK: tl.constexpr, G: tl.constexpr):
    pid = tl.program_id(0)
    tiles_m, tiles_n = tl.cdiv(M, BLOCK), tl.cdiv(N, BLOCK)
    group = pid // (G * tiles_n)
    size = min(tiles_m - group * G, G)
    pid_m = group * G + (pid % (G * tiles_n)) % size
    pid_n = (pid % (G * tiles_n)) // size
    rows = (pid_m * BLOCK + tl.arange(0, BLOCK)) % M
    cols = (pid_n * BLOCK + tl.arange(0, BLOCK)) % N
    ks = tl.arange(0, BLOCK)
    a_ptrs = a_ptr + rows[:, None] * sam + ks[None, :] * sak
    b_ptrs = b_ptr + ks[:, None] * sbk + cols[None, :] * sbn
    total = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK)):
        a = tl.load(a_ptrs, mask=ks[None, :] < K - k * BLOCK, other=0.0)
        b = tl.load(b_ptrs, mask=ks[:, None] < K - k * BLOCK, other=0.0)
        total = tl.dot(a, b, total)
        a_ptrs += BLOCK * sak
        b_ptrs += BLOCK * sbk
    rows, cols = pid_m * BLOCK + tl.arange(0, BLOCK), pid_n * BLOCK + tl.arange(0, BLOCK)
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    tl.store(c_ptr + scm * rows[:, None] + scn * cols[None, :], total.to(tl.float16), mask=mask)


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, o_ptr, scale, length, D: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    head = tl.program_id(1) * length * D
    rows, at = tl.program_id(0) * M + tl.arange(0, M), tl.arange(0, D)
    q = tl.load(q_ptr + head + rows[:, None] * D + at[None, :])
    largest = tl.full((M,), float("-inf"), tl.float32)
    total = tl.zeros((M,), tl.float32)
    result = tl.zeros((M, D), tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * M, N):
        cols = start + tl.arange(0, N)
        k = tl.load(k_ptr + head + cols[None, :] * D + at[:, None])
        scores = tl.where(rows[:, None] >= cols[None, :], tl.dot(q, k) * scale, float("-inf"))
        new = tl.maximum(largest, tl.max(scores, 1))
        p = tl.exp(scores - new[:, None])
        shrunk = tl.exp(largest - new)
        total = total * shrunk + tl.sum(p, 1)
        v = tl.load(v_ptr + head + cols[:, None] * D + at[None, :])
        result = result * shrunk[:, None] + tl.dot(p.to(v.dtype), v)
        largest = new
    tl.store(o_ptr + head + rows[:, None] * D + at[None, :], result / total[:, None])


@triton.jit
def dropout(x_ptr, o_ptr, n, p, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(o_ptr + at, tl.where(tl.rand(seed, at) > p, x / (1 - p), 0.0), mask=at < n)


@triton.jit
def reduced_rows(x_ptr, sum_ptr, max_ptr, at_ptr, m, n, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    total = tl.zeros((ROWS,), tl.float32)
    largest = tl.full((ROWS,), float("-inf"), tl.float32)
    at = tl.zeros((ROWS,), tl.int32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows < m)[:, None] & (cols < n)[None, :]
        x = tl.load(x_ptr + rows[:, None] * n + cols[None, :], mask=mask, other=0.0)
        total += tl.sum(x, axis=1)
        here, place = tl.max(tl.where(mask, x, float("-inf")), axis=1, return_indices=True)
        at = tl.where(here > largest, place + start, at)
        largest = tl.maximum(largest, here)
    tl.store(sum_ptr + rows, total, mask=rows < m)
    tl.store(max_ptr + rows, largest, mask=rows < m)
    tl.store(at_ptr + rows, at, mask=rows < m)


@triton.jit
def embedding(index_ptr, w_ptr, o_ptr, n, d, ROWS: tl.constexpr, COLS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.program_id(1) * COLS + tl.arange(0, COLS)
    index = tl.load(index_ptr + rows, mask=rows < n, other=0)
    mask = (rows < n)[:, None] & (cols < d)[None, :]
    block = tl.load(w_ptr + index[:, None] * d + cols[None, :], mask=mask, other=0.0)
    tl.store(o_ptr + rows[:, None] * d + cols[None, :], block, mask=mask)


@triton.jit
def cumulative_sum(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    row, before = tl.program_id(0) * n, 0.0
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row + at, mask=at < n, other=0.0)
        tl.store(o_ptr + row + at, tl.cumsum(x, 0) + before, mask=at < n)
        before += tl.sum(x)


@triton.jit
def column_sums(x_ptr, o_ptr, m, n, ROWS: tl.constexpr, COLS: tl.constexpr):
    cols = tl.program_id(1) * COLS + tl.arange(0, COLS)
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    mask = (rows < m)[:, None] & (cols < n)[None, :]
    x = tl.load(x_ptr + rows[:, None] * n + cols[None, :], mask=mask, other=0.0)
    tl.atomic_add(o_ptr + cols, tl.sum(x, axis=0), mask=cols < n)


@triton.jit
def linear_attention_chunk(q_ptr, k_ptr, v_ptr, o_ptr, length, scale, D: tl.constexpr, C: tl.constexpr):
    head = tl.program_id(0) * length * D
    steps, at = tl.arange(0, C), tl.arange(0, D)
    state = tl.zeros((D, D), tl.float32)
    for start in range(0, length, C):
        mask = (start + steps)[:, None] < length
        place = head + (start + steps)[:, None] * D + at[None, :]
        q = tl.load(q_ptr + place, mask=mask, other=0.0) * scale
        k = tl.load(k_ptr + place, mask=mask, other=0.0)
        v = tl.load(v_ptr + place, mask=mask, other=0.0)
        scores = tl.where(steps[:, None] >= steps[None, :], tl.dot(q, tl.trans(k)), 0.0)
        tl.store(o_ptr + place, tl.dot(scores, v) + tl.dot(q, state), mask=mask)
        state += tl.dot(tl.trans(k), v)


@triton.jit
def adam(p_ptr, g_ptr, m_ptr, v_ptr, n, rate, beta1, beta2, eps, decay, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    p, g = tl.load(p_ptr + at, mask=mask), tl.load(g_ptr + at, mask=mask)
    m = beta1 * tl.load(m_ptr + at, mask=mask) + (1 - beta1) * g
    v = beta2 * tl.load(v_ptr + at, mask=mask) + (1 - beta2) * g * g
    tl.store(p_ptr + at, p * (1 - rate * decay) - rate * m / (tl.sqrt(v) + eps), mask=mask)
    tl.store(m_ptr + at, m, mask=mask)
    tl.store(v_ptr + at, v, mask=mask)


def work() -> dict[str, Callable[[], Any]]:
    """What is measured, by a name for each kernel: its launch, at a size that a test would choose."""
    assert DEVICE == "cpu"
    x, y, o, m, v = (torch.rand(64, 512) for _ in range(5))
    w, b, rows = torch.rand(512), torch.rand(512), torch.zeros(64)
    places, target = torch.zeros(64, dtype=torch.int32), torch.randint(0, 512, (64,))
    half = [torch.rand(128, 128).half() for _ in range(3)]
    heads = [torch.rand(4, 128, 32) for _ in range(4)]
    return {
        "add": lambda: add_kernel[(4,)](x, y, o, 4000, 1024),
        "softmax": lambda: softmax_kernel[(16,)](x, o, 500, 512),
        "layer norm": lambda: layer_norm[(16,)](x, w, b, o, rows, rows + 0, 512, 500, 1e-5, 512),
        "its gradient": lambda: layer_norm_backward[(16,)](o, y, x, w, rows, rows, 512, 500, 512),
        "rms norm": lambda: rms_norm[(32,)](x, w, o, 512, 512, 1e-6, 512),
        "swiglu": lambda: swiglu[(16,)](x, y, o, 512, 500, 512),
        "gelu": lambda: gelu[(8,)](x, o, 8000, 1024),
        "rope": lambda: rope[(16, 4)](x, y, o, 4, 16, 64),
        "cross entropy": lambda: cross_entropy[(16,)](x, target, rows, 512, 500, -100, 256),
        "matmul": lambda: matmul_kernel[(2, 2)](heads[0], heads[1], heads[2], 64, 32, 32, 32),
        "matmul in groups": lambda: matmul_in_groups[(16,)](*half, 128, 128, 128, 128, 1, 128, 1, 128, 1, 32, 2),
        "attention": lambda: attention[(4, 4)](*heads, 0.2, 128, 32, 32, 32),
        "linear attention": lambda: linear_attention_chunk[(4,)](*heads, 128, 0.2, 32, 32),
        "dropout": lambda: dropout[(8,)](x, o, 8000, 0.5, 7, 1024),
        "rows reduced": lambda: reduced_rows[(4,)](x, rows, rows + 0, places, 60, 500, 16, 128),
        "columns added": lambda: column_sums[(4, 4)](x, w, 60, 500, 16, 128),
        "embedding": lambda: embedding[(4, 4)](target % 64, x, o, 60, 500, 16, 128),
        "cumsum": lambda: cumulative_sum[(16,)](x, o, 500, 256),
        "adam": lambda: adam[(8,)](x, y, m, v, 8000, 1e-3, 0.9, 0.999, 1e-8, 0.01, 1024),
        "one program": lambda: gelu[(1,)](x, o, 900, 1024),
    }
