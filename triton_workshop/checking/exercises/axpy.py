"""Exercise 1b: multiply and add in one kernel."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from triton_workshop.checking.exercises.add import EXERCISE as ADD
from triton_workshop.checking.exercises.exercise import Case, normal, seeded

if TYPE_CHECKING:
    import torch


def _with_factor(case: Case) -> Case:
    def arguments(device: str) -> tuple[torch.Tensor, ...]:
        return normal(device=device, generator=seeded("axpy", case.name)), *case.arguments(device)

    return Case(case.name, arguments)


def _reference(a: torch.Tensor, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return a * x + y


EXERCISE = replace(
    ADD,
    number="1b",
    title="a * x + y in one kernel",
    launcher="axpy",
    kernel="axpy_kernel",
    cases=tuple(map(_with_factor, ADD.cases)),
    gpu_cases=tuple(map(_with_factor, ADD.gpu_cases)),
    reference=_reference,
    reduction_length=lambda a, x, y: 2,
    bytes_moved=lambda a, x, y: 3 * x.numel() * x.element_size(),
    operations=lambda a, x, y: 2 * x.numel(),
)
