"""Draws what a live block has printed, and how its run stands."""

from __future__ import annotations

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

from triton_workshop.deck.model import Alignment, Block, Code
from triton_workshop.printing import printable
from triton_workshop.screen.lines import printed_rows, strip, wrap
from triton_workshop.screen.palette import Palette
from triton_workshop.screen.printed_pictures import PictureLine
from triton_workshop.screen.terminal_screen import TerminalScreen
from triton_workshop.viewer.live.live_blocks import Cell, Status, stands_by, terminal_size
from triton_workshop.viewer.pictures.drawing import ScaledPicture, output_cells
from triton_workshop.viewer.slides.fragment import Fragment, Spot, Target, picture_fragment
from triton_workshop.viewer.slides.view import View

SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
LINES_ON_A_SLIDE = 500
"""Lines of an output that a slide shows; the output's own screen shows all that are kept."""


def output(block: Block, view: View, width: int) -> Fragment:
    """What a live block has printed and how it stands, on a ground of its own."""
    cell = cell_shown(block, view)
    if cell is None:
        return standby(block, view, width) if stands_by(block) else Fragment()
    palette = view.palette
    ground = output_ground(palette)
    status, tone = cell_status(cell, view.now, palette)
    if block not in view.cells:
        status.append("   before the last edit", Style(color=palette.muted, bold=False))
    inside = max(width - 4, 1)
    lines = printed(cell, view, inside, ground)
    lines.append(Fragment([strip(row, inside, ground) for row in wrap(status, inside)]))
    fragment = lines.behind(Segment("▎ ", Style(color=tone, bgcolor=palette.well)), width, ground)
    fragment.spots.append(Spot(block, Target.OUTPUT, 0, 0, width, fragment.height))
    return fragment


def plain_output(block: Block, code: Code, cell: Cell, view: View, width: int) -> Fragment:
    """An output that looks like a part of the slide. Without a background it stands in the middle."""
    if code.background:
        ground, left = output_ground(view.palette), 2
        lines = printed(cell, view, max(width - 4, 1), ground)
    else:
        ground = view.palette.base
        lines = printed(cell, view, width, ground)
        widths = [cell_len(line.text.rstrip()) for line in lines.lines]
        widest = max([*widths, *(placed.x + placed.picture.columns for placed in lines.pictures)], default=0)
        left = max(width - widest, 0) // 2
    fragment = lines.behind(Segment(" " * left, ground), width, ground)
    fragment.spots.append(Spot(block, Target.OUTPUT, 0, 0, width, fragment.height))
    return fragment


def output_ground(palette: Palette) -> Style:
    return Style(color=palette.output or palette.text, bgcolor=palette.well)


def standby(block: Block, view: View, width: int) -> Fragment:
    """A terminal in which nothing runs yet."""
    assert isinstance(block.content, Code)
    palette = view.palette
    columns, rows = terminal_size(block.content, max(width - 4, 1), view.height) or (0, 0)
    ground = view.palette.base + Style(color=palette.muted, bgcolor=palette.well)
    lines = [strip(Text(), columns, ground)] * rows
    lines[rows // 2] = strip(Text("▶ Ctrl+E", Style(color=palette.accent)), columns, ground, Alignment.CENTER)
    return Fragment(lines).behind(Segment("▎ ", Style(color=palette.faint, bgcolor=palette.well)), width, None)


def printed(cell: Cell, view: View, width: int, ground: Style) -> Fragment:
    """What a block has printed, in rows of that width."""
    if isinstance(cell.transcript, TerminalScreen):
        rows = cell.transcript.shown(cursor=cell.status is not Status.ENDED)
        return Fragment([strip(row, width, ground) for row in rows])
    fragment = Fragment()
    lines = cell.transcript.shown()
    earlier = cell.transcript.dropped + max(len(lines) - LINES_ON_A_SLIDE, 0)
    if earlier:
        note = f"… {earlier:,} earlier lines; o shows " + ("more" if cell.transcript.dropped else "all")
        fragment.append(printed_line(Text(note, Style(color=view.palette.muted, italic=True)), view, width, ground))
    for text in lines[-LINES_ON_A_SLIDE:]:
        fragment.append(printed_line(text, view, width, ground))
    return fragment


def printed_line(text: Text, view: View, width: int, ground: Style) -> Fragment:
    """A line of an output in as many rows as it needs."""
    if not isinstance(text, PictureLine):
        return Fragment([strip(row, width, ground) for row in printed_rows(text, width)])
    # As many rows at most as leave the title, the footer and the status on the screen.
    columns, rows = output_cells(text.picture, width, max(view.height - 6, 4), view.terminal)
    picture = ScaledPicture(text.picture, columns, rows, view.palette.well)
    return picture_fragment(picture, view.terminal, 0, width, ground)


def cell_shown(block: Block, view: View) -> Cell | None:
    """The run that is shown below a block: its own, or that of the code that the presenter has edited since."""
    before = view.edited.get(block)
    return view.cells.get(block) or (view.cells.get(before) if before is not None else None)


def cell_status(cell: Cell, now: float, palette: Palette) -> tuple[Text, str]:
    """The line below an output, and the colour of its bar."""
    if cell.failure is not None:
        return Text(f"✗ {printable(cell.failure)}", Style(color=palette.bad, bold=True)), palette.bad
    if cell.outcome is not None:
        seconds = f"{cell.outcome.seconds:.1f} s"
        if cell.outcome.succeeded:
            text = Text(f"✓ {seconds}", Style(color=palette.good, bold=True))
            if cell.compiled:
                tone = palette.warning if cell.refused else palette.muted
                text.append(f" · {printable(cell.compiled)}", Style(color=tone, bold=False))
            return text, palette.good
        tone = palette.warning if cell.outcome.stopped else palette.bad
        icon = "■" if cell.outcome.stopped else "✗"
        return Text(f"{icon} {cell.outcome.reason} · {seconds}", Style(color=tone, bold=True)), tone
    if cell.status is Status.ENDED:
        return Text("■ not started", Style(color=palette.warning, bold=True)), palette.warning
    if cell.status is Status.WAITING:
        return Text("◌ waiting for the block before", Style(color=palette.muted)), palette.faint
    elapsed = cell.elapsed(now)
    frame = SPINNER[int(elapsed * 10) % len(SPINNER)]
    text = Text(f"{frame} {elapsed:.1f} s", Style(color=palette.accent, bold=True))
    text.append("   Ctrl+X stops", Style(color=palette.muted, bold=False))
    return text, palette.accent
