"""A module of a script's own, which its kernels reach into."""

from __future__ import annotations

import triton

from . import constants


@triton.jit
def shifted(x):
    return x + constants.ONE
