# ruff: noqa: N815  # the names are those of Triton's builder
"""Triton's operations, with numpy for all programs of a group.

Triton's own semantics (types, broadcasting, promotion) call this builder instead of the one that would emit a
compiler's instructions. It says what each operation is. What operations do to values stands in `values`; what
they do to memory, in `programs`, `atomics` and `tiles` here. Those that it lacks go to the builder of Triton's
interpreter, one program at a time; `Launch.one_by_one` says why.

To add one, name it here, with numpy's function if that is all. One that moves elements between threads calls `wait()`,
one that combines them `memory.results.combine`, and its result has the poison of its operands: see `create_histogram`,
and `histogram` in `values/blocks.py`. One with several results has its types in `compiler/types_only.py`, too. In the
tests, one that waits has a kernel in `test_threads.py`, and one that combines or passes poison on in
`test_undefined.py`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import triton.language as tl
from triton._C.libtriton import ir
from triton.runtime import interpreter as upstream

from triton_simulator.faults import program_name
from triton_simulator.operations import assembly, atomics, tiles
from triton_simulator.operations.fallback import run_per_program
from triton_simulator.operations.programs import Programs
from triton_simulator.signals import ValueInspection
from triton_simulator.values import arithmetic, blocks, conversions, dot, elementwise
from triton_simulator.values.value import Value, any_wrapped, combined_poison


def _count_operations(
    function: Callable[..., Any], *numpy: Callable[..., Any], per_element: int = 1, special: bool = False
) -> Callable[..., Any]:
    """Count `per_element` floating-point operations for each result element.

    `special`: special function units carry them out.
    """

    def method(builder: Builder, *operands: Any) -> Value:
        """Carry out the operation, and count it."""
        result: Value = function(*numpy, *operands)
        builder.count(result, per_element, special=special)
        return result

    return method


def _track_size(function: Callable[..., Any], *, moves: bool = False) -> Callable[..., Any]:
    """Track the size of an operation's result.

    The result may be a larger block than the operands. If the operation `moves` elements, it waits as in
    `_wait_for_loads`.
    """

    def method(builder: Builder, *operands: Any) -> Value:
        """Carry out the operation, and record its result's size."""
        if moves:
            builder.wait(stores=False)
        result: Value = function(*operands)
        builder.record_size(result.shape)
        return result

    return method


def _wait_for_loads(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let threads wait for loads before an operation.

    It may bring elements to other threads, which have to wait until those have loaded them.
    """

    def method(builder: Builder, *operands: Any) -> Any:
        """Wait, and carry out the operation."""
        builder.wait(stores=False)
        return function(*operands)

    return method


def _extremum(operation: Callable[..., Any]) -> Callable[..., Any]:
    return lambda builder, a, b: builder.extremum(operation, a, b)


def _comparison(operation: Callable[..., Any]) -> Callable[..., Any]:
    """Return a comparison, which compares pointers by their addresses."""
    return lambda builder, a, b: elementwise.compare(operation, builder.as_numbers(a), builder.as_numbers(b))


class Builder(Programs):
    """Builder that computes instead of emitting instructions.

    Every `create_…` takes and gives `Value`s; the names are those that Triton's semantics call.
    """

    def __init__(self) -> None:
        super().__init__()
        self.upstream = upstream.InterpreterBuilder()
        self.options = dataclasses.replace(
            self.upstream.options,
            debug=True,  # assertions are checked
            sanitize_overflow=False,  # an offset that wraps is found when it is used
            allowed_dot_input_precisions=("tf32", "tf32x3", "bf16x3", "bf16x6", "ieee"),
        )
        self.codegen_fns = self.upstream.codegen_fns

    # Constants

    get_int1 = staticmethod(partial(conversions.constant, dtype=tl.int1))
    get_int8 = staticmethod(partial(conversions.integer, dtype=tl.int8))
    get_uint8 = staticmethod(partial(conversions.integer, dtype=tl.uint8))
    get_int16 = staticmethod(partial(conversions.integer, dtype=tl.int16))
    get_uint16 = staticmethod(partial(conversions.integer, dtype=tl.uint16))
    get_int32 = staticmethod(partial(conversions.integer, dtype=tl.int32))
    get_uint32 = staticmethod(partial(conversions.integer, dtype=tl.uint32))
    get_int64 = staticmethod(partial(conversions.integer, dtype=tl.int64))
    get_uint64 = staticmethod(partial(conversions.integer, dtype=tl.uint64))
    get_fp16 = staticmethod(partial(conversions.constant, dtype=tl.float16))
    get_bf16 = staticmethod(partial(conversions.constant, dtype=tl.bfloat16))
    get_fp32 = staticmethod(partial(conversions.constant, dtype=tl.float32))
    get_fp64 = staticmethod(partial(conversions.constant, dtype=tl.float64))
    get_null_value = staticmethod(conversions.null)
    get_all_ones_value = staticmethod(conversions.all_ones)

    # Programs

    def create_get_program_id(self, axis: int) -> Value:
        """Return the program id along an axis, as int32."""
        return Value(self.ids[axis], tl.int32, bounds=(0, self.grid[axis] - 1))

    def create_get_num_programs(self, axis: int) -> Value:
        """Return the number of programs along an axis, as int32."""
        return conversions.constant(self.grid[axis], tl.int32)

    def create_make_range(self, _type: Any, start: int, stop: int) -> Value:
        """Return the int32 numbers from `start` to `stop`, exclusively."""
        self.record_size((stop - start,))
        data = np.arange(start, stop, dtype=np.int32)[None]
        return Value(data, tl.int32, (stop - start,), bounds=(start, max(start, stop - 1)))

    def create_barrier(self) -> None:
        """Let the threads of each program wait for each other."""
        self.wait()

    # Conversions

    create_si_to_fp = create_ui_to_fp = create_fp_ext = create_fp_trunc = staticmethod(conversions.convert)
    create_int_cast = staticmethod(conversions.convert)
    create_fp_to_si = create_fp_to_ui = staticmethod(conversions.floats_to_integers)
    create_fp_to_fp = staticmethod(conversions.floats_to_floats)

    def create_bitcast(self, source: Value, dtype: Any) -> Value:
        """Return the same bits as another type, or pointers to another type."""
        repoint = source.dtype.scalar.is_ptr()
        return self.cast_pointers(source, dtype.scalar) if repoint else conversions.bitcast(source, dtype)

    # Arithmetic

    create_add = staticmethod(elementwise.add)
    create_sub = staticmethod(elementwise.subtract)
    create_mul = staticmethod(elementwise.multiply)
    create_sdiv = create_udiv = staticmethod(elementwise.divide)
    create_srem = create_urem = staticmethod(elementwise.remainder)
    create_umulhi = staticmethod(partial(elementwise.apply, arithmetic.high_half))

    create_fadd = _count_operations(elementwise.apply, np.add)
    create_fsub = _count_operations(elementwise.apply, np.subtract)
    create_fmul = _count_operations(elementwise.apply, np.multiply)
    create_fdiv = create_precise_divf = create_approx_divf = _count_operations(elementwise.apply, np.divide)
    create_frem = _count_operations(elementwise.apply, np.fmod)
    create_fma = _count_operations(elementwise.fused_multiply_add, per_element=2)

    create_and = staticmethod(partial(elementwise.logical, np.bitwise_and, deciding=0))
    create_or = staticmethod(partial(elementwise.logical, np.bitwise_or, deciding=-1))
    create_xor = staticmethod(partial(elementwise.bitwise, np.bitwise_xor))
    create_shl = staticmethod(elementwise.shift_left)
    create_lshr = staticmethod(partial(elementwise.shift_right, "u"))
    create_ashr = staticmethod(partial(elementwise.shift_right, "i"))

    create_fneg = _count_operations(elementwise.change_sign, np.negative)
    create_fabs = create_iabs = _count_operations(elementwise.change_sign, np.abs)
    create_exp = _count_operations(elementwise.unary, np.exp, special=True)
    create_exp2 = _count_operations(elementwise.unary, np.exp2, special=True)
    create_log = _count_operations(elementwise.unary, np.log, special=True)
    create_log2 = _count_operations(elementwise.unary, np.log2, special=True)
    create_sin = _count_operations(elementwise.unary, np.sin, special=True)
    create_cos = _count_operations(elementwise.unary, np.cos, special=True)
    create_sqrt = create_precise_sqrt = _count_operations(elementwise.unary, np.sqrt, special=True)
    create_rsqrt = _count_operations(elementwise.unary, lambda x: 1 / np.sqrt(x), special=True)
    create_floor = _count_operations(elementwise.unary, np.floor)
    create_ceil = _count_operations(elementwise.unary, np.ceil)
    create_erf = _count_operations(elementwise.unary, np.vectorize(math.erf, otypes=[np.float64]))

    def create_extern_elementwise(
        self, _library: str, _path: str, symbol: str, operands: list[Value], dtype: Any, _pure: bool
    ) -> Value:
        """Call a function of libdevice on each element."""
        result = elementwise.call_libdevice(symbol, operands, dtype)
        self.count(result)
        return result

    # Comparisons and choices

    create_minsi = create_minui = create_minimumf = _extremum(np.minimum)
    create_maxsi = create_maxui = create_maximumf = _extremum(np.maximum)
    create_minnumf, create_maxnumf = _extremum(np.fmin), _extremum(np.fmax)

    def create_clampf(self, x: Value, low: Value, high: Value, propagate: Any) -> Value:
        """Return `x` limited to the range from `low` to `high`."""
        quiet = propagate == ir.PROPAGATE_NAN.NONE
        larger, smaller = (np.fmax, np.fmin) if quiet else (np.maximum, np.minimum)
        return self.extremum(smaller, self.extremum(larger, x, low), high)

    def extremum(self, operation: Callable[..., Any], a: Value, b: Value) -> Value:
        """Return the smaller or larger of two operands, and count it."""
        result = elementwise.apply(operation, a, b, chooses=True)
        self.count(result)
        return result

    # Of floats, "ordered" means false for NaN and "unordered" true; Triton asks for no other combinations.
    create_icmpSLT = create_icmpULT = create_fcmpOLT = _comparison(np.less)
    create_icmpSLE = create_icmpULE = create_fcmpOLE = _comparison(np.less_equal)
    create_icmpSGT = create_icmpUGT = create_fcmpOGT = _comparison(np.greater)
    create_icmpSGE = create_icmpUGE = create_fcmpOGE = _comparison(np.greater_equal)
    create_icmpEQ = create_fcmpOEQ = _comparison(np.equal)
    create_icmpNE = create_fcmpUNE = _comparison(np.not_equal)

    create_select = staticmethod(elementwise.select)

    # Shapes

    create_unsplat = staticmethod(blocks.unsplat)
    create_expand_dims = staticmethod(blocks.expand_dims)
    create_reshape = _wait_for_loads(blocks.reshape)
    create_trans = _wait_for_loads(blocks.transpose)
    create_split = _wait_for_loads(blocks.split)
    create_broadcast = _track_size(blocks.broadcast)
    create_cat = _track_size(blocks.concatenate, moves=True)
    create_join = _track_size(blocks.join, moves=True)

    def create_gather(self, source: Value, index: Value, axis: int) -> Value:
        """Return `source[..., index, ...]` along an axis."""
        self.wait()
        self.record_size(index.shape)
        return blocks.gather(source, index, axis)

    def create_splat(self, dtype: Any, scalar: Value) -> Value:
        """Return a block of this scalar."""
        shape = tuple(int(size) for size in dtype.shape)
        self.record_size(shape)
        return blocks.splat(scalar, shape)

    def create_histogram(self, values: Value, bins: int, mask: Value | None = None) -> Value:
        """Return how many values fall into each bin, as int32."""
        self.memory.results.combine(values, 0)
        self.wait()
        return blocks.histogram(values, int(bins), mask)

    # Matrices

    def create_dot(self, a: Value, b: Value, accumulator: Value, precision: Any, _imprecise: Any = None) -> Value:
        """Return `a @ b + accumulator`."""
        self.memory.results.combine(a, -1)
        self.memory.results.combine(b, -2)
        return self._product(a, b, accumulator, precision, dot.input_precision(a.dtype.scalar, precision))

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
        """Return the product of blocks in microscaling formats."""
        e2m1 = type(a_format).E2M1
        lhs_axis = -1 if a_packed else -2
        rhs_axis = -2 if b_packed else -1
        lhs = dot.scaled_operand(a, a_scale, lhs_axis if a_format == e2m1 else None, right=False)
        rhs = dot.scaled_operand(b, b_scale, rhs_axis if b_format == e2m1 else None, right=True)
        return self._product(lhs, rhs, accumulator, "IEEE", "scaled")

    def _product(self, a: Value, b: Value, accumulator: Value, precision: Any, multiplied: str) -> Value:
        self.wait()
        self.multiplied = True
        result = dot.multiply(a, b, accumulator, precision)
        self.record_size(result.shape)
        self.count(result, per_element=2 * a.shape[-1], multiplied=multiplied)
        return result

    # Pointers

    def create_addptr(self, pointer: Value, offset: Value) -> Value:
        """Return pointers that are moved by elements.

        The offset is added in int64; where an int32 offset has wrapped, the pointer is marked.
        """
        pointer, offset = elementwise.align(pointer, offset)
        return Value(
            pointer.data + offset.data.astype(np.int64, copy=False),
            pointer.dtype,
            pointer.shape,
            pointer.origin,
            combined_poison(pointer, offset),
            any_wrapped(pointer, offset),
        )

    create_int_to_ptr = Programs.as_pointers
    create_ptr_to_int = Programs.as_integers

    def as_numbers(self, value: Value) -> Value:
        """Return a pointer's addresses; other values as they are."""
        return self.as_integers(value, tl.uint64) if value.dtype.scalar.is_ptr() else value

    # Memory

    def create_load(self, pointer: Value, *policy: Any) -> Value:
        """Load all elements of a block."""
        return self.load(pointer, None, None, volatile=policy[-1] is True)

    def create_masked_load(self, pointer: Value, mask: Value, other: Value | None, *policy: Any) -> Value:
        """Load the elements of a block where the mask is true."""
        return self.load(pointer, mask, other, volatile=policy[-1] is True)

    def create_store(self, pointer: Value, value: Value, *_policy: Any) -> None:
        """Store all elements of a block."""
        self.store(pointer, value, None)

    def create_masked_store(self, pointer: Value, value: Value, mask: Value, *_policy: Any) -> None:
        """Store the elements of a block where the mask is true."""
        self.store(pointer, value, mask)

    # Atomics

    create_atomic_rmw = atomics.update
    create_atomic_cas = atomics.compare_and_swap
    create_atomic_load = atomics.load
    create_atomic_store = atomics.store
    create_atomic_poll = atomics.poll

    # Descriptors and block pointers

    create_inline_asm = assembly.inline_assembly
    create_make_tensor_descriptor = tiles.make_descriptor
    create_descriptor_load = tiles.load
    create_descriptor_store = tiles.store
    create_descriptor_reduce = tiles.reduce
    create_descriptor_gather = tiles.gather
    create_descriptor_scatter = tiles.scatter
    create_make_block_ptr = staticmethod(tiles.make_block_pointer)
    create_advance = staticmethod(tiles.advance)
    create_tensor_pointer_load = tiles.load_block_pointer
    create_tensor_pointer_store = tiles.store_block_pointer

    # Debugging

    def create_print(self, prefix: str, hexadecimal: bool, values: list[Value], _signed: Any) -> None:
        """Print a program's values, as `tl.device_print` does."""
        if not self.memory.plan.one_by_one:
            raise ValueInspection("device_print")
        program = tuple(int(ids[0]) for ids in self.ids)
        formatter: Any = {"all": _hexadecimal} if hexadecimal else None
        for value in values:
            print(program, prefix, np.array2string(self.as_numbers(value).single_program(), formatter=formatter))

    def create_assert(self, condition: Value, message: str) -> None:
        """Raise AssertionError if the condition is false anywhere."""
        condition = self.as_numbers(condition)
        if not _is_true(condition):
            program = program_name(self.memory.log.program(int(self.memory.group[0])))
            raise AssertionError(f"{message or 'an assertion failed'}, in {program}")

    def create_assume(self, condition: Value) -> None:
        """Raise ValueError if the condition is false anywhere."""
        if not _is_true(condition):
            raise ValueError("tl.assume was given a condition that is false")

    def __getattr__(self, name: str) -> Any:
        member = getattr(self.upstream, name)  # types, and operations that this builder lacks
        return run_per_program(self, name, member) if name.startswith("create_") else member


def _is_true(condition: Value) -> bool:
    """Return whether a condition holds wherever it is defined."""
    poison = getattr(condition, "poison", None)  # handles of Triton's own interpreter have none
    return bool((condition.data.astype(np.bool_) | (False if poison is None else np.asarray(poison))).all())


def _hexadecimal(number: Any) -> str:
    """Return a number as Triton's interpreter writes it."""
    return float(number).hex() if isinstance(number, np.floating) else f"0x{int(number):0{number.itemsize * 2}x}"
