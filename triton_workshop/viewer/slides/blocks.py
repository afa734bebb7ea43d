"""Draws a single block of a slide: text, lists, and panels of code."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.strip import Strip

from triton_workshop.deck.consent import EVERYTHING, Consent, flag
from triton_workshop.deck.model import (
    Alert,
    Alignment,
    Blank,
    Block,
    Code,
    Execution,
    Footnote,
    Heading,
    ListItem,
    Paragraph,
    Quote,
    Rule,
    Table,
)
from triton_workshop.deck.model import Text as Spans
from triton_workshop.languages import runnable
from triton_workshop.printing import printable
from triton_workshop.screen.code_rows import code_rows
from triton_workshop.screen.lines import Lines, fitting, strip, wrap
from triton_workshop.screen.palette import Palette
from triton_workshop.screen.richtext import code_lines, comment_start, rich_text, superscript
from triton_workshop.viewer.slides.view import NARROWEST_COLUMN, Spacing

MEASURE = 108
"""Columns beyond which running text is hard to read.

Code, tables and columns may be wider.
"""
ALERTS = {
    "note": ("●", "note"),
    "tip": ("★", "good"),
    "important": ("◆", "important"),
    "warning": ("▲", "warning"),
    "caution": ("✖", "bad"),
}
"""The icon of each kind, and the palette's name for its colour."""
EDITING = ("Ctrl+E runs · Ctrl+O next · Esc leaves", "Ctrl+E runs · Esc leaves", "Esc leaves", "")

NO_TERMINAL = ("a terminal in presenterm; here as +exec", "no terminal here", "no terminal", "")


@lru_cache(maxsize=1024)
def static_lines(block: Block, width: int, palette: Palette, step: int, *, apart: bool = False) -> Lines:
    """Draw a block that does not run.

    `apart` puts empty lines between a table's rows. A block's lines are always the same for the same
    slide, so they are drawn once.
    """
    content, base = block.content, palette.base
    alignment = block.alignment or Alignment.LEFT
    measure = min(width, MEASURE) if alignment is Alignment.LEFT else width

    def lines(text: Text) -> Lines:
        return tuple(strip(row, width, base, alignment) for row in wrap(text, measure))

    match content:
        case Heading(level, spans):
            return lines(rich_text(spans, palette, Style(color=palette.heading(level), bold=True)))
        case Paragraph(spans):
            # A terminal has letters of one size, so larger ones are bold instead.
            style = Style(bold=True) if block.font_size > 1 else Style.null()
            return lines(rich_text(spans, palette, style))
        case ListItem():
            return list_item(content, width, measure, palette)
        case Table():
            from triton_workshop.viewer.slides.table import table  # not before there is one

            return table(content, alignment, width, palette, step, apart=apart)
        case Quote(paragraphs):
            return barred(paragraphs, measure, width, palette, palette.accent, None, Style(italic=True))
        case Alert(kind, title, paragraphs):
            icon, name = ALERTS.get(kind, ALERTS["note"])
            tone = getattr(palette, name)
            heading = Text(f"{icon} {printable(title)}", Style(color=tone, bold=True))
            return barred(paragraphs, measure, width, palette, tone, heading, Style.null())
        case Rule():
            return (strip(Text("─" * width, Style(color=palette.faint)), width, base),)
        case Blank(count):
            return (strip(Text(), width, base),) * count
        case Footnote(label, spans):
            text = rich_text(spans, palette, Style(color=palette.muted))
            mark = Text(f"{superscript(printable(label))} ", Style(color=palette.accent))
            return lines(Text.assemble(mark, text))
        case _:
            return ()


def list_item(item: ListItem, width: int, measure: int, palette: Palette) -> Lines:
    """Draw a bullet or number, and its text with a hanging indent."""
    marker = printable(item.marker)
    indent = 3 * item.depth + 1
    tone = palette.accent if item.depth == 0 else palette.muted
    hang = indent + Text(marker).cell_len + 1
    rows = []
    for index, row in enumerate(wrap(rich_text(item.text, palette), max(measure - hang, 8))):
        first = index == 0
        lead = Text(f"{' ' * indent}{marker} " if first else " " * hang, Style(color=tone, bold=True))
        rows.append(strip(Text.assemble(lead, row), width, palette.base))
    return tuple(rows)


def barred(
    paragraphs: Sequence[Spans],
    measure: int,
    width: int,
    palette: Palette,
    tone: str,
    heading: Text | None,
    style: Style,
) -> Lines:
    """Draw paragraphs on a panel, with a coloured bar on their left."""
    ground = palette.base + Style(bgcolor=palette.panel)
    rows = [heading] if heading is not None else []
    for index, paragraph in enumerate(paragraphs):
        if index:
            rows.append(Text())
        rows += wrap(rich_text(paragraph, palette, style), measure - 4)
    bar = Segment("▌ ", Style(color=tone, bgcolor=palette.panel))
    inside = max(measure - 2, 1)
    return tuple(Strip([bar, *strip(row, inside, ground)]).adjust_cell_length(width, palette.base) for row in rows)


@lru_cache(maxsize=256)
def code_panel(
    code: Code,
    highlighted: frozenset[int] | None,
    width: int,
    palette: Palette,
    spacing: Spacing,
    mark: str = "",
    consent: Consent = EVERYTHING,
) -> Lines:
    """Draw code on its panel.

    Lines that are not highlighted are dimmed; long lines continue in the next row.
    """
    ground = palette.base + Style(bgcolor=palette.panel) if code.background else palette.base
    digits = len(str(len(code.lines))) if code.line_numbers else 0
    gutter = digits + 4 if digits else 2
    rows: list[Text] = []
    header = panel_header(code, width, palette, consent, mark)
    has_edges = spacing and code.background
    if header is not None:
        rows.append(header)
    elif has_edges:  # the panel's edge, where no header makes one
        rows.append(Text())
    dimmed = Style(color=palette.faint)
    lines = code_lines(code.language, code.lines, palette)
    comments = [comment_start(line, palette) for line in lines]
    for index, text_rows in enumerate(code_rows(lines, comments, max(width - gutter - 1, 1)), start=1):
        lit = highlighted is None or index in highlighted
        # A bar tells highlighted lines from the rest; where all are lit, there is nothing to tell.
        has_bar = lit and highlighted is not None
        number = str(index)
        for row in text_rows:
            lead = Text("▎ ", palette.accent) if has_bar else Text("  ", dimmed)
            if digits:
                lead.append(f"{number:>{digits}}  ", Style(color=palette.faint))
            number = ""  # rows in which a long line continues have none
            rows.append(Text.assemble(lead, row if lit else Text(row.plain, dimmed)))
    if has_edges:
        rows.append(Text())
    return tuple(strip(row, width, ground) for row in rows)


def editor_panel(code: Code, rows: int, width: int, palette: Palette, spacing: Spacing) -> Lines:
    """Draw the panel under the editor, with blank rows for it."""
    ground = palette.base + Style(bgcolor=palette.panel)
    bar = Text("▎", Style(color=palette.accent))
    language, keys = printable(code.language), fitting(EDITING, width - Text(code.language).cell_len - 6)
    gap = max(width - Text(language + keys).cell_len - 4, 1)
    header = Text.assemble(bar, f" {language}", " " * gap, Text(f"{keys}  ", Style(color=palette.accent)))
    below = [bar] if spacing else []
    return tuple(strip(row, width, ground) for row in (header, *[bar] * rows, *below))


def panel_header(code: Code, width: int, palette: Palette, consent: Consent, mark: str = "") -> Text | None:
    """Draw the row above code that runs: its language, its state, and the key."""
    if code.render:
        note = "+render is drawn in presenterm"
    elif code.execution is Execution.NONE:
        return None
    elif not runnable(code.language):
        note = f"{code.language} does not run here"
    elif not consent.allows(code.execution):
        note = f"runs only with {flag(code.execution)}"
    else:
        note = "▶ Ctrl+E"
    language = printable(code.language)
    # The state is cut first and the key last, as it is what the presenter looks for.
    free = width - Text(language + note).cell_len - 8
    mark_text = fitting((f"{mark}   ", mark.partition(" ")[0] + "   ", ""), free) if mark else ""
    terminal_text = fitting(NO_TERMINAL, free - Text(mark_text).cell_len) if code.terminal else ""
    terminal_text += "   " if terminal_text else ""
    gap = max(width - Text(language + terminal_text + mark_text + note).cell_len - 4, 1)
    tone = palette.accent if note.startswith("▶") else palette.muted
    return Text.assemble(
        Text(f"  {language}", Style(color=palette.muted)),
        " " * gap,
        Text(terminal_text, Style(color=palette.muted)),
        Text(mark_text, Style(color=palette.warning)),
        Text(f"{note}  ", Style(color=tone)),
    )


@lru_cache(maxsize=64)
def column_widths(weights: tuple[int, ...], width: int) -> tuple[tuple[int, ...], int]:
    """Return the columns' widths by weight, and the gap between them.

    There are no widths if the columns would be too narrow to read.
    """
    gap = 4 if width >= 100 else 2
    free = width - gap * (len(weights) - 1)
    # Rounding the edges, and not the widths, leaves no column over.
    edges = [free * sum(weights[:index]) // sum(weights) for index in range(len(weights) + 1)]
    widths = tuple(end - start for start, end in pairwise(edges))
    is_legible = min(widths) >= min(NARROWEST_COLUMN, width // 8) and width >= 40
    return (widths, gap) if is_legible else ((), gap)
