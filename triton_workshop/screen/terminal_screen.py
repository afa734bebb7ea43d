"""What a program in a pseudo-terminal shows: a screen of cells, as in a terminal.

It handles the control sequences that programs for an xterm use (ECMA-48; "XTerm Control Sequences", T. Dickey), except
those that ask the terminal something: nobody answers.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import groupby

from rich.ansi import AnsiDecoder
from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from triton_workshop.screen.richtext import on_our_ground

SLICE = 8 * 1024
"""Bytes processed per call, so that a call stays short."""
BACKLOG = 64 * 1024
"""Bytes waiting beyond which the oldest are dropped unread, since the screen shows only the latest output."""
ESCAPE_LIMIT = 4096
TAB = 8

TOKENS = re.compile(
    r"""
      \x1b\[(?P<private>[<-?]?)(?P<parameters>[0-9:;]*)(?P<between>[ -/]*)(?P<final>[@-~])
    | \x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)       # titles, pictures, and what else a slide cannot pass on
    | \x1b(?P<escape>[ -/]*[0-Z\\`-~])
    | (?P<control>[\x00-\x1f\x7f])
    | (?P<text>[^\x00-\x1f\x7f]+)
    """,
    re.VERBOSE,
)
UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?)\Z")
INVISIBLE = dict.fromkeys(range(0x80, 0xA0))

Cell = tuple[str, Style]
"""A character and its style; the right half of a wide character is empty."""
Row = list[Cell]
LINE_DRAWING = str.maketrans("`afgijklmnopqrstuvwxyz{|}~", "◆▒°±␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·")
"""The VT100's special graphics."""


@dataclass
class Cursor:
    """Where the next character goes, and its style. In a column beyond the last, it waits to wrap."""

    row: int = 0
    column: int = 0
    line_drawing: bool = False
    style: Style = field(default_factory=Style.null)


class TerminalScreen:
    """A screen of a fixed size, kept up to date as bytes arrive.

    `receive` may be called from another thread than `take_in`; everything else belongs to one thread.
    """

    dropped = 0
    """Always 0: lines that scroll out of sight are not missed, as the screen is all there is to see."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = max(columns, 2), max(rows, 1)
        self.cursor_shown = True
        self._arrived: list[bytes] = []
        self._waiting = b""
        self._decode = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._unfinished = ""
        self._heard = False
        self._reset()

    def _reset(self) -> None:
        self.cursor, self._saved = Cursor(), Cursor()
        self._styles = AnsiDecoder()
        self.cells = [self._blank_row() for _ in range(self.rows)]
        self._main: tuple[list[Row], Cursor] | None = None
        """The normal screen, while a program shows the alternate one."""
        self._top, self._bottom = 0, self.rows - 1
        self._wraps = True
        self._inserts = False
        self._last = " "
        self.cursor_shown = True

    @property
    def empty(self) -> bool:
        """Whether nothing has been printed yet."""
        return not self._heard

    @property
    def behind(self) -> bool:
        """Whether bytes have arrived that `take_in` has not read yet."""
        return bool(self._arrived or self._waiting)

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

    def receive(self, data: bytes) -> None:
        """Accepts bytes, cheaply: they are processed when `take_in` is called."""
        self._arrived.append(data)

    def take_in(self) -> bool:
        """Processes a slice of what has arrived; returns whether there was any, and so perhaps something to show."""
        count = len(self._arrived)  # only these, as the other thread may append meanwhile
        self._waiting = (self._waiting + b"".join(self._arrived[:count]))[-BACKLOG:]
        del self._arrived[:count]
        data, self._waiting = self._waiting[:SLICE], self._waiting[SLICE:]
        if data:
            self.feed(data)
        return bool(data)

    def feed(self, data: bytes) -> None:
        """Processes bytes now. An escape sequence or character may be split between two calls."""
        self._heard = True
        text = self._unfinished + self._decode.decode(data)
        self._unfinished = ""
        tail = UNFINISHED.search(text, max(len(text) - ESCAPE_LIMIT, 0))
        if tail:
            text, self._unfinished = text[: tail.start()], tail.group()
        for token in TOKENS.finditer(text):
            if written := token["text"]:
                self._write(written)
            elif token["control"]:
                self._control(token["control"])
            elif token["escape"]:
                self._escape(token["escape"])
            elif token["final"] and not token["between"]:
                self._sequence(token["private"], token["parameters"], token["final"], token.group())

    # Text

    def _write(self, text: str) -> None:
        text = text.translate(INVISIBLE)
        if text.isascii() and self._wraps and not self._inserts and not self.cursor.line_drawing:
            self._write_plainly(text)
            return
        for character in text:
            width = cell_len(character)
            if self.cursor.line_drawing:
                character = character.translate(LINE_DRAWING)
            if width:
                self._put(character, width)
            else:
                self._combine(character)

    def _write_plainly(self, text: str) -> None:
        """Handles most text: characters one cell wide, which replace what was there."""
        while text:
            if self.cursor.column == self.columns:
                self._wrap()
            column = self.cursor.column
            piece, text = text[: self.columns - column], text[self.columns - column :]
            row, style = self.cells[self.cursor.row], self.cursor.style
            after = column + len(piece)
            self._part(row, column)
            self._part(row, after)
            row[column:after] = [(character, style) for character in piece]
            self.cursor.column = after
            self._last = piece[-1]

    def _put(self, character: str, width: int) -> None:
        if self.cursor.column + width > self.columns:
            if self._wraps:
                self._wrap()
            else:
                self._move(column=self.columns - width)
        row, column, style = self.cells[self.cursor.row], self.cursor.column, self.cursor.style
        new: Row = [(character, style), ("", style)][:width]
        self._part(row, column)
        if self._inserts:
            self._insert(row, column, new)
        else:
            self._part(row, column + width)
            row[column : column + width] = new
        self._last = character
        self.cursor.column = column + width

    def _wrap(self) -> None:
        self._carriage_return()
        self._line_feed()

    def _insert(self, row: Row, column: int, cells: Row) -> None:
        """Inserts cells before a column, and drops as many on the right."""
        row[column:column] = cells
        self._part(row, self.columns)
        del row[self.columns :]

    def _part(self, row: Row, column: int) -> None:
        """Clears a wide character whose halves lie on both sides of a column, since half of it cannot be shown."""
        if 0 < column < len(row) and row[column][0] == "":
            row[column - 1] = (" ", row[column - 1][1])
            row[column] = (" ", row[column][1])

    def _combine(self, mark: str) -> None:
        """Joins an accent and the like to the character before it."""
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
            case "\x0e" | "\x0f":
                self.cursor.line_drawing = character == "\x0e"

    def _escape(self, sequence: str) -> None:
        match sequence:
            case "7":
                self._save_cursor()
            case "8":
                self._restore_cursor()
            case "D":
                self._line_feed()
            case "E":
                self._carriage_return()
                self._line_feed()
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

    def _sequence(self, private: str, parameters: str, final: str, sequence: str) -> None:
        if private:
            if private == "?" and final in "hl":
                for mode in parameters.split(";"):
                    self._set_mode(mode, on=final == "h")
        elif final == "m":
            self._styles.decode_line(sequence)
            self.cursor.style = on_our_ground(self._styles.style)
        elif final in EFFECTS:
            numbers = [int(number) if number.isdecimal() and len(number) < 6 else 0 for number in parameters.split(";")]
            EFFECTS[final](self, numbers[0], numbers[1] if len(numbers) > 1 else 0)

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

    def _blank(self) -> Cell:
        """An erased cell, in the current background colour."""
        background = self.cursor.style.bgcolor
        return (" ", Style(bgcolor=background) if background else Style.null())

    def _scroll(self, count: int, first: int | None = None) -> None:
        """Moves rows up (down if the count is negative), from the first or the region's top to its bottom."""
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
        self._insert(row, self._column, [self._blank()] * min(count, self.columns))

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
    "`": lambda s, n, _: s._move(column=n - 1),
    "a": lambda s, n, _: s._move(column=s._column + max(n, 1)),
    "d": lambda s, n, _: s._move(row=n - 1),
    "e": lambda s, n, _: s._move(row=s.cursor.row + max(n, 1)),
    "H": lambda s, n, m: s._move(n - 1, m - 1),
    "f": lambda s, n, m: s._move(n - 1, m - 1),
    "I": lambda s, n, _: s._move(column=(s._column // TAB + max(n, 1)) * TAB),
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
    "h": lambda s, n, _: setattr(s, "_inserts", s._inserts or n == 4),
    "l": lambda s, n, _: setattr(s, "_inserts", s._inserts and n != 4),
}
