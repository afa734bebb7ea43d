"""Exercise 5a: softmax over the rows of a matrix, a file to repair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triton_workshop.exercises.cases import (
    Case,
    narrow_int32_case,
    pluralize,
    random_case,
    transform_case,
)
from triton_workshop.exercises.cross_entropy import (
    LARGE,
    equal_rows,
    low_rows,
    slice_wider_rows,
    spread_rows,
)
from triton_workshop.exercises.exercise import Axis, Exercise

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch


def _case(
    rows: int, columns: int, suffix: str = "", transform: Callable[[torch.Tensor], torch.Tensor] = lambda x: x
) -> Case:
    """Return numbers with a deviation of 3, transformed as `suffix` says."""
    size = f"{pluralize(rows, 'row')} of {columns:,}"
    name = f"{size}, {suffix}" if suffix else size
    numbers = random_case(name, ("softmax", rows, columns, suffix), (rows, columns))
    return transform_case(numbers, name, lambda x: (transform(3 * x),))


def _with_minus_infinity(x: torch.Tensor) -> torch.Tensor:
    """Put -inf into every third column, and into row 0 up to its last number."""
    x[:, :-1:3] = x[0, :-1] = -float("inf")
    return x


def roundings(x: torch.Tensor) -> torch.Tensor:
    """Return the roundings in each element of the softmax of x, (M, N).

    An exponential is off by as much as its argument is: x, the maximum, their difference, and its product with log2(e).
    The sum is off by its N additions and by its exponentials. What lies below the normal numbers may become 0.
    It works in place, as `bench` asks for large ones.
    """
    softmax, largest = x.softmax(1), x.amax(1, keepdim=True)
    # Finite where x is -inf.
    argument_error = (largest - x).mul_(3).add_(x.abs(), alpha=2).add_(2 * largest.abs()).clamp_(max=1e6)
    sum_error = (softmax * argument_error).sum(1, keepdim=True) + x.shape[1] + 16
    return softmax.mul_(argument_error.add_(sum_error)).add_(1e-30)


EXERCISE = Exercise(
    number="5a",
    package=__name__,
    title="repair a softmax",
    launcher="softmax",
    # Each of the first three shows one of the bugs, and not the others: short rows, an overflow, rows that lie apart.
    cases=(
        _case(3, 700),
        _case(3, 640, "±10,000", lambda x: x.sign() * LARGE + x),
        _case(6, 130, "cut out of wider rows", slice_wider_rows),
        _case(1, 1),
        _case(130, 1),
        _case(33, 20, "rows far apart", spread_rows),
        _case(64, 64),
        _case(4, 1025),
        _case(4, 1025, "other values"),
        _case(4, 1025, "cut out of wider rows", slice_wider_rows),
        _case(2, 300, "all equal to -200, one row twice", equal_rows),
        _case(2, 130, "below -1e38", low_rows),
        _case(3, 500, "many of them -inf", _with_minus_infinity),
        # A row alone may be divided among programs.
        _case(1, 5000),
        _case(3, 4352, "cut out of wider rows", slice_wider_rows),
        _case(7, 3001, "cut out of wider rows", slice_wider_rows),
    ),
    long_cases=(_case(4161, 3, "cut out of wider rows", slice_wider_rows),),
    larger_cases=(_case(70_000, 2), _case(2, 140_000)),
    int64_case=narrow_int32_case(_case(1100, 520)),
    gpu_cases=(_case(5, 1025), _case(4000, 8192), _case(2000, 5003, "cut out of wider rows", slice_wider_rows)),
    reference=lambda x: x.softmax(1),
    reduction_length=lambda x: int(x.shape[1]),
    roundings=roundings,
    tiling=(Axis(0, None),),
    bytes_moved=lambda x: 2 * x.numel() * x.element_size(),
    operations=lambda x: 5 * x.numel(),
    session=2,
)
