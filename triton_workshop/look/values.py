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
from triton_workshop.look.recording import Argument
from triton_workshop.look.timeline import Place, Track, line_of
from triton_workshop.screen.blocks import blend, colour_block, fold, to_colour
from triton_workshop.screen.palette import Palette
from triton_workshop.terminal_pictures import Colour

SHADES = 16
"""Shades of a colour, from the least number to the greatest."""
MAX_TABLE_ROWS = 256
CELL_COLUMNS = 9
"""Columns of a number in a table."""
UNTOUCHED, KEPT_OUT, REACHED = range(3)
"""Elements of an argument: the mask keeps a program from some of those that it points at."""


@dataclass(frozen=True)
class Frame:
    """Room for a value, in columns and rows of characters."""

    palette: Palette
    columns: int
    rows: int
    first_column: int = 0
    """The first column of a table that is wider than this."""

    def colour(self, tone: str) -> Colour:
        """Return a colour of the palette."""
        return to_colour(str(getattr(self.palette, tone)))

    @property
    def picture_rows(self) -> int:
        """Rows that one picture may take."""
        return max(4, min(16, self.rows // 3))


def draw_moment(place: Place, frame: Frame) -> RenderableType:
    """Return what a step has made: in short, where in memory, as a picture and as numbers."""
    step, track = place.step, place.track
    if step is None:
        return Text("This program has no steps.", "muted")
    head = _head(step, place.recording.code(line_of(step)))
    return Group(*_spaced([head, *_memory(step, track, frame), *_value(step, track, frame)]))


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
        yield from _argument_map(step.pointer, step.mask, track, frame)


def _value(step: ProgramStep, track: Track, frame: Frame) -> Iterator[RenderableType]:
    value = step.value
    if value.numbers.dtype == object or value.numbers.size < 2:
        if value.is_pointer:
            yield from _argument_map(value, None, track, frame, is_pointer_only=True)
        return
    if value.is_pointer:
        yield from _argument_map(value, None, track, frame, is_pointer_only=True)
    elif value.numbers.dtype == np.bool_:
        yield _truth_picture(value, frame)
    else:
        yield _heat(value, frame)
    yield _table(value, frame)


def _as_rows(block: Array, frame: Frame) -> tuple[Array, bool]:
    """Return a block as rows and columns, and whether it is a vector that was folded.

    A vector's last row may end in -1, and leading axes follow each other.
    """
    if block.ndim != 1:
        return block.reshape(-1, block.shape[-1]), False
    rows, columns = fold(len(block), frame.columns)
    padded = np.full(rows * columns, -1, block.dtype)
    padded[: len(block)] = block
    return padded.reshape(rows, columns), True


def _picture(levels: Array, colours: Sequence[Colour], frame: Frame) -> Text:
    rows, _ = _as_rows(levels, frame)
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
    low, high, below = (frame.colour(tone) for tone in ("panel", "accent", "bad"))
    nan, undefined = frame.colour("important"), frame.colour("faint")
    levels, (least, greatest) = shade(value)
    shades = [blend(low, end, number / (SHADES - 1)) for number in range(SHADES) for end in (high, below)]
    entries = [(below if least < 0 else low, number_text(least)), (high, number_text(greatest))]
    if (levels == 2 * SHADES).any():
        entries.append((nan, "NaN"))
    if value.undefined is not None:
        entries.append((undefined, "undefined"))
    return Group(_picture(levels, [*shades, nan, undefined], frame), _legend(*entries))


def shade(value: ProgramValue) -> tuple[Array, tuple[float, float]]:
    """Return the level of each number, and the numbers of the darkest and the brightest.

    Levels are twice the shade, and one more for a negative number; beyond, NaN and what is undefined. Shades begin at
    0, or at the least of whole numbers that are all positive, such as offsets.
    """
    with np.errstate(all="ignore"):
        numbers = value.numbers.astype(np.float64)
        finite = numbers[np.isfinite(numbers)] if value.undefined is None else numbers[~value.undefined]
        finite = finite[np.isfinite(finite)]
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
    pointer: ProgramValue, mask: ProgramValue | None, track: Track, frame: Frame, *, is_pointer_only: bool = False
) -> Iterator[RenderableType]:
    """Yield a map of an argument, with the elements that a program points at, and which lie outside."""
    argument = track.launch.arguments.get(pointer.argument)
    if argument is None or not math.prod(argument.shape):
        return
    kept = np.ones(pointer.shape, np.bool_) if mask is None else np.broadcast_to(mask.numbers, pointer.shape)
    height, width = map_shape(argument.shape, frame)
    levels = np.full((height, width), UNTOUCHED, np.int8)
    inside, rows, columns = locate(pointer.numbers, argument, (height, width))
    for level, chosen in ((KEPT_OUT, ~kept), (REACHED, kept)):
        levels[rows[chosen[inside]], columns[chosen[inside]]] = level
    if len(argument.shape) <= 1:
        levels = levels.reshape(-1)[: math.prod(argument.shape)]
    tones = ("panel", "warning", "accent")
    colours = [frame.colour(tone) for tone in tones]
    shape = " × ".join(map(str, argument.shape))
    entries = [(colours[REACHED], "this program's"), (colours[UNTOUCHED], "the rest")]
    if not kept.all():
        entries.insert(1, (colours[KEPT_OUT], "masked"))
    title = Text.assemble((pointer.argument, "strong"), (f"  {shape} elements", "muted"))
    if count := int((~inside & kept).sum()):
        # A pointer may point anywhere, as long as nothing is loaded or stored there.
        tone = "warning" if is_pointer_only else "bad"
        title.append(f"   {count} of {kept.size} lie outside", tone)
    yield Group(title, _picture(levels, colours, frame), _legend(*entries))


def map_shape(shape: Sequence[int], frame: Frame) -> tuple[int, int]:
    """Return rows and columns of an argument's map: as many as it has, or as there are pixels."""
    if len(shape) <= 1:
        rows, columns = fold(math.prod(shape), frame.columns)
    else:
        rows, columns = math.prod(shape[:-1]), shape[-1]
    return min(rows, 2 * frame.picture_rows), min(columns, frame.columns)


def locate(numbers: Array, argument: Argument, size: tuple[int, int]) -> tuple[Array, Array, Array]:
    """Return which elements lie inside an argument, and the row and the column of each on a map of this size."""
    indices = np.asarray(numbers, np.int64)
    order = sorted(range(len(argument.shape)), key=lambda axis: -argument.strides[axis])
    rest, places = indices, np.zeros((len(argument.shape), *indices.shape), np.int64)
    inside = indices >= 0
    for axis in order:
        stride = max(argument.strides[axis], 1)
        places[axis] = rest // stride
        rest = rest - places[axis] * stride
        inside &= places[axis] < argument.shape[axis]
    inside &= rest == 0
    linear = np.ravel_multi_index(tuple(place[inside] for place in places), argument.shape) if order else rest[inside]
    columns = argument.shape[-1] if len(argument.shape) > 1 else 0
    if columns:
        rows = math.prod(argument.shape[:-1])
        row, column = np.divmod(linear, columns)
        return inside, row * size[0] // rows, column * size[1] // columns
    total, pixels = max(math.prod(argument.shape), 1), size[0] * size[1]
    pixel = linear if total <= pixels else linear * pixels // total
    return inside, pixel // size[1], pixel % size[1]


def _table(value: ProgramValue, frame: Frame) -> RenderableType:
    """Return the numbers, with their indices at the sides."""
    block = value.numbers
    rows = block.reshape(-1, block.shape[-1]) if block.ndim > 1 else block.reshape(1, -1)
    fitting = max(1, (frame.columns - 6) // CELL_COLUMNS)
    undefined = None if value.undefined is None else value.undefined.reshape(rows.shape)
    if block.ndim == 1:
        fitting = min(1 << (fitting.bit_length() - 1), len(block))
        rows = _folded(block, fitting)
        undefined = None if undefined is None else _folded(undefined.reshape(-1), fitting)
    first = 0 if block.ndim == 1 else min(frame.first_column, max(0, rows.shape[1] - fitting))
    table = Table.grid(padding=(0, 1, 0, 0))
    shown = range(first, min(first + fitting, rows.shape[1]))
    table.add_column(justify="right", style="muted", min_width=5)
    for _ in shown:
        table.add_column(justify="right", min_width=CELL_COLUMNS - 1, no_wrap=True)
    table.add_row("", *(Text(str(column), "muted") for column in shown))
    for row in range(min(len(rows), MAX_TABLE_ROWS)):
        head = row * fitting if block.ndim == 1 else row
        table.add_row(str(head), *(_cell(rows, undefined, row, column) for column in shown))
    notes = []
    if len(shown) < rows.shape[1]:
        notes.append(f"columns {first} to {shown[-1]} of {rows.shape[1]}; < and > show others")
    if len(rows) > MAX_TABLE_ROWS:
        notes.append(f"the first {MAX_TABLE_ROWS} of {len(rows)} rows")
    return Group(table, *(Text(note, "muted") for note in notes))


def _folded(block: Array, columns: int) -> Array:
    rows = -(-len(block) // columns)
    padded = np.empty(rows * columns, object)
    padded[:] = ""
    padded[: len(block)] = block
    return padded.reshape(rows, columns)


def _cell(rows: Array, undefined: Array | None, row: int, column: int) -> Text:
    if undefined is not None and undefined[row, column]:
        return Text("?", "muted")
    number = rows[row, column]
    return Text(number if isinstance(number, str) else number_text(number), _tone(number))


def _tone(number: object) -> str:
    if isinstance(number, bool | np.bool_):
        return "good" if number else "muted"
    if isinstance(number, float | np.floating) and not math.isfinite(number):
        return "important"
    return "plain"
