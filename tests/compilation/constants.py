"""Constants of a script's own."""

import triton.language as tl

ONE = tl.constexpr(1.0)
