"""Matrix products, in the precisions that a GPU's tensor cores have."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import triton.language as tl

from triton_simulator.values.formats import Array, cut_bits, round_to_bits, round_to_dtype, value_dtype
from triton_simulator.values.value import Value, combined_poison, spread, union

_TF32_DROPS = 13
_BF16_DROPS = 16


def tf32(data: Array) -> Array:
    """Return float32 rounded to TF32: 10 mantissa bits."""
    return round_to_bits(data, _TF32_DROPS)


def multiply(a: Value, b: Value, accumulator: Value, precision: Any) -> Value:
    """Return a @ b + accumulator.

    The shapes are (..., M, K) @ (..., K, N). Small floats are multiplied exactly, and their sum is rounded.

    `precision` is for float32 only: an `ir.INPUT_PRECISION`.
    """
    dtype = accumulator.dtype.scalar
    lhs, rhs = a.full(), b.full()
    if a.dtype.scalar is tl.float32:
        product = _split_product(lhs, rhs, str(precision).rpartition(".")[2])
    elif lhs.dtype.kind in "iu":
        # Exact: a sum of products of bytes stays far below 2^53. numpy has no fast product of integers.
        product = np.matmul(lhs.astype(np.float64), rhs.astype(np.float64)).astype(np.int64)
    else:
        product = _product(lhs, rhs)
    total = (product + accumulator.data).astype(value_dtype(dtype), copy=False)
    return _result(round_to_dtype(total, dtype), dtype, a, b, accumulator)


def input_precision(dtype: Any, precision: Any) -> str:
    """Return what a product multiplies, as a name.

    It is `ieee`, `tf32`, `bf16x6` … for float32, otherwise the dtype: `fp16`, `bf16` …
    """
    return str(precision).rpartition(".")[2].lower() if dtype is tl.float32 else str(dtype)


def _split_product(lhs: Array, rhs: Array, precision: str) -> Array:
    """Return a float32 product from products of smaller parts.

    The parts fit tensor cores; the small ones come first.
    """
    if precision == "IEEE":
        return _product(lhs, rhs)
    if precision == "TF32":  # tensor cores do not look at the other bits
        return _product(cut_bits(lhs, _TF32_DROPS), cut_bits(rhs, _TF32_DROPS))
    drops = _TF32_DROPS if precision.startswith("TF32") else _BF16_DROPS
    count = {"TF32x3": 2, "BF16x3": 2, "BF16x6": 3}[precision]
    lhs_terms, rhs_terms = _split_mantissas(lhs, drops, count), _split_mantissas(rhs, drops, count)
    # Products of two small parts are below the precision, and the compiler leaves them out too.
    pairs = [(i, j) for i, j in itertools.product(range(count), repeat=2) if i + j < count]
    product = _product(*(side[index] for side, index in zip((lhs_terms, rhs_terms), pairs.pop(0), strict=True)))
    rest: Array | None = None
    for i, j in sorted(pairs, key=sum, reverse=True):
        term = _product(lhs_terms[i], rhs_terms[j])
        rest = term if rest is None else rest + term
    return np.asarray(product if rest is None else rest + product)


def _product(lhs: Array, rhs: Array) -> Array:
    """Return the product, from sums in float64.

    The result is float32, or float64 for factors of float64.

    In which order a library adds depends on where in a tile an element lies. Programs whose tiles overlap would store
    different values, which they do not on a GPU; and sums in float64 are the same in any order once they are rounded.
    """
    # Row after row: OpenBLAS takes 400 times as long for a transposed (64, 128).
    factors = (side.astype(np.float64, order="C", copy=False) for side in (lhs, rhs))
    product: Array = np.matmul(*factors)
    return product if lhs.dtype == np.float64 else product.astype(np.float32)


def _split_mantissas(data: Array, drops: int, count: int) -> list[Array]:
    """Return `data` as a sum of numbers with fewer mantissa bits.

    There are `count` of them, the largest first.
    """
    result = []
    rest = data
    for _ in range(count):
        result.append(round_to_bits(rest, drops))
        rest = rest - result[-1]
    return result


def scaled_operand(value: Value, scale: Value | None, packed: int | None, *, right: bool) -> Value:
    """Return a block in a microscaling format as float32.

    `packed` is the axis along which each byte holds two e2m1 numbers.

    A scale belongs to a group of neighbours along K. Those of the right side are given as (N, K / group).
    """
    elements = _as_float32(value) if packed is None else _unpack(value, packed)
    if scale is None:
        return elements
    factors = _scale_factors(scale)
    group = elements.shape[-2 if right else -1] // scale.shape[-1]

    def along_k(data: Array) -> Array:
        """Return the scales repeated along K."""
        repeated = np.repeat(spread(data, scale.shape), group, axis=-1)
        return np.swapaxes(repeated, -1, -2) if right else repeated

    factors = factors.rearrange(along_k, elements.shape)
    return Value(elements.data * factors.data, tl.float32, elements.shape, poison=combined_poison(elements, factors))


def _as_float32(value: Value) -> Value:
    return value.with_data(value.data.astype(np.float32), tl.float32)


_E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], np.float32)
"""Values of E2M1.

Source: Open Compute Project, "OCP Microscaling Formats (MX) Specification", 5.3.3.
"""


def _unpack(value: Value, axis: int) -> Value:
    """Return two numbers for each byte: the lower four bits come first."""
    shape = list(value.shape)
    shape[axis] *= 2
    twice = value.rearrange(lambda data: np.repeat(spread(data, value.shape), 2, axis=axis), tuple(shape))
    shift = np.arange(shape[axis], dtype=np.uint8) % 2 * np.uint8(4)
    halves = twice.data.view(np.uint8) >> shift.reshape(-1, *(1,) * (-1 - axis)) & np.uint8(15)
    return twice.with_data(_E2M1.take(halves), tl.float32)


def _scale_factors(scale: Value) -> Value:
    """Return scales as float32.

    An 8-bit integer is the exponent of a power of two, and 255 is NaN (e8m0).
    """
    if scale.dtype.scalar.is_floating():
        return _as_float32(scale)
    exponent = scale.data.view(np.uint8).astype(np.int32)
    powers = np.ldexp(np.float32(1), exponent - 127)
    return scale.with_data(np.where(exponent == 255, np.float32(np.nan), powers), tl.float32)


def _result(data: Array, dtype: Any, a: Value, b: Value, accumulator: Value) -> Value:
    return Value(data, dtype, accumulator.shape, poison=_poison(a, b, accumulator)).replace_undefined()


def _poison(a: Value, b: Value, accumulator: Value) -> Array | None:
    """Return which elements of the product are undefined.

    Each undefined element spoils a row or column of the product, but for integers times 0.
    """
    poison = accumulator.poison
    for operand, partner, axis in ((a, b, -1), (b, a, -2)):
        if operand.poison is None:
            continue
        # An integer times 0 is 0 whatever it is; of floats, NaN times 0 is NaN.
        if operand.dtype.scalar.is_int():
            matters = partner.full() != 0 if partner.poison is None else (partner.full() != 0) | partner.poison
            factors = spread(operand.poison, operand.shape), matters
            # A product of truth values is true where any pair of them is.
            spoilt = np.matmul(*(factors if operand is a else factors[::-1]))
        else:
            spoilt = operand.poison.any(axis=axis, keepdims=True)
        poison = union(poison, np.asanyarray(spoilt))
    return poison
