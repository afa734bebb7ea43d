"""Exercise 4: matrix multiplication."""

from __future__ import annotations

from triton_workshop.checking.exercises.exercise import Axis, Case, Exercise, changed, in_dtype, random_case


def _case(m: int, n: int, k: int, again: str = "") -> Case:
    return random_case(f"{_sizes(m, n, k)}{again}", ("matmul", m, n, k, again), (m, k), (k, n))


def _transposed_case(m: int, n: int, k: int) -> Case:
    name = f"{_sizes(m, n, k)}, both transposed in memory"
    return changed(_case(m, n, k, "transposed"), name, lambda a, b: (a.t().contiguous().t(), b.t().contiguous().t()))


def _strided_case(m: int, n: int, k: int) -> Case:
    name = f"{_sizes(m, n, k)}, every 2nd row, every 3rd column"
    return changed(_case(2 * m, 3 * n, k, "strided"), name, lambda a, b: (a[::2], b[:, ::3]))


def _sizes(m: int, n: int, k: int) -> str:
    return f"({m:,} × {k:,}) @ ({k:,} × {n:,})"


EXERCISE = Exercise(
    number="4",
    title="multiply two matrices",
    launcher="matmul",
    # K that is no multiple of a block comes early: an unmasked K is the mistake that hides best.
    cases=(
        _case(24, 24, 17),
        _case(1, 1, 1),
        _case(64, 64, 32),
        _case(64, 64, 33),
        _case(65, 63, 31),
        _case(65, 63, 31, ", other values"),
        in_dtype(_case(17, 130, 20), "bfloat16"),
        in_dtype(_case(5, 3, 100), "float16"),
        # More than 16 tiles of 16 along K: as many turns as a tile has elements are not enough.
        _transposed_case(5, 3, 300),
        # More rows than any block of another size would cover by chance.
        _case(130, 18, 20),
        _strided_case(70, 140, 70),
    ),
    long_cases=(_case(4161, 1, 1), _case(1, 8321, 1)),
    larger_cases=(_case(70_000, 1, 1), _case(1, 140_000, 1), _case(1, 1, 40_000)),
    gpu_cases=(
        _case(65, 63, 31),
        _case(4096, 4096, 4096),
        _case(1000, 4097, 2047),
        _transposed_case(1023, 513, 1025),
        _strided_case(300, 700, 400),
        in_dtype(_case(1000, 4097, 2047), "float16"),
    ),
    reference=lambda a, b: a @ b,
    reduction_length=lambda a, b: int(a.shape[1]),
    tiling=(Axis(0, "BLOCK_SIZE_M", 64), Axis(1, "BLOCK_SIZE_N", 128)),
    bytes_moved=lambda a, b: (a.numel() + b.numel() + a.shape[0] * b.shape[1]) * a.element_size(),
    operations=lambda a, b: 2 * a.shape[0] * a.shape[1] * b.shape[1],
)
