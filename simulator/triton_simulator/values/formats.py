"""Representation of Triton's types in numpy.

A value may have another representation than memory.

A value of bfloat16 or of an 8-bit float is held as float32, of which it is a subset, and every operation rounds its
result to that subset. In memory it has its own bits.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import triton.language as tl
from numpy.typing import NDArray

from triton_simulator.signals import Numbers

Array = NDArray[Any]

_NATIVE: dict[Any, Any] = {
    tl.int1: np.bool_,
    tl.int8: np.int8,
    tl.uint8: np.uint8,
    tl.int16: np.int16,
    tl.uint16: np.uint16,
    tl.int32: np.int32,
    tl.uint32: np.uint32,
    tl.int64: np.int64,
    tl.uint64: np.uint64,
    tl.float16: np.float16,
    tl.float32: np.float32,
    tl.float64: np.float64,
}
NUMPY: dict[Any, np.dtype[Any]] = {dtype: np.dtype(native) for dtype, native in _NATIVE.items()}

SMALL_FLOATS = frozenset({tl.float8e5, tl.float8e5b16, tl.float8e4nv, tl.float8e4b8, tl.float8e4b15})
_STORED: dict[Any, np.dtype[Any]] = {
    **NUMPY,
    tl.bfloat16: np.dtype(np.uint16),
    **{small: np.dtype(np.uint8) for small in SMALL_FLOATS},
}

_ADDRESS = np.dtype(np.uint64)

UNDEFINED_BITS = 0xDEADBEEFDEADBEEF
"""The bits of an undefined integer. An undefined float is a NaN."""


def value_dtype(dtype: Any) -> np.dtype[Any]:
    """Return the numpy dtype of a value.

    It is float32 for bfloat16 and 8-bit floats, int64 (an element index) for pointers.
    """
    if dtype in NUMPY:
        return NUMPY[dtype]
    return np.dtype(np.int64 if dtype.is_ptr() else np.float32)


def storage_dtype(dtype: Any) -> np.dtype[Any]:
    """Return the numpy dtype of an element in memory."""
    return _STORED.get(dtype, _ADDRESS)


def item_bytes(dtype: Any) -> int:
    """Return the bytes of an element in memory."""
    return storage_dtype(dtype).itemsize


def bits(values: Array) -> Array:
    """Return values as bits, for comparison: a NaN equals itself."""
    return values.view(f"u{values.itemsize}") if values.dtype.kind in "fb" else values


def round_to_dtype(data: Array, dtype: Any) -> Array:
    """Round float32 `data` to bfloat16 or an 8-bit float.

    The nearest value is taken; other types are left alone.
    """
    if dtype is tl.bfloat16:
        return round_to_bits(data, 16)
    if dtype in SMALL_FLOATS:
        return decode(_nearest_small(data, dtype), dtype)
    return data


def round_to_bits(data: Array, dropped: int) -> Array:
    """Round float32 to nearest even, without its lowest mantissa bits.

    It drops `dropped` of them. NaN and infinity are kept.
    """
    data = np.ascontiguousarray(data, dtype=np.float32)
    bits = data.view(np.uint32)
    # Adding just under a half, and one more if the kept part is odd, carries where nearest-even rounds up.
    half = np.uint32((1 << (dropped - 1)) - 1)
    lowest = (bits >> np.uint32(dropped)) & np.uint32(1)
    nearest = ((bits + half + lowest) & np.uint32(0xFFFFFFFF << dropped & 0xFFFFFFFF)).view(np.float32)
    # Rounding would turn some NaNs into infinity, or by the carry into zero.
    special = (bits & np.uint32(0x7F800000)) == np.uint32(0x7F800000)
    return np.where(special, data, nearest) if special.any() else nearest


def flush_subnormals(data: Array) -> Array:
    """Return float32 with zeros for subnormal numbers.

    Other types are left alone.
    """
    if data.dtype != np.float32:
        return data
    small = np.abs(data) < np.finfo(np.float32).tiny
    return np.where(small, np.copysign(np.float32(0), data), data) if small.any() else data


def cut_bits(data: Array, dropped: int) -> Array:
    """Return float32 without its `dropped` lowest mantissa bits.

    NaN is kept.
    """
    bits = np.ascontiguousarray(data, dtype=np.float32).view(np.uint32)
    cut = (bits & np.uint32(0xFFFFFFFF << dropped & 0xFFFFFFFF)).view(np.float32)
    # If all bits of its fraction are cut, a NaN becomes infinity.
    nan = np.isnan(data)
    return np.where(nan, data, cut) if nan.any() else cut


def round_to_odd(nearest: Array, error: Array) -> Array:
    """Return `nearest` with an odd last bit where an error is left.

    Rounding it once more then rounds as if only once.

    Source: S. Boldo, G. Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to
    odd", 2008.
    """
    # An odd last bit stands for "not exact", so a second rounding never sees a tie that is none.
    even = nearest.view(f"i{nearest.itemsize}") & 1 == 0
    neighbour = np.nextafter(nearest, np.where(error > 0, np.inf, -np.inf).astype(nearest.dtype))
    return np.where(np.isfinite(error) & (error != 0) & even, neighbour, nearest)


def narrow_to_float32(data: Array) -> Array:
    """Return float64 as float32, to be rounded once more."""
    nearest = data.astype(np.float32)
    return round_to_odd(nearest, data - nearest)


def encode(data: Array, dtype: Any) -> Array:
    """Return a value's bits as memory holds them.

    They are the bits that `decode` made it from, infinity and kinds of NaN included.
    """
    if dtype is tl.bfloat16:
        return (np.ascontiguousarray(data, dtype=np.float32).view(np.uint32) >> np.uint32(16)).astype(np.uint16)
    if dtype not in SMALL_FLOATS:
        return data
    codes = _nearest_small(data, dtype)
    special = ~np.isfinite(data)
    if not special.any():
        return codes
    # It is the upper half of a float16, with infinity, and with a NaN for each fraction.
    if dtype is tl.float8e5:
        fraction = np.ascontiguousarray(data, dtype=np.float32).view(np.uint32) >> np.uint32(21) & np.uint32(3)
        codes = np.where(special, np.uint8(0x7C) | fraction.astype(np.uint8), codes)
    # These two have one NaN, whose code is that of a negative zero: it has no sign to set.
    if dtype is not tl.float8e5b16 and dtype is not tl.float8e4b8:
        codes = codes | (special & np.signbit(data)).astype(np.uint8) << np.uint8(7)
    return codes


def decode(stored: Array, dtype: Any) -> Array:
    """Return the value that bits in memory stand for."""
    if dtype is tl.bfloat16:
        return (stored.astype(np.uint32) << np.uint32(16)).view(np.float32)
    if dtype in SMALL_FLOATS:
        return _small_values(dtype).take(stored)
    return stored


def truncate_to_dtype(data: Array, dtype: Any) -> Array:
    """Round `data` towards zero, to values of `dtype`."""
    if dtype is tl.float16:
        # numpy only rounds to nearest: where that went away from zero, the number before is right.
        nearest = data.astype(np.float16)
        return np.where(
            np.abs(nearest.astype(data.dtype)) > np.abs(data), np.nextafter(nearest, np.float16(0)), nearest
        )
    if dtype is tl.bfloat16:
        bits = np.ascontiguousarray(data, dtype=np.float32).view(np.uint32)
        return (bits & np.uint32(0xFFFF0000)).view(np.float32)
    if dtype in SMALL_FLOATS:
        return decode(_nearest_small(data, dtype, towards_zero=True), dtype)
    return data.astype(value_dtype(dtype))


def to_integers(data: Array, dtype: Any) -> Array:
    """Return floats as integers, rounded towards zero.

    Those out of range become the nearest integer.

    NaN becomes 0, or where 64 bits take part only the highest bit. LLVM leaves all these undefined; this is what PTX's
    `cvt.rzi` gives, which makes bytes from integers of 16 bits.
    """
    if dtype is tl.int8 or dtype is tl.uint8:
        return to_integers(data, tl.int16 if dtype is tl.int8 else tl.uint16).astype(value_dtype(dtype))
    target = value_dtype(dtype)
    minimum, maximum = np.iinfo(target).min, np.iinfo(target).max
    # The largest integer may round up as a float, so the comparison there is exclusive.
    fits = (data >= float(minimum)) & (data < float(maximum))
    if fits.all():
        return data.astype(target)
    is_wide = data.dtype.itemsize == 8 or target.itemsize == 8
    highest_bit = minimum if minimum else maximum // 2 + 1
    nan_value = target.type(highest_bit if is_wide else 0)
    nearest = np.where(data > 0, target.type(maximum), np.where(np.isnan(data), nan_value, target.type(minimum)))
    return np.where(fits, np.where(fits, data, 0).astype(target), nearest)


@functools.cache
def _small_values(dtype: Any) -> Array:
    """Return the 256 values of an 8-bit float, as float32."""
    mantissa = dtype.fp_mantissa_width
    codes = np.arange(128)
    exponent, fraction = codes >> mantissa, (codes & ((1 << mantissa) - 1)) / (1 << mantissa)
    normal = (1 + fraction) * 2.0 ** (exponent - dtype.exponent_bias)
    values = np.where(exponent == 0, fraction * 2.0 ** (1 - dtype.exponent_bias), normal)
    if dtype is tl.float8e5:
        values[0x7C], values[0x7D:] = np.inf, np.nan
    elif dtype is tl.float8e4nv:
        values[0x7F] = np.nan
    both = np.concatenate([values, -values]).astype(np.float32)
    if dtype in (tl.float8e5b16, tl.float8e4b8):
        both[0x80] = np.nan  # these have one zero, and their only NaN where the other would be
    if dtype is tl.float8e5:  # the kinds of NaN stay apart
        bits = both.view(np.uint32)
        kinds = [0x7F800000 | kind << 21 for kind in (1, 2, 3)]
        bits[np.isnan(both)] = [*kinds, *(1 << 31 | kind for kind in kinds)]
    return both


def _nearest_small(data: Array, dtype: Any, *, towards_zero: bool = False) -> Array:
    """Return the codes of the nearest 8-bit floats.

    They are rounded to nearest even, or towards zero, and saturate at the largest finite value, as `cvt.satfinite`
    does.
    """
    values = _small_values(dtype)
    finite = values[:128][np.isfinite(values[:128])]
    magnitude = np.minimum(np.abs(data), finite[-1])
    # From 1 on: zero counts as just below the least positive number, and is rounded down to itself.
    above = np.clip(np.searchsorted(finite, magnitude, side="left"), 1, len(finite) - 1)
    low, high = finite[above - 1], finite[above]
    exact = magnitude == high
    middle = (low.astype(np.float64) + high) / 2
    up = exact if towards_zero else exact | (magnitude > middle) | ((magnitude == middle) & (above % 2 == 0))
    # Codes of positive numbers count up with their values, so a code is a place in the sorted values.
    code = np.where(up, above, above - 1).astype(np.uint8)
    negative = np.signbit(data)
    if dtype in (tl.float8e5b16, tl.float8e4b8):
        # A negative zero would have the code of their NaN.
        negative &= code != 0
        nan = np.uint8(0x80)
    else:
        nan = np.uint8(0x7F)
    return np.where(np.isnan(data), nan, code | (negative.astype(np.uint8) << 7)).astype(np.uint8)


@functools.cache
def undefined_value(dtype: Any, numbers: Numbers = Numbers.ABSURD) -> Any:
    """Return the value of an element that nothing defined."""
    native = value_dtype(dtype)
    if numbers is Numbers.ZERO:
        return native.type(0)
    if numbers is not Numbers.ABSURD:
        return _extreme(native, largest=numbers is Numbers.LARGEST)
    if native.kind == "f":
        return native.type(np.nan)
    if native.kind == "b":
        return np.True_
    unsigned = np.dtype(f"u{native.itemsize}")
    return np.array([UNDEFINED_BITS & ((1 << 8 * native.itemsize) - 1)], unsigned).view(native)[0]


def _extreme(native: np.dtype[Any], *, largest: bool) -> Any:
    if native.kind == "f":
        return native.type(np.inf if largest else -np.inf)
    if native.kind == "b":
        return np.bool_(largest)
    limits = np.iinfo(native)
    # The least number of all has no opposite: its absolute value would be negative.
    return native.type(limits.max if largest else limits.min + (native.kind == "i"))


def compute_rounded(function: Callable[..., Array], dtype: Any, *operands: Array) -> Array:
    """Return an operation's result, rounded to `dtype`.

    numpy alone does not round all of them.
    """
    result = function(*operands)
    return result if dtype in NUMPY else round_to_dtype(result, dtype)
