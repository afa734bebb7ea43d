"""Sizes of a layer of 4-bit weights, and of its batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triton_workshop.exercises.cases import Case, transform_case
from triton_workshop.exercises.workload import Workload, random_tensor, traffic_case

if TYPE_CHECKING:
    import torch


def _timing_case(batch: int, n: int, k: int) -> Case:
    """float16 numbers, n × k weights of 4 bits, and their scales."""

    def arguments(device: str) -> tuple[torch.Tensor, ...]:
        shapes = (batch, k), (n, k // 2), (n, k // 128)
        x, weight, scale = (random_tensor(shape, device, seed) for seed, shape in enumerate(shapes))
        return (2 * x - 1).half(), _to_bytes(weight), ((2 * scale - 1) / 50).half()

    return Case(f"{batch}×{k} by {n}×{k}", arguments)


def _make_case(b: int, n: int, k: int) -> Case:
    name = f"{b}×{k} by {n}×{k}"
    floats = traffic_case(name, (b, k), (1, n, k // 2), (n, k // 128))
    return transform_case(floats, name, lambda x, weight, scale: (x.half(), _to_bytes(weight[0]), (scale / 50).half()))


def _to_bytes(values: torch.Tensor) -> torch.Tensor:
    """Turn numbers between 0 and 1 into all bytes."""
    return (256 * values).byte()


WORKLOAD = Workload(
    traffic_case=_make_case(1, 512, 2048),
    timing_cases=tuple(
        _timing_case(*size) for size in ((1, 4096, 4096), (1, 8192, 8192), (1, 8192, 28_672), (16, 8192, 28_672))
    ),
    element="byte of weights",
    make_case=_make_case,
)
