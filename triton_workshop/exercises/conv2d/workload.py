"""Sizes of images and filters."""

from triton_workshop.exercises.cases import Case
from triton_workshop.exercises.workload import Workload, timing_case, traffic_case


def _make_case(height: int, width: int, k: int = 3) -> Case:
    return traffic_case(f"3×{height}×{width}, filter {k}×{k}", (3, height, width), (k, k))


def _timing_case(side: int, k: int) -> Case:
    return timing_case(f"{side}², {k}×{k}", (3, side, side), (k, k))


WORKLOAD = Workload(
    traffic_case=_make_case(512, 512),
    timing_cases=(
        *(_timing_case(side, 3) for side in (256, 1024, 4096, 8192)),
        *(_timing_case(8192, k) for k in (5, 7)),
    ),
    element="pixel",
    make_case=_make_case,
)
