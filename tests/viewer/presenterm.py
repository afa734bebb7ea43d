"""presenterm with a deck that is exchanged while it runs.

Reading a deck again takes milliseconds, a start a third of a second.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from .terminal import Terminal

COLUMNS, ROWS = 160, 60
FOOTER = 3
"""Rows at the bottom that presenterm keeps for the footer."""
FRAME_ENDS = b"\x1b[?2026l"
RELOAD, FIRST, NEXT = "\x12", "gg", "l"
_TOKEN = re.compile(
    rb"\x1b\[(?P<numbers>[0-9;?]*)(?P<command>[A-Za-z])|\x1b[\]_][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]"
    rb"|[\x00-\x1f]|(?P<text>[^\x00-\x1f]+)"
)
# Decks whose code runs at once, or is drawn: the frames that its output makes would be taken for answers to keys.
_DRAWS_LATER = re.compile(r"\+(?:auto_exec|exec_replace|image|validate|render)")


class Presenterm:
    """One presenterm, started when needed."""

    def __init__(self, program: str, folder: Path, *arguments: str) -> None:
        self._command = [program, *arguments, "deck.md"]
        self._folder = folder
        self._terminal: Terminal | None = None

    def load(self, deck: str) -> list[str] | None:
        """The first screen of a deck, without the footer; None where presenterm refuses it."""
        self._write(deck)
        if self._terminal is None:
            self._terminal = Terminal(self._command, self._folder, COLUMNS, ROWS, XDG_CONFIG_HOME=str(self._folder))
            screen = self._screen()
        else:
            screen = self._press(RELOAD)
        refused = any("Error loading" in row for row in screen)
        if _DRAWS_LATER.search(deck) and not refused:
            self.close()
        return None if refused else screen

    @property
    def is_running(self) -> bool:
        return self._terminal is not None

    def walk(self, steps: int) -> list[list[str]]:
        """The screens of the loaded deck's first `steps` steps."""
        return [self._press(FIRST), *(self._press(NEXT) for _ in range(steps - 1))]

    def close(self) -> None:
        if self._terminal is not None:
            self._terminal.__exit__(None, None, None)
        self._terminal = None

    def _write(self, deck: str) -> None:
        """The deck, whole at once and no newer than the one before: else presenterm reloads by itself."""
        new = self._folder / "deck.new"
        new.write_text(deck, encoding="utf-8", newline="")
        os.utime(new, (1, 1))
        new.replace(self._folder / "deck.md")

    def _press(self, keys: str) -> list[str]:
        assert self._terminal is not None
        self._terminal.press(keys)
        return self._screen()

    def _screen(self) -> list[str]:
        assert self._terminal is not None
        try:
            return rows_of(self._terminal.take_until(FRAME_ENDS))[:-FOOTER]
        except AssertionError:
            self.close()
            raise


def rows_of(frame: bytes) -> list[str]:
    """What stands on the screen after a frame: text at the places that the cursor was moved to."""
    cells = [[" "] * COLUMNS for _ in range(ROWS)]
    row = column = 0
    for token in _TOKEN.finditer(frame):
        if token["text"]:
            for character in token["text"].decode(errors="replace"):
                if 0 <= row < ROWS and 0 <= column < COLUMNS:
                    cells[row][column] = character
                column += 1
            continue
        numbers = [int(number) for number in re.findall(rb"\d+", token["numbers"] or b"")]
        first = numbers[0] if numbers else 1
        match token["command"]:
            case b"H":
                row, column = first - 1, (numbers[1] if len(numbers) > 1 else 1) - 1
            case b"d":
                row = first - 1
            case b"G":
                column = first - 1
            case b"B":
                row += first
            case b"C":
                column += first
            case b"D":
                column -= first
            case b"E":
                row, column = row + first, 0
            case b"J":
                cells = [[" "] * COLUMNS for _ in range(ROWS)]
    return ["".join(line) for line in cells]
