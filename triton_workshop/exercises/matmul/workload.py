"""Sizes of matrices to multiply."""

from triton_workshop.exercises.cases import Case
from triton_workshop.exercises.workload import Workload, timing_case, traffic_case


def _make_case(m: int, n: int, k: int) -> Case:
    return traffic_case(f"{m}×{k} times {k}×{n}", (m, k), (k, n))


WORKLOAD = Workload(
    traffic_case=traffic_case("512³", (512, 512), (512, 512)),
    timing_cases=tuple(timing_case(f"{n}³", (n, n), (n, n)) for n in (256, 512, 1024, 2048, 4096, 8192)),
    compute_bound=True,
    library="cuBLAS",
    make_case=_make_case,
)
