"""The presenter's screen: state in, lines out.

Notes are on the left, the time and the next slide on the right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.renderables.digits import Digits
from textual.strip import Strip

from triton_workshop.attendance.board import Board
from triton_workshop.deck.model import Code, Columns, Deck, Slide, Table, plain, walk
from triton_workshop.printing import printable
from triton_workshop.screen.lines import CONSOLE, Lines, strip
from triton_workshop.screen.palette import Palette
from triton_workshop.viewer.notes.attendance import NO_ATTENDANCE, attendance_lines
from triton_workshop.viewer.notes.follower import LinkState
from triton_workshop.viewer.notes.paragraphs import note_lines
from triton_workshop.viewer.notes.protocol import RunningBlock
from triton_workshop.viewer.notes.schedule import Schedule, TalkSection
from triton_workshop.viewer.slides.frame import bar, bar_ground, progress
from triton_workshop.viewer.slides.page import compose, slide_name
from triton_workshop.viewer.slides.slide_step import SlideStep
from triton_workshop.viewer.slides.view import View, margin

SIDE_BY_SIDE = 72
"""Columns from which the time goes beside the notes."""
MEASURE = 92
"""Columns beyond which notes are hard to read at a glance."""
LATE_MINUTES = 5
"""Minutes behind the plan from which the time turns red."""
SMALLEST_PREVIEW_ROWS = 5
"""Rows below which a preview shows nothing worth its frame."""
LEGIBLE = 76
"""Columns that code and tables need to keep their shape."""
MAX_RUNNING_LINES = 3


@dataclass(frozen=True)
class NotesView:
    """Everything that the presenter's screen depends on."""

    deck: Deck
    schedule: Schedule
    palette: Palette
    width: int
    height: int
    position: SlideStep
    scrolled: int = 0
    """Rows by which the notes are scrolled, or as far as they go."""
    connection: LinkState = LinkState.WAITING
    silence: int = 0
    """Seconds since the last event from the slides."""
    elapsed: int = 0
    """Seconds since the start."""
    time: str = ""
    """The time of the day."""
    running: tuple[RunningBlock, ...] = ()
    command: str = "workshop present"
    """The command that starts the slides."""
    message: str = ""
    attendance: Board = NO_ATTENDANCE

    @property
    def slide(self) -> Slide:
        """The slide at the position."""
        return self.deck.slides[self.position.slide]

    @property
    def side(self) -> int:
        """Free columns on either side; on a wide screen, fewer than a slide's."""
        return min(margin(self.width), 4)

    @property
    def section(self) -> TalkSection | None:
        """The section of the talk, if the deck has a plan."""
        return self.schedule.section(self.position.slide)


@dataclass(frozen=True)
class NotesPage:
    """A screen, and the position of its notes."""

    lines: Lines
    max_scroll: int
    """Rows by which the notes can be scrolled."""
    rows: int
    """Rows of the notes that are visible."""


def compose_notes(view: NotesView) -> NotesPage:
    """Draw the presenter's screen."""
    title = title_bar(view)
    inside = max(view.width - 2 * view.side, 1)
    attendees = attendance_lines(view.attendance, inside, view.palette)
    rows = max(view.height - len(title) - len(attendees) - 1, 0)
    if view.width >= SIDE_BY_SIDE:
        # Two fifths for the time and the preview, or less if notes would get too narrow.
        panel_width = min(max(inside * 2 // 5, 26), 76)
        notes, max_scroll = notes_column(view, inside - panel_width - 5, rows)
        rule = Segment("  │  ", view.palette.base + Style(color=view.palette.faint))
        panel_rows = panel(view, panel_width, rows)
        lines = [Strip([*row, rule, *panel_row]) for row, panel_row in zip(notes, panel_rows, strict=True)]
    else:
        # Three rows are left to the notes, whatever the summary has.
        below = [strip(text, inside, view.palette.base) for text in summary(view, inside)][: max(rows - 3, 0)]
        notes, max_scroll = notes_column(view, inside, rows - len(below))
        lines = [*notes, *below]
    side = Segment(" " * view.side, view.palette.base)
    lines += [strip(text, inside, view.palette.base) for text in attendees]
    body = (Strip([side, *line]).adjust_cell_length(view.width, view.palette.base) for line in lines)
    status = status_line(view, more=min(view.scrolled, max_scroll) < max_scroll)
    return NotesPage((*title, *body, status)[: view.height], max_scroll, len(notes))


def title_bar(view: NotesView) -> Lines:
    """Draw a bar with the slide's number, name and step."""
    number = f"{view.position.slide + 1} / {len(view.deck.slides)}   "
    step = f"   step {view.position.step + 1} of {view.slide.steps}" if view.slide.steps > 1 else ""
    name = Text(name_of(view.deck, view.slide))
    name_width = max(view.width - 2 * view.side, 1) - len(number) - len(step)
    name.truncate(max(name_width, 1), overflow="ellipsis", pad=True)
    row = strip(Text(" " * view.side + number + name.plain + step), view.width, bar_ground(view.palette))
    return bar([row], view.width, view.height, view.palette)


def notes_column(view: NotesView, width: int, rows: int) -> tuple[Sequence[Strip], int]:
    """Return rows of notes, and the rows by which they can be scrolled."""
    rows = max(rows, 0)
    lines = note_lines(view.slide.notes, max(min(width, MEASURE), 1), rows, view.palette)
    max_scroll = max(len(lines) - rows, 0)
    top = min(view.scrolled, max_scroll)
    visible = [*lines[top : top + rows], *[Text()] * (rows - len(lines))]
    return [strip(line, width, view.palette.base) for line in visible], max_scroll


# Beside the notes


def panel(view: NotesView, width: int, rows: int) -> list[Strip]:
    """Draw the time, the plan, the running blocks, and a preview if it fits."""
    # The preview comes last, since it can use whatever is left, or be left out.
    groups = (clock(view, width), plan(view, width), running(view, width))
    texts: list[Text] = []
    for group in filter(None, groups):
        texts += [*group, Text()]
    lines = [strip(text, width, view.palette.base) for text in (*texts, next_heading(view, width))]
    following = view.position.slide + 1
    free_rows = rows - len(lines)
    fits = free_rows >= SMALLEST_PREVIEW_ROWS and width >= 12
    has_preview = fits and following < len(view.deck.slides)
    if has_preview:
        lines += preview(view.deck, following, width, free_rows, view.palette)
    lines += [strip(Text(), width, view.palette.base)] * (rows - len(lines))
    return lines[:rows]


def clock(view: NotesView, width: int) -> list[Text]:
    """Draw the time since the start in large digits, and the time of the day."""
    options = CONSOLE.options.update(width=width, max_width=width, height=None)
    style = Style(color=view.palette.emphasis, bold=True)
    drawn = CONSOLE.render_lines(Digits(as_clock(view.elapsed), style), options, pad=False)
    rows = [Text(Strip(row).text, style) for row in drawn]
    time = Text(view.time, view.palette.muted)
    gap = width - max(row.cell_len for row in rows) - time.cell_len
    if gap > 0:
        rows[1] = Text.assemble(rows[1], " " * (width - rows[1].cell_len - time.cell_len), time)
    return rows


def plan(view: NotesView, width: int) -> list[Text]:
    """Draw the section of the talk, its minutes, and the talk's pace."""
    section, palette = view.section, view.palette
    if section is None:
        return []
    spent = minutes_spent(view, section)
    over = spent > section.minutes
    tone = palette.bad if over else palette.accent
    budget = Text.assemble(
        bold(f"{int(spent)}", tone if over else palette.emphasis), (f" of {section.minutes:.4g} min", palette.muted)
    )
    until = Text(f"until {section.end_time}" if section.end_time else "", palette.muted)
    name = bold(printable(section.name), palette.emphasis)
    name.truncate(width, overflow="ellipsis")
    gap = " " * max(width - budget.cell_len - until.cell_len, 1)
    filled = progress(min(spent / section.minutes, 1), width, tone, palette)
    return [name, Text.assemble(budget, gap, until), filled, pace(view)]


def minutes_spent(view: NotesView, section: TalkSection) -> float:
    """Return the minutes of the section's time that have passed."""
    return max(view.elapsed / 60 - section.begins, 0.0)


def pace(view: NotesView) -> Text:
    """Describe the talk's lag, to within half a minute."""
    palette = view.palette
    lag = view.schedule.lag(view.position.slide, view.elapsed / 60)
    # Python rounds 0.5 to 0.
    minutes = max(round(abs(lag)), 1)
    if abs(lag) < 0.5:
        return bold("✓ on time", palette.good)
    if lag < 0:
        return bold(f"» {minutes} min ahead", palette.note)
    return bold(f"! {minutes} min behind", palette.warning if minutes < LATE_MINUTES else palette.bad)


def running(view: NotesView, width: int) -> list[Text]:
    """Draw the running blocks, with their slides and seconds."""
    lines = [running_line(view, block, width) for block in view.running[:MAX_RUNNING_LINES]]
    if len(view.running) > MAX_RUNNING_LINES:
        lines.append(Text(f"  and {len(view.running) - MAX_RUNNING_LINES} more", view.palette.muted))
    return lines


def running_line(view: NotesView, block: RunningBlock, width: int) -> Text:
    """Draw one running block: its slide, its first line, and its seconds."""
    palette = view.palette
    seconds = f"  {block.seconds:.0f} s"
    code = Text(first_line(view.deck, block), palette.muted)
    text = Text.assemble(bold(f"▶ slide {block.slide}  ", palette.accent), code)
    text.truncate(max(width - len(seconds), 1), overflow="ellipsis", pad=True)
    return Text.assemble(text, bold(seconds, palette.accent))


def next_heading(view: NotesView, width: int) -> Text:
    """Draw the next slide's number and name."""
    following = view.position.slide + 1
    slides = view.deck.slides
    if following >= len(slides):
        return Text("Next: the end", view.palette.muted)
    name = bold(name_of(view.deck, slides[following]), view.palette.emphasis)
    text = Text.assemble(bold(f"Next  {following + 1}  ", view.palette.accent), name)
    text.truncate(width, overflow="ellipsis")
    return text


def preview(deck: Deck, slide: int, width: int, rows: int, palette: Palette) -> list[Strip]:
    """Draw a slide with all its steps in a frame of at most this size."""
    base = Style(color=palette.faint, bgcolor=palette.background)
    inside = width - 2
    next_slide = deck.slides[slide]
    # Text is wrapped to fit; code and tables keep their shape, and are cut.
    contents = [block.content for block in next_slide.blocks]
    has_shape = any(isinstance(content, Code | Table) for content in contents)
    has_columns = any(isinstance(content, Columns) for content in contents)
    keeps_shape = has_shape and not has_columns
    wide = max(inside, LEGIBLE) if keeps_shape else inside
    view = View(palette, wide, rows - 2, next_slide.steps - 1)
    try:
        # Of the wide page's margin, as much stays as a page of the frame's width would have.
        cut = margin(wide) - margin(inside)
        body = tuple(line.crop(cut, cut + inside) for line in compose(deck, next_slide, view).body[: rows - 2])
    except Exception:  # as in the slides, one that cannot be drawn does not affect the others
        body = (strip(Text("This slide could not be drawn."), inside, base),)
    edge = Segment("│", base)
    framed = (Strip([edge, *line, edge]) for line in body)
    above, below = (strip(Text(f"{start}{'─' * inside}{end}"), width, base) for start, end in ("╭╮", "╰╯"))
    return [above, *framed, below]


# Below the notes


def summary(view: NotesView, width: int) -> list[Text]:
    """Draw the panel in a few lines for a narrow screen."""
    section, palette = view.section, view.palette
    times = Text.assemble(bold(as_clock(view.elapsed), palette.emphasis), (f"   {view.time}", palette.muted))
    lines = [Text("─" * width, palette.faint), times]
    if section is not None:
        spent = minutes_spent(view, section)
        tone = palette.bad if spent > section.minutes else palette.muted
        lines.append(Text.assemble(pace(view), (f"   {int(spent)} of {section.minutes:.4g} min", tone)))
    return [*lines, *running(view, width), next_heading(view, width)]


def status_line(view: NotesView, more: bool) -> Strip:
    """Draw the connection's state, and the key that lists the keys."""
    accent = view.palette.accent
    keys = Text.assemble(bold("↓ more   " if more else "", accent), bold("?", accent), (" keys", view.palette.muted))
    state = state_of_slides(view)
    state_width = max(view.width - 2 * view.side, 1) - keys.cell_len - 2
    state.truncate(max(state_width, 1), overflow="ellipsis", pad=True)
    return strip(Text.assemble(" " * view.side, state, "  ", keys), view.width, view.palette.base)


def state_of_slides(view: NotesView) -> Text:
    """Describe the connection to the slides, or show a message instead."""
    warning = view.palette.warning
    if view.message:
        return bold(printable(view.message), view.palette.accent)
    match view.connection:
        case LinkState.WAITING:
            return Text(f"◌ waiting for the slides; type {view.command}", warning)
        case LinkState.FOLLOWING:
            return Text("● following the slides", view.palette.muted)
        case LinkState.SILENT:
            return Text(f"■ nothing heard from the slides for {view.silence} s", warning)
        case LinkState.CLOSED:
            return Text("■ the slides have been closed", warning)


def bold(text: str, tone: str) -> Text:
    """Return bold text in a colour."""
    return Text(text, Style(color=tone, bold=True))


def name_of(deck: Deck, slide: Slide) -> str:
    """Return a slide's name in one line, or a dash."""
    return printable(plain(slide_name(deck, slide))).replace("\n", " ") or "—"


def first_line(deck: Deck, running: RunningBlock) -> str:
    """Return a running block's first line.

    It is empty if the deck, as the notes have read it, has no such block.
    """
    # Slices, as the slides may have read a newer or older deck than the notes.
    slides = deck.slides[running.slide - 1 :][:1]
    blocks = list(chain.from_iterable(walk(slide.blocks) for slide in slides))
    for block in blocks[running.block :][:1]:
        if isinstance(block.content, Code):
            return printable(next((line.strip() for line in block.content.lines if line.strip()), ""))
    return ""


def as_clock(elapsed: int) -> str:
    """Format seconds as `H:MM:SS`."""
    minutes, seconds = divmod(elapsed, 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
