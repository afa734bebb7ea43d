"""PyTorch's versions of the exercises.

Imports only torch, since `python -m benchmarks.kernels` uses it too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch

from triton_workshop.bench.timing import Run


def copy_of(n_bytes: int, device: str) -> Run:
    """Return a copy that reads and writes n_bytes altogether.

    Its time is the limit of memory, measured.
    """
    source = torch.rand(n_bytes // 8, device=device)
    return partial(torch.empty_like(source).copy_, source)


def sepia_as_written(image: torch.Tensor) -> torch.Tensor:
    """Sepia, operation by operation. image: (3, height, width)."""
    red, green, blue = image
    sepia = (
        0.393 * red + 0.769 * green + 0.189 * blue,
        0.349 * red + 0.686 * green + 0.168 * blue,
        0.272 * red + 0.534 * green + 0.131 * blue,
    )
    return torch.stack(sepia).clamp(max=1.0)


def sepia_by_einsum(device: str) -> Callable[[torch.Tensor], torch.Tensor]:
    """Return sepia as a product of matrices; the weights are on the device.

    image: (3, height, width).
    """
    weights = ((0.393, 0.769, 0.189), (0.349, 0.686, 0.168), (0.272, 0.534, 0.131))
    matrix = torch.tensor(weights, device=device)
    return lambda image: torch.einsum("oc,chw->ohw", matrix, image).clamp(max=1.0)


def conv2d_by_channel(image: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Convolve with one group per channel.

    image (c, height, width), weight (k, k). This is many times faster than a batch of pictures with one channel, which
    would go to cuDNN. PyTorch computes several groups of float32 with its own kernel, not cuDNN's
    (aten/src/ATen/native/Convolution.cpp, use_cudnn_depthwise).
    """
    channels, size = image.shape[0], weight.shape[0]
    weights = weight.expand(channels, 1, size, size)
    return torch.nn.functional.conv2d(image[None], weights, padding=size // 2, groups=channels)[0]


def attention_of_heads(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Compute attention of heads as a batch of one.

    q, k and v: (heads, length, D). Flash attention and cuDNN's take nothing but batches.
    """
    return torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None])[0]


def causal_attention_of_heads(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """The same, where each query sees the keys up to its own."""
    return torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)[0]


def cross_entropy_backward(logits: torch.Tensor, target: torch.Tensor, grad: torch.Tensor) -> torch.Tensor:
    """Compute the gradient of cross-entropy, operation by operation.

    logits (M, V), target (M,), grad (M,).
    """
    softmax = logits.softmax(1, dtype=torch.float32)
    less_one = softmax.scatter_add(1, target[:, None], -torch.ones_like(softmax[:, :1]))
    return (less_one * grad[:, None]).to(logits.dtype)


def layer_norm(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float) -> torch.Tensor:
    """x (M, N), weight and bias (N,)."""
    return torch.nn.functional.layer_norm(x, weight.shape, weight, bias, eps)


def int4_linear(x: torch.Tensor, weight: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """Apply a layer of 4-bit weights, made float16 operation by operation.

    x (B, K), weight (N, K / 2), scale (N, K / 128).
    """
    halves = torch.stack((weight & 0xF, weight >> 4), 2).half() - 8
    weights = halves.view(*scale.shape, 128) * scale[:, :, None]
    return x @ weights.view(len(weight), -1).t()


WAYS: dict[str, Callable[[str], tuple[Callable[..., torch.Tensor], ...]]] = {
    "1": lambda device: (torch.add,),
    "2": lambda device: (sepia_as_written, sepia_by_einsum(device)),
    "3": lambda device: (conv2d_by_channel,),
    "4": lambda device: (torch.mm,),
    "5": lambda device: (partial(torch.nn.functional.cross_entropy, reduction="none"),),
    "5b": lambda device: (cross_entropy_backward,),
    "5c": lambda device: (layer_norm,),
    "6": lambda device: (attention_of_heads,),
    "6b": lambda device: (causal_attention_of_heads,),
    "6c": lambda device: (int4_linear,),
}
"""Variants of an exercise's work in PyTorch, by the exercise's number.

They are made for a device. The fastest counts.
"""


def half_product(operations: int, device: str) -> Run:
    """Return a product of float16 matrices of about so many operations.

    cuBLAS computes it: its time is the tensor cores' rate, measured. All sides are multiples of what cuBLAS divides
    them by: others take several times as long.
    """
    side = max(round((operations / 2) ** (1 / 3) / 128) * 128, 128)
    depth = max(round(operations / 2 / side**2 / 16) * 16, 16)
    return partial(torch.mm, *(torch.rand(shape, device=device).half() for shape in ((side, depth), (depth, side))))
