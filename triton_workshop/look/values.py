"""One value as pictures and a table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from triton_simulator.steps.steps import Array, ProgramStep, ProgramValue
from triton_simulator.steps.text import number_text, step_text
from triton_workshop.block_pictures import blend, colour_block, fold, to_colour
from triton_workshop.look.coverage import areas, count_programs, elements, kind_of, map_size, pixels_of
from triton_workshop.look.recording import Argument
from triton_workshop.look.timeline import Place, Track, line_of
from triton_workshop.screen.palette import Palette
from triton_workshop.terminal_pictures import Colour

SHADES = 16
"""Shades of a colour, from the least number to the greatest."""
LOW_ROWS = 16
"""Rows of a pane below which numbers come first."""
MAX_TABLE_ROWS = 256
HEAD_COLUMNS = 6
"""Columns of the indices before the rows of a table."""
SHARES = 4
"""Shades of a point of a map, by how much of it a program reaches."""


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

    def shades(self, tone: str) -> list[Colour]:
        """Return a colour's shades, from the ground on."""
        if self.has_256_colours:
            ramp = [self.ground, *RAMPS_256[self.palette.dark, tone]]
            return [ramp[number * len(ramp) // SHADES] for number in range(SHADES)]
        return [blend(self.ground, self.colour(tone), number / (SHADES - 1)) for number in range(SHADES)]

    def colour(self, tone: str) -> Colour:
        """Return a colour of the palette."""
        return to_colour(str(getattr(self.palette, tone)))

    @property
    def picture_rows(self) -> int:
        """Rows that one picture may take."""
        return max(4, min(16, self.rows // 3))


def draw_moment(place: Place, frame: Frame) -> RenderableType:
    """Return a step's value: in short, as pictures, and as numbers."""
    step, track = place.step, place.track
    if step is None:
        return Text("This program has no steps.", "muted")
    head = _head(step, place.recording.code(line_of(step)))
    memory, pictures, tables = _memory(step, track, frame), _pictures(step, track, frame), _tables(step, frame)
    # In a low pane, the numbers come before what needs rows.
    sections = [*tables, *memory, *pictures] if frame.rows < LOW_ROWS else [*memory, *pictures, *tables]
    return Group(*_spaced([head, *sections]))


def draw_arguments(track: Track) -> RenderableType:
    """Return what the kernel has got, as a table."""
    table = Table.grid(padding=(0, 2, 0, 0))
    for step in track.arguments:
        table.add_row(Text(step.step.name, "key"), Text(step_text(step), "plain"))
    return table


def _spaced(sections: Sequence[RenderableType]) -> list[RenderableType]:
    return [line for section in sections for line in (Text(), section)][1:]


def _head(step: ProgramStep, code: str) -> Text:
    at = step.step
    name = at.name or {"": "value"}.get(at.operation, at.operation)
    return Text.assemble((f"{name}  ", "accent"), (step_text(step), "plain"), "\n", (code, "muted"))


def _memory(step: ProgramStep, track: Track, frame: Frame) -> Iterator[RenderableType]:
    """Yield a map of the argument that an operation reads or changes."""
    if step.pointer is not None:
        yield from _argument_map(step.pointer, step.mask, step.step.operation, track, frame)


def _pictures(step: ProgramStep, track: Track, frame: Frame) -> Iterator[RenderableType]:
    value = step.value
    if value.is_pointer:
        yield from _argument_map(value, None, "", track, frame)
    elif value.numbers.dtype != object and value.numbers.size > 1:
        yield _truth_picture(value, frame) if value.numbers.dtype == np.bool_ else _heat(value, frame)


def _tables(step: ProgramStep, frame: Frame) -> Iterator[RenderableType]:
    if step.value.numbers.dtype != object and step.value.numbers.size > 1:
        yield _table(step.value, frame)


def _as_rows(block: Array, frame: Frame) -> Array:
    """Return a block as rows and columns.

    A vector is folded, and its last row may end in -1. Leading axes follow each other.
    """
    if block.ndim != 1:
        return block.reshape(-1, block.shape[-1])
    rows, columns = fold(len(block), frame.columns)
    padded = np.full(rows * columns, -1, block.dtype)
    padded[: len(block)] = block
    return padded.reshape(rows, columns)


def _picture(levels: Array, colours: Sequence[Colour], frame: Frame) -> Text:
    rows = _as_rows(levels, frame)
    background = frame.colour("background")
    return colour_block(np.where(rows < 0, len(colours), rows), colours, background, frame.columns, frame.picture_rows)


def _legend(*entries: tuple[Colour, str]) -> Text:
    boxes = (
        Text.assemble(("■", f"rgb({','.join(map(str, colour))})"), (f" {name}", "muted")) for colour, name in entries
    )
    return Text("   ").join(boxes)


def _truth_picture(value: ProgramValue, frame: Frame) -> Group:
    false, true = frame.colour("faint"), frame.colour("good")
    picture = _picture(value.numbers.astype(np.int8), (false, true), frame)
    return Group(picture, _legend((true, "true"), (false, "false")))


def _heat(value: ProgramValue, frame: Frame) -> Group:
    """Draw numbers by shades: of two colours where some are negative."""
    high, below = frame.shades("accent"), frame.shades("bad")
    nan, undefined = frame.colour("important"), frame.colour("warning")
    levels, (least, greatest) = shade(value)
    shades = [colour for pair in zip(high, below, strict=True) for colour in pair]
    entries = [(below[-1] if least < 0 else high[0], number_text(least)), (high[-1], number_text(greatest))]
    if (levels == 2 * SHADES).any():
        entries.append((nan, "NaN"))
    if value.undefined is not None:
        entries.append((undefined, "undefined, ? below"))
    return Group(_picture(levels, [*shades, nan, undefined], frame), _legend(*entries))


def shade(value: ProgramValue) -> tuple[Array, tuple[float, float]]:
    """Return the level of each number, and those of both ends.

    Levels are twice the shade, and one more for a negative number; beyond, NaN and what is undefined. Shades begin at
    0, or at the least of whole numbers that are all positive, such as offsets.
    """
    with np.errstate(all="ignore"):
        numbers = value.numbers.astype(np.float64)
        undefined = False if value.undefined is None else value.undefined
        finite = numbers[np.isfinite(numbers) & ~np.asarray(undefined)]
        least, greatest = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
        floor = least if least > 0 and value.numbers.dtype.kind != "f" else 0.0
        span = max(greatest - floor, -least)
        share = np.clip(np.abs(numbers - floor) / (span or 1.0), 0.0, 1.0)
        levels = 2 * np.rint(share * (SHADES - 1)) + (numbers < 0)
    levels = np.where(np.isnan(numbers), 2 * SHADES, levels)
    if value.undefined is not None:
        levels = np.where(value.undefined, 2 * SHADES + 1, levels)
    return levels.astype(np.int16), (min(least, floor), greatest)


def _argument_map(
    pointer: ProgramValue, mask: ProgramValue | None, operation: str, track: Track, frame: Frame
) -> Iterator[RenderableType]:
    """Yield a map of what this program reaches of an argument, and others.

    `operation` is empty for a pointer.
    """
    argument = track.launch.arguments.get(pointer.argument)
    if argument is None or not math.prod(argument.shape):
        return
    kept = np.ones(pointer.shape, np.bool_) if mask is None else np.broadcast_to(mask.numbers, pointer.shape)
    inside, places = elements(pointer.numbers[kept], argument)
    count = math.prod(argument.shape)
    size = map_size(argument.shape, fold(count, frame.columns), 2 * frame.picture_rows, frame.columns)
    levels, entries = _reach_levels(places, argument, size, _others(pointer.argument, operation, track), frame)
    levels = levels.reshape(size) if len(argument.shape) > 1 else levels[:count]
    title = Text.assemble((pointer.argument, "strong"), (f"  {' × '.join(map(str, argument.shape))} elements", "muted"))
    if count > size[0] * size[1]:
        title.append(f", about {count / (size[0] * size[1]):.3g} in a point", "muted")
    if outside := int((~inside).sum()):
        # A pointer may point anywhere, as long as nothing is loaded or stored there.
        title.append(f"   {outside} of {kept.size} lie outside", "bad" if operation else "warning")
    if masked := int((~kept).sum()):
        title.append(f"   {masked} of {kept.size} are masked", "muted")
    colours = [colour for colour, _ in entries]
    yield Group(title, _picture(levels, colours, frame), _legend(*(entry for entry in entries if entry[1])))


def _others(name: str, operation: str, track: Track) -> Array | None:
    """Return how many programs reach each element, if that is known."""
    if not operation:
        return None
    return count_programs(track.launch, name, kind_of(operation))


def _reach_levels(
    places: Array, argument: Argument, size: tuple[int, int], counts: Array | None, frame: Frame
) -> tuple[Array, list[tuple[Colour, str]]]:
    """Return the level of each pixel, and the levels' colours and names.

    The more of a pixel's elements a program reaches, the brighter it is.
    """
    pixels = size[0] * size[1]
    area = np.maximum(areas(argument, size), 1)
    mine = np.bincount(pixels_of(np.unique(places), argument, size), minlength=pixels)
    levels = np.zeros(pixels, np.int16)
    if counts is not None:
        levels[pixels_of(np.flatnonzero(counts), argument, size)] = 1
    rest, others = ("the rest", "") if counts is None else ("no program's", "other programs'")
    entries = [(frame.ground, rest), (frame.colour("faint"), others)]
    share = np.ceil(mine / area * SHARES).astype(np.int16)
    levels = np.where(share > 0, 1 + np.minimum(share, SHARES), levels)
    bright = frame.colour("accent")
    shades = [(blend(frame.ground, bright, 0.4 + 0.6 * number / SHARES), "") for number in range(1, SHARES)]
    return levels, [*entries, *shades, (bright, "this program's")]


def _table(value: ProgramValue, frame: Frame) -> RenderableType:
    """Return the numbers, with their indices at the sides."""
    block = value.numbers
    texts = [[number_text(number) for number in row] for row in block.reshape(-1, block.shape[-1])[:MAX_TABLE_ROWS]]
    cell = 1 + max(len(text) for row in texts for text in row)
    fitting = max(1, (frame.columns - HEAD_COLUMNS) // cell)
    undefined = np.zeros(block.shape, np.bool_) if value.undefined is None else value.undefined
    marks = undefined.reshape(-1, block.shape[-1])
    if block.ndim == 1:
        return _vector_table(texts[0], marks[0], min(1 << (fitting.bit_length() - 1), len(block)), cell)
    first = min(frame.first_column, max(0, block.shape[-1] - fitting))
    shown = range(first, min(first + fitting, block.shape[-1]))
    table = _empty_table([str(column) for column in shown], cell)
    for row, (cells, row_marks) in enumerate(zip(texts, marks, strict=False)):
        table.add_row(str(row), *(_cell(cells[column], is_undefined=row_marks[column]) for column in shown))
    notes = []
    if len(shown) < block.shape[-1]:
        notes.append(f"columns {first} to {shown[-1]} of {block.shape[-1]}: > and < show others")
    if len(marks) > MAX_TABLE_ROWS:
        notes.append(f"the first {MAX_TABLE_ROWS} of {len(marks)} rows")
    return Group(*(Text(note, "muted") for note in notes), table)


def _vector_table(texts: Sequence[str], marks: Array, columns: int, cell: int) -> Table:
    """Return a vector in rows, each with the index of its first element."""
    table = _empty_table([f"+{column}" for column in range(columns)], cell)
    for start in range(0, min(len(texts), MAX_TABLE_ROWS * columns), columns):
        row = range(start, min(start + columns, len(texts)))
        table.add_row(str(start), *(_cell(texts[index], is_undefined=marks[index]) for index in row))
    return table


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
