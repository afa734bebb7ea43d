"""Operations on the elements of values, one by one, in all programs of a group at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import triton.language as tl

from triton_workshop.simulator.values import arithmetic, int32
from triton_workshop.simulator.values.formats import (
    Array,
    compute_rounded,
    decode,
    encode,
    held_as,
    integers,
    stored_as,
)
from triton_workshop.simulator.values.libdevice import function_of
from triton_workshop.simulator.values.value import Value, any_wrapped, either, uniform_origin


def aligned(a: Value, b: Value) -> tuple[Value, Value]:
    """Give both the same block shape: a scalar combined with a block counts for the whole block."""
    if len(a.shape) == len(b.shape):
        return a, b
    if len(a.shape) > len(b.shape):
        return a, _as_block(b, a.shape)
    return _as_block(a, b.shape), b


def _as_block(scalar: Value, shape: tuple[int, ...]) -> Value:
    ones = (1,) * (len(shape) - len(scalar.shape))
    return scalar.rearranged(lambda data: data.reshape(data.shape[0], *ones, *data.shape[1:]), shape)


def apply(operation: Callable[..., Array], a: Value, b: Value, *, chooses: bool = False) -> Value:
    """`chooses`: the result is one of the operands, or made of their bits, so there is nothing to round."""
    a, b = aligned(a, b)
    dtype = a.dtype.scalar
    data = operation(a.data, b.data) if chooses else compute_rounded(operation, dtype, a.data, b.data)
    if dtype is tl.int1 and data.dtype.kind != "b":
        data = (data & 1).astype(np.bool_)  # numpy's arithmetic makes bytes of truth values
    result = Value(data, dtype, a.shape)
    if a.poison is not None or b.poison is not None:
        result.poison = either(a, b)
    return result


def compare(operation: Callable[..., Array], a: Value, b: Value) -> Value:
    a, b = aligned(a, b)
    return Value(operation(a.data, b.data), tl.int1, a.shape, poison=either(a, b))


# Integers


def add(a: Value, b: Value) -> Value:
    return _integer(np.add, a, b, lambda x, y: (x[0] + y[0], x[1] + y[1]))


def subtract(a: Value, b: Value) -> Value:
    return _integer(np.subtract, a, b, lambda x, y: (x[0] - y[1], x[1] - y[0]))


def multiply(a: Value, b: Value) -> Value:
    return _integer(np.multiply, a, b, _product_limits)


def _product_limits(x: tuple[int, int], y: tuple[int, int]) -> tuple[int, int]:
    products = (x[0] * y[0], x[0] * y[1], x[1] * y[0], x[1] * y[1])
    return min(products), max(products)


def _integer(operation: Callable[..., Array], a: Value, b: Value, limits: Callable[..., Any]) -> Value:
    """Add, subtract or multiply, and remember where an int32 wraps."""
    if a.dtype.scalar is tl.int1:
        return apply(np.logical_and if operation is np.multiply else np.logical_xor, a, b)
    result = apply(operation, a, b)
    if a.wrapped is not None or b.wrapped is not None:
        a, b = aligned(a, b)
        result.wrapped = any_wrapped(a, b)
    if result.dtype is tl.int32:
        low, high = limits(a.limits(), b.limits())
        if int32.holds(low, high):
            result.bounds = (low, high)
        else:
            a, b = aligned(a, b)
            exact = operation(a.data.astype(np.int64), b.data.astype(np.int64))
            if int32.is_narrow():
                result.data = int32.wrapped(exact)
            wrapped = exact != result.data
            if wrapped.any():
                result.wrapped = wrapped if result.wrapped is None else result.wrapped | wrapped
    return result


def divide(a: Value, b: Value) -> Value:
    # Rounds towards zero, while numpy rounds down: the two differ only below zero.
    return apply(np.floor_divide if _positive(a, b) else arithmetic.divide_towards_zero, a, b)


def remainder(a: Value, b: Value) -> Value:
    return apply(np.remainder if _positive(a, b) else np.fmod, a, b)


def _positive(a: Value, b: Value) -> bool:
    return a.data.dtype.kind == "u" or (a.limits()[0] >= 0 and b.limits()[0] > 0)


# Bits


def logical(operation: Callable[..., Array], a: Value, b: Value, *, deciding: bool) -> Value:
    """One of two booleans may decide alone: then it does not matter that the other is undefined."""
    result = bitwise(operation, a, b)
    if isinstance(result.poison, np.ndarray) and result.dtype is tl.int1:
        a, b = aligned(a, b)
        for value in (a, b):
            decides = value.data == deciding
            result.poison = result.poison & ~(decides if value.poison is None else decides & ~value.poison)
    return result


def bitwise(operation: Callable[..., Array], a: Value, b: Value) -> Value:
    dtype = a.dtype.scalar
    if not dtype.is_floating():
        return apply(operation, a, b)
    stored = stored_as(dtype)
    a, b = (value.with_data(encode(value.data, value.dtype.scalar).view(stored), value.dtype) for value in (a, b))
    return apply(lambda x, y: decode(operation(x, y), dtype), a, b, chooses=True)


def shift_right(sign: str, a: Value, b: Value) -> Value:
    """`sign` is u for zeros that come in from the left, and i for copies of the sign."""
    if a.data.dtype.kind == "b":
        return apply(lambda x, y: x & ~y, a, b)
    kind = np.dtype(f"{sign}{a.data.dtype.itemsize}")
    return apply(lambda x, y: (x.astype(kind) >> y.astype(kind)).astype(x.dtype), a, b)


# One and three operands


def unary(operation: Callable[..., Array], a: Value) -> Value:
    dtype = a.dtype.scalar
    if dtype.is_int():
        raise TypeError(f"expected floats, since a GPU computes this for no other type; got {dtype}")
    return a.with_data(compute_rounded(operation, dtype, a.data).astype(a.data.dtype, copy=False), dtype)


def with_sign(operation: Callable[..., Array], a: Value) -> Value:
    """Another sign, and nothing to round."""
    return a.with_data(operation(a.data), a.dtype.scalar)


def fused_multiply_add(x: Value, y: Value, z: Value) -> Value:
    x, y = aligned(x, y)
    x, z = aligned(x, z)
    data = arithmetic.fused(z.dtype.scalar, *np.broadcast_arrays(x.data, y.data, z.data))
    return Value(data, z.dtype.scalar, z.shape, poison=either(x, y, z))


def of_libdevice(symbol: str, operands: list[Value], dtype: Any) -> Value:
    """What a function of NVIDIA's library gives, in this type."""
    data = function_of(symbol)(*(value.data for value in operands))
    whole_numbers = data.dtype.kind == "f" and dtype.scalar.is_int()
    data = integers(data, dtype.scalar) if whole_numbers else data.astype(held_as(dtype.scalar))
    return Value(data, dtype.scalar, operands[0].shape, poison=either(*operands))


def select(condition: Value, a: Value, b: Value) -> Value:
    a, b = aligned(a, b)
    condition, a = aligned(condition, a)
    chosen = condition.data.astype(np.bool_, copy=False)
    result = b.replaced(chosen, a)
    result.poison = either(result, condition)
    if a.dtype.scalar.is_ptr():
        result.origin = a.origin if uniform_origin(a, b) else np.where(chosen, a.origin, b.origin)
    if a.wrapped is not None or b.wrapped is not None:
        result.wrapped = np.where(chosen, *(False if v.wrapped is None else v.wrapped for v in (a, b)))
    return result
