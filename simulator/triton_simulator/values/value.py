"""Values of every program of a group at once.

A `tl.tensor` holds one in the simulator.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from triton_simulator.values.formats import Array, undefined_value
from triton_simulator.values.undefined import stand_in

NOWHERE = 0
"""The origin of a pointer that belongs to no tensor.

Others count from 1: see `AddressSpace.regions`.
"""


class Value:
    """A scalar or a block in P programs.

    `data` has one axis more than `shape`, the first: the programs. Every axis has its full length, or 1 where all
    along it is the same: (1, 1, 16) holds a row that all programs and all rows of a (32, 16) block share. numpy's
    broadcasting does the rest.

    A pointer's `data` counts elements (int64) from the start of the tensor argument that it came from: its `origin`,
    one number, or one for each element where `tl.where` mixed two.

    `poison` says which elements nothing defined, one bool an element; None for none.
    `wrapped` says which elements of an int32 block (or of pointers made with one) overflowed on the way; None for none.
    `bounds` are the least and the greatest an integer can be, where that is known without looking.
    """

    __slots__ = ("attr", "bounds", "data", "dtype", "origin", "poison", "shape", "wrapped")

    def __init__(
        self,
        data: Array,
        dtype: Any,
        shape: tuple[int, ...] = (),
        origin: int | Array = NOWHERE,
        poison: Array | None = None,
        wrapped: Array | None = None,
        bounds: tuple[int, int] | None = None,
    ) -> None:
        self.data = data
        self.dtype = dtype
        self.shape = shape
        self.origin = origin
        self.poison = poison
        self.wrapped = wrapped
        self.bounds = bounds

    def get_element_ty(self) -> Any:
        """Return the type that a pointer points to, or a block is made of."""
        dtype = self.dtype
        while hasattr(dtype, "element_ty"):
            dtype = dtype.element_ty
        return dtype

    def set_attr(self, name: str, value: object) -> None:
        """Ignore a hint such as `tl.multiple_of`: it changes nothing here."""

    def clone(self) -> Value:
        """Return a copy."""
        return self.rearrange(np.copy, self.shape)

    def full(self) -> Array:
        """Return `data` with every axis of the block at its full length.

        Its shape is (P or 1, *shape).
        """
        return spread(self.data, self.shape)

    def single_program(self) -> Array:
        """Return the elements of the only running program.

        A scalar has no axes, so it prints as a number.
        """
        return np.asarray(spread(self.marked_data(), self.shape)[0])

    def limits(self) -> tuple[int, int]:
        """Return the smallest and the largest of an integer's elements."""
        if self.bounds is None:
            self.bounds = (int(self.data.min()), int(self.data.max())) if self.data.size else (0, 0)
        return self.bounds

    def rearrange(self, change: Callable[[Array], Array], shape: tuple[int, ...]) -> Value:
        """Return the same elements in another order.

        `change` applies to the data and to what is known about each element.
        """
        return Value(
            change(self.data),
            self.dtype,
            shape,
            change(self.origin) if isinstance(self.origin, np.ndarray) else self.origin,
            change(self.poison) if self.poison is not None else None,
            change(self.wrapped) if self.wrapped is not None else None,
            self.bounds,
        )

    def replace_where(self, where: Array, other: Value) -> Value:
        """Return the value with the elements of `other` where `where` is true."""
        result = Value(np.where(np.asarray(where), other.data, self.data), self.dtype, self.shape)
        if self.poison is not None or other.poison is not None:
            of_other = False if other.poison is None else other.poison
            of_self = False if self.poison is None else self.poison
            result.poison = np.where(where, of_other, of_self)
        return result

    def marked_data(self) -> Array:
        """Return `data` as it leaves the kernel, with undefined elements marked.

        Where nothing defined a number, this puts one that catches the eye; a pointer stays as it is.
        """
        if self.poison is None or self.dtype.scalar.is_ptr():
            return self.data
        return self._with_undefined(undefined_value(self.dtype.scalar))

    def _with_undefined(self, number: Any) -> Array:
        # As a plain mask: from poison, numpy would make poison of truth values, too.
        return np.where(np.asarray(self.poison), number, self.data).astype(self.data.dtype, copy=False)

    def replace_undefined(self) -> Value:
        """Let undefined elements be any number, and return the value."""
        if self.poison is not None and not self.dtype.scalar.is_ptr():
            self.data, self.bounds = self._with_undefined(stand_in(self.dtype.scalar)), None
        return self

    def with_data(self, data: Array, dtype: Any) -> Value:
        """Return the value with another number for each element.

        The same elements stay undefined.
        """
        return Value(data, dtype, self.shape, poison=self.poison)


def spread(data: Array, shape: tuple[int, ...]) -> Array:
    """Return a value's array broadcast over the block, not over the programs."""
    full = (data.shape[0], *shape)
    return data if data.shape == full else np.broadcast_to(data, full)


def combined_poison(*values: Value) -> Array | None:
    """Return the poison of a result that depends on all values.

    An element depends on the same element of each value.
    """
    poison: Array | None = None
    for value in values:
        poison = union(poison, value.poison)
    return poison


def union(poison: Array | None, other: Array | None) -> Array | None:
    """Return the elements that are undefined in either."""
    if poison is None:
        return other
    if other is None:
        return poison
    return poison if poison is other else poison | other


def any_wrapped(*values: Value) -> Array | None:
    """Return where a sum or product of values has a wrapped part."""
    wrapped: Array | None = None
    for value in values:
        if value.wrapped is not None:
            wrapped = value.wrapped if wrapped is None else wrapped | value.wrapped
    return wrapped


def uniform_origin(*values: Value) -> bool:
    """Return whether all pointers came from the same argument."""
    first = values[0].origin
    return all(isinstance(value.origin, int) and value.origin == first for value in values)
