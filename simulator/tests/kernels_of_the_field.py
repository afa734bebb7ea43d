"""Kernels as the field writes them, for tests and benchmarks: what they take, and what they make of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
import triton
import triton.language as tl
from torch.nn import functional as F  # noqa: N812  # as everybody calls it

Tensors = tuple[Any, ...]


@dataclass(frozen=True)
class Case:
    kernel: Any
    grid: tuple[int, ...]
    arguments: Callable[[], Tensors]
    expected: Callable[[Tensors], dict[int, torch.Tensor]]
    """From the arguments before the launch: what some of them, by their place, hold after it."""
    constants: dict[str, Any] = field(default_factory=dict)
    tolerance: float = 1e-4


def noise(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def whole(low: int, high: int, *shape: int, dtype: torch.dtype = torch.int32) -> torch.Tensor:
    return torch.randint(low, high, shape, generator=torch.Generator().manual_seed(0)).to(dtype)


def zeros(*shape: int) -> torch.Tensor:
    return torch.zeros(shape, dtype=torch.int32)


@triton.jit
def ln_bwd_dx(DX, DY, DW, DB, X, W, Mean, Rstd, Lock, stride, N, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    X += row * stride
    DY += row * stride
    DX += row * stride
    lock_id = row % GROUP
    Lock += lock_id
    Count = Lock + GROUP
    DW = DW + lock_id * N + cols
    DB = DB + lock_id * N + cols
    x = tl.load(X + cols, mask=mask, other=0).to(tl.float32)
    dy = tl.load(DY + cols, mask=mask, other=0).to(tl.float32)
    w = tl.load(W + cols, mask=mask).to(tl.float32)
    mean = tl.load(Mean + row)
    rstd = tl.load(Rstd + row)
    xhat = (x - mean) * rstd
    wdy = w * dy
    xhat = tl.where(mask, xhat, 0.0)
    wdy = tl.where(mask, wdy, 0.0)
    c1 = tl.sum(xhat * wdy, axis=0) / N
    c2 = tl.sum(wdy, axis=0) / N
    tl.store(DX + cols, (wdy - (xhat * c1 + c2)) * rstd, mask=mask)
    partial_dw = (dy * xhat).to(w.dtype)
    partial_db = dy.to(w.dtype)
    while tl.atomic_cas(Lock, 0, 1) == 1:
        pass
    count = tl.load(Count)
    if count == 0:
        tl.atomic_xchg(Count, 1)
    else:
        partial_dw += tl.load(DW, mask=mask)
        partial_db += tl.load(DB, mask=mask)
    tl.store(DW, partial_dw, mask=mask)
    tl.store(DB, partial_db, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(Lock, 0)


@triton.jit
def stream_k_with_locks(
    a_ptr, b_ptr, c_ptr, locks, M, N, K, total_iters, iters_per_tile, per_prog, BM: tl.constexpr, BN: tl.constexpr,
    BK: tl.constexpr,
):  # fmt: skip
    pid = tl.program_id(0)
    start = pid * per_prog
    last = min(start + per_prog, total_iters)
    nn = tl.cdiv(N, BN)
    while start < last:
        end = min(start + (iters_per_tile - start % iters_per_tile), last)
        tile = start // iters_per_tile
        pm = tile // nn
        pn = tile % nn
        om = pm * BM + tl.arange(0, BM)
        on = pn * BN + tl.arange(0, BN)
        acc = tl.zeros((BM, BN), tl.float32)
        for it in range(start, end):
            ok = (it % iters_per_tile) * BK + tl.arange(0, BK)
            a = tl.load(a_ptr + om[:, None] * K + ok[None, :], mask=(om[:, None] < M) & (ok[None, :] < K), other=0)
            b = tl.load(b_ptr + ok[:, None] * N + on[None, :], mask=(ok[:, None] < K) & (on[None, :] < N), other=0)
            acc += tl.dot(a, b, input_precision="ieee")
        cp = c_ptr + om[:, None] * N + on[None, :]
        cm = (om[:, None] < M) & (on[None, :] < N)
        while tl.atomic_cas(locks + tile, 0, 1) != 0:
            pass
        old = tl.load(cp, mask=cm, other=0.0)
        tl.store(cp, old + acc, mask=cm)
        tl.atomic_xchg(locks + tile, 0)
        start = end


@triton.jit
def scan_that_looks_back(x, o, flags, agg, incl, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    off = pid * BLOCK + tl.arange(0, BLOCK)
    m = off < n
    v = tl.load(x + off, mask=m, other=0)
    s = tl.sum(v, 0)
    tl.store(agg + pid, s)
    if pid == 0:
        tl.store(incl + pid, s)
        tl.atomic_xchg(flags + pid, 2, sem="release")
        prefix = 0
    else:
        tl.atomic_xchg(flags + pid, 1, sem="release")
        prefix = 0
        j = pid - 1
        done = 0
        while done == 0:
            fl = tl.atomic_add(flags + j, 0, sem="acquire")
            while fl == 0:
                fl = tl.atomic_add(flags + j, 0, sem="acquire")
            if fl == 2:
                prefix += tl.load(incl + j)
                done = 1
            else:
                prefix += tl.load(agg + j)
                j -= 1
        tl.store(incl + pid, prefix + s)
        tl.atomic_xchg(flags + pid, 2, sem="release")
    tl.store(o + off, tl.cumsum(v, 0) + prefix, mask=m)


@triton.jit
def tiles_by_ticket(x, o, counter, n, BLOCK: tl.constexpr):
    t = tl.atomic_add(counter, 1)
    while t * BLOCK < n:
        off = t * BLOCK + tl.arange(0, BLOCK)
        tl.store(o + off, tl.load(x + off, mask=off < n) * 2, mask=off < n)
        t = tl.atomic_add(counter, 1)


@triton.jit
def grouped_gemm(ap, bp, cp, sizes, lds, gs, NSM: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    tidx = tl.program_id(0)
    last = 0
    for g in range(gs):
        gm = tl.load(sizes + g * 3)
        gn = tl.load(sizes + g * 3 + 1)
        gk = tl.load(sizes + g * 3 + 2)
        nm = tl.cdiv(gm, BM)
        nn = tl.cdiv(gn, BN)
        nt = nm * nn
        while tidx >= last and tidx < last + nt:
            lda = tl.load(lds + g * 3)
            ldb = tl.load(lds + g * 3 + 1)
            ldc = tl.load(lds + g * 3 + 2)
            a = tl.load(ap + g).to(tl.pointer_type(tl.float16))
            b = tl.load(bp + g).to(tl.pointer_type(tl.float16))
            c = tl.load(cp + g).to(tl.pointer_type(tl.float16))
            t = tidx - last
            tm = t // nn
            tn = t % nn
            om = tm * BM + tl.arange(0, BM)
            on = tn * BN + tl.arange(0, BN)
            ok = tl.arange(0, BK)
            pa = a + om[:, None] * lda + ok[None, :]
            pb = b + ok[:, None] * ldb + on[None, :]
            acc = tl.zeros((BM, BN), dtype=tl.float32)
            for _ in range(0, tl.cdiv(gk, BK)):
                tl.multiple_of(pa, [16, 16])
                acc += tl.dot(tl.load(pa), tl.load(pb))
                pa += BK
                pb += BK * ldb
            tl.store(c + om[:, None] * ldc + on[None, :], acc.to(tl.float16))
            tidx += NSM
        last += nt


@triton.jit
def radix_sort(x, o, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    m = at < n
    row = tl.program_id(0) * n
    v = tl.load(x + row + at, mask=m, other=0x7FFFFFFF)
    for bit in range(8):
        b = (v >> bit) & 1
        z = 1 - b
        pz = tl.cumsum(z, 0) - z
        po = tl.cumsum(b, 0) - b + tl.sum(z, 0)
        dest = tl.where(b == 0, pz, po)
        # scatter by sort: gather of inverse permutation through comparision matrix
        onehot = (dest[:, None] == at[None, :]).to(tl.int32)
        v = tl.sum(onehot * v[:, None], 0)
    tl.store(o + row + at, v, mask=m)


@triton.jit
def embedding_backward(idx, g, w, D, BLOCK: tl.constexpr):
    p = tl.program_id(0)
    i = tl.load(idx + p)
    d = tl.arange(0, BLOCK)
    tl.atomic_add(w + i * D + d, tl.load(g + p * D + d, mask=d < D), mask=d < D)


@triton.jit
def sum_of_ragged_rows(x, offs, o, BLOCK: tl.constexpr):
    p = tl.program_id(0)
    s = tl.load(offs + p)
    e = tl.load(offs + p + 1)
    acc = 0.0
    for k in range(s, e, BLOCK):
        c = k + tl.arange(0, BLOCK)
        acc += tl.sum(tl.load(x + c, mask=c < e, other=0.0))
    tl.store(o + p, acc)


@triton.jit
def sparse_matrix_vector(rp, ci, v, x, y, BLOCK: tl.constexpr):
    p = tl.program_id(0)
    s = tl.load(rp + p)
    e = tl.load(rp + p + 1)
    acc = tl.zeros((BLOCK,), tl.float32)
    k = s
    while k < e:
        c = k + tl.arange(0, BLOCK)
        m = c < e
        col = tl.load(ci + c, mask=m, other=0)
        acc += tl.load(v + c, mask=m, other=0.0) * tl.load(x + col, mask=m, other=0.0)
        k += BLOCK
    tl.store(y + p, tl.sum(acc, 0))


@triton.jit
def attn_inner(
    acc, l_i, m_i, q, k_ptrs, v_ptrs, start_m, qk_scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
    STAGE: tl.constexpr, om: tl.constexpr, on: tl.constexpr, N_CTX: tl.constexpr,
):  # fmt: skip
    if STAGE == 1:
        lo, hi = 0, start_m * BM
    elif STAGE == 2:
        lo, hi = start_m * BM, (start_m + 1) * BM
        lo = tl.multiple_of(lo, BM)
    else:
        lo, hi = 0, N_CTX
    for start_n in tl.range(lo, hi, BN):
        start_n = tl.multiple_of(start_n, BN)
        k = tl.load(k_ptrs + start_n * D)
        qk = tl.dot(q, k)
        if STAGE == 2:
            mask = om[:, None] >= (start_n + on[None, :])
            qk = qk * qk_scale + tl.where(mask, 0, -1.0e6)
            m_ij = tl.maximum(m_i, tl.max(qk, 1))
            qk -= m_ij[:, None]
        else:
            m_ij = tl.maximum(m_i, tl.max(qk, 1) * qk_scale)
            qk = qk * qk_scale - m_ij[:, None]
        p = tl.math.exp2(qk)
        l_ij = tl.sum(p, 1)
        alpha = tl.math.exp2(m_i - m_ij)
        l_i = l_i * alpha + l_ij
        acc = acc * alpha[:, None]
        v = tl.load(v_ptrs + start_n * D)
        acc = tl.dot(p.to(tl.float16), v, acc)
        m_i = m_ij
    return acc, l_i, m_i


@triton.jit
def flash_attention(
    Q, K, V, OUT, Mx, sm_scale, H, N_CTX: tl.constexpr, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
    CAUSAL: tl.constexpr,
):  # fmt: skip
    tl.static_assert(BN <= D)
    start_m = tl.program_id(0)
    hz = tl.program_id(1)
    base = hz.to(tl.int64) * N_CTX * D
    om = start_m * BM + tl.arange(0, BM)
    on = tl.arange(0, BN)
    od = tl.arange(0, D)
    q = tl.load(Q + base + om[:, None] * D + od[None, :])
    kp = K + base + on[None, :] * D + od[:, None]
    vp = V + base + on[:, None] * D + od[None, :]
    m_i = tl.zeros([BM], dtype=tl.float32) - float("inf")
    l_i = tl.zeros([BM], dtype=tl.float32) + 1.0
    acc = tl.zeros([BM, D], dtype=tl.float32)
    s = sm_scale * 1.44269504
    if CAUSAL:
        acc, l_i, m_i = attn_inner(acc, l_i, m_i, q, kp, vp, start_m, s, D, BM, BN, 1, om, on, N_CTX)
        acc, l_i, m_i = attn_inner(acc, l_i, m_i, q, kp, vp, start_m, s, D, BM, BN, 2, om, on, N_CTX)
    else:
        acc, l_i, m_i = attn_inner(acc, l_i, m_i, q, kp, vp, start_m, s, D, BM, BN, 3, om, on, N_CTX)
    m_i += tl.math.log2(l_i)
    acc = acc / l_i[:, None]
    tl.store(Mx + hz * N_CTX + om, m_i)
    tl.store(OUT + base + om[:, None] * D + od[None, :], acc.to(tl.float16))


@triton.jit
def flash_attention_backward(Q, K, V, DO, L, Dl, DQ, DK, DV, scale, N: tl.constexpr, D: tl.constexpr, B: tl.constexpr):
    n = tl.program_id(0)
    h = tl.program_id(1)
    base = h * N * D
    on = n * B + tl.arange(0, B)
    od = tl.arange(0, D)
    k = tl.load(K + base + on[:, None] * D + od[None, :])
    v = tl.load(V + base + on[:, None] * D + od[None, :])
    dk = tl.zeros([B, D], tl.float32)
    dv = tl.zeros([B, D], tl.float32)
    for m in range(0, N, B):
        om = m + tl.arange(0, B)
        at = base + om[:, None] * D + od[None, :]
        q = tl.load(Q + at)
        do = tl.load(DO + at)
        lse = tl.load(L + h * N + om)
        dl = tl.load(Dl + h * N + om)
        p = tl.exp(tl.dot(q, tl.trans(k), input_precision="ieee") * scale - lse[:, None])
        dv += tl.dot(tl.trans(p), do, input_precision="ieee")
        dp = tl.dot(do, v.T, input_precision="ieee")
        ds = p * (dp - dl[:, None]) * scale
        dk += tl.dot(ds.T, q, input_precision="ieee")
        tl.atomic_add(DQ + at, tl.dot(ds, k, input_precision="ieee"))
    tl.store(DK + base + on[:, None] * D + od[None, :], dk)
    tl.store(DV + base + on[:, None] * D + od[None, :], dv)


@triton.jit
def block_sparse_matmul(rp, ci, v, x, y, W, B: tl.constexpr):
    row = tl.program_id(0)
    col = tl.program_id(1)
    s = tl.load(rp + row)
    e = tl.load(rp + row + 1)
    i = tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for j in range(s, e):
        c = tl.load(ci + j)
        a = tl.load(v + j * B * B + i[:, None] * B + i[None, :])
        b = tl.load(x + (c * B + i)[:, None] * W + col * B + i[None, :])
        acc = tl.dot(a, b, acc, input_precision="ieee")
    tl.store(y + (row * B + i)[:, None] * W + col * B + i[None, :], acc)


@triton.jit
def int4_matmul(a, qw, sc, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pm, pn = tl.program_id(0), tl.program_id(1)
    om = pm * BM + tl.arange(0, BM)
    on = pn * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        ok = k + tl.arange(0, BK)
        x = tl.load(a + om[:, None] * K + ok[None, :], mask=om[:, None] < M, other=0.0)
        p = tl.load(qw + (ok // 8)[:, None] * N + on[None, :], mask=on[None, :] < N, other=0)
        w = ((p >> ((ok % 8) * 4)[:, None]) & 0xF) - 8
        s = tl.load(sc + on, mask=on < N, other=0.0)
        acc += tl.dot(x, (w.to(tl.float32) * s[None, :]).to(tl.float16))
    tl.store(c + om[:, None] * N + on[None, :], acc, mask=(om[:, None] < M) & (on[None, :] < N))


@triton.jit
def fp8_matmul(a, b, c, sa, sb, K: tl.constexpr, N: tl.constexpr, M: tl.constexpr):
    p = tl.program_id(0)
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    k = tl.arange(0, K)
    x = tl.load(a + p * M * K + m[:, None] * K + k[None, :])
    y = tl.load(b + k[:, None] * N + n[None, :])
    z = tl.dot(x, y, out_dtype=tl.float32) * tl.load(sa) * tl.load(sb)
    tl.store(c + p * M * N + m[:, None] * N + n[None, :], z.to(tl.bfloat16))


@triton.jit
def quantise_to_fp8(x, q, s, N, B: tl.constexpr):
    p = tl.program_id(0)
    at = tl.arange(0, B)
    v = tl.load(x + p * N + at, mask=at < N, other=0.0)
    amax = tl.max(tl.abs(v), 0)
    sc = amax / 448.0
    tl.store(s + p, sc)
    tl.store(q + p * N + at, (v / sc).to(q.dtype.element_ty), mask=at < N)


@triton.jit
def fourier_transform(re, im, ore, oim, N: tl.constexpr):
    p = tl.program_id(0)
    at = tl.arange(0, N)
    a = tl.load(re + p * N + at)
    b = tl.load(im + p * N + at)
    ang = -2 * 3.14159265358979 * (at[:, None] * at[None, :] % N) / N
    c = tl.cos(ang)
    s = tl.sin(ang)
    tl.store(ore + p * N + at, tl.sum(c * a[None, :] - s * b[None, :], 1))
    tl.store(oim + p * N + at, tl.sum(s * a[None, :] + c * b[None, :], 1))


@triton.jit
def bitonic_sort(x, o, N: tl.constexpr, LOG: tl.constexpr):
    p = tl.program_id(0)
    at = tl.arange(0, N)
    v = tl.load(x + p * N + at)
    for k in tl.static_range(1, LOG + 1):
        for j in tl.static_range(k - 1, -1, -1):
            partner = at ^ (1 << j)
            w = tl.gather(v, partner, 0)
            up = ((at >> k) & 1) == 0
            lower = (at & (1 << j)) == 0
            v = tl.where(up == lower, tl.minimum(v, w), tl.maximum(v, w))
    tl.store(o + p * N + at, v)


@triton.jit
def cross_entropy(x, t, loss, dx, N, B: tl.constexpr):
    p = tl.program_id(0).to(tl.int64)
    x += p * N
    dx += p * N
    y = tl.load(t + p)
    if y == -100:
        for i in range(0, N, B):
            c = i + tl.arange(0, B)
            tl.store(dx + c, 0.0, mask=c < N)
        tl.store(loss + p, 0.0)
        return
    m = float("-inf")
    d = 0.0
    xy = tl.load(x + y)
    for i in range(0, N, B):
        c = i + tl.arange(0, B)
        v = tl.load(x + c, mask=c < N, other=float("-inf"))
        bm = tl.max(v)
        mn = tl.maximum(m, bm)
        d = d * tl.exp(m - mn) + tl.sum(tl.exp(v - mn))
        m = mn
    lse = m + tl.log(d)
    for i in range(0, N, B):
        c = i + tl.arange(0, B)
        v = tl.load(x + c, mask=c < N, other=float("-inf"))
        g = tl.exp(v - lse)
        g = tl.where(c != y, g, g - 1)
        tl.store(dx + c, g, mask=c < N)
    tl.store(loss + p, lse - xy)


@triton.jit
def rotary_in_place(q, cos, sin, H, S, D: tl.constexpr):
    s = tl.program_id(0)
    h = tl.program_id(1)
    d = tl.arange(0, D // 2)
    q += (h * S + s) * D
    c = tl.load(cos + s * (D // 2) + d)
    n = tl.load(sin + s * (D // 2) + d)
    a = tl.load(q + d)
    b = tl.load(q + D // 2 + d)
    tl.store(q + d, a * c - b * n)
    tl.store(q + D // 2 + d, b * c + a * n)


@triton.jit
def transpose_in_3d(x, o, A, B, C, s0, s1, s2, o0, o1, o2, T: tl.constexpr):
    a = tl.program_id(0) * T + tl.arange(0, T)[:, None, None]
    b = tl.program_id(1) * T + tl.arange(0, T)[None, :, None]
    c = tl.program_id(2) * T + tl.arange(0, T)[None, None, :]
    m = (a < A) & (b < B) & (c < C)
    v = tl.load(x + a * s0 + b * s1 + c * s2, mask=m)
    w = tl.permute(v, (2, 0, 1))
    a2 = tl.program_id(0) * T + tl.arange(0, T)[None, :, None]
    b2 = tl.program_id(1) * T + tl.arange(0, T)[None, None, :]
    c2 = tl.program_id(2) * T + tl.arange(0, T)[:, None, None]
    tl.store(o + c2 * o0 + a2 * o1 + b2 * o2, w, mask=(a2 < A) & (b2 < B) & (c2 < C))


@triton.jit
def copy(x, o, n, s, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + at, tl.load(x + at * s, mask=at < n), mask=at < n)


@triton.jit
def axpy(x, y, n, a, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    m = at < n
    tl.store(y + at, a * tl.load(x + at, mask=m) + tl.load(y + at, mask=m), mask=m)


@triton.jit
def implicit_gemm_convolution(
    x, w, o, C, H, W, OC, KH: tl.constexpr, KW: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    oh = m // W
    ow = m % W
    acc = tl.zeros((BM, BN), tl.float32)
    KK = C * KH * KW
    for k0 in range(0, KK, BK):
        k = k0 + tl.arange(0, BK)
        c = k // (KH * KW)
        kh = (k % (KH * KW)) // KW
        kw = k % KW
        ih = oh[:, None] + kh[None, :] - KH // 2
        iw = ow[:, None] + kw[None, :] - KW // 2
        a = tl.load(
            x + c[None, :] * H * W + ih * W + iw,
            mask=(m[:, None] < H * W) & (k[None, :] < KK) & (ih >= 0) & (ih < H) & (iw >= 0) & (iw < W),
            other=0.0,
        )
        b = tl.load(w + n[None, :] * KK + k[:, None], mask=(k[:, None] < KK) & (n[None, :] < OC), other=0.0)
        acc += tl.dot(a, b, allow_tf32=False)
    tl.store(o + n[None, :] * H * W + m[:, None], acc, mask=(m[:, None] < H * W) & (n[None, :] < OC))


@triton.jit
def max_pool(x, o, H, W, OH, OW, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    oh = at // OW
    ow = at % OW
    m = at < OH * OW
    best = tl.full((B,), -float("inf"), tl.float32)
    for dy in range(2):
        for dx in range(2):
            y = oh * 2 + dy
            z = ow * 2 + dx
            best = tl.maximum(best, tl.load(x + y * W + z, mask=m and (y < H) and (z < W), other=-float("inf")))
    tl.store(o + at, best, mask=m)


@triton.jit
def online_softmax(x, o, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    m = -float("inf")
    s = 0.0
    for k in range(0, n, BLOCK):
        c = k + tl.arange(0, BLOCK)
        v = tl.load(x + row * n + c, mask=c < n, other=-float("inf"))
        m_new = tl.maximum(m, tl.max(v, 0))
        s = s * tl.exp(m - m_new) + tl.sum(tl.exp(v - m_new), 0)
        m = m_new
    for k in range(0, n, BLOCK):
        c = k + tl.arange(0, BLOCK)
        v = tl.load(x + row * n + c, mask=c < n)
        tl.store(o + row * n + c, tl.exp(v - m) / s, mask=c < n)


@triton.jit
def merged_moments(ma, va, ca, mb, vb, cb):
    d = mb - ma
    c = ca + cb
    f = tl.where(c == 0.0, 0.0, cb / c)
    return ma + d * f, va + vb + d * d * ca * f, c


@triton.jit
def moments_by_welford(x, mo, vo, n, B: tl.constexpr):
    p = tl.program_id(0)
    at = tl.arange(0, B)
    m = at < n
    v = tl.load(x + p * n + at, mask=m, other=0.0)
    w = m.to(tl.float32)
    mean, m2, cnt = tl.reduce((v, tl.zeros_like(v), w), 0, merged_moments)
    tl.store(mo + p, mean)
    tl.store(vo + p, m2 / cnt)


@triton.jit
def affine_after_affine(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def state_space_scan(a, b, o, n, B: tl.constexpr):
    p = tl.program_id(0)
    at = tl.arange(0, B)
    x = tl.load(a + p * n + at, mask=at < n, other=1.0)
    y = tl.load(b + p * n + at, mask=at < n, other=0.0)
    _, h = tl.associative_scan((x, y), 0, affine_after_affine)
    tl.store(o + p * n + at, h, mask=at < n)


@triton.jit
def compaction_by_tickets(x, o, cnt, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + at, mask=at < n, other=-1.0)
    keep = (v > 0) & (at < n)
    k = keep.to(tl.int32)
    pos = tl.cumsum(k, 0) - k
    base = tl.atomic_add(cnt, tl.sum(k, 0))
    tl.store(o + base + pos, v, mask=keep)


@triton.jit
def greatest_by_turns(x, o, oi, n, K: tl.constexpr, B: tl.constexpr):
    p = tl.program_id(0)
    at = tl.arange(0, B)
    v = tl.load(x + p * n + at, mask=at < n, other=-float("inf"))
    for k in tl.static_range(K):
        m, i = tl.max(v, 0, return_indices=True)
        tl.store(o + p * K + k, m)
        tl.store(oi + p * K + k, i)
        v = tl.where(at == i, -float("inf"), v)


def layer_norm_arguments() -> Tensors:
    x = noise(20, 50)
    scale = (x.var(1, unbiased=False) + 1e-5).rsqrt()
    partial = torch.zeros(2, 4, 50)
    return (torch.zeros(20, 50), noise(20, 50, seed=3), partial[0].clone(), partial[1].clone(), x, noise(50, seed=1),
            x.mean(1), scale, zeros(8), 50, 50)  # fmt: skip


def layer_norm_gradient(given: Tensors) -> dict[int, torch.Tensor]:
    x = given[4].clone().requires_grad_()
    F.layer_norm(x, (50,), given[5]).backward(given[1])
    return {0: x.grad}


def grouped(shapes: tuple[tuple[int, int, int], ...] = ((32, 48, 32), (64, 32, 32))) -> Tensors:
    """For products of so many rows, columns and terms."""
    a = [noise(m, k, seed=2 * number).half() for number, (m, _, k) in enumerate(shapes)]
    b = [noise(k, n, seed=2 * number + 1).half() for number, (_, n, k) in enumerate(shapes)]
    c = [torch.zeros(m, n, dtype=torch.float16) for m, n, _ in shapes]
    addresses = (torch.tensor([part.data_ptr() for part in side]) for side in (a, b, c))
    strides = torch.tensor([(k, n, n) for _, n, k in shapes], dtype=torch.int32)
    return *addresses, torch.tensor(shapes, dtype=torch.int32), strides, len(shapes), a, b, c


def attention_gradients(given: Tensors) -> dict[int, torch.Tensor]:
    q, k, v = (part.clone().requires_grad_() for part in given[:3])
    ((q @ k.transpose(1, 2) * 0.25).softmax(-1) @ v).backward(given[3])
    return {6: q.grad, 7: k.grad, 8: v.grad}


def attention_backward_arguments() -> Tensors:
    q, k, v, gradient = (noise(2, 32, 16, seed=seed) for seed in range(4))
    scores = q @ k.transpose(1, 2) * 0.25
    delta = (scores.softmax(-1) @ v * gradient).sum(-1)
    return q, k, v, gradient, scores.logsumexp(-1), delta, *torch.zeros(3, 2, 32, 16).unbind(), 0.25


def sparse() -> Tensors:
    matrix = noise(9, 20) * (noise(9, 20, seed=1) > 0.3)
    index = matrix.nonzero()
    start = torch.cat([torch.zeros(1), (matrix != 0).sum(1).cumsum(0)]).int()
    return start, index[:, 1].int(), matrix[matrix != 0], noise(20, seed=4), torch.zeros(9), matrix


def int4_product(given: Tensors) -> dict[int, torch.Tensor]:
    shifts = torch.arange(8) * 4
    weights = ((given[1][:, None, :] >> shifts[None, :, None]) & 15).reshape(64, 24) - 8
    return {3: given[0].float() @ (weights * given[2]).half().float()}


def blocks_product(given: Tensors) -> dict[int, torch.Tensor]:
    dense = torch.zeros(48, 48)
    for row, column, block in ((0, 0, 0), (0, 2, 1), (2, 1, 2)):
        dense[row * 16 : row * 16 + 16, column * 16 : column * 16 + 16] = given[2][block]
    return {4: dense @ given[3]}


def rotated(given: Tensors) -> dict[int, torch.Tensor]:
    a, b = given[0][..., :8], given[0][..., 8:]
    return {0: torch.cat([a * given[1] - b * given[2], b * given[1] + a * given[2]], -1)}


LABELS = torch.tensor([1, -100, 3, 49, 0, -100, 7])
BOUNDS = torch.tensor([0, 3, 3, 40, 77, 100], dtype=torch.int32)
TILES = {"BM": 16, "BN": 16, "BK": 16}

CASES = [
    Case(online_softmax, (20,), lambda: (noise(20, 50), torch.zeros(20, 50), 50), lambda a: {1: a[0].softmax(1)},
         {"BLOCK": 16}),
    Case(ln_bwd_dx, (20,), layer_norm_arguments, layer_norm_gradient, {"GROUP": 4, "BLOCK": 64}),
    Case(stream_k_with_locks, (5,),
         lambda: (noise(40, 90), noise(90, 44, seed=1), torch.zeros(40, 44), zeros(9), 40, 44, 90, 54, 6, 11),
         lambda a: {2: a[0] @ a[1]}, TILES),
    Case(scan_that_looks_back, (7,), lambda: (whole(0, 9, 100), zeros(100), zeros(7), zeros(7), zeros(7), 100),
         lambda a: {1: a[0].cumsum(0).int()}, {"BLOCK": 16}),
    Case(tiles_by_ticket, (3,), lambda: (noise(200), torch.zeros(200), zeros(1), 200), lambda a: {1: a[0] * 2},
         {"BLOCK": 16}),
    Case(radix_sort, (3,), lambda: (whole(0, 256, 3, 30), zeros(3, 30), 30), lambda a: {1: a[0].sort(1).values},
         {"BLOCK": 32}),
    Case(embedding_backward, (20,), lambda: (whole(0, 10, 20), noise(20, 24), torch.zeros(10, 24), 24),
         lambda a: {2: a[2].index_add(0, a[0], a[1])}, {"BLOCK": 32}),
    Case(sum_of_ragged_rows, (5,), lambda: (noise(100), BOUNDS, torch.zeros(5)),
         lambda a: {2: torch.stack([part.sum() for part in a[0].split(BOUNDS.diff().tolist())])}, {"BLOCK": 16}),
    Case(sparse_matrix_vector, (9,), lambda: sparse()[:5], lambda a: {4: sparse()[5] @ a[3]}, {"BLOCK": 4}),
    *(
        Case(
            flash_attention,
            (4, 2),
            lambda: (
                *(noise(1, 2, 64, 16, seed=seed).half() for seed in range(3)), torch.zeros(1, 2, 64, 16).half(),
                torch.zeros(2, 64), 0.5, 2,
            ),
            lambda a, causal=causal: {
                3: F.scaled_dot_product_attention(*(part.float() for part in a[:3]), is_causal=causal, scale=0.5).half()
            },
            {"N_CTX": 64, "D": 16, "BM": 16, "BN": 16, "CAUSAL": causal},
            5e-3,
        )
        for causal in (False, True)
    ),
    Case(
        flash_attention_backward, (2, 2), attention_backward_arguments, attention_gradients, {"N": 32, "D": 16, "B": 16}
    ),
    Case(
        block_sparse_matmul,
        (3, 2),
        lambda: (
            torch.tensor([0, 2, 2, 3]), torch.tensor([0, 2, 1]), noise(3, 16, 16), noise(48, 32), torch.zeros(48, 32),
            32,
        ),
        blocks_product,
        {"B": 16},
    ),
    Case(
        int4_matmul,
        (2, 2),
        lambda: (
            noise(20, 64).half(), whole(-(2**31), 2**31 - 1, 8, 24), noise(24).abs(), torch.zeros(20, 24), 20, 24, 64,
        ),
        int4_product,
        {"BM": 16, "BN": 16, "BK": 32},
        1e-2,
    ),
    *(
        Case(
            fp8_matmul,
            (3,),
            lambda dtype=dtype: (
                noise(48, 32).to(dtype), noise(32, 16, seed=1).to(dtype), torch.zeros(48, 16).bfloat16(),
                torch.full((1,), 2.0), torch.full((1,), 0.5),
            ),
            lambda a: {2: (a[0].float() @ a[1].float()).bfloat16()},
            {"K": 32, "N": 16, "M": 16},
            2e-2,
        )
        for dtype in (torch.float8_e4m3fn, torch.float8_e5m2)
    ),
    Case(quantise_to_fp8, (5,), lambda: (noise(5, 50), torch.zeros(5, 50).to(torch.float8_e4m3fn), torch.zeros(5), 50),
         lambda a: {1: (a[0] / (a[0].abs().amax(1, keepdim=True) / 448)).to(torch.float8_e4m3fn)}, {"B": 64}),
    Case(fourier_transform, (4,), lambda: (noise(4, 16), noise(4, 16, seed=1), torch.zeros(4, 16), torch.zeros(4, 16)),
         lambda a: {2: torch.fft.fft(torch.complex(a[0], a[1])).real}, {"N": 16}),
    Case(bitonic_sort, (4,), lambda: (noise(4, 32), torch.zeros(4, 32)), lambda a: {1: a[0].sort(1).values},
         {"N": 32, "LOG": 5}),
    Case(cross_entropy, (7,),
         lambda: (noise(7, 50), LABELS.clone(), torch.zeros(7), torch.full((7, 50), torch.nan), 50),
         lambda a: {2: F.cross_entropy(a[0], a[1], reduction="none")}, {"B": 16}),
    Case(
        rotary_in_place, (9, 2), lambda: (noise(2, 9, 16), noise(9, 8), noise(9, 8, seed=1), 2, 9), rotated, {"D": 16}
    ),
    Case(transpose_in_3d, (2, 2, 3), lambda: (noise(5, 7, 9), torch.zeros(9, 5, 7), 5, 7, 9, 63, 9, 1, 35, 7, 1),
         lambda a: {1: a[0].permute(2, 0, 1)}, {"T": 4}),
    Case(copy, (3,), lambda: (noise(1).expand(40), torch.zeros(40), 40, 0), lambda a: {1: a[0]}, {"B": 16}),
    Case(copy, (3,), lambda: (noise(120)[::3], torch.zeros(40), 40, 3), lambda a: {1: a[0]}, {"B": 16}),
    Case(copy, (1,), lambda: (torch.tensor(3.0), torch.zeros(1), 1, 1), lambda a: {1: a[0][None]}, {"B": 16}),
    Case(copy, (1,), lambda: (noise(0), torch.zeros(0), 0, 1), lambda a: {1: a[0]}, {"B": 16}),
    Case(copy, (0, 3), lambda: (noise(4), torch.zeros(4), 4, 1), lambda a: {1: torch.zeros(4)}, {"B": 16}),
    Case(axpy, (3,), lambda: (noise(40),) * 2 + (40, 2.5), lambda a: {1: a[0] * 3.5}, {"B": 16}),
    Case(implicit_gemm_convolution, (5, 1),
         lambda: (noise(3, 8, 9), noise(5, 3, 3, 3, seed=1), torch.zeros(5, 8, 9), 3, 8, 9, 5),
         lambda a: {2: F.conv2d(a[0][None], a[1], padding=1)[0]}, {"KH": 3, "KW": 3, **TILES}),
    Case(moments_by_welford, (5,), lambda: (noise(5, 50), torch.zeros(5), torch.zeros(5), 50),
         lambda a: {1: a[0].mean(1), 2: a[0].var(1, unbiased=False)}, {"B": 64}),
    Case(state_space_scan, (3,), lambda: (noise(3, 2) * 0.5, noise(3, 2, seed=1), torch.zeros(3, 2), 2),
         lambda a: {2: torch.stack([a[1][:, 0], a[0][:, 1] * a[1][:, 0] + a[1][:, 1]], 1)}, {"B": 32}),
    Case(greatest_by_turns, (4,), lambda: (noise(4, 30), torch.zeros(4, 3), zeros(4, 3), 30),
         lambda a: {1: a[0].topk(3, 1).values, 2: a[0].topk(3, 1).indices}, {"K": 3, "B": 32}),
    Case(compaction_by_tickets, (4,), lambda: (noise(100), torch.zeros(100), zeros(1), 100),
         lambda a: {2: (a[0] > 0).sum()[None]}, {"B": 32}),
    Case(max_pool, (3,), lambda: (noise(11, 13), torch.zeros(6, 7), 11, 13, 6, 7),
         lambda a: {1: F.max_pool2d(a[0][None], 2, ceil_mode=True)[0]}, {"B": 16}),
]  # fmt: skip
