"""Sizes of images whose colours become stronger.

16 does not divide a width.
"""

from triton_workshop.exercises.cases import Case
from triton_workshop.exercises.saturate import with_amount
from triton_workshop.exercises.workload import Workload, timing_case, traffic_case


def _timing_case(height: int, width: int) -> Case:
    return with_amount(timing_case(f"3×{height}×{width}", (3, height, width)), 1.5)


WORKLOAD = Workload(
    # All pixels together are a multiple of 16, as they are in the image that is timed.
    traffic_case=with_amount(traffic_case("3×64×2045", (3, 64, 2045)), 1.5),
    timing_cases=tuple(_timing_case(*size) for size in ((1024, 1021), (4096, 4093), (8192, 8189))),
    element="pixel",
)
