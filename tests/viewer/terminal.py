"""A command in a pseudo-terminal: what it writes, the keys that it gets, and how it leaves the terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

ESCAPES = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])")

ASKS_WHAT_IT_IS, ASKS_FOR_KITTY = b"\x1b[c", b"a=q"
PLAIN = {ASKS_WHAT_IT_IS: b"\x1b[?62;22c"}
"""What a terminal with colours and no pictures answers to the query that every terminal answers (DA1)."""
SIXEL = {ASKS_WHAT_IT_IS: b"\x1b[?62;4;22c"}
KITTY = PLAIN | {ASKS_FOR_KITTY: b"\x1b_Gi=1;OK\x1b\\"}
_TOKEN = re.compile(
    rb"\x1b\[(?P<numbers>[0-9;?]*)(?P<command>[A-Za-z])|\x1b[\]_][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]"
    rb"|[\x00-\x1f]|(?P<text>[^\x00-\x1f]+)"
)


class Cells:
    """What stands on a screen after what was written: text at the places that the cursor was moved to."""

    def __init__(self, columns: int, rows: int) -> None:
        self._size = columns, rows
        self._row = self._column = 0
        self._clear()

    def _clear(self) -> None:
        columns, rows = self._size
        self._cells = [[" "] * columns for _ in range(rows)]

    def rows(self) -> list[str]:
        return ["".join(line) for line in self._cells]

    def feed(self, written: bytes) -> None:
        """Take in whole control sequences."""
        for token in _TOKEN.finditer(written):
            if token["text"]:
                self._write(token["text"].decode(errors="replace"))
            elif token["command"]:
                self._carry_out(token["command"], [int(number) for number in re.findall(rb"\d+", token["numbers"])])

    def _write(self, text: str) -> None:
        columns, rows = self._size
        for character in text:
            if 0 <= self._column < columns and 0 <= self._row < rows:
                self._cells[self._row][self._column] = character
            self._column += 1

    def _carry_out(self, command: bytes, numbers: list[int]) -> None:
        first = numbers[0] if numbers else 1
        match command:
            case b"H":
                self._row, self._column = first - 1, (numbers[1] if len(numbers) > 1 else 1) - 1
            case b"d":
                self._row = first - 1
            case b"G":
                self._column = first - 1
            case b"B":
                self._row += first
            case b"C":
                self._column += first
            case b"D":
                self._column -= first
            case b"E":
                self._row, self._column = self._row + first, 0
            case b"J":
                self._clear()


class Terminal:
    """Runs a command in a terminal of its own; its process group is killed at the end of the `with` block."""

    def __init__(
        self,
        command: list[str],
        folder: Path,
        columns: int = 80,
        rows: int = 24,
        answers: Mapping[bytes, bytes] = PLAIN,
        **variables: str,
    ) -> None:
        self._answers = answers
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.mode_before = self.mode()
        self.written = b""
        environment = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS", "LINES")}
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment | {"TERM": "xterm-256color"} | variables,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # as a shell's terminal is
        )
        os.close(theirs)

    def mode(self) -> list[Any]:
        """The terminal's settings: echo, line mode, and so on."""
        return termios.tcgetattr(self._ours)

    def press(self, keys: str) -> None:
        self.written = b""
        os.write(self._ours, keys.encode())

    def wait_for(self, text: str, seconds: float = 30) -> None:
        """Reads until the text has been written since the last key."""
        deadline = time.monotonic() + seconds
        while text not in self.text():
            if time.monotonic() > deadline or not self._read(0.2):
                raise AssertionError(f"{text!r} did not appear; the terminal got {self.text()[-2000:]!r}")

    def take_until(self, mark: bytes, seconds: float = 30) -> bytes:
        """Reads until the mark; what was written before it, which is then forgotten."""
        deadline = time.monotonic() + seconds
        while mark not in self.written:
            if not self._read(0.2) or time.monotonic() > deadline:
                raise AssertionError(f"{mark!r} did not come; the terminal got {self.text()[-2000:]!r}")
        before, _, self.written = self.written.partition(mark)
        return before

    def text(self) -> str:
        return ESCAPES.sub(b"", self.written).decode(errors="replace")

    def leave(self, seconds: float = 30) -> int:
        """Reads until the command ends; its exit status."""
        deadline = time.monotonic() + seconds
        while self.process.poll() is None and time.monotonic() < deadline:
            self._read(0.1)
        while self._read(0, quiet=False):
            pass
        return self.process.wait(timeout=1)

    def hang_up(self) -> None:
        """Closes the terminal under the command. No signal is sent: it is not the one that controls its session."""
        os.close(self._ours)
        self._ours = os.open(os.devnull, os.O_RDONLY)

    def foreground(self) -> int:
        """The process group that has the terminal."""
        return os.tcgetpgrp(self._ours)

    def take_in(self, seconds: float) -> bool:
        """Reads what comes within so many seconds; False where nothing came."""
        return self._read(seconds, quiet=False)

    def _read(self, seconds: float, quiet: bool = True) -> bool:
        """Reads what has come; False at the end, or where nothing came and `quiet` is False."""
        if not select.select([self._ours], [], [], seconds)[0]:
            return quiet
        try:
            data = os.read(self._ours, 65536)
        except OSError:  # Linux says so when the other end is closed
            return False
        self.written += data
        # In the order of the questions, as a terminal does.
        for query in sorted(self._answers, key=data.find):
            if query in data:
                os.write(self._ours, self._answers[query])
        return bool(data)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        os.close(self._ours)
