"""Blocks of cells in a terminal.

They are one way to draw tiles, masks, numbers and pictures.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.color import Color
from rich.style import Style
from rich.text import Text

from triton_workshop.block_levels import fit
from triton_workshop.terminal_pictures import UPPER_HALF_BLOCK, Colour

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]


@dataclass(frozen=True)
class Cell:
    """Letter that stands for a part of a block."""

    letter: str
    style: str
    is_marked: bool = False
    """Whether it stands out, by the reverse of its colours."""

    def text(self, columns: int) -> Text:
        """Return it, so many columns wide."""
        text = Text(self.letter.center(columns), self.style)
        if self.is_marked:
            text.stylize("bold reverse")
        return text


Heads = tuple[Sequence[str], Sequence[str]]
"""What stands before the rows of a block, and above its columns."""


def letter_block(rows: Sequence[Sequence[Cell]], columns: int, *, heads: Heads | None = None) -> Text:
    """Return cells as text, each of them `columns` wide.

    `heads` are those of the rows and columns, if there are any.
    """
    lines = []
    margin = letter_margin(heads[0]) if heads else 0
    if heads:
        lines.append(Text(" " * margin + "".join(head.center(columns) for head in heads[1]), "muted"))
    for number, row in enumerate(rows):
        start = (f"{heads[0][number]:>{margin - 1}} " if heads else "", "muted")
        lines.append(Text.assemble(start, *(cell.text(columns) for cell in row)))
    return Text("\n", no_wrap=True).join(lines)


def letter_margin(heads: Sequence[str]) -> int:
    """Return the columns before a block with these heads of rows."""
    return max(3, 1 + max(map(len, heads), default=0))


def pixel_block(rows: Iterable[Sequence[tuple[Colour, Colour]]]) -> Text:
    """Return rows of characters that show two pixels each.

    Each character has the colours of an upper and a lower pixel.
    """
    lines = (Text.assemble(*((UPPER_HALF_BLOCK, _style(upper, lower)) for upper, lower in row)) for row in rows)
    return Text("\n", no_wrap=True).join(lines)


def _style(upper: Colour, lower: Colour) -> Style:
    return Style(color=Color.from_rgb(*upper), bgcolor=Color.from_rgb(*lower))


def colour_block(levels: Array, colours: Sequence[Colour], background: Colour, columns: int, rows: int) -> Text:
    """Return a block of levels, with a colour for each.

    The block has at most so many `columns` and `rows` of characters. `levels` has shape (height, width) and whole
    numbers, of which the greatest shows where several share a pixel. Each cell of a small block is a square of several
    pixels.
    """
    import numpy as np  # not where only letters are drawn

    shown = fit(levels, 2 * rows, columns)
    table = np.array([*colours, background], np.uint8)
    if len(shown) % 2:  # the last character has one pixel only
        shown = np.concatenate([shown, np.full((1, shown.shape[1]), len(colours))])
    pixels = [[tuple(pixel) for pixel in row] for row in table[shown].tolist()]
    return pixel_block(list(zip(*pair, strict=True)) for pair in _pairs(pixels))


def _pairs(rows: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    yield from zip(rows[0::2], rows[1::2], strict=True)


def blend(low: Colour, high: Colour, share: float) -> Colour:
    """Return the colour between two, at a share of 0 to 1."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(low, high, strict=True))
    return red, green, blue


def to_colour(name: str) -> Colour:
    """Return the colour that `#rrggbb` means."""
    red, green, blue = (int(name[start : start + 2], 16) for start in (1, 3, 5))
    return red, green, blue
