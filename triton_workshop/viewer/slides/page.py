"""A slide at a size: frozen state in, lines and places of pictures out. Nothing here knows the screen's widgets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import lru_cache

from rich.cells import cell_len
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
    Slide,
    SnippetOutput,
    Span,
    Table,
)
from triton_workshop.deck.model import Text as Spans
from triton_workshop.screen.lines import Lines, printed_rows, strip, wrap
from triton_workshop.screen.palette import Palette
from triton_workshop.screen.shown_pictures import PictureLine
from triton_workshop.screen.terminal_screen import TerminalScreen
from triton_workshop.streams import printable
from triton_workshop.viewer.live.live_blocks import Cell, Status, in_place, stands_by, terminal_size
from triton_workshop.viewer.pictures.cell_drawings import drawing_for
from triton_workshop.viewer.pictures.drawing import (
    Look,
    Picture,
    drawn,
    half_blocks,
    output_cells,
    pixel_size,
)
from triton_workshop.viewer.slides.blocks import code_panel, column_widths, editor_panel, still_lines
from triton_workshop.viewer.slides.frame import banner, centred, cover, title_bar
from triton_workshop.viewer.slides.plain import same_list
from triton_workshop.viewer.slides.view import TALL, Air, View, footer_height, margin

SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
EDITOR_INSET = 2
"""Columns of a code panel to the left of its lines."""
EDITED = "edited · Esc restores"
LINES_ON_A_SLIDE = 500
"""Lines of an output that a slide shows; the output's own screen shows all that are kept."""


@dataclass(frozen=True)
class LiveArea:
    """Where a live block is: its first row, the row after its output, and the columns its output may fill."""

    top: int
    bottom: int
    columns: int


class Part(Enum):
    """What the mouse can mean by pointing at a live block."""

    HEADER = "header"
    CODE = "code"
    OUTPUT = "output"


@dataclass(frozen=True)
class Spot:
    """Where a part of a live block is, in cells of the body."""

    block: Block
    part: Part
    x: int
    y: int
    width: int
    height: int

    def covers(self, x: int, y: int) -> bool:
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height


@dataclass(frozen=True)
class Page:
    """A slide, ready to be shown: title bar, body (which may be taller than the screen), and where things are."""

    title: Lines
    body: Lines
    room: int
    """Rows of the body that are on the screen at once."""
    pictures: tuple[Picture, ...]
    live: Mapping[Block, LiveArea]
    spots: tuple[Spot, ...] = ()


@dataclass
class Piece:
    """A stretch of a page while it is put together."""

    lines: list[Strip] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    live: dict[Block, LiveArea] = field(default_factory=dict)
    spots: list[Spot] = field(default_factory=list)
    revealed: int = 0
    """Rows up to the last that is visible at this step; below it everything is still blank."""

    @property
    def height(self) -> int:
        return len(self.lines)

    def adopt(self, other: Piece, x: int, y: int) -> None:
        """Takes over what stands in another piece, which is placed at (x, y)."""
        self.pictures += [picture.moved(x, y) for picture in other.pictures]
        self.live |= {
            block: LiveArea(area.top + y, area.bottom + y, area.columns) for block, area in other.live.items()
        }
        self.spots += [replace(spot, x=spot.x + x, y=spot.y + y) for spot in other.spots]
        if other.revealed:
            self.revealed = max(self.revealed, y + other.revealed)


def compose(deck: Deck, slide: Slide, view: View) -> Page:
    """The page for a slide."""
    side = margin(view.width, view.layout)
    width = max(view.width - 2 * side, 1)
    base = Style(color=view.palette.text, bgcolor=view.palette.background)
    alone = lone_heading(slide)
    if slide.introduction or alone is not None:
        lines = cover(deck, view) if alone is None else banner(alone, view)
        return Page((), centred(lines, view, base), view.height, (), {})
    title = title_bar(slide.title, view, side)
    foot = footer_height(view.height, deck.front_matter.footer) if slide.footer else 0
    room = max(view.height - len(title) - foot, 1)
    piece = Composer(view, base, air_for(slide, view.palette, width, room)).flow(slide.blocks, width, room)
    left, right = Segment(" " * side, base), Segment(" " * (view.width - side - width), base)
    body = tuple(
        Strip([left, *line, right]).adjust_cell_length(view.width, base) for line in piece.lines[: piece.revealed]
    )
    pictures = tuple(picture.moved(side, 0) for picture in piece.pictures if picture.y < piece.revealed)
    spots = tuple(replace(spot, x=spot.x + side) for spot in piece.spots)
    return Page(title, body, room, pictures, piece.live, spots)


def broken_page(trace: str, view: View) -> Page:
    """What stands in for a slide that could not be drawn: the end of the traceback, in this viewer's own code."""
    base = Style(color=view.palette.bad, bgcolor=view.palette.background)
    rows = ["This slide could not be drawn; the others still can.", "", *printable(trace).split("\n")]
    body = tuple(strip(Text(row), view.width, base) for row in rows)
    return Page((), body, max(view.height - footer_height(view.height), 1), (), {})


@lru_cache(maxsize=256)
def air_for(slide: Slide, palette: Palette, width: int, room: int) -> Air:
    """As much as the complete slide has room for. Decided without outputs, so that nothing moves when code runs."""
    view = View(palette, width, room, step=slide.steps - 1)
    if width < 60:
        return Air.NONE
    for air, part in ((Air.MUCH, 0.8), (Air.SOME, 1.0)):
        if Composer(view, Style.null(), air).flow(slide.blocks, width, room).height <= part * room:
            return air
    return Air.NONE


def lone_heading(slide: Slide) -> Spans | None:
    """The heading of a slide that has nothing else, in the middle, as between the parts of a talk."""
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
    """What a list of slides calls this one: its title, else its first heading, else nothing."""
    if slide.introduction:
        return (Span(deck.title),)
    if slide.title is not None:
        return slide.title
    return next((block.content.text for block in slide.blocks if isinstance(block.content, Heading)), ())


class Composer:
    """Lays blocks out below each other, in one column of a view."""

    def __init__(self, view: View, base: Style, air: Air) -> None:
        self.view = view
        self.palette = view.palette
        self.base = base
        self.air = air

    def flow(self, blocks: Sequence[Block], width: int, room: int) -> Piece:
        """Blocks below each other. What comes at a later step leaves its room blank, so that nothing moves."""
        flow = Piece()
        previous: Block | None = None
        for index, block in enumerate(blocks):
            if isinstance(block.content, JumpToMiddle):
                rest = self.flow(blocks[index + 1 :], width, room)
                self._blank(flow, max((room - rest.height) // 2 - flow.height, 1), width)
                self._append(flow, rest)
                return flow
            self._blank(flow, self._gap(previous, block), width)
            taken = flow.height + self._height_below(blocks[index + 1 :], width) if has_picture(block) else 0
            self._append(flow, self.piece(block, width, max(room - taken, 6)))
            if not isinstance(block.content, Blank):  # as in presenterm, empty lines add to the gap between blocks
                previous = block
        return flow

    def _height_below(self, blocks: Sequence[Block], width: int) -> int:
        """Rows that a picture must leave to what follows it."""
        text = [block for block in blocks if not has_picture(block)]
        return self.flow(text, width, 1).height + 1 if text else 0

    def _append(self, flow: Piece, piece: Piece) -> None:
        flow.adopt(piece, 0, flow.height)
        flow.lines += piece.lines

    def _blank(self, flow: Piece, rows: int, width: int) -> None:
        flow.lines += [self._line(Text(), width)] * rows

    def _gap(self, previous: Block | None, block: Block) -> int:
        """Empty rows between two blocks."""
        if previous is None or isinstance(block.content, Blank):
            return 0
        if isinstance(block.content, ListItem) and same_list(previous.content, block.content):
            spacing = previous.content.spacing if isinstance(previous.content, ListItem) else 1
            return max(spacing - 1, int(self.air > Air.NONE and block.content.depth == 0))
        if isinstance(previous.content, SnippetOutput | Code) and isinstance(block.content, SnippetOutput):
            return 0
        return 2 if self.air is Air.MUCH and self.view.height >= TALL else 1

    def piece(self, block: Block, width: int, room: int) -> Piece:
        """One block; all blank where it comes at a later step."""
        content = block.content
        if isinstance(content, Columns):
            return self._columns(content, width, room)
        if isinstance(content, Image):
            piece = self._image(content, block.alignment, width, room)
        elif isinstance(content, Code):
            piece = self._code(block, content, width, room)
        elif isinstance(content, SnippetOutput):
            source = self.view.elsewhere.get(content.identifier)
            piece = self._output(source, width) if source else Piece()
        else:
            piece = Piece(list(self._still(block, width)))
        if block.step > self.view.step:
            return Piece([self._line(Text(), width)] * piece.height)
        piece.revealed = piece.height
        return piece

    def _still(self, block: Block, width: int) -> Lines:
        step = self.view.step if isinstance(block.content, Table) else 0
        return still_lines(block, width, self.palette, self.base, step, self.view.layout)

    def _line(self, text: Text, width: int) -> Strip:
        return strip(text, width, self.base)

    def _columns(self, content: Columns, width: int, room: int) -> Piece:
        widths, gap = column_widths(content.weights, width)
        if not widths:  # too narrow to stand side by side
            return self.flow([block for column in content.columns for block in column], width, room)
        columns = [
            self.flow(blocks, column_width, room) for blocks, column_width in zip(content.columns, widths, strict=False)
        ]
        whole = Piece()
        height = max((column.height for column in columns), default=0)
        for y in range(height):
            segments: list[Segment] = []
            for index, column in enumerate(columns):
                if index:
                    segments.append(self._between_columns(gap))
                below = y >= column.height
                segments += self._line(Text(), widths[index]) if below else column.lines[y]
            whole.lines.append(self._fill(segments, width))
        for index, column in enumerate(columns):
            whole.adopt(column, sum(widths[:index]) + gap * index, 0)
        return whole

    def _between_columns(self, gap: int) -> Segment:
        if self.view.grid:
            return Segment("│".center(gap), self.base + Style(color=self.palette.accent))
        return Segment(" " * gap, self.base)

    def _fill(self, segments: list[Segment], width: int) -> Strip:
        return Strip(segments).adjust_cell_length(width, self.base)

    def _image(self, content: Image, alignment: Alignment | None, width: int, room: int) -> Piece:
        terminal = self.view.terminal
        drawing = None if terminal.shows_pictures else drawing_for(content.path, width, room)
        if drawing is not None:
            rows = drawn(drawing, self.palette, self.base, width)
            return self._shifted(Piece(rows), indent(alignment, width - rows[0].cell_length), width, self.base)
        pixels = pixel_size(content.path)
        if pixels is None:
            text = Text(f"[no picture in {content.path.name}]", Style(color=self.palette.bad))
            return Piece([self._line(text, width)])
        columns, height = terminal.cells_for(pixels, content.width_percent, width, room)
        look = Look(content.path, columns, height, self.palette.background)
        return self._drawn(look, indent(alignment, width - columns), width, self.base)

    def _drawn(self, look: Look, x: int, width: int, ground: Style) -> Piece:
        """A picture on lines of that width: characters, or room for what the terminal shows itself."""
        if self.view.terminal.shows_pictures:
            return Piece([Strip.blank(width, ground)] * look.rows, [Picture(look, x, 0)])
        lines = half_blocks(look) or ()
        indent = Segment(" " * x, ground)
        return Piece([Strip([indent, *line]).adjust_cell_length(width, ground) for line in lines])

    def _code(self, block: Block, code: Code, width: int, room: int) -> Piece:
        replaced = self._in_place(block, code, width, room) if in_place(block) else None
        if replaced is not None:
            return replaced
        piece = Piece(list(self._panel(block, code, width)))
        if code.execution is not Execution.NONE and block.step <= self.view.step:
            piece.spots.append(Spot(block, Part.HEADER, 0, 0, width, 1))
            piece.spots.append(Spot(block, Part.CODE, 0, 1, width, piece.height - 1))
            if self.view.elsewhere.get(code.identifier or "") != block:
                self._append(piece, self._output(block, width))
            piece.live[block] = self._live_area(piece, width)
        return piece

    def _live_area(self, piece: Piece, width: int) -> LiveArea:
        return LiveArea(0, piece.height, max(width - 4, 1))

    def _in_place(self, block: Block, code: Code, width: int, room: int) -> Piece | None:
        """What stands where the code would: its output or its picture; None before it runs."""
        cell = self.view.cells.get(block)
        if cell is not None and cell.picture is not None:
            piece = self._image(Image(cell.picture), block.alignment, width, room)
        elif cell is not None:
            quiet = cell.outcome is not None and cell.outcome.succeeded and cell.failure is None
            piece = self._plain_output(block, cell, code, width) if quiet else self._output(block, width)
        elif stands_by(block):
            piece = Piece(self._standby(block, width))
        else:
            return None
        piece.live[block] = self._live_area(piece, width)
        return piece

    def _plain_output(self, block: Block, cell: Cell, code: Code, width: int) -> Piece:
        """An output that looks like a part of the slide. Without a background it stands in the middle."""
        if code.background:
            ground = Style(color=self.palette.output or self.palette.text, bgcolor=self.palette.well)
            piece = self._shifted(self._printed(cell, max(width - 4, 1), ground), 2, width, ground)
        else:
            printed = self._printed(cell, width, self.base)
            widths = [cell_len(line.text.rstrip()) for line in printed.lines]
            widest = max([*widths, *(picture.x + picture.look.columns for picture in printed.pictures)], default=0)
            piece = self._shifted(printed, max(width - widest, 0) // 2, width, self.base)
        piece.spots.append(Spot(block, Part.OUTPUT, 0, 0, width, piece.height))
        return piece

    def _shifted(self, piece: Piece, x: int, width: int, ground: Style) -> Piece:
        indent = Segment(" " * x, ground)
        lines = [Strip([indent, *line]).adjust_cell_length(width, ground) for line in piece.lines]
        return Piece(lines, [picture.moved(x, 0) for picture in piece.pictures])

    def _standby(self, block: Block, width: int) -> list[Strip]:
        """A terminal in which nothing runs yet."""
        assert isinstance(block.content, Code)
        columns, rows = terminal_size(block.content, max(width - 4, 1), self.view.height) or (0, 0)
        ground = self.base + Style(color=self.palette.muted, bgcolor=self.palette.well)
        blank = strip(Text(), columns, ground)
        lines = [blank] * rows
        lines[rows // 2] = strip(Text("▶ Ctrl+E", Style(color=self.palette.accent)), columns, ground, Alignment.CENTER)
        bar = Segment("▎ ", Style(color=self.palette.faint, bgcolor=self.palette.well))
        return [self._fill([bar, *line], width) for line in lines]

    def _panel(self, block: Block, code: Code, width: int) -> Lines:
        """The code of a block, or room for the editor where the presenter edits it."""
        editor = self.view.editor
        if editor is not None and editor.block == block:
            rows = editor.rows(width - EDITOR_INSET)
            return editor_panel(code, rows, width, self.palette, self.base, self.air)
        highlighted = code.highlighted(self.view.step)
        mark = EDITED if block in self.view.edited else ""
        return code_panel(code, highlighted, width, self.palette, self.base, self.air, mark, self.view.consent)

    def _output(self, block: Block, width: int) -> Piece:
        """What a live block has printed and how it stands, on a ground of its own."""
        cell = cell_shown(block, self.view)
        if cell is None:
            return Piece(self._standby(block, width)) if stands_by(block) else Piece()
        palette = self.palette
        ground = Style(color=palette.output or palette.text, bgcolor=palette.well)
        status, tone = cell_status(cell, self.view.now, palette)
        if block not in self.view.cells:
            status.append("   before the last edit", Style(color=palette.muted, bold=False))
        bar = Segment("▎ ", Style(color=tone, bgcolor=palette.well))
        inside = max(width - 4, 1)
        output = self._printed(cell, inside, ground)
        self._append(output, Piece([strip(row, inside, ground) for row in wrap(status, inside)]))
        beside = max(width - 2, 0)
        rows = [self._fill([bar, *line.adjust_cell_length(beside, ground)], width) for line in output.lines]
        pictures = [picture.moved(2, 0) for picture in output.pictures]
        return Piece(rows, pictures, spots=[Spot(block, Part.OUTPUT, 0, 0, width, len(rows))])

    def _printed(self, cell: Cell, width: int, ground: Style) -> Piece:
        """What a block has printed, in rows of that width."""
        if isinstance(cell.transcript, TerminalScreen):
            rows = cell.transcript.shown(cursor=cell.status is not Status.ENDED)
            return Piece([strip(row, width, ground) for row in rows])
        printed: list[Text] = []
        lines = [] if cell.transcript.empty else cell.transcript.shown()
        earlier = cell.transcript.dropped + max(len(lines) - LINES_ON_A_SLIDE, 0)
        if earlier:
            note = f"… {earlier:,} earlier lines; o shows " + ("more" if cell.transcript.dropped else "all")
            printed.append(Text(note, Style(color=self.palette.muted, italic=True)))
        piece = Piece()
        for text in (*printed, *lines[-LINES_ON_A_SLIDE:]):
            self._append(piece, self._printed_line(text, width, ground))
        return piece

    def _printed_line(self, text: Text, width: int, ground: Style) -> Piece:
        """A line of an output in as many rows as it needs."""
        if not isinstance(text, PictureLine):
            return Piece([strip(row, width, ground) for row in printed_rows(text, width)])
        # As many rows at most as leave the title, the footer and the status on the screen.
        room = max(self.view.height - 6, 4)
        columns, rows = output_cells(text.picture, width, room, self.view.terminal)
        return self._drawn(Look(text.picture, columns, rows, self.palette.well), 0, width, ground)


def has_picture(block: Block) -> bool:
    content = block.content
    return isinstance(content, Image | Columns) or (isinstance(content, Code) and content.execution is Execution.IMAGE)


def indent(alignment: Alignment | None, slack: int) -> int:
    """Columns before a picture: as in presenterm, it stands in the middle of its column."""
    return {Alignment.LEFT: 0, Alignment.RIGHT: slack}.get(alignment or Alignment.CENTER, slack // 2)


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
