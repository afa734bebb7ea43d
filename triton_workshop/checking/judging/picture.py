"""Pictures of a failure, as plain data: tiles, an element, pixels."""

from __future__ import annotations

import numpy as np
import torch

from triton_simulator.faults import Kind
from triton_workshop.checking.judging.verdict import Element, Pixels, TileMap, TileState
from triton_workshop.checking.observing.comparison import Comparison
from triton_workshop.hints import sentence

MAX_MAP_SIZE = (24, 60)
"""Rows and columns of a map at most: more tiles share cells."""
OUT_OF_BOUNDS = (Kind.OUT_OF_BOUNDS_LOAD, Kind.OUT_OF_BOUNDS_STORE)
_SEVERITY = tuple(TileState)


def first_element(comparison: Comparison, marks: torch.Tensor) -> Element:
    """Return the first marked element, with the program that owns it."""
    index = tuple(int(i) for i in marks.nonzero()[0])
    offset = int(np.ravel_multi_index(index, marks.shape))
    return Element(
        index,
        float(comparison.expected[index]),
        _output_at(comparison, index),
        float(comparison.allowed[index]),
        comparison.owner(index),
        offset,
    )


def _output_at(comparison: Comparison, index: tuple[int, ...]) -> float | None:
    """Return an element of the output; None if it was never written."""
    output = comparison.seen.output
    if output is None:
        return None
    return None if comparison.unwritten[index] else float(output.values[index])


def tile_map(comparison: Comparison) -> TileMap | None:
    """Map the output by tiles, or by elements if it is a single tile.

    None if all cells would be the same.
    """
    # Levels are positions in `_SEVERITY`, so the worst of several is their maximum.
    levels = torch.zeros(comparison.expected.shape, dtype=torch.uint8)
    levels[comparison.unwritten.cpu()] = 1
    levels[comparison.wrong.cpu()] = 2
    by_tile = max(comparison.wanted_grid, default=1) > 1
    if by_tile:
        levels = _by_tile(comparison, levels)
    goes_outside = any(fault.kind in OUT_OF_BOUNDS for fault in comparison.seen.faults)
    if goes_outside:
        has_cells_of_faults = by_tile and _owns_all_faults(comparison)
        if not has_cells_of_faults:
            return None
        faults = comparison.launch.faults if comparison.launch else ()
        # A program that went outside is to blame, whatever its tile holds.
        for fault in faults:
            levels[fault.program] = 3
    tiles = TileMap(_cell_name(comparison, by_tile), _planes(levels))
    # A map of one state shows no place.
    return tiles if len(tiles.states) > 1 else None


def _planes(levels: torch.Tensor) -> tuple[tuple[tuple[TileState, ...], ...], ...]:
    if levels.ndim == 1:
        return (_folded(levels),)
    planes = levels if levels.ndim == 3 else levels[None]
    return tuple(_cells(plane) for plane in planes)


def _cell_name(comparison: Comparison, by_tile: bool) -> str:
    if not by_tile:
        return sentence("values.cell-is-an-element")
    if comparison.has_tiles_of_the_solution:
        return sentence("values.cell-is-a-tile")
    return sentence("values.cell-is-a-tile-of-the-solution")


def _owns_all_faults(comparison: Comparison) -> bool:
    """Return whether the program of each fault owns a tile.

    A program of another launch, with a grid of its own, owns none.
    """
    faults = comparison.launch.faults if comparison.launch else ()
    same_grid = comparison.has_tiles_of_the_solution and comparison.grid == comparison.wanted_grid
    return same_grid and faults == comparison.seen.faults


def _by_tile(comparison: Comparison, levels: torch.Tensor) -> torch.Tensor:
    tiles = torch.zeros(comparison.wanted_grid, dtype=torch.uint8)
    for level in (1, 2):
        tiles[comparison.by_tile(levels == level)] = level
    return tiles


def _folded(row: torch.Tensor) -> tuple[tuple[TileState, ...], ...]:
    """Return a vector as lines, of which the last may be shorter."""
    lines, width = MAX_MAP_SIZE
    [states] = _cells(row[None], (1, lines * width))
    return tuple(states[start : start + width] for start in range(0, len(states), width))


def _cells(plane: torch.Tensor, max_size: tuple[int, int] = MAX_MAP_SIZE) -> tuple[tuple[TileState, ...], ...]:
    """Scale a map down: a cell shows the worst of the tiles in it."""
    size = tuple(min(sizes) for sizes in zip(plane.shape, max_size, strict=True))
    pooled = torch.nn.functional.adaptive_max_pool2d(plane[None].float(), size)[0]
    return tuple(map(_states, pooled.tolist()))


def _states(levels: list[float]) -> tuple[TileState, ...]:
    return tuple(_SEVERITY[int(level)] for level in levels)


def result_pictures(expected: torch.Tensor, output: torch.Tensor) -> tuple[Pixels, ...]:
    """Return pictures of the right result, the actual one, and the difference.

    The tensors have the shape (3, height, width), and the pictures one scale.
    """
    expected, output = expected.float().cpu(), output.float().cpu()
    low, high = float(expected.min()), float(expected.max())
    # An expected picture of one colour has no span to divide by.
    span = max(high - low, 1e-6)
    # NaN is as wrong as a value can be.
    difference = ((output - expected).abs() / span).nan_to_num(1.0)
    return (
        _pixels(sentence("values.expected"), (expected - low) / span),
        _pixels(sentence("values.actual"), (output - low) / span),
        _pixels(sentence("values.difference"), difference),
    )


def _pixels(caption: str, picture: torch.Tensor) -> Pixels:
    values = picture.nan_to_num(0.0).clamp(0.0, 1.0).mul(255).round().byte()
    data = values.permute(1, 2, 0).contiguous().numpy().tobytes()
    return Pixels(caption, values.shape[2], values.shape[1], data)
