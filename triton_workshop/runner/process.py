"""A script's process, as a run sees it: cold or warm, it has an output, an end, and a group to signal."""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from triton_workshop.runner.script import Script


class Process(Protocol):
    """A running script, which leads a process group of its own."""

    @property
    def output(self) -> int:
        """The file descriptor that everything it prints is read from."""

    def poll(self) -> int | None:
        """The exit status as `subprocess` gives it, None while it runs. Raises `wire.ParentLostError`."""

    def pause(self, seconds: float) -> None:
        """Waits until it ends, or for that long."""

    def signal_group(self, number: int) -> None:
        """Sends a signal to the process and its group, those that outlived it included."""

    def release(self) -> None:
        """Lets go of what this side holds of it, the output too."""


Launch = Callable[[Script, Path], Process]
"""Starts a script, whose source stands in that file. Raises OSError."""


class Channel:
    """The two ends of a script's output: a pipe, or a pseudo-terminal."""

    def __init__(self, terminal: tuple[int, int] | None) -> None:
        self.ours, self.theirs = _open_terminal(*terminal) if terminal else os.pipe()

    def close_theirs(self) -> None:
        """The script has it now; the output ends when the last process that holds it lets go."""
        os.close(self.theirs)

    def close(self) -> None:
        for end in (self.ours, self.theirs):
            with suppress(OSError):
                os.close(end)


def _open_terminal(columns: int, rows: int) -> tuple[int, int]:
    if sys.platform == "win32":
        raise OSError("there are no pseudo-terminals on Windows")
    import fcntl
    import termios

    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    return ours, theirs
