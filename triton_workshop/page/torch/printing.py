"""Text of a tensor, as PyTorch prints it with its usual settings."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from triton_workshop.page.torch.dtypes import BOOL, FLOAT32, INT64, Array
from triton_workshop.page.torch.tensor import Tensor

PRECISION, THRESHOLD, EDGE, WIDTH = 4, 1000, 3, 80


def format_tensor(self: Tensor) -> str:
    """Return the text of a tensor, with its dtype where it is not the usual."""
    prefix = "tensor("
    if not self.size_:
        # `[]` is an empty vector; of any other empty tensor, brackets would not show the shape.
        body, suffixes = "[]", [] if self.ndim == 1 else [f"size={tuple(self.shape)}"]
    else:
        body, suffixes = _format_body(self.values, len(prefix)), []
    # Numbers look like bool, int64 or float32; where there are none, only the default dtype is understood.
    usual = (BOOL, INT64, FLOAT32) if self.size_ else (FLOAT32,)
    if self.dtype not in usual:
        suffixes.append(f"dtype={self.dtype!r}")
    if self.backward_ is not None:
        suffixes.append("grad_fn=<Function>")
    elif self.requires_grad:
        suffixes.append("requires_grad=True")
    return _append_suffixes(prefix + body, suffixes)


def _append_suffixes(text: str, suffixes: list[str]) -> str:
    """Append suffixes to the numbers, on another line where they do not fit."""
    # PyTorch counts two columns more than the line has.
    last = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        fits = last + len(suffix) + 2 <= WIDTH
        text += f", {suffix}" if fits else f",\n{' ' * 7}{suffix}"
        last = last + len(suffix) + 2 if fits else 7 + len(suffix)
    return text + ")"


def _format_body(values: Array, indent: int) -> str:
    short = values.size > THRESHOLD
    visible = _edges(values) if short else values
    numbers = _format_numbers(visible)
    if not values.ndim:
        return numbers[0]
    # PyTorch takes the width of the column from finite numbers that are not zero.
    flat = visible.reshape(-1)
    is_counted = np.isfinite(flat) & (flat != 0) if values.dtype.kind == "f" else np.ones(flat.shape, np.bool_)
    width = max(map(len, itertools.compress(numbers, is_counted)), default=1)
    cells = iter(number.rjust(width) for number in numbers)
    return _format_rows(values.shape, cells, width, indent, short)


def _edges(values: Array) -> Array:
    """Return the values that are printed of many.

    They are the first and the last along each dimension.
    """
    for axis, size in enumerate(values.shape):
        if size > 2 * EDGE:
            values = np.take(values, [*range(EDGE), *range(size - EDGE, size)], axis)
    return values


def _format_rows(shape: tuple[int, ...], cells: Any, width: int, indent: int, short: bool) -> str:
    cut = short and shape[0] > 2 * EDGE
    # `_edges` has left out the middle already.
    size = 2 * EDGE if cut else shape[0]
    if len(shape) == 1:
        line_cells = [next(cells) for _ in range(size)]
        if cut:
            line_cells.insert(EDGE, " ...")
        per_line = max(1, (WIDTH - indent) // (width + 2))
        lines = [", ".join(line_cells[first : first + per_line]) for first in range(0, len(line_cells), per_line)]
        return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
    rows = [_format_rows(shape[1:], cells, width, indent + 1, short) for _ in range(size)]
    if cut:
        rows.insert(EDGE, "...")
    # As PyTorch does, with an empty line between matrices, two between blocks of them, and so on.
    return "[" + ("," + "\n" * (len(shape) - 1) + " " * (indent + 1)).join(rows) + "]"


def _format_numbers(values: Array) -> list[str]:
    """Format each number, in the notation that suits all of them.

    Values that are left out do not count.
    """
    if values.dtype.kind != "f":
        return [str(value) for value in values.reshape(-1).tolist()]
    flat = values.astype("f8").reshape(-1)
    magnitudes = np.abs(flat[np.isfinite(flat) & (flat != 0)])
    if not magnitudes.size:
        return [_format_float(value, ".0f", ".") for value in flat]
    # As in PyTorch, one value that is far from the others makes all of them scientific.
    smallest, largest = float(magnitudes.min()), float(magnitudes.max())
    is_wide = largest / smallest > 1000 or largest > 1e8
    if (magnitudes == np.ceil(magnitudes)).all():
        if is_wide:
            return [_format_float(value, f".{PRECISION}e") for value in flat]
        return [_format_float(value, ".0f", ".") for value in flat]
    is_scientific = is_wide or smallest < 1e-4
    notation = "e" if is_scientific else "f"
    return [_format_float(value, f".{PRECISION}{notation}") for value in flat]


def _format_float(value: float, spec: str, end: str = "") -> str:
    return format(value, spec) + (end if math.isfinite(value) else "")
