"""Triton's `flip`, as far as undefined elements are concerned.

Triton reverses a block by exclusive ors of neighbours, each of which looks undefined if one of the two is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import triton.language as tl

from triton_simulator.values.value import spread


def move_undefined(result: Any, x: Any, dim: Any = None) -> Any:
    """Return a flipped block with undefined elements where they belong.

    `result` is Triton's, and what follows are the arguments of `tl.flip`.
    """
    value = x.handle
    if getattr(value, "poison", None) is None:  # handles of Triton's own interpreter have none
        return result
    axis = len(value.shape) - 1 if dim is None else int(dim) % len(value.shape)
    moved = value.rearrange(lambda data: np.flip(spread(data, value.shape), axis + 1), value.shape)
    return tl.tensor(moved, x.type)
