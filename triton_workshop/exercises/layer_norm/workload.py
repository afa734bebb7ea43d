"""Sizes of a layer's results to normalise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triton_workshop.exercises.cases import Case, transform_case
from triton_workshop.exercises.workload import Workload, random_tensor, traffic_case

if TYPE_CHECKING:
    import torch


def _timing_case(rows: int, columns: int) -> Case:
    """bfloat16 rows, a weight and a bias for each column, and the usual eps."""

    def arguments(device: str) -> tuple[torch.Tensor, ...]:
        shapes = (rows, columns), (columns,), (columns,)
        x, weight, bias = (random_tensor(shape, device, seed) for seed, shape in enumerate(shapes))
        return (10 * x - 5).bfloat16(), weight.bfloat16(), bias.bfloat16(), x.new_tensor(1e-5)

    return Case(f"{rows}×{columns}", arguments)


WORKLOAD = Workload(
    traffic_case=transform_case(
        traffic_case("512×2048", (512, 2048), (2048,), (2048,)),
        "512×2048",
        lambda x, weight, bias: (x, weight, bias, x.new_tensor(1e-5)),
    ),
    timing_cases=tuple(
        _timing_case(*size) for size in ((4096, 1024), (16_384, 1024), (16_384, 4096), (32_768, 16_384))
    ),
    element="number",
)
