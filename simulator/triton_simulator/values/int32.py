"""Range of an int32.

It is that of 32 bits, unless a small tensor stands in for one that is too large for this memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from triton_simulator.values.formats import Array

BITS = 32
_bits = BITS


@contextmanager
def narrow_to(bits: int) -> Iterator[None]:
    """Let an int32 wrap around as one of fewer bits, while this lasts.

    With 24 bits, rows that lie 2²² elements apart overflow an offset as rows that lie 2³⁰ apart do with 32.
    """
    global _bits
    previous, _bits = _bits, bits
    try:
        yield
    finally:
        _bits = previous


def is_narrow() -> bool:
    """Return whether numpy's own int32 wraps around too late."""
    return _bits < BITS


def fits(low: int, high: int) -> bool:
    """Return whether the numbers from `low` to `high` fit an int32."""
    return low >= -(1 << _bits - 1) and high < 1 << _bits - 1


def wrap(exact: Array) -> Array:
    """Return int64 numbers as an int32 holds them."""
    half = 1 << _bits - 1
    return ((exact + half) % (2 * half) - half).astype(np.int32)
