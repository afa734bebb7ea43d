"""Abilities of the terminal, asked of the terminal itself.

Only the standard library is used, as this comes before the screen.
"""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self

if sys.platform != "win32":
    import fcntl
    import struct
    import termios
    import tty

ANSWER_TIMEOUT_SECONDS = 1.0
"""Seconds without an answer after which a terminal gives none.

Over a slow line answers take time, and one that came later would be read as keys; what is imported meanwhile takes half
of it anyway.
"""
CONVERSATION_TIMEOUT_SECONDS = 2.0

# Several are asked at once. The last every terminal answers, and in their order (xterm's ctlseqs, "Primary DA").
ASK_KITTY = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\"
ASK_NAME = "\x1b[>0q"
ASK_CELL = "\x1b[16t"
ASK_ATTRIBUTES = "\x1b[c"

KITTY_ANSWER = re.compile(r"\x1b_Gi=\d+;OK\x1b\\")
NAME_ANSWER = re.compile(r"\x1bP>\|([^\x1b]*)\x1b\\")
CELL_ANSWER = re.compile(r"\x1b\[6;(\d+);(\d+)t")
ATTRIBUTES_ANSWER = re.compile(r"\x1b\[\?([\d;]*)c")

TERMS_WITHOUT_PICTURES = ("dumb", "linux", "")
"""Values of TERM that stand for no pictures, whatever is asked."""
MULTIPLEXERS = ("tmux", "screen")
"""Start of TERM inside of a multiplexer."""
PLACEHOLDERS = ("kitty", "ghostty")
"""Terminals that show a picture in place of letters of Unicode.

The source is kitty's graphics protocol, "Unicode placeholders". Other terminals that speak the protocol do not do this,
and know other ways.
"""
ITERM2 = ("iterm2", "iterm.app", "wezterm")


class GraphicsProtocol(StrEnum):
    """Protocol by which a terminal shows pictures."""

    KITTY = "kitty"
    ITERM2 = "iTerm2"
    SIXEL = "sixel"


@dataclass(frozen=True)
class Terminal:
    """Terminal, as far as pictures need to know it.

    `graphics` is None where characters must do. `cell` is the pixels of a cell, across and down.
    """

    graphics: GraphicsProtocol | None = None
    cell: tuple[int, int] = (10, 20)
    through_tmux: bool = False
    """True if sequences for the terminal have to pass through tmux."""

    @property
    def shows_pictures(self) -> bool:
        """True if it shows pictures itself; else they are drawn in characters."""
        return self.graphics is not None

    def now(self) -> Self:
        """Return the same terminal with its cells as large as they are now.

        A change of the screen's size may be one of the letters' size.
        """
        cell = cell_size()
        return self if cell is None else replace(self, cell=cell)

    def cells_for(self, pixels: tuple[int, int], percent: int | None, columns: int, rows: int) -> tuple[int, int]:
        """Return the columns and rows of a picture.

        The picture has the percentage of the columns or its natural size, shrunk to fit.
        """
        width, height = (max(side, 1) for side in pixels)
        cell_width, cell_height = self.cell
        scaled_width = columns * percent / 100 if percent else width / cell_width
        # Rows per column of the picture: its own shape times the cell's.
        shape = height / width * cell_width / cell_height
        scaled_width = min(scaled_width, columns, rows / shape)
        return max(1, round(scaled_width)), max(1, round(scaled_width * shape))


PLAIN = Terminal()


def query_terminal(environ: Mapping[str, str] | None = None) -> Terminal:
    """Ask the terminal of standard input and output.

    This must come before anybody else reads its answers. It takes as long as the terminal takes to answer, and
    `ANSWER_TIMEOUT_SECONDS` where it does not.
    """
    environ = os.environ if environ is None else environ
    if not _at_a_terminal() or environ.get("TERM", "") in TERMS_WITHOUT_PICTURES:
        return PLAIN
    if sys.platform == "win32":
        return _query_windows_terminal()
    # Its variables stay behind where one goes on by ssh or sudo.
    multiplexed = environ.get("TERM", "").startswith(MULTIPLEXERS) or any(map(environ.get, ("TMUX", "STY")))
    # Apple's terminal would show the question for kitty's protocol as text, a multiplexer as its window's title.
    quiet = multiplexed or environ.get("TERM_PROGRAM") == "Apple_Terminal"
    answers = _conversation((ASK_CELL if quiet else ASK_NAME + ASK_CELL) + ASK_ATTRIBUTES)
    cell = _cell(answers)
    if environ.get("TMUX") and _tmux_allows_passthrough():
        return Terminal(GraphicsProtocol.KITTY, cell, through_tmux=True)
    name = _name(answers)
    multiplexed = multiplexed or name.startswith(MULTIPLEXERS)  # by ssh from inside of tmux, without its variables
    graphics = _choose_graphics(answers, name, {} if multiplexed else environ)
    shows_questions = quiet or multiplexed
    if graphics is not None or shows_questions:
        return Terminal(graphics, cell)
    # Last, since many who answer this cannot do what a screen that scrolls needs; those who can know no sixels.
    if ATTRIBUTES_ANSWER.search(answers) and KITTY_ANSWER.search(_conversation(ASK_KITTY + ASK_ATTRIBUTES)):
        graphics = GraphicsProtocol.KITTY
    return Terminal(graphics, cell)


def _at_a_terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.__stdin__, sys.__stdout__))


def _name(answers: str) -> str:
    answer = NAME_ANSWER.search(answers)
    return answer[1] if answer else ""


def _choose_graphics(answers: str, name: str, environ: Mapping[str, str]) -> GraphicsProtocol | None:
    """Choose a protocol from the answers and the environment.

    Return None if only kitty's may be left.
    """
    attributes = ATTRIBUTES_ANSWER.search(answers)
    if attributes is None:
        return None
    names = (name, environ.get("TERM_PROGRAM", ""), environ.get("LC_TERMINAL", ""))
    if any(name.lower().startswith(ITERM2) for name in names):
        return GraphicsProtocol.ITERM2
    return GraphicsProtocol.SIXEL if "4" in attributes[1].split(";") else None


def _cell(answers: str) -> tuple[int, int]:
    answer = CELL_ANSWER.search(answers)
    height, width = map(int, answer.groups()) if answer else (0, 0)
    if width and height:
        return width, height
    return cell_size() or PLAIN.cell


def cell_size() -> tuple[int, int] | None:
    """Return the pixels of a cell, as the system knows them without asking.

    They are those across and down. Return None where the system does not know them.
    """
    if sys.platform == "win32":
        return None
    try:
        size = fcntl.ioctl(1, termios.TIOCGWINSZ, bytes(8))
    except OSError:
        return None
    rows, columns, across, down = struct.unpack("HHHH", size)
    width, height = across // max(columns, 1), down // max(rows, 1)
    if not (width and height):
        return None
    return width, height


def _conversation(questions: str) -> str:
    """Return the terminal's answers to questions.

    Every terminal answers the last question, and reading ends there.
    """
    if sys.platform == "win32":
        return ""
    settings = termios.tcgetattr(0)
    answers = ""
    try:
        # By default, `setcbreak` would drop keys that were pressed already.
        tty.setcbreak(0, termios.TCSANOW)
        os.write(1, questions.encode())
        end = time.monotonic() + CONVERSATION_TIMEOUT_SECONDS
        while not ATTRIBUTES_ANSWER.search(answers) and time.monotonic() < end:
            if not select.select([0], [], [], ANSWER_TIMEOUT_SECONDS)[0]:
                break
            answers += os.read(0, 4096).decode(errors="replace")
    finally:
        termios.tcsetattr(0, termios.TCSANOW, settings)
    return answers


def _tmux_allows_passthrough() -> bool:
    """Return True if tmux passes on sequences that it does not know.

    The terminal must show pictures in the place of letters.
    """
    program = shutil.which("tmux")
    if program is None:
        return False
    template = "#{allow-passthrough}\n#{client_termname} #{client_termtype}"
    try:
        reply = subprocess.run([program, "display-message", "-p", template], capture_output=True, text=True, timeout=1)
    except (OSError, subprocess.TimeoutExpired):
        return False
    allowed, _, names = reply.stdout.partition("\n")
    # A tmux that does not know the option puts nothing in its place.
    if allowed in ("", "0", "off"):
        return False
    return any(name in names.lower() for name in PLACEHOLDERS)


def _query_windows_terminal() -> Terminal:
    from textual_image import renderable
    from textual_image._terminal import get_cell_size

    cell = get_cell_size()
    graphics = GraphicsProtocol.SIXEL if renderable.Image is renderable.SixelImage else None
    return Terminal(graphics, (max(cell.width, 1), max(cell.height, 1)))
