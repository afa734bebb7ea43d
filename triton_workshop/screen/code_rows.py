"""Layout of lines of code in as many rows as they need.

The comment at a line's end stays in one piece.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.style import Style
from rich.text import Text

from triton_workshop.screen.lines import fold, wrap

ARROW = "  ↪ "
"""Marks a row that continues the one above it."""
MIN_COLUMNS = 12
"""Columns below which a line is cut."""
MIN_GAP = 2
"""Least columns between code and its comment, unless fewer were written."""


@dataclass(frozen=True)
class CodeLine:
    """A line of code, whole and split into its code and its comment."""

    full: Text
    code: Text
    comment: Text

    @classmethod
    def split(cls, line: Text, comment: int) -> CodeLine:
        """Split a line at the index at which its comment starts."""
        code = line[:comment]
        code.rstrip()
        return cls(line, code, line[comment:])

    @property
    def gap(self) -> int:
        """Columns between the code and the comment, as written."""
        return self.full.cell_len - self.code.cell_len - self.comment.cell_len

    @property
    def column(self) -> int | None:
        """The column of the comment beside the code, if there is one."""
        is_beside_code = self.code and self.comment
        return self.code.cell_len + self.gap if is_beside_code else None

    @property
    def aligned(self) -> bool:
        """True if the comment was moved right to line up with others."""
        return self.column is not None and self.gap > MIN_GAP

    def fits(self, column: int, width: int) -> bool:
        """Return True if the comment fits beside the code, in this column."""
        return self.code.cell_len + min(MIN_GAP, self.gap) <= column <= width - self.comment.cell_len


def code_rows(lines: Sequence[Text], comments: Sequence[int], width: int) -> list[list[Text]]:
    """Return the rows of each line.

    `comments` are the indices at which the comments at their ends start, or their lengths.

    Comments that line up in a column move left together, as far as necessary. Comments that are then in the way but fit
    where they are stay. A comment that does not fit beside its code gets its own row, in its column if it has one.
    """
    if width < MIN_COLUMNS:
        return [[line] for line in lines]
    split_lines = [CodeLine.split(line, comment) for line, comment in zip(lines, comments, strict=True)]
    columns = comment_columns(split_lines, width)
    return [line_rows(line, columns.get(line.column), width) for line in split_lines]


def comment_columns(lines: Sequence[CodeLine], width: int) -> Mapping[int | None, int]:
    """Return the new place of each column of comments.

    A column moves as far left as it takes to have the most of its comments beside their code. If none of them fits
    there, it is no longer a column.
    """
    columns: dict[int | None, int] = {}
    aligned = [line for line in lines if line.aligned]
    aligned_columns = {line.column for line in aligned if line.column is not None}
    for column in aligned_columns:
        members = [line for line in lines if line.column == column]
        # Any other place is no better than the next of these to its right, where all that fit still fit.
        positions = {min(column, width - line.comment.cell_len) for line in members}
        fitting: dict[int, int] = {}
        within: dict[int, int] = {}
        for position in positions:
            fitting[position] = sum(line.fits(position, width) for line in members)
            within[position] = sum(line.comment.cell_len <= width - position for line in members)
        # Of equally good positions, one where comments fit on a row of their own, and then the rightmost.
        best = max(positions, key=lambda position: (fitting[position], within[position], position))
        if fitting[best]:
            columns[column] = best
    return columns


def line_rows(line: CodeLine, column: int | None, width: int) -> list[Text]:
    """Return the rows of a line.

    For a line whose comment is in a column, `column` is the place of that column.
    """
    if column is not None and line.fits(column, width):
        return [Text.assemble(line.code, " " * (column - line.code.cell_len), line.comment)]
    if line.full.cell_len <= width:
        return [line.full]
    available = width - len(ARROW)
    if not line.code:
        return continued(comment_rows(line.full, available))
    # `wrap` changes the text that it gets.
    rows = [line.code] if line.code.cell_len <= width else wrap(line.code.copy(), available)
    if line.comment:
        # `continued` puts the arrow before it.
        indent = min(column - len(ARROW), available - line.comment.cell_len) if column is not None else 0
        rows += [Text(" " * indent) + line.comment] if indent > 0 else comment_rows(line.comment, available)
    return continued(rows)


def comment_rows(comment: Text, width: int) -> list[Text]:
    """Break a comment between words, unless its mark would be left alone."""
    rows = wrap(comment.copy(), width)
    return rows if any(map(str.isalnum, rows[0].plain)) else fold(comment, width)


def continued(rows: list[Text]) -> list[Text]:
    """Mark all rows but the first as continuations."""
    first, *rest = rows
    return [first, *(Text.assemble((ARROW, Style(dim=True)), row) for row in rest)]
