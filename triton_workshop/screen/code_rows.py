"""Lays out lines of code in as many rows as they need, with the comment at a line's end kept in one piece."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.style import Style
from rich.text import Text

from triton_workshop.screen.lines import fold, wrap

ARROW = "  ↪ "
"""Marks a row that continues the one above it."""
NARROWEST = 12
"""Columns below which a line is cut."""
APART = 2
"""Least number of columns between code and its comment, unless fewer were written."""


@dataclass(frozen=True)
class CodeLine:
    """A line of code, whole and split into its code and its comment."""

    whole: Text
    code: Text
    comment: Text

    @classmethod
    def split(cls, line: Text, comment: int) -> CodeLine:
        code = line[:comment]
        code.rstrip()
        return cls(line, code, line[comment:])

    @property
    def apart(self) -> int:
        """Columns between the code and the comment, as written."""
        return self.whole.cell_len - self.code.cell_len - self.comment.cell_len

    @property
    def column(self) -> int | None:
        """Where the comment beside the code starts, if there is one."""
        return self.code.cell_len + self.apart if self.code and self.comment else None

    @property
    def pushed(self) -> bool:
        """Whether the comment has been moved right, to line up with others."""
        return self.column is not None and self.apart > APART

    def fits(self, column: int, width: int) -> bool:
        """Whether the comment fits beside the code, in this column."""
        return self.code.cell_len + min(APART, self.apart) <= column <= width - self.comment.cell_len


def code_rows(lines: Sequence[Text], comments: Sequence[int], width: int) -> list[list[Text]]:
    """The rows of each line; `comments` are the indices at which the comments at their ends start, or their lengths.

    Comments that line up in a column move left together, as far as necessary. Comments that are then in the way but fit
    where they are stay. A comment that does not fit beside its code gets its own row, in its column if it has one.
    """
    if width < NARROWEST:
        return [[line] for line in lines]
    parts = [CodeLine.split(line, comment) for line, comment in zip(lines, comments, strict=True)]
    columns = comment_columns(parts, width)
    return [line_rows(line, columns.get(line.column), width) for line in parts]


def comment_columns(lines: Sequence[CodeLine], width: int) -> Mapping[int | None, int]:
    """Where a column of comments goes: as far left as it takes to have the most of them beside their code.

    If none of them fits there, it is no longer a column.
    """
    columns: dict[int | None, int] = {}
    for column in {line.column for line in lines if line.column is not None and line.pushed}:
        members = [line for line in lines if line.column == column]
        places = {min(column, width - line.comment.cell_len) for line in members}
        beside = {place: sum(line.fits(place, width) for line in members) for place in places}
        within = {place: sum(line.comment.cell_len <= width - place for line in members) for place in places}
        best = max(places, key=lambda place: (beside[place], within[place], place))
        if beside[best]:
            columns[column] = best
    return columns


def line_rows(line: CodeLine, column: int | None, width: int) -> list[Text]:
    """The rows of a line; for a line whose comment is in a column, `column` is where that column goes."""
    if column is not None and line.fits(column, width):
        return [Text.assemble(line.code, " " * (column - line.code.cell_len), line.comment)]
    if line.whole.cell_len <= width:
        return [line.whole]
    room = width - len(ARROW)
    if not line.code:
        return continued(comment_rows(line.whole, room))
    rows = [line.code] if line.code.cell_len <= width else wrap(line.code.copy(), room)
    if line.comment:
        indent = min(column - len(ARROW), room - line.comment.cell_len) if column is not None else 0
        rows += [Text(" " * indent) + line.comment] if indent > 0 else comment_rows(line.comment, room)
    return continued(rows)


def comment_rows(comment: Text, width: int) -> list[Text]:
    """A comment, broken between words, unless that would leave its mark alone."""
    rows = wrap(comment.copy(), width)
    return rows if any(map(str.isalnum, rows[0].plain)) else fold(comment, width)


def continued(rows: list[Text]) -> list[Text]:
    first, *others = rows
    return [first, *(Text.assemble((ARROW, Style(dim=True)), row) for row in others)]
