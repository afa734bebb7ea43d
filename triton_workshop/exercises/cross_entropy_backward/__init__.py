"""Exercise 5b: the gradient of cross-entropy."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from triton_workshop.exercises import softmax
from triton_workshop.exercises.cases import Case, random_case
from triton_workshop.exercises.cross_entropy import EXERCISE as CROSS_ENTROPY

if TYPE_CHECKING:
    import torch


def _with_grad(case: Case) -> Case:
    """Return a case with the gradients of its losses, (M,) float32.

    They have both signs, and one is 0.
    """

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
    """Return the roundings of a softmax, a difference and a product."""
    difference_roundings = 4 * (logits.softmax(1) - _one_hot(logits, target)).abs()
    return (softmax.roundings(logits) + difference_roundings) * grad[:, None].abs()


EXERCISE = replace(
    CROSS_ENTROPY,
    number="5b",
    package=__name__,
    title="the gradient of the loss",
    launcher="cross_entropy_backward",
    cases=tuple(map(_with_grad, CROSS_ENTROPY.cases)),
    long_cases=tuple(map(_with_grad, CROSS_ENTROPY.long_cases)),
    larger_cases=tuple(map(_with_grad, CROSS_ENTROPY.larger_cases)),
    int64_case=CROSS_ENTROPY.int64_case and _with_grad(CROSS_ENTROPY.int64_case),
    gpu_cases=tuple(map(_with_grad, CROSS_ENTROPY.gpu_cases)),
    reference=_reference,
    reduction_length=lambda logits, target, grad: int(logits.shape[1]),
    roundings=_roundings,
    result_dtype=lambda logits, target, grad: logits.dtype,
    # A row may stay on the chip between the passes; nothing else needs the second one to go to memory.
    bytes_moved=lambda logits, target, grad: 2 * logits.numel() * logits.element_size() + 12 * target.numel(),
    operations=lambda logits, target, grad: 8 * logits.numel(),
)
