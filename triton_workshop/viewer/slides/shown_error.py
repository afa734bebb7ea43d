"""What a presenter sees of a deck that was saved with an error in it, over the slides as they were before."""

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

MOST_ROWS = 4
"""Rows that a reason may take."""


@dataclass(frozen=True)
class ShownError:
    """An error, and the line that it is about as it was then; empty if there is none."""

    error: DeckError
    line: str

    @classmethod
    def with_line(cls, error: DeckError) -> Self:
        try:
            lines = error.path.read_text(encoding="utf-8", errors="replace").split("\n")
            return cls(error, "" if isinstance(error, NoSuchDeckError) else lines[error.line - 1].strip())
        except (OSError, IndexError):
            return cls(error, "")

    @property
    def place(self) -> str:
        """The file, and the line number if there is one."""
        name = self.error.path.name
        return name if isinstance(self.error, NoSuchDeckError) else f"{name}:{self.error.line}"


def error_rows(shown: ShownError, palette: Palette, width: int) -> Lines:
    """The error with its place and its line, and what happens to the slides meanwhile."""
    ground = Style(color=palette.text, bgcolor=palette.panel)
    edge = Style(color=palette.bad, bgcolor=palette.background)
    side = margin(width)
    inside = max(width - 2 * side, 1)
    reason = Text.assemble(
        (f"✗ {printable(shown.place)}: ", Style(color=palette.bad, bold=True)),
        (printable(shown.error.reason), Style(color=palette.emphasis, bold=True)),
    )
    rows = wrap(reason, inside)[:MOST_ROWS]
    if shown.line:
        quoted = Text.assemble((f"  {shown.error.line} │ ", Style(color=palette.muted)), printable(shown.line))
        quoted.truncate(inside, overflow="ellipsis")
        rows.append(quoted)
    note = "The slides have not changed; fix the error and save again. Esc hides this."
    rows += wrap(Text(note, Style(color=palette.muted)), inside)
    return (
        strip(Text("▄" * width), width, edge),
        *(strip(Text(" " * side) + row, width, ground) for row in rows),
    )
