"""Sizes of vectors to add."""

from triton_workshop.exercises.cases import Case
from triton_workshop.exercises.workload import Workload, timing_case, traffic_case


def _make_case(n: int) -> Case:
    return traffic_case(f"{n:,} float{'s' * (n != 1)}", (n,), (n,))


def _timing_case(power: int) -> Case:
    return timing_case(f"2^{power} floats", (2**power,), (2**power,))


WORKLOAD = Workload(
    traffic_case=traffic_case("2^20 floats", (2**20,), (2**20,)),
    timing_cases=tuple(map(_timing_case, (16, 19, 22, 25, 28))),
    element="number",
    make_case=_make_case,
)
