"""The presenter's screen: state in, lines out. Notes are on the left, the time and the next slide on the right."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.renderables.digits import Digits
from textual.strip import Strip

from triton_workshop.deck.model import Code, Columns, Deck, Slide, Table, plain, walk
from triton_workshop.screen.lines import CONSOLE, Lines, strip, wrap
from triton_workshop.screen.palette import Palette
from triton_workshop.streams import printable
from triton_workshop.viewer.live.live_blocks import shown_elsewhere
from triton_workshop.viewer.notes.follower import Contact
from triton_workshop.viewer.notes.protocol import RunningBlock
from triton_workshop.viewer.notes.schedule import Part, Schedule
from triton_workshop.viewer.slides.page import compose, slide_name
from triton_workshop.viewer.slides.place import Place
from triton_workshop.viewer.slides.view import TALL, View, margin

SIDE_BY_SIDE = 72
"""Columns from which the time goes beside the notes."""
MEASURE = 92
"""Columns beyond which notes are hard to read at a glance."""
LATE = 5
"""Minutes behind the plan from which the time turns red."""
SMALLEST_PREVIEW = 5
"""Rows below which a preview shows nothing worth its frame."""
LEGIBLE = 76
"""Columns that code and tables need to keep their shape."""
MOST_RUNNING = 3


@dataclass(frozen=True)
class Desk:
    """Everything that the presenter's screen shows."""

    deck: Deck
    schedule: Schedule
    palette: Palette
    place: Place
    contact: Contact = Contact.WAITING
    silence: int = 0
    """Seconds since the slides were last heard."""
    elapsed: int = 0
    """Seconds since the start."""
    time: str = ""
    """The time of the day."""
    running: tuple[RunningBlock, ...] = ()
    command: str = "workshop present"
    """How to start the slides."""
    message: str = ""

    @property
    def slide(self) -> Slide:
        return self.deck.slides[self.place.slide]


@dataclass(frozen=True)
class Sheet:
    """A whole screen, and how far its notes can be scrolled."""

    lines: Lines
    furthest: int
    page: int
    """Rows of notes on the screen at a time."""


def compose_sheet(desk: Desk, width: int, height: int, scrolled: int = 0) -> Sheet:
    """The presenter's screen, with its notes scrolled by so many rows, or as far as they go."""
    return Drawing(desk, max(width, 1), max(height, 1)).sheet(scrolled)


@dataclass(frozen=True)
class Drawing:
    """A desk at a size."""

    desk: Desk
    width: int
    height: int

    @property
    def palette(self) -> Palette:
        return self.desk.palette

    @property
    def base(self) -> Style:
        return Style(color=self.palette.text, bgcolor=self.palette.background)

    @property
    def side(self) -> int:
        """Columns left free on either side; notes use more of a wide screen than slides do."""
        return min(margin(self.width), 4)

    def sheet(self, scrolled: int) -> Sheet:
        bar = self.bar()
        side = self.side
        inside = max(self.width - 2 * side, 1)
        rows = max(self.height - len(bar) - 1, 0)
        middle: list[Strip]
        if self.width >= SIDE_BY_SIDE:
            panel = panel_width(inside)
            notes, furthest, page = self.notes(inside - panel - 5, rows, scrolled)
            middle = self.beside(notes, self.panel(panel, rows))
        else:
            summary = self.summary(inside)[: max(rows - 3, 0)]
            notes, furthest, page = self.notes(inside, rows - len(summary), scrolled)
            middle = [*notes, *summary]
        left, right = Segment(" " * side, self.base), Segment(" " * (self.width - side - inside), self.base)
        body = (Strip([left, *line, right]).adjust_cell_length(self.width, self.base) for line in middle)
        foot = self.foot(min(scrolled, furthest) < furthest)
        return Sheet((*bar, *body, foot)[: self.height], furthest, page)

    def line(self, text: Text, width: int) -> Strip:
        return strip(text, width, self.base)

    def beside(self, notes: Sequence[Strip], panel: Sequence[Strip]) -> list[Strip]:
        rule = Segment("  │  ", self.base + Style(color=self.palette.faint))
        return [Strip([*left, rule, *right]) for left, right in zip(notes, panel, strict=True)]

    # The bar at the top

    def bar(self) -> Lines:
        """Which slide, its name, and its step, on a bar across the screen."""
        desk, palette = self.desk, self.palette
        ground = Style(color=palette.on_bar, bgcolor=palette.bar, bold=True)
        edge = Style(color=palette.bar, bgcolor=palette.background)
        side = self.side
        inside = max(self.width - 2 * side, 1)
        number = f"{desk.place.slide + 1} / {len(desk.deck.slides)}   "
        step = f"   step {desk.place.step + 1} of {desk.slide.steps}" if desk.slide.steps > 1 else ""
        name = Text(name_of(desk.deck, desk.slide))
        name.truncate(max(inside - len(number) - len(step), 1), overflow="ellipsis", pad=True)
        row = strip(Text(" " * side + number + name.plain + step), self.width, ground)
        blank = strip(Text(), self.width, self.base)
        if self.height < 16:
            return (row,)
        if self.height < TALL:
            above, below = (strip(Text(half * self.width), self.width, edge) for half in "▄▀")
            return (above, row, below)
        band = strip(Text(), self.width, ground)
        return (band, row, band, blank)

    # The notes

    def notes(self, width: int, rows: int, scrolled: int) -> tuple[list[Strip], int, int]:
        """So many rows of notes, how far they can be scrolled, and how many there are."""
        rows = max(rows, 0)
        lines = note_lines(self.desk.slide.notes, max(min(width, MEASURE), 1), rows, self.palette)
        furthest = max(len(lines) - rows, 0)
        top = min(scrolled, furthest)
        shown = [self.line(line, width) for line in lines[top : top + rows]]
        blank = self.line(Text(), width)
        return [*shown, *[blank] * (rows - len(shown))], furthest, rows

    # What stands beside them

    def panel(self, width: int, rows: int) -> list[Strip]:
        """The time, the plan, what is running, and the next slide in the room that is left."""
        lines = [*self.clock(width), self.line(Text(), width)]
        for part in (self.plan(width), self.running(width)):
            if part:
                lines += [*part, self.line(Text(), width)]
        lines += self.next_slide(width, rows - len(lines))
        lines += [self.line(Text(), width)] * (rows - len(lines))
        return lines[:rows]

    def clock(self, width: int) -> list[Strip]:
        """The time since the start in large digits, and the time of the day."""
        digits = Digits(as_clock(self.desk.elapsed), self.base + Style(color=self.palette.emphasis, bold=True))
        options = CONSOLE.options.update(width=width, max_width=width, height=None)
        large = [Strip(row) for row in CONSOLE.render_lines(digits, options, pad=False)]
        time = Text(self.desk.time, self.palette.muted)
        wide = max(row.cell_length for row in large)
        room = width - wide
        rows = []
        for index, row in enumerate(large):
            beside = time if index == 1 and room > time.cell_len else Text()
            line = Strip([*row.adjust_cell_length(wide, self.base), *self.right(beside, room)])
            rows.append(line.apply_style(self.base))
        return rows

    def right(self, text: Text, width: int) -> Strip:
        return self.line(Text.assemble(" " * max(width - text.cell_len, 0), text), width)

    def plan(self, width: int) -> list[Strip]:
        """The part of the talk, its minutes, and whether the talk is on time."""
        part = self.desk.schedule.part(self.desk.place.slide)
        if part is None:
            return []
        spent = self.spent(part)
        over = spent > part.minutes
        tone = self.palette.bad if over else self.palette.accent
        budget = Text.assemble(
            Text(f"{int(spent)}", f"bold {tone}" if over else f"bold {self.palette.emphasis}"),
            Text(f" of {part.minutes:.4g} min", self.palette.muted),
        )
        until = Text(f"until {part.end_time}" if part.end_time else "", self.palette.muted)
        name = Text(printable(part.name), f"bold {self.palette.emphasis}")
        name.truncate(width, overflow="ellipsis")
        done = round(width * min(spent / part.minutes, 1)) if part.minutes else width
        bar = Text.assemble(Text("━" * done, tone), Text("─" * (width - done), self.palette.faint))
        gap = " " * max(width - budget.cell_len - until.cell_len, 1)
        lines = (name, Text.assemble(budget, gap, until), bar, self.verdict())
        return [self.line(line, width) for line in lines]

    def spent(self, part: Part) -> float:
        """Minutes of the part's time that have passed."""
        return max(self.desk.elapsed / 60 - part.begins, 0.0)

    def verdict(self) -> Text:
        """Whether the talk is on time, to within half a minute."""
        lag = self.desk.schedule.lag(self.desk.place.slide, self.desk.elapsed / 60)
        minutes = max(round(abs(lag)), 1)
        if abs(lag) < 0.5:
            return Text("✓ on time", f"bold {self.palette.good}")
        if lag < 0:
            return Text(f"» {minutes} min ahead", f"bold {self.palette.note}")
        tone = self.palette.warning if minutes < LATE else self.palette.bad
        return Text(f"! {minutes} min behind", f"bold {tone}")

    def running(self, width: int) -> list[Strip]:
        """The running blocks, with their slides and seconds."""
        blocks = self.desk.running
        lines = [self.running_line(block, width) for block in blocks[:MOST_RUNNING]]
        if len(blocks) > MOST_RUNNING:
            lines.append(Text(f"  and {len(blocks) - MOST_RUNNING} more", self.palette.muted))
        return [self.line(line, width) for line in lines]

    def running_line(self, block: RunningBlock, width: int) -> Text:
        seconds = f"  {block.seconds:.0f} s"
        text = Text.assemble(
            Text(f"▶ slide {block.slide}  ", f"bold {self.palette.accent}"),
            Text(first_line(self.desk.deck, block), self.palette.muted),
        )
        text.truncate(max(width - len(seconds), 1), overflow="ellipsis", pad=True)
        return Text.assemble(text, Text(seconds, f"bold {self.palette.accent}"))

    # What comes next

    def next_slide(self, width: int, rows: int) -> list[Strip]:
        """The next slide's name, and the slide itself in a frame if there is room."""
        heading = self.next_heading(width)
        following = self.desk.place.slide + 1
        lines = [self.line(heading, width)]
        if following < len(self.desk.deck.slides) and rows - 1 >= SMALLEST_PREVIEW and width >= 12:
            lines += preview(self.desk.deck, following, width, rows - 1, self.palette)
        return lines[: max(rows, 0)]

    def next_heading(self, width: int) -> Text:
        following = self.desk.place.slide + 1
        slides = self.desk.deck.slides
        if following >= len(slides):
            return Text("Next: the end", self.palette.muted)
        name = Text(name_of(self.desk.deck, slides[following]), f"bold {self.palette.emphasis}")
        text = Text.assemble(Text(f"Next  {following + 1}  ", f"bold {self.palette.accent}"), name)
        text.truncate(width, overflow="ellipsis")
        return text

    # A narrow screen

    def summary(self, width: int) -> list[Strip]:
        """The same in a few lines below the notes, if there is no room beside them."""
        part = self.desk.schedule.part(self.desk.place.slide)
        times = Text.assemble(
            Text(as_clock(self.desk.elapsed), f"bold {self.palette.emphasis}"),
            Text(f"   {self.desk.time}", self.palette.muted),
        )
        lines = [Text("─" * width, self.palette.faint), times]
        if part is not None:
            tone = self.palette.bad if self.spent(part) > part.minutes else self.palette.muted
            budget = Text(f"   {int(self.spent(part))} of {part.minutes:.4g} min", tone)
            lines.append(Text.assemble(self.verdict(), budget))
        return [
            *(self.line(line, width) for line in lines),
            *self.running(width),
            self.line(self.next_heading(width), width),
        ]

    # The line at the bottom

    def foot(self, more: bool) -> Strip:
        """The state of the slides, and the key that lists the keys."""
        keys = Text.assemble(
            Text("↓ more   " if more else "", f"bold {self.palette.accent}"),
            Text("?", f"bold {self.palette.accent}"),
            Text(" keys", self.palette.muted),
        )
        room = max(self.width - 2 * self.side, 1)
        state = self.state()
        state.truncate(max(room - keys.cell_len - 2, 1), overflow="ellipsis", pad=True)
        return self.line(Text.assemble(" " * self.side, state, "  ", keys), self.width)

    def state(self) -> Text:
        desk = self.desk
        if desk.message:
            return Text(printable(desk.message), f"bold {self.palette.accent}")
        match desk.contact:
            case Contact.WAITING:
                return Text(f"◌ waiting for the slides; start them with {desk.command}", self.palette.warning)
            case Contact.FOLLOWING:
                return Text("● following the slides", self.palette.muted)
            case Contact.SILENT:
                return Text(f"■ nothing heard from the slides for {desk.silence} s", self.palette.warning)
            case Contact.CLOSED:
                return Text("■ the slides have been closed", self.palette.warning)


def panel_width(inside: int) -> int:
    """Columns for the time and the preview: two fifths, or fewer if notes would get too narrow."""
    return min(max(inside * 2 // 5, 26), 76)


def name_of(deck: Deck, slide: Slide) -> str:
    return printable(plain(slide_name(deck, slide))).replace("\n", " ") or "—"


def first_line(deck: Deck, running: RunningBlock) -> str:
    """The first line of a running block; empty if the deck, as it was read here, has no such block."""
    blocks = [block for slide in deck.slides[running.slide - 1 :][:1] for block in walk(slide.blocks)]
    for block in blocks[running.block :][:1]:
        if isinstance(block.content, Code):
            return printable(next((line.strip() for line in block.content.lines if line.strip()), ""))
    return ""


def as_clock(elapsed: int) -> str:
    """Seconds as `H:MM:SS`."""
    minutes, seconds = divmod(elapsed, 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"


ENDS_A_SENTENCE = re.compile(r"""[.?!:]["')\]]*$""")
BEGINS_ANEW = re.compile(r"[-*•–+>#]|\d+[.)]\s")


def paragraphs(note: str) -> list[str]:
    """The paragraphs of a note. Each line is one, unless the author broke it only to fit the file."""
    found: list[str] = []
    for line in note.split("\n"):
        line = line.strip()
        goes_on = found and found[-1] and line and not ENDS_A_SENTENCE.search(found[-1])
        if goes_on and len(found[-1]) > 60 and not BEGINS_ANEW.match(line):
            found[-1] = f"{found[-1]} {line}"
        else:
            found.append(line)
    return [line for line in found if line]


@lru_cache(maxsize=64)
def note_lines(notes: tuple[str, ...], width: int, rows: int, palette: Palette) -> tuple[Text, ...]:
    """Notes in rows, with space between paragraphs unless they only fit without it."""
    texts = [paragraph for note in notes for paragraph in paragraphs(printable(note))]
    if not texts:
        return (Text("No notes for this slide.", Style(color=palette.muted, italic=True)),)
    airy = [wrap(Text(text), width) for text in texts]
    if sum(map(len, airy)) + len(airy) - 1 > rows:  # without space, a hanging indent separates paragraphs
        tight = [hanging(wrap(Text(text), width - 2)) for text in texts]
        if sum(map(len, tight)) <= rows:
            return tuple(row for paragraph in tight for row in paragraph)
    return tuple(row for index, paragraph in enumerate(airy) for row in ([Text(), *paragraph] if index else paragraph))


def hanging(rows: Sequence[Text]) -> list[Text]:
    first, *others = rows
    return [first, *(Text("  ") + row for row in others)]


def preview(deck: Deck, slide: int, width: int, rows: int, palette: Palette) -> list[Strip]:
    """A slide with all its steps, small, in a frame of at most this size."""
    base = Style(color=palette.faint, bgcolor=palette.background)
    inside = width - 2
    shown = deck.slides[slide]
    # Text is wrapped to fit; code and tables keep their shape, and are cut.
    contents = [block.content for block in shown.blocks]
    shaped = any(isinstance(content, Code | Table) for content in contents)
    stands_in_columns = any(isinstance(content, Columns) for content in contents)
    wide = max(inside, LEGIBLE) if shaped and not stands_in_columns else inside
    view = View(palette, wide, rows - 2, shown.steps - 1, elsewhere=shown_elsewhere(deck))
    try:
        cut = margin(wide) - margin(inside)
        body = tuple(line.crop(cut, cut + inside) for line in compose(deck, shown, view).body[: rows - 2])
    except Exception:  # as in the slides, one that cannot be drawn does not affect the others
        body = (strip(Text("This slide could not be drawn."), inside, base),)
    edge = Segment("│", base)
    framed = (Strip([edge, *line, edge]) for line in body)
    above, below = (strip(Text(f"{left}{'─' * inside}{right}"), width, base) for left, right in ("╭╮", "╰╯"))
    return [above, *framed, below]
