"""The output of a live block, and the status of its run."""

from __future__ import annotations

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

from triton_workshop.deck.model import Block, Code
from triton_workshop.printing import printable
from triton_workshop.screen.lines import printed_rows, strip, wrap
from triton_workshop.screen.palette import Palette
from triton_workshop.screen.printed_pictures import PictureLine
from triton_workshop.viewer.live.live_blocks import BlockRun, Status
from triton_workshop.viewer.pictures.drawing import ScaledPicture, output_cells
from triton_workshop.viewer.slides.fragment import Fragment, Spot, SpotTarget, picture_fragment
from triton_workshop.viewer.slides.view import View

SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
LINES_ON_A_SLIDE = 500
"""Lines of an output on a slide; the output's own screen shows more."""


def output(block: Block, view: View, width: int) -> Fragment:
    """Draw a live block's output and status, on a ground of its own."""
    run = view.runs.get(block)
    if run is None:
        return Fragment()
    palette = view.palette
    ground = output_ground(palette)
    status, tone = run_status(run, view.now, palette)
    if not run.is_of(block):
        status.append("   before the last edit", Style(color=palette.muted, bold=False))
    inside = max(width - 4, 1)
    lines = printed(run, view, inside, ground)
    lines.append(Fragment([strip(row, inside, ground) for row in wrap(status, inside)]))
    fragment = lines.with_lead(Segment("▎ ", Style(color=tone, bgcolor=palette.well)), width, ground)
    fragment.spots.append(Spot(block, SpotTarget.OUTPUT, 0, 0, width, fragment.height))
    return fragment


def plain_output(block: Block, code: Code, run: BlockRun, view: View, width: int) -> Fragment:
    """Draw an output that looks like content of the slide.

    Without a background it is centred.
    """
    if code.background:
        ground, indent = output_ground(view.palette), 2
        lines = printed(run, view, max(width - 4, 1), ground)
    else:
        ground = view.palette.base
        lines = printed(run, view, width, ground)
        widths = [cell_len(line.text.rstrip()) for line in lines.lines]
        widest = max([*widths, *(placed.x + placed.picture.columns for placed in lines.pictures)], default=0)
        # Centred as a whole, as each line by itself would misalign columns in the output.
        indent = max(width - widest, 0) // 2
    fragment = lines.with_lead(Segment(" " * indent, ground), width, ground)
    fragment.spots.append(Spot(block, SpotTarget.OUTPUT, 0, 0, width, fragment.height))
    return fragment


def output_ground(palette: Palette) -> Style:
    """Return the style of an output."""
    return Style(color=palette.text, bgcolor=palette.well)


def printed(run: BlockRun, view: View, width: int, ground: Style) -> Fragment:
    """Draw a block's output in rows of a width."""
    fragment = Fragment()
    lines = run.transcript.visible_lines()
    earlier = run.transcript.dropped + max(len(lines) - LINES_ON_A_SLIDE, 0)
    if earlier:
        # Lines that the transcript dropped are not on the output's own screen either.
        note = f"… {earlier:,} earlier lines; o shows " + ("more" if run.transcript.dropped else "all")
        fragment.append(printed_line(Text(note, Style(color=view.palette.muted, italic=True)), view, width, ground))
    for text in lines[-LINES_ON_A_SLIDE:]:
        fragment.append(printed_line(text, view, width, ground))
    return fragment


def printed_line(text: Text, view: View, width: int, ground: Style) -> Fragment:
    """Draw a line of an output in as many rows as it needs."""
    if not isinstance(text, PictureLine):
        return Fragment([strip(row, width, ground) for row in printed_rows(text, width)])
    # As many rows at most as leave the title, the footer and the status on the screen.
    columns, rows = output_cells(text.picture, width, max(view.height - 6, 4), view.terminal)
    picture = ScaledPicture(text.picture, columns, rows, view.palette.well)
    return picture_fragment(picture, view.terminal, 0, width, ground)


def run_status(run: BlockRun, now: float, palette: Palette) -> tuple[Text, str]:
    """Return the line below an output, and the colour of its bar."""
    # First, as a +image block that printed no picture has both a failure and an outcome.
    if run.failure is not None:
        return bold(f"✗ {printable(run.failure)}", palette.bad)
    if run.outcome is not None:
        ended = f"{run.outcome.reason} · {run.outcome.seconds:.1f} s"
        if run.outcome.stopped:
            return bold(f"■ {ended}", palette.warning)
        if not run.outcome.succeeded:
            return bold(f"✗ {ended}", palette.bad)
        text, tone = bold(f"✓ {run.outcome.seconds:.1f} s", palette.good)
        if run.compiled:
            style = Style(color=palette.warning if run.refused else palette.muted, bold=False)
            text.append(f" · {printable(run.compiled)}", style)
        return text, tone
    if run.status is Status.ENDED:  # without an outcome or a failure: it was cancelled while it waited
        return bold("■ not started", palette.warning)
    if run.status is Status.WAITING:
        return Text("◌ waiting for the block before", Style(color=palette.muted)), palette.faint
    elapsed = run.elapsed(now)
    text, tone = bold(f"{SPINNER[int(elapsed * 10) % len(SPINNER)]} {elapsed:.1f} s", palette.accent)
    text.append("   Ctrl+X stops", Style(color=palette.muted, bold=False))
    return text, tone


def bold(text: str, tone: str) -> tuple[Text, str]:
    """Return bold text in a colour, and the colour."""
    return Text(text, Style(color=tone, bold=True)), tone
