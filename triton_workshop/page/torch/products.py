"""Products of matrices, and the few functions of neural networks that the deck and the checker call."""

from __future__ import annotations

from typing import Any

import numpy as np

from triton_workshop.page.torch.absent import NotInThisPageError
from triton_workshop.page.torch.dtypes import Array
from triton_workshop.page.torch.elementwise import ONE, TWO, computed, result_type
from triton_workshop.page.torch.reductions import softmax
from triton_workshop.page.torch.tensor import Tensor, made, offer
from triton_workshop.page.torch.views import unsqueeze


def matmul(input: Tensor, other: Tensor) -> Tensor:
    if not isinstance(other, Tensor):
        raise TypeError(f"matmul(): argument 'other' (position 2) must be Tensor, not {type(other).__name__}")
    one, two = input, other
    if not one.shape or not two.shape:
        raise RuntimeError("matmul multiplies tensors with dimensions")
    if one.shape[-1] != two.shape[-2 if two.ndim > 1 else -1]:
        raise RuntimeError(f"shapes cannot be multiplied: {list(one.shape)} and {list(two.shape)}")
    if one.dtype is not two.dtype:
        raise RuntimeError(f"matmul multiplies tensors of one dtype, not {one.dtype!r} and {two.dtype!r}")
    return made(_product(_wide(one), _wide(two)), one.dtype)


def _product(one: Array, two: Array) -> Array:
    """Of matrices by einsum: in the page, where numpy has no BLAS, it takes half to two thirds of matmul's time."""
    if one.ndim < 2 or two.ndim < 2:
        return np.asarray(np.matmul(one, two))
    return np.asarray(np.einsum("...mk,...kn->...mn", one, two))


def _wide(operand: Tensor) -> Array:
    return operand.values.astype(operand.dtype.computed, copy=False)


def _of_two(name: str, *dims: int) -> Any:
    def multiply(input: Tensor, other: Tensor) -> Tensor:
        if (input.ndim, other.ndim) != dims:
            raise RuntimeError(f"{name}: expected tensors with {dims} dimensions, got {input.ndim} and {other.ndim}")
        return matmul(input, other)

    return multiply


def outer(input: Tensor, vec2: Tensor) -> Tensor:
    if (input.ndim, vec2.ndim) != (1, 1):
        raise RuntimeError(f"outer: Expected 1-D argument self, but got {input.ndim}-D")
    return TWO["mul"](unsqueeze(input, 1), vec2)


def conv2d(input: Tensor, weight: Tensor, bias: Any = None, stride: Any = 1, padding: Any = 0) -> Tensor:
    if bias is not None or stride != 1 or input.ndim != 4 or weight.ndim != 4 or input.shape[1] != weight.shape[1]:
        raise NotInThisPageError("torch.nn.functional.conv2d with a bias, a stride or groups")
    rows, columns = (padding, padding) if isinstance(padding, int) else padding
    wide = np.pad(_wide(input), ((0, 0), (0, 0), (rows, rows), (columns, columns)))
    windows = np.lib.stride_tricks.sliding_window_view(wide, weight.shape[-2:], axis=(2, 3))
    return made(np.einsum("bchwij,ocij->bohw", windows, _wide(weight)), input.dtype)


def adaptive_max_pool2d(input: Tensor, output_size: Any) -> Tensor:
    sizes = (output_size, output_size) if isinstance(output_size, int) else output_size

    def parts(size: int, count: int) -> list[slice]:
        return [slice(place * size // count, -(-(place + 1) * size // count)) for place in range(count)]

    rows, columns = (parts(size, count) for size, count in zip(input.shape[-2:], sizes, strict=True))
    values = input.values
    pooled = [np.stack([values[..., row, column].max((-1, -2)) for column in columns], -1) for row in rows]
    return made(np.stack(pooled, -2), input.dtype)


def pad(input: Tensor, pad: Any, mode: str = "constant", value: float | None = None) -> Tensor:
    sides = list(zip(pad[::2], pad[1::2], strict=True))[::-1]
    if mode != "constant" or any(side < 0 for each in sides for side in each):
        raise NotInThisPageError("torch.nn.functional.pad in another way than with a constant")
    every = [(0, 0)] * (input.ndim - len(sides)) + sides
    return made(np.pad(input.values, every, constant_values=value or 0), input.dtype)


def einsum(equation: str, *operands: Any) -> Tensor:
    given = operands[0] if len(operands) == 1 and isinstance(operands[0], list | tuple) else operands
    return made(np.einsum(equation, *map(_wide, given)), result_type(*given))


def leaky_relu(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    return computed(lambda x: np.where(x > 0, x, x * x.dtype.type(negative_slope)), (input,), input.dtype)


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, is_causal: bool = False, scale: float | None = None
) -> Tensor:
    q, k, v = (each.values.astype("f8") for each in (query, key, value))
    scores = q @ k.swapaxes(-1, -2) * (query.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=np.bool_), scores, -np.inf)
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return made(powers / powers.sum(-1, keepdims=True) @ v, query.dtype)


SPECIAL = {"__matmul__": lambda self, other: matmul(self, other) if isinstance(other, Tensor) else NotImplemented}
offer("__matmul__", SPECIAL, method=True)
offer("matmul outer", vars(), function=True, method=True)
offer("einsum", vars(), function=True)
OTHERS = {
    "mm": _of_two("mm", 2, 2),
    "bmm": _of_two("bmm", 3, 3),
    "mv": _of_two("mv", 2, 1),
    "dot": _of_two("dot", 1, 1),
}
offer(" ".join(OTHERS), OTHERS, function=True, method=True)
FUNCTIONAL = {
    "conv2d": conv2d,
    "adaptive_max_pool2d": adaptive_max_pool2d,
    "leaky_relu": leaky_relu,
    "pad": pad,
    "relu": ONE["relu"],
    "sigmoid": ONE["sigmoid"],
    "tanh": ONE["tanh"],
    "softmax": softmax,
    "scaled_dot_product_attention": scaled_dot_product_attention,
}
