"""Sizes of queries, keys and values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triton_workshop.exercises.cases import Case, cast_case
from triton_workshop.exercises.workload import Workload, random_tensor, traffic_case

if TYPE_CHECKING:
    import torch


def _timing_case(heads: int, length: int, size: int = 64) -> Case:
    """float16 queries, keys and values between -1 and 1."""

    def arguments(device: str) -> tuple[torch.Tensor, ...]:
        tensors = (random_tensor((heads, length, size), device, seed) for seed in range(3))
        return tuple((2 * tensor - 1).half() for tensor in tensors)

    return Case(f"{heads}×{length}", arguments)


WORKLOAD = Workload(
    traffic_case=cast_case(traffic_case("2×1024 of 64", *[(2, 1024, 64)] * 3, pictures=False), "float16"),
    timing_cases=tuple(_timing_case(*size) for size in ((16, 512), (16, 1024), (16, 2048), (8, 4096))),
    compute_bound=True,
)
