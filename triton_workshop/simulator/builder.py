# ruff: noqa: N802, N815  # the names are those of Triton's builder
"""Triton's operations, carried out with numpy for every program of a group at once.

Triton's own semantics (types, broadcasting, promotion) call this builder instead of the one that would emit a
compiler's instructions. Operations that it lacks go to the builder of Triton's interpreter, one program at a time.
"""

from __future__ import annotations

import dataclasses
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import triton.language as tl
from triton._C.libtriton import ir
from triton.runtime import interpreter as upstream

from triton_workshop.simulator import arithmetic, blocks, dot
from triton_workshop.simulator.faults import program_name
from triton_workshop.simulator.formats import (
    NUMPY,
    Array,
    compute_rounded,
    decode,
    encode,
    held_as,
    integers,
    narrowed,
    rounded,
    stored_as,
    truncated,
    undefined,
)
from triton_workshop.simulator.libdevice import function_of
from triton_workshop.simulator.memory import Memory
from triton_workshop.simulator.signals import LookedAt, Restart
from triton_workshop.simulator.values import Value, any_wrapped, either, spread, uniform_origin

INT32 = (-(2**31), 2**31 - 1)


class Builder:
    """Every `create_…` takes and gives `Value`s; the names are those that Triton's semantics call."""

    def __init__(self) -> None:
        self.upstream = upstream.InterpreterBuilder()
        self.options = dataclasses.replace(
            self.upstream.options,
            debug=True,  # assertions are checked
            sanitize_overflow=False,  # an offset that wraps is found when it is used
            allowed_dot_input_precisions=("tf32", "tf32x3", "bf16x3", "bf16x6", "ieee"),
        )
        self.codegen_fns = self.upstream.codegen_fns
        self.grid: tuple[int, int, int] = (1, 1, 1)
        self.ids: tuple[Array, ...] = ()
        """The program ids of the group, an int32 array for each axis: (P,), or (1,) if all are the same."""
        self.memory: Memory
        self.integers: dict[str, int] = {}
        """The integers among the kernel's arguments: one may be an address."""
        self.combining = False
        """Whether a function that combines two elements for `tl.reduce` runs: it gets whole blocks of them."""
        self.largest = 1
        """Elements of the largest block so far."""

    def __getattr__(self, name: str) -> Any:
        member = getattr(self.upstream, name)  # types, and operations that this builder lacks
        return self._one_by_one(name, member) if name.startswith("create_") else member

    # Constants

    def get_int1(self, value: Any) -> Value:
        return constant(bool(value), tl.int1)

    def get_int8(self, value: Any) -> Value:
        return whole(value, tl.int8)

    def get_uint8(self, value: Any) -> Value:
        return whole(value, tl.uint8)

    def get_int16(self, value: Any) -> Value:
        return whole(value, tl.int16)

    def get_uint16(self, value: Any) -> Value:
        return whole(value, tl.uint16)

    def get_int32(self, value: Any) -> Value:
        return whole(value, tl.int32)

    def get_uint32(self, value: Any) -> Value:
        return whole(value, tl.uint32)

    def get_int64(self, value: Any) -> Value:
        return whole(value, tl.int64)

    def get_uint64(self, value: Any) -> Value:
        return whole(value, tl.uint64)

    def get_fp16(self, value: Any) -> Value:
        return constant(value, tl.float16)

    def get_bf16(self, value: Any) -> Value:
        return constant(value, tl.bfloat16)

    def get_fp32(self, value: Any) -> Value:
        return constant(value, tl.float32)

    def get_fp64(self, value: Any) -> Value:
        return constant(value, tl.float64)

    def get_null_value(self, dtype: Any) -> Value:
        return Value(np.zeros(1, held_as(dtype.scalar)), dtype.scalar)

    def get_all_ones_value(self, dtype: Any) -> Value:
        native = held_as(dtype.scalar)
        ones = np.array([True]) if native.kind == "b" else np.array([-1]).astype(native)
        return Value(ones, dtype.scalar)

    # Programs

    def create_get_program_id(self, axis: int) -> Value:
        return Value(self.ids[axis], tl.int32, bounds=(0, self.grid[axis] - 1))

    def create_get_num_programs(self, axis: int) -> Value:
        return constant(self.grid[axis], tl.int32)

    def create_make_range(self, _type: Any, start: int, stop: int) -> Value:
        self._note((stop - start,))
        data = np.arange(start, stop, dtype=np.int32)[None]
        return Value(data, tl.int32, (stop - start,), bounds=(start, max(start, stop - 1)))

    def create_barrier(self) -> None:
        """Do nothing: programs do not share anything that a barrier would order."""

    # Memory

    def create_load(self, pointer: Value, *policy: Any) -> Value:
        return self._load(pointer, None, None, volatile=policy[-1] is True)

    def create_masked_load(self, pointer: Value, mask: Value, other: Value | None, *policy: Any) -> Value:
        return self._load(pointer, mask, other, volatile=policy[-1] is True)

    def create_store(self, pointer: Value, value: Value, *_policy: Any) -> None:
        self._store(pointer, value, None)

    def create_masked_store(self, pointer: Value, value: Value, mask: Value, *_policy: Any) -> None:
        self._store(pointer, value, mask)

    def _load(self, pointer: Value, mask: Value | None, other: Value | None, *, volatile: bool = False) -> Value:
        _check_mask(mask)
        dtype = pointer.get_element_ty() if not _points_to_pointers(pointer) else tl.uint64
        loaded = self.memory.load(pointer, mask, other, dtype, volatile=volatile)
        return self.create_int_to_ptr(loaded, pointer.dtype.element_ty) if _points_to_pointers(pointer) else loaded

    def _store(self, pointer: Value, value: Value, mask: Value | None) -> None:
        _check_mask(mask)
        if _points_to_pointers(pointer):
            self.memory.store(pointer, self.create_ptr_to_int(value, tl.uint64), mask, tl.uint64)
        else:
            self.memory.store(pointer, value, mask, pointer.get_element_ty())

    def create_addptr(self, pointer: Value, offset: Value) -> Value:
        pointer, offset = _aligned(pointer, offset)
        return Value(
            pointer.data + offset.data.astype(np.int64, copy=False),
            pointer.dtype,
            pointer.shape,
            pointer.origin,
            either(pointer, offset),
            any_wrapped(pointer, offset),
        )

    def create_int_to_ptr(self, source: Value, dtype: Any) -> Value:
        if source.dtype.scalar.is_ptr():
            return self.create_bitcast(source, dtype)
        data, origin = self.memory.pointers(source.data, dtype.scalar, self.integers)
        return Value(data, dtype.scalar, source.shape, origin, source.poison)

    def create_ptr_to_int(self, source: Value, dtype: Any) -> Value:
        return source.with_data(self.memory.addresses(source).astype(held_as(dtype.scalar)), dtype.scalar)

    # Conversions

    def _convert(self, source: Value, dtype: Any, *_: Any) -> Value:
        target = dtype.scalar
        data = source.data.astype(held_as(target), copy=False)
        if target not in NUMPY and data.dtype == np.float32:
            data = rounded(narrowed(source.data) if source.data.dtype == np.float64 else data, target)
        result = source.with_data(data, target)
        if target.is_int() and source.dtype.scalar.is_int():
            result.wrapped = source.wrapped
            low, high = source.bounds or (1, 0)
            if low <= high and _fits(low, high, data.dtype):
                result.bounds = source.bounds
        return result

    create_si_to_fp = create_ui_to_fp = create_fp_ext = create_fp_trunc = create_int_cast = _convert

    def create_fp_to_si(self, source: Value, dtype: Any) -> Value:
        return source.with_data(integers(source.data, dtype.scalar), dtype.scalar)

    create_fp_to_ui = create_fp_to_si

    def create_fp_to_fp(self, source: Value, dtype: Any, rounding: Any = None) -> Value:
        if rounding == ir.ROUNDING_MODE.RTZ:
            return source.with_data(truncated(source.data, dtype.scalar), dtype.scalar)
        return self._convert(source, dtype)

    def create_bitcast(self, source: Value, dtype: Any) -> Value:
        target = dtype.scalar
        if source.dtype.scalar.is_ptr():
            return self._repoint(source, target)
        bits = np.ascontiguousarray(encode(source.data, source.dtype.scalar)).view(stored_as(target))
        return source.with_data(decode(bits, target), target)

    def _repoint(self, source: Value, target: Any) -> Value:
        """The same addresses, seen as pointers to another type."""
        old = stored_as(source.get_element_ty()).itemsize
        result = source.rearranged(lambda part: part, source.shape)
        result.dtype = target
        new = stored_as(result.get_element_ty()).itemsize
        if old != new:
            result.data = source.data * old // new
            misaligned = source.data * old % new != 0
            if misaligned.any():
                data, origin = self.memory.pointers(self.memory.addresses(source), target, self.integers)
                result.data = np.where(misaligned, data, result.data)
                result.origin = np.where(misaligned, origin, source.origin)
        return result

    # Arithmetic

    def _elementwise(self, a: Value, b: Value, operation: Callable[..., Array], *, chooses: bool = False) -> Value:
        """`chooses`: the result is one of the operands, or made of their bits, so there is nothing to round."""
        a, b = _aligned(a, b)
        dtype = a.dtype.scalar
        data = operation(a.data, b.data) if chooses else compute_rounded(operation, dtype, a.data, b.data)
        if dtype is tl.int1 and data.dtype.kind != "b":
            data = (data & 1).astype(np.bool_)  # numpy's arithmetic makes bytes of truth values
        result = Value(data, dtype, a.shape)
        if a.poison is not None or b.poison is not None:
            result.poison = either(a, b)
        return result

    def _float(self, a: Value, b: Value, operation: Callable[..., Array]) -> Value:
        result = self._elementwise(a, b, operation)
        self._operations(result)
        return result

    def _integer(self, a: Value, b: Value, operation: Callable[..., Array], limits: Callable[..., Any]) -> Value:
        """Add, subtract or multiply, and remember where an int32 wraps."""
        if a.dtype.scalar is tl.int1:
            return self._elementwise(a, b, np.logical_and if operation is np.multiply else np.logical_xor)
        result = self._elementwise(a, b, operation)
        if a.wrapped is not None or b.wrapped is not None:
            a, b = _aligned(a, b)
            result.wrapped = any_wrapped(a, b)
        if result.dtype is tl.int32:
            low, high = limits(a.limits(), b.limits())
            if low >= INT32[0] and high <= INT32[1]:
                result.bounds = (low, high)
            else:
                a, b = _aligned(a, b)
                exact = operation(a.data.astype(np.int64), b.data.astype(np.int64))
                wrapped = exact != result.data
                if wrapped.any():
                    result.wrapped = wrapped if result.wrapped is None else result.wrapped | wrapped
        return result

    def create_add(self, a: Value, b: Value) -> Value:
        return self._integer(a, b, np.add, lambda x, y: (x[0] + y[0], x[1] + y[1]))

    def create_sub(self, a: Value, b: Value) -> Value:
        return self._integer(a, b, np.subtract, lambda x, y: (x[0] - y[1], x[1] - y[0]))

    def create_mul(self, a: Value, b: Value) -> Value:
        return self._integer(a, b, np.multiply, _product_limits)

    def create_fadd(self, a: Value, b: Value) -> Value:
        return self._float(a, b, np.add)

    def create_fsub(self, a: Value, b: Value) -> Value:
        return self._float(a, b, np.subtract)

    def create_fmul(self, a: Value, b: Value) -> Value:
        return self._float(a, b, np.multiply)

    def create_fdiv(self, a: Value, b: Value) -> Value:
        return self._float(a, b, np.divide)

    create_precise_divf = create_approx_divf = create_fdiv

    def create_frem(self, a: Value, b: Value) -> Value:
        return self._float(a, b, np.fmod)

    def create_sdiv(self, a: Value, b: Value) -> Value:
        # Rounds towards zero, while numpy rounds down: the two differ only below zero.
        return self._elementwise(a, b, np.floor_divide if _positive(a, b) else arithmetic.divide_towards_zero)

    create_udiv = create_sdiv

    def create_srem(self, a: Value, b: Value) -> Value:
        return self._elementwise(a, b, np.remainder if _positive(a, b) else np.fmod)

    create_urem = create_srem

    def create_and(self, a: Value, b: Value) -> Value:
        return self._logical(a, b, np.bitwise_and, deciding=False)

    def create_or(self, a: Value, b: Value) -> Value:
        return self._logical(a, b, np.bitwise_or, deciding=True)

    def _logical(self, a: Value, b: Value, operation: Callable[..., Array], *, deciding: bool) -> Value:
        """One of two booleans may decide alone: then it does not matter that the other is undefined."""
        result = self._bitwise(a, b, operation)
        if isinstance(result.poison, np.ndarray) and result.dtype is tl.int1:
            a, b = _aligned(a, b)
            for value in (a, b):
                decides = value.data == deciding
                result.poison = result.poison & ~(decides if value.poison is None else decides & ~value.poison)
        return result

    def _bitwise(self, a: Value, b: Value, operation: Callable[..., Array]) -> Value:
        dtype = a.dtype.scalar
        if not dtype.is_floating():
            return self._elementwise(a, b, operation)
        stored = stored_as(dtype)
        a, b = (value.with_data(encode(value.data, value.dtype.scalar).view(stored), value.dtype) for value in (a, b))
        return self._elementwise(a, b, lambda x, y: decode(operation(x, y), dtype), chooses=True)

    def create_xor(self, a: Value, b: Value) -> Value:
        return self._bitwise(a, b, np.bitwise_xor)

    def create_shl(self, a: Value, b: Value) -> Value:
        return self._elementwise(a, b, np.left_shift)

    def create_lshr(self, a: Value, b: Value) -> Value:
        return self._shift(a, b, "u")

    def create_ashr(self, a: Value, b: Value) -> Value:
        return self._shift(a, b, "i")

    def _shift(self, a: Value, b: Value, sign: str) -> Value:
        if a.data.dtype.kind == "b":
            return self._elementwise(a, b, lambda x, y: x & ~y)
        kind = np.dtype(f"{sign}{a.data.dtype.itemsize}")
        return self._elementwise(a, b, lambda x, y: (x.astype(kind) >> y.astype(kind)).astype(x.dtype))

    def create_umulhi(self, a: Value, b: Value) -> Value:
        return self._elementwise(a, b, arithmetic.high_half)

    def create_minsi(self, a: Value, b: Value) -> Value:
        return self._extremum(a, b, np.minimum)

    def create_maxsi(self, a: Value, b: Value) -> Value:
        return self._extremum(a, b, np.maximum)

    create_minui, create_maxui = create_minsi, create_maxsi
    create_minimumf, create_maximumf = create_minsi, create_maxsi

    def create_minnumf(self, a: Value, b: Value) -> Value:
        return self._extremum(a, b, np.fmin)

    def create_maxnumf(self, a: Value, b: Value) -> Value:
        return self._extremum(a, b, np.fmax)

    def _extremum(self, a: Value, b: Value, operation: Callable[..., Array]) -> Value:
        result = self._elementwise(a, b, operation, chooses=True)
        self._operations(result)
        return self.show_poison(result)

    def create_clampf(self, x: Value, low: Value, high: Value, propagate: Any) -> Value:
        quiet = propagate == ir.PROPAGATE_NAN.NONE
        larger, smaller = (np.fmax, np.fmin) if quiet else (np.maximum, np.minimum)
        return self._extremum(self._extremum(x, low, larger), high, smaller)

    def show_poison(self, result: Value) -> Value:
        """Make undefined elements show after an operation that may have hidden them (a maximum ignores NaN)."""
        if result.poison is None:
            return result
        self.memory.need_exact_poison("a result may hide an undefined value")
        result.data = np.where(result.poison, undefined(result.dtype), result.data).astype(result.data.dtype)
        return result

    # Comparisons

    def _compare(self, a: Value, b: Value, operation: Callable[..., Array]) -> Value:
        a, b = _aligned(a, b)
        a, b = self.as_numbers(a), self.as_numbers(b)
        return Value(operation(a.data, b.data), tl.int1, a.shape, poison=either(a, b))

    def create_icmpSLT(self, a: Value, b: Value) -> Value:
        return self._compare(a, b, np.less)

    def create_icmpSLE(self, a: Value, b: Value) -> Value:
        return self._compare(a, b, np.less_equal)

    def create_icmpSGT(self, a: Value, b: Value) -> Value:
        return self._compare(a, b, np.greater)

    def create_icmpSGE(self, a: Value, b: Value) -> Value:
        return self._compare(a, b, np.greater_equal)

    def create_icmpEQ(self, a: Value, b: Value) -> Value:
        return self._compare(a, b, np.equal)

    def create_icmpNE(self, a: Value, b: Value) -> Value:
        return self._compare(a, b, np.not_equal)

    # Of floats, "ordered" means false for NaN and "unordered" true; Triton asks for no other combinations.
    create_icmpULT = create_fcmpOLT = create_icmpSLT
    create_icmpULE = create_fcmpOLE = create_icmpSLE
    create_icmpUGT = create_fcmpOGT = create_icmpSGT
    create_icmpUGE = create_fcmpOGE = create_icmpSGE
    create_fcmpOEQ, create_fcmpUNE = create_icmpEQ, create_icmpNE

    # One and three operands

    def _unary(self, a: Value, operation: Callable[..., Array]) -> Value:
        dtype = a.dtype.scalar
        if dtype.is_int():
            raise TypeError(f"expected floats, since a GPU computes this for no other type; got {dtype}")
        result = a.with_data(compute_rounded(operation, dtype, a.data).astype(a.data.dtype, copy=False), dtype)
        self._operations(result)
        return result

    def _signed(self, a: Value, operation: Callable[..., Array]) -> Value:
        """Another sign, and nothing to round."""
        result = a.with_data(operation(a.data), a.dtype.scalar)
        self._operations(result)
        return result

    def create_fneg(self, a: Value) -> Value:
        return self._signed(a, np.negative)

    def create_fabs(self, a: Value) -> Value:
        return self._signed(a, np.abs)

    create_iabs = create_fabs

    def create_exp(self, a: Value) -> Value:
        return self._unary(a, np.exp)

    def create_exp2(self, a: Value) -> Value:
        return self._unary(a, np.exp2)

    def create_log(self, a: Value) -> Value:
        return self._unary(a, np.log)

    def create_log2(self, a: Value) -> Value:
        return self._unary(a, np.log2)

    def create_sin(self, a: Value) -> Value:
        return self._unary(a, np.sin)

    def create_cos(self, a: Value) -> Value:
        return self._unary(a, np.cos)

    def create_sqrt(self, a: Value) -> Value:
        return self._unary(a, np.sqrt)

    create_precise_sqrt = create_sqrt

    def create_rsqrt(self, a: Value) -> Value:
        return self._unary(a, lambda x: 1 / np.sqrt(x))

    def create_floor(self, a: Value) -> Value:
        return self._unary(a, np.floor)

    def create_ceil(self, a: Value) -> Value:
        return self._unary(a, np.ceil)

    def create_erf(self, a: Value) -> Value:
        return self._unary(a, np.vectorize(math.erf, otypes=[np.float64]))

    def create_fma(self, x: Value, y: Value, z: Value) -> Value:
        x, y = _aligned(x, y)
        x, z = _aligned(x, z)
        data = arithmetic.fused(z.dtype.scalar, *np.broadcast_arrays(x.data, y.data, z.data))
        result = Value(data, z.dtype.scalar, z.shape, poison=either(x, y, z))
        self._operations(result, each=2)
        return result

    def create_extern_elementwise(
        self, _library: str, _path: str, symbol: str, operands: list[Value], dtype: Any, _pure: bool
    ) -> Value:
        first, *_ = operands
        data = function_of(symbol)(*(value.data for value in operands))
        whole_numbers = data.dtype.kind == "f" and dtype.scalar.is_int()
        data = integers(data, dtype.scalar) if whole_numbers else data.astype(held_as(dtype.scalar))
        result = Value(data, dtype.scalar, first.shape, poison=either(*operands))
        self._operations(result)
        return result

    def create_select(self, condition: Value, a: Value, b: Value) -> Value:
        a, b = _aligned(a, b)
        condition, a = _aligned(condition, a)
        if condition.dtype is not tl.int1:
            condition = condition.with_data(condition.data != 0, tl.int1)
        chosen = condition.data
        result = Value(np.where(chosen, a.data, b.data), a.dtype.scalar, a.shape)
        if a.dtype.scalar.is_ptr():
            result.origin = a.origin if uniform_origin(a, b) else np.where(chosen, a.origin, b.origin)
        result.poison = _selected_poison(condition, a, b)
        if a.wrapped is not None or b.wrapped is not None:
            result.wrapped = np.where(chosen, *(False if v.wrapped is None else v.wrapped for v in (a, b)))
        return result

    # Shapes

    def create_splat(self, dtype: Any, scalar: Value) -> Value:
        shape = tuple(int(size) for size in dtype.shape)
        self._note(shape)
        ones = (1,) * len(shape)
        return scalar.rearranged(lambda data: data.reshape(data.shape[0], *ones), shape)

    def create_unsplat(self, block: Value) -> Value:
        return block.rearranged(lambda data: data.reshape(data.shape[0], -1)[:, 0], ())

    def create_expand_dims(self, block: Value, axis: int) -> Value:
        shape = (*block.shape[:axis], 1, *block.shape[axis:])
        return block.rearranged(lambda data: np.expand_dims(data, axis + 1), shape)

    def create_broadcast(self, block: Value, shape: Any) -> Value:
        target = tuple(int(size) for size in shape)
        self._note(target)
        return block.rearranged(lambda data: data, target)

    def create_reshape(self, block: Value, shape: Any, _reorder: bool = False) -> Value:
        target = tuple(int(size) for size in shape)
        return block.rearranged(lambda data: _reshaped(data, block.shape, target), target)

    def create_trans(self, block: Value, order: Any) -> Value:
        axes = tuple(int(axis) for axis in order)
        shape = tuple(block.shape[axis] for axis in axes)
        return block.rearranged(lambda data: data.transpose(0, *(axis + 1 for axis in axes)), shape)

    def create_cat(self, a: Value, b: Value) -> Value:
        shape = (a.shape[0] + b.shape[0], *a.shape[1:])
        self._note(shape)
        return blocks.combined(a, b, shape, lambda parts: np.concatenate(parts, axis=1))

    def create_join(self, a: Value, b: Value) -> Value:
        shape = (*a.shape, 2)
        self._note(shape)
        return blocks.combined(a, b, shape, lambda parts: np.stack(parts, axis=-1))

    def create_split(self, block: Value) -> tuple[Value, Value]:
        def half(which: int) -> Value:
            return block.rearranged(lambda data: spread(data, block.shape)[..., which], block.shape[:-1])

        return half(0), half(1)

    def create_gather(self, source: Value, index: Value, axis: int) -> Value:
        result = blocks.gather(source, index, axis)
        self._note(index.shape)
        return result

    def create_histogram(self, values: Value, bins: int, mask: Value | None = None) -> Value:
        return blocks.histogram(values, int(bins), mask)

    # Matrices

    def create_dot(self, a: Value, b: Value, accumulator: Value, precision: Any, _imprecise: Any = None) -> Value:
        self.memory.results.combine(a, -1)
        self.memory.results.combine(b, -2)
        result = dot.multiply(a, b, accumulator, precision)
        self._note(result.shape)
        self._operations(result, each=2 * a.shape[-1])
        self._product(result, a, dot.multiplied(a.dtype.scalar, precision))
        return result

    def create_dot_scaled(
        self,
        a: Value,
        a_scale: Value | None,
        a_format: Any,
        b: Value,
        b_scale: Value | None,
        b_format: Any,
        _fast: bool,
        a_packed: bool,
        b_packed: bool,
        accumulator: Value,
    ) -> Value:
        e2m1 = type(a_format).E2M1
        left_axis, right_axis = -1 if a_packed else -2, -2 if b_packed else -1
        left = dot.scaled_operand(a, a_scale, left_axis if a_format == e2m1 else None, right=False)
        right = dot.scaled_operand(b, b_scale, right_axis if b_format == e2m1 else None, right=True)
        result = dot.multiply(left, right, accumulator, "IEEE")
        self._note(result.shape)
        self._operations(result, each=2 * left.shape[-1])
        self._product(result, left, "scaled")
        return result

    # Atomics

    def create_atomic_rmw(self, kind: Any, pointer: Value, value: Value, mask: Value, order: Any, _scope: Any) -> Value:
        return self._update(arithmetic.UPDATES[str(kind).rpartition(".")[2]], pointer, (value,), mask, order)

    def create_atomic_cas(self, pointer: Value, expected: Value, value: Value, _order: Any, _scope: Any) -> Value:
        # Who compares waits for what it finds: a lock holds whatever its `sem` is, as on a GPU.
        return self._update(
            arithmetic.compare_and_swap, pointer, (expected, value), None, ir.MEM_SEMANTIC.ACQUIRE_RELEASE
        )

    def create_atomic_load(self, pointer: Value, mask: Value | None, order: Any, _scope: Any) -> Value:
        return self._update(lambda old: old, pointer, (), mask, order)

    def create_atomic_store(self, pointer: Value, value: Value, mask: Value | None, order: Any, _scope: Any) -> None:
        self._update(lambda old, new: new, pointer, (value,), mask, order)

    def create_atomic_poll(self, pointer: Value, expected: Value, timeout: Any, order: Any, _scope: Any) -> Value:
        while True:  # a program that waits lets the others run: see `Memory.wait`
            seen = self._update(lambda old: old, pointer, (), None, order)
            result = self._compare(seen, expected, np.equal)
            if isinstance(timeout, Value) or result.data.all():
                return result

    def _update(
        self,
        step: Callable[..., Array],
        pointer: Value,
        operands: tuple[Value, ...],
        mask: Value | None,
        order: Any,
    ) -> Value:
        dtype = pointer.get_element_ty()

        def exact(old: Array, *new: Array) -> Array:
            return compute_rounded(step, dtype, old, *(part.astype(old.dtype, copy=False) for part in new))

        acquires = order in (ir.MEM_SEMANTIC.ACQUIRE, ir.MEM_SEMANTIC.ACQUIRE_RELEASE)
        releases = order in (ir.MEM_SEMANTIC.RELEASE, ir.MEM_SEMANTIC.ACQUIRE_RELEASE)
        return self.memory.update(
            pointer,
            operands,
            mask,
            dtype,
            exact,
            acquires=acquires,
            releases=releases,
            compares=step is arithmetic.compare_and_swap,
        )

    # Descriptors and block pointers

    def create_make_tensor_descriptor(
        self, base: Value, shape: Any, strides: Any, block: Any, _signed: Any = None, padding: Any = None
    ) -> blocks.Tile:
        tile = blocks.Tile(base, tuple(shape), tuple(strides), tuple(int(size) for size in block), padding)
        address = self.memory.addresses(base)
        item = stored_as(base.get_element_ty()).itemsize
        assert (address % np.uint64(16) == 0).all(), "base must be 16-byte aligned"
        assert len(tile.strides) == len(tile.block), "a descriptor needs a stride for each axis"
        for stride in tile.strides[:-1]:
            assert (stride.data * item % 16 == 0).all(), "stride must be 16-byte aligned"
        assert (tile.strides[-1].data == 1).all(), "last dim must be contiguous"
        return tile

    def create_descriptor_load(self, tile: blocks.Tile, offsets: list[Value], *_policy: Any) -> Value:
        pointer, mask = self._described(tile, offsets)
        loaded = self._load(pointer, mask, self._padding(tile, pointer.shape))
        if tile.round_f32_to_tf32 and loaded.dtype is tl.float32:
            loaded = loaded.with_data(dot.tf32(loaded.data), loaded.dtype)
        return loaded

    def create_descriptor_store(self, tile: blocks.Tile, value: Value, offsets: list[Value]) -> None:
        pointer, mask = self._described(tile, offsets)
        self._store(pointer, value, mask)

    def create_descriptor_reduce(self, kind: Any, tile: blocks.Tile, value: Value, offsets: list[Value]) -> None:
        pointer, mask = self._described(tile, offsets)
        self._update(arithmetic.UPDATES[str(kind).rpartition(".")[2]], pointer, (value,), mask, ir.MEM_SEMANTIC.RELAXED)

    def create_descriptor_gather(self, tile: blocks.Tile, rows: Value, column: Value, _type: Any) -> Value:
        pointer, mask = tile.rows(rows, column)
        self._note(pointer.shape)
        return self._load(pointer, mask, self._padding(tile, pointer.shape))

    def create_descriptor_scatter(self, tile: blocks.Tile, value: Value, rows: Value, column: Value) -> None:
        pointer, mask = tile.rows(rows, column)
        self._store(pointer, value, mask)

    def _described(self, tile: blocks.Tile, offsets: list[Value]) -> tuple[Value, Value]:
        item = stored_as(tile.base.get_element_ty()).itemsize
        assert (offsets[-1].data * item % 16 == 0).all(), "block offset start must be 16-byte aligned"
        pointer, mask = tile.pointers(tuple(offsets), range(len(tile.block)))
        self._note(pointer.shape)
        return pointer, mask

    def _padding(self, tile: blocks.Tile, shape: tuple[int, ...]) -> Value | None:
        """What a load gives outside the shape of a descriptor: zeros, or NaN."""
        if tile.padding is None:
            return None
        dtype = tile.base.get_element_ty()
        fill = np.nan if tile.padding == ir.PADDING_OPTION.PAD_NAN else 0
        return Value(np.full((1,) * (len(shape) + 1), fill).astype(held_as(dtype)), dtype, shape)

    def create_make_block_ptr(
        self, base: Value, shape: Any, strides: Any, offsets: Any, block: Any, _order: Any
    ) -> blocks.Tile:
        sizes = tuple(int(size) for size in block)
        return blocks.Tile(base, tuple(shape), tuple(strides), sizes, None, tuple(offsets))

    def create_advance(self, tile: blocks.Tile, steps: list[Value]) -> blocks.Tile:
        offsets = (self.create_add(old, step) for old, step in zip(tile.offsets, steps, strict=True))
        return dataclasses.replace(tile, offsets=tuple(offsets))

    def create_tensor_pointer_load(self, tile: blocks.Tile, checked: Any, padding: Any, *_policy: Any) -> Value:
        pointer, mask = tile.pointers(tile.offsets, checked)
        self._note(pointer.shape)
        other = self._padding(dataclasses.replace(tile, padding=padding), pointer.shape)
        return self._load(pointer, mask if len(checked) else None, other if len(checked) else None)

    def create_tensor_pointer_store(self, tile: blocks.Tile, value: Value, checked: Any, *_policy: Any) -> None:
        pointer, mask = tile.pointers(tile.offsets, checked)
        self._store(pointer, value, mask if len(checked) else None)

    # Debugging

    def create_print(self, prefix: str, hexadecimal: bool, values: list[Value], _signed: Any) -> None:
        if not self.memory.plan.one_by_one:
            raise LookedAt("device_print")
        program = tuple(int(ids[0]) for ids in self.ids)
        formatter: Any = {"all": _hexadecimal} if hexadecimal else None
        for value in values:
            print(program, prefix, np.array2string(self.as_numbers(value).of_one_program(), formatter=formatter))

    def as_numbers(self, value: Value) -> Value:
        """A pointer's addresses; other values as they are."""
        return self.create_ptr_to_int(value, tl.uint64) if value.dtype.scalar.is_ptr() else value

    def create_assert(self, condition: Value, message: str) -> None:
        condition = self.as_numbers(condition)
        if not condition.data.all():
            program = program_name(self.memory.log.program(int(self.memory.group[0])))
            raise AssertionError(f"{message or 'an assertion failed'}, in {program}")

    def create_assume(self, condition: Value) -> None:
        assert condition.data.all(), "tl.assume was given a condition that is false"

    # Operations that this builder lacks

    def _one_by_one(self, name: str, member: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            plan = self.memory.plan
            if not plan.one_by_one:
                raise Restart(f"{name} is not batched", dataclasses.replace(plan, one_by_one=True))
            return from_upstream(member(*(as_upstream(argument) for argument in arguments), **named))

        return call

    def _note(self, shape: tuple[int, ...]) -> None:
        self.largest = max(self.largest, math.prod(shape))

    def _operations(self, result: Value, each: int = 1) -> None:
        counts = self.memory.counts
        if counts is not None and result.dtype.is_floating():
            counts.operations += each * math.prod(result.shape) * len(self.memory.group)

    def _product(self, result: Value, a: Value, what: str) -> None:
        counts = self.memory.counts
        if counts is not None and result.dtype.is_floating():
            counts.multiply(what, 2 * a.shape[-1] * math.prod(result.shape) * len(self.memory.group))


def as_upstream(value: Any) -> Any:
    """One program's value as Triton's interpreter holds it: bits for small floats, no axis of programs."""
    if not isinstance(value, Value):
        return value
    data = encode(value.full(), value.dtype.scalar)
    return upstream.TensorHandle(data[0] if value.shape else data, value.dtype)


def from_upstream(result: Any) -> Any:
    if isinstance(result, tuple):
        return tuple(from_upstream(part) for part in result)
    if not isinstance(result, upstream.TensorHandle):
        return result
    dtype = result.dtype.scalar
    data = np.asarray(result.data)
    scalar = data.size == 1
    data = data.reshape(1) if scalar else data[None]
    return Value(decode(data.astype(stored_as(dtype), copy=False), dtype), dtype, () if scalar else data.shape[1:])


def _hexadecimal(number: Any) -> str:
    """As Triton's interpreter writes it."""
    return float(number).hex() if isinstance(number, np.floating) else f"0x{int(number):0{number.itemsize * 2}x}"


def _check_mask(mask: Value | None) -> None:
    """Triton's library refuses other masks, after its front end."""
    if mask is not None and mask.dtype.scalar is not tl.int1:
        raise TypeError(f"a mask says yes or no, but this one is of type {mask.dtype.scalar}; expected a comparison")


def constant(value: Any, dtype: Any) -> Value:
    """A number that all programs share."""
    data = rounded(np.array([value]).astype(held_as(dtype)), dtype)
    bounds = (int(data[0]), int(data[0])) if data.dtype.kind in "iu" else None
    return Value(data, dtype, bounds=bounds)


def whole(value: Any, dtype: Any) -> Value:
    """An integer that all programs share. As the compiler's builder, this refuses 1.5, and -1 if it is unsigned."""
    number = operator.index(value)
    if number < 0 and dtype.is_int_unsigned():
        raise TypeError(f"{number} is no value of {dtype}")
    return constant(number, dtype)


def _points_to_pointers(pointer: Value) -> bool:
    return bool(pointer.dtype.is_ptr() and pointer.dtype.element_ty.is_ptr())


def _aligned(a: Value, b: Value) -> tuple[Value, Value]:
    """Give both the same block shape: a scalar combined with a block counts for the whole block."""
    if len(a.shape) == len(b.shape):
        return a, b
    if len(a.shape) > len(b.shape):
        return a, _as_block(b, a.shape)
    return _as_block(a, b.shape), b


def _as_block(scalar: Value, shape: tuple[int, ...]) -> Value:
    ones = (1,) * (len(shape) - len(scalar.shape))
    return scalar.rearranged(lambda data: data.reshape(data.shape[0], *ones, *data.shape[1:]), shape)


def _reshaped(data: Array, old: tuple[int, ...], new: tuple[int, ...]) -> Array:
    if all(size == 1 for size in data.shape[1:]):
        return data.reshape(data.shape[0], *(1,) * len(new))
    return spread(data, old).reshape(data.shape[0], *new)


def _fits(low: int, high: int, kind: np.dtype[Any]) -> bool:
    return kind.kind in "iu" and low >= np.iinfo(kind).min and high <= np.iinfo(kind).max


def _product_limits(x: tuple[int, int], y: tuple[int, int]) -> tuple[int, int]:
    products = (x[0] * y[0], x[0] * y[1], x[1] * y[0], x[1] * y[1])
    return min(products), max(products)


def _positive(a: Value, b: Value) -> bool:
    return a.data.dtype.kind == "u" or (a.limits()[0] >= 0 and b.limits()[0] > 0)


def _selected_poison(condition: Value, a: Value, b: Value) -> Array | bool | None:
    if a.poison is None and b.poison is None:
        return condition.poison
    if a.poison is True or b.poison is True or condition.poison is True:
        return True
    sides = (False if value.poison is None else value.poison for value in (a, b))
    poison = np.where(condition.data, *sides)
    return poison if condition.poison is None else poison | condition.poison
