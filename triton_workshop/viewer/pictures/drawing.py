"""Pictures inside a slide: their size in cells, and half-blocks for them.

Half-blocks are for terminals that cannot show pictures.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from triton_workshop.screen.lines import strip
from triton_workshop.screen.palette import DARK, Palette
from triton_workshop.screen.printed_pictures import PrintedPicture
from triton_workshop.terminal import Terminal
from triton_workshop.terminal_pictures import MAX_PICTURE_COLUMNS, UPPER_HALF_BLOCK, Colour, half_block_colours
from triton_workshop.viewer.pictures.cell_drawings import CellDrawing, drawings

if TYPE_CHECKING:
    from PIL.Image import Image

Source = Path | PrintedPicture


@dataclass(frozen=True)
class ScaledPicture:
    """A picture with its size in cells."""

    source: Source
    columns: int
    rows: int
    background: str
    """The colour below transparent pixels."""


@dataclass(frozen=True)
class PlacedPicture:
    """A picture that the terminal shows, with its position in cells."""

    picture: ScaledPicture
    x: int
    y: int

    def moved(self, x: int, y: int) -> PlacedPicture:
        """Return it at another position, further by (x, y)."""
        return replace(self, x=self.x + x, y=self.y + y)


def open_picture(source: Source) -> Image:
    """Open a picture, and read no more than its size yet.

    Raises Pillow's errors.
    """
    from PIL.Image import open as open_file  # not before there is a picture

    return open_file(io.BytesIO(source.data) if isinstance(source, PrintedPicture) else source)


@lru_cache(maxsize=64)
def pixel_size(source: Source) -> tuple[int, int] | None:
    """Return the width and height, or None for a file that is no picture."""
    if isinstance(source, PrintedPicture):
        return source.width, source.height
    from PIL import Image

    try:
        with open_picture(source) as image:
            return image.size
    except (OSError, ValueError, Image.DecompressionBombError):
        return None


def clear_picture_caches() -> None:
    """Drop everything that was read from picture files, after a save."""
    pixel_size.cache_clear()
    half_blocks.cache_clear()
    drawings.cache_clear()


def output_cells(picture: PrintedPicture, columns: int, rows: int, terminal: Terminal) -> tuple[int, int]:
    """Return the columns and rows of a picture in an output.

    It is as large as it can be, so that everybody sees it, but at most as wide as `show_image` prints one in
    characters, and no pixel is wider than a cell.
    """
    columns = min(columns, MAX_PICTURE_COLUMNS, picture.width)
    return terminal.cells_for((picture.width, picture.height), 100, columns, rows)


def flat_picture(source: Source, background: str, width: int, height: int) -> Image | None:
    """Return a picture in RGB on a background, or None if it cannot be read.

    `width` and `height` are the pixels that will be drawn: a file that can be read faster in a smaller size (JPEG) is
    read in one that is not much larger.
    """
    from PIL import Image

    try:
        with open_picture(source) as file:
            file.draft("RGB", (width, height))
            if not file.has_transparency_data:
                return file.convert("RGB")
            layer = file.convert("RGBA")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
    return Image.alpha_composite(Image.new("RGBA", layer.size, background), layer).convert("RGB")


@lru_cache(maxsize=32)
def half_blocks(picture: ScaledPicture) -> tuple[Strip, ...] | None:
    """Draw a picture in characters of two pixels each, one above the other.

    Return None if it cannot be read.
    """
    columns, rows = picture.columns, picture.rows
    flat = flat_picture(picture.source, picture.background, columns * 2, rows * 4)
    if flat is None:
        return None

    @cache
    def style(upper: Colour, lower: Colour) -> Style:
        return Style(color=Color.from_rgb(*upper), bgcolor=Color.from_rgb(*lower))

    return tuple(
        Strip([Segment(UPPER_HALF_BLOCK * len(list(same)), style(*cell)) for cell, same in groupby(row)], columns)
        for row in half_block_colours(flat, columns, rows)
    )


def draw_cells(drawing: CellDrawing, palette: Palette, width: int) -> list[Strip]:
    """Draw the rows of a diagram in characters.

    On a light slide it has its own dark ground, as a picture does.
    """
    if palette.dark:
        return [strip(line, drawing.columns, palette.base) for line in drawing.lines]
    edge = Segment(" " * int(drawing.columns + 2 <= width), DARK.base)
    return [Strip([edge, *strip(line, drawing.columns, DARK.base), edge]) for line in drawing.lines]
