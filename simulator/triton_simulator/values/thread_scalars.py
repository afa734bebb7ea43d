"""Scalars that only one thread of a program is sure to have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from triton_simulator.values.formats import Array

WARP = 32
"""Threads that run in step."""
Share = Callable[[], None]
"""Is called where all threads need the number."""


class ThreadScalar(np.ndarray[Any, np.dtype[Any]]):
    """A scalar of each program, and whatever numpy makes of it."""

    share: Share | None

    def __array_finalize__(self, source: Any) -> None:
        self.share = getattr(source, "share", None)


def thread_scalar(data: Array, share: Share) -> Array:
    """Return data that calls `share` once all threads need it."""
    result = data.view(ThreadScalar)
    result.share = share
    return result


def block_data(data: Array, size: int) -> Array:
    """Return the same data, for a block of `size` elements.

    A block of more than a warp takes part in other threads, which then need it.
    """
    if type(data) is not ThreadScalar:
        return data
    if data.share is not None and size > WARP:
        data.share()
    return data.view(np.ndarray)
