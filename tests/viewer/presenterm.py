"""presenterm with a deck that is exchanged while it runs: what it answers to each.

Reading a deck again takes milliseconds.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from tests.deck.dialect.screen import words
from tests.deck.recording import Answer

from .terminal import PLAIN, Cells, Terminal

PLAIN_TERMINAL = PLAIN | {b"\x1b[6n": b"\x1b[1;1R"}
"""What a plain terminal answers to presenterm, which also asks for the cursor's place, and waits two seconds for it."""
COLUMNS, ROWS = 160, 60
FOOTER = 3
"""Rows at the bottom that presenterm keeps for the footer."""
FRAME_ENDS = b"\x1b[?2026l"
RELOAD, FIRST, NEXT, HELP = "\x12", "gg", "l", "?"
# Decks whose code runs at once, or is drawn: the frames that its output makes would be taken for answers to keys.
_DRAWS_LATER = re.compile(r"\+(?:auto_exec|exec_replace|image|validate|render)")


class Presenterm:
    """One presenterm, started when needed."""

    def __init__(self, program: str, folder: Path, *arguments: str) -> None:
        self._command = [program, *arguments, "deck.md"]
        self._folder = folder
        self._terminal: Terminal | None = None

    def answer(self, deck: str) -> Answer:
        self._write(deck)
        refused = any("Error loading" in row for row in self._load())
        if refused:
            return "refused"
        if _DRAWS_LATER.search(deck):
            self.close()
            return "draws later"
        return [words(screen) for screen in self._walk()]

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

    def _load(self) -> list[str]:
        """The first screen."""
        if self._terminal is not None:
            return self._press(RELOAD)
        home = str(self._folder)
        self._terminal = Terminal(self._command, self._folder, COLUMNS, ROWS, PLAIN_TERMINAL, XDG_CONFIG_HOME=home)
        return self._screen()

    def _walk(self) -> list[list[str]]:
        """The screens of all steps."""
        screens = [self._press(FIRST)]
        while (screen := self._next()) is not None:
            screens.append(screen)
        return screens

    def _next(self) -> list[str] | None:
        """The screen of the next step; None at the end, where presenterm draws nothing.

        So its help is asked for, too: it is drawn in any case, as a screen without it and then one with it.
        """
        screen = self._press(NEXT + HELP)
        at_the_end = is_help(self._screen())
        if not at_the_end:
            assert is_help(self._screen()), "presenterm drew what nobody asked for"
        self._press(HELP)
        return None if at_the_end else screen

    def _press(self, keys: str) -> list[str]:
        """The first screen that the keys lead to."""
        assert self._terminal is not None
        self._terminal.press(keys)
        return self._screen()

    def _screen(self) -> list[str]:
        assert self._terminal is not None
        try:
            cells = Cells(COLUMNS, ROWS)
            cells.feed(self._terminal.take_until(FRAME_ENDS))
            return cells.rows()[:-FOOTER]
        except AssertionError:
            self.close()
            raise


def is_help(screen: list[str]) -> bool:
    return any("Key bindings" in row for row in screen)
