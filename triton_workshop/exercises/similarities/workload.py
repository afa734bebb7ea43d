"""Sizes of embeddings whose rows are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triton_workshop.exercises.cases import Case, cast_case
from triton_workshop.exercises.workload import Workload, random_tensor, traffic_case

if TYPE_CHECKING:
    import torch


def _embeddings_case(rows: int, columns: int) -> Case:
    """Return float16 embeddings with a length of about 1."""

    def arguments(device: str) -> tuple[torch.Tensor, ...]:
        x = 2 * random_tensor((rows, columns), device, 0) - 1
        return ((x * (3 / columns) ** 0.5).half(),)

    return Case(f"{rows}×{columns}", arguments)


WORKLOAD = Workload(
    traffic_case=cast_case(traffic_case("256×256", (256, 256)), "float16"),
    timing_cases=tuple(_embeddings_case(*size) for size in ((1024, 1024), (4096, 1024), (16_384, 1024))),
    compute_bound=True,
    library="cuBLAS",
)
