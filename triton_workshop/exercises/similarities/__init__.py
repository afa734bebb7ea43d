"""Exercise 7e: the products of all pairs of rows, correct but slow."""

from __future__ import annotations

from triton_workshop.exercises.cases import Case, cast_case, narrow_int32_case, random_case, vary_first
from triton_workshop.exercises.exercise import Axis, Exercise


def _case(rows: int, columns: int, dtype: str = "float16", suffix: str = "") -> Case:
    name = f"{rows:,} × {columns:,}{suffix}"
    return cast_case(random_case(name, ("similarities", rows, columns, suffix), (rows, columns)), dtype)


EXERCISE = Exercise(
    number="7e",
    package=__name__,
    title="compare all rows",
    launcher="similarities",
    # The result is symmetric, so nothing but an edge shows swapped rows and columns.
    cases=(
        _case(24, 17),
        _case(1, 1, "bfloat16"),
        _case(64, 64),
        _case(64, 33),
        _case(65, 31, "bfloat16"),
        _case(65, 31, "bfloat16", ", other values"),
        vary_first(_case(70, 20), "from 1 on", lambda x: x.abs() + 1),
        _case(130, 200),
        _case(97, 130),
    ),
    # More tiles than a GPU has multiprocessors.
    long_cases=(_case(1031, 3), _case(1, 2081)),
    larger_cases=(_case(20, 40_000), _case(4097, 3)),
    int64_case=narrow_int32_case(_case(1100, 17)),
    gpu_cases=(_case(65, 31), _case(4096, 1024), _case(1001, 2047, "bfloat16")),
    reference=lambda x: x @ x.T,
    reduction_length=lambda x: int(x.shape[1]),
    tiling=(Axis(0, "BLOCK_SIZE_M", 64), Axis(1, "BLOCK_SIZE_N", 64)),
    bytes_moved=lambda x: (x.numel() + len(x) ** 2) * x.element_size(),
    operations=lambda x: 2 * len(x) * x.numel(),
    session=2,
)
