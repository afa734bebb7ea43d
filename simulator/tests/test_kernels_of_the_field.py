"""Kernels as the field writes them: batched, without any fault, and with the right result."""

from __future__ import annotations

import pytest
import torch

from triton_simulator import record

from . import kernels_that_diverge
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


@pytest.mark.parametrize("case", kernels_that_diverge.CASES.values(), ids=kernels_that_diverge.CASES)
def test_programs_that_go_different_ways_are_right_twice(case: Case) -> None:
    for _ in range(2):
        arguments, expected = case.arguments(), case.expected(case.arguments())
        names = [name for name in case.kernel.arg_names if name not in case.constants]
        with record() as launches:
            case.kernel[case.grid](*arguments[: len(names)], **case.constants)
        assert not launches[0].faults, str(launches[0].faults[0])
        for place, tensor in expected.items():
            pairs = zip(arguments[place], tensor, strict=True)
            for found, wanted in pairs:
                torch.testing.assert_close(found.float(), wanted.float(), rtol=case.tolerance, atol=case.tolerance)
