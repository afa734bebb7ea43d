"""What a failure looks like, as plain data: a map of tiles, the first wrong element, and small pictures."""

from __future__ import annotations

import numpy as np
import torch

from triton_simulator.faults import Kind
from triton_workshop.checking.judging.verdict import Element, Pixels, TileMap, TileState
from triton_workshop.checking.observing.comparison import Comparison

LARGEST = (24, 60)
"""The most rows and columns that a map has: with more tiles, several share a cell."""
OUTSIDE = (Kind.OUT_OF_BOUNDS_LOAD, Kind.OUT_OF_BOUNDS_STORE)
_SEVERITY = tuple(TileState)


def element_of(comparison: Comparison, marks: torch.Tensor) -> Element:
    """The first marked element, with the program that owns it."""
    index = tuple(int(i) for i in marks.nonzero()[0])
    offset = int(np.ravel_multi_index(index, marks.shape))
    output = comparison.seen.output
    got = None if output is None or comparison.unwritten[index] else float(output[index])
    return Element(
        index, float(comparison.expected[index]), got, float(comparison.allowed[index]), comparison.owner(index), offset
    )


def tile_map(comparison: Comparison) -> TileMap | None:
    """Map the output by tiles, or by elements if it is a single tile. None if all cells would be the same."""
    levels = torch.zeros(comparison.expected.shape, dtype=torch.uint8)
    levels[comparison.unwritten.cpu()] = 1
    levels[comparison.wrong.cpu()] = 2
    what = "an element"
    if max(comparison.wanted_grid, default=1) > 1:
        levels = _by_tile(comparison, levels)
        what = "a program's tile" if comparison.has_tiles_of_the_solution else "a tile as large as the solution's"
    if any(fault.kind in OUTSIDE for fault in comparison.seen.faults):
        own = comparison.launch.faults if comparison.launch else ()
        if what != "a program's tile" or comparison.grid != comparison.wanted_grid or own != comparison.seen.faults:
            return None  # a program of another launch, with a grid of its own, owns none of these tiles
        for fault in own:
            levels[fault.program] = 3
    if levels.numel() < 2:
        return None
    if levels.ndim == 1:
        return TileMap(what, (_folded(levels),))
    planes = levels if levels.ndim == 3 else levels[None]
    return TileMap(what, tuple(_cells(plane) for plane in planes))


def _by_tile(comparison: Comparison, levels: torch.Tensor) -> torch.Tensor:
    tiles = torch.zeros(comparison.wanted_grid, dtype=torch.uint8)
    for level in (1, 2):
        tiles[comparison.by_tile(levels == level)] = level
    return tiles


def _folded(row: torch.Tensor) -> tuple[tuple[TileState, ...], ...]:
    """Return a vector as lines, one below the other; the last line may be shorter."""
    lines, width = LARGEST
    [states] = _cells(row[None], (1, lines * width))
    return tuple(states[start : start + width] for start in range(0, len(states), width))


def _cells(plane: torch.Tensor, largest: tuple[int, int] = LARGEST) -> tuple[tuple[TileState, ...], ...]:
    """Scale a map down to fit: a cell shows the worst of the tiles that share it."""
    size = tuple(min(has, most) for has, most in zip(plane.shape, largest, strict=True))
    pooled = torch.nn.functional.adaptive_max_pool2d(plane[None].float(), size)[0]
    return tuple(tuple(_SEVERITY[int(level)] for level in row) for row in pooled.tolist())


def pictures_of(expected: torch.Tensor, output: torch.Tensor) -> tuple[Pixels, ...]:
    """Return the right result, the actual one, and their difference: pictures (3, height, width), on one scale."""
    expected, output = expected.float().cpu(), output.float().cpu()
    low, high = float(expected.min()), float(expected.max())
    span = max(high - low, 1e-6)
    difference = ((output - expected).abs() / span).nan_to_num(1.0)
    return (
        _pixels("expected", (expected - low) / span),
        _pixels("yours", (output - low) / span),
        _pixels("difference", difference),
    )


def _pixels(caption: str, picture: torch.Tensor) -> Pixels:
    values = picture.nan_to_num(0.0).clamp(0.0, 1.0).mul(255).round().byte()
    data = values.permute(1, 2, 0).contiguous().numpy().tobytes()
    return Pixels(caption, values.shape[2], values.shape[1], data)
