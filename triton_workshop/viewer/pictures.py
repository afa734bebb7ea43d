"""Pictures inside a slide: how large they are in cells, and half-blocks where the terminal knows nothing better."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

if TYPE_CHECKING:
    from textual.widget import Widget


@dataclass(frozen=True)
class Graphics:
    """What the terminal can do: the widget that shows real pictures, if it can, and a cell's size in pixels."""

    widget: Callable[..., Widget] | None = None
    cell_width: int = 10
    cell_height: int = 20


HALF_BLOCKS = Graphics()


def ask_terminal() -> Graphics:
    """Asks the terminal what it can do. Must come before Textual starts: from then on the answer would be a key."""
    from textual_image import renderable
    from textual_image._terminal import get_cell_size
    from textual_image.widget import Image

    cell = get_cell_size()
    widget = Image if renderable.Image in (renderable.SixelImage, renderable.TGPImage) else None
    return Graphics(widget, max(cell.width, 1), max(cell.height, 1))


@lru_cache(maxsize=64)
def pixel_size(path: Path) -> tuple[int, int] | None:
    """Width and height; None for a file that is no picture."""
    from PIL import Image

    try:
        with Image.open(path) as image:
            return image.size
    except (OSError, ValueError, Image.DecompressionBombError):
        return None


def cells_for(
    pixels: tuple[int, int], percent: int | None, columns: int, rows: int, graphics: Graphics
) -> tuple[int, int]:
    """Columns and rows of a picture: the percentage of the room or its natural size, shrunk to fit the room."""
    width, height = (max(side, 1) for side in pixels)
    wide = columns * percent / 100 if percent else width / graphics.cell_width
    # Rows per column of the picture: its own shape times the cell's.
    shape = height / width * graphics.cell_width / graphics.cell_height
    wide = min(wide, columns, rows / shape)
    return max(1, round(wide)), max(1, round(wide * shape))


@lru_cache(maxsize=32)
def half_blocks(path: Path, columns: int, rows: int, background: str) -> tuple[Strip, ...] | None:
    """The picture in characters that show two pixels each, one above the other; None where it cannot be read."""
    from PIL import Image

    from triton_workshop.half_blocks import UPPER_HALF_BLOCK, Colour, half_block_colours

    try:
        with Image.open(path) as file:
            file.draft("RGB", (columns * 2, rows * 4))
            picture = file.convert("RGBA")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
    canvas = Image.new("RGBA", picture.size, background)
    flat = Image.alpha_composite(canvas, picture)

    def cell(upper: Colour, lower: Colour) -> Segment:
        return Segment(UPPER_HALF_BLOCK, Style(color=Color.from_rgb(*upper), bgcolor=Color.from_rgb(*lower)))

    return tuple(
        Strip([cell(upper, lower) for upper, lower in row], columns) for row in half_block_colours(flat, columns, rows)
    )
