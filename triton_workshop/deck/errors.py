"""What is wrong with a deck: always a file, a line and a reason."""

from __future__ import annotations

from pathlib import Path


class DeckError(Exception):
    """A deck that presenterm would refuse. `str(error)` is one line: `file:line: reason`."""

    def __init__(self, path: Path, line: int, reason: str) -> None:
        super().__init__(f"{path}:{line}: {reason}")
        self.path = path
        self.line = line
        self.reason = reason
