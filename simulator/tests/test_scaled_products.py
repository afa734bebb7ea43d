"""`tl.dot_scaled`: every pair of formats, against a product in float64 of what the bits stand for."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import torch
import triton
import triton.language as tl

M, N, K, GROUP = 32, 16, 64, 32
E2M1 = (0, 0.5, 1, 1.5, 2, 3, 4, 6)
FORMATS: dict[str, torch.dtype] = {
    "e2m1": torch.uint8,
    "e4m3": torch.float8_e4m3fn,
    "e5m2": torch.float8_e5m2,
    "bf16": torch.bfloat16,
    "fp16": torch.float16,
}


@triton.jit
def product(
    a_ptr, a_scale_ptr, b_ptr, b_scale_ptr, c_ptr, A: tl.constexpr, B: tl.constexpr, A_ROWS: tl.constexpr,
    A_COLUMNS: tl.constexpr, B_ROWS: tl.constexpr, B_COLUMNS: tl.constexpr, A_K: tl.constexpr, B_K: tl.constexpr,
    M: tl.constexpr, N: tl.constexpr, GROUPS: tl.constexpr,
):  # fmt: skip
    pid = tl.program_id(0)
    a_at = tl.arange(0, A_ROWS)[:, None] * A_COLUMNS + tl.arange(0, A_COLUMNS)[None, :]
    b_at = tl.arange(0, B_ROWS)[:, None] * B_COLUMNS + tl.arange(0, B_COLUMNS)[None, :]
    a = tl.load(a_ptr + pid * A_ROWS * A_COLUMNS + a_at)
    b = tl.load(b_ptr + pid * B_ROWS * B_COLUMNS + b_at)
    groups = tl.arange(0, GROUPS)[None, :]
    a_scale_at = pid * M * GROUPS + tl.arange(0, M)[:, None] * GROUPS + groups
    b_scale_at = pid * N * GROUPS + tl.arange(0, N)[:, None] * GROUPS + groups
    a_scale = None if a_scale_ptr is None else tl.load(a_scale_ptr + a_scale_at)
    b_scale = None if b_scale_ptr is None else tl.load(b_scale_ptr + b_scale_at)
    acc = tl.full((M, N), 0.5, tl.float32)
    c = tl.dot_scaled(a, a_scale, A, b, b_scale, B, acc=acc, lhs_k_pack=A_K, rhs_k_pack=B_K)
    tl.store(c_ptr + pid * M * N + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], c)


def made(shape: tuple[int, ...], form: str, packed: int, rng: np.random.Generator) -> tuple[torch.Tensor, np.ndarray]:
    """A tensor in a format, `packed` along an axis if it is e2m1, and the numbers that it stands for."""
    if form != "e2m1":
        data = torch.from_numpy(rng.normal(0, 4, shape)).to(torch.float32).to(FORMATS[form])
        return data, data.to(torch.float64).numpy()
    codes = rng.integers(0, 16, shape, dtype=np.uint8)
    numbers = np.array([*E2M1, *(-x for x in E2M1)], np.float64)[codes]
    first, second = (np.take(codes, range(start, shape[packed], 2), axis=packed) for start in (0, 1))
    return torch.from_numpy(np.ascontiguousarray(first | second << 4)), numbers


def scales(rows: int, wanted: bool, rng: np.random.Generator) -> tuple[torch.Tensor | None, np.ndarray]:
    if not wanted:
        return None, np.ones((2, rows, K))
    exponents = rng.integers(120, 135, (2, rows, K // GROUP), dtype=np.uint8)
    return torch.from_numpy(exponents), np.repeat(2.0 ** (exponents.astype(np.float64) - 127), GROUP, axis=-1)


def run(a_form: str, b_form: str, *, scaled: tuple[bool, bool], along_k: tuple[bool, bool]) -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    a, a_numbers = made((2, M, K), a_form, -1 if along_k[0] else -2, rng)
    b, b_numbers = made((2, K, N), b_form, -2 if along_k[1] else -1, rng)
    (a_scale, a_factors), (b_scale, b_factors) = scales(M, scaled[0], rng), scales(N, scaled[1], rng)
    c = torch.zeros(2, M, N)
    product[(2,)](
        a, a_scale, b, b_scale, c, A=a_form, B=b_form, A_ROWS=a.shape[1], A_COLUMNS=a.shape[2], B_ROWS=b.shape[1],
        B_COLUMNS=b.shape[2], A_K=along_k[0], B_K=along_k[1], M=M, N=N, GROUPS=K // GROUP,
    )  # fmt: skip
    return c.numpy(), (a_numbers * a_factors) @ (b_numbers * b_factors.swapaxes(1, 2)) + 0.5


@pytest.mark.parametrize(("a_form", "b_form"), list(itertools.product(FORMATS, FORMATS)))
def test_a_product_of_two_formats(a_form: str, b_form: str) -> None:
    for scaled in itertools.product((True, False), repeat=2):
        got, expected = run(a_form, b_form, scaled=scaled, along_k=(True, True))
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-4 * np.abs(expected).max())


@pytest.mark.parametrize("along_k", [(False, True), (True, False), (False, False)])
def test_a_byte_may_hold_two_rows_or_two_columns(along_k: tuple[bool, bool]) -> None:
    forms = [form if along else "e2m1" for form, along in zip(("e5m2", "fp16"), along_k, strict=True)]
    got, expected = run(*forms, scaled=(True, True), along_k=along_k)
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-4 * np.abs(expected).max())


@triton.jit
def with_special_numbers(a_ptr, scale_ptr, b_ptr, c_ptr, A: tl.constexpr, B: tl.constexpr):
    m, k = tl.arange(0, 16), tl.arange(0, 32)
    a = tl.load(a_ptr + m[:, None] * 32 + k[None, :])
    b = tl.load(b_ptr + k[:, None] * 16 + m[None, :])
    scale = tl.load(scale_ptr + m[:, None])
    tl.store(c_ptr + m[:, None] * 16 + m[None, :], tl.dot_scaled(a, scale, A, b, None, B))


def test_infinity_nan_and_the_scale_that_is_nan() -> None:
    a = torch.ones(16, 32).to(torch.float8_e5m2)
    a[1, 3], a[2, 4], a[3, 5] = float("inf"), -float("inf"), float("nan")
    scale = torch.full((16, 1), 127, dtype=torch.uint8)
    scale[5], scale[6] = 255, 0
    c = torch.zeros(16, 16)
    with_special_numbers[(1,)](a, scale, torch.ones(32, 16, dtype=torch.float16), c, A="e5m2", B="fp16")
    expected = np.full(16, 32.0)
    expected[[1, 2, 3, 5, 6]] = np.inf, -np.inf, np.nan, np.nan, 32 * 2.0**-127
    np.testing.assert_array_equal(c.numpy(), np.repeat(expected[:, None].astype(np.float32), 16, axis=1))


def test_operations_of_packed_numbers_are_counted() -> None:
    from triton_simulator import record

    with record() as launches:
        run("e2m1", "e2m1", scaled=(True, True), along_k=(True, True))
    assert launches[0].counts.products == {"scaled": 2 * 2 * M * N * K}
