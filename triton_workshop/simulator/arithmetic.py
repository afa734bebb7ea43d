"""Arithmetic that numpy has not, or does otherwise than a GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime import interpreter as upstream

from triton_workshop.simulator.formats import NUMPY, Array, held_as, narrowed, odd, rounded
from triton_workshop.simulator.races import bits


def divide_towards_zero(a: Array, b: Array) -> Array:
    return np.asarray((a - np.fmod(a, b)) // b)


def high_half(a: Array, b: Array) -> Array:
    """The upper half of the product, both taken as unsigned."""
    width = a.dtype.itemsize * 8
    x, y = (part.astype(a.dtype).view(f"u{a.dtype.itemsize}").astype(np.uint64) for part in np.broadcast_arrays(a, b))
    if width < 64:
        return (x * y >> np.uint64(width)).astype(f"u{a.dtype.itemsize}").view(a.dtype)
    low, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    cross = (x & low) * (y & low) >> shift
    first = (x >> shift) * (y & low) + cross
    second = (x & low) * (y >> shift) + (first & low)
    return np.asarray(((x >> shift) * (y >> shift) + (first >> shift) + (second >> shift)).view(a.dtype))


def fused(dtype: Any, x: Array, y: Array, z: Array) -> Array:
    """x * y + z, rounded once."""
    fuse = getattr(upstream._interpreter, {tl.float32: "fma_fp32", tl.float64: "fma_fp64"}.get(dtype, ""), None)
    if fuse is not None:
        return np.asarray(fuse(*(np.ascontiguousarray(part) for part in (x, y, z))))
    if dtype is tl.float64:
        return np.asarray(x * y + z)
    total = _sum_to_odd(np.multiply(x, y, dtype=np.float64), z.astype(np.float64))
    return total.astype(held_as(dtype)) if dtype in NUMPY else rounded(narrowed(total), dtype)


def _sum_to_odd(a: Array, b: Array) -> Array:
    """a + b in float64, odd where it is not exact."""
    total = a + b
    part = total - a
    return odd(total, (a - (total - part)) + (b - part))


def compare_and_swap(old: Array, expected: Array, new: Array) -> Array:
    """By their bits, as memory does: a NaN equals itself, and the two zeros differ."""
    return np.where(bits(old) == bits(expected), new, old)


def _in_order(data: Array) -> Array:
    """Integers in the order that a GPU's atomics see: they compare the bits of floats, so -0.0 is less than 0.0."""
    if data.dtype.kind != "f":
        return data
    signed = bits(data).view(f"i{data.itemsize}")
    return np.where(signed < 0, signed ^ np.iinfo(signed.dtype).max, signed)


def _smaller(old: Array, new: Array) -> Array:
    return np.where(_in_order(new) < _in_order(old), new, old)


def _larger(old: Array, new: Array) -> Array:
    return np.where(_in_order(new) > _in_order(old), new, old)


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
