"""The list of slides, and the search in their text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, OptionList, Rule, Static
from textual.widgets.option_list import Option

from triton_workshop.deck.model import Deck, Slide, plain
from triton_workshop.printing import printable
from triton_workshop.screen.box import FRAME_COLUMNS, Box
from triton_workshop.screen.choice import Choice, Entries
from triton_workshop.screen.palette import Palette
from triton_workshop.viewer.slides.page import slide_name
from triton_workshop.viewer.slides.plain import blocks_lines, cover_lines

PROMPT_ROWS = 2
"""The prompt, and the line below it."""


def occurrences(query: str, text: str) -> list[tuple[int, int]]:
    """Return the spans of the text that match the query.

    A query without capitals matches both cases.
    """
    if not query:
        return []
    flags = re.NOFLAG if query != query.lower() else re.IGNORECASE
    return [match.span() for match in re.finditer(re.escape(query), text, flags)]


@dataclass(frozen=True)
class SearchedSlide:
    """A slide's name, and the lines of its body and its notes."""

    name: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Hit:
    """A slide with every term of a query."""

    slide: int
    line: str
    """The line with most of the terms; empty if the name has all of them."""


def entries(deck: Deck) -> tuple[SearchedSlide, ...]:
    """Return every slide of a deck for the search, with every step."""
    return tuple(
        SearchedSlide(one_line(plain(slide_name(deck, slide))), tuple(map(one_line, lines(deck, slide))))
        for slide in deck.slides
    )


def lines(deck: Deck, slide: Slide) -> Iterator[str]:
    """Yield the lines of a slide and of its notes."""
    if slide.introduction:
        yield from cover_lines(deck)
    yield from (line for line in blocks_lines(slide.blocks) if not line.startswith("```"))
    for note in slide.notes:
        yield from note.split("\n")


def one_line(text: str) -> str:
    """Collapse all white space of a text."""
    return " ".join(printable(text).split())


def hits(slides: Sequence[SearchedSlide], query: str) -> list[Hit]:
    """Return the slides that have every term of the query.

    Slides with all terms in the name come first, then those with all in one line; otherwise the deck's order stays.
    """
    terms = query.split()
    ranked: list[tuple[int, Hit]] = []
    for index, slide in enumerate(slides):
        missing = {term for term in terms if not occurrences(term, slide.name)}
        if not missing:
            ranked.append((0, Hit(index, "")))
            continue
        matches = [{term for term in terms if occurrences(term, line)} for line in slide.lines]
        # The line with most terms is shown, even where no line has all of them.
        best = max(range(len(matches)), key=lambda number: len(matches[number]), default=0)
        # What the name lacks may be spread over several lines.
        if missing <= set().union(*matches):
            ranked.append((1 if matches[best] == set(terms) else 2, Hit(index, slide.lines[best])))
    return [hit for _, hit in sorted(ranked, key=lambda entry: entry[0])]


class Index(Choice):
    """The list of slides."""

    BINDINGS: ClassVar[list[BindingType]] = [("ctrl+p", "dismiss", "Close")]

    def __init__(self, deck: Deck, current: int) -> None:
        names = (printable(plain(slide_name(deck, slide))).replace("\n", " ") for slide in deck.slides)
        super().__init__(
            "Slides", (Text(f" {number:>3}  {name or '—'}") for number, name in enumerate(names, 1)), current
        )


class SlideSearch(Box[int]):
    """A prompt, and the slides that match it.

    It is dismissed with the index of the chosen slide.
    """

    MAX_COLUMNS = 100
    AUTO_FOCUS = "Input"
    CSS = """
    SlideSearch Horizontal { height: 1; }
    SlideSearch .slash { width: auto; color: $accent; text-style: bold; padding: 0 1 0 0; }
    SlideSearch .found { width: auto; color: $text-muted; padding: 0 0 0 1; }
    SlideSearch Input, SlideSearch Input:focus { width: 1fr; background: transparent; background-tint: $panel 0%; }
    SlideSearch Input > .input--cursor { color: $background; background: $accent; text-style: none; }
    SlideSearch Rule { height: 1; margin: 0; color: $foreground 35%; }
    SlideSearch OptionList, SlideSearch OptionList:focus { border: none; padding: 0; background: $panel; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        ("down,ctrl+n,tab", "move('cursor_down')", "Down"),
        ("up,ctrl+p,shift+tab", "move('cursor_up')", "Up"),
        ("pagedown", "move('page_down')", "Further down"),
        ("pageup", "move('page_up')", "Further up"),
    ]

    def __init__(self, deck: Deck, palette: Palette) -> None:
        self.palette = palette
        self.slides = entries(deck)
        self.count = Static(classes="found", markup=False)
        self.query_text = Input(compact=True, select_on_focus=False)
        self.query_text.cursor_blink = False
        prompt = Horizontal(Static("/", classes="slash"), self.query_text, self.count)
        self.options = Entries(markup=False)
        self.options.can_focus = False
        super().__init__("Search the slides", Vertical(prompt, Rule(), self.options))

    def on_resize(self) -> None:
        """Fit the list to the screen, with the same slide highlighted."""
        # The box keeps its height while the list shrinks and grows.
        self.options.styles.height = min(max(self.app.size.height - PROMPT_ROWS - 2, 1), len(self.slides))
        highlighted = self.options.highlighted
        self.search(self.query_text.value)
        if self.hits:
            self.options.highlighted = highlighted

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search for the text of the prompt."""
        self.search(event.value)

    def on_input_submitted(self) -> None:
        """Choose the highlighted slide."""
        self.dismiss(self.hits[self.options.highlighted].slide if self.options.highlighted is not None else None)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Choose the slide that was clicked."""
        self.dismiss(self.hits[event.option_index].slide)

    def search(self, query: str) -> None:
        """List the slides that match a query."""
        self.hits = hits(self.slides, query)
        self.count.update(f"{len(self.hits)} of {len(self.slides)}")
        self.options.set_options(self.row(hit, query.split()) for hit in self.hits)
        if self.hits:
            self.options.highlighted = 0
        else:
            self.options.add_option(Option("No slide matches.", disabled=True))

    def row(self, hit: Hit, terms: Sequence[str]) -> Text:
        """Draw a slide's number and name, and an excerpt of the line that matches."""
        number = Text(f" {hit.slide + 1:>3}  ", Style(color=self.palette.muted))
        name = self.highlight(Text(self.slides[hit.slide].name or "—"), terms)
        if not hit.line:
            return Text.assemble(number, name)
        width = max(min(self.MAX_COLUMNS, self.app.size.width) - FRAME_COLUMNS, 1)
        name.truncate(max((width - 6) * 2 // 5, 1), overflow="ellipsis", pad=True)
        return Text.assemble(number, name, "  ", self.excerpt(hit.line, width - 8 - name.cell_len, terms))

    def excerpt(self, line: str, width: int, terms: Sequence[str]) -> Text:
        """Cut a line to the text around its first match."""
        spans = chain.from_iterable(occurrences(term, line) for term in terms)
        starts = [start for start, _ in spans]
        skipped = max(min(starts, default=0) - width // 2, 0) if len(line) > width else 0
        text = f"…{line[skipped:]}" if skipped else line
        return self.highlight(Text(text, Style(color=self.palette.muted)), terms)

    def highlight(self, text: Text, terms: Sequence[str]) -> Text:
        """Highlight the terms in a text."""
        for term in terms:
            for start, end in occurrences(term, text.plain):
                text.stylize(Style(color=self.palette.literal, bold=True, underline=True), start, end)
        return text

    def action_move(self, action: str) -> None:
        """Move the highlight by an action of the list."""
        getattr(self.options, f"action_{action}")()
