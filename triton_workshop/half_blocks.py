"""A picture in characters: each shows two pixels, one above the other. No torch here: the viewer draws with it too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image

Colour = tuple[int, int, int]
"""Red, green, blue, 0 to 255 each."""

UPPER_HALF_BLOCK = "▀"
WIDEST_PICTURE = 96
"""Columns: a picture in an output that is wider than this would push everything else off the screen."""


def half_block_colours(image: Image, columns: int, rows: int) -> Iterator[list[tuple[Colour, Colour]]]:
    """Row by row, the colours of the upper and of the lower pixel that each character shows."""
    from PIL.Image import Resampling  # not before there is a picture: the viewer starts without

    pixels = image.convert("RGB").resize((columns, 2 * rows), Resampling.LANCZOS).tobytes()

    def colour(x: int, y: int) -> Colour:
        at = 3 * (y * columns + x)
        return pixels[at], pixels[at + 1], pixels[at + 2]

    for row in range(rows):
        yield [(colour(x, 2 * row), colour(x, 2 * row + 1)) for x in range(columns)]
