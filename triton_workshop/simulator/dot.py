"""Matrix products, in the precisions that a GPU's tensor cores have."""

from __future__ import annotations

from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime import interpreter as upstream

from triton_workshop.simulator.formats import Array, encode, held_as, round_to_bits, rounded, undefined
from triton_workshop.simulator.values import Value

_TF32_DROPS = 13
_BF16_DROPS = 16


def tf32(data: Array) -> Array:
    """float32 rounded to TF32: 10 mantissa bits."""
    return round_to_bits(data, _TF32_DROPS)


def multiply(a: Value, b: Value, accumulator: Value, precision: Any) -> Value:
    """a @ b + accumulator: (..., M, K) @ (..., K, N). Small floats are multiplied and summed in float32.

    `precision` is for float32 only: an `ir.INPUT_PRECISION`.
    """
    dtype = accumulator.dtype.scalar
    left, right = a.full(), b.full()
    if a.dtype.scalar is tl.float32:
        product = _in_parts(left, right, str(precision).rpartition(".")[2])
    elif left.dtype.kind in "iu":
        # Exact: a sum of products of bytes stays far below 2^53. numpy has no fast product of integers.
        product = np.matmul(left.astype(np.float64), right.astype(np.float64)).astype(np.int64)
    else:
        wide = np.float64 if left.dtype == np.float64 else np.float32
        product = np.matmul(left.astype(wide, copy=False), right.astype(wide, copy=False))
    total = (product + accumulator.data).astype(held_as(dtype), copy=False)
    return _result(rounded(total, dtype), dtype, a, b, accumulator)


def multiplied(dtype: Any, precision: Any) -> str:
    """What a product multiplies: `ieee`, `tf32`, `bf16x6` … for float32, otherwise the dtype: `fp16`, `bf16` …"""
    return str(precision).rpartition(".")[2].lower() if dtype is tl.float32 else str(dtype)


def _in_parts(left: Array, right: Array, precision: str) -> Array:
    """Compute a float32 product from products of parts that fit tensor cores, with the small ones first."""
    if precision == "IEEE":
        return np.asarray(np.matmul(left, right))
    drops = _TF32_DROPS if precision.startswith("TF32") else _BF16_DROPS
    parts = {"TF32": 1, "TF32x3": 2, "BF16x3": 2, "BF16x6": 3}[precision]
    lefts, rights = _split(left, drops, parts), _split(right, drops, parts)
    pairs = [(i, j) for i in range(parts) for j in range(parts) if i + j < parts]
    product = np.matmul(*(side[index] for side, index in zip((lefts, rights), pairs.pop(0), strict=True)))
    rest: Array | None = None
    for i, j in sorted(pairs, key=sum, reverse=True):
        term = np.matmul(lefts[i], rights[j])
        rest = term if rest is None else rest + term
    return np.asarray(product if rest is None else rest + product)


def _split(data: Array, drops: int, parts: int) -> list[Array]:
    """`data` as a sum of `parts` numbers with fewer mantissa bits, the largest first."""
    result = []
    rest = data
    for _ in range(parts):
        result.append(round_to_bits(rest, drops))
        rest = rest - result[-1]
    return result


def multiply_scaled(
    a: Value,
    a_scale: Value | None,
    a_format: Any,
    b: Value,
    b_scale: Value | None,
    b_format: Any,
    *,
    a_packed: bool,
    b_packed: bool,
    accumulator: Value,
) -> Value:
    """The product of two blocks in a microscaling format, as Triton's interpreter decodes them (from 3.9 on)."""
    decode = getattr(upstream, "_prepare_dot_scaled_operand", None)
    if decode is None:
        raise NotImplementedError("on the simulator, tl.dot_scaled needs Triton 3.9 or newer")
    kinds = type(a_format)
    compute = tl.float16 if kinds.FP16 in (a_format, b_format) else tl.bfloat16
    left = decode(_bits(a), _bits(a_scale), a_format, a_packed, compute, is_rhs=False)
    right = decode(_bits(b), _bits(b_scale), b_format, b_packed, compute, is_rhs=True)
    total = np.matmul(left, right) + accumulator.data
    return _result(total.astype(np.float32), tl.float32, a, b, accumulator)


def _bits(value: Value | None) -> Any:
    if value is None:
        return None
    return upstream.TensorHandle(np.ascontiguousarray(encode(value.full(), value.dtype.scalar)), value.dtype)


def _result(data: Array, dtype: Any, a: Value, b: Value, accumulator: Value) -> Value:
    result = Value(data, dtype, accumulator.shape)
    result.poison = _poison(a, b, accumulator)
    if isinstance(result.poison, np.ndarray):
        result.data = np.where(result.poison, undefined(dtype), data).astype(data.dtype)
    return result


def _poison(a: Value, b: Value, accumulator: Value) -> Array | bool | None:
    """Mark what undefined elements spoil: each spoils a whole row or column of the product."""
    poisons = [part.poison for part in (a, b, accumulator)]
    if all(poison is None for poison in poisons):
        return None
    if any(poison is True for poison in poisons):
        return True
    poison: Any = np.zeros((1,) * (len(a.shape) + 1), np.bool_) if accumulator.poison is None else accumulator.poison
    if isinstance(a.poison, np.ndarray):
        poison = poison | a.poison.any(axis=-1, keepdims=True)
    if isinstance(b.poison, np.ndarray):
        poison = poison | b.poison.any(axis=-2, keepdims=True)
    return np.asarray(poison)
