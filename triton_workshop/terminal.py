"""What the terminal can show, asked of the terminal itself. Only the standard library: it comes before the screen."""

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

PATIENCE_SECONDS = 1.0
"""Seconds without an answer after which a terminal is taken for one that gives none. Over a slow line answers take
time, and one that came later would be read as keys; what is imported meanwhile takes half of it anyway."""
LONGEST_SECONDS = 2.0

# Several are asked at once. The last every terminal answers, and in their order (xterm's ctlseqs, "Primary DA").
ASK_KITTY = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\"
ASK_NAME = "\x1b[>0q"
ASK_CELL = "\x1b[16t"
ASK_ATTRIBUTES = "\x1b[c"

KITTY_ANSWER = re.compile(r"\x1b_Gi=\d+;OK\x1b\\")
NAME_ANSWER = re.compile(r"\x1bP>\|([^\x1b]*)\x1b\\")
CELL_ANSWER = re.compile(r"\x1b\[6;(\d+);(\d+)t")
ATTRIBUTES_ANSWER = re.compile(r"\x1b\[\?([\d;]*)c")

MUTE = ("dumb", "linux", "")
"""Values of TERM that stand for no pictures, whatever is asked."""
MULTIPLEXERS = ("tmux", "screen")
"""How TERM begins inside of them."""
PLACEHOLDERS = ("kitty", "ghostty")
"""Terminals that show a picture where letters of Unicode stand for it (kitty's graphics protocol, "Unicode
placeholders"); others that speak the protocol do not, and know other ways."""
ITERM2 = ("iterm2", "iterm.app", "wezterm")


class Way(StrEnum):
    """How a terminal shows pictures."""

    KITTY = "kitty"
    ITERM2 = "iTerm2"
    SIXEL = "sixel"


@dataclass(frozen=True)
class Terminal:
    """`way` is None where characters must do. `cell` is the pixels of a cell, across and down."""

    way: Way | None = None
    cell: tuple[int, int] = (10, 20)
    through_tmux: bool = False
    """Whether what is meant for the terminal must be handed to tmux to pass on."""

    @property
    def shows_pictures(self) -> bool:
        """Whether it shows pictures itself; else they are drawn in characters."""
        return self.way is not None

    def now(self) -> Self:
        """The same after a change of the screen's size, which may be one of the letters' size."""
        cell = cell_size()
        return self if cell is None else replace(self, cell=cell)

    def cells_for(self, pixels: tuple[int, int], percent: int | None, columns: int, rows: int) -> tuple[int, int]:
        """Columns and rows of a picture: the percentage of the room or its natural size, shrunk to fit the room."""
        width, height = (max(side, 1) for side in pixels)
        across, down = self.cell
        wide = columns * percent / 100 if percent else width / across
        # Rows per column of the picture: its own shape times the cell's.
        shape = height / width * across / down
        wide = min(wide, columns, rows / shape)
        return max(1, round(wide)), max(1, round(wide * shape))


PLAIN = Terminal()


def ask(environ: Mapping[str, str] | None = None) -> Terminal:
    """Ask the terminal of standard input and output; must come before anybody else reads its answers.

    Takes as long as the terminal takes to answer, and `PATIENCE_SECONDS` where it does not.
    """
    environ = os.environ if environ is None else environ
    if not _at_a_terminal() or environ.get("TERM", "") in MUTE:
        return PLAIN
    if sys.platform == "win32":
        return _ask_on_windows()
    # Its variables stay behind where one goes on by ssh or sudo.
    multiplexed = environ.get("TERM", "").startswith(MULTIPLEXERS) or any(map(environ.get, ("TMUX", "STY")))
    # Apple's terminal would show the question for kitty's protocol as text, a multiplexer as its window's title.
    quiet = multiplexed or environ.get("TERM_PROGRAM") == "Apple_Terminal"
    answers = _conversation((ASK_CELL if quiet else ASK_NAME + ASK_CELL) + ASK_ATTRIBUTES)
    cell = _cell(answers)
    if environ.get("TMUX") and _tmux_passes_on():
        return Terminal(Way.KITTY, cell, through_tmux=True)
    name = _name(answers)
    multiplexed = multiplexed or name.startswith(MULTIPLEXERS)  # by ssh from inside of tmux, without its variables
    way = _way(answers, name, {} if multiplexed else environ)
    # Last, since many who answer this cannot do what a screen that scrolls needs; those who can know no sixels.
    if way is None and not quiet and not multiplexed and ATTRIBUTES_ANSWER.search(answers):
        way = Way.KITTY if KITTY_ANSWER.search(_conversation(ASK_KITTY + ASK_ATTRIBUTES)) else None
    return Terminal(way, cell)


def _at_a_terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.__stdin__, sys.__stdout__))


def _name(answers: str) -> str:
    answer = NAME_ANSWER.search(answers)
    return answer[1] if answer else ""


def _way(answers: str, name: str, environ: Mapping[str, str]) -> Way | None:
    """The best of what a terminal has answered, and of what its environment says; None if only kitty's may be left."""
    attributes = ATTRIBUTES_ANSWER.search(answers)
    if attributes is None:
        return None
    names = (name, environ.get("TERM_PROGRAM", ""), environ.get("LC_TERMINAL", ""))
    if any(name.lower().startswith(ITERM2) for name in names):
        return Way.ITERM2
    return Way.SIXEL if "4" in attributes[1].split(";") else None


def _cell(answers: str) -> tuple[int, int]:
    answer = CELL_ANSWER.search(answers)
    height, width = map(int, answer.groups()) if answer else (0, 0)
    return (width, height) if width and height else cell_size() or PLAIN.cell


def cell_size() -> tuple[int, int] | None:
    """The pixels of a cell, across and down, as the system knows them without asking; None where it does not."""
    if sys.platform == "win32":
        return None
    try:
        size = fcntl.ioctl(1, termios.TIOCGWINSZ, bytes(8))
    except OSError:
        return None
    rows, columns, across, down = struct.unpack("HHHH", size)
    width, height = across // max(columns, 1), down // max(rows, 1)
    return (width, height) if width and height else None


def _conversation(questions: str) -> str:
    """What the terminal answers, up to the answer that every terminal gives to the last question."""
    if sys.platform == "win32":
        return ""
    before = termios.tcgetattr(0)
    answers = ""
    try:
        tty.setcbreak(0, termios.TCSANOW)
        os.write(1, questions.encode())
        end = time.monotonic() + LONGEST_SECONDS
        while not ATTRIBUTES_ANSWER.search(answers) and time.monotonic() < end:
            if not select.select([0], [], [], PATIENCE_SECONDS)[0]:
                break
            answers += os.read(0, 4096).decode(errors="replace")
    finally:
        termios.tcsetattr(0, termios.TCSANOW, before)
    return answers


def _tmux_passes_on() -> bool:
    """Whether tmux may pass on what it does not know, to a terminal that shows pictures in the place of letters."""
    program = shutil.which("tmux")
    if program is None:
        return False
    words = "#{allow-passthrough}\n#{client_termname} #{client_termtype}"
    try:
        asked = subprocess.run([program, "display-message", "-p", words], capture_output=True, text=True, timeout=1)
    except (OSError, subprocess.TimeoutExpired):
        return False
    allowed, _, names = asked.stdout.partition("\n")
    return allowed not in ("", "0", "off") and any(name in names.lower() for name in PLACEHOLDERS)


def _ask_on_windows() -> Terminal:
    from textual_image import renderable
    from textual_image._terminal import get_cell_size

    cell = get_cell_size()
    way = Way.SIXEL if renderable.Image is renderable.SixelImage else None
    return Terminal(way, (max(cell.width, 1), max(cell.height, 1)))
