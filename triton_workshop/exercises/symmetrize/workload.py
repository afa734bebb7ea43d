"""Sizes of matrices to make symmetric."""

from triton_workshop.exercises.workload import Workload, timing_case, traffic_case

WORKLOAD = Workload(
    traffic_case=traffic_case("512²", (512, 512)),
    timing_cases=tuple(timing_case(f"{n}²", (n, n)) for n in (1024, 4096, 8192)),
    element="element",
)
