"""Results rounded up, down or towards zero: exact, from what an operation leaves over."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from triton_simulator.values import arithmetic
from triton_simulator.values.formats import Array, odd

Directed = Callable[..., Array]
MODES = "nzdu"
"""To nearest, towards zero, down and up, as the names of functions end: `add_rz`."""


def rounded_as(mode: str, near: Array, error: Array) -> Array:
    """The neighbour of `near` that a mode asks for, where the exact result is `near + error`: its sign says all."""
    if mode == "n":
        return near
    up = np.nextafter(near, near.dtype.type(np.inf))
    down = np.nextafter(near, near.dtype.type(-np.inf))
    if mode == "z":
        return np.where(error * np.where(np.signbit(near), -1, 1) < 0, np.where(np.signbit(near), up, down), near)
    return np.where(error > 0, up, near) if mode == "u" else np.where(error < 0, down, near)


def of_sum(mode: str, total: Array, rest: Array, dtype: Any) -> Array:
    """`total + rest` in a dtype: an exact sum of two numbers of float64."""
    near = total.astype(dtype)
    left = total - near
    error = np.where(np.isfinite(total), np.where(left == 0, rest, left), 0)
    if mode == "n" and dtype == np.float32:  # total may have been rounded before
        near = odd(total, rest).astype(dtype)
    return rounded_as(mode, near, error)


def add(mode: str, x: Array, y: Array) -> Array:
    total, rest = arithmetic.exact_sum(x.astype(np.float64), y.astype(np.float64))
    result = of_sum(mode, total, np.where(np.isfinite(rest), rest, 0), x.dtype)
    result = np.where(np.isinf(total) & np.isfinite(x) & np.isfinite(y), _overflow(mode, total, x.dtype), result)
    opposite = (result == 0) & ((x != 0) | (np.signbit(x) != np.signbit(y)))
    return np.where(opposite, x.dtype.type(-0.0), result) if mode == "d" else result


def subtract(mode: str, x: Array, y: Array) -> Array:
    return add(mode, x, -y)


def _overflow(mode: str, total: Array, dtype: Any) -> Array:
    infinite = total.astype(dtype)
    return rounded_as(mode, infinite, -total)


def multiply(mode: str, x: Array, y: Array) -> Array:
    (a, e), (b, f) = np.frexp(x.astype(np.float64)), np.frexp(y.astype(np.float64))
    product, rest = arithmetic.exact_product(a, b)
    near = x * y
    left = product - np.ldexp(near.astype(np.float64), -(e + f))
    finite = np.isfinite(x) & np.isfinite(y)
    return rounded_as(mode, near, np.where(finite, np.where(left == 0, rest, left), 0))


def divide(mode: str, x: Array, y: Array) -> Array:
    near = x / y
    (a, e), (b, f) = np.frexp(x.astype(np.float64)), np.frexp(y.astype(np.float64))
    quotient = np.ldexp(near.astype(np.float64), f - e)
    product, rest = arithmetic.exact_product(quotient, b)
    left = np.where(np.isinf(near), -near, ((a - product) - rest) * np.sign(b))
    finite = np.isfinite(x) & np.isfinite(y) & (y != 0)
    return rounded_as(mode, near, np.where(finite, left, 0))


def reciprocal(mode: str, x: Array) -> Array:
    return divide(mode, np.ones_like(x), x)


def square_root(mode: str, x: Array) -> Array:
    near = np.sqrt(x)
    wide, root = x.astype(np.float64), near.astype(np.float64)
    half = np.where(x > 0, np.frexp(root)[1], 0)
    root = np.ldexp(root, -half)
    square, rest = arithmetic.exact_product(root, root)
    left = (np.ldexp(np.ldexp(wide, -half), -half) - square) - rest
    return rounded_as(mode, near, np.where(np.isfinite(x) & (x > 0), left, 0))


def fused(mode: str, x: Array, y: Array, z: Array) -> Array:
    if x.dtype == np.float32:
        total, rest = arithmetic.exact_sum(np.multiply(x, y, dtype=np.float64), z.astype(np.float64))
        result, zero = of_sum(mode, total, rest, x.dtype), total == 0
    else:
        near = arithmetic.fused_double(x, y, z)
        if mode == "n":
            return near
        error = _error_of_fused(x, y, z, near)
        result, zero = rounded_as(mode, near, error), (near == 0) & (error == 0)
    positive = (z == 0) & ~np.signbit(z) & (np.signbit(x) == np.signbit(y))
    return np.where(zero & ~positive, x.dtype.type(-0.0), result) if mode == "d" else result


def _exact_error(x: float, y: float, z: float, near: float) -> float:
    if not np.isfinite([x, y, z]).all():
        return 0.0
    if np.isinf(near):
        return -near
    error = Fraction(x) * Fraction(y) + Fraction(z) - Fraction(near)
    return float(error > 0) - float(error < 0)


_error_of_fused = np.vectorize(_exact_error, otypes=[np.float64])


def from_integer(mode: str, x: Array, dtype: Any) -> Array:
    """An integer of up to 64 bits, split in two halves that are exact."""
    high, low = (x >> x.dtype.type(16)).astype(np.int64), (x & x.dtype.type(0xFFFF)).astype(np.float64)
    if x.dtype.itemsize == 8:
        high = x >> x.dtype.type(32)
        low = (x & x.dtype.type(0xFFFFFFFF)).astype(np.float64)
    total, rest = arithmetic.exact_sum(high.astype(np.float64) * 2.0 ** (4 * x.dtype.itemsize), low)
    return of_sum(mode, total, rest, dtype)


def narrowed(mode: str, x: Array) -> Array:
    """float64 as float32."""
    near = x.astype(np.float32)
    return rounded_as(mode, near, np.where(np.isfinite(x), x - near, 0))


WHOLE = {"n": np.rint, "z": np.trunc, "d": np.floor, "u": np.ceil}
