"""Errors of a deck, each with a file, a line and a reason."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


class RefusedError(Exception):
    """Reason why presenterm would refuse a part of a deck.

    `line` counts from 0 within the text that was read.
    """

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


class DeckError(Exception):
    """Deck that presenterm would refuse.

    `str(error)` is one line: `file:line: reason`.
    """

    def __init__(self, path: Path, line: int, reason: str) -> None:
        reason = " ".join(reason.split())  # the text that it quotes may contain line ends
        super().__init__(f"{path}:{line}: {reason}")
        self.path = path
        self.line = line
        self.reason = reason


@dataclass(frozen=True)
class Position:
    """A line of a file."""

    path: Path
    line: int

    def error(self, reason: str, below: int = 0) -> DeckError:
        """Return the error of this line, or of one some lines below it."""
        return DeckError(self.path, self.line + below, reason)


class NoSuchDeckError(DeckError):
    """Missing deck, without a line to name.

    `str(error)` is `file: reason`.
    """

    def __init__(self, path: Path, reason: str = "no such deck") -> None:
        super().__init__(path, 1, reason)

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"
