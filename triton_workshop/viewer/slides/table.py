"""The layout of a table: the width of each column, and the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from rich.box import Box
from rich.cells import cell_len, get_character_cell_size
from rich.segment import Segment
from rich.style import Style
from rich.table import Table as RichTable
from rich.text import Text
from textual.strip import Strip

from triton_workshop.deck.model import Alignment, Table
from triton_workshop.screen.lines import CONSOLE, Lines, indent
from triton_workshop.screen.palette import Palette
from triton_workshop.screen.richtext import rich_text

HEADER_LINE = Box("    \n    \n ── \n    \n    \n    \n    \n    \n")
NARROW_GAP, WIDE_GAP = 2, 4
"""Cells between two columns of a table."""
VEIL = "\u2800"
"""A blank that wraps like a letter, so that later text keeps its position."""


@dataclass(frozen=True)
class ColumnContent:
    """The contents of one column of a table, measured in cells."""

    longest_word: int
    """The length of its longest word."""
    texts: tuple[tuple[int, ...], ...]
    """The lengths of the words of each of its texts."""

    @classmethod
    def of(cls, texts: Sequence[Text]) -> ColumnContent:
        """Measure the texts of a column."""
        lines = list(chain.from_iterable(text.plain.split("\n") for text in texts))
        words = chain.from_iterable(map(unbreakable, lines))
        longest = max(map(cell_len, words), default=1)
        return cls(longest, tuple(tuple(map(cell_len, line.split())) for line in lines))


def unbreakable(text: str) -> list[str]:
    """Split a text into words.

    Chinese and Japanese, whose characters are wide, may break between any two.
    """
    return "".join(f" {c} " if get_character_cell_size(c) == 2 else c for c in text).split()


@lru_cache(maxsize=4096)
def height(content: ColumnContent, width: int) -> int:
    """Count the rows of all texts of a column."""
    return sum(height_of_text(lengths, width) for lengths in content.texts)


def height_of_text(lengths: Sequence[int], width: int) -> int:
    """Count the rows of words of these lengths, with a space between two."""
    rows, used = 1, 0
    for length in lengths:
        if used and used + 1 + length <= width:
            used += 1 + length
        else:
            rows += bool(used) + (length - 1) // width  # a word that is too long continues in the next row
            used = (length - 1) % width + 1
    return rows


def widths_of(contents: Sequence[ColumnContent], available: int) -> list[int]:
    """Return the columns' widths.

    Each is enough for the column's longest word, then wider if that saves rows.
    """
    widths = [content.longest_word for content in contents]
    narrow = max(available // len(contents) // 2, 1)
    while sum(widths) > available and max(widths) > narrow:  # the longest word has to break, so that others need not
        widths[widths.index(max(widths))] = narrow
    while step := best_step(contents, widths, available - sum(widths)):
        column, cells = step
        widths[column] += cells
    return widths


def best_step(contents: Sequence[ColumnContent], widths: Sequence[int], available: int) -> tuple[int, int] | None:
    """Return the column and the extra cells that save most rows per cell.

    Return None if nothing saves any rows.
    """
    steps = []
    for column, (content, width) in enumerate(zip(contents, widths, strict=True)):
        # One cell more may save nothing where three more let the next word fit.
        for cells in range(1, available + 1):
            saved = height(content, width) - height(content, width + cells)
            if saved > 0:
                steps.append((saved / cells, column, cells))
    return max(steps)[1:] if steps else None


def table(
    content: Table, alignment: Alignment, width: int, palette: Palette, step: int, *, apart: bool = False
) -> Lines:
    """Draw a table as wide as its text, with a line below its header.

    Rows of later steps are blank. `apart` puts an empty line between two rows.
    """
    header = [rich_text(spans, palette) for spans in content.header]
    rows = [[rich_text(spans, palette) for spans in cells] for cells in content.rows]
    contents = [ColumnContent.of(column) for column in zip(header, *rows, strict=False)]
    gaps = len(contents) - 1
    # Gaps are wide only where no word has to break for it.
    unbroken_width = sum(column.longest_word for column in contents) + gaps * WIDE_GAP
    gap = WIDE_GAP if width >= max(80, unbroken_width) else NARROW_GAP
    drawn = RichTable(
        box=HEADER_LINE,
        show_edge=False,
        pad_edge=False,
        padding=(0, gap - 1, 0, 0),  # the box itself takes up a cell between two columns
        border_style=Style(color=palette.faint),
        header_style=Style(color=palette.accent, bold=True),
        show_header=any(content.header),
        leading=int(apart),
    )
    for index, column_width in enumerate(widths_of(contents, width - gaps * gap)):
        justify = content.alignments[index] if index < len(content.alignments) else Alignment.LEFT
        drawn.add_column(header[index], justify=justify.value, overflow="fold", width=column_width)
    for cells, row_step in zip(rows, content.row_steps, strict=False):
        drawn.add_row(*(cells if row_step <= step else map(veiled, cells)))
    return placed(drawn, alignment, width, palette.base)


def placed(drawn: RichTable, alignment: Alignment, width: int, base: Style) -> Lines:
    """Align the lines of a drawn table in a width."""
    options = CONSOLE.options.update(width=width, max_width=width, height=None)
    lines = [unveiled(Strip(row)) for row in CONSOLE.render_lines(drawn, options, pad=False)]
    slack = max(width - max((line.cell_length for line in lines), default=0), 0)
    margin = Segment(" " * indent(alignment, slack), base)
    return tuple(
        Strip([margin, *line.apply_style(base)]).crop(0, width).adjust_cell_length(width, base) for line in lines
    )


def veiled(text: Text) -> Text:
    """Return blanks in the shape of the text."""
    return Text("".join(c if c.isspace() else VEIL * Text(c).cell_len for c in text.plain))


def unveiled(line: Strip) -> Strip:
    """Replace the blanks of veiled text by spaces."""
    return Strip([Segment(s.text.replace(VEIL, " "), s.style, s.control) for s in line], line.cell_length)
