"""A picture in characters: each shows two pixels, one above the other. No torch here: the viewer draws with it too."""

from __future__ import annotations

from collections.abc import Iterator

from PIL import Image

Colour = tuple[int, int, int]
"""Red, green, blue, 0 to 255 each."""

UPPER_HALF_BLOCK = "▀"


def half_block_colours(image: Image.Image, columns: int, rows: int) -> Iterator[list[tuple[Colour, Colour]]]:
    """Row by row, the colours of the upper and of the lower pixel that each character shows."""
    pixels = image.convert("RGB").resize((columns, 2 * rows), Image.Resampling.LANCZOS).tobytes()

    def colour(x: int, y: int) -> Colour:
        at = 3 * (y * columns + x)
        return pixels[at], pixels[at + 1], pixels[at + 2]

    for row in range(rows):
        yield [(colour(x, 2 * row), colour(x, 2 * row + 1)) for x in range(columns)]
