"""One value as pictures and a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from triton_simulator.steps.steps import Array, ProgramStep, ProgramValue
from triton_simulator.steps.text import number_text, step_text
from triton_workshop.block_pictures import blend, colour_block, to_colour
from triton_workshop.look.pictures import SHADES, Extent, Picture, Shade, is_block, memory_pictures, value_pictures
from triton_workshop.look.timeline import Position, Track, line_of
from triton_workshop.screen.palette import Palette
from triton_workshop.terminal_pictures import Colour

LOW_ROWS = 16
"""Rows of a pane below which numbers come first."""
MAX_TABLE_ROWS = 256
HEAD_COLUMNS = 6
"""Columns of the indices before the rows of a table."""

GROUNDS_256 = {True: (48, 48, 48), False: (228, 228, 228)}
"""Greys of the 256 colours, by whether a palette is dark."""
RAMPS_256: dict[tuple[bool, str], list[Colour]] = {
    (True, "accent"): [(0, 95, 95), (0, 135, 135), (0, 175, 175), (0, 215, 215), (95, 255, 255)],
    (True, "bad"): [(95, 0, 0), (135, 0, 0), (175, 0, 0), (215, 0, 0), (255, 95, 95)],
    (False, "accent"): [(175, 215, 215), (135, 175, 175), (95, 175, 175), (0, 135, 135), (0, 95, 95)],
    (False, "bad"): [(255, 215, 215), (255, 175, 175), (215, 135, 135), (175, 95, 95), (175, 0, 0)],
}
"""Shades of the 256 colours: the nearest to a blend would be now grey, now blue."""


@dataclass(frozen=True)
class Frame:
    """Room for a value, in columns and rows of characters."""

    palette: Palette
    columns: int
    rows: int
    first_column: int = 0
    """The first column of a table that is wider than this."""

    has_256_colours: bool = False

    @property
    def ground(self) -> Colour:
        """The colour of nothing: 0, and elements that nobody reaches."""
        if self.has_256_colours:
            return GROUNDS_256[self.palette.dark]
        return self.colour("panel")

    def mix(self, shade: Shade) -> Colour:
        """Return a shade's colour."""
        ramp = RAMPS_256.get((self.palette.dark, shade.tone)) if self.has_256_colours else None
        if ramp:
            # By ranges of shades: rounding to the nearest colour would give the first and the last only half a range.
            colours = [self.ground, *ramp]
            return colours[round(shade.share * (SHADES - 1)) * len(colours) // SHADES]
        return blend(self.ground, self.colour(shade.tone), shade.share)

    def colour(self, tone: str) -> Colour:
        """Return a colour of the palette."""
        return to_colour(str(getattr(self.palette, tone)))

    @property
    def picture_rows(self) -> int:
        """Rows that one picture may take."""
        return max(4, min(16, self.rows // 3))


def draw_moment(position: Position, frame: Frame) -> RenderableType:
    """Return a step's value: in short, as pictures, and as numbers."""
    step, track = position.step, position.track
    if step is None:
        return Text("This program has no steps.", "muted")
    head = _head(step, position.recording.code(line_of(step)))
    extent = Extent(2 * frame.picture_rows, frame.columns)
    pictures = (*memory_pictures(step, track, extent), *value_pictures(step, track, extent))
    drawn, tables = [_drawn(picture, frame) for picture in pictures], _tables(step, frame)
    # In a low pane, the numbers come before what needs rows.
    sections = [*tables, *drawn] if frame.rows < LOW_ROWS else [*drawn, *tables]
    return Group(*_spaced([head, *sections]))


def draw_arguments(track: Track) -> RenderableType:
    """Return what the kernel has got, as a table."""
    table = Table.grid(padding=(0, 2, 0, 0))
    for step in track.arguments:
        table.add_row(Text(step.step.name, "key"), Text(step_text(step), "plain"))
    return table


def _spaced(sections: Sequence[RenderableType]) -> list[RenderableType]:
    lines = chain.from_iterable((Text(), section) for section in sections)
    return list(lines)[1:]


def _head(step: ProgramStep, code: str) -> Text:
    at = step.step
    name = at.name or {"": "value"}.get(at.operation, at.operation)
    return Text.assemble((f"{name}  ", "accent"), (step_text(step), "plain"), "\n", (code, "muted"))


def _tables(step: ProgramStep, frame: Frame) -> Iterator[RenderableType]:
    if is_block(step.value):
        yield _table(step.value, frame)


def _drawn(picture: Picture, frame: Frame) -> Group:
    """Return a picture between its title and its legend."""
    colours = [frame.mix(shade) for shade in picture.shades]
    # Behind the colours, `colour_block` has the background.
    levels = np.where(picture.levels < 0, len(colours), picture.levels)
    block = colour_block(levels, colours, frame.colour("background"), frame.columns, frame.picture_rows)
    boxes = (
        Text.assemble(("■", f"rgb({','.join(map(str, frame.mix(shade)))})"), (f" {name}", "muted"))
        for shade, name in picture.legend
    )
    title = [Text.assemble(*picture.title)] * bool(picture.title)
    return Group(*title, block, Text("   ").join(boxes))


def last_first_column(step: ProgramStep, frame: Frame) -> int:
    """Return the first column of a table that shows the last one.

    It is 0 of a table that shows all columns.
    """
    block = step.value.numbers
    is_table = is_block(step.value) and block.ndim != 1
    if not is_table:
        return 0
    columns: int = block.shape[-1]
    return max(0, columns - _fitting(_cell_columns(_texts(block)), frame))


def _texts(block: Array) -> list[list[str]]:
    rows = block.reshape(-1, block.shape[-1])[:MAX_TABLE_ROWS]
    return [list(map(number_text, row)) for row in rows]


def _cell_columns(texts: Sequence[Sequence[str]]) -> int:
    return 1 + max(map(len, chain.from_iterable(texts)))


def _fitting(cell: int, frame: Frame) -> int:
    """Return how many cells of so many columns stand side by side."""
    return max(1, (frame.columns - HEAD_COLUMNS) // cell)


def _table(value: ProgramValue, frame: Frame) -> RenderableType:
    """Return the numbers, with their indices at the sides."""
    block = value.numbers
    texts = _texts(block)
    cell = _cell_columns(texts)
    fitting = _fitting(cell, frame)
    undefined = np.zeros(block.shape, np.bool_) if value.undefined is None else value.undefined
    marks = undefined.reshape(-1, block.shape[-1])
    if block.ndim == 1:
        # Powers of two divide a block, so that its rows are full.
        return _vector_table(texts[0], marks[0], min(1 << (fitting.bit_length() - 1), len(block)), cell)
    first = min(frame.first_column, max(0, block.shape[-1] - fitting))
    visible = range(first, min(first + fitting, block.shape[-1]))
    table = _empty_table([str(column) for column in visible], cell)
    # The texts end at MAX_TABLE_ROWS, the marks do not.
    for row, (cells, row_marks) in enumerate(zip(texts, marks, strict=False)):
        table.add_row(str(row), *(_cell(cells[column], is_undefined=row_marks[column]) for column in visible))
    notes = []
    if len(visible) < block.shape[-1]:
        notes.append(f"columns {first} to {visible[-1]} of {block.shape[-1]}: > and < show others")
    if len(marks) > MAX_TABLE_ROWS:
        notes.append(f"the first {MAX_TABLE_ROWS} of {len(marks)} rows")
    return _with_notes(table, notes)


def _vector_table(texts: Sequence[str], marks: Array, columns: int, cell: int) -> RenderableType:
    """Return a vector in rows, each with the index of its first element."""
    table = _empty_table([f"+{column}" for column in range(columns)], cell)
    shown = min(len(texts), MAX_TABLE_ROWS * columns)
    for start in range(0, shown, columns):
        row = range(start, min(start + columns, len(texts)))
        table.add_row(str(start), *(_cell(texts[index], is_undefined=marks[index]) for index in row))
    return _with_notes(table, [f"the first {shown} of {len(texts)} numbers"] * (shown < len(texts)))


def _with_notes(table: Table, notes: Sequence[str]) -> Group:
    return Group(*(Text(note, "muted") for note in notes), table)


def _empty_table(heads: Sequence[str], cell: int) -> Table:
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column(justify="right", style="muted", min_width=HEAD_COLUMNS - 1)
    for _ in heads:
        table.add_column(justify="right", min_width=cell - 1, no_wrap=True)
    table.add_row("", *(Text(head, "muted") for head in heads))
    return table


def _cell(text: str, *, is_undefined: bool) -> Text:
    if is_undefined:
        return Text("?", "warning")
    return Text(text, {"true": "good", "false": "muted", "nan": "important", "inf": "important"}.get(text, "plain"))
