"""Exercise 5c: layer norm."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from triton_workshop.exercises.cases import (
    Case,
    cast_case,
    extreme_factors,
    narrow_int32_case,
    pluralize,
    random_case,
    transform_case,
    vary_first,
)
from triton_workshop.exercises.cross_entropy import (
    LARGE,
    equal_rows,
    slice_wider_rows,
    spread_rows,
    with_large_stride,
)
from triton_workshop.exercises.exercise import Axis, Exercise

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch

UNIT = 2.0**-24
"""The unit roundoff of float32."""


def _case(rows: int, columns: int, suffix: str = "", transform: Callable[..., torch.Tensor] = lambda x: x) -> Case:
    """Return numbers with a deviation of 3, transformed as `suffix` says.

    Weight and bias have both signs, and eps is 1e-5.
    """
    size = f"{pluralize(rows, 'row')} of {columns:,}"
    name = f"{size}, {suffix}" if suffix else size
    numbers = random_case(name, ("layer norm", rows, columns, suffix), (rows, columns), (columns,), (columns,))

    def arguments(device: str) -> tuple[torch.Tensor, ...]:
        x, weight, bias = numbers.arguments(device)
        return transform(3 * x), weight, bias, x.new_tensor(1e-5)

    return Case(name, arguments)


def _with_eps(case: Case, eps: float) -> Case:
    def arguments(device: str) -> tuple[torch.Tensor, ...]:
        x, weight, bias, default = case.arguments(device)
        return x, weight, bias, default.new_tensor(eps)

    return Case(f"{case.name}, eps = {eps:g}", arguments)


def _large_and_tiny(case: Case) -> Case:
    """Make rows, weights and biases too large or too small for float16."""

    def change(
        x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        row_factors, column_factors = extreme_factors(len(x), x), extreme_factors(len(weight), x)
        return x * row_factors[:, None], weight * column_factors, bias * column_factors, eps

    return transform_case(case, f"{case.name}, large and tiny", change)


def _reference(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: torch.Tensor) -> torch.Tensor:
    centred = x - x.mean(1, keepdim=True)
    variance = centred.square().mean(1, keepdim=True)
    return centred / (variance + eps).sqrt() * weight + bias


def _roundings(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: torch.Tensor) -> torch.Tensor:
    """Return the roundings in each element of the result.

    A sum is as good as its longest chain of additions. A block's numbers meet in a tree, and blocks follow each other:
    with blocks of √N numbers or more, chains are shorter than this. The mean's error moves all numbers of a row, and
    its square is added to the variance, which has a sum of its own.
    """
    chain = min(x.shape[1], 2 * math.isqrt(x.shape[1]) + 32)
    mean_error = (chain + 1) * x.abs().mean(1, keepdim=True)
    centred = x - x.mean(1, keepdim=True)
    variance = centred.square().mean(1, keepdim=True)
    scale = weight / (variance + eps).sqrt()
    scale_error = ((chain + 4) * variance + mean_error.square() * UNIT) / (variance + eps) / 2 + 8
    moved = scale.abs() * (centred.abs() + mean_error)
    return moved + 2 * bias.abs() + scale.abs_().mul_(centred.abs_()).mul_(scale_error)


EXERCISE = Exercise(
    number="5c",
    package=__name__,
    title="layer norm",
    launcher="layer_norm",
    # One number alone has no variance; far from 0, a variance may cancel; where all are equal, only eps is left.
    cases=(
        _case(3, 700),
        _case(130, 1),
        _case(33, 20, "rows far apart", spread_rows),
        # A pair that differs in its values only, in a type that somebody may have converted, and kept.
        _large_and_tiny(cast_case(_case(5, 1024), "bfloat16")),
        _large_and_tiny(cast_case(_case(5, 1024, "other values"), "bfloat16")),
        _case(4, 1025),
        _with_eps(_case(4, 1025, "other values"), 0.5),
        # The sum of two has one order only, so that what is left of E[x²] - E[x]² is the same for everybody.
        _case(5, 2, "around 10,000", lambda x: LARGE + x),
        _case(3, 640, "around 10,000", lambda x: LARGE + x),
        # A variance as small as eps, which is 0 in float16.
        _with_eps(
            vary_first(
                cast_case(_case(66, 66, "small", lambda x: x / 30_000), "float16"),
                "cut out of wider rows",
                slice_wider_rows,
            ),
            1e-8,
        ),
        _with_eps(_case(3, 600, "a tenth as large", lambda x: x / 10), 0.5),
        _case(3, 600, "±10,000", lambda x: x.sign() * LARGE + x),
        _case(2, 300, "all equal to -200, one row twice", equal_rows),
        # A row alone may be divided among programs.
        _case(1, 5000),
        vary_first(_case(3, 4352), "cut out of wider rows", slice_wider_rows),
        vary_first(cast_case(_case(7, 3001), "bfloat16"), "cut out of wider rows", slice_wider_rows),
    ),
    long_cases=(
        vary_first(_case(4161, 3), "cut out of wider rows", slice_wider_rows),
        _case(2, 12_544),
        with_large_stride(cast_case(_case(3, 50), "bfloat16")),
    ),
    larger_cases=(_case(70_000, 2), _case(2, 140_000)),
    int64_case=narrow_int32_case(_case(1100, 520)),
    gpu_cases=(
        _case(5, 1025),
        cast_case(_case(4000, 8192), "bfloat16"),
        vary_first(cast_case(_case(2000, 5003), "float16"), "cut out of wider rows", slice_wider_rows),
    ),
    reference=_reference,
    reduction_length=lambda x, weight, bias, eps: int(x.shape[1]),
    roundings=_roundings,
    result_dtype=lambda x, weight, bias, eps: x.dtype,
    tiling=(Axis(0, None),),
    bytes_moved=lambda x, weight, bias, eps: (2 * x.numel() + 2 * weight.numel()) * x.element_size(),
    operations=lambda x, weight, bias, eps: 7 * x.numel(),
    session=2,
)
