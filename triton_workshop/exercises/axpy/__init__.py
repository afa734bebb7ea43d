"""Exercise 1b: multiply and add in one kernel."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from triton_workshop.exercises.add import EXERCISE as ADD
from triton_workshop.exercises.cases import Case, random_case, transform_case

if TYPE_CHECKING:
    import torch


def _with_factor(case: Case) -> Case:
    # The same one with other values: a launcher that remembers its results by all it was given is found out.
    factor = random_case(case.name, ("axpy", case.name.removesuffix(", other values")), ())
    return Case(case.name, lambda device: (*factor.arguments(device), *case.arguments(device)))


def _without_x(case: Case) -> Case:
    """Return a case with factor 0, where 0 · inf is NaN.

    The case of the same size has another factor.
    """

    def change(a: torch.Tensor, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
        x[7] = float("inf")
        return a * 0, x, y

    return transform_case(case, f"{case.name}, factor 0, one inf", change)


def _large_factor(case: Case) -> Case:
    """Return a case whose factor alone is too large for float16."""
    return transform_case(case, f"{case.name}, factor 100,000", lambda a, x, y: (a * 0 + 100_000, x * 2.0**-10, y))


def _tiny_factor(case: Case) -> Case:
    return transform_case(case, f"{case.name}, tiny factor, large x", lambda a, x, y: (a * 2.0**-30, x * 2.0**30, y))


EXERCISE = replace(
    ADD,
    number="1b",
    package=__name__,
    title="a * x + y in one kernel",
    launcher="axpy",
    cases=(
        *map(_with_factor, ADD.cases[:-3]),
        _without_x(_with_factor(ADD.cases[0])),
        _large_factor(_with_factor(ADD.cases[-3])),
        _tiny_factor(_with_factor(ADD.cases[-2])),
        _with_factor(ADD.cases[-1]),
    ),
    long_cases=tuple(map(_with_factor, ADD.long_cases)),
    larger_cases=tuple(map(_with_factor, ADD.larger_cases)),
    gpu_cases=tuple(map(_with_factor, ADD.gpu_cases)),
    reference=lambda a, x, y: a * x + y,
    reduction_length=lambda a, x, y: 2,
    # A constexpr takes the dtype of the block that it is multiplied by, as a number does in PyTorch.
    accumulates_in_float32=False,
    bytes_moved=lambda a, x, y: 3 * x.numel() * x.element_size(),
    operations=lambda a, x, y: 2 * x.numel(),
)
