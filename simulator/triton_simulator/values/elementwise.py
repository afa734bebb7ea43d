"""Operations on the elements of values, one by one.

They work in all programs of a group at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import triton.language as tl

from triton_simulator.faults import Cause, PoisonSource
from triton_simulator.lines import current_line
from triton_simulator.values import arithmetic, int32
from triton_simulator.values.formats import (
    Array,
    compute_rounded,
    decode,
    encode,
    flush_subnormals,
    storage_dtype,
    to_integers,
    value_dtype,
)
from triton_simulator.values.libdevice import find_function, flushes
from triton_simulator.values.thread_scalars import block_data
from triton_simulator.values.undefined import make_poison
from triton_simulator.values.value import Value, any_wrapped, combined_poison, uniform_origin, union


def align(a: Value, b: Value) -> tuple[Value, Value]:
    """Return both values with the same block shape.

    A scalar combined with a block counts for the whole block.
    """
    if len(a.shape) == len(b.shape):
        return a, b
    if len(a.shape) > len(b.shape):
        return a, _as_block(b, a.shape)
    return _as_block(a, b.shape), b


def _as_block(scalar: Value, shape: tuple[int, ...]) -> Value:
    ones = (1,) * (len(shape) - len(scalar.shape))
    size = math.prod(shape)
    return scalar.rearrange(lambda data: block_data(data, size).reshape(data.shape[0], *ones, *data.shape[1:]), shape)


def apply(operation: Callable[..., Array], a: Value, b: Value, *, chooses: bool = False) -> Value:
    """Apply an operation to two values.

    With `chooses`, the result is one of the operands, or made of their bits, so there is nothing to round.
    """
    a, b = align(a, b)
    dtype = a.dtype.scalar
    data = operation(a.data, b.data) if chooses else compute_rounded(operation, dtype, a.data, b.data)
    if dtype is tl.int1 and data.dtype.kind != "b":
        data = (data & 1).astype(np.bool_)  # numpy's arithmetic makes bytes of truth values
    result = Value(data, dtype, a.shape)
    result.poison = combined_poison(a, b)
    return result


def compare(operation: Callable[..., Array], a: Value, b: Value) -> Value:
    """Compare two values, as int1."""
    a, b = align(a, b)
    return Value(operation(a.data, b.data), tl.int1, a.shape, poison=combined_poison(a, b))


# Integers


def add(a: Value, b: Value) -> Value:
    """Return a + b."""
    return _integer(np.add, a, b, lambda x, y: (x[0] + y[0], x[1] + y[1]))


def subtract(a: Value, b: Value) -> Value:
    """Return a - b."""
    return _integer(np.subtract, a, b, lambda x, y: (x[0] - y[1], x[1] - y[0]))


def multiply(a: Value, b: Value) -> Value:
    """Return a * b, which is 0 where one integer is 0."""
    return _apply_deciding_operand(_integer(np.multiply, a, b, _product_limits), a, b, 0)


def _product_limits(x: tuple[int, int], y: tuple[int, int]) -> tuple[int, int]:
    products = (x[0] * y[0], x[0] * y[1], x[1] * y[0], x[1] * y[1])
    return min(products), max(products)


def _integer(operation: Callable[..., Array], a: Value, b: Value, limits: Callable[..., Any]) -> Value:
    """Add, subtract or multiply, and remember where an int32 wraps."""
    # numpy's sum of truth values is `or`, and it has no difference of them; single bits wrap around.
    if a.dtype.scalar is tl.int1:
        return apply(np.logical_and if operation is np.multiply else np.logical_xor, a, b)
    result = apply(operation, a, b)
    if a.wrapped is not None or b.wrapped is not None:
        a, b = align(a, b)
        result.wrapped = any_wrapped(a, b)
    if result.dtype is tl.int32:
        # Limits are cheap to know; only where they exceed int32 is it worth computing which elements wrap.
        low, high = limits(a.limits(), b.limits())
        if int32.fits(low, high):
            result.bounds = (low, high)
        else:
            a, b = align(a, b)
            exact = operation(a.data.astype(np.int64), b.data.astype(np.int64))
            if int32.is_narrow():
                result.data = int32.wrap(exact)
            wrapped = exact != result.data
            if wrapped.any():
                result.wrapped = wrapped if result.wrapped is None else result.wrapped | wrapped
    return result


def divide(a: Value, b: Value) -> Value:
    """Return a / b of integers, rounded towards zero.

    The result is undefined where b is 0 or it overflows.
    """
    # Rounds towards zero, while numpy rounds down: the two differ only below zero.
    result = _quotient(np.floor_divide if _positive(a, b) else arithmetic.divide_towards_zero, a, b)
    low, high = b.limits()
    may_be_minus_one = a.data.dtype.kind == "i" and low <= -1 <= high
    # The least number divided by -1 is one more than the type holds.
    if may_be_minus_one and a.limits()[0] == np.iinfo(a.data.dtype).min:
        a, b = align(a, b)
        result = _mark_undefined(result, a, b, (a.data == a.limits()[0]) & (b.data == -1), Cause.OVERFLOW)
    return result


def remainder(a: Value, b: Value) -> Value:
    """Return the remainder of a division that rounds towards zero.

    The result is undefined where b is 0.
    """
    return _quotient(np.remainder if _positive(a, b) else np.fmod, a, b)


def _quotient(operation: Callable[..., Array], a: Value, b: Value) -> Value:
    result = apply(operation, a, b)
    low, high = b.limits()
    if not low <= 0 <= high:
        return result
    a, b = align(a, b)
    return _mark_undefined(result, a, b, b.data == 0, Cause.ZERO_DIVISION)


def _mark_undefined(result: Value, a: Value, b: Value, where: Array, cause: Cause) -> Value:
    """Mark a result as undefined in some places.

    Both operands are defined there.
    """
    operand_poison = combined_poison(a, b)
    where = where if operand_poison is None else where & ~np.asarray(operand_poison)
    if not where.any():
        return result
    result.poison = union(result.poison, make_poison(where, PoisonSource(current_line(), cause=cause)))
    return result.replace_undefined()


def _positive(a: Value, b: Value) -> bool:
    if a.data.dtype.kind == "u":
        return True
    return a.limits()[0] >= 0 and b.limits()[0] > 0


# Bits


def logical(operation: Callable[..., Array], a: Value, b: Value, *, deciding: int) -> Value:
    """Apply an operation to bits, where some decide alone.

    An operand whose bits are all `deciding`, 0 or -1, decides.
    """
    return _apply_deciding_operand(bitwise(operation, a, b), a, b, deciding)


def _apply_deciding_operand(result: Value, a: Value, b: Value, deciding: int) -> Value:
    """Define a result where one integer decides alone.

    Such a one is the 0 in 0 · x, whatever the other is.
    """
    if result.poison is None:
        return result
    if result.dtype.is_floating():
        return result
    for value in align(a, b):
        decides = value.data == np.array(deciding).astype(value.data.dtype)
        if decides.any():
            # An undefined operand decides nothing, whatever its marker happens to be.
            decides = decides if value.poison is None else decides & ~value.poison
            result.poison = result.poison & ~decides
            result.data = np.where(np.asarray(decides), value.data, result.data)
    return result


def bitwise(operation: Callable[..., Array], a: Value, b: Value) -> Value:
    """Apply an operation to the bits of two values."""
    dtype = a.dtype.scalar
    if not dtype.is_floating():
        return apply(operation, a, b)
    stored = storage_dtype(dtype)
    a, b = (value.with_data(encode(value.data, value.dtype.scalar).view(stored), value.dtype) for value in (a, b))
    return apply(lambda x, y: decode(operation(x, y), dtype), a, b, chooses=True)


def shift_left(a: Value, b: Value) -> Value:
    """Shift the bits of integers to the left."""
    return _shift(np.left_shift, a, b)


def shift_right(sign: str, a: Value, b: Value) -> Value:
    """Shift the bits of integers to the right.

    `sign` is u for zeros that come in from the left, and i for copies of the sign.
    """
    if a.data.dtype.kind == "b":
        return apply(lambda x, y: x & ~y, a, b)
    kind = np.dtype(f"{sign}{a.data.dtype.itemsize}")
    return _shift(lambda x, y: (x.astype(kind) >> y.astype(kind)).astype(x.dtype), a, b)


def _shift(operation: Callable[..., Array], a: Value, b: Value) -> Value:
    result, bits = apply(operation, a, b), 8 * a.data.dtype.itemsize
    low, high = b.limits()
    if low >= 0 and high < bits:
        return result
    a, b = align(a, b)
    return _mark_undefined(result, a, b, (b.data < 0) | (b.data >= bits), Cause.SHIFT)


# One and three operands


def unary(operation: Callable[..., Array], a: Value) -> Value:
    """Apply a function to floats. Raises TypeError for integers."""
    dtype = a.dtype.scalar
    if dtype.is_int():
        raise TypeError(f"expected floats, since a GPU computes this for no other type; got {dtype}")
    return a.with_data(compute_rounded(operation, dtype, a.data).astype(a.data.dtype, copy=False), dtype)


def change_sign(operation: Callable[..., Array], a: Value) -> Value:
    """Return the value with another sign; there is nothing to round."""
    return a.with_data(operation(a.data), a.dtype.scalar)


def fused_multiply_add(x: Value, y: Value, z: Value) -> Value:
    """Return x * y + z, rounded once."""
    x, y = align(x, y)
    x, z = align(x, z)
    data = arithmetic.fused_multiply_add(z.dtype.scalar, *np.broadcast_arrays(x.data, y.data, z.data))
    return Value(data, z.dtype.scalar, z.shape, poison=combined_poison(x, y, z))


def call_libdevice(symbol: str, operands: list[Value], dtype: Any) -> Value:
    """Call a function of NVIDIA's library, for results of this type."""
    function, flush = find_function(symbol), flush_subnormals if flushes(symbol) else np.asarray
    data = np.asarray(function(*(flush(value.data) for value in operands)))
    # The library's `llrint` and others give an integer where numpy gives a whole float.
    rounds_to_integer = data.dtype.kind == "f" and dtype.scalar.is_int()
    data = (
        to_integers(data, dtype.scalar)
        if rounds_to_integer
        else flush(data.astype(value_dtype(dtype.scalar), copy=False))
    )
    return Value(data, dtype.scalar, operands[0].shape, poison=combined_poison(*operands))


def select(condition: Value, a: Value, b: Value) -> Value:
    """Return `a` where the condition is true, and `b` elsewhere."""
    a, b = align(a, b)
    condition, a = align(condition, a)
    chosen = condition.data.astype(np.bool_, copy=False)
    result = b.replace_where(chosen, a)
    # An undefined condition chooses nothing in particular, even between equal elements. It does choose one of the two,
    # so that an index stays where both are; memory marks what is stored.
    if condition.poison is not None:
        result.poison = combined_poison(result, condition)
    if a.dtype.scalar.is_ptr():
        result.origin = a.origin if uniform_origin(a, b) else np.where(chosen, a.origin, b.origin)
    if a.wrapped is not None or b.wrapped is not None:
        of_a = False if a.wrapped is None else a.wrapped
        of_b = False if b.wrapped is None else b.wrapped
        result.wrapped = np.where(chosen, of_a, of_b)
    return result
