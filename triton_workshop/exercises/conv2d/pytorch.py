"""Convolution in PyTorch."""

from collections.abc import Callable

import torch


def conv2d_by_channel(image: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Convolution with one group for each channel.

    image (c, height, width), weight (k, k). It is many times faster than a batch of pictures with one channel, which
    would go to cuDNN. PyTorch computes several groups of float32 with its own kernel, not cuDNN's
    (aten/src/ATen/native/Convolution.cpp, use_cudnn_depthwise).
    """
    channels, size = image.shape[0], weight.shape[0]
    weights = weight.expand(channels, 1, size, size)
    return torch.nn.functional.conv2d(image[None], weights, padding=size // 2, groups=channels)[0]


def baselines(device: str) -> tuple[Callable[..., torch.Tensor], ...]:
    """Return the ways to do this work in PyTorch, of which the fastest counts."""
    return (conv2d_by_channel,)
