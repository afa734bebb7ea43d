"""Counting programs and looking at tensors."""

from __future__ import annotations

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


def test_a_strided_tensor_is_named_with_what_mends_it() -> None:
    with pytest.raises(ValueError, match=r"argument 2: .*shape \(4, 3\), strides \(1, 4\); call \.contiguous\(\)"):
        check_tensors_gpu_ready(torch.zeros(3), torch.zeros(3, 4).t())


def test_off_the_simulator_a_cpu_tensor_is_named_with_what_mends_it(monkeypatch: pytest.MonkeyPatch) -> None:
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
    with pytest.raises(TypeError, match=r"argument 1: expected a torch\.Tensor, got list"):
        check_tensors_gpu_ready([1.0])  # type: ignore[arg-type]


@pytest.mark.gpu
def test_tensors_on_two_devices_are_refused() -> None:
    with pytest.raises(ValueError, match="argument 2: expected cuda:0, as argument 1"):
        check_tensors_gpu_ready(torch.zeros(3, device="cuda"), torch.zeros(3))
