"""Sizes of weights whose rows get a scale each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triton_workshop.exercises.cases import Case, cast_case
from triton_workshop.exercises.workload import Workload, random_tensor, traffic_case

if TYPE_CHECKING:
    import torch


def _weights_case(rows: int, columns: int) -> Case:
    """Return bfloat16 weights from -1 to 1."""

    def arguments(device: str) -> tuple[torch.Tensor, ...]:
        return ((2 * random_tensor((rows, columns), device, 0) - 1).bfloat16(),)

    return Case(f"{rows}×{columns}", arguments)


WORKLOAD = Workload(
    traffic_case=cast_case(traffic_case("32×32768", (32, 32_768)), "bfloat16"),
    timing_cases=tuple(_weights_case(*size) for size in ((16_384, 4096), (8192, 32_768), (8192, 128_256))),
    element="weight",
)
