"""What a block printed, as a terminal would show it: colours, carriage returns, progress bars."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from rich.ansi import AnsiDecoder
from rich.text import Text

from triton_workshop.screen.richtext import on_our_ground
from triton_workshop.screen.shown_pictures import PictureLine, take_picture
from triton_workshop.streams import CONTROLS

LINES_KEPT = 5000
COLUMNS_KEPT = 4000
BACKLOG = 256 * 1024
"""Bytes waiting beyond which lines that could never be shown are dropped unread."""
BACKLOG_LIMIT = 8 * 1024 * 1024
SLICE = 32 * 1024
"""Bytes processed per call, so that a call stays short."""
ESCAPE_LIMIT = 64 * 1024
PICTURES_KEPT = 64 * 1024 * 1024
"""Bytes of the pictures in one output; the oldest are dropped first."""

TOKENS = re.compile(
    r"""
      (?P<newline>\n)
    | (?P<control>\r+|\x08)
    | \x1b\[(?P<parameters>[0-?]*)[ -/]*(?P<final>[@-~])   # CSI: colours, cursor movements
    | \x1b\][^\x07\x1b]*(?:\x07|\x1b\\)                    # OSC: titles, links
    | \x1b_triton-workshop:picture;(?P<picture>[\w-]+\.png)\x1b\\   # as `show_image` says where a picture is
    | \x1b[PX^_][^\x1b]*\x1b\\                             # DCS, APC: what is for the terminal itself
    | \x1b[ -/]*[0-Z\\`-~]
    | (?P<text>[^\r\n\b\x1b]+)
    """,
    re.VERBOSE,
)
UNFINISHED = re.compile(r"(?:\x1b(?:\[[0-?]*[ -/]*|[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?))\Z")


class Transcript:
    """The last lines of an output, kept up to date as bytes arrive.

    `receive` may be called from another thread than `take_in`; everything else belongs to one thread. Bytes that are
    not UTF-8 show as replacement characters. The cursor can go back over a line (`\\r`, backspace) and up to
    earlier lines (as Rich's progress bars do). A picture gets a line of its own, a `PictureLine`; `pictures` is the
    folder in which the block leaves them.
    """

    def __init__(self, pictures: Path | None = None) -> None:
        self.lines: list[Text] = [Text()]
        self._pictures = pictures
        self.dropped = 0
        """How many lines before the first of `lines` were dropped."""
        self._arrived: list[bytes] = []
        self._waiting = b""
        self._decode = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._styles = AnsiDecoder()
        self._unfinished = ""
        self._row = 0
        self._column = 0

    @property
    def empty(self) -> bool:
        return not self.dropped and len(self.lines) == 1 and not self.lines[0]

    @property
    def behind(self) -> bool:
        """Whether bytes have arrived that `take_in` has not read yet."""
        return bool(self._arrived or self._waiting)

    def shown(self) -> list[Text]:
        """The lines to show, without the empty one on which the cursor waits after a last line feed."""
        return self.lines[:-1] if not self.lines[-1] else self.lines

    def receive(self, data: bytes) -> None:
        """Accepts bytes, cheaply: they are processed when `take_in` is called."""
        self._arrived.append(data)
        if len(self._arrived) > BACKLOG_LIMIT // len(data):
            self._join()

    def take_in(self) -> bool:
        """Processes a slice of what has arrived; returns whether there was any, and so perhaps something to show."""
        self._join()
        data, self._waiting = self._waiting[:SLICE], self._waiting[SLICE:]
        if data:
            self.feed(data)
        return bool(data)

    def _join(self) -> None:
        # Only what is in the list now, as the other thread may append meanwhile.
        count = len(self._arrived)
        self._waiting += b"".join(self._arrived[:count])
        del self._arrived[:count]
        if len(self._waiting) <= BACKLOG:
            return
        *skipped, kept = self._tail(self._waiting)
        if skipped:
            self.dropped += skipped[0].count(b"\n")
            # Where the cursor and the colours would have been is now unknown, so start on a fresh line.
            kept = b"\x1b[0m" + kept
        self._waiting = kept

    @staticmethod
    def _tail(data: bytes) -> tuple[bytes, ...]:
        """What can be skipped, if anything, and the last lines, which cannot."""
        lines = data.rsplit(b"\n", LINES_KEPT + 1)
        if len(lines) <= LINES_KEPT + 1 and len(data) <= BACKLOG_LIMIT:
            return (data,)
        kept = b"\n".join(lines[1:])[-BACKLOG_LIMIT:] if len(lines) > 1 else data[-BACKLOG_LIMIT:]
        return data[: len(data) - len(kept)], kept

    def feed(self, data: bytes) -> None:
        """Processes bytes now. An escape sequence or character may be split between two calls."""
        text = self._unfinished + self._decode.decode(data)
        self._unfinished = ""
        tail = UNFINISHED.search(text, max(len(text) - ESCAPE_LIMIT, 0))
        if tail:
            text, self._unfinished = text[: tail.start()], tail.group()
        for token in TOKENS.finditer(text):
            if written := token["text"]:
                self._write(written)
            elif token["newline"]:
                self._line_feed()
            elif token["control"]:
                self._column = max(self._column - 1, 0) if token["control"] == "\b" else 0
            elif token["picture"]:
                self._show(token["picture"])
            elif token["final"]:
                self._control(token["final"], token["parameters"], token.group())

    def _write(self, text: str) -> None:
        text = text.expandtabs(8).translate(CONTROLS)[: COLUMNS_KEPT - self._column]
        self._wipe_picture()
        line = self.lines[self._row]
        if len(line) < self._column:
            line.append(" " * (self._column - len(line)))
        end = self._column + len(text)
        rest = line.divide([end])[1] if end < len(line) else None
        _cut(line, self._column)
        line.append(text, on_our_ground(self._styles.style))
        if rest is not None:
            line.append_text(rest)
        self._column += len(text)

    def _line_feed(self) -> None:
        self._column = 0
        self._row += 1
        if self._row == len(self.lines):
            self.lines.append(Text())
        # One more than is kept, for the empty line on which the cursor waits.
        excess = len(self.lines) - LINES_KEPT - 1
        if excess > 0:
            del self.lines[:excess]
            self.dropped += excess
            self._row = max(self._row - excess, 0)

    def _show(self, name: str) -> None:
        """Puts a picture on the cursor's line, or on the next one if that line is not empty."""
        if self._pictures is None:
            return
        if self.lines[self._row]:
            self._line_feed()
        self.lines[self._row] = take_picture(self._pictures / name)
        self._line_feed()
        kept = 0
        for row in range(len(self.lines) - 1, -1, -1):
            line = self.lines[row]
            kept += len(line.picture.data) if isinstance(line, PictureLine) else 0
            if kept > PICTURES_KEPT and isinstance(line, PictureLine):
                self.lines[row] = Text(line.plain)

    def _wipe_picture(self) -> None:
        """Removes a picture if anything is written or erased on its line."""
        if isinstance(self.lines[self._row], PictureLine):
            self.lines[self._row] = Text()

    def _control(self, final: str, parameters: str, sequence: str) -> None:
        number = int(parameters) if parameters.isdecimal() and len(parameters) < 5 else 0
        match final:
            case "m":
                self._styles.decode_line(sequence)
            case "A":
                self._row = max(self._row - max(number, 1), 0)
            case "B":
                self._row = min(self._row + max(number, 1), len(self.lines) - 1)
            case "C":
                self._column = min(self._column + max(number, 1), COLUMNS_KEPT)
            case "D":
                self._column = max(self._column - max(number, 1), 0)
            case "G":
                self._column = min(max(number, 1), COLUMNS_KEPT) - 1
            case "K":
                self._wipe_picture()
                _cut(self.lines[self._row], self._column if number == 0 else 0)
            case "J":
                del self.lines[self._row + 1 :]
            case _:
                pass


def _cut(line: Text, length: int) -> None:
    """Shortens a line. (Rich's own right_crop(0) empties the text but keeps its length.)"""
    if length < len(line):
        line.right_crop(len(line) - length)
