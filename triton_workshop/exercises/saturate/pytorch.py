"""Stronger colours in PyTorch."""

from collections.abc import Callable

import torch


def saturate_as_written(image: torch.Tensor, amount: float) -> torch.Tensor:
    """Stronger colours, operation by operation. image: (3, height, width)."""
    grey = 0.299 * image[0] + 0.587 * image[1] + 0.114 * image[2]
    return grey + amount * (image - grey)


def baselines(device: str) -> tuple[Callable[..., torch.Tensor], ...]:
    """Return the ways to do this work in PyTorch, of which the fastest counts."""
    return (saturate_as_written,)
