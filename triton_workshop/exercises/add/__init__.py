"""Exercise 1: vector addition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triton_workshop.exercises.cases import (
    Case,
    cast_case,
    extreme_factors,
    pluralize,
    random_case,
    transform_case,
)
from triton_workshop.exercises.exercise import Axis, Exercise

if TYPE_CHECKING:
    import torch


def _case(n: int, suffix: str = "") -> Case:
    return random_case(f"{pluralize(n, 'element')}{suffix}", ("add", n, suffix), (n,), (n,))


def _large_and_tiny(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Return values that a kernel loses if it goes through float16."""
    factors = extreme_factors(len(x), x)
    return factors * x, factors * y


EXERCISE = Exercise(
    number="1",
    package=__name__,
    title="add two vectors",
    launcher="add",
    # One program, then several: a mistake shows in the simplest case. Then sizes around a block, and a distant prime.
    cases=(
        *(_case(n) for n in (1000, 1, 100)),
        transform_case(cast_case(_case(1023), "bfloat16"), "1,023 elements, bfloat16, large and tiny", _large_and_tiny),
        *(_case(n) for n in (1024, 1025)),
        _case(1025, ", other values"),
        # Multiples of 16 and of 256, but of no larger power of 2: no block may be filled for that.
        cast_case(_case(1040), "float16"),
        # Not aligned to 16 bytes.
        transform_case(_case(1793), "1,792 elements, from the second one on", lambda x, y: (x[1:], y[1:])),
        _case(98_317),
    ),
    # One more than 1,024 blocks of 1,024 hold; and a multiple of 256 that is none of 512.
    long_cases=(_case(1_048_577), _case(100_096)),
    larger_cases=(_case((1 << 24) + 1025),),
    gpu_cases=(*(_case(n) for n in (1, 1025, 5_000_001)), cast_case(_case(5_000_001), "float16")),
    reference=lambda x, y: x + y,
    reduction_length=lambda x, y: 1,
    tiling=(Axis(0, "BLOCK_SIZE", 1024),),
    bytes_moved=lambda x, y: 3 * x.numel() * x.element_size(),
    operations=lambda x, y: int(x.numel()),
)
