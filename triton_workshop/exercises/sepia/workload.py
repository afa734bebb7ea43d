"""Sizes of images to turn into sepia."""

from triton_workshop.exercises.cases import Case
from triton_workshop.exercises.workload import Workload, timing_case, traffic_case


def _make_case(height: int, width: int) -> Case:
    return traffic_case(f"3×{height}×{width}", (3, height, width))


WORKLOAD = Workload(
    traffic_case=_make_case(512, 512),
    timing_cases=tuple(timing_case(f"{side}²", (3, side, side)) for side in (256, 1024, 4096, 8192)),
    element="pixel",
    make_case=_make_case,
)
