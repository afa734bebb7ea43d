"""Exercise 7d: RMS norm of long rows, correct but slow."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from triton_workshop.exercises.cases import (
    Case,
    cast_case,
    narrow_int32_case,
    pluralize,
    random_case,
    vary_first,
)
from triton_workshop.exercises.cross_entropy import slice_wider_rows, spread_rows, with_large_stride
from triton_workshop.exercises.exercise import Axis, Exercise

if TYPE_CHECKING:
    import torch


def _case(
    rows: int,
    columns: int,
    suffix: str = "",
    transform: Callable[[torch.Tensor], torch.Tensor] = lambda x: x,
    eps: float = 1e-5,
) -> Case:
    """Return numbers with a deviation of 3, transformed as `suffix` says."""
    size = f"{pluralize(rows, 'row')} of {columns:,}"
    name = f"{size}, {suffix}" if suffix else size
    numbers = random_case(name, ("rms norm", rows, columns, suffix), (rows, columns), (columns,))

    def arguments(device: str) -> tuple[torch.Tensor, ...]:
        x, weight = numbers.arguments(device)
        return transform(3 * x), weight, x.new_tensor(eps)

    return Case(name, arguments)


def _reference(x: torch.Tensor, weight: torch.Tensor, eps: torch.Tensor) -> torch.Tensor:
    return x / (x.square().mean(1, keepdim=True) + eps).sqrt() * weight


def _roundings(x: torch.Tensor, weight: torch.Tensor, eps: torch.Tensor) -> torch.Tensor:
    """Return the roundings in each element of the result.

    All terms of the sum are positive, so its relative error is that of its longest chain of additions, which is halved
    by the root.
    """
    chain = min(x.shape[1], 2 * math.isqrt(x.shape[1]) + 32)
    return _reference(x, weight, eps).abs() * (chain / 2 + 12)


EXERCISE = Exercise(
    number="7d",
    package=__name__,
    title="RMS norm of long rows",
    launcher="rms_norm",
    # eps is all that is left of a row of zeros, and half of the mean in another.
    cases=(
        _case(3, 700),
        _case(130, 1),
        _case(33, 20, "rows far apart", spread_rows),
        cast_case(_case(5, 1024), "bfloat16"),
        _case(4, 1025),
        _case(4, 1025, "other values"),
        _case(3, 600, "a tenth as large, eps = 0.1", lambda x: x / 10, 0.1),
        _case(2, 300, "one row of zeros", lambda x: x * x.new_tensor([[0.0], [1.0]])),
        # Its squares are beyond float16.
        cast_case(_case(3, 640, "around 1,000", lambda x: 1000 + x), "float16"),
        vary_first(cast_case(_case(7, 3001), "bfloat16"), "cut out of wider rows", slice_wider_rows),
        vary_first(_case(3, 4352), "cut out of wider rows", slice_wider_rows),
        _case(2, 12_544),
    ),
    long_cases=(
        vary_first(_case(4161, 3), "cut out of wider rows", slice_wider_rows),
        with_large_stride(cast_case(_case(3, 50), "bfloat16")),
    ),
    larger_cases=(_case(70_000, 2),),
    int64_case=narrow_int32_case(_case(1100, 520)),
    gpu_cases=(
        _case(5, 1025),
        cast_case(_case(4000, 8192), "bfloat16"),
        _case(500, 32_768),
        vary_first(cast_case(_case(2000, 5003), "float16"), "cut out of wider rows", slice_wider_rows),
    ),
    reference=_reference,
    reduction_length=lambda x, weight, eps: int(x.shape[1]),
    roundings=_roundings,
    result_dtype=lambda x, weight, eps: x.dtype,
    tiling=(Axis(0, None),),
    bytes_moved=lambda x, weight, eps: (2 * x.numel() + weight.numel()) * x.element_size(),
    operations=lambda x, weight, eps: 4 * x.numel(),
    session=2,
)
