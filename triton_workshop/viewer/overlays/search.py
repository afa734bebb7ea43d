"""Search: the query, where it matches, and the list of slides that match."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import BindingType

from triton_workshop.deck.model import Deck, Slide, plain
from triton_workshop.screen.box import Box
from triton_workshop.screen.palette import Palette
from triton_workshop.screen.rows import Rows
from triton_workshop.streams import printable
from triton_workshop.viewer.slides.page import slide_name
from triton_workshop.viewer.slides.plain import blocks_lines, cover_lines

CURSOR = "▏"
PROMPT_ROWS = 2
"""The prompt, and the line below it."""


def after_key(text: str, event: events.Key) -> str | None:
    """What a prompt says after a key; None for a key that does not belong to a prompt."""
    match event.key:
        case "backspace":
            return text[:-1]
        case "ctrl+u":
            return ""
        case "ctrl+w":
            return re.sub(r"\S*\s*\Z", "", text)
    return text + event.character if event.character and event.is_printable else None


def occurrences(query: str, text: str) -> list[tuple[int, int]]:
    """Where the query occurs in the text. A query without capitals matches both cases."""
    if not query:
        return []
    flags = re.NOFLAG if query != query.lower() else re.IGNORECASE
    return [match.span() for match in re.finditer(re.escape(query), text, flags)]


@dataclass(frozen=True)
class Entry:
    """A slide as search sees it: its name, and the lines of its body and its notes."""

    name: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Hit:
    """A slide with every word of a query, and the line of it that shows this; empty if its name does."""

    slide: int
    line: str


def entries(deck: Deck) -> tuple[Entry, ...]:
    """Every slide of a deck, with every step."""
    return tuple(
        Entry(one_line(plain(slide_name(deck, slide))), tuple(map(one_line, lines(deck, slide))))
        for slide in deck.slides
    )


def lines(deck: Deck, slide: Slide) -> Iterator[str]:
    if slide.introduction:
        yield from cover_lines(deck)
    yield from (line for line in blocks_lines(slide.blocks) if not line.startswith("```"))
    for note in slide.notes:
        yield from note.split("\n")


def one_line(text: str) -> str:
    return " ".join(printable(text).split())


def hits(slides: Sequence[Entry], query: str) -> list[Hit]:
    """The slides that have every word of the query, first those with all of them in the name, then those with a line.

    Otherwise the deck's order is kept.
    """
    words = query.split()
    ranked: list[tuple[int, Hit]] = []
    for index, slide in enumerate(slides):
        missing = {word for word in words if not occurrences(word, slide.name)}
        if not missing:
            ranked.append((0, Hit(index, "")))
            continue
        found = [{word for word in words if occurrences(word, line)} for line in slide.lines]
        best = max(range(len(found)), key=lambda number: len(found[number]), default=0)
        if missing <= set().union(*found):
            ranked.append((1 if found[best] == set(words) else 2, Hit(index, slide.lines[best])))
    return [hit for _, hit in sorted(ranked, key=lambda entry: entry[0])]


class SlideSearch(Box[int]):
    """A prompt, and the slides that match it; dismissed with the index of the chosen one."""

    WIDEST = 100
    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "leave", "Close"),
        ("enter", "choose", "Go"),
        ("down,ctrl+n,tab", "move(1)", "Down"),
        ("up,ctrl+p,shift+tab", "move(-1)", "Up"),
        ("pagedown", "move(10)", "Further down"),
        ("pageup", "move(-10)", "Further up"),
    ]

    def __init__(self, deck: Deck, palette: Palette, query: str = "") -> None:
        super().__init__("Search the slides", palette)
        self.slides = entries(deck)
        self.query_text = query
        self.found = hits(self.slides, query)
        self.chosen = 0
        self.first = 0
        """The first visible hit."""

    def on_key(self, event: events.Key) -> None:
        text = after_key(self.query_text, event)
        if text is None:
            return
        event.stop()
        self.search(text)

    def on_paste(self, event: events.Paste) -> None:
        self.search(self.query_text + one_line(event.text))

    def on_click(self, event: events.Click) -> None:
        chosen = self.first + event.y - PROMPT_ROWS
        if isinstance(event.widget, Rows) and event.y >= PROMPT_ROWS and chosen < len(self.found):
            self.dismiss(self.found[chosen].slide)

    def search(self, query: str) -> None:
        self.query_text = query
        self.found = hits(self.slides, query)
        self.chosen = 0
        self.draw()

    def texts(self, width: int) -> list[Text]:
        palette = self.palette
        shown = self.query_text[-max(width - 20, 1) :]
        count = f"{len(self.found)} of {len(self.slides)}"
        prompt = Text.assemble(
            ("/ ", Style(color=palette.accent, bold=True)), (shown, Style(bold=True)), (CURSOR, palette.accent)
        )
        gap = max(width - prompt.cell_len - len(count), 1)
        prompt.append(" " * gap + count, Style(color=palette.muted))
        room = self.room()
        self.first = min(max(self.chosen - room // 2, 0), max(len(self.found) - room, 0))
        window = self.found[self.first : self.first + room]
        rows = [self.row(hit, number == self.chosen, width) for number, hit in enumerate(window, start=self.first)]
        if not rows:
            rows = [Text("No slide matches.", Style(color=palette.muted, italic=True))]
        # The box keeps its height while the list shrinks and grows.
        rows += [Text()] * (min(room, len(self.slides)) - len(rows))
        return [prompt, Text("─" * width, Style(color=palette.faint)), *rows]

    def room(self) -> int:
        """Rows for slides: those that the border, the prompt and its line leave."""
        return max(self.app.size.height - PROMPT_ROWS - 2, 1)

    def row(self, hit: Hit, chosen: bool, width: int) -> Text:
        palette = self.palette
        name = Text(self.slides[hit.slide].name or "—")
        self.mark(name)
        number = Text(f" {hit.slide + 1:>3}  ", Style(color=palette.muted))
        if hit.line:
            name.truncate(max((width - 6) * 2 // 5, 1), overflow="ellipsis", pad=True)
            row = Text.assemble(number, name, "  ", self.excerpt(hit.line, width - 8 - name.cell_len))
        else:
            row = Text.assemble(number, name)
        row.truncate(width, overflow="ellipsis", pad=True)
        if chosen:
            row.stylize_before(Style(color=palette.on_bar, bgcolor=palette.bar))
            row.stylize(Style(color=palette.on_bar, bgcolor=palette.bar))
        return row

    def excerpt(self, line: str, width: int) -> Text:
        """The part of a line around the match."""
        starts = [start for word in self.query_text.split() for start, _ in occurrences(word, line)]
        skipped = max(min(starts, default=0) - width // 2, 0) if len(line) > width else 0
        text = Text(f"…{line[skipped:]}" if skipped else line, Style(color=self.palette.muted))
        self.mark(text)
        return text

    def mark(self, text: Text) -> None:
        style = Style(color=self.palette.literal, bold=True, underline=True)
        for word in self.query_text.split():
            for start, end in occurrences(word, text.plain):
                text.stylize(style, start, end)

    def action_move(self, rows: int) -> None:
        self.chosen = min(max(self.chosen + rows, 0), max(len(self.found) - 1, 0))
        self.draw()

    def action_choose(self) -> None:
        self.dismiss(self.found[self.chosen].slide if self.found else None)
