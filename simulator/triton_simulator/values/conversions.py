"""Constants, and values of one type as values of another."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import triton.language as tl
from triton._C.libtriton import ir

from triton_simulator.values import int32
from triton_simulator.values.formats import (
    NUMPY,
    decode,
    encode,
    narrow_to_float32,
    round_to_dtype,
    storage_dtype,
    to_integers,
    truncate_to_dtype,
    value_dtype,
)
from triton_simulator.values.value import Value


def constant(value: Any, dtype: Any) -> Value:
    """Return a number that all programs share."""
    data = round_to_dtype(np.array([value]).astype(value_dtype(dtype)), dtype)
    bounds = (int(data[0]), int(data[0])) if data.dtype.kind in "iu" else None
    return Value(data, dtype, bounds=bounds)


def integer(value: Any, dtype: Any) -> Value:
    """Return an integer that all programs share.

    As the compiler's builder, this raises TypeError for 1.5, and for -1 if it is unsigned.
    """
    number = operator.index(value)
    if number < 0 and dtype.is_int_unsigned():
        raise TypeError(f"{number} is no value of {dtype}")
    return constant(number, dtype)


def null(dtype: Any) -> Value:
    """Return zero, or the null pointer."""
    return Value(np.zeros(1, value_dtype(dtype.scalar)), dtype.scalar)


def all_ones(dtype: Any) -> Value:
    """Return the number whose bits are all 1."""
    native = value_dtype(dtype.scalar)
    ones = np.array([True]) if native.kind == "b" else np.array([-1]).astype(native)
    return Value(ones, dtype.scalar)


def convert(source: Value, dtype: Any, *_: Any) -> Value:
    """Return the numbers of `source` in another type.

    Floats are rounded to nearest, and integers wrap.
    """
    target = dtype.scalar
    data = source.data.astype(value_dtype(target), copy=False)
    is_small_float = target not in NUMPY and data.dtype == np.float32
    if is_small_float:
        # A float64 comes by way of float32, rounded to odd, so that two roundings are as good as one.
        data = round_to_dtype(narrow_to_float32(source.data) if source.data.dtype == np.float64 else data, target)
    is_integer_cast = target.is_int() and source.dtype.scalar.is_int()
    is_int32 = is_integer_cast and target is tl.int32
    if is_int32 and int32.is_narrow():
        data = int32.wrap(source.data.astype(np.int64))
    result = source.with_data(data, target)
    if is_integer_cast:
        result.wrapped = source.wrapped
        # Bounds stay true only if no number wraps.
        if source.bounds is not None:
            low, high = source.bounds
            fits = int32.fits(low, high) if is_int32 else _fits(low, high, data.dtype)
            result.bounds = source.bounds if fits else None
    return result


def _fits(low: int, high: int, kind: np.dtype[Any]) -> bool:
    if kind.kind not in "iu":
        return False
    return low >= np.iinfo(kind).min and high <= np.iinfo(kind).max


def floats_to_integers(source: Value, dtype: Any) -> Value:
    """Return floats as integers, rounded towards zero."""
    return source.with_data(to_integers(source.data, dtype.scalar), dtype.scalar)


def floats_to_floats(source: Value, dtype: Any, rounding: Any = None) -> Value:
    """Return floats in another type, rounded to nearest or to zero."""
    if rounding == ir.ROUNDING_MODE.RTZ:
        return source.with_data(truncate_to_dtype(source.data, dtype.scalar), dtype.scalar)
    return convert(source, dtype)


def bitcast(source: Value, dtype: Any) -> Value:
    """Return the bits of `source` as another type of the same size."""
    target = dtype.scalar
    bits = np.ascontiguousarray(encode(source.data, source.dtype.scalar)).view(storage_dtype(target))
    return source.with_data(decode(bits, target), target)
