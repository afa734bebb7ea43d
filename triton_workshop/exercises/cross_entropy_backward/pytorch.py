"""The gradient of cross-entropy in PyTorch."""

from collections.abc import Callable

import torch


def eager_cross_entropy_backward(logits: torch.Tensor, target: torch.Tensor, grad: torch.Tensor) -> torch.Tensor:
    """The gradient, operation by operation.

    logits (M, V), target (M,), grad (M,).
    """
    softmax = logits.softmax(1, dtype=torch.float32)
    less_one = softmax.scatter_add(1, target[:, None], -torch.ones_like(softmax[:, :1]))
    return (less_one * grad[:, None]).to(logits.dtype)


def baselines(device: str) -> tuple[Callable[..., torch.Tensor], ...]:
    """Return the ways to do this work in PyTorch, of which the fastest counts."""
    return (eager_cross_entropy_backward,)
