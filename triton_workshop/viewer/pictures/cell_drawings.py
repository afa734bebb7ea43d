"""Text versions of a deck's diagrams, for terminals without pictures.

NAME.COLUMNS.ans lies in the same folder as NAME.png.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from rich.cells import cell_len
from rich.text import Text


@dataclass(frozen=True)
class CellDrawing:
    """Lines of a diagram, in their own colours or the screen's."""

    lines: tuple[Text, ...]
    columns: int


def drawing_files(picture: Path) -> list[Path]:
    """Return the text versions of a picture."""
    return sorted(path for path in picture.parent.glob("*.ans") if path.name.rsplit(".", 2)[0] == picture.stem)


@lru_cache(maxsize=64)
def drawings(picture: Path) -> tuple[CellDrawing, ...]:
    """Return a picture's text versions, the widest first.

    A file that is empty or cannot be read is left out.
    """
    readable = [drawing for path in drawing_files(picture) if (drawing := _read(path)) is not None]
    return tuple(sorted(readable, key=lambda drawing: -drawing.columns))


def drawing_for(picture: Path, columns: int, rows: int | None = None) -> CellDrawing | None:
    """Return the widest text version that fits, or None.

    If none fits the rows, the lowest one that fits the columns is returned.
    """
    fitting = [drawing for drawing in drawings(picture) if drawing.columns <= columns]
    most_rows = math.inf if rows is None else rows
    low = [drawing for drawing in fitting if len(drawing.lines) <= most_rows]
    return next(iter(low), min(fitting, key=lambda drawing: len(drawing.lines), default=None))


def _read(path: Path) -> CellDrawing | None:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    lines = tuple(Text.from_ansi(line) for line in text.splitlines())
    if not lines:
        return None
    return CellDrawing(lines, max(cell_len(line.plain) for line in lines))
