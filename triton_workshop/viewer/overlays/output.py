"""The output of a block on its own screen: everything that was kept of it, with search."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import ModalScreen
from textual.strip import Strip

from triton_workshop.screen.lines import Lines, fitting, fold, folded_height, strip
from triton_workshop.screen.palette import Palette
from triton_workshop.screen.printed_pictures import PictureLine
from triton_workshop.screen.rows import Rows
from triton_workshop.terminal import Terminal
from triton_workshop.viewer.live.live_blocks import Cell, Status
from triton_workshop.viewer.overlays.search import CURSOR, after_key, occurrences
from triton_workshop.viewer.pictures.drawing import ScaledPicture, half_blocks, output_cells
from triton_workshop.viewer.slides.outputs import cell_status

MOST_MATCHES = 10_000
"""A search stops there, as more matches are of no use and marking them takes time."""
SIDEWAYS = 8
"""Columns that one key press scrolls sideways."""
HINTS = ("/ search   w wrap   ←→ sideways   Esc back", "/ search   w wrap   Esc back", "Esc back", "")
SEARCH_HINTS = ("n next   N back   Esc ends the search", "n   N   Esc", "")


@dataclass(frozen=True)
class Output:
    """One run, and what the title bar calls it."""

    name: str
    cell: Cell


@dataclass(frozen=True)
class Match:
    """A match: a line of the transcript, and columns of it."""

    line: int
    start: int
    end: int


class OutputScreen(ModalScreen[None]):
    """Shows one of several outputs, and follows it while it grows, until the presenter scrolls up."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "back", "Back"),
        ("o,q", "leave", "Close"),
        ("down,j", "scroll(1)", "Down"),
        ("up,k", "scroll(-1)", "Up"),
        ("pagedown,space", "page(1.0)", "A screen down"),
        ("pageup", "page(-1.0)", "A screen up"),
        ("ctrl+d", "page(0.5)", "Half a screen down"),
        ("ctrl+u", "page(-0.5)", "Half a screen up"),
        ("home,g", "top", "To the start"),
        ("end,G,upper_g,shift+g", "end", "To the end"),
        ("right,l", "sideways(1)", "Right"),
        ("left,h", "sideways(-1)", "Left"),
        ("w", "wrap", "Wrap long lines"),
        ("slash", "search", "Search"),
        ("n", "next_match(1)", "Next"),
        ("N,upper_n,shift+n", "next_match(-1)", "Back"),
        ("tab", "other(1)", "Next output"),
        ("shift+tab", "other(-1)", "Previous output"),
        ("ctrl+x", "app.stop", "Stop"),
    ]

    def __init__(self, outputs: Sequence[Output], chosen: int, palette: Palette, terminal: Terminal) -> None:
        super().__init__()
        self.outputs = outputs
        self.chosen = chosen
        self.palette = palette
        self.terminal = terminal
        self.wrap = False
        self.query_text = ""
        self.typing = False
        self._match: Match | None = None
        self._start()

    def _start(self) -> None:
        self.top = 0
        self.left = 0
        self.follow = True
        self.dropped = 0
        self._match = None

    @property
    def cell(self) -> Cell:
        return self.outputs[self.chosen].cell

    def compose(self) -> ComposeResult:
        self.title_rows, self.text_rows, self.footer_rows = (Rows(name=name) for name in ("heading", "text", "status"))
        yield from (self.title_rows, self.text_rows, self.footer_rows)

    def on_mount(self) -> None:
        self.draw()

    def on_resize(self) -> None:
        self.draw()

    # What is shown

    def lines(self) -> list[Text]:
        transcript = self.cell.transcript
        return [] if transcript.empty else transcript.shown()

    @property
    def room(self) -> int:
        """Rows for the output."""
        return max(self.app.size.height - 2, 1)

    def draw(self) -> None:
        """Shows the visible part of the output, as it is now."""
        if not hasattr(self, "footer_rows"):
            return
        width = max(self.app.size.width, 1)
        lines = self.lines()
        starts = self._starts(lines)
        self._keep_place()
        bottom = max(starts[-1] - self.room, 0)
        self.top = bottom if self.follow else min(self.top, bottom)
        matches = self._matches(lines)
        self.title_rows.show(self._heading(width))
        self.text_rows.show(self._window(lines, starts, matches, width))
        self.footer_rows.show((self._footer(width, starts[-1], matches),))

    def _starts(self, lines: Sequence[Text]) -> list[int]:
        """The row in which each line starts, and the number of rows."""
        return [0, *accumulate(map(self._height, lines))]

    def _height(self, line: Text) -> int:
        if isinstance(line, PictureLine):
            return self._picture(line).rows
        return folded_height(line, self._columns()) if self.wrap else 1

    def _picture(self, line: PictureLine) -> ScaledPicture:
        """A picture in characters: it scrolls with the text, and fits on one screen."""
        columns, rows = output_cells(line.picture, self._columns(), self.room, self.terminal)
        return ScaledPicture(line.picture, columns, rows, self.palette.well)

    def _columns(self) -> int:
        return max(self.app.size.width - 3, 1)

    def _keep_place(self) -> None:
        """Stays at the same lines when the first ones are dropped."""
        dropped = self.cell.transcript.dropped
        gone, self.dropped = dropped - self.dropped, dropped
        if self.top and gone:
            self.top = max(self.top - gone, 0)

    def _matches(self, lines: Sequence[Text]) -> list[Match]:
        found = (
            Match(number, start, end)
            for number, line in enumerate(lines)
            for start, end in occurrences(self.query_text, line.plain)
        )
        return list(islice(found, MOST_MATCHES))

    def _window(self, lines: Sequence[Text], starts: Sequence[int], matches: Sequence[Match], width: int) -> Lines:
        palette = self.palette
        ground = Style(color=palette.text, bgcolor=palette.well)
        _, tone = cell_status(self.cell, time.monotonic(), palette)
        bar = Segment("▎ ", Style(color=tone, bgcolor=palette.well))
        rows: list[Strip] = []
        number = max(bisect_left(starts, self.top + 1) - 1, 0)
        skipped = self.top - starts[number] if number < len(lines) else 0
        while number < len(lines) and len(rows) < self.room + skipped:
            rows += self._rows(lines[number], number, matches, ground)
            number += 1
        rows = rows[skipped : skipped + self.room]
        rows += [Strip([])] * (self.room - len(rows))
        return tuple(Strip([bar, *row]).adjust_cell_length(width, ground) for row in rows)

    def _rows(self, line: Text, number: int, matches: Sequence[Match], ground: Style) -> Sequence[Strip]:
        """A line in as many rows as it takes here."""
        if isinstance(line, PictureLine):
            picture = self._picture(line)
            return half_blocks(picture) or [Strip([])] * picture.rows
        columns = self._columns()
        marked = self._marked(line, number, matches)
        texts = fold(marked, columns) if self.wrap else [self._shifted(marked, columns)]
        return [strip(text, columns, ground) for text in texts]

    def _shifted(self, line: Text, columns: int) -> Text:
        """The visible part of a line; an arrow shows where it continues."""
        faint = Style(color=self.palette.muted)
        shown = line[self.left :] if self.left else line
        if self.left and line:
            shown = Text.assemble(Text("‹", faint), shown[1:])
        if shown.cell_len > columns:
            shown = shown.copy()
            shown.truncate(columns - 1, overflow="crop")
            shown.append("›", faint)
        return shown

    def _marked(self, line: Text, number: int, matches: Sequence[Match]) -> Text:
        first = bisect_left(matches, number, key=lambda match: match.line)
        last = bisect_left(matches, number + 1, key=lambda match: match.line)
        if first == last:
            return line
        marked = line.copy()
        for match in matches[first:last]:
            tone = self.palette.accent if match == self._match else self.palette.literal
            marked.stylize(Style(color=self.palette.background, bgcolor=tone), match.start, match.end)
        return marked

    def _heading(self, width: int) -> Lines:
        palette = self.palette
        ground = Style(color=palette.on_bar, bgcolor=palette.bar, bold=True)
        which = f"{self.chosen + 1} of {len(self.outputs)} · Tab " if len(self.outputs) > 1 else ""
        name = Text(f" {self.outputs[self.chosen].name}")
        name.truncate(max(width - len(which) - 2, 1), overflow="ellipsis", pad=True)
        return (strip(Text.assemble(name, which, " "), width, ground),)

    def _footer(self, width: int, rows: int, matches: Sequence[Match]) -> Strip:
        palette = self.palette
        ground = Style(color=palette.muted, bgcolor=palette.background)
        hints: Sequence[str] = HINTS
        if self.typing or self.query_text:
            left = Text.assemble(
                ("/", Style(color=palette.accent, bold=True)),
                (self.query_text, Style(color=palette.emphasis, bold=True)),
                (CURSOR if self.typing else "", palette.accent),
                f"   {self._which(matches)}",
            )
            hints = ("Enter   Esc", "") if self.typing else SEARCH_HINTS
        else:
            left, _ = cell_status(self.cell, time.monotonic(), palette)
            left = left.copy()
            last = min(self.top + self.room, rows)
            left.append(f"   {min(self.top + 1, last):,}–{last:,} of {rows:,}", Style(color=palette.muted, bold=False))
            if self.dropped:
                left.append(f"   {self.dropped:,} earlier ones were dropped", Style(color=palette.muted, bold=False))
            if self.cell.status is not Status.ENDED and not self.follow:
                left.append("   G follows the output", Style(color=palette.accent, bold=False))
        hint = fitting(hints, width - left.cell_len - 4)
        gap = max(width - left.cell_len - len(hint) - 2, 1)
        return strip(Text.assemble(" ", left, " " * gap, Text(hint), " "), width, ground)

    def _which(self, matches: Sequence[Match]) -> str:
        if not self.query_text:
            return ""
        if not matches:
            return "not found"
        where = f"{matches.index(self._match) + 1:,} of " if self._match in matches else ""
        return f"{where}{len(matches):,}{'+' if len(matches) == MOST_MATCHES else ''}"

    # Moving

    def _go(self, top: int) -> None:
        """Scrolls to a row; at the end the output is followed again."""
        bottom = max(self._starts(self.lines())[-1] - self.room, 0)
        self.top = min(max(top, 0), bottom)
        self.follow = self.top == bottom
        self.draw()

    def action_scroll(self, rows: int) -> None:
        self._go(self.top + rows)

    def action_page(self, screens: float) -> None:
        self._go(self.top + round(screens * max(self.room - 1, 1)))

    def action_top(self) -> None:
        self.left = 0
        self._go(0)

    def action_end(self) -> None:
        self._go(self._starts(self.lines())[-1])

    def action_sideways(self, steps: int) -> None:
        longest = max((line.cell_len for line in self.lines()), default=0)
        furthest = 0 if self.wrap else max(longest - self._columns() + 1, 0)
        self.left = min(max(self.left + steps * SIDEWAYS, 0), furthest)
        self.draw()

    def action_wrap(self) -> None:
        """Turns wrapping of long lines on or off; the first visible line stays."""
        starts = self._starts(self.lines())
        line = max(bisect_left(starts, self.top + 1) - 1, 0)
        self.wrap = not self.wrap
        self.left = 0
        self.top = self._starts(self.lines())[line]
        self.draw()

    def on_mouse_scroll_down(self) -> None:
        self._go(self.top + 3)

    def on_mouse_scroll_up(self) -> None:
        self._go(self.top - 3)

    def on_click(self, event: events.Click) -> None:
        event.stop()  # not meant for the slide below

    def action_other(self, steps: int) -> None:
        self.chosen = (self.chosen + steps) % len(self.outputs)
        self._start()
        self.draw()

    # Searching

    def action_search(self) -> None:
        self.typing = True
        self.query_text = ""
        self._match = None
        self._from = self.top
        self.draw()

    def on_key(self, event: events.Key) -> None:
        if not self.typing:
            return
        if event.key == "enter":
            self.typing = False
        elif event.key == "escape":
            self.typing = False
            self.query_text = ""
            self._go(self._from)
        else:
            text = after_key(self.query_text, event)
            if text is not None:
                self._look_for(text)
        event.stop()
        self.draw()

    def on_paste(self, event: events.Paste) -> None:
        if self.typing:
            self._look_for(self.query_text + event.text.partition("\n")[0])

    def _look_for(self, text: str) -> None:
        """Shows the first match at or below where the search began."""
        self.query_text = text
        starts = self._starts(self.lines())
        begin = max(bisect_left(starts, self._from + 1) - 1, 0)
        matches = self._matches(self.lines())
        self._match = next((match for match in matches if match.line >= begin), matches[0] if matches else None)
        self._show_match()

    def action_next_match(self, steps: int) -> None:
        matches = self._matches(self.lines())
        if not matches:
            return
        here = matches.index(self._match) if self._match in matches else -1
        self._match = matches[(here + steps) % len(matches)]
        self._show_match()

    def _show_match(self) -> None:
        if self._match is None:
            self.draw()
            return
        lines = self.lines()
        starts = self._starts(lines)
        line = lines[self._match.line]
        row = starts[self._match.line]
        if self.wrap:
            row += len(fold(line[: self._match.end], self._columns())) - 1
        else:
            end = line[: self._match.end].cell_len
            if end > self.left + self._columns() - 1 or self._match.start < self.left + 1:
                self.left = max(end - self._columns() * 2 // 3, 0)
        inside = self.top <= row < self.top + self.room
        self._go(self.top if inside else row - self.room // 3)

    # Leaving

    def action_back(self) -> None:
        """Leaves the search, or else the screen."""
        if self.query_text:
            self.query_text = ""
            self._match = None
            self.draw()
        else:
            self.dismiss()

    def action_leave(self) -> None:
        self.dismiss()
