"""Cross-entropy in PyTorch."""

from collections.abc import Callable
from functools import partial

import torch


def baselines(device: str) -> tuple[Callable[..., torch.Tensor], ...]:
    """Return the ways to do this work in PyTorch, of which the fastest counts."""
    return (partial(torch.nn.functional.cross_entropy, reduction="none"),)
