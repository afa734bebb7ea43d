"""What a presenter sees of a deck that was saved with an error in it, over the slides as they were before."""

from __future__ import annotations

from rich.style import Style
from rich.text import Text

from triton_workshop.deck import DeckError, NoSuchDeckError
from triton_workshop.viewer.page import Lines, margin, strip, wrap
from triton_workshop.viewer.palette import Palette
from triton_workshop.viewer.richtext import printable

MOST_ROWS = 4
"""Rows that a reason may take."""


def place(error: DeckError) -> str:
    """The file and the line, where there is one."""
    return error.path.name if isinstance(error, NoSuchDeckError) else f"{error.path.name}:{error.line}"


def line_of(error: DeckError) -> str | None:
    """The line that the error is about, where it can be read."""
    try:
        lines = error.path.read_text(encoding="utf-8", errors="replace").split("\n")
        return lines[error.line - 1].strip() or None
    except (OSError, IndexError):
        return None


def trouble(error: DeckError, palette: Palette, width: int) -> Lines:
    """The error with its place and its line, and what becomes of the slides meanwhile."""
    ground = Style(color=palette.text, bgcolor=palette.panel)
    edge = Style(color=palette.bad, bgcolor=palette.background)
    side = margin(width)
    inside = max(width - 2 * side, 1)
    reason = Text.assemble(
        (f"✗ {printable(place(error))}: ", Style(color=palette.bad, bold=True)),
        (printable(error.reason), Style(color=palette.emphasis, bold=True)),
    )
    rows = wrap(reason, inside)[:MOST_ROWS]
    if (line := line_of(error)) is not None and not isinstance(error, NoSuchDeckError):
        quoted = Text.assemble((f"  {error.line} │ ", Style(color=palette.muted)), printable(line))
        quoted.truncate(inside, overflow="ellipsis")
        rows.append(quoted)
    note = "The slides are as before; the next save is read again. Esc hides this."
    rows += wrap(Text(note, Style(color=palette.muted)), inside)
    return (
        strip(Text("▄" * width), width, edge),
        *(strip(Text(" " * side) + row, width, ground) for row in rows),
    )
