"""Draws a picture in characters, each showing two pixels, one above the other. Imports no torch, for the viewer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image

Colour = tuple[int, int, int]
"""Red, green, blue, 0 to 255 each."""

UPPER_HALF_BLOCK = "▀"
WIDEST_PICTURE = 96
"""Columns beyond which a picture in an output would push everything else off the screen."""


def half_block_colours(image: Image, columns: int, rows: int) -> Iterator[list[tuple[Colour, Colour]]]:
    """Row by row, the colours of the upper and the lower pixel that each character shows."""
    from PIL.Image import Resampling  # not before there is a picture: the viewer starts without it

    pixels = image.convert("RGB").resize((columns, 2 * rows), Resampling.LANCZOS, reducing_gap=3.0).tobytes()
    colours = list(zip(pixels[0::3], pixels[1::3], pixels[2::3], strict=True))
    lines = [colours[columns * y : columns * (y + 1)] for y in range(2 * rows)]
    for upper, lower in zip(lines[0::2], lines[1::2], strict=True):
        yield list(zip(upper, lower, strict=True))


def half_blocks(image: Image, columns: int) -> str:
    """The picture in 24-bit colour, `columns` wide: each character shows two pixels, one above the other."""
    columns = max(1, min(columns, image.width))
    rows = max(1, round(columns * image.height / image.width / 2))

    def cell(upper: Colour, lower: Colour) -> str:
        over, under = (";".join(map(str, colour)) for colour in (upper, lower))
        return f"\x1b[38;2;{over};48;2;{under}m{UPPER_HALF_BLOCK}"

    return "\n".join(
        "".join(cell(upper, lower) for upper, lower in row) + "\x1b[0m"
        for row in half_block_colours(image, columns, rows)
    )
