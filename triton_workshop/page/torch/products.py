"""Products of matrices, and functions of neural networks.

The few functions are those that the deck and the checker call.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from triton_workshop.page.torch.absent import NotInThisPageError
from triton_workshop.page.torch.dtypes import Array
from triton_workshop.page.torch.elementwise import BINARY, UNARY, compute, result_type
from triton_workshop.page.torch.reductions import softmax
from triton_workshop.page.torch.tensor import Tensor, from_values, register
from triton_workshop.page.torch.views import unsqueeze


def matmul(input: Tensor, other: Tensor) -> Tensor:
    """Multiply matrices or vectors of one dtype."""
    if not isinstance(other, Tensor):
        raise TypeError(f"matmul(): argument 'other' (position 2) must be Tensor, not {type(other).__name__}")
    first, second = input, other
    if 0 in (first.ndim, second.ndim):
        raise RuntimeError("matmul multiplies tensors with dimensions")
    rows = second.shape[-2] if second.ndim > 1 else second.shape[-1]
    if first.shape[-1] != rows:
        raise RuntimeError(f"shapes cannot be multiplied: {list(first.shape)} and {list(second.shape)}")
    if first.dtype is not second.dtype:
        raise RuntimeError(f"matmul multiplies tensors of one dtype, not {first.dtype!r} and {second.dtype!r}")
    return from_values(_product(_compute_values(first), _compute_values(second)), first.dtype)


def _product(first: Array, second: Array) -> Array:
    """Multiply arrays, matrices by einsum.

    In the page, where numpy has no BLAS, it takes half to two thirds of matmul's time.
    """
    if min(first.ndim, second.ndim) < 2:
        return np.asarray(np.matmul(first, second))
    return np.asarray(np.einsum("...mk,...kn->...mn", first, second))


def _compute_values(operand: Tensor) -> Array:
    return operand.values.astype(operand.dtype.computed, copy=False)


def _matrix_product(name: str, *dims: int) -> Any:
    def multiply(input: Tensor, other: Tensor) -> Tensor:
        if (input.ndim, other.ndim) != dims:
            raise RuntimeError(f"{name}: expected tensors with {dims} dimensions, got {input.ndim} and {other.ndim}")
        return matmul(input, other)

    return multiply


def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Multiply each element of a vector by each of another one."""
    if (input.ndim, vec2.ndim) != (1, 1):
        raise RuntimeError(f"outer: Expected 1-D argument self, but got {input.ndim}-D")
    return BINARY["mul"](unsqueeze(input, 1), vec2)


def conv2d(input: Tensor, weight: Tensor, bias: Any = None, stride: Any = 1, padding: Any = 0) -> Tensor:
    """Apply filters, with neither bias nor stride."""
    is_plain = bias is None and stride == 1
    is_of_all_channels = input.ndim == weight.ndim == 4 and input.shape[1] == weight.shape[1]
    if not (is_plain and is_of_all_channels):
        raise NotInThisPageError("torch.nn.functional.conv2d with a bias, a stride or groups")
    rows, columns = (padding, padding) if isinstance(padding, int) else padding
    padded = np.pad(_compute_values(input), ((0, 0), (0, 0), (rows, rows), (columns, columns)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, weight.shape[-2:], axis=(2, 3))
    return from_values(np.einsum("bchwij,ocij->bohw", windows, _compute_values(weight)), input.dtype)


def adaptive_max_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """Reduce an image to a size by the maximum of each bin."""
    sizes = (output_size, output_size) if isinstance(output_size, int) else output_size

    def bins(size: int, count: int) -> list[slice]:
        # Bins overlap where the size is no multiple of their number, as PyTorch's do.
        return [slice(index * size // count, -(-(index + 1) * size // count)) for index in range(count)]

    rows, columns = (bins(size, count) for size, count in zip(input.shape[-2:], sizes, strict=True))
    values = input.values
    pooled = []
    for row in rows:
        maxima = [values[..., row, column].max((-1, -2)) for column in columns]
        pooled.append(np.stack(maxima, -1))
    return from_values(np.stack(pooled, -2), input.dtype)


def pad(input: Tensor, pad: Any, mode: str = "constant", value: float | None = None) -> Tensor:
    """Pad with a constant."""
    # PyTorch begins with the last dimension, numpy with the first.
    sides = list(zip(pad[::2], pad[1::2], strict=True))[::-1]
    if mode != "constant" or min(pad, default=0) < 0:
        raise NotInThisPageError("torch.nn.functional.pad in another way than with a constant")
    widths = [(0, 0)] * (input.ndim - len(sides)) + sides
    return from_values(np.pad(input.values, widths, constant_values=value or 0), input.dtype)


def einsum(equation: str, *operands: Any) -> Tensor:
    """Evaluate Einstein's notation."""
    is_sequence = len(operands) == 1 and isinstance(operands[0], list | tuple)
    tensors = operands[0] if is_sequence else operands
    return from_values(np.einsum(equation, *map(_compute_values, tensors)), result_type(*tensors))


def leaky_relu(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """Multiply negative values by a small slope."""
    return compute(lambda x: np.where(x > 0, x, x * x.dtype.type(negative_slope)), (input,), input.dtype)


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, is_causal: bool = False, scale: float | None = None
) -> Tensor:
    """Compute attention in float64, rounded once."""
    q, k, v = (tensor.values.astype("f8") for tensor in (query, key, value))
    scores = q @ k.swapaxes(-1, -2) * (query.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=np.bool_), scores, -np.inf)
    # The largest score is subtracted, so that no power overflows.
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return from_values(powers / powers.sum(-1, keepdims=True) @ v, query.dtype)


def layer_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """Normalize over the last dimensions in float64, rounded once."""
    axes = tuple(range(input.ndim - len(tuple(normalized_shape)), input.ndim))
    values = input.values.astype("f8")
    centred = values - values.mean(axes, keepdims=True)
    normalized = centred / np.sqrt((centred**2).mean(axes, keepdims=True) + eps)
    scale = 1.0 if weight is None else weight.values
    shift = 0.0 if bias is None else bias.values
    return from_values(normalized * scale + shift, input.dtype)


def cross_entropy(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Compute the loss of each row of logits in float64, rounded once."""
    if (input.ndim, target.ndim) != (2, 1):
        raise NotInThisPageError("torch.nn.functional.cross_entropy of anything but rows and their classes")
    values = input.values.astype("f8")
    shifted = values - values.max(1, keepdims=True)
    loss = np.log(np.exp(shifted).sum(1)) - shifted[np.arange(len(shifted)), target.values]
    reduced = {"none": lambda: loss, "sum": loss.sum, "mean": loss.mean}[reduction]()
    return from_values(np.asarray(reduced), input.dtype)


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Multiply by a transposed matrix, and add a bias."""
    product = matmul(input, weight.T)
    return product if bias is None else BINARY["add"](product, bias)


SPECIAL = {"__matmul__": lambda self, other: matmul(self, other) if isinstance(other, Tensor) else NotImplemented}
register("__matmul__", SPECIAL, method=True)
register("matmul outer", vars(), function=True, method=True)
register("einsum", vars(), function=True)
MATRIX_PRODUCTS = {
    "mm": _matrix_product("mm", 2, 2),
    "bmm": _matrix_product("bmm", 3, 3),
    "mv": _matrix_product("mv", 2, 1),
    "dot": _matrix_product("dot", 1, 1),
}
register(" ".join(MATRIX_PRODUCTS), MATRIX_PRODUCTS, function=True, method=True)
FUNCTIONAL = {
    "conv2d": conv2d,
    "adaptive_max_pool2d": adaptive_max_pool2d,
    "leaky_relu": leaky_relu,
    "pad": pad,
    "relu": UNARY["relu"],
    "sigmoid": UNARY["sigmoid"],
    "tanh": UNARY["tanh"],
    "softmax": softmax,
    "scaled_dot_product_attention": scaled_dot_product_attention,
    "layer_norm": layer_norm,
    "cross_entropy": cross_entropy,
    "linear": linear,
}
