"""The layout of a slide: frozen state in, lines and pictures out.

Nothing here knows the screen's widgets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.strip import Strip

from triton_workshop.deck.model import (
    Alignment,
    Blank,
    Block,
    Code,
    Columns,
    Deck,
    Execution,
    Heading,
    Image,
    JumpToMiddle,
    ListItem,
    Paragraph,
    Slide,
    Span,
    Table,
)
from triton_workshop.deck.model import Text as Spans
from triton_workshop.printing import printable
from triton_workshop.screen.lines import Lines, indent, strip
from triton_workshop.screen.palette import Palette
from triton_workshop.viewer.live.live_blocks import replaces_code
from triton_workshop.viewer.pictures.cell_drawings import drawing_for
from triton_workshop.viewer.pictures.drawing import PlacedPicture, ScaledPicture, draw_cells, pixel_size
from triton_workshop.viewer.slides.blocks import code_panel, column_widths, editor_panel, static_lines
from triton_workshop.viewer.slides.fragment import Fragment, LiveArea, Spot, SpotTarget, picture_fragment
from triton_workshop.viewer.slides.frame import banner, centred, cover, title_bar
from triton_workshop.viewer.slides.outputs import output, plain_output
from triton_workshop.viewer.slides.plain import same_list
from triton_workshop.viewer.slides.view import LARGE_BODY, TALL, Spacing, View, footer_height

EDITOR_INSET = 2
"""Columns of a code panel to the left of its lines."""
EDITED = "edited · Esc restores"


@dataclass(frozen=True)
class DrawnSlide:
    """A slide with its lines, and the positions of what is on them."""

    title: Lines
    body: Lines
    """Lines that may be taller than the screen."""
    body_rows: int
    """Rows of the body that are on the screen at once."""
    pictures: tuple[PlacedPicture, ...]
    live: Mapping[Block, LiveArea]
    spots: tuple[Spot, ...] = ()
    question: Lines = ()
    """Lines at the top of the body that ask for a prediction."""


def compose(deck: Deck, slide: Slide, view: View) -> DrawnSlide:
    """Lay out a slide."""
    width = max(view.width - 2 * view.side, 1)
    banner_title = lone_heading(slide)
    has_no_body = slide.introduction or banner_title is not None
    if has_no_body:
        lines = cover(deck, view) if banner_title is None else banner(banner_title, view)
        return DrawnSlide((), centred(lines, view), view.height, (), {})
    title = title_bar(slide.title, view)
    foot = footer_height(view.height) if slide.footer else 0
    body_rows = max(view.height - len(title) - foot, 1)
    base = view.palette.base
    flow = Composer(view, choose_spacing(slide, view.palette, width, body_rows)).flow(slide.blocks, width, body_rows)
    fragment = flow.with_lead(Segment(" " * view.side, base), view.width, base)
    pictures = tuple(placed for placed in fragment.pictures if placed.y < fragment.revealed)
    # Laid out in full and then cut, so that nothing moves as more is revealed.
    body = tuple(fragment.lines[: fragment.revealed])
    question = body[: question_height(slide, width, view)]
    return DrawnSlide(title, body, body_rows, pictures, fragment.live, tuple(fragment.spots), question)


def broken_page(trace: str, view: View) -> DrawnSlide:
    """Lay out the traceback of a slide that could not be drawn."""
    base = Style(color=view.palette.bad, bgcolor=view.palette.background)
    rows = ["This slide could not be drawn; the others still can.", "", *printable(trace).split("\n")]
    body = tuple(strip(Text(row), view.width, base) for row in rows)
    return DrawnSlide((), body, max(view.height - footer_height(view.height), 1), (), {})


@lru_cache(maxsize=256)
def choose_spacing(slide: Slide, palette: Palette, width: int, rows: int) -> Spacing:
    """Return the widest spacing with which the complete slide fits.

    Outputs do not count, so that nothing moves when code runs.
    """
    view = View(palette, width, rows, step=slide.steps - 1)
    if width < 60:
        return Spacing.NONE
    for spacing, fraction in ((Spacing.WIDEST, 0.8), (Spacing.WIDE, 0.8), (Spacing.NORMAL, 1.0)):
        is_too_wide = spacing is Spacing.WIDEST and rows < LARGE_BODY
        if is_too_wide:
            continue
        if Composer(view, spacing).flow(slide.blocks, width, rows).height <= fraction * rows:
            return spacing
    return Spacing.NONE


def question_height(slide: Slide, width: int, view: View) -> int:
    """Count the rows of a question with which a slide begins."""
    first = next(iter(slide.blocks), None)
    if first is None or not isinstance(first.content, Paragraph):
        return 0
    if first.content.prediction is None:
        return 0
    return len(static_lines(first, width, view.palette, 0))


def lone_heading(slide: Slide) -> Spans | None:
    """Return the heading of a slide that has nothing else, or None.

    Such a slide stands between the sections of a talk.
    """
    contents = [block.content for block in slide.blocks if not isinstance(block.content, Blank | JumpToMiddle)]
    if slide.introduction:
        return None
    if slide.title is not None:
        return None if contents else slide.title
    match contents:
        case [Heading(_, text)]:
            return text
        case _:
            return None


def slide_name(deck: Deck, slide: Slide) -> Spans:
    """Return a slide's name: its title, else its first heading, else nothing."""
    if slide.introduction:
        return (Span(deck.title),)
    if slide.title is not None:
        return slide.title
    return next((block.content.text for block in slide.blocks if isinstance(block.content, Heading)), ())


class Composer:
    """Layout of blocks in one column of a view."""

    def __init__(self, view: View, spacing: Spacing) -> None:
        self.view = view
        self.palette = view.palette
        self.base = view.palette.base
        self.spacing = spacing

    def flow(self, blocks: Sequence[Block], width: int, rows: int) -> Fragment:
        """Lay out blocks below each other.

        Blocks of a later step leave blank rows, so that nothing moves.
        """
        flow = Fragment()
        previous: Block | None = None
        for index, block in enumerate(blocks):
            if isinstance(block.content, JumpToMiddle):
                rest = self.flow(blocks[index + 1 :], width, rows)
                self._blank(flow, max((rows - rest.height) // 2 - flow.height, 1), width)
                flow.append(rest)
                return flow
            self._blank(flow, self._gap(previous, block), width)
            used_rows = flow.height + self._height_below(blocks[index + 1 :], width) if has_picture(block) else 0
            flow.append(self.fragment(block, width, max(rows - used_rows, 6)))
            if not isinstance(block.content, Blank):  # as in presenterm, empty lines add to the gap between blocks
                previous = block
        return flow

    def _height_below(self, blocks: Sequence[Block], width: int) -> int:
        """Count the rows that a picture must leave to the text below it."""
        text = [block for block in blocks if not has_picture(block)]
        return self.flow(text, width, 1).height + 1 if text else 0

    def _blank(self, flow: Fragment, rows: int, width: int) -> None:
        flow.lines += [self._line(Text(), width)] * rows

    def _gap(self, previous: Block | None, block: Block) -> int:
        """Count the empty rows between two blocks."""
        if previous is None or isinstance(block.content, Blank):
            return 0
        if isinstance(block.content, ListItem) and same_list(previous.content, block.content):
            spacing = previous.content.spacing if isinstance(previous.content, ListItem) else 1
            # Items of the top level stand apart where the slide has space; nested ones belong to the item above.
            apart = min(self.spacing, 1) + (self.spacing is Spacing.WIDEST) if block.content.depth == 0 else 0
            return max(spacing - 1, apart)
        has_space = self.spacing >= Spacing.WIDE and self.view.height >= TALL
        return 2 if has_space else 1

    def fragment(self, block: Block, width: int, rows: int) -> Fragment:
        """Lay out one block; it is all blank before its step."""
        content = block.content
        # Before the check of the step: blocks in columns have steps of their own.
        if isinstance(content, Columns):
            return self._columns(content, width, rows)
        if isinstance(content, Image):
            fragment = self._image(content, block.alignment, width, rows)
        elif isinstance(content, Code):
            fragment = self._code(block, content, width, rows)
        else:
            fragment = Fragment(list(self._static(block, width)))
        if block.step > self.view.step:
            return Fragment([self._line(Text(), width)] * fragment.height)
        fragment.revealed = fragment.height
        return fragment

    def _static(self, block: Block, width: int) -> Lines:
        step = self.view.step if isinstance(block.content, Table) else 0
        return static_lines(block, width, self.palette, step, apart=self.spacing is Spacing.WIDEST)

    def _line(self, text: Text, width: int) -> Strip:
        return strip(text, width, self.base)

    def _columns(self, content: Columns, width: int, rows: int) -> Fragment:
        widths, gap = column_widths(content.weights, width)
        if not widths:  # too narrow to stand side by side
            return self.flow(list(chain.from_iterable(content.columns)), width, rows)
        columns = [
            self.flow(blocks, column_width, rows) for blocks, column_width in zip(content.columns, widths, strict=False)
        ]
        result = Fragment()
        height = max((column.height for column in columns), default=0)
        for y in range(height):
            segments: list[Segment] = []
            for index, column in enumerate(columns):
                if index:
                    segments.append(self._between_columns(gap))
                below = y >= column.height
                segments += self._line(Text(), widths[index]) if below else column.lines[y]
            result.lines.append(self._fill(segments, width))
        for index, column in enumerate(columns):
            result.adopt(column, sum(widths[:index]) + gap * index, 0)
        return result

    def _between_columns(self, gap: int) -> Segment:
        if self.view.grid:
            return Segment("│".center(gap), self.base + Style(color=self.palette.accent))
        return Segment(" " * gap, self.base)

    def _fill(self, segments: list[Segment], width: int) -> Strip:
        return Strip(segments).adjust_cell_length(width, self.base)

    def _image(self, content: Image, alignment: Alignment | None, width: int, rows: int) -> Fragment:
        terminal = self.view.terminal
        drawing = None if terminal.shows_pictures else drawing_for(content.path, width, rows)
        if drawing is not None:
            lines = draw_cells(drawing, self.palette, width)
            margin = Segment(" " * indent(alignment or Alignment.CENTER, width - lines[0].cell_length), self.base)
            return Fragment(lines).with_lead(margin, width, self.base)
        pixels = pixel_size(content.path)
        if pixels is None:
            text = Text(f"[no picture in {content.path.name}]", Style(color=self.palette.bad))
            return Fragment([self._line(text, width)])
        columns, height = terminal.cells_for(pixels, content.width_percent, width, rows)
        picture = ScaledPicture(content.path, columns, height, self.palette.background)
        return picture_fragment(
            picture, terminal, indent(alignment or Alignment.CENTER, width - columns), width, self.base
        )

    def _code(self, block: Block, code: Code, width: int, rows: int) -> Fragment:
        replaced = self._replacement(block, code, width, rows) if replaces_code(block) else None
        if replaced is not None:
            return replaced
        fragment = Fragment(list(self._panel(block, code, width)))
        # Automatic code of a later step may have run already; its output waits with it.
        is_live = code.execution is not Execution.NONE and block.step <= self.view.step
        if is_live:
            fragment.spots.append(Spot(block, SpotTarget.HEADER, 0, 0, width, 1))
            fragment.spots.append(Spot(block, SpotTarget.CODE, 0, 1, width, fragment.height - 1))
            fragment.append(output(block, self.view, width))
            fragment.live[block] = live_area(fragment, width)
        return fragment

    def _replacement(self, block: Block, code: Code, width: int, rows: int) -> Fragment | None:
        """Lay out the output or picture that replaces code; None before it runs."""
        run = self.view.runs.get(block)
        if run is None:
            return None
        ended_well = run.outcome is not None and run.outcome.succeeded
        succeeded = ended_well and run.failure is None
        if run.picture is not None:
            fragment = self._image(Image(run.picture), block.alignment, width, rows)
        elif succeeded:
            fragment = plain_output(block, code, run, self.view, width)
        else:  # with its status, as a failure or a wait must not look like content
            fragment = output(block, self.view, width)
        fragment.live[block] = live_area(fragment, width)
        return fragment

    def _panel(self, block: Block, code: Code, width: int) -> Lines:
        """Draw the code of a block, or the panel under the editor."""
        editor = self.view.editor
        if editor is not None and editor.block == block:
            rows = editor.rows(width - EDITOR_INSET)
            return editor_panel(code, rows, width, self.palette, self.spacing)
        highlighted = code.highlighted(self.view.step)
        mark = EDITED if block in self.view.edited else ""
        return code_panel(code, highlighted, width, self.palette, self.spacing, mark, self.view.consent)


def live_area(fragment: Fragment, width: int) -> LiveArea:
    """Return the area of a live block that fills a fragment."""
    return LiveArea(fragment.height, max(width - 4, 1))


def has_picture(block: Block) -> bool:
    """Return True for a block whose height depends on the free rows."""
    content = block.content
    if isinstance(content, Code):
        return content.execution is Execution.IMAGE
    return isinstance(content, Image | Columns)
