"""The presenter's screen: state in, lines out. Notes are on the left, the time and the next slide on the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
from triton_workshop.viewer.notes.attendance import NOBODY, room_lines
from triton_workshop.viewer.notes.follower import LinkState
from triton_workshop.viewer.notes.paragraphs import note_lines
from triton_workshop.viewer.notes.protocol import RunningBlock
from triton_workshop.viewer.notes.schedule import Schedule, TalkPart
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
MOST_RUNNING = 3


@dataclass(frozen=True)
class NotesView:
    """Everything that the presenter's screen depends on."""

    deck: Deck
    schedule: Schedule
    palette: Palette
    width: int
    height: int
    place: SlideStep
    scrolled: int = 0
    """Rows by which the notes are scrolled, or as far as they go."""
    connection: LinkState = LinkState.WAITING
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
    room: Board = NOBODY

    @property
    def slide(self) -> Slide:
        return self.deck.slides[self.place.slide]

    @property
    def side(self) -> int:
        """Columns left free on either side; notes use more of a wide screen than slides do."""
        return min(margin(self.width), 4)

    @property
    def part(self) -> TalkPart | None:
        return self.schedule.part(self.place.slide)


@dataclass(frozen=True)
class NotesPage:
    """A whole screen, how far its notes can be scrolled, and how many rows of them are on it."""

    lines: Lines
    furthest: int
    rows: int


def compose_notes(view: NotesView) -> NotesPage:
    """The presenter's screen."""
    title = title_bar(view)
    inside = max(view.width - 2 * view.side, 1)
    attendees = room_lines(view.room, inside, view.palette)
    rows = max(view.height - len(title) - len(attendees) - 1, 0)
    if view.width >= SIDE_BY_SIDE:
        # Two fifths for the time and the preview, or less if notes would get too narrow.
        beside = min(max(inside * 2 // 5, 26), 76)
        notes, furthest = notes_column(view, inside - beside - 5, rows)
        rule = Segment("  │  ", view.palette.base + Style(color=view.palette.faint))
        lines = [Strip([*row, rule, *other]) for row, other in zip(notes, panel(view, beside, rows), strict=True)]
    else:
        below = [strip(text, inside, view.palette.base) for text in summary(view, inside)][: max(rows - 3, 0)]
        notes, furthest = notes_column(view, inside, rows - len(below))
        lines = [*notes, *below]
    left = Segment(" " * view.side, view.palette.base)
    lines += [strip(text, inside, view.palette.base) for text in attendees]
    body = (Strip([left, *line]).adjust_cell_length(view.width, view.palette.base) for line in lines)
    status = status_line(view, more=min(view.scrolled, furthest) < furthest)
    return NotesPage((*title, *body, status)[: view.height], furthest, len(notes))


def title_bar(view: NotesView) -> Lines:
    """Which slide, its name, and its step, on a bar across the screen."""
    number = f"{view.place.slide + 1} / {len(view.deck.slides)}   "
    step = f"   step {view.place.step + 1} of {view.slide.steps}" if view.slide.steps > 1 else ""
    name = Text(name_of(view.deck, view.slide))
    room = max(view.width - 2 * view.side, 1) - len(number) - len(step)
    name.truncate(max(room, 1), overflow="ellipsis", pad=True)
    row = strip(Text(" " * view.side + number + name.plain + step), view.width, bar_ground(view.palette))
    return bar([row], view.width, view.height, view.palette)


def notes_column(view: NotesView, width: int, rows: int) -> tuple[Sequence[Strip], int]:
    """So many rows of notes, and how far they can be scrolled."""
    rows = max(rows, 0)
    lines = note_lines(view.slide.notes, max(min(width, MEASURE), 1), rows, view.palette)
    furthest = max(len(lines) - rows, 0)
    top = min(view.scrolled, furthest)
    shown = [*lines[top : top + rows], *[Text()] * (rows - len(lines))]
    return [strip(line, width, view.palette.base) for line in shown], furthest


# What stands beside the notes


def panel(view: NotesView, width: int, rows: int) -> list[Strip]:
    """The time, the plan, what is running, and the next slide in the room that is left."""
    groups = (clock(view, width), plan(view, width), running(view, width))
    texts = [text for group in groups if group for text in (*group, Text())]
    lines = [strip(text, width, view.palette.base) for text in (*texts, next_heading(view, width))]
    following = view.place.slide + 1
    room = rows - len(lines)
    if following < len(view.deck.slides) and room >= SMALLEST_PREVIEW_ROWS and width >= 12:
        lines += preview(view.deck, following, width, room, view.palette)
    lines += [strip(Text(), width, view.palette.base)] * (rows - len(lines))
    return lines[:rows]


def clock(view: NotesView, width: int) -> list[Text]:
    """The time since the start in large digits, and the time of the day."""
    options = CONSOLE.options.update(width=width, max_width=width, height=None)
    style = Style(color=view.palette.emphasis, bold=True)
    drawn = CONSOLE.render_lines(Digits(as_clock(view.elapsed), style), options, pad=False)
    rows = [Text("".join(segment.text for segment in row), style) for row in drawn]
    time = Text(view.time, view.palette.muted)
    gap = width - max(row.cell_len for row in rows) - time.cell_len
    if gap > 0:
        rows[1] = Text.assemble(rows[1], " " * (width - rows[1].cell_len - time.cell_len), time)
    return rows


def plan(view: NotesView, width: int) -> list[Text]:
    """The part of the talk, its minutes, and whether the talk is on time."""
    part, palette = view.part, view.palette
    if part is None:
        return []
    spent = minutes_spent(view, part)
    over = spent > part.minutes
    tone = palette.bad if over else palette.accent
    budget = Text.assemble(
        bold(f"{int(spent)}", tone if over else palette.emphasis), (f" of {part.minutes:.4g} min", palette.muted)
    )
    until = Text(f"until {part.end_time}" if part.end_time else "", palette.muted)
    name = bold(printable(part.name), palette.emphasis)
    name.truncate(width, overflow="ellipsis")
    gap = " " * max(width - budget.cell_len - until.cell_len, 1)
    filled = progress(min(spent / part.minutes, 1), width, tone, palette)
    return [name, Text.assemble(budget, gap, until), filled, pace(view)]


def minutes_spent(view: NotesView, part: TalkPart) -> float:
    """Minutes of the part's time that have passed."""
    return max(view.elapsed / 60 - part.begins, 0.0)


def pace(view: NotesView) -> Text:
    """Whether the talk is on time, to within half a minute."""
    palette = view.palette
    lag = view.schedule.lag(view.place.slide, view.elapsed / 60)
    minutes = max(round(abs(lag)), 1)
    if abs(lag) < 0.5:
        return bold("✓ on time", palette.good)
    if lag < 0:
        return bold(f"» {minutes} min ahead", palette.note)
    return bold(f"! {minutes} min behind", palette.warning if minutes < LATE_MINUTES else palette.bad)


def running(view: NotesView, width: int) -> list[Text]:
    """The running blocks, with their slides and seconds."""
    lines = [running_line(view, block, width) for block in view.running[:MOST_RUNNING]]
    if len(view.running) > MOST_RUNNING:
        lines.append(Text(f"  and {len(view.running) - MOST_RUNNING} more", view.palette.muted))
    return lines


def running_line(view: NotesView, block: RunningBlock, width: int) -> Text:
    palette = view.palette
    seconds = f"  {block.seconds:.0f} s"
    code = Text(first_line(view.deck, block), palette.muted)
    text = Text.assemble(bold(f"▶ slide {block.slide}  ", palette.accent), code)
    text.truncate(max(width - len(seconds), 1), overflow="ellipsis", pad=True)
    return Text.assemble(text, bold(seconds, palette.accent))


def next_heading(view: NotesView, width: int) -> Text:
    """The next slide's number and name."""
    following = view.place.slide + 1
    slides = view.deck.slides
    if following >= len(slides):
        return Text("Next: the end", view.palette.muted)
    name = bold(name_of(view.deck, slides[following]), view.palette.emphasis)
    text = Text.assemble(bold(f"Next  {following + 1}  ", view.palette.accent), name)
    text.truncate(width, overflow="ellipsis")
    return text


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
    view = View(palette, wide, rows - 2, shown.steps - 1)
    try:
        cut = margin(wide) - margin(inside)
        body = tuple(line.crop(cut, cut + inside) for line in compose(deck, shown, view).body[: rows - 2])
    except Exception:  # as in the slides, one that cannot be drawn does not affect the others
        body = (strip(Text("This slide could not be drawn."), inside, base),)
    edge = Segment("│", base)
    framed = (Strip([edge, *line, edge]) for line in body)
    above, below = (strip(Text(f"{left}{'─' * inside}{right}"), width, base) for left, right in ("╭╮", "╰╯"))
    return [above, *framed, below]


# What stands below them


def summary(view: NotesView, width: int) -> list[Text]:
    """What the panel says, in a few lines for a narrow screen."""
    part, palette = view.part, view.palette
    times = Text.assemble(bold(as_clock(view.elapsed), palette.emphasis), (f"   {view.time}", palette.muted))
    lines = [Text("─" * width, palette.faint), times]
    if part is not None:
        spent = minutes_spent(view, part)
        tone = palette.bad if spent > part.minutes else palette.muted
        lines.append(Text.assemble(pace(view), (f"   {int(spent)} of {part.minutes:.4g} min", tone)))
    return [*lines, *running(view, width), next_heading(view, width)]


def status_line(view: NotesView, more: bool) -> Strip:
    """The state of the slides, and the key that lists the keys."""
    accent = view.palette.accent
    keys = Text.assemble(bold("↓ more   " if more else "", accent), bold("?", accent), (" keys", view.palette.muted))
    state = state_of_slides(view)
    room = max(view.width - 2 * view.side, 1) - keys.cell_len - 2
    state.truncate(max(room, 1), overflow="ellipsis", pad=True)
    return strip(Text.assemble(" " * view.side, state, "  ", keys), view.width, view.palette.base)


def state_of_slides(view: NotesView) -> Text:
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
    return Text(text, Style(color=tone, bold=True))


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
