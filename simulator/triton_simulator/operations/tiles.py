"""Descriptors and block pointers.

This has the blocks of tensors that they describe, and the operations on them.

The operations are those of Triton's builder; each becomes a method of ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import triton.language as tl
from triton._C.libtriton import ir
from triton.runtime import _allocation

from triton_simulator.operations import atomics
from triton_simulator.operations.programs import Programs
from triton_simulator.values import dot, elementwise
from triton_simulator.values.formats import Array, item_bytes, value_dtype
from triton_simulator.values.value import Value, combined_poison, union


@dataclass(frozen=True)
class Tile:
    """Block of a tensor, for all programs.

    A descriptor or a block pointer describes it.

    `base` points to the tensor's first element; `tensor_shape` and `strides` are scalars, one for each axis.
    """

    base: Value
    tensor_shape: tuple[Value, ...]
    strides: tuple[Value, ...]
    block: tuple[int, ...]
    padding: Any
    offsets: tuple[Value, ...] = ()
    round_f32_to_tf32: bool = False
    in_kernel: bool = False
    """True if the kernel has made this descriptor, and not its launcher."""

    @property
    def element(self) -> Any:
        """The type of the tensor's elements."""
        return self.base.get_element_ty()

    def fill_value(self, shape: tuple[int, ...]) -> Value | None:
        """Return the value of a load outside the tensor: zero, NaN or None.

        None stands for an undefined one.
        """
        if self.padding is None:
            return None
        fill = np.nan if self.padding == ir.PADDING_OPTION.PAD_NAN else 0
        return Value(np.full((1,) * (len(shape) + 1), fill).astype(value_dtype(self.element)), self.element, shape)

    def pointers(self, offsets: Sequence[Value], checked: Iterable[int]) -> tuple[Value, Value]:
        """Return pointers to the block that starts at `offsets`, and a mask.

        The mask is true inside the tensor along the checked axes.
        """
        axes = set(checked)
        ranges = [_range_from(offset, size, axis, len(self.block)) for axis, (offset, size) in self._sides(offsets)]
        return self._pointers_at(ranges, self.block, axes, self._poison(offsets, len(self.block)))

    def rows(self, rows: Value, column: Value) -> tuple[Value, Value]:
        """Return pointers to some rows, and a mask.

        The rows are `rows` (N,), each from `column` on. The mask is true inside the tensor.
        """
        positions = [rows.full()[:, :, None].astype(np.int64), _range_from(column, self.block[-1], 1, 2)]
        of_rows = rows.poison if rows.poison is None else rows.poison[:, :, None]
        poison = union(self._poison([column], 2), of_rows)
        return self._pointers_at(positions, (rows.shape[0], self.block[-1]), {0, 1}, poison)

    def _poison(self, offsets: Sequence[Value], ndim: int) -> Array | None:
        """Return in which programs the pointers are undefined.

        A pointer is undefined if one of its scalars is.
        """
        poison = combined_poison(self.base, *self.tensor_shape, *self.strides, *offsets)
        return None if poison is None else poison.reshape(len(poison), *(1,) * ndim)

    def _sides(self, offsets: Sequence[Value]) -> list[tuple[int, tuple[Value, int]]]:
        return list(enumerate(zip(offsets, self.block, strict=True)))

    def _pointers_at(
        self, positions: list[Array], shape: tuple[int, ...], checked: set[int], poison: Array | None
    ) -> tuple[Value, Value]:
        ndim = len(shape)
        index = _lift(self.base.data, ndim)
        mask = np.ones((1,) * (ndim + 1), np.bool_)
        for axis, position in enumerate(positions):
            index = index + position * _lift(self.strides[axis].data, ndim)
            if axis in checked:
                mask = mask & (position >= 0) & (position < _lift(self.tensor_shape[axis].data, ndim))
        origin = self.base.origin if isinstance(self.base.origin, int) else _lift(self.base.origin, ndim)
        return Value(index, self.base.dtype, shape, origin, poison), Value(mask, tl.int1, shape)


def _lift(scalars: Array, ndim: int) -> Array:
    """Return each program's scalar with an axis for each axis of a block.

    The scalars become int64, so that offsets do not wrap.
    """
    return scalars.reshape(len(scalars), *(1,) * ndim).astype(np.int64)


def _range_from(offset: Value, size: int, axis: int, ndim: int) -> Array:
    shape = [1] * (ndim + 1)
    shape[axis + 1] = size
    return _lift(offset.data, ndim) + np.arange(size).reshape(shape)


# Descriptors
#
# GPUs of compute capability 9.0 and newer copy their blocks by TMA; on older ones, pointers and masks do the same and
# can start anywhere. Where TMA stops with "an illegal instruction was encountered" is measured: on an H100, Triton 3.6,
# float32 and float16, blocks of 4, 16 and 32. Loads with a negative start and all that lies beyond the end are fine.

WITHOUT_MEMORY = (
    "Kernel requires a runtime memory allocation, but no allocator was set. Use triton.set_allocator to specify an "
    "allocator: GPUs of compute capability 9.0 and newer need memory for a descriptor that a kernel makes. Before the "
    "launch, triton.set_allocator(lambda size, align, stream: torch.empty(size, dtype=torch.int8, device=x.device))"
)
UNALIGNED = (
    "a descriptor's block has to start at a multiple of 16 bytes along its last axis: elsewhere GPUs of compute "
    "capability 9.0 and newer stop with an illegal instruction"
)
NEGATIVE = (
    "a descriptor cannot store to a block with a negative start: GPUs of compute capability 9.0 and newer stop with an "
    "illegal instruction"
)


def make_descriptor(
    programs: Programs, base: Value, shape: Any, strides: Any, block: Any, _signed: Any = None, padding: Any = None
) -> Tile:
    """Return the descriptor of a tensor.

    Raises ValueError for one that a GPU would not take.
    """
    tile = Tile(base, tuple(shape), tuple(strides), tuple(int(size) for size in block), padding)
    item = item_bytes(tile.element)
    _expect((programs.memory.space.addresses(base) % np.uint64(16) == 0).all(), "base must be 16-byte aligned")
    _expect(len(tile.strides) == len(tile.block), "a descriptor needs a stride for each axis")
    for stride in tile.strides[:-1]:
        _expect((stride.data * item % 16 == 0).all(), "stride must be 16-byte aligned")
    _expect((tile.strides[-1].data == 1).all(), "last dim must be contiguous")
    return tile


def _expect(condition: Any, message: str) -> None:
    """Raise ValueError for a descriptor that a GPU would not take."""
    if not condition:
        raise ValueError(message)


def check_memory(tile: Tile) -> None:
    """Raise RuntimeError if a descriptor's memory has no allocator.

    A kernel's own descriptor needs some as soon as it is used.
    """
    if tile.in_kernel and isinstance(_allocation._allocator.get(), _allocation.NullAllocator):
        raise RuntimeError(WITHOUT_MEMORY)


def load(programs: Programs, tile: Tile, offsets: list[Value], *_policy: Any) -> Value:
    """Load a descriptor's block."""
    pointer, mask = _tile_pointers(programs, tile, offsets)
    loaded = programs.load(pointer, mask, tile.fill_value(pointer.shape))
    if tile.round_f32_to_tf32 and loaded.dtype is tl.float32:
        loaded = loaded.with_data(dot.tf32(loaded.data), loaded.dtype)
    return loaded


def store(programs: Programs, tile: Tile, value: Value, offsets: list[Value]) -> None:
    """Store a descriptor's block."""
    pointer, mask = _tile_pointers(programs, tile, offsets, stores=True)
    programs.store(pointer, value, mask)


def reduce(programs: Programs, kind: Any, tile: Tile, value: Value, offsets: list[Value]) -> None:
    """Update a descriptor's block by atomics."""
    pointer, mask = _tile_pointers(programs, tile, offsets, stores=True)
    atomics.update(programs, kind, pointer, value, mask, ir.MEM_SEMANTIC.RELAXED, None)


def gather(programs: Programs, tile: Tile, rows: Value, column: Value, _type: Any) -> Value:
    """Load some rows of a tensor."""
    check_memory(tile)
    pointer, mask = tile.rows(rows, column)
    programs.record_size(pointer.shape)
    return programs.load(pointer, mask, tile.fill_value(pointer.shape))


def scatter(programs: Programs, tile: Tile, value: Value, rows: Value, column: Value) -> None:
    """Store some rows of a tensor."""
    check_memory(tile)
    pointer, mask = tile.rows(rows, column)
    programs.store(pointer, value, mask)


def _tile_pointers(
    programs: Programs, tile: Tile, offsets: list[Value], *, stores: bool = False
) -> tuple[Value, Value]:
    check_memory(tile)
    start = offsets[-1].data * item_bytes(tile.element)
    _expect((start % 16 == 0).all(), UNALIGNED)
    if stores:
        _expect(all((offset.data >= 0).all() for offset in offsets), NEGATIVE)
    pointer, mask = tile.pointers(offsets, range(len(tile.block)))
    programs.record_size(pointer.shape)
    return pointer, mask


# Block pointers


def make_block_pointer(base: Value, shape: Any, strides: Any, offsets: Any, block: Any, _order: Any) -> Tile:
    """Return a block pointer."""
    return Tile(base, tuple(shape), tuple(strides), tuple(int(size) for size in block), None, tuple(offsets))


def advance(tile: Tile, steps: list[Value]) -> Tile:
    """Return the block pointer, moved by these steps."""
    offsets = (elementwise.add(old, step) for old, step in zip(tile.offsets, steps, strict=True))
    return replace(tile, offsets=tuple(offsets))


def load_block_pointer(programs: Programs, tile: Tile, checked: Any, padding: Any, *_policy: Any) -> Value:
    """Load the block of a block pointer."""
    pointer, mask = tile.pointers(tile.offsets, checked)
    programs.record_size(pointer.shape)
    if not len(checked):
        return programs.load(pointer, None, None)
    return programs.load(pointer, mask, replace(tile, padding=padding).fill_value(pointer.shape))


def store_block_pointer(programs: Programs, tile: Tile, value: Value, checked: Any, *_policy: Any) -> None:
    """Store the block of a block pointer."""
    pointer, mask = tile.pointers(tile.offsets, checked)
    programs.store(pointer, value, mask if len(checked) else None)
