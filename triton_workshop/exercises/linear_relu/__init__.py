"""Exercise 4b: a bias and a ReLU in the epilogue of a matrix product."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from triton_workshop.exercises.cases import Case, extreme_factors, random_case
from triton_workshop.exercises.matmul import EXERCISE as MATMUL

if TYPE_CHECKING:
    import torch


def _layer(case: Case, *, stride: int = 1) -> Case:
    """Return a case of the product with a bias about as large as the sums."""

    def arguments(device: str) -> tuple[torch.Tensor, ...]:
        a, b = case.arguments(device)
        [bias] = random_case("bias", ("layer", case.name), (stride * b.shape[1],)).arguments(device)
        bias *= 4
        if stride > 1:  # a bias whose numbers add up to 0
            bias[stride :: 2 * stride] = -bias[:: 2 * stride]
        if "large and tiny" in case.name:
            bias *= extreme_factors(len(bias), bias)
        return a, b, bias[::stride].to(a.dtype)

    return Case(case.name + f", bias of stride {stride}" * (stride > 1), arguments)


EXERCISE = replace(
    MATMUL,
    number="4b",
    package=__name__,
    title="product, bias and ReLU",
    launcher="linear_relu",
    cases=(
        *map(_layer, MATMUL.cases[:-2]),
        *(_layer(case, stride=2) for case in MATMUL.cases[-2:]),
    ),
    long_cases=tuple(map(_layer, MATMUL.long_cases)),
    larger_cases=tuple(map(_layer, MATMUL.larger_cases)),
    gpu_cases=tuple(map(_layer, MATMUL.gpu_cases)),
    reference=lambda a, b, bias: (a @ b + bias).relu(),
    reduction_length=lambda a, b, bias: int(a.shape[1]) + 1,
    bytes_moved=lambda a, b, bias: MATMUL.bytes_moved(a, b) + bias.numel() * bias.element_size(),
    operations=lambda a, b, bias: MATMUL.operations(a, b) + 2 * a.shape[0] * b.shape[1],
)
