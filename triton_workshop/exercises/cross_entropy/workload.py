"""Sizes of logits, as the last layer of a language model has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triton_workshop.exercises.cases import Case, transform_case
from triton_workshop.exercises.workload import Workload, random_tensor, traffic_case

if TYPE_CHECKING:
    import torch

SIZES = ((512, 4096), (16_384, 4096), (8192, 32_768), (4096, 131_072))


def logits_case(rows: int, columns: int) -> Case:
    """Return bfloat16 logits and their targets."""

    def arguments(device: str) -> tuple[torch.Tensor, ...]:
        logits = (10 * random_tensor((rows, columns), device, 0) - 5).bfloat16()
        return logits, (columns * random_tensor((rows,), device, 1)).long()

    return Case(f"{rows}×{columns}", arguments)


WORKLOAD = Workload(
    traffic_case=transform_case(
        traffic_case("256×4096", (256, 4096)), "256×4096", lambda logits: (logits, logits[:, 0].abs().long())
    ),
    timing_cases=tuple(logits_case(*size) for size in SIZES),
    element="logit",
)
