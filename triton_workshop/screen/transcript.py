"""Transcript of a block's output, line by line.

Colours, carriage returns, progress bars and pictures are carried out.
"""

from __future__ import annotations

import re
from pathlib import Path

from rich.ansi import AnsiDecoder
from rich.text import Text

from triton_workshop.screen.printed_pictures import PictureLine, collect_picture
from triton_workshop.screen.program_output import TAB_COLUMNS, ProgramOutput, numbers
from triton_workshop.screen.richtext import without_default_colours

MAX_LINES = 5000
MAX_COLUMNS = 4000
BACKLOG_BYTES = 8 * 1024 * 1024
"""Bytes waiting beyond which even visible lines are dropped unread."""
MAX_PICTURE_BYTES = 64 * 1024 * 1024
"""Bytes of the pictures in one output; the oldest are dropped first."""


class Transcript(ProgramOutput):
    """The last lines of an output.

    The cursor can go back over a line (`\\r`, backspace) and up to earlier lines (as Rich's progress bars do).
    A picture gets a line of its own, a `PictureLine`; `pictures` is the folder in which the block leaves them.
    """

    def __init__(self, pictures: Path | None = None) -> None:
        super().__init__()
        self.lines: list[Text] = [Text()]
        self._pictures = pictures
        self._scrolled_out = 0
        self._styles = AnsiDecoder()
        self._row = 0
        self._column = 0

    @property
    def dropped(self) -> int:
        """Number of lines that were dropped before the first of `lines`."""
        return self._scrolled_out + self.skipped

    def visible_lines(self) -> list[Text]:
        """Return the lines to show.

        The empty line on which the cursor waits after a last line feed is not among them.
        """
        return self.lines[:-1] if not self.lines[-1] else self.lines

    def tail(self, data: bytes) -> bytes:
        """Return the last lines of a backlog."""
        lines = data.rsplit(b"\n", MAX_LINES + 1)
        return b"\n".join(lines[1:] if len(lines) > MAX_LINES + 1 else lines)[-BACKLOG_BYTES:]

    def process(self, token: re.Match[str]) -> None:
        """Write text, move the cursor, or show a picture."""
        match token.lastgroup:
            case "text":
                self._write(token.group())
            case "control":
                self._control(token.group())
            case "picture":
                self._show(token["picture"])
            case "final":
                self._sequence(token["final"], numbers(token["parameters"])[0], token.group())

    def _write(self, text: str) -> None:
        text = text[: MAX_COLUMNS - self._column]
        self._wipe_picture()
        line = self.lines[self._row]
        if len(line) < self._column:
            line.append(" " * (self._column - len(line)))
        end = self._column + len(text)
        # Text overwrites what is there, as in a terminal, and leaves what lies beyond it.
        rest = line.divide([end])[1] if end < len(line) else None
        _cut(line, self._column)
        line.append(text, without_default_colours(self._styles.style))
        if rest is not None:
            line.append_text(rest)
        self._column += len(text)

    def _control(self, character: str) -> None:
        match character:
            case "\n":
                self._line_feed()
            case "\r":
                self._column = 0
            case "\b":
                self._column = max(self._column - 1, 0)
            case "\t":
                self._column = min((self._column // TAB_COLUMNS + 1) * TAB_COLUMNS, MAX_COLUMNS)

    def _line_feed(self) -> None:
        self._column = 0
        self._row += 1
        if self._row == len(self.lines):
            self.lines.append(Text())
        # One more than is kept, for the empty line on which the cursor waits.
        excess = len(self.lines) - MAX_LINES - 1
        if excess > 0:
            del self.lines[:excess]
            self._scrolled_out += excess
            self._row = max(self._row - excess, 0)

    def _show(self, name: str) -> None:
        """Show a picture on the cursor's line.

        If that line is not empty, it goes on the next one.
        """
        if self._pictures is None:
            return
        if self.lines[self._row]:
            self._line_feed()
        self.lines[self._row] = collect_picture(self._pictures / name)
        self._line_feed()
        # From the newest picture up: the oldest ones become their text.
        total_bytes = 0
        for row in range(len(self.lines) - 1, -1, -1):
            line = self.lines[row]
            if not isinstance(line, PictureLine):
                continue
            total_bytes += len(line.picture.data)
            if total_bytes > MAX_PICTURE_BYTES:
                self.lines[row] = Text(line.plain)

    def _wipe_picture(self) -> None:
        """Remove a picture if anything is written or erased on its line."""
        if isinstance(self.lines[self._row], PictureLine):
            self.lines[self._row] = Text()

    def _sequence(self, final: str, number: int, sequence: str) -> None:
        # For a terminal, a move by 0 is a move by 1.
        match final:
            case "m":
                self._styles.decode_line(sequence)
            case "A":
                self._row = max(self._row - max(number, 1), 0)
            case "B":
                self._row = min(self._row + max(number, 1), len(self.lines) - 1)
            case "C":
                self._column = min(self._column + max(number, 1), MAX_COLUMNS)
            case "D":
                self._column = max(self._column - max(number, 1), 0)
            case "G":
                self._column = min(max(number, 1), MAX_COLUMNS) - 1
            case "K":
                self._erase_in_line(number)
            case "J" if number == 0:
                # Other numbers clear a screen, but a transcript keeps what was printed.
                self._erase_in_line(0)
                del self.lines[self._row + 1 :]

    def _erase_in_line(self, number: int) -> None:
        """Erase the cursor's line: from the cursor, up to it, or all."""
        self._wipe_picture()
        line = self.lines[self._row]
        match number:
            case 0:
                _cut(line, self._column)
            case 1:  # the cursor's own character, too
                rest = line.divide([self._column + 1])[1]
                self.lines[self._row] = Text(" " * (self._column + 1)).append_text(rest) if rest else Text()
            case 2:
                _cut(line, 0)


def _cut(line: Text, length: int) -> None:
    """Shorten a line.

    Rich's own right_crop(0) empties the text but keeps its length.
    """
    if length < len(line):
        line.right_crop(len(line) - length)
