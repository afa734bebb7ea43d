"""A layer of 4-bit weights in PyTorch."""

from collections.abc import Callable

import torch


def eager_int4_linear(x: torch.Tensor, weight: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """A layer whose weights are made float16 operation by operation.

    x (B, K), weight (N, K / 2), scale (N, K / 128).
    """
    halves = torch.stack((weight & 0xF, weight >> 4), 2).half() - 8
    weights = halves.view(*scale.shape, 128) * scale[:, :, None]
    return x @ weights.view(len(weight), -1).t()


def baselines(device: str) -> tuple[Callable[..., torch.Tensor], ...]:
    """Return the ways to do this work in PyTorch, of which the fastest counts."""
    return (eager_int4_linear,)
