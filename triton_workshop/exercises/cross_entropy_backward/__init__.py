"""Exercise 5b: the gradient of cross-entropy."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from triton_workshop.exercises import softmax
from triton_workshop.exercises.cross_entropy import EXERCISE as CROSS_ENTROPY
from triton_workshop.exercises.exercise import Case, random_case

if TYPE_CHECKING:
    import torch


def _with_grad(case: Case) -> Case:
    """A case of the losses, with how much the result depends on each of them, (M,) float32, of both signs and 0."""

    def arguments(device: str) -> tuple[torch.Tensor, ...]:
        logits, target = case.arguments(device)
        [grad] = random_case("grad", ("grad", case.name), (len(target),)).arguments(device)
        grad[1:2] = 0
        return logits, target, grad

    scaled_down = case.scaled_down and _with_grad(case.scaled_down)
    return replace(case, arguments=arguments, scaled_down=scaled_down)


def _one_hot(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    import torch

    columns = torch.arange(logits.shape[1], device=logits.device)
    return (columns == target[:, None]).to(logits.dtype)


def _reference(logits: torch.Tensor, target: torch.Tensor, grad: torch.Tensor) -> torch.Tensor:
    return (logits.softmax(1) - _one_hot(logits, target)) * grad[:, None]


def _roundings(logits: torch.Tensor, target: torch.Tensor, grad: torch.Tensor) -> torch.Tensor:
    """Those of a softmax, and of the difference and the product that follow."""
    of_a_difference = 4 * (logits.softmax(1) - _one_hot(logits, target)).abs()
    return (softmax.roundings(logits) + of_a_difference) * grad[:, None].abs()


EXERCISE = replace(
    CROSS_ENTROPY,
    number="5b",
    package=__name__,
    title="the gradient of the loss",
    launcher="cross_entropy_backward",
    cases=tuple(map(_with_grad, CROSS_ENTROPY.cases)),
    long_cases=tuple(map(_with_grad, CROSS_ENTROPY.long_cases)),
    larger_cases=tuple(map(_with_grad, CROSS_ENTROPY.larger_cases)),
    wide_case=CROSS_ENTROPY.wide_case and _with_grad(CROSS_ENTROPY.wide_case),
    gpu_cases=tuple(map(_with_grad, CROSS_ENTROPY.gpu_cases)),
    reference=_reference,
    reduction_length=lambda logits, target, grad: int(logits.shape[1]),
    roundings=_roundings,
    result_dtype=lambda logits, target, grad: logits.dtype,
    # A row may stay on the chip between the passes; nothing else needs the second one to go to memory.
    bytes_moved=lambda logits, target, grad: 2 * logits.numel() * logits.element_size() + 12 * target.numel(),
    operations=lambda logits, target, grad: 8 * logits.numel(),
)
