"""Sizes of rows to normalize."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triton_workshop.exercises.cases import Case
from triton_workshop.exercises.workload import Workload, random_tensor

if TYPE_CHECKING:
    import torch


def _rows_case(rows: int, columns: int) -> Case:
    """Return rows, weights and eps, in float32."""

    def arguments(device: str) -> tuple[torch.Tensor, ...]:
        x = 2 * random_tensor((rows, columns), device, 0) - 1
        weight = random_tensor((columns,), device, 1)
        return x, weight, weight.new_tensor(1e-5)

    return Case(f"{rows}×{columns}", arguments)


WORKLOAD = Workload(
    traffic_case=_rows_case(16, 32_768),
    timing_cases=tuple(_rows_case(*size) for size in ((16_384, 4096), (8192, 32_768))),
    element="number",
)
