"""Levels of a block, a whole number for each cell, in rows and columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]


def fit(levels: Array, height: int, width: int) -> Array:
    """Return a block, scaled to at most this height and width.

    It grows by a whole number. Where it shrinks, each pixel has the greatest of its levels.
    """
    import numpy as np  # the viewer starts without it

    scale = max(1, min(height // levels.shape[0], width // levels.shape[1]))
    if scale > 1:
        return levels.repeat(scale, axis=0).repeat(scale, axis=1)
    for axis, size in enumerate((height, width)):
        if levels.shape[axis] > size:
            starts = np.arange(size) * levels.shape[axis] // size
            levels = np.maximum.reduceat(levels, starts, axis=axis)
    return levels


def fold(length: int, width: int) -> tuple[int, int]:
    """Return the rows and columns of a roughly square block for a vector.

    The number of columns is a power of 2, as the sizes of blocks are.
    """
    columns = min(length, 1 << max(width.bit_length() - 1, 0))
    while columns > 8 and columns * columns > 8 * length:
        columns //= 2
    return -(-length // columns), columns
