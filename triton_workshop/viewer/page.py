"""A slide at a size: frozen state in, lines and places of pictures out. Nothing here knows the screen's widgets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, IntEnum
from functools import lru_cache
from io import StringIO
from itertools import pairwise

from rich.cells import cell_len
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.strip import Strip

from triton_workshop.consent import EVERYTHING, Consent, flag
from triton_workshop.deck.model import (
    CURRENT_SLIDE,
    TOTAL_SLIDES,
    Alert,
    Alignment,
    Blank,
    Block,
    Code,
    Columns,
    Deck,
    Execution,
    Footer,
    Footnote,
    Heading,
    Image,
    JumpToMiddle,
    ListItem,
    Paragraph,
    Quote,
    Rule,
    Slide,
    SnippetOutput,
    Span,
    Table,
)
from triton_workshop.deck.model import Text as Spans
from triton_workshop.runner import runnable
from triton_workshop.viewer.deck_theme import Layout
from triton_workshop.viewer.live import Cell, Status, in_place, stands_by, terminal_size
from triton_workshop.viewer.palette import Palette
from triton_workshop.viewer.pictures import Graphics, Look, cells_for, half_blocks, output_cells, pixel_size
from triton_workshop.viewer.place import Place
from triton_workshop.viewer.plain import same_list
from triton_workshop.viewer.printed import PictureLine
from triton_workshop.viewer.richtext import code_lines, printable, rich_text, superscript
from triton_workshop.viewer.terminal_screen import TerminalScreen

CONSOLE = Console(
    file=StringIO(), width=80, color_system="truecolor", force_terminal=True, legacy_windows=False, _environ={}
)

MEASURE = 108
"""Columns beyond which running text is hard to follow; code, tables and columns may be wider."""
WIDEST = 144
TALL = 30
"""Rows from which there is room for more air around the title and in the footer."""
NARROWEST_COLUMN = 16
SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
ALERT_ICONS = {"note": "●", "tip": "★", "important": "◆", "warning": "▲", "caution": "✖"}
EDITOR_INSET = 2
"""Columns of a code panel to the left of its lines."""
EDITED = "edited · Esc restores"
EDITING = ("Ctrl+E runs · Ctrl+O next · Esc leaves", "Ctrl+E runs · Esc leaves", "Esc leaves", "")
LINES_ON_A_SLIDE = 500
"""Lines of an output that a slide shows; the output's own screen shows all that are kept."""
VEIL = "\u2800"
"""A blank that wraps as a letter does: text that will come later keeps its place."""

Lines = tuple[Strip, ...]


@dataclass(frozen=True)
class Picture:
    """Where a real picture goes, in cells of the body."""

    look: Look
    x: int
    y: int

    def moved(self, x: int, y: int) -> Picture:
        return replace(self, x=self.x + x, y=self.y + y)


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
class OpenEditor:
    """The block over whose code the editor lies, and the rows that the editor needs at a width."""

    block: Block
    rows: Callable[[int], int]


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


@dataclass(frozen=True)
class View:
    """All that a page depends on besides the slide."""

    palette: Palette
    width: int
    height: int
    step: int = 0
    cells: Mapping[Block, Cell] = field(default_factory=dict)
    elsewhere: Mapping[str, Block] = field(default_factory=dict)
    edited: Mapping[Block, Block | None] = field(default_factory=dict)
    """Blocks that show what the presenter typed, each with the version of it that ran last."""
    editor: OpenEditor | None = None
    grid: bool = False
    """Whether a line shows where one column ends and the next begins."""
    now: float = 0.0
    graphics: Graphics = field(default_factory=Graphics)
    layout: Layout = Layout()  # noqa: RUF009 (frozen)
    consent: Consent = EVERYTHING


def margin(width: int, layout: Layout = Layout()) -> int:  # noqa: B008 (frozen)
    """Columns left free on either side: little on a small screen, where every column counts."""
    by_theme = layout.margin(width)
    if by_theme is not None:
        return max(min(by_theme, (width - NARROWEST_COLUMN) // 2), 0)
    wanted = max((width - WIDEST) // 2, min(width // 20, 10), 1 if width < 40 else 3)
    return min(wanted, (width - 1) // 2)


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
    foot = footer_height(view.height) if slide.footer else 0
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


class Air(IntEnum):
    """How much room is left between the parts of a slide."""

    NONE = 0
    SOME = 1
    MUCH = 2


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
        if isinstance(block.content, Blank):
            return 0
        if previous is None or isinstance(previous.content, Blank):
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
        pixels = pixel_size(content.path)
        graphics = self.view.graphics
        if pixels is None:
            text = Text(f"[no picture in {content.path.name}]", Style(color=self.palette.bad))
            return Piece([self._line(text, width)])
        columns, rows = cells_for(pixels, content.width_percent, width, room, graphics)
        slack = width - columns
        # As in presenterm, a picture stands in the middle of its column.
        x = {Alignment.LEFT: 0, Alignment.RIGHT: slack}.get(alignment or Alignment.CENTER, slack // 2)
        look = Look(content.path, columns, rows, self.palette.background)
        return self._drawn(look, x, width, self.base)

    def _drawn(self, look: Look, x: int, width: int, ground: Style) -> Piece:
        """A picture on lines of that width: characters, or room for what the terminal shows itself."""
        if self.view.graphics.real:
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
        self._append(output, self._printed_line(status, inside, ground))
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
            return Piece([strip(row, width, ground) for row in fold(text, width)])
        # As many rows at most as leave the title, the footer and the status on the screen.
        room = max(self.view.height - 6, 4)
        columns, rows = output_cells(text.picture, width, room, self.view.graphics)
        return self._drawn(Look(text.picture, columns, rows, self.palette.well), 0, width, ground)


def has_picture(block: Block) -> bool:
    content = block.content
    return isinstance(content, Image | Columns) or (isinstance(content, Code) and content.execution is Execution.IMAGE)


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
            return Text(f"✓ {seconds}", Style(color=palette.good, bold=True)), palette.good
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


# Lines


def strip(text: Text, width: int, base: Style, alignment: Alignment = Alignment.LEFT) -> Strip:
    """One line of exactly `width` cells on the ground of `base`; what is too long is cut."""
    # `render` leaves the text's own style out where no part of it has another.
    line = Strip(text.render(CONSOLE)).apply_style(base + CONSOLE.get_style(text.style))
    slack = width - line.cell_length
    if slack < 0:
        return line.crop(0, width).adjust_cell_length(width, base)
    left = {Alignment.LEFT: 0, Alignment.CENTER: slack // 2, Alignment.RIGHT: slack}[alignment]
    return Strip([Segment(" " * left, base), *line, Segment(" " * (slack - left), base)], width)


def wrap(text: Text, width: int) -> list[Text]:
    """Lines of at most `width` cells, broken between words."""
    text.end = ""
    return list(text.wrap(CONSOLE, max(width, 1), overflow="fold")) or [Text()]


def fold(text: Text, width: int) -> list[Text]:
    """Lines of at most `width` cells, broken anywhere, as a terminal does."""
    if text.cell_len <= width:
        return [text]
    cuts: list[int] = []
    column = 0
    for index, character in enumerate(text.plain):
        cells = Text(character).cell_len
        if column + cells > width and column:
            cuts.append(index)
            column = 0
        column += cells
    return list(text.divide(cuts))


@lru_cache(maxsize=1024)
def still_lines(block: Block, width: int, palette: Palette, base: Style, step: int, layout: Layout) -> Lines:
    """The lines of a block that does not run: always the same for the same slide, so they are made once."""
    content = block.content
    by_theme = layout.heading_alignment(content.level) if isinstance(content, Heading) else layout.alignment
    alignment = block.alignment or by_theme or Alignment.LEFT
    measure = min(width, MEASURE) if alignment is Alignment.LEFT else width

    def lines(text: Text, indent: int = 0) -> Lines:
        return tuple(strip(Text(" " * indent) + row, width, base, alignment) for row in wrap(text, measure - indent))

    match content:
        case Heading(level, spans):
            return lines(rich_text(spans, palette, Style(color=palette.heading(level), bold=True)))
        case Paragraph(spans):
            style = Style(bold=True) if block.font_size > 1 else Style.null()
            return lines(rich_text(spans, palette, style))
        case ListItem():
            return list_item(content, width, measure, palette, base)
        case Table():
            return table(content, alignment, width, palette, base, step)
        case Quote(paragraphs):
            return barred(paragraphs, measure, width, palette, base, palette.accent, None, Style(italic=True))
        case Alert(kind, title, paragraphs):
            tone = alert_tone(kind, palette)
            heading = Text(f"{ALERT_ICONS.get(kind, '●')} {printable(title)}", Style(color=tone, bold=True))
            return barred(paragraphs, measure, width, palette, base, tone, heading, Style.null())
        case Rule():
            return (strip(Text("─" * width, Style(color=palette.faint)), width, base),)
        case Blank(count):
            return (strip(Text(), width, base),) * count
        case Footnote(label, spans):
            text = rich_text(spans, palette, Style(color=palette.muted))
            mark = Text(f"{superscript(printable(label))} ", Style(color=palette.accent))
            return lines(Text.assemble(mark, text))
        case _:
            return ()


def list_item(item: ListItem, width: int, measure: int, palette: Palette, base: Style) -> Lines:
    """A bullet or number, and its text hanging beside it."""
    marker = printable(item.marker)
    indent = 3 * item.depth + 1
    tone = palette.accent if item.depth == 0 else palette.muted
    hang = indent + Text(marker).cell_len + 1
    rows = []
    for index, row in enumerate(wrap(rich_text(item.text, palette), max(measure - hang, 8))):
        first = index == 0
        lead = Text(f"{' ' * indent}{marker} " if first else " " * hang, Style(color=tone, bold=True))
        rows.append(strip(Text.assemble(lead, row), width, base))
    return tuple(rows)


def alert_tone(kind: str, palette: Palette) -> str:
    tones = {
        "note": palette.note,
        "tip": palette.good,
        "important": palette.important,
        "warning": palette.warning,
        "caution": palette.bad,
    }
    return tones.get(kind, palette.note)


def barred(
    paragraphs: Sequence[Spans],
    measure: int,
    width: int,
    palette: Palette,
    base: Style,
    tone: str,
    heading: Text | None,
    style: Style,
) -> Lines:
    """Paragraphs on a panel, with a coloured bar at their left."""
    ground = base + Style(bgcolor=palette.panel)
    rows = [heading] if heading is not None else []
    for index, paragraph in enumerate(paragraphs):
        if index:
            rows.append(Text())
        rows += wrap(rich_text(paragraph, palette, style), measure - 4)
    bar = Segment("▌ ", Style(color=tone, bgcolor=palette.panel))
    inside = max(measure - 2, 1)
    beyond = Segment(" " * max(width - measure, 0), base)
    return tuple(Strip([bar, *strip(row, inside, ground), beyond]).adjust_cell_length(width, base) for row in rows)


def table(content: Table, alignment: Alignment, width: int, palette: Palette, base: Style, step: int) -> Lines:
    """A table as wide as its text, with a line below its header. Rows of later steps are blank."""
    from rich.box import Box
    from rich.table import Table as RichTable

    header_line = Box("    \n    \n ── \n    \n    \n    \n    \n    \n")
    drawn = RichTable(
        box=header_line,
        show_edge=False,
        pad_edge=False,
        padding=(0, 3 if width >= 80 else 1, 0, 0),
        border_style=Style(color=palette.faint),
        header_style=Style(color=palette.accent, bold=True),
        show_header=any(content.header),
    )
    for index, header in enumerate(content.header):
        justify = content.alignments[index] if index < len(content.alignments) else Alignment.LEFT
        drawn.add_column(rich_text(header, palette), justify=justify.value, overflow="fold")
    for cells, row_step in zip(content.rows, content.row_steps, strict=False):
        texts = [rich_text(spans, palette) for spans in cells]
        drawn.add_row(*(texts if row_step <= step else map(veiled, texts)))
    options = CONSOLE.options.update(width=width, max_width=width, height=None)
    rows = CONSOLE.render_lines(drawn, options, pad=False)
    lines = [unveiled(Strip(row)) for row in rows]
    shift = {Alignment.LEFT: 0, Alignment.CENTER: 2, Alignment.RIGHT: 1}[alignment]
    slack = width - max((line.cell_length for line in lines), default=0)
    indent = Segment(" " * (max(slack, 0) // shift if shift else 0), base)
    return tuple(
        Strip([indent, *line.apply_style(base)]).crop(0, width).adjust_cell_length(width, base) for line in lines
    )


def veiled(text: Text) -> Text:
    """Blanks of the text's shape."""
    return Text("".join(c if c.isspace() else VEIL * Text(c).cell_len for c in text.plain))


def unveiled(line: Strip) -> Strip:
    return Strip([Segment(s.text.replace(VEIL, " "), s.style, s.control) for s in line], line.cell_length)


@lru_cache(maxsize=256)
def code_panel(
    code: Code,
    highlighted: frozenset[int] | None,
    width: int,
    palette: Palette,
    base: Style,
    air: Air,
    mark: str = "",
    consent: Consent = EVERYTHING,
) -> Lines:
    """Code on its panel. Lines outside the highlighted ones are dimmed; long lines go on in the next row."""
    ground = base + Style(bgcolor=palette.panel) if code.background else base
    numbers = len(str(code.first_line_number + len(code.lines) - 1)) if code.line_numbers else 0
    gutter = 2 + (numbers + 2 if numbers else 0)
    rows: list[Text] = []
    header = panel_header(code, width, palette, consent, mark)
    if header is not None:
        rows.append(header)
    elif air and code.background:
        rows.append(Text())
    dimmed = Style(color=palette.faint)
    for index, line in enumerate(code_lines(code.language, code.lines, palette), start=1):
        lit = highlighted is None or index in highlighted
        shown = line if lit else Text(line.plain, dimmed)
        bar = ("▎ ", palette.accent) if lit and highlighted is not None else (" ", dimmed)
        number = str(code.first_line_number + index - 1).rjust(numbers) if numbers else ""
        for part, text in enumerate(code_rows(shown, max(width - gutter - 1, 1))):
            lead = Text(bar[0].ljust(2), bar[1])
            if numbers:
                lead.append((number if part == 0 else " " * numbers) + "  ", Style(color=palette.faint))
            rows.append(Text.assemble(lead, text))
    if air and code.background:
        rows.append(Text())
    return tuple(strip(row, width, ground) for row in rows)


def editor_panel(code: Code, rows: int, width: int, palette: Palette, base: Style, air: Air) -> Lines:
    """The panel that the editor lies on, with so many rows of room for it."""
    ground = base + Style(bgcolor=palette.panel)
    bar = Text("▎", Style(color=palette.accent))
    language, keys = printable(code.language), fitting(EDITING, width - Text(code.language).cell_len - 6)
    gap = max(width - Text(language + keys).cell_len - 4, 1)
    header = Text.assemble(bar, f" {language}", " " * gap, Text(f"{keys}  ", Style(color=palette.accent)))
    below = [bar] if air else []
    return tuple(strip(row, width, ground) for row in (header, *[bar] * rows, *below))


def fitting(spellings: Sequence[str], width: int) -> str:
    """The first spelling that fits, from long to short; the last where none does."""
    return next((text for text in spellings if len(text) <= width), spellings[-1])


def code_rows(line: Text, width: int) -> list[Text]:
    """A line of code in as many rows as it needs; an arrow marks those that continue."""
    if line.cell_len <= width or width < 12:
        return [line]
    first, *others = wrap(line.copy(), width - 4)
    return [first, *(Text.assemble(Text("  ↪ ", Style(dim=True)), other) for other in others)]


def panel_header(code: Code, width: int, palette: Palette, consent: Consent, mark: str = "") -> Text | None:
    """The row above code that runs or is drawn: its language, what is special about it now, and the key."""
    if code.render:
        note = "+render is drawn in presenterm"
    elif code.execution is Execution.NONE:
        return None
    elif not runnable(code.language):
        note = f"{code.language} does not run here"
    elif not consent.allows(code.execution):
        note = f"runs only with {flag(code.execution)}"
    else:
        note = "▶ Ctrl+E"
    language = printable(code.language)
    room = width - Text(language + note).cell_len - 8
    shown = fitting((f"{mark}   ", mark.partition(" ")[0] + "   ", ""), room) if mark else ""
    gap = max(width - Text(language + shown + note).cell_len - 4, 1)
    tone = palette.accent if note.startswith("▶") else palette.muted
    return Text.assemble(
        Text(f"  {language}", Style(color=palette.muted)),
        " " * gap,
        Text(shown, Style(color=palette.warning)),
        Text(f"{note}  ", Style(color=tone)),
    )


@lru_cache(maxsize=64)
def column_widths(weights: tuple[int, ...], width: int) -> tuple[tuple[int, ...], int]:
    """Columns by weight and the gap between them; no widths where they would be too narrow to read."""
    gap = 4 if width >= 100 else 2
    room = width - gap * (len(weights) - 1)
    edges = [room * sum(weights[:index]) // sum(weights) for index in range(len(weights) + 1)]
    widths = tuple(after - before for before, after in pairwise(edges))
    return (widths, gap) if min(widths) >= min(NARROWEST_COLUMN, width // 8) and width >= 40 else ((), gap)


# Around the body


def title_bar(title: Spans | None, view: View, side: int) -> Lines:
    """The slide's title on a bar across the screen, as high as the screen allows."""
    palette, width = view.palette, view.width
    base = Style(color=palette.text, bgcolor=palette.background)
    if title is None:
        return (strip(Text(), width, base),) * (1 if view.height < TALL else 2)
    ground = Style(color=palette.on_bar, bgcolor=palette.bar, bold=True)
    edge = Style(color=palette.bar, bgcolor=palette.background)
    text = rich_text(tuple(span for span in title), palette)
    text = Text(text.plain)  # on the bar every colour but its own is hard to read
    alignment = view.layout.title_alignment or Alignment.LEFT
    ends = [Segment(" " * side, ground)]
    rows = [
        Strip([*ends, *strip(row, width - 2 * side, ground, alignment), *ends], width)
        for row in wrap(text, width - 2 * side)[:2]
    ]
    blank = strip(Text(), width, ground)
    if view.height >= TALL:
        return (blank, *rows, blank, strip(Text(), width, base))
    if view.height >= 16:
        return (strip(Text("▄" * width), width, edge), *rows, strip(Text("▀" * width), width, edge))
    return tuple(rows)


def footer_height(height: int) -> int:
    """Rows of the footer, by the screen's height."""
    if height < 10:
        return 1
    return 2 if height < TALL else 3


def footer(deck: Deck, place: Place, view: View, hint: str = "") -> Lines:
    """The deck's title, a thin bar of progress, and `n / N`; the hint stands before the number.

    A deck whose theme asks for another footer gets that. A long hint, such as an error in the deck, gets the title's
    and the bar's room too.
    """
    palette, width = view.palette, view.width
    tone = palette.footer or palette.muted
    base = Style(color=tone, bgcolor=palette.background)
    side = margin(width, view.layout)
    count = len(deck.slides)

    def framed(text: Text) -> Lines:
        line, blank = strip(text, width, base), strip(Text(), width, base)
        return {1: (line,), 2: (blank, line), 3: (blank, line, blank)}[footer_height(view.height)]

    if len(hint) > width // 3:
        number = f"  {place.slide + 1} / {count}"
        message = Text(printable(hint), Style(color=palette.accent, bold=True))
        message.truncate(max(width - 2 * side - len(number), 1), overflow="ellipsis", pad=True)
        return framed(Text.assemble(" " * side, message, Text(number, Style(color=palette.text))))
    if deck.front_matter.footer is not None:
        return framed(own_footer(deck.front_matter.footer, place.slide + 1, count, view, hint))
    title = Text(printable(deck.title).replace("\n", " "), Style(color=tone))
    title.truncate(max(width * 2 // 5, 1), overflow="ellipsis")
    right = Text.assemble(
        Text(f"{hint}  " if hint else "", Style(color=palette.accent, bold=True)),
        Text(f"{place.slide + 1} / {count}", Style(color=palette.text)),
    )
    room = max(width - 2 * side - title.cell_len - right.cell_len - 4, 0)
    done = round(room * (place.slide + 1) / count)
    bar = Text.assemble(
        Text("━" * done, Style(color=palette.accent)), Text("─" * (room - done), Style(color=palette.faint))
    )
    return framed(Text.assemble(" " * side, title, "  ", bar, "  ", right))


def own_footer(wanted: Footer, number: int, count: int, view: View, hint: str) -> Text:
    """The footer that a deck's theme asks for, in one row; a hint stands at its right."""
    palette, width = view.palette, view.width
    side = margin(width, view.layout)
    room = max(width - 2 * side, 1)
    if wanted.style == "progress_bar":
        bar = (wanted.character * width)[: round(width * number / count)]
        return Text.assemble(Text(printable(bar), Style(color=palette.accent)), "  " if hint else "", hint)

    def numbered(text: str) -> str:
        return text.replace(CURRENT_SLIDE, str(number)).replace(TOTAL_SLIDES, str(count))

    def said(spans: Spans | None) -> Text:
        filled = tuple(replace(span, text=numbered(span.text)) for span in spans or ())
        return rich_text(filled, palette, Style(color=palette.footer or palette.muted))

    left, center, right = map(said, (wanted.left, wanted.center, wanted.right))
    if hint:
        right = Text.assemble(Text(f"{hint}  ", Style(color=palette.accent, bold=True)), right)
    before = max((room - center.cell_len) // 2 - left.cell_len, 1)
    after = max(room - left.cell_len - before - center.cell_len - right.cell_len, 1)
    return Text.assemble(" " * side, left, " " * before, center, " " * after, right)


def cover(deck: Deck, view: View) -> list[Text]:
    """The title page, from the front matter."""
    palette, front = view.palette, deck.front_matter
    measure = min(view.width - 4, MEASURE)
    rows: list[Text] = []
    if front.title:
        rows += wrap(Text(printable(front.title), Style(color=palette.emphasis, bold=True)), measure)
        rows.append(Text("━" * min(24, measure), Style(color=palette.accent)))
    if front.sub_title:
        rows += [Text(), *wrap(Text(printable(front.sub_title), Style(color=palette.accent)), measure)]
    circumstances = "  ·  ".join(part for part in (front.event, front.location, front.date) if part)
    if circumstances:
        rows += [Text(), Text(), *wrap(Text(printable(circumstances), Style(color=palette.text)), measure)]
    if front.authors:
        rows += [Text()]
        rows += [Text(printable(author), Style(color=palette.muted)) for author in front.authors]
    return rows


def banner(title: Spans, view: View) -> list[Text]:
    """A title that stands alone, as between the parts of a talk."""
    palette = view.palette
    measure = min(view.width - 4, MEASURE)
    rows = wrap(rich_text(title, palette, Style(color=palette.emphasis, bold=True)), measure)
    return [*rows, Text("━" * min(24, measure), Style(color=palette.accent))]


def centred(rows: Sequence[Text], view: View, base: Style) -> Lines:
    """Rows in the middle of the screen, both ways."""
    above = max((view.height - footer_height(view.height) - len(rows)) // 2, 0)
    blank = strip(Text(), view.width, base)
    return (*[blank] * above, *(strip(row, view.width, base, Alignment.CENTER) for row in rows))
