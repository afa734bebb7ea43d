"""The title bar and footer of a slide, and slides that are only a title."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.strip import Strip

from triton_workshop.deck.model import Alignment, Deck
from triton_workshop.deck.model import Text as Spans
from triton_workshop.printing import printable
from triton_workshop.screen.lines import Lines, strip, wrap
from triton_workshop.screen.palette import Palette
from triton_workshop.screen.richtext import rich_text
from triton_workshop.viewer.slides.blocks import MEASURE
from triton_workshop.viewer.slides.slide_step import SlideStep
from triton_workshop.viewer.slides.view import TALL, View, footer_height


def title_bar(title: Spans | None, view: View) -> Lines:
    """Draw the slide's title on a bar across the screen."""
    palette, width = view.palette, view.width
    if title is None:
        return (strip(Text(), width, view.palette.base),) * (1 if view.height < TALL else 2)
    ground = bar_ground(palette)
    text = Text(rich_text(title, palette).plain)  # on the bar, only the bar's own text colour is easy to read
    inside = width - 2 * view.side
    end = Segment(" " * view.side, ground)
    rows = [Strip([end, *strip(row, inside, ground), end], width) for row in wrap(text, inside)[:2]]
    return bar(rows, width, view.height, palette)


def bar(rows: Sequence[Strip], width: int, height: int, palette: Palette) -> Lines:
    """Draw a bar, as high as the screen allows, with the space below it."""
    edge = Style(color=palette.bar, bgcolor=palette.background)
    if height >= TALL:
        band = strip(Text(), width, bar_ground(palette))
        return (band, *rows, band, strip(Text(), width, palette.base))
    if height >= 16:
        above, below = (strip(Text(half * width), width, edge) for half in "▄▀")
        return (above, *rows, below)
    return tuple(rows)


def bar_ground(palette: Palette) -> Style:
    """Return the style of the title bar."""
    return Style(color=palette.on_bar, bgcolor=palette.bar, bold=True)


def footer(deck: Deck, position: SlideStep, view: View, hint: str = "") -> Lines:
    """Draw the deck's title, a thin progress bar, the hint, and `n / N`.

    A long hint, such as an error in the deck, gets all the space except the number's.
    """
    palette = view.palette
    style = Style(color=palette.muted, bgcolor=palette.background)
    height = footer_height(view.height)
    lines = [strip(Text(), view.width, style)] * height
    lines[height // 2] = strip(footer_text(deck, position, view, hint), view.width, style)
    return tuple(lines)


def footer_text(deck: Deck, position: SlideStep, view: View, hint: str) -> Text:
    """Draw the row of the footer that has text."""
    palette, side = view.palette, " " * view.side
    number, count = position.slide + 1, len(deck.slides)
    page_number = Text(f"{number} / {count}", Style(color=palette.text))
    hinted = Style(color=palette.accent, bold=True)
    if is_long(hint, view):
        message = Text(printable(hint), hinted)
        message.truncate(max(view.width - 2 * view.side - page_number.cell_len - 2, 1), overflow="ellipsis", pad=True)
        return Text.assemble(side, message, "  ", page_number)
    title = Text(printable(deck.title).replace("\n", " "))
    title.truncate(max(view.width * 2 // 5, 1), overflow="ellipsis")
    end = Text.assemble((f"{hint}  " if hint else "", hinted), page_number)
    bar_width = max(view.width - 2 * view.side - title.cell_len - end.cell_len - 4, 0)
    filled = progress(number / count, bar_width, palette.accent, palette)
    return Text.assemble(side, title, "  ", filled, "  ", end)


def progress(done: float, width: int, tone: str, palette: Palette) -> Text:
    """Draw a thin bar that is filled up to this fraction."""
    filled = round(width * done)
    return Text.assemble(("━" * filled, tone), ("─" * (width - filled), palette.faint))


def is_long(hint: str, view: View) -> bool:
    """Return True if a hint needs the whole footer."""
    return len(hint) > view.width // 3


def cover(deck: Deck, view: View) -> list[Text]:
    """Draw the title page, from the front matter."""
    palette, front = view.palette, deck.front_matter
    measure = min(view.width - 4, MEASURE)
    rows: list[Text] = []
    if front.title:
        rows += wrap(Text(printable(front.title), Style(color=palette.emphasis, bold=True)), measure)
        rows.append(Text("━" * min(24, measure), Style(color=palette.accent)))
    if front.sub_title:
        rows += [Text(), *wrap(Text(printable(front.sub_title), Style(color=palette.accent)), measure)]
    circumstances = "  ·  ".join(detail for detail in (front.event, front.location, front.date) if detail)
    if circumstances:
        rows += [Text(), Text(), *wrap(Text(printable(circumstances), Style(color=palette.text)), measure)]
    if front.authors:
        rows += [Text()]
        rows += [Text(printable(author), Style(color=palette.muted)) for author in front.authors]
    return rows


def banner(title: Spans, view: View) -> list[Text]:
    """Draw a title on its own, as between the sections of a talk."""
    palette = view.palette
    measure = min(view.width - 4, MEASURE)
    rows = wrap(rich_text(title, palette, Style(color=palette.emphasis, bold=True)), measure)
    return [*rows, Text("━" * min(24, measure), Style(color=palette.accent))]


def centred(rows: Sequence[Text], view: View) -> Lines:
    """Centre rows on the screen, in both directions."""
    above = max((view.height - footer_height(view.height) - len(rows)) // 2, 0)
    blank = strip(Text(), view.width, view.palette.base)
    return (*[blank] * above, *(strip(row, view.width, view.palette.base, Alignment.CENTER) for row in rows))
