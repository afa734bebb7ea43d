"""Exercise 7c: a scale for each row, correct but slow."""

from __future__ import annotations

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


def _case(rows: int, columns: int, suffix: str = "") -> Case:
    name = f"{pluralize(rows, 'row')} of {columns:,}{suffix}"
    return random_case(name, ("row scales", rows, columns, suffix), (rows, columns))


def _raise_one(x: torch.Tensor) -> torch.Tensor:
    """Put a row's largest magnitude into another block in each row."""
    for row in range(len(x)):
        x[row, (1025 * row + 7) % x.shape[1]] = -9.0 if row % 2 else 9.0
    return x


def _raise_last(x: torch.Tensor) -> torch.Tensor:
    x[:, -1] = -12
    return x


def _float32() -> torch.dtype:
    import torch

    return torch.float32


EXERCISE = Exercise(
    number="7c",
    package=__name__,
    title="a scale for each row",
    launcher="row_scales",
    # The largest magnitude is in any block, is the last number, and is negative.
    cases=(
        _case(3, 700),
        _case(130, 1),
        vary_first(_case(33, 21), "rows far apart", spread_rows),
        vary_first(_case(4, 5000), "one large", _raise_one),
        vary_first(cast_case(_case(7, 3001), "bfloat16"), "cut out of wider rows", slice_wider_rows),
        _case(4, 1025),
        _case(4, 1025, ", other values"),
        vary_first(_case(2, 130), "all negative", lambda x: -1 - x.abs()),
        vary_first(_case(2, 300), "all 0", lambda x: x * 0),
        cast_case(_case(66, 66), "float16"),
        vary_first(_case(3, 4352), "cut out of wider rows", slice_wider_rows),
        vary_first(_case(3, 8209), "the last one large", _raise_last),
    ),
    long_cases=(
        vary_first(_case(4161, 3), "cut out of wider rows", slice_wider_rows),
        # A row alone may be divided among programs.
        vary_first(_case(1, 65_537), "the last one large", _raise_last),
        with_large_stride(cast_case(_case(3, 50), "bfloat16")),
    ),
    larger_cases=(_case(70_000, 2), _case(2, 140_000)),
    int64_case=narrow_int32_case(_case(1100, 520)),
    gpu_cases=(
        _case(5, 1025),
        cast_case(_case(1000, 128_256), "bfloat16"),
        vary_first(cast_case(_case(2000, 5003), "float16"), "cut out of wider rows", slice_wider_rows),
    ),
    reference=lambda x: x.abs().amax(1) / 127,
    reduction_length=lambda x: 1,
    result_dtype=lambda x: _float32(),
    tiling=(Axis(0, None),),
    bytes_moved=lambda x: x.numel() * x.element_size() + 4 * len(x),
    operations=lambda x: x.numel(),
    session=2,
)
