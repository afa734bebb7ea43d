"""Results rounded up, down or towards zero.

The remainder of an operation tells which neighbour is exact.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from triton_simulator.values import arithmetic
from triton_simulator.values.formats import Array, round_to_odd

RoundedFunction = Callable[..., Array]
MODES = "nzdu"
"""Modes, as the names of functions end: `add_rz`.

They are to nearest, towards zero, down and up.
"""


def round_as(mode: str, nearest: Array, error: Array) -> Array:
    """Return the neighbour of `nearest` that a mode asks for.

    The exact result is `nearest + error`: the error's sign says all.
    """
    if mode == "n":
        return nearest
    up = np.nextafter(nearest, nearest.dtype.type(np.inf))
    down = np.nextafter(nearest, nearest.dtype.type(-np.inf))
    if mode == "z":
        return np.where(
            error * np.where(np.signbit(nearest), -1, 1) < 0, np.where(np.signbit(nearest), up, down), nearest
        )
    return np.where(error > 0, up, nearest) if mode == "u" else np.where(error < 0, down, nearest)


def round_sum(mode: str, total: Array, rest: Array, dtype: Any) -> Array:
    """Return `total + rest`, an exact sum in float64, in a dtype."""
    nearest = total.astype(dtype)
    remainder = total - nearest
    error = np.where(np.isfinite(total), np.where(remainder == 0, rest, remainder), 0)
    if mode == "n" and dtype == np.float32:  # total may have been rounded before
        nearest = round_to_odd(total, rest).astype(dtype)
    return round_as(mode, nearest, error)


def add(mode: str, x: Array, y: Array) -> Array:
    """Return x + y, rounded as the mode says."""
    total, rest = arithmetic.exact_sum(x.astype(np.float64), y.astype(np.float64))
    result = round_sum(mode, total, np.where(np.isfinite(rest), rest, 0), x.dtype)
    result = np.where(np.isinf(total) & np.isfinite(x) & np.isfinite(y), _overflow(mode, total, x.dtype), result)
    # IEEE 754: rounded down, numbers that cancel give -0; two zeros of one sign keep it.
    opposite = (result == 0) & ((x != 0) | (np.signbit(x) != np.signbit(y)))
    return np.where(opposite, x.dtype.type(-0.0), result) if mode == "d" else result


def subtract(mode: str, x: Array, y: Array) -> Array:
    """Return x - y, rounded as the mode says."""
    return add(mode, x, -y)


def _overflow(mode: str, total: Array, dtype: Any) -> Array:
    infinite = total.astype(dtype)
    return round_as(mode, infinite, -total)


def multiply(mode: str, x: Array, y: Array) -> Array:
    """Return x * y, rounded as the mode says."""
    # Without exponents, the product of the factors neither overflows nor loses digits to underflow.
    (a, e), (b, f) = np.frexp(x.astype(np.float64)), np.frexp(y.astype(np.float64))
    product, rest = arithmetic.exact_product(a, b)
    nearest = x * y
    remainder = product - np.ldexp(nearest.astype(np.float64), -(e + f))
    finite = np.isfinite(x) & np.isfinite(y)
    return round_as(mode, nearest, np.where(finite, np.where(remainder == 0, rest, remainder), 0))


def divide(mode: str, x: Array, y: Array) -> Array:
    """Return x / y, rounded as the mode says."""
    nearest = x / y
    (a, e), (b, f) = np.frexp(x.astype(np.float64)), np.frexp(y.astype(np.float64))
    quotient = np.ldexp(nearest.astype(np.float64), f - e)
    product, rest = arithmetic.exact_product(quotient, b)
    # Only the sign counts: an overflow is too far from zero, and any other error is the remainder over b.
    remainder = np.where(np.isinf(nearest), -nearest, ((a - product) - rest) * np.sign(b))
    finite = np.isfinite(x) & np.isfinite(y) & (y != 0)
    return round_as(mode, nearest, np.where(finite, remainder, 0))


def reciprocal(mode: str, x: Array) -> Array:
    """Return 1 / x, rounded as the mode says."""
    return divide(mode, np.ones_like(x), x)


def square_root(mode: str, x: Array) -> Array:
    """Return the square root, rounded as the mode says."""
    nearest = np.sqrt(x)
    wide, root = x.astype(np.float64), nearest.astype(np.float64)
    # Scaled to about 1: the square of a tiny root would not be exact.
    half = np.where(x > 0, np.frexp(root)[1], 0)
    root = np.ldexp(root, -half)
    square, rest = arithmetic.exact_product(root, root)
    remainder = (np.ldexp(np.ldexp(wide, -half), -half) - square) - rest
    return round_as(mode, nearest, np.where(np.isfinite(x) & (x > 0), remainder, 0))


def fused_multiply_add(mode: str, x: Array, y: Array, z: Array) -> Array:
    """Return x * y + z, rounded once as the mode says."""
    if x.dtype == np.float32:
        # The product of two float32 is exact in float64.
        total, rest = arithmetic.exact_sum(np.multiply(x, y, dtype=np.float64), z.astype(np.float64))
        result, zero = round_sum(mode, total, rest, x.dtype), total == 0
    else:
        nearest = arithmetic.fused_float64(x, y, z)
        if mode == "n":
            return nearest
        error = _fused_error(x, y, z, nearest)
        result, zero = round_as(mode, nearest, error), (nearest == 0) & (error == 0)
    # IEEE 754: rounded down, an exact sum of 0 is -0, unless both terms are +0.
    positive = (z == 0) & ~np.signbit(z) & (np.signbit(x) == np.signbit(y))
    return np.where(zero & ~positive, x.dtype.type(-0.0), result) if mode == "d" else result


def _scalar_fused_error(x: float, y: float, z: float, nearest: float) -> float:
    if not np.isfinite([x, y, z]).all():
        return 0.0
    if np.isinf(nearest):
        return -nearest
    error = Fraction(x) * Fraction(y) + Fraction(z) - Fraction(nearest)
    return float(error > 0) - float(error < 0)


_fused_error = np.vectorize(_scalar_fused_error, otypes=[np.float64])


def from_integer(mode: str, x: Array, dtype: Any) -> Array:
    """Return an integer of up to 64 bits as a float.

    Each half of its bits is exact in float64.
    """
    high, low = (x >> x.dtype.type(16)).astype(np.int64), (x & x.dtype.type(0xFFFF)).astype(np.float64)
    if x.dtype.itemsize == 8:
        high = x >> x.dtype.type(32)
        low = (x & x.dtype.type(0xFFFFFFFF)).astype(np.float64)
    total, rest = arithmetic.exact_sum(high.astype(np.float64) * 2.0 ** (4 * x.dtype.itemsize), low)
    return round_sum(mode, total, rest, dtype)


def narrow(mode: str, x: Array) -> Array:
    """Return float64 numbers as float32."""
    nearest = x.astype(np.float32)
    return round_as(mode, nearest, np.where(np.isfinite(x), x - nearest, 0))


INTEGRAL_ROUNDING = {"n": np.rint, "z": np.trunc, "d": np.floor, "u": np.ceil}
