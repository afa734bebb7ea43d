"""Pictures of values, as levels and their shades.

They are for a terminal and a page.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from triton_simulator.steps.steps import Array, ProgramStep, ProgramValue
from triton_simulator.steps.text import number_text
from triton_workshop.block_levels import fold
from triton_workshop.look.coverage import areas, count_programs, elements, kind_of, map_size, pixels_of
from triton_workshop.look.recording import Argument
from triton_workshop.look.timeline import Track

SHADES = 16
"""Shades of a colour, from the least number to the greatest."""
SHARES = 4
"""Shades of a point of a map, by how much of it a program reaches."""
MIN_SHARE = 0.4
"""The share of its colour that a point has of which a program reaches little."""


@dataclass(frozen=True)
class Shade:
    """Colour of a palette, mixed with the ground."""

    tone: str
    """The colour's name, such as accent."""
    share: float = 1.0
    """The colour's share, from 0 for the ground to 1."""


GROUND = Shade("accent", 0.0)
Span = tuple[str, str]
"""A text, and the tone that it is written in."""


@dataclass(frozen=True, eq=False)
class Picture:
    """Block of levels, each with a shade."""

    levels: Array
    """Whole numbers, with shape (height, width); -1 where there is nothing."""
    shades: tuple[Shade, ...]
    legend: tuple[tuple[Shade, str], ...]
    title: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Extent:
    """Largest size of a picture, in pixels."""

    rows: int
    columns: int


def memory_pictures(step: ProgramStep, track: Track, extent: Extent) -> Iterator[Picture]:
    """Yield a map of the argument that an operation reads or changes."""
    if step.pointer is not None:
        yield from _argument_map(step.pointer, step.mask, step.step.operation, track, extent)


def value_pictures(step: ProgramStep, track: Track, extent: Extent) -> Iterator[Picture]:
    """Yield a picture of a block, or a map of what it points to."""
    value = step.value
    if value.is_pointer:
        yield from _argument_map(value, None, "", track, extent)
    elif is_block(value):
        yield _truth_picture(value, extent) if value.numbers.dtype == np.bool_ else _heatmap(value, extent)


def is_block(value: ProgramValue) -> bool:
    """Return whether a value has several numbers."""
    return value.numbers.dtype != object and value.numbers.size > 1


def _as_rows(block: Array, extent: Extent) -> Array:
    """Return a block as rows and columns.

    A vector is folded, and its last row may end in -1. Leading axes follow each other.
    """
    if block.ndim != 1:
        return block.reshape(-1, block.shape[-1])
    rows, columns = fold(len(block), extent.columns)
    padded = np.full(rows * columns, -1, block.dtype)
    padded[: len(block)] = block
    return padded.reshape(rows, columns)


def _truth_picture(value: ProgramValue, extent: Extent) -> Picture:
    false, true = Shade("faint"), Shade("good")
    return Picture(_as_rows(value.numbers.astype(np.int16), extent), (false, true), ((true, "true"), (false, "false")))


def _heatmap(value: ProgramValue, extent: Extent) -> Picture:
    """Draw numbers by shades: of two colours where some are negative."""
    levels, ends = shade(value)
    shares = [number / (SHADES - 1) for number in range(SHADES)]
    shades = [Shade(tone, share) for share, tone in product(shares, ("accent", "bad"))]
    nan, undefined = Shade("important"), Shade("warning")
    legend = [(shades[level], number_text(end)) for level, end in zip(_levels(np.array(ends), ends), ends, strict=True)]
    if (levels == 2 * SHADES).any():
        legend.append((nan, "NaN"))
    if value.undefined is not None:
        legend.append((undefined, "undefined, ? below"))
    return Picture(_as_rows(levels, extent), (*shades, nan, undefined), tuple(legend))


def shade(value: ProgramValue) -> tuple[Array, tuple[float, float]]:
    """Return the level of each number, and the numbers of both ends.

    Levels are twice the shade, and one more for a negative number; beyond, NaN and what is undefined. Shades begin at
    0, or at the least of whole numbers that are all positive, such as offsets.
    """
    with np.errstate(all="ignore"):
        numbers = value.numbers.astype(np.float64)
        undefined = False if value.undefined is None else value.undefined
        # An infinity would leave no shades for the other numbers, and what is undefined has no size.
        finite = numbers[np.isfinite(numbers) & ~np.asarray(undefined)]
        lowest, greatest = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
        begins_at_zero = lowest >= 0 and value.numbers.dtype.kind == "f"
        ends = 0.0 if begins_at_zero else lowest, greatest
        levels = _levels(numbers, ends)
    if value.undefined is not None:
        levels = np.where(value.undefined, 2 * SHADES + 1, levels)
    return levels, ends


def _levels(numbers: Array, ends: tuple[float, float]) -> Array:
    lowest, greatest = ends
    floor = max(lowest, 0.0)
    # Clipped for infinities; numbers that are all alike have no span.
    share = np.clip(np.abs(numbers - floor) / (max(greatest - floor, -lowest) or 1.0), 0.0, 1.0)
    levels = 2 * np.rint(share * (SHADES - 1)) + (numbers < 0)
    return np.where(np.isnan(numbers), 2 * SHADES, levels).astype(np.int16)


def _argument_map(
    pointer: ProgramValue, mask: ProgramValue | None, operation: str, track: Track, extent: Extent
) -> Iterator[Picture]:
    """Yield a map of what this program reaches of an argument, and others.

    `operation` is empty for a pointer.
    """
    argument = track.launch.arguments.get(pointer.argument)
    if argument is None:
        return
    count = math.prod(argument.shape)
    if not count:
        return
    unmasked = np.ones(pointer.shape, np.bool_) if mask is None else np.broadcast_to(mask.numbers, pointer.shape)
    inside, indices = elements(pointer.numbers[unmasked], argument)
    size = map_size(argument.shape, fold(count, extent.columns), extent.rows, extent.columns)
    levels, shades, legend = _reach_levels(indices, argument, size, _program_counts(pointer.argument, operation, track))
    # A vector goes to `_as_rows` without the pixels after its end, which are marked as nothing there.
    levels = levels.reshape(size) if len(argument.shape) > 1 else levels[:count]
    title: list[Span] = [
        (pointer.argument, "strong"), (f"  {' × '.join(map(str, argument.shape))} elements", "muted")
    ]  # fmt: skip
    if count > size[0] * size[1]:
        title.append((f", about {count / (size[0] * size[1]):.3g} in a point", "muted"))
    if outside := int((~inside).sum()):
        # A pointer may point anywhere, as long as nothing is loaded or stored there.
        title.append((f"   {outside} of {unmasked.size} lie outside", "bad" if operation else "warning"))
    if masked := int((~unmasked).sum()):
        title.append((f"   {masked} of {unmasked.size} are masked", "muted"))
    yield Picture(_as_rows(levels, extent), shades, legend, tuple(title))


def _program_counts(name: str, operation: str, track: Track) -> Array | None:
    """Return how many programs reach each element, if that is known."""
    if not operation:
        return None
    return count_programs(track.launch, name, kind_of(operation))


def _reach_levels(
    indices: Array, argument: Argument, size: tuple[int, int], counts: Array | None
) -> tuple[Array, tuple[Shade, ...], tuple[tuple[Shade, str], ...]]:
    """Return the level of each pixel, the levels' shades, and a legend.

    The more of a pixel's elements a program reaches, the brighter it is.
    """
    pixels = size[0] * size[1]
    area = np.maximum(areas(argument, size), 1)
    # Each element once, or a pixel would seem fuller than it is.
    mine = np.bincount(pixels_of(np.unique(indices), argument, size), minlength=pixels)
    levels = np.zeros(pixels, np.int16)
    if counts is not None:
        levels[pixels_of(np.flatnonzero(counts), argument, size)] = 1
    # Rounded up: a single element that is reached shows, in however large a pixel.
    share = np.ceil(mine / area * SHARES).astype(np.int16)
    levels = np.where(share > 0, 1 + np.minimum(share, SHARES), levels)
    faint, bright = Shade("faint"), Shade("accent")
    steps = (MIN_SHARE + (1 - MIN_SHARE) * number / SHARES for number in range(1, SHARES))
    shades = (GROUND, faint, *(Shade("accent", step) for step in steps), bright)
    if counts is None:
        return levels, shades, ((GROUND, "the rest"), (bright, "this program's"))
    return (
        levels,
        shades,
        ((GROUND, "no step's"), (faint, "other steps'"), (bright, "this step's")),
    )
