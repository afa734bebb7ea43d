"""Triton's and Python's own error messages, in words for somebody who writes a first kernel."""

from __future__ import annotations

import re

EXPLANATIONS = (
    (
        r"object of type 'int' has no len|'int' object is not (iterable|subscriptable)",
        "A grid is a tuple, even with one number: grid = (n,), with the comma.",
    ),
    (r"can only concatenate list", "A grid is a tuple, in parentheses, not a list."),
    (
        r"'float' object cannot be interpreted as an integer",
        "`/` gives a float. A grid counts programs: cdiv(elements, block) rounds up to a whole number.",
    ),
    (
        r"has no attribute 'grid_idx'|`_semantic` argument must be provided|Cannot call @triton\.jit'd outside",
        "A kernel is launched on a grid: name_of_the_kernel[grid](...), with the brackets.",
    ),
    (r"[Ee]llipsis", "A `...` stands where a value belongs."),
    (
        r"Cannot make_shape_compatible|could not be broadcast|incompatible dimensions",
        "Two blocks whose shapes do not go together. rows[:, None] is a column and cols[None, :] a row; "
        "together they make a 2-D block.",
    ),
    (
        r"arange's (range|arguments)|must be a power of 2",
        "The size of a block is a power of two, and fixed when the kernel is compiled: a tl.constexpr.",
    ),
    (
        r"missing \d+ required positional argument",
        "Compare the call with the kernel's parameters: each of them needs a value.",
    ),
)


def explain(message: str) -> str:
    """What an error message means for a kernel or a launch; empty where nothing helps more than the message."""
    return next((words for pattern, words in EXPLANATIONS if re.search(pattern, message)), "")
