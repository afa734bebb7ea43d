"""Arithmetic that numpy has not, or does otherwise than a GPU."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import triton.language as tl

from triton_simulator.values.formats import (
    NUMPY,
    Array,
    bits,
    narrow_to_float32,
    round_to_dtype,
    round_to_odd,
    value_dtype,
)


def divide_towards_zero(a: Array, b: Array) -> Array:
    """Return the integer quotient, rounded towards zero."""
    return np.asarray((a - np.fmod(a, b)) // b)


def high_half(a: Array, b: Array) -> Array:
    """Return the upper half of the product, both taken as unsigned."""
    width = a.dtype.itemsize * 8
    x, y = (
        operand.astype(a.dtype).view(f"u{a.dtype.itemsize}").astype(np.uint64) for operand in np.broadcast_arrays(a, b)
    )
    if width < 64:
        return (x * y >> np.uint64(width)).astype(f"u{a.dtype.itemsize}").view(a.dtype)
    # 64 bits have no wider type: the product is put together from products of 32-bit halves.
    low, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    # No sum below overflows: (2³² - 1)² + 2 (2³² - 1) still fits 64 bits.
    cross = (x & low) * (y & low) >> shift
    first = (x >> shift) * (y & low) + cross
    second = (x & low) * (y >> shift) + (first & low)
    return np.asarray(((x >> shift) * (y >> shift) + (first >> shift) + (second >> shift)).view(a.dtype))


def fused_multiply_add(dtype: Any, x: Array, y: Array, z: Array) -> Array:
    """Return x * y + z, rounded once."""
    if dtype is tl.float64:
        return fused_float64(x, y, z)
    # A float32 product is exact in float64, and the sum is rounded to odd, so rounding it again is right.
    total = _sum_to_odd(np.multiply(x, y, dtype=np.float64), z.astype(np.float64))
    return total.astype(value_dtype(dtype)) if dtype in NUMPY else round_to_dtype(narrow_to_float32(total), dtype)


def fused_float64(x: Array, y: Array, z: Array) -> Array:
    """Return x * y + z in float64, rounded once.

    The product and the sum are kept exactly, as two numbers each, and what is left of them is rounded to odd
    (S. Boldo and G. Melquiond, "Emulation of FMA and Correctly Rounded Sums: Proved Algorithms Using Rounding to Odd",
    IEEE Transactions on Computers 57, 2008, figure 4).
    """
    x, y, z = np.broadcast_arrays(x, y, z)
    product, residual = exact_product(x, y)
    low, lowest = exact_sum(z, residual)
    high, middle = exact_sum(product, low)
    total = high + _sum_to_odd(middle, lowest)
    result = np.asarray(np.where(np.isfinite(total) & (product != 0), total, product + z))
    # That holds for numbers whose halves do not overflow, and whose product has an error that does not underflow.
    size, largest = np.abs(product), np.maximum.reduce([np.abs(x), np.abs(y), np.abs(z)])
    is_moderate = (size > 2.0**-900) & (size < 2.0**990) & (largest < 2.0**990)
    is_simple = ~np.isfinite(x) | ~np.isfinite(y) | (x == 0) | (y == 0)
    rest = ~(is_moderate | is_simple)
    terms = zip(x[rest].tolist(), y[rest].tolist(), z[rest].tolist(), strict=True)
    result[rest] = [_fuse_exactly(*each) for each in terms]
    return result


def _fuse_exactly(x: float, y: float, z: float) -> float:
    """Return x * y + z for finite x and y, rounded once.

    Fractions take a hundred times as long as floats.
    """
    if not math.isfinite(z):
        return z
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def exact_product(x: Array, y: Array) -> tuple[Array, Array]:
    """Return the product and its error, by splitting each factor in two.

    (T. J. Dekker, "A Floating-Point Technique for Extending the Available Precision", Numerische Mathematik 18, 1971.)
    """
    (x_high, x_low), (y_high, y_low) = _halves(x), _halves(y)
    product = x * y
    return product, x_low * y_low - (product - x_high * y_high - x_low * y_high - x_high * y_low)


def _halves(x: Array) -> tuple[Array, Array]:
    # Adding and subtracting a large multiple rounds to the upper 26 bits, and leaves the lower ones over.
    shifted = x * (2.0**27 + 1)
    high = shifted - (shifted - x)
    return high, x - high


def exact_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """Return the sum in float64 and its error.

    (D. E. Knuth, The Art of Computer Programming, volume 2, section 4.2.2.)
    """
    total = a + b
    virtual = total - a
    return total, (a - (total - virtual)) + (b - virtual)


def _sum_to_odd(a: Array, b: Array) -> Array:
    """Return a + b in float64, odd where it is not exact."""
    return round_to_odd(*exact_sum(a, b))


def compare_and_swap(old: Array, expected: Array, new: Array) -> Array:
    """Return `new` where `old` equals `expected`, otherwise `old`.

    They are compared by their bits, as memory does: a NaN equals itself, and the two zeros differ.
    """
    return np.where(bits(old) == bits(expected), new, old)


def _ordered_bits(data: Array) -> Array:
    """Return integers in the order that a GPU's atomics see.

    Atomics compare the bits of floats, so -0.0 is less than 0.0.
    """
    if data.dtype.kind != "f":
        return data
    signed = bits(data).view(f"i{data.itemsize}")
    return np.where(signed < 0, signed ^ np.iinfo(signed.dtype).max, signed)


def _smaller(old: Array, new: Array) -> Array:
    return np.where(_ordered_bits(new) < _ordered_bits(old), new, old)


def _larger(old: Array, new: Array) -> Array:
    return np.where(_ordered_bits(new) > _ordered_bits(old), new, old)


def _on_bits(operation: Callable[[Array, Array], Array]) -> Callable[..., Array]:
    def update(old: Array, new: Array) -> Array:
        return operation(bits(old), bits(new)).view(old.dtype)

    return update


UPDATES: dict[str, Callable[..., Array]] = {
    "ADD": np.add,
    "FADD": np.add,
    "MIN": _smaller,
    "UMIN": _smaller,
    "MAX": _larger,
    "UMAX": _larger,
    "AND": _on_bits(np.bitwise_and),
    "OR": _on_bits(np.bitwise_or),
    "XOR": _on_bits(np.bitwise_xor),
    "XCHG": lambda old, new: new,
}
