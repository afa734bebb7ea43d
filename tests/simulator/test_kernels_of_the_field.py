"""Kernels as the field writes them: batched, without any fault, and with the right result."""

from __future__ import annotations

import pytest
import torch

from triton_workshop.simulator import record

from .kernels_of_the_field import CASES, TILES, Case, grouped, grouped_gemm


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.kernel.fn.__name__)
def test_a_kernel_of_the_field_is_right(case: Case) -> None:
    arguments, expected = case.arguments(), case.expected(case.arguments())
    with record() as launches:
        case.kernel[case.grid](*arguments, **case.constants)
    assert not launches[0].faults, str(launches[0].faults[0])
    assert not launches[0].one_by_one
    for place, tensor in expected.items():
        torch.testing.assert_close(arguments[place].float(), tensor.float(), rtol=case.tolerance, atol=case.tolerance)


def test_pointers_of_pointers_are_followed() -> None:
    *arguments, a, b, c = grouped()
    with record() as launches:
        grouped_gemm[(4,)](*arguments, NSM=4, **TILES)
    assert not launches[0].faults
    for left, right, product in zip(a, b, c, strict=True):
        torch.testing.assert_close(product.float(), left.float() @ right.float(), rtol=1e-2, atol=1e-2)
