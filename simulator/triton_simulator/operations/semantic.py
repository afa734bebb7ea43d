"""Triton's semantics, adapted to programs that run at once.

Types, broadcasting and promotion are overridden where such programs need others, or faster ones.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import triton.language as tl
from triton.language.semantic import TritonSemantic

from triton_simulator.operations.builder import Builder
from triton_simulator.operations.shapes import SIZES
from triton_simulator.values import blocks, conversions
from triton_simulator.values.value import Value

_CLOSED_DTYPES = {dtype.name: dtype for dtype in (tl.float32, tl.float64, tl.int32, tl.int64)}
"""Types of operands whose result has the same type, by their names.

That holds whatever the operation.
"""
_FITS = {int: frozenset(_CLOSED_DTYPES), float: frozenset((tl.float32.name, tl.float64.name))}
"""Types of blocks that a number of this kind takes, by its kind."""

Sizes = tuple[int, ...]


class _Format(str):
    """Name of a format.

    It is a plain string, as most versions of Triton want it, with the value that 3.6 asks for.
    """

    __slots__ = ()

    @property
    def value(self) -> str:
        """Return the name itself."""
        return str(self)


class Semantic(TritonSemantic):  # type: ignore[misc]  # Triton is untyped
    """Triton's semantics, with a shortcut where nothing is converted."""

    def binary_op_type_checking_impl(
        self,
        lhs: Any,
        rhs: Any,
        allow_lhs_ptr: bool = False,
        allow_rhs_ptr: bool = False,
        arithmetic_check: bool = True,
        div_or_mod: bool = False,
    ) -> Any:
        """Return both operands, with the same type and shape."""
        if arithmetic_check:
            if type(rhs) in _FITS:
                rhs = self._like(rhs, lhs)
            elif type(lhs) in _FITS:
                lhs = self._like(lhs, rhs)
        are_tensors = isinstance(lhs, tl.tensor) and isinstance(rhs, tl.tensor)
        has_one_dtype = are_tensors and lhs.dtype is rhs.dtype
        if has_one_dtype and lhs.dtype.name in _CLOSED_DTYPES:
            return self.broadcast_impl_value(lhs, rhs)
        return super().binary_op_type_checking_impl(
            lhs, rhs, allow_lhs_ptr, allow_rhs_ptr, arithmetic_check, div_or_mod
        )

    def _like(self, number: Any, block: Any) -> Any:
        """Return a number as a constant of a block's type, if it gets it.

        The number takes part in an operation with this block.
        """
        if not isinstance(self.builder, Builder):  # Triton's interpreter runs
            return number
        has_type = isinstance(block, tl.tensor) and block.dtype.name in _FITS[type(number)]
        fits = has_type and -(2**31) <= number < 2**31
        if not fits:
            return number
        # What becomes of -0.0 is for Triton to say: 3.6 makes 0.0 of it.
        is_negative_zero = not number and math.copysign(1, number) < 0
        if is_negative_zero:
            return number
        sizes = _sizes(block.type)
        if sizes is None:
            return number
        return tl.tensor(_constant(number, block.dtype.name, sizes), block.type)

    def broadcast_impl_value(self, lhs: Any, rhs: Any) -> Any:
        """Return both blocks with the same shape."""
        lhs_sizes, rhs_sizes = _sizes(lhs.type), _sizes(rhs.type)
        if lhs_sizes is not None and lhs_sizes == rhs_sizes:
            return lhs, rhs
        shape = _broadcast_sizes(lhs_sizes, rhs_sizes)
        if shape is None:
            return super().broadcast_impl_value(lhs, rhs)
        return self._spread(lhs, lhs_sizes, shape, rhs), self._spread(rhs, rhs_sizes, shape, lhs)

    def _spread(self, block: Any, sizes: Sizes | None, shape: Sizes, reference: Any) -> Any:
        if sizes == shape:
            return block
        # The other operand's type is taken where it fits: to create one takes longer than the broadcast.
        same = block.dtype is reference.dtype and _sizes(reference.type) == shape
        of_block = reference.type if same else tl.block_type(block.dtype, list(shape))
        if sizes:
            return tl.tensor(self.builder.create_broadcast(block.handle, shape), of_block)
        return tl.tensor(self.builder.create_splat(of_block, block.handle), of_block)

    def atomic_max(self, pointer: Any, value: Any, mask: Any, sem: str, scope: str) -> Any:
        """Store the larger value by an atomic, and return the old one."""
        return self._float_atomic("max", super().atomic_max, pointer, value, mask, sem, scope)

    def atomic_min(self, pointer: Any, value: Any, mask: Any, sem: str, scope: str) -> Any:
        """Store the smaller value by an atomic, and return the old one."""
        return self._float_atomic("min", super().atomic_min, pointer, value, mask, sem, scope)

    def _has_native_tma(self) -> bool:
        """Return whether descriptors are copied by TMA, as on our GPU.

        Triton would ask its driver, and there is none without a GPU.
        """
        return isinstance(self.builder, Builder) or bool(super()._has_native_tma())

    def dot_scaled(
        self, a: Any, a_scale: Any, a_format: Any, b: Any, b_scale: Any, b_format: Any, *options: Any
    ) -> Any:
        """Multiply blocks in microscaling formats."""
        names = (_Format(getattr(name, "value", name)) for name in (a_format, b_format))
        return super().dot_scaled(a, a_scale, next(names), b, b_scale, next(names), *options)

    def _float_atomic(
        self, name: str, on_integers: Callable[..., Any], pointer: Any, value: Any, mask: Any, sem: str, scope: str
    ) -> Any:
        """Update by the maximum or minimum of floats.

        Triton makes two of it, on its bits, which programs would share.
        """
        if not value.dtype.is_floating() or not isinstance(self.builder, Builder):
            return on_integers(pointer, value, mask, sem, scope)
        pointer, value, mask = self.atom_red_typechecking_impl(pointer, value, mask, name)
        order = self._str_to_sem(sem)
        old = self.builder.create_atomic_rmw(
            f"ATOMIC_OP.{name.upper()}", pointer.handle, value.handle, mask.handle, order, None
        )
        return tl.tensor(old, value.type)


@functools.lru_cache(maxsize=1024, typed=True)
def _constant(number: float, dtype: str, sizes: Sizes) -> Value:
    """Return a block of this number.

    All who ask get the same one, which none can change.

    A loop of a kernel asks for the same few again and again.
    """
    value = conversions.constant(number, _CLOSED_DTYPES[dtype])
    value.data.flags.writeable = False
    return blocks.splat(value, sizes)


def _sizes(of_block: Any) -> Sizes | None:
    """Return the shape of a block, or () for a scalar.

    None where it is not known.
    """
    return of_block.__dict__.get(SIZES) if of_block.is_block() else ()


def _broadcast_sizes(lhs: Sizes | None, rhs: Sizes | None) -> Sizes | None:
    """Return the shape that two shapes are broadcast to.

    None where that is for Triton to say.
    """
    if lhs is None:
        return None
    if rhs is None:
        return None
    if not lhs:
        return rhs
    if not rhs:
        return lhs
    # Triton adds axes to a block that has fewer, and has the message for sizes that clash.
    if len(lhs) != len(rhs):
        return None
    shape = tuple([b if a == 1 else a for a, b in zip(lhs, rhs, strict=True)])
    fits = all(b in (1, size) for b, size in zip(rhs, shape, strict=True))
    return shape if fits else None
