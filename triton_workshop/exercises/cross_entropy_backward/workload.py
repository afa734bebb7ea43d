"""Sizes of logits whose gradients are asked for: those of the loss itself."""

from triton_workshop.exercises.cases import Case, transform_case
from triton_workshop.exercises.cross_entropy.workload import SIZES, logits_case
from triton_workshop.exercises.workload import Workload, traffic_case


def _timing_case(rows: int, columns: int) -> Case:
    case = logits_case(rows, columns)
    return transform_case(case, case.name, lambda logits, target: (logits, target, logits[:, 0].float()))


WORKLOAD = Workload(
    traffic_case=transform_case(
        traffic_case("256×4096", (256, 4096)),
        "256×4096",
        lambda logits: (logits, logits[:, 0].abs().long(), logits[:, 1].contiguous()),
    ),
    timing_cases=tuple(_timing_case(*size) for size in SIZES),
    element="logit",
)
