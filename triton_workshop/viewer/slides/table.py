"""Lays out a table of a slide: the width of each column, and the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

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
"""A blank that wraps like a letter, so that text that appears later keeps its place."""


@dataclass(frozen=True)
class Need:
    """The contents of one column of a table, measured in cells of the screen."""

    word: int
    """Its longest word."""
    texts: tuple[tuple[int, ...], ...]
    """The words of each of its texts."""

    @classmethod
    def of(cls, texts: Sequence[Text]) -> Need:
        lines = [line for text in texts for line in text.plain.split("\n")]
        longest = max((cell_len(word) for line in lines for word in unbreakable(line)), default=1)
        return cls(longest, tuple(tuple(map(cell_len, line.split())) for line in lines))


def unbreakable(text: str) -> list[str]:
    """The words of a text. Chinese and Japanese, whose characters are wide, may break between any two."""
    return "".join(f" {c} " if get_character_cell_size(c) == 2 else c for c in text).split()


@lru_cache(maxsize=4096)
def height(need: Need, width: int) -> int:
    """The rows that a column's texts take altogether."""
    return sum(height_of_text(words, width) for words in need.texts)


def height_of_text(words: Sequence[int], width: int) -> int:
    """The rows that words of these lengths take, with a space between two."""
    rows, used = 1, 0
    for word in words:
        if used and used + 1 + word <= width:
            used += 1 + word
        else:
            rows += bool(used) + (word - 1) // width  # a word that is too long continues in the next row
            used = (word - 1) % width + 1
    return rows


def widths_of(needs: Sequence[Need], room: int) -> list[int]:
    """The columns' widths: enough for each one's longest word, then wider if that saves rows."""
    widths = [need.word for need in needs]
    narrow = max(room // len(needs) // 2, 1)
    while sum(widths) > room and max(widths) > narrow:  # the longest word has to break, so that others need not
        widths[widths.index(max(widths))] = narrow
    while step := best_step(needs, widths, room - sum(widths)):
        column, cells = step
        widths[column] += cells
    return widths


def best_step(needs: Sequence[Need], widths: Sequence[int], left: int) -> tuple[int, int] | None:
    """The column, and the extra cells for it, that save most rows per cell; None if nothing saves any."""
    steps = []
    for column, (need, width) in enumerate(zip(needs, widths, strict=True)):
        for cells in range(1, left + 1):
            saved = height(need, width) - height(need, width + cells)
            if saved > 0:
                steps.append((saved / cells, column, cells))
    return max(steps)[1:] if steps else None


def table(content: Table, alignment: Alignment, width: int, palette: Palette, step: int) -> Lines:
    """A table as wide as its text, with a line below its header. Rows of later steps are blank."""
    header = [rich_text(spans, palette) for spans in content.header]
    rows = [[rich_text(spans, palette) for spans in cells] for cells in content.rows]
    needs = [Need.of(column) for column in zip(header, *rows, strict=False)]
    gaps = len(needs) - 1
    gap = WIDE_GAP if width >= max(80, sum(need.word for need in needs) + gaps * WIDE_GAP) else NARROW_GAP
    drawn = RichTable(
        box=HEADER_LINE,
        show_edge=False,
        pad_edge=False,
        padding=(0, gap - 1, 0, 0),  # the box itself takes up a cell between two columns
        border_style=Style(color=palette.faint),
        header_style=Style(color=palette.accent, bold=True),
        show_header=any(content.header),
    )
    for index, column_width in enumerate(widths_of(needs, width - gaps * gap)):
        justify = content.alignments[index] if index < len(content.alignments) else Alignment.LEFT
        drawn.add_column(header[index], justify=justify.value, overflow="fold", width=column_width)
    for cells, row_step in zip(rows, content.row_steps, strict=False):
        drawn.add_row(*(cells if row_step <= step else map(veiled, cells)))
    return placed(drawn, alignment, width, palette.base)


def placed(drawn: RichTable, alignment: Alignment, width: int, base: Style) -> Lines:
    """The lines of a drawn table, in the room that it has."""
    options = CONSOLE.options.update(width=width, max_width=width, height=None)
    lines = [unveiled(Strip(row)) for row in CONSOLE.render_lines(drawn, options, pad=False)]
    slack = max(width - max((line.cell_length for line in lines), default=0), 0)
    left = Segment(" " * indent(alignment, slack), base)
    return tuple(
        Strip([left, *line.apply_style(base)]).crop(0, width).adjust_cell_length(width, base) for line in lines
    )


def veiled(text: Text) -> Text:
    """Blanks in the shape of the text."""
    return Text("".join(c if c.isspace() else VEIL * Text(c).cell_len for c in text.plain))


def unveiled(line: Strip) -> Strip:
    return Strip([Segment(s.text.replace(VEIL, " "), s.style, s.control) for s in line], line.cell_length)
