"""Group of programs that runs now.

It has their ids and their state, and computes with their pointers.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import triton.language as tl

from triton_simulator.memory.memory import Memory
from triton_simulator.values.formats import Array, item_bytes, value_dtype
from triton_simulator.values.value import Value


class Programs:
    """State that operations on memory need of the builder.

    They become its methods.
    """

    def __init__(self) -> None:
        self.grid: tuple[int, int, int] = (1, 1, 1)
        self.ids: tuple[Array, ...] = ()
        """The program ids of the group, an int32 array for each axis.

        Its shape is (P,), or (1,) if all are the same.
        """
        self.memory: Memory
        self.integers: dict[str, int] = {}
        """The integers among the kernel's arguments: one may be an address."""
        self.combining = False
        """True while a function that combines two elements for `tl.reduce` runs.

        It gets whole blocks of them.
        """
        self.largest = 1
        """Elements of the largest block so far."""
        self.multiplied = False
        """True if the launch has multiplied matrices.

        Their blocks lie in registers as tensor cores want it.
        """

    def record_size(self, shape: tuple[int, ...]) -> None:
        """Record the size of a block, to know the largest."""
        self.largest = max(self.largest, math.prod(shape))

    def wait(self, *, stores: bool = True) -> None:
        """Let all threads of each program wait for each other.

        See `Threads.wait`.
        """
        self.memory.races.threads.wait(self.memory.group, stores=stores)

    def count(
        self, result: Value, per_element: int = 1, multiplied: str | None = None, *, special: bool = False
    ) -> None:
        """Count the floating-point operations of a result.

        There are `per_element` for each of its elements.
        """
        counts = self.memory.counts
        if counts is None:
            return
        if result.dtype.is_floating():
            operations = per_element * math.prod(result.shape) * len(self.memory.group)
            counts.compute(operations, multiplied, special=special)

    def as_pointers(self, source: Value, dtype: Any) -> Value:
        """Return addresses, or pointers, as pointers of this type."""
        if source.dtype.scalar.is_ptr():
            return self.cast_pointers(source, dtype.scalar)
        data, origin = self.memory.space.pointers(source.data, dtype.scalar, self.integers)
        return Value(data, dtype.scalar, source.shape, origin, source.poison)

    def as_integers(self, source: Value, dtype: Any) -> Value:
        """Return the addresses of pointers, as integers of this type."""
        return source.with_data(self.memory.space.addresses(source).astype(value_dtype(dtype.scalar)), dtype.scalar)

    def cast_pointers(self, source: Value, target: Any) -> Value:
        """Return the same addresses as pointers to another type."""
        old = item_bytes(source.get_element_ty())
        result = source.rearrange(lambda data: data, source.shape)
        result.dtype = target
        new = item_bytes(result.get_element_ty())
        if old != new:
            result.data = source.data * old // new
            misaligned = source.data * old % new != 0
            # An address in the middle of one of the new elements has no index, and is looked up again.
            if misaligned.any():
                data, origin = self.memory.space.pointers(self.memory.space.addresses(source), target, self.integers)
                result.data = np.where(misaligned, data, result.data)
                result.origin = np.where(misaligned, origin, source.origin)
        return result

    def load(self, pointer: Value, mask: Value | None, other: Value | None, *, volatile: bool = False) -> Value:
        """Load a block, of numbers or of pointers.

        Raises TypeError for a mask that is not of truth values.
        """
        _check_mask(mask)
        dtype = pointer.get_element_ty() if not _points_to_pointers(pointer) else tl.uint64
        loaded = self.memory.load(pointer, mask, other, dtype, volatile=volatile)
        result = self.as_pointers(loaded, pointer.dtype.element_ty) if _points_to_pointers(pointer) else loaded
        if self.memory.steps is not None:
            self.memory.steps.add_operation("load", result, pointer, mask)
        return result

    def store(self, pointer: Value, value: Value, mask: Value | None) -> None:
        """Store a block, of numbers or of pointers.

        Raises TypeError for a mask that is not of truth values.
        """
        _check_mask(mask)
        if self.multiplied and len(value.shape) > 1:
            # The compiler takes such a block through shared memory to store its rows, and all threads wait there.
            self.wait(stores=False)
        if _points_to_pointers(pointer):
            self.memory.store(pointer, self.as_integers(value, tl.uint64), mask, tl.uint64)
        else:
            self.memory.store(pointer, value, mask, pointer.get_element_ty())
        if self.memory.steps is not None:
            self.memory.steps.add_operation("store", value, pointer, mask)


def _check_mask(mask: Value | None) -> None:
    """Raise TypeError for a mask that is not of truth values.

    Triton's library refuses it, after its front end.
    """
    if mask is None:
        return
    if mask.dtype.scalar is not tl.int1:
        raise TypeError(f"a mask says yes or no, but this one is of type {mask.dtype.scalar}; expected a comparison")


def _points_to_pointers(pointer: Value) -> bool:
    return bool(pointer.dtype.is_ptr() and pointer.dtype.element_ty.is_ptr())
