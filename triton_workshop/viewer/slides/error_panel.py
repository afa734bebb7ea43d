"""The panel with an error in a saved deck, below the unchanged slides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from rich.style import Style
from rich.text import Text

from triton_workshop.deck import DeckError, NoSuchDeckError
from triton_workshop.printing import printable
from triton_workshop.screen.lines import Lines, strip, wrap
from triton_workshop.screen.palette import Palette
from triton_workshop.viewer.slides.view import margin

MAX_REASON_ROWS = 4
"""Rows that a reason may take."""


@dataclass(frozen=True)
class LocatedError:
    """An error with its line of the deck."""

    error: DeckError
    line: str
    """The line's text when the error was found; empty if there is none."""

    @classmethod
    def with_line(cls, error: DeckError) -> Self:
        """Read the error's line from the deck's file."""
        try:
            # The error may be that the file is not UTF-8.
            lines = error.path.read_text(encoding="utf-8", errors="replace").split("\n")
            return cls(error, "" if isinstance(error, NoSuchDeckError) else lines[error.line - 1].strip())
        except (OSError, IndexError):
            return cls(error, "")

    @property
    def location(self) -> str:
        """The file, and the line number if there is one."""
        name = self.error.path.name
        return name if isinstance(self.error, NoSuchDeckError) else f"{name}:{self.error.line}"


def error_rows(located: LocatedError, palette: Palette, width: int) -> Lines:
    """Draw the error with its location, its line, and advice."""
    ground = Style(color=palette.text, bgcolor=palette.panel)
    edge = Style(color=palette.bad, bgcolor=palette.background)
    side = margin(width)
    inside = max(width - 2 * side, 1)
    reason = Text.assemble(
        (f"✗ {printable(located.location)}: ", Style(color=palette.bad, bold=True)),
        (printable(located.error.reason), Style(color=palette.emphasis, bold=True)),
    )
    rows = wrap(reason, inside)[:MAX_REASON_ROWS]
    if located.line:
        quoted = Text.assemble((f"  {located.error.line} │ ", Style(color=palette.muted)), printable(located.line))
        quoted.truncate(inside, overflow="ellipsis")
        rows.append(quoted)
    note = "The slides have not changed; fix the error and save again. Esc hides this."
    rows += wrap(Text(note, Style(color=palette.muted)), inside)
    return (
        strip(Text("▄" * width), width, edge),
        *(strip(Text(" " * side) + row, width, ground) for row in rows),
    )
