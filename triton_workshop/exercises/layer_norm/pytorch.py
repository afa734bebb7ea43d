"""Layer norm in PyTorch."""

from collections.abc import Callable

import torch


def eager_layer_norm(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float) -> torch.Tensor:
    """Layer norm of x (M, N), weight and bias (N,)."""
    return torch.nn.functional.layer_norm(x, weight.shape, weight, bias, eps)


def baselines(device: str) -> tuple[Callable[..., torch.Tensor], ...]:
    """Return the ways to do this work in PyTorch, of which the fastest counts."""
    return (eager_layer_norm,)
