"""Elements of an argument: indices, pixels of a map, and programs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from triton_simulator.steps.steps import Array, Step
from triton_workshop.exercises.cases import pluralize
from triton_workshop.look.recording import Argument, RecordedLaunch

MAX_ELEMENTS = 4_000_000
"""Pairs of programs and elements that are counted, or elements of an argument, which takes a second."""
STORE = "store"
"""Stores and atomics: all that changes memory."""


def elements(numbers: Array, argument: Argument) -> tuple[Array, Array]:
    """Return which elements lie inside an argument, and their indices.

    An index counts the argument's elements row by row; `numbers` count from its first element, in memory.
    """
    offsets = np.asarray(numbers, np.int64)
    # From the largest stride down, so that what a division leaves belongs to the axes inside.
    order = sorted(range(len(argument.shape)), key=lambda axis: -argument.strides[axis])
    rest, coordinates = offsets, np.zeros((len(argument.shape), *offsets.shape), np.int64)
    inside = offsets >= 0
    for axis in order:
        # An expanded dimension has a stride of 0, which cannot divide.
        stride = max(argument.strides[axis], 1)
        coordinates[axis] = rest // stride
        rest = rest - coordinates[axis] * stride
        inside &= coordinates[axis] < argument.shape[axis]
    # A rest lies between two elements, as in a view of every second column.
    inside &= rest == 0
    if not order:
        return inside, rest[inside]
    return inside, np.ravel_multi_index(tuple(axis[inside] for axis in coordinates), argument.shape)


@lru_cache(maxsize=32)
def count_programs(launch: RecordedLaunch, name: str, operation: str) -> Array | None:
    """Return how many programs reach each element of an argument.

    They do by `load`, or by `store` and atomics.

    None if that is not known: where programs were left out, or all this is too much.
    """
    argument, size = launch.arguments[name], math.prod(launch.arguments[name].shape)
    has_all_programs = not launch.steps.omitted and launch.chosen is None
    if not has_all_programs:
        return None
    if not 0 < size <= MAX_ELEMENTS:
        return None
    operations = [step for step in launch.steps.all if kind_of(step.operation) == operation]
    steps = [step for step in operations if _reaches(step, name)]
    total = sum(len(step.programs) * math.prod(step.pointer.shape) for step in steps if step.pointer)
    if total > MAX_ELEMENTS:
        return None
    pairs = [_pairs(step, argument, size) for step in steps]
    # A program that reaches an element several times counts once.
    reached = np.unique(np.concatenate(pairs)) if pairs else np.empty(0, np.int64)
    return np.bincount(np.asarray(reached % size, np.int64), minlength=size)


def kind_of(operation: str) -> str:
    """Return `store` for all that changes memory."""
    return STORE if operation.startswith("atomic") else operation


def _reaches(step: Step, name: str) -> bool:
    return step.pointer is not None and step.pointer.arguments == (name,)


def _pairs(step: Step, argument: Argument, size: int) -> Array:
    """Return program and element as one number, for all that a step reaches."""
    assert step.pointer is not None
    shape = (len(step.programs), *step.pointer.shape)
    unmasked = np.ones(shape, np.bool_) if step.mask is None else np.broadcast_to(step.mask.data, shape)
    numbers = np.broadcast_to(step.pointer.data, shape)[unmasked]
    programs = np.broadcast_to(step.programs.reshape(-1, *(1,) * len(step.pointer.shape)), shape)[unmasked]
    inside, indices = elements(numbers, argument)
    return programs[inside] * size + indices


def describe_stores(launch: RecordedLaunch) -> list[str]:
    """Describe the elements that no program stores, or that several do."""
    # Where only atomics change an argument, several programs are meant to reach an element.
    pointers = (step.pointer for step in launch.steps.all if step.operation == "store")
    reached = (pointer.arguments for pointer in pointers if pointer is not None)
    names = dict.fromkeys(arguments[0] for arguments in reached if len(arguments) == 1)
    sentences = (_describe_stores(launch, name) for name in names if name in launch.arguments)
    return [sentence for sentence in sentences if sentence]


def _describe_stores(launch: RecordedLaunch, name: str) -> str:
    counts = count_programs(launch, name, STORE)
    if counts is None:
        return ""
    size, none, several = len(counts), int((counts == 0).sum()), int((counts > 1).sum())
    clauses = [f"{none:,} stored by no program"] * bool(none) + [f"{several:,} stored by several"] * bool(several)
    if not clauses:
        return ""
    return f"{name} has {pluralize(size, 'element')}: {', '.join(clauses)}."


def map_size(shape: Sequence[int], fold: tuple[int, int], rows: int, columns: int) -> tuple[int, int]:
    """Return rows and columns of a map, as many as there is room for.

    `fold` are the rows and columns that a vector is drawn in.
    """
    height, width = fold if len(shape) <= 1 else (math.prod(shape[:-1]), shape[-1])
    return min(height, rows), min(width, columns)


def pixels_of(indices: Array, argument: Argument, size: tuple[int, int]) -> Array:
    """Return the pixel of each element on a map of this size, row by row."""
    rows, columns = size
    total = max(math.prod(argument.shape), 1)
    # A short vector is not stretched: the last row that it is folded into may stay open.
    pixels: Array = indices if total <= rows * columns else indices * (rows * columns) // total
    if len(argument.shape) > 1:
        row, column = np.divmod(indices, argument.shape[-1])
        height = math.prod(argument.shape[:-1])
        pixels = (row * rows // height) * columns + column * columns // argument.shape[-1]
    return pixels


def areas(argument: Argument, size: tuple[int, int]) -> Array:
    """Return how many elements each pixel of a map stands for, row by row.

    No array is as large as the argument, which may have billions of elements.
    """
    rows, columns = size
    total = math.prod(argument.shape)
    if len(argument.shape) > 1:
        return np.outer(_shares(total // argument.shape[-1], rows), _shares(argument.shape[-1], columns)).ravel()
    pixels = rows * columns
    return np.ones(pixels, np.int64) if total <= pixels else _shares(total, pixels)


def _shares(count: int, pixels: int) -> Array:
    """Return how many numbers are rounded down to each pixel.

    They are `count` numbers from 0 on, times `pixels` over `count`.
    """
    return np.diff(-(-np.arange(pixels + 1, dtype=np.int64) * count // pixels))
