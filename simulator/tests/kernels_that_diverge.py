"""Kernels whose programs go different ways, for tests and benchmarks: running them together gains least.

Most take from memory what decides their way, so every program has its own.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from .kernels_of_the_field import Case, noise, whole, zeros


@triton.jit
def products_of_a_group(
    addresses_ptr, sizes_ptr, group, PROGRAMS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    """Products of several sizes in one launch; a program takes every so many tiles, whatever product they are of."""
    tile = tl.program_id(0)
    first = 0
    for product in range(group):
        M = tl.load(sizes_ptr + product * 3)
        N = tl.load(sizes_ptr + product * 3 + 1)
        K = tl.load(sizes_ptr + product * 3 + 2)
        columns = tl.cdiv(N, BN)
        after = first + tl.cdiv(M, BM) * columns
        while tile >= first and tile < after:
            a_ptr = tl.load(addresses_ptr + product * 3).to(tl.pointer_type(tl.float16))
            b_ptr = tl.load(addresses_ptr + product * 3 + 1).to(tl.pointer_type(tl.float16))
            c_ptr = tl.load(addresses_ptr + product * 3 + 2).to(tl.pointer_type(tl.float16))
            rows = (tile - first) // columns * BM + tl.arange(0, BM)
            cols = (tile - first) % columns * BN + tl.arange(0, BN)
            k = tl.arange(0, BK)
            acc = tl.zeros((BM, BN), dtype=tl.float32)
            for start in range(0, K, BK):
                a_mask = (rows[:, None] < M) & (start + k[None, :] < K)
                b_mask = (start + k[:, None] < K) & (cols[None, :] < N)
                a = tl.load(a_ptr + rows[:, None] * K + start + k[None, :], mask=a_mask, other=0.0)
                b = tl.load(b_ptr + (start + k[:, None]) * N + cols[None, :], mask=b_mask, other=0.0)
                acc = tl.dot(a, b, acc)
            c_mask = (rows[:, None] < M) & (cols[None, :] < N)
            tl.store(c_ptr + rows[:, None] * N + cols[None, :], acc.to(tl.float16), mask=c_mask)
            tile += PROGRAMS
        first = after


@triton.jit
def attention_of_ragged_sequences(q_ptr, k_ptr, v_ptr, out_ptr, starts_ptr, D: tl.constexpr, BLOCK: tl.constexpr):
    """A program per sequence: each block of its queries looks at all keys up to its last query."""
    start = tl.load(starts_ptr + tl.program_id(0))
    end = tl.load(starts_ptr + tl.program_id(0) + 1)
    d = tl.arange(0, D)
    first = start
    while first < end:
        rows = first + tl.arange(0, BLOCK)
        q = tl.load(q_ptr + rows[:, None] * D + d[None, :], mask=rows[:, None] < end, other=0.0)
        largest = tl.full((BLOCK,), -1e30, tl.float32)
        total = tl.zeros((BLOCK,), tl.float32)
        acc = tl.zeros((BLOCK, D), tl.float32)
        for key in range(start, first + BLOCK, BLOCK):
            cols = key + tl.arange(0, BLOCK)
            k = tl.load(k_ptr + cols[None, :] * D + d[:, None], mask=cols[None, :] < end, other=0.0)
            v = tl.load(v_ptr + cols[:, None] * D + d[None, :], mask=cols[:, None] < end, other=0.0)
            scores = tl.where(cols[None, :] <= rows[:, None], tl.dot(q, k), -1e30)
            new = tl.maximum(largest, tl.max(scores, 1))
            p = tl.exp(scores - new[:, None])
            total = total * tl.exp(largest - new) + tl.sum(p, 1)
            acc = acc * tl.exp(largest - new)[:, None] + tl.dot(p, v)
            largest = new
        tl.store(out_ptr + rows[:, None] * D + d[None, :], acc / total[:, None], mask=rows[:, None] < end)
        first += BLOCK


@triton.jit
def sums_of_sparse_rows(starts_ptr, x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.load(starts_ptr + tl.program_id(0))
    end = tl.load(starts_ptr + tl.program_id(0) + 1)
    total = 0.0
    while at < end:
        i = at + tl.arange(0, BLOCK)
        total += tl.sum(tl.load(x_ptr + i, mask=i < end, other=0.0))
        at += BLOCK
    tl.store(out_ptr + tl.program_id(0), total)


@triton.jit
def binary_search(sorted_ptr, wanted_ptr, out_ptr, n):
    wanted = tl.load(wanted_ptr + tl.program_id(0))
    low = 0
    high = n
    while low < high:
        middle = (low + high) // 2
        if tl.load(sorted_ptr + middle) < wanted:
            low = middle + 1
        else:
            high = middle
    tl.store(out_ptr + tl.program_id(0), low)


@triton.jit
def steps_to_one(x_ptr, out_ptr):
    x = tl.load(x_ptr + tl.program_id(0))
    steps = 0
    while x != 1:
        x = tl.where(x % 2 == 0, x // 2, 3 * x + 1)
        steps += 1
    tl.store(out_ptr + tl.program_id(0), steps)


@triton.jit
def one_program_adds(x_ptr, out_ptr, n):
    total = 0.0
    for i in range(n):
        x = tl.load(x_ptr + i)
        if x > 0:
            total += x
        else:
            total -= x * 0.5
        tl.store(out_ptr + i, total)


@triton.jit
def sums_under_a_lock(x_ptr, out_ptr, lock_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + tl.program_id(0) * BLOCK + i)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.debug_barrier()
    tl.store(out_ptr + i, tl.load(out_ptr + i) + x)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


@triton.jit
def sums_by_exchange(x_ptr, out_ptr):
    """Add to a sum as compare-and-swap does it: again, until nobody came between."""
    x = tl.load(x_ptr + tl.program_id(0))
    old = tl.atomic_add(out_ptr, 0)
    seen = tl.atomic_cas(out_ptr, old, old + x)
    while seen != old:
        old = seen
        seen = tl.atomic_cas(out_ptr, old, old + x)


@triton.jit
def tasks_of_a_queue(lengths_ptr, x_ptr, out_ptr, next_ptr, tasks, BLOCK: tl.constexpr):
    """Persistent programs take the next task as soon as they are done with one."""
    i = tl.arange(0, BLOCK)
    task = tl.atomic_add(next_ptr, 1)
    while task < tasks:
        total = tl.zeros((BLOCK,), tl.float32)
        for part in range(tl.load(lengths_ptr + task)):
            total += tl.load(x_ptr + task * BLOCK + i) * part
        tl.store(out_ptr + task * BLOCK + i, total)
        task = tl.atomic_add(next_ptr, 1)


Tensors = tuple[Any, ...]
TILES = {"BM": 32, "BN": 32, "BK": 32}


def group(*sizes: tuple[int, int, int]) -> Tensors:
    """For products of these rows, columns and terms. The tensors come last: a kernel has only their addresses."""
    tensors = [noise(*shape).half() for m, n, k in sizes for shape in ((m, k), (k, n), (m, n))]
    addresses = torch.tensor([each.data_ptr() for each in tensors])
    return addresses, torch.tensor(sizes, dtype=torch.int32), len(sizes), tensors


def products(given: Tensors) -> dict[int, Any]:
    a, b = given[3][::3], given[3][1::3]
    return {
        3: [part for pair in zip(a, b, strict=True) for part in (*pair, (pair[0].float() @ pair[1].float()).half())]
    }


def starts(rows: int, longest: int) -> torch.Tensor:
    return torch.cat([torch.zeros(1), whole(1, longest, rows).cumsum(0)]).int()


def ragged(sequences: int, longest: int, d: int) -> Tensors:
    bounds = starts(sequences, longest)
    q, k, v = (noise(int(bounds[-1]), d, seed=seed) for seed in range(3))
    return q, k, v, torch.zeros_like(q), bounds


def attention(given: Tensors) -> dict[int, torch.Tensor]:
    parts = zip(*(each.split(given[4].diff().tolist()) for each in given[:3]), strict=True)
    rows = []
    for q, k, v in parts:
        later = torch.ones(len(q), len(q)).triu(1).bool()
        rows.append((q @ k.T).masked_fill(later, -torch.inf).softmax(1) @ v)
    return {3: torch.cat(rows)}


def sparse(rows: int, longest: int) -> Tensors:
    bounds = starts(rows, longest)
    return bounds, noise(int(bounds[-1])), torch.zeros(rows)


def steps(given: Tensors) -> dict[int, torch.Tensor]:
    counts = []
    for x in given[0].tolist():
        counts.append(0)
        while x != 1:
            x, counts[-1] = x // 2 if x % 2 == 0 else 3 * x + 1, counts[-1] + 1
    return {1: torch.tensor(counts)}


def weighted(given: Tensors) -> dict[int, torch.Tensor]:
    counts = given[0].float()
    return {2: given[1] * (counts * (counts - 1) / 2)[:, None]}


CASES = {
    "grouped GEMM, squares": Case(
        products_of_a_group,
        (16,),
        lambda: group(*((size, size, size) for size in (256, 128, 64, 32))),
        products,
        {"PROGRAMS": 16, **TILES},
        tolerance=2e-2,
    ),
    "grouped GEMM, by K": Case(
        products_of_a_group,
        (8,),
        lambda: group(*((64, 64, 32 * k) for k in range(1, 17))),
        products,
        {"PROGRAMS": 8, **TILES},
        tolerance=2e-2,
    ),
    "grouped GEMM, all sizes": Case(
        products_of_a_group,
        (12,),
        lambda: group(*((20 + 31 * (k % 5), 30 + 29 * (k % 3), 17 * k) for k in range(1, 17))),
        products,
        {"PROGRAMS": 12, **TILES},
        tolerance=2e-2,
    ),
    "ragged attention": Case(
        attention_of_ragged_sequences, (16,), lambda: ragged(16, 200, 32), attention, {"D": 32, "BLOCK": 32}, 1e-2
    ),
    "sparse rows": Case(
        sums_of_sparse_rows,
        (64,),
        lambda: sparse(64, 400),
        lambda a: {2: torch.stack([part.sum() for part in a[1].split(a[0].diff().tolist())])},
        {"BLOCK": 16},
        1e-3,
    ),
    "binary search": Case(
        binary_search,
        (100,),
        lambda: (torch.arange(1000), whole(0, 1000, 100), zeros(100), 1000),
        lambda a: {2: a[1]},
    ),
    "steps to one": Case(steps_to_one, (50,), lambda: (whole(1, 1000, 50), zeros(50)), steps),
    "a long scalar loop": Case(
        one_program_adds,
        (1,),
        lambda: (noise(1000), torch.zeros(1000), 1000),
        lambda a: {1: torch.where(a[0] > 0, a[0], -a[0] / 2).cumsum(0)},
        tolerance=1e-3,
    ),
    "a lock": Case(
        sums_under_a_lock,
        (40,),
        lambda: (noise(40, 64), torch.zeros(64), zeros(1)),
        lambda a: {1: a[0].sum(0)},
        {"BLOCK": 64},
    ),
    "compare and swap": Case(
        sums_by_exchange, (100,), lambda: (whole(1, 100, 100), zeros(1)), lambda a: {1: a[0].sum()[None]}
    ),
    "a queue of tasks": Case(
        tasks_of_a_queue,
        (8,),
        lambda: (whole(1, 30, 60), noise(60, 64), torch.zeros(60, 64), zeros(1), 60),
        weighted,
        {"BLOCK": 64},
        1e-3,
    ),
}
