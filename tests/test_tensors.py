"""Counting programs and looking at tensors."""

from __future__ import annotations

import re

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from triton_workshop.tensors import cdiv, ceiling_divide, check_tensors_gpu_ready


@pytest.fixture(autouse=True)
def _on_the_simulator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_INTERPRET", "1")


@pytest.mark.parametrize(("dividend", "divisor", "blocks"), [(0, 4, 0), (1, 4, 1), (4, 4, 1), (5, 4, 2), (6, 4, 2)])
def test_cdiv_counts_the_blocks(dividend: int, divisor: int, blocks: int) -> None:
    assert cdiv(dividend, divisor) == blocks


@given(st.integers(0, 10**20), st.integers(1, 10**12))
def test_cdiv_is_the_least_number_of_blocks_that_covers(dividend: int, divisor: int) -> None:
    blocks = cdiv(dividend, divisor)
    assert (blocks - 1) * divisor < dividend <= blocks * divisor or dividend == blocks == 0


@pytest.mark.parametrize("divisor", [0, -1])
def test_cdiv_refuses_a_divisor_below_one(divisor: int) -> None:
    with pytest.raises(ValueError, match=f"got {divisor}"):
        cdiv(6, divisor)


def test_ceiling_divide_is_cdiv() -> None:
    assert ceiling_divide(6, 4) == 2


def test_contiguous_tensors_are_ready() -> None:
    check_tensors_gpu_ready(torch.zeros(3, 4), torch.zeros(0))


def test_a_strided_tensor_is_named_with_its_fix() -> None:
    with pytest.raises(ValueError, match=r"argument 2: .*shape \(4, 3\), strides \(1, 4\); call \.contiguous\(\)"):
        check_tensors_gpu_ready(torch.zeros(3), torch.zeros(3, 4).t())


def test_off_the_simulator_a_cpu_tensor_is_named_with_its_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRITON_INTERPRET")
    with pytest.raises(ValueError, match=r'argument 1: .*on cpu, shape \(3,\), strides \(1,\); call \.to\("cuda"\)'):
        check_tensors_gpu_ready(torch.zeros(3))


class OnTheSecondGpu(torch.Tensor):
    """As far as one can ask it."""

    is_cuda = True
    device = torch.device("cuda", 1)


def test_a_tensor_on_another_gpu_than_the_current_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRITON_INTERPRET")
    tensor = torch.zeros(3).as_subclass(OnTheSecondGpu)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 1)
    check_tensors_gpu_ready(tensor)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    with pytest.raises(ValueError, match=r"expected a tensor on cuda:0, .*call torch\.cuda\.set_device\(1\)"):
        check_tensors_gpu_ready(tensor)


def test_what_is_no_tensor_is_named() -> None:
    with pytest.raises(TypeError, match=r"argument 1: expected a torch\.Tensor, got list; make one"):
        check_tensors_gpu_ready([1.0])  # type: ignore[arg-type]


FITTING = (
    ("n, n", (3,), (3,)),
    ("3 height width", (3, 4, 5)),
    ("M K, K N", (2, 3), (3, 4)),
    ("c height width, k k", (1, 4, 5), (3, 3)),
    ("M K, K N, N", (2, 3), (3, 2), (2,)),
    ("n, n", (0,), (0,)),
)


@pytest.mark.parametrize(("shapes", "sizes"), [(shapes, sizes) for shapes, *sizes in FITTING])
def test_tensors_of_the_shapes_asked_for_are_ready(shapes: str, sizes: list[tuple[int, ...]]) -> None:
    check_tensors_gpu_ready(*map(torch.zeros, sizes), shapes=shapes)


NOT_FITTING = (
    ("n, n", "argument 2: expected shape (n,) with n = 3, got (4,); pass a tensor of that shape", (3,), (4,)),
    ("n, n", "argument 2: expected shape (n,) with n = 3, got (3, 1); pass a tensor with 1 dimension", (3,), (3, 1)),
    ("3 height width", "argument 1: expected shape (3, height, width), got (4, 5, 6); pass a tensor of", (4, 5, 6)),
    ("3 height width", "argument 1: expected shape (3, height, width), got (5, 6); pass a tensor with 3", (5, 6)),
    ("M K, K N", "argument 2: expected shape (K, N) with K = 4, got (3, 4); pass a tensor of", (3, 4), (3, 4)),
    ("c h w, k k", "argument 2: expected shape (k, k), got (3, 5); pass a tensor of that shape", (1, 2, 2), (3, 5)),
    ("n n, n n", "argument 2: expected shape (n, n) with n = 2, got (3, 3); pass a tensor of", (2, 2), (3, 3)),
    ("M N, N M", "argument 2: expected shape (N, M) with N = 3 and M = 2, got (2, 3); pass a", (2, 3), (2, 3)),
    ("n", 'shapes="n": expected one pattern per tensor, separated by commas, got 1 for 2 tensors; write', (3,), (3,)),
)


@pytest.mark.parametrize(
    ("shapes", "words", "sizes"), [(shapes, words, sizes) for shapes, words, *sizes in NOT_FITTING]
)
def test_a_tensor_of_another_shape_is_named_with_its_fix(shapes: str, words: str, sizes: list[tuple[int, ...]]) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        check_tensors_gpu_ready(*map(torch.zeros, sizes), shapes=shapes)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_any_dtype_that_kernels_compute_with_is_a_float(dtype: torch.dtype) -> None:
    check_tensors_gpu_ready(torch.zeros(3, dtype=dtype), torch.zeros(2, dtype=dtype), dtype=float)
    check_tensors_gpu_ready(torch.zeros(3, dtype=dtype), dtype=dtype)


ANY_FLOAT = "expected torch.float32, torch.float16 or torch.bfloat16"
WRONG_DTYPES: tuple[tuple[torch.dtype | type[float], str, tuple[torch.dtype, ...]], ...] = (
    (float, f"argument 1: {ANY_FLOAT}, got torch.int32; call .to(torch.float32)", (torch.int32,)),
    (float, f"argument 2: {ANY_FLOAT}, got torch.float64; call", (torch.float32, torch.float64)),
    (
        float,
        "argument 2: expected torch.float16, as for argument 1, got torch.float32; call .to(torch.float16)",
        (torch.float16, torch.float32),
    ),
    (
        torch.float32,
        "argument 2: expected torch.float32, got torch.float16; call .to(torch.float32)",
        (torch.float32, torch.float16),
    ),
)


@pytest.mark.parametrize(("dtype", "words", "dtypes"), WRONG_DTYPES)
def test_a_tensor_of_another_dtype_is_named_with_its_fix(
    dtype: torch.dtype | type[float], words: str, dtypes: tuple[torch.dtype, ...]
) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        check_tensors_gpu_ready(*(torch.zeros(3, dtype=each) for each in dtypes), dtype=dtype)


def test_any_strides_will_do_where_the_kernel_takes_them() -> None:
    check_tensors_gpu_ready(torch.zeros(4, 6).t(), torch.zeros(8)[::2], contiguous=False)


def test_shapes_and_dtypes_are_not_asked_about_unless_given() -> None:
    check_tensors_gpu_ready(torch.zeros(3), torch.zeros(2, 2, dtype=torch.int8))


@pytest.mark.gpu
def test_tensors_on_two_devices_are_refused() -> None:
    with pytest.raises(ValueError, match="argument 2: expected cuda:0, as for argument 1"):
        check_tensors_gpu_ready(torch.zeros(3, device="cuda"), torch.zeros(3))
