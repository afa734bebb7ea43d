"""How a tensor looks when it is printed: as PyTorch prints it with its usual settings."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from triton_workshop.page.torch.dtypes import BOOL, FLOAT32, INT64, Array
from triton_workshop.page.torch.tensor import Tensor

PRECISION, THRESHOLD, EDGE, WIDTH = 4, 1000, 3, 80


def text_of(self: Tensor) -> str:
    prefix = "tensor("
    if not self.size_:
        body, more = "[]", [] if self.ndim == 1 else [f"size={tuple(self.shape)}"]
    else:
        body, more = _body(self.values, len(prefix)), []
    if self.dtype not in (BOOL, INT64, FLOAT32) or (not self.size_ and self.dtype is not FLOAT32):
        more.append(f"dtype={self.dtype!r}")
    if self.backward_ is not None:
        more.append("grad_fn=<Function>")
    elif self.requires_grad:
        more.append("requires_grad=True")
    return _closed(prefix + body, more)


def _closed(text: str, more: list[str]) -> str:
    """With what is said after the numbers, on another line where it does not fit."""
    last = len(text) - text.rfind("\n") - 1 + 1
    for each in more:
        fits = last + len(each) + 2 <= WIDTH
        text += f", {each}" if fits else f",\n{' ' * 7}{each}"
        last = last + len(each) + 2 if fits else 7 + len(each)
    return text + ")"


def _body(values: Array, indent: int) -> str:
    short = values.size > THRESHOLD
    shown = _ends(values) if short else values
    numbers = _written(shown)
    if not values.ndim:
        return numbers[0]
    said = [values.dtype.kind != "f" or (math.isfinite(value) and value != 0) for value in shown.reshape(-1).tolist()]
    width = max((len(number) for number, counts in zip(numbers, said, strict=True) if counts), default=1)
    each = iter(number.rjust(width) for number in numbers)
    return _rows(values.shape, each, width, indent, short)


def _ends(values: Array) -> Array:
    """What is printed of many values: the first and the last along each dimension."""
    for axis, size in enumerate(values.shape):
        if size > 2 * EDGE:
            values = np.take(values, [*range(EDGE), *range(size - EDGE, size)], axis)
    return values


def _rows(shape: tuple[int, ...], each: Any, width: int, indent: int, short: bool) -> str:
    size, cut = shape[0], short and shape[0] > 2 * EDGE
    if len(shape) == 1:
        words = [next(each) for _ in range(2 * EDGE if cut else size)]
        if cut:
            words.insert(EDGE, " ...")
        per_line = max(1, (WIDTH - indent) // (width + 2))
        lines = [", ".join(words[first : first + per_line]) for first in range(0, len(words), per_line)]
        return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
    parts = [_rows(shape[1:], each, width, indent + 1, short) for _ in range(2 * EDGE if cut else size)]
    if cut:
        parts.insert(EDGE, "...")
    return "[" + ("," + "\n" * (len(shape) - 1) + " " * (indent + 1)).join(parts) + "]"


def _written(values: Array) -> list[str]:
    """Each number, in the notation that suits all of them; those in the middle that are not shown have no say."""
    if values.dtype.kind != "f":
        return [str(value) for value in values.reshape(-1).tolist()]
    flat = values.astype("f8").reshape(-1)
    known = np.abs(flat[np.isfinite(flat) & (flat != 0)])
    if not known.size:
        return [_float(value, ".0f", "." if math.isfinite(value) else "") for value in flat]
    least, most = float(known.min()), float(known.max())
    if (known == np.ceil(known)).all():
        if most / least > 1000 or most > 1e8:
            return [_float(value, f".{PRECISION}e") for value in flat]
        return [_float(value, ".0f", ".") for value in flat]
    scientific = most / least > 1000 or most > 1e8 or least < 1e-4
    return [_float(value, f".{PRECISION}{'e' if scientific else 'f'}") for value in flat]


def _float(value: float, how: str, end: str = "") -> str:
    return format(value, how) + (end if math.isfinite(value) else "")
