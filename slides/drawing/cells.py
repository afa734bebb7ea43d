"""What every diagram is drawn with in a terminal that shows no pictures: words, chips, frames and arrows in cells.

A place is a column and a row, from 0. Only what is filled has a background, and plain words have no colour of their
own, so that a drawing can be read on any ground. No meaning is in a colour alone: it must be readable without any.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Literal

from matplotlib.colors import to_rgb

from drawing.canvas import FAINT, MASKED, MOVES, ink_on

WIDTHS = {76: 72, 116: 110}
"""By columns: how many of them a drawing fills at most, as our deck has margins of 4% on screens of 80 and 120."""

BRAILLE = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The dots of a braille character, by row and column (Unicode, U+2800)."""


@dataclass(frozen=True)
class Cell:
    letter: str = " "
    colour: str | None = None
    fill: str | None = None
    bold: bool = False

    @property
    def sgr(self) -> str:
        """The escape sequence that sets this look, after a reset (ECMA-48, "SGR")."""
        parts = ["0", *(["1"] if self.bold else [])]
        parts += [f"38;2;{_rgb(self.colour)}"] if self.colour else []
        parts += [f"48;2;{_rgb(self.fill)}"] if self.fill else []
        return f"\x1b[{';'.join(parts)}m"


def _rgb(colour: str) -> str:
    return ";".join(str(round(255 * part)) for part in to_rgb(colour))


class CellCanvas:
    """An empty drawing and the brush for it. What is drawn later lies on top."""

    def __init__(self, columns: int) -> None:
        self.width = WIDTHS[columns]
        self.wide = columns == max(WIDTHS)
        self._cells: dict[tuple[int, int], Cell] = {}

    def words(
        self,
        x: int,
        y: int,
        words: str,
        colour: str | None = None,
        *,
        fill: str | None = None,
        bold: bool = False,
        align: Literal["left", "center", "right"] = "left",
    ) -> None:
        """Words that begin at `x`, end before it, or have it as their middle."""
        x -= {"left": 0, "center": len(words) // 2, "right": len(words)}[align]
        for place, letter in enumerate(words, start=x):
            self._cells[place, y] = Cell(letter, colour, fill, bold)

    def within(self, x: int, y: int, width: int, words: str, colour: str | None = None, *, bold: bool = False) -> None:
        """Words in the middle of so many columns."""
        self.words(x + (width - len(words)) // 2, y, words, colour, bold=bold)

    def chip(self, x: int, y: int, width: int, words: str, fill: str, *, rows: int = 1, ink: str | None = None) -> None:
        """A filled box with words in its middle. Its edges are half cells, so that neighbours stay apart."""
        self._edged(x, y, width, rows, "▗▄▖▐ ▌▝▀▘", fill, words, fill)
        for row, line in _placed(words, y, rows):
            self.words(x + 1, row, line.center(width - 2), ink or ink_on(fill), fill=fill, bold=True)

    def masked(self, x: int, y: int, width: int, words: str = "✗", *, rows: int = 1, colour: str = MASKED) -> None:
        """What a mask keeps a program from touching: dashed and not filled."""
        lines = len(words.split("\n"))
        # An upper edge or none: with a lower one alone it would look like a cup.
        self._edged(x, y, width, rows if rows >= lines + 2 else lines, "┌╌┐╎ ╎└╌┘", colour, words)
        for row, line in _placed(words, y, rows):
            self.words(x + 1, row, line.center(width - 2), colour, bold=True)

    def _edged(
        self, x: int, y: int, width: int, rows: int, parts: str, colour: str, words: str, fill: str | None = None
    ) -> None:
        """The edges of a box, in nine parts; its upper and its lower only where words leave rows for them."""
        upper, lower = _edges(rows, words)
        kinds = [parts[:3]] * upper + [parts[3:6]] * (rows - upper - lower) + [parts[6:]] * lower
        for row, (left, middle, right) in enumerate(kinds, start=y):
            self.words(x, row, left + middle * (width - 2) + right, colour)
            if middle == " ":
                self.words(x + 1, row, " " * (width - 2), fill=fill)

    def tile(self, x: int, y: int, width: int, words: str, fill: str, *, rows: int = 1, ink: str | None = None) -> None:
        """A tile of a matrix: one column and a part of a row stay free between neighbours."""
        if rows > 1:
            self.chip(x, y, width, words, fill, rows=rows, ink=ink)
        elif words:
            self.words(x, y, words.center(width - 1), ink or ink_on(fill), fill=fill, bold=True)
        else:
            self.words(x, y, "▆" * (width - 1), fill)

    def frame(
        self, x: int, y: int, width: int, rows: int, title: str = "", colour: str = FAINT, *, ink: str | None = None
    ) -> None:
        """A line around so many columns and rows, with a title in its upper edge."""
        self.words(x, y, f"╭{'─' * (width - 2)}╮", colour)
        for row in range(y + 1, y + rows - 1):
            self.words(x, row, "│", colour)
            self.words(x + width - 1, row, "│", colour)
        self.words(x, y + rows - 1, f"╰{'─' * (width - 2)}╯", colour)
        if title:
            self.words(x + 2, y, f" {title} ", ink, bold=True)

    def down(self, x: int, first: int, last: int, colour: str = MOVES, *, point: str = "▼") -> None:
        """An arrow from one row to another, whose point is at `last`."""
        for row in range(first, last):
            self.words(x, row, "┃", colour)
        self.words(x, last, point, colour)

    def up(self, x: int, first: int, last: int, colour: str = MOVES) -> None:
        """An arrow between the same rows whose point is at `first`."""
        for row in range(first + 1, last + 1):
            self.words(x, row, "┃", colour)
        self.words(x, first, "▲", colour)

    def right(self, x: int, y: int, length: int, colour: str | None = MOVES) -> None:
        self.words(x, y, "━" * (length - 1) + "▶", colour)

    def curve(
        self,
        place: tuple[int, int, int, int],
        corners: Sequence[tuple[float, float]],
        colour: str,
    ) -> None:
        """A line of braille through corners in a plot: shares of its width and of its height, 0 to 1.

        `place` is the plot's column, row, width and height.
        """
        left, top, width, height = place
        dots: dict[tuple[int, int], int] = {}
        for (x0, y0), (x1, y1) in pairwise(corners):
            steps = round(2 * width * (x1 - x0)) + 1
            for step in range(steps + 1):
                share = step / steps
                x = round((x0 + share * (x1 - x0)) * (2 * width - 1))
                middle = round((1 - y0 - share * (y1 - y0)) * (4 * height - 1))
                for y in (middle, max(middle - 1, 0)):
                    key = left + x // 2, top + y // 4
                    dots[key] = dots.get(key, 0) | BRAILLE[y % 4][x % 2]
        for (column, row), pattern in dots.items():
            self.words(column, row, chr(0x2800 + pattern), colour)

    @property
    def rows(self) -> Sequence[Sequence[Cell]]:
        """Every row from its first column on, without the blank cells at its end."""
        height = max(y for _, y in self._cells) + 1
        blank = Cell()
        lines = []
        for y in range(height):
            width = max((x for (x, row), cell in self._cells.items() if row == y and cell != blank), default=-1) + 1
            lines.append([self._cells.get((x, y), blank) for x in range(width)])
        return lines

    @property
    def text(self) -> str:
        """The drawing without colours."""
        return "\n".join("".join(cell.letter for cell in row) for row in self.rows)

    @property
    def ansi(self) -> str:
        """The drawing in 24-bit colours, as `cat` shows it."""
        return "".join(f"{_coloured(row)}\n" for row in self.rows)


def _edges(rows: int, words: str) -> tuple[int, int]:
    """Rows of the upper and of the lower edge of a box with these words."""
    free = rows - len(words.split("\n"))
    return int(free >= 2), int(free >= 1)


def _placed(words: str, y: int, rows: int) -> Iterator[tuple[int, str]]:
    """The lines of words and their rows, in the middle of a box."""
    lines = words.split("\n")
    upper, lower = _edges(rows, words)
    yield from enumerate(lines, start=y + upper + (rows - upper - lower - len(lines)) // 2)


def _coloured(row: Sequence[Cell]) -> str:
    runs = groupby(row, key=lambda cell: cell.sgr)
    return "".join(sgr + "".join(cell.letter for cell in cells) for sgr, cells in runs) + Cell().sgr
