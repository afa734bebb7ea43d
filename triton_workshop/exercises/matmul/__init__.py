"""Exercise 4: matrix multiplication."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triton_workshop.exercises.cases import (
    Case,
    cast_case,
    extreme_factors,
    random_case,
    transform_case,
)
from triton_workshop.exercises.exercise import Axis, Exercise

if TYPE_CHECKING:
    import torch


def _case(m: int, n: int, k: int, suffix: str = "") -> Case:
    return random_case(f"{_sizes(m, n, k)}{suffix}", ("matmul", m, n, k, suffix), (m, k), (k, n))


def _transposed_case(m: int, n: int, k: int) -> Case:
    name = f"{_sizes(m, n, k)}, both transposed in memory"
    return transform_case(
        _case(m, n, k, "transposed"), name, lambda a, b: (a.t().contiguous().t(), b.t().contiguous().t())
    )


def _column_case(m: int, n: int, k: int) -> Case:
    """Return float16 matrices whose columns lie in memory, with gaps."""

    def change(x: torch.Tensor) -> torch.Tensor:
        return (-x.t().repeat(1, 2))[:, : x.shape[0]].t().mul_(-1)

    plain = cast_case(_case(m, n, k), "float16")
    return transform_case(
        plain, f"{plain.name}, both transposed and cut out of larger ones", lambda a, b: (change(a), change(b))
    )


def _large_and_tiny_case(m: int, n: int, k: int, suffix: str = "") -> Case:
    """Return bfloat16 matrices whose product has large and tiny rows.

    Factors of a and of b meet in each product.
    """

    def change(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        row_factors, term_factors = extreme_factors(m, a), extreme_factors(k, a)
        return a * row_factors[:, None] * term_factors, (b / term_factors[:, None]).t().contiguous().t()

    plain = cast_case(_case(m, n, k, "large and tiny" + suffix), "bfloat16")
    return transform_case(plain, f"{_sizes(m, n, k)}, bfloat16, large and tiny, b transposed in memory{suffix}", change)


def _strided_case(m: int, n: int, k: int, dtype: str = "float32") -> Case:
    """Return views with gaps, converted before they are views."""
    name = f"{_sizes(m, n, k)}{'' if dtype == 'float32' else f', {dtype}'}, every 2nd row, every 3rd column"
    matrices = cast_case(_case(2 * m, 3 * n, k, "strided"), dtype)
    return transform_case(matrices, name, lambda a, b: (a[::2], b[:, ::3]))


def _repeated_case(m: int, n: int, k: int) -> Case:
    """Return two matrices with strides of 0."""
    name = f"{_sizes(m, n, k)}, one column of a {k} times, one row of b {k} times"
    return transform_case(_case(m, n, k), name, lambda a, b: (a[:, :1].expand(-1, k), b[:1].expand(k, -1)))


def _nearly_too_large(a: torch.Tensor, _b: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Return numbers of which twice the product is more than float32 holds."""
    return a * 0 + 1.5 * 2.0**64, a * 0 + 1.25 * 2.0**63


def _sizes(m: int, n: int, k: int) -> str:
    return f"({m:,} × {k:,}) @ ({k:,} × {n:,})"


EXERCISE = Exercise(
    number="4",
    package=__name__,
    title="multiply two matrices",
    launcher="matmul",
    # K that is no multiple of a block comes early: an unmasked K is the mistake that hides best. Whole blocks along one
    # axis only, of 16 or of 32 but no more, are where a kernel may do without a mask, and must not.
    cases=(
        _case(24, 24, 17),
        transform_case(_case(1, 1, 1), f"{_sizes(1, 1, 1)}, nearly too large", _nearly_too_large),
        _case(64, 64, 64),
        _case(64, 64, 33),
        _case(65, 63, 31),
        _case(65, 63, 31, ", other values"),
        _strided_case(65, 63, 31),
        # The same shape twice: a launcher that caches converted or contiguous copies uses old ones for the second.
        _large_and_tiny_case(17, 128, 17),
        _large_and_tiny_case(17, 128, 17, ", other values"),
        _strided_case(260, 1, 130, "float16"),
        # More rows than any block of another size would cover by chance; b alone is a square.
        _repeated_case(128, 20, 20),
        _strided_case(70, 140, 288),
    ),
    # Tiles in groups, of which the last is cut: 66, 33 or 131 along M, and several along N. And more tiles, of up to
    # 128 columns, than a GPU has multiprocessors: a program of a fixed grid has to take a second one. And more than 32
    # tiles of 16 along K, for one row, as that has special kernels. And several whole tiles along both axes.
    long_cases=(_case(4161, 130, 1), _case(1, 19_073, 1), _column_case(1, 260, 528), _case(256, 256, 32)),
    larger_cases=(_case(70_000, 3, 5), _case(3, 140_000, 5), _case(20, 40, 40_000), _case(1, 40, 40_000)),
    gpu_cases=(
        _case(65, 63, 31),
        _case(4096, 4096, 4096),
        _case(1000, 4097, 2047),
        _transposed_case(1023, 513, 1025),
        _strided_case(300, 700, 400),
        cast_case(_case(1000, 4097, 2047), "float16"),
    ),
    reference=lambda a, b: a @ b,
    reduction_length=lambda a, b: int(a.shape[1]),
    tiling=(Axis(0, "BLOCK_SIZE_M", 64), Axis(1, "BLOCK_SIZE_N", 128)),
    bytes_moved=lambda a, b: (a.numel() + b.numel() + a.shape[0] * b.shape[1]) * a.element_size(),
    operations=lambda a, b: 2 * a.shape[0] * a.shape[1] * b.shape[1],
)
