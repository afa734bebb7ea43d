"""What a program in a pseudo-terminal shows: a screen of cells, as in a terminal.

It handles the control sequences that programs for an xterm use, except those that ask the terminal something: nobody
answers. It is our own because pyte 0.8.2 has no alternate screen, no line drawing and no scrolling by S and T, shows
Kitty's pictures as letters, fails on half of a wide character and on ESC [ 3 K, and takes six times as long.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise

from rich.ansi import AnsiDecoder
from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from triton_workshop.screen.program_output import TAB, ProgramOutput, numbers
from triton_workshop.screen.richtext import on_our_ground

LINE_DRAWING = str.maketrans("`afgijklmnopqrstuvwxyz{|}~", "◆▒°±␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·")
"""The VT100's special graphics."""

Letter = tuple[str, Style]
"""A character and its style; the right half of a wide character is empty."""
Row = list[Letter]


@dataclass
class Cursor:
    """Where the next character goes, and its style. In a column beyond the last, it waits to wrap."""

    row: int = 0
    column: int = 0
    line_drawing: bool = False
    style: Style = field(default_factory=Style.null)


class TerminalScreen(ProgramOutput):
    """A screen of a fixed size."""

    dropped = 0
    """Always 0: lines that scroll out of sight are not missed, as the screen is all there is to see."""

    def __init__(self, columns: int, rows: int) -> None:
        super().__init__()
        self.columns, self.rows = max(columns, 2), max(rows, 1)
        self._reset()

    def _reset(self) -> None:
        self.cursor, self._saved = Cursor(), Cursor()
        self._styles = AnsiDecoder()
        self.cells = [self._blank_row() for _ in range(self.rows)]
        self._main: tuple[list[Row], Cursor] | None = None
        """The normal screen, while a program shows the alternate one."""
        self._top, self._bottom = 0, self.rows - 1
        self._wraps = True
        self._last = " "
        self.cursor_shown = True

    def shown(self, *, cursor: bool = False) -> list[Text]:
        """The rows, each as wide as the screen; with `cursor`, the cursor too, unless the program has hidden it."""
        lines = []
        for number, row in enumerate(self.cells):
            line = Text(end="", no_wrap=True)
            for style, run in groupby(row, key=lambda cell: cell[1]):
                line.append("".join(character for character, _ in run), style)
            if cursor and self.cursor_shown and number == self.cursor.row:
                at = len("".join(character for character, _ in row[: self._column]))
                line.stylize(Style(reverse=True), at, at + 1)
            lines.append(line)
        return lines

    def process(self, token: re.Match[str]) -> None:
        match token.lastgroup:
            case "text":
                self._write(token.group())
            case "control":
                self._control(token.group())
            case "escape":
                self._escape(token["escape"])
            case "final":
                self._sequence(token["parameters"], token["final"], token.group())

    # Text

    def _write(self, text: str) -> None:
        style = self.cursor.style
        if self.cursor.line_drawing:
            text = text.translate(LINE_DRAWING)
        for run in self._runs(text):
            width = cell_len(run)
            if width > len(run):
                self._put(run, [(run, style), ("", style)])
            elif width:
                self._put(run, [(character, style) for character in run])
            else:
                self._combine(run)

    def _runs(self, text: str) -> Iterator[str]:
        """Single characters, or, where all are one cell wide, as many as fit into a row."""
        if not (text.isascii() and self._wraps):
            yield from text
            return
        first = self.columns - self.cursor.column
        starts = [0, *range(first, len(text), self.columns)]
        yield from (text[start:end] for start, end in pairwise((*starts, len(text))) if start < end)

    def _put(self, text: str, letters: Row) -> None:
        """Write at the cursor, or in the next row if there is no room for all of it."""
        if self.cursor.column + len(letters) > self.columns:
            if self._wraps:
                self._wrap()
            else:
                self._move(column=self.columns - len(letters))
        row, column = self.cells[self.cursor.row], self.cursor.column
        after = column + len(letters)
        self._part(row, column)
        self._part(row, after)
        row[column:after] = letters
        self.cursor.column = after
        self._last = text[-1]

    def _wrap(self) -> None:
        self._carriage_return()
        self._line_feed()

    def _part(self, row: Row, column: int) -> None:
        """Clear a wide character whose halves lie on both sides of a column, since half of it cannot be shown."""
        if 0 < column < len(row) and row[column][0] == "":
            row[column - 1] = (" ", row[column - 1][1])
            row[column] = (" ", row[column][1])

    def _combine(self, mark: str) -> None:
        """Join an accent and the like to the character before it."""
        row = self.cells[self.cursor.row]
        column = min(self.cursor.column, self.columns) - 1
        while column > 0 and row[column][0] == "":
            column -= 1
        if column >= 0 and len(row[column][0]) < 8:
            row[column] = (row[column][0] + mark, row[column][1])

    # The cursor

    @property
    def _column(self) -> int:
        """The column in which the cursor is shown."""
        return min(self.cursor.column, self.columns - 1)

    def _move(self, row: int | None = None, column: int | None = None) -> None:
        if row is not None:
            self.cursor.row = min(max(row, 0), self.rows - 1)
        if column is not None:
            self.cursor.column = min(max(column, 0), self.columns - 1)

    def _carriage_return(self) -> None:
        self._move(column=0)

    def _line_feed(self) -> None:
        if self.cursor.row == self._bottom:
            self._scroll(1)
        else:
            self._move(row=self.cursor.row + 1)

    def _reverse_line_feed(self) -> None:
        if self.cursor.row == self._top:
            self._scroll(-1)
        else:
            self._move(row=self.cursor.row - 1)

    def _control(self, character: str) -> None:
        match character:
            case "\n" | "\v" | "\f":
                self._line_feed()
            case "\r":
                self._carriage_return()
            case "\b":
                self._move(column=self._column - 1)
            case "\t":
                self._move(column=(self._column // TAB + 1) * TAB)

    def _escape(self, sequence: str) -> None:
        match sequence:
            case "7":
                self._save_cursor()
            case "8":
                self._restore_cursor()
            case "M":
                self._reverse_line_feed()
            case "c":
                self._reset()
            case "(0" | "(B":
                self.cursor.line_drawing = sequence == "(0"

    def _save_cursor(self) -> None:
        self._saved = replace(self.cursor)

    def _restore_cursor(self) -> None:
        self.cursor = replace(self._saved)
        self._styles.style = self._saved.style

    # Control sequences

    def _sequence(self, parameters: str, final: str, sequence: str) -> None:
        if parameters.startswith("?") and final in "hl":
            for mode in parameters[1:].split(";"):
                self._set_mode(mode, on=final == "h")
        elif parameters[:1] in ("<", "=", ">", "?"):  # asks something, or sets what concerns no cell
            pass
        elif final == "m":
            self._styles.decode_line(sequence)
            self.cursor.style = on_our_ground(self._styles.style)
        elif final in EFFECTS:
            first, second = [*numbers(parameters), 0][:2]
            EFFECTS[final](self, first, second)

    def _set_mode(self, mode: str, *, on: bool) -> None:
        match mode:
            case "7":
                self._wraps = on
            case "25":
                self.cursor_shown = on
            case "47" | "1047" | "1049":
                self._show_alternate(on)

    def _show_alternate(self, on: bool) -> None:
        if on and self._main is None:
            self._main = self.cells, replace(self.cursor)
            self.cells = [self._blank_row() for _ in range(self.rows)]
        elif not on and self._main is not None:
            (self.cells, self.cursor), self._main = self._main, None

    def _set_margins(self, top: int, bottom: int) -> None:
        top, bottom = max(top, 1) - 1, min(bottom or self.rows, self.rows) - 1
        if top < bottom:
            self._top, self._bottom = top, bottom
            self._move(0, 0)

    # Cells

    def _blank_row(self) -> Row:
        return [self._blank()] * self.columns

    def _blank(self) -> Letter:
        """An erased cell, in the current background colour."""
        background = self.cursor.style.bgcolor
        return (" ", Style(bgcolor=background) if background else Style.null())

    def _scroll(self, count: int, first: int | None = None) -> None:
        """Move rows up (down if the count is negative), from the first or the region's top to its bottom."""
        top = self._top if first is None else first
        height = self._bottom - top + 1
        for _ in range(min(abs(count), height)):
            if count > 0:
                del self.cells[top]
                self.cells.insert(self._bottom, self._blank_row())
            else:
                del self.cells[self._bottom]
                self.cells.insert(top, self._blank_row())

    def _scroll_from_cursor(self, count: int) -> None:
        if self._top <= self.cursor.row <= self._bottom:
            self._scroll(count, first=self.cursor.row)
            self._carriage_return()

    def _erase(self, row: int, first: int, last: int) -> None:
        """Blanks the cells from the first up to, but not including, the last."""
        line = self.cells[row]
        last = min(last, self.columns)
        self._part(line, first)
        self._part(line, last)
        line[first:last] = [self._blank()] * max(last - first, 0)

    def _erase_line(self, what: int) -> None:
        first, last = ((self._column, self.columns), (0, self._column + 1), (0, self.columns))[min(what, 2)]
        self._erase(self.cursor.row, first, last)

    def _erase_screen(self, what: int) -> None:
        here = self.cursor.row
        rows = (range(here + 1, self.rows), range(here), range(self.rows))[min(what, 2)]
        for row in rows:
            self._erase(row, 0, self.columns)
        if what < 2:
            self._erase_line(what)

    def _insert_cells(self, count: int) -> None:
        row = self.cells[self.cursor.row]
        self._part(row, self._column)
        row[self._column : self._column] = [self._blank()] * min(count, self.columns)
        self._part(row, self.columns)
        del row[self.columns :]

    def _delete_cells(self, count: int) -> None:
        row = self.cells[self.cursor.row]
        self._part(row, self._column)
        self._part(row, self._column + count)
        del row[self._column : self._column + count]
        row += [self._blank()] * (self.columns - len(row))


Effect = Callable[[TerminalScreen, int, int], None]


EFFECTS: dict[str, Effect] = {
    # What each control sequence does with its first two numbers; a missing one is 0.
    "A": lambda s, n, _: s._move(row=max(s.cursor.row - max(n, 1), s._top if s.cursor.row >= s._top else 0)),
    "B": lambda s, n, _: s._move(row=min(s.cursor.row + max(n, 1), s._bottom if s.cursor.row <= s._bottom else s.rows)),
    "C": lambda s, n, _: s._move(column=s._column + max(n, 1)),
    "D": lambda s, n, _: s._move(column=s._column - max(n, 1)),
    "E": lambda s, n, _: s._move(s.cursor.row + max(n, 1), 0),
    "F": lambda s, n, _: s._move(s.cursor.row - max(n, 1), 0),
    "G": lambda s, n, _: s._move(column=n - 1),
    "d": lambda s, n, _: s._move(row=n - 1),
    "H": lambda s, n, m: s._move(n - 1, m - 1),
    "f": lambda s, n, m: s._move(n - 1, m - 1),
    "Z": lambda s, n, _: s._move(column=((s._column + TAB - 1) // TAB - max(n, 1)) * TAB),
    "r": lambda s, n, m: s._set_margins(n, m),
    "s": lambda s, _n, _m: s._save_cursor(),
    "u": lambda s, _n, _m: s._restore_cursor(),
    "J": lambda s, n, _: s._erase_screen(n),
    "K": lambda s, n, _: s._erase_line(n),
    "L": lambda s, n, _: s._scroll_from_cursor(-max(n, 1)),
    "M": lambda s, n, _: s._scroll_from_cursor(max(n, 1)),
    "P": lambda s, n, _: s._delete_cells(max(n, 1)),
    "@": lambda s, n, _: s._insert_cells(max(n, 1)),
    "X": lambda s, n, _: s._erase(s.cursor.row, s._column, s._column + max(n, 1)),
    "S": lambda s, n, _: s._scroll(max(n, 1)),
    "T": lambda s, n, _: s._scroll(-max(n, 1)),
    "b": lambda s, n, _: s._write(s._last * min(max(n, 1), s.columns * s.rows)),
}
