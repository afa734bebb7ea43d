"""Triton's language in the simulator.

Here Python meets values that all programs hold at once.

Outside of a launch, with another semantic (that of Triton's code generator), and for values of another builder,
everything behaves as Triton's own.
"""

from __future__ import annotations

import builtins
import functools
import operator
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import triton.language as tl
from triton.runtime import interpreter as upstream

from triton_simulator.language.agreement import describe, is_single, uniform_value
from triton_simulator.language.loops import constexpr_value, range_values
from triton_simulator.language.promises import promise_functions
from triton_simulator.language.triton_builtins import builtin_patches, is_launching
from triton_simulator.operations import elements, reductions
from triton_simulator.operations.builder import Builder
from triton_simulator.patches import Patches
from triton_simulator.signals import Divergence, StaticAssertionError, ValueInspection
from triton_simulator.values.formats import Array
from triton_simulator.values.value import Value


def language_patches(patches: Patches, builder: Builder) -> None:
    """Plan that kernels on the CPU use the language over `builder`."""
    builtin_patches(patches, _special({**_functions(builder), **promise_functions(builder)}))
    for name, method in _tensor_methods(builder).items():
        _add_method(patches, tl.tensor, name, method, applies=_is_simulated)
    _replace_classes(patches)
    for kind in (tl.dtype, tl.pointer_type, tl.block_type):
        _replace_type(patches, kind)


def _replace_type(patches: Patches, kind: Any) -> None:
    original = kind.to_ir
    patches.attribute(
        kind, "to_ir", lambda dtype, builder: dtype if isinstance(builder, Builder) else original(dtype, builder)
    )


def _special(functions: dict[Any, Callable[..., Any]]) -> Callable[[Any, Any], Any]:
    """Return what gives each builtin's function.

    A builtin in `functions` calls that one, if it is called for a launch.
    """

    def special(builtin: Any, original: Any) -> Any:
        """Return the function that a builtin calls."""
        if builtin not in functions:
            return original
        replacement = functions[builtin]

        @functools.wraps(original)
        def dispatch(*arguments: Any, _semantic: Any, **named: Any) -> Any:
            """Call the replacement in a launch, and Triton's own otherwise."""
            if isinstance(_semantic.builder, Builder):
                return replacement(*arguments, **named)
            return original(*arguments, _semantic=_semantic, **named)

        return dispatch

    return special


def _add_method(patches: Patches, kind: type, name: str, method: Any, applies: Callable[[Any], bool]) -> None:
    """Plan a method of a class of Triton's for some of its objects.

    These are the objects for which `applies` is true; for others the method is as before.
    """
    original = getattr(kind, name, None)
    if isinstance(method, property):
        getter = original.fget if isinstance(original, property) else None
        dispatch: Any = property(lambda thing: (method.fget if applies(thing) else getter)(thing))  # type: ignore[misc]
    else:
        otherwise = original if original is not None else _MISSING[name]

        def dispatch(thing: Any, *arguments: Any) -> Any:
            """Call the method that applies to the object."""
            return method(thing, *arguments) if applies(thing) else otherwise(thing, *arguments)

    patches.attribute(kind, name, dispatch)


def _not_a_number(thing: Any) -> Any:
    raise TypeError(f"{type(thing).__name__!r} object cannot be interpreted as a number")


_MISSING: dict[str, Callable[..., Any]] = {
    "__bool__": lambda _thing: True,
    "__index__": _not_a_number,
    "__int__": operator.index,
    "__float__": lambda thing: float(operator.index(thing)),
}
"""Functions for objects without such a method."""


def _is_simulated(thing: Any) -> bool:
    return isinstance(thing.handle, Value)


def _replace_classes(patches: Patches) -> None:
    def constants(numbers: Any, *ends: Any, **hints: Any) -> None:
        """Initialize a `tl.static_range`; in a launch, from constants."""
        if is_launching():
            # Triton asserts a `tl.constexpr`, which is a plain number here; a tensor is left for it to refuse.
            ends = tuple(end if isinstance(end, tl.tensor) else _constant(end) for end in ends)
            hints = {name: _constant(end) for name, end in hints.items()}
        start(numbers, *ends, **hints)

    start = tl.static_range.__init__
    patches.attribute(tl.static_range, "__init__", constants)
    add, running = functools.partial(_add_method, patches), lambda _: is_launching()
    for kind in (tl.range, tl.static_range):
        add(kind, "__iter__", lambda ends: iter(range_values(ends.start, ends.end, ends.step)), running)
    # In Triton 3.6 it stays true for ever, so `while tl.condition(...)` would never end.
    add(tl.condition, "__bool__", lambda condition: bool(condition.condition), running)
    add(tl.constexpr, "__format__", lambda constant, form: format(constant.value, form), running)
    add(tl.constexpr, "__str__", lambda constant: str(constant.value), running)
    for name, method in vars(tl.constexpr).items():
        if not name.startswith("__"):
            continue
        # Triton calls the second operand of each binary operator `other`.
        operands = getattr(getattr(method, "__code__", None), "co_varnames", ())[:2]
        if "other" in operands:
            patches.attribute(tl.constexpr, name, _of_constants(method))


def _constant(end: Any) -> Any:
    return None if end is None else tl.constexpr(end)


def _of_constants(method: Any) -> Any:
    """Return an operator of two constants.

    With a tensor, the tensor's operator is meant, as for the compiler.
    """

    def apply(constant: Any, other: Any) -> Any:
        """Apply the operator, unless the other operand is a tensor."""
        return NotImplemented if isinstance(other, tl.tensor) else method(constant, other)

    return functools.wraps(method)(apply)


_SEQUENCES = (list, tuple, tl.tuple)
"""Types with which a kernel writes several blocks at once.

All are the compiler's tuples.
"""


def _functions(builder: Builder) -> dict[Any, Callable[..., Any]]:
    """Return the builtins that need more than another builder.

    Each comes with the function that it calls in a launch.
    """

    def reduce(input: Any, axis: Any, combine_fn: Any, keep_dims: Any = False, **_: Any) -> Any:
        """Reduce blocks along an axis."""
        tensors = input if isinstance(input, _SEQUENCES) else (input,)
        results = reductions.reduce(
            builder, tuple(tensors), constexpr_value(axis), combine_fn, bool(constexpr_value(keep_dims))
        )
        return results if isinstance(input, _SEQUENCES) else results[0]

    def associative_scan(input: Any, axis: Any, combine_fn: Any, reverse: Any = False, **_: Any) -> Any:
        """Scan blocks along an axis."""
        tensors = input if isinstance(input, _SEQUENCES) else (input,)
        results = reductions.scan(
            builder, tuple(tensors), constexpr_value(axis), combine_fn, bool(constexpr_value(reverse))
        )
        return results if isinstance(input, _SEQUENCES) else results[0]

    def map_elementwise(scalar_fn: Any, *tensors: Any, pack: Any = 1, **_: Any) -> Any:
        """Apply a function to the elements of blocks, `pack` at a time."""
        return elements.map_elementwise(builder, scalar_fn, tensors, constexpr_value(pack))

    def static_assert(condition: Any, message: Any = "") -> None:
        """Raise StaticAssertionError unless the condition is true."""
        if not condition:
            raise StaticAssertionError(constexpr_value(message))

    def item(tensor: Any, index: Any) -> Any:
        """Add axes to a tensor. Raises TypeError for any other index."""
        entries = index if isinstance(index, tuple) else (index,)
        has_position = any(isinstance(entry, tl.tensor | int) for entry in entries)
        if has_position:
            raise TypeError(
                "unsupported tensor index: brackets only add axes, as in `x[:, None]`; read memory with "
                "`tl.load(pointer + offsets)`, and pick elements of a block with `tl.gather`; a block cannot be "
                "unpacked, nor looped over"
            )
        return add_axes(tensor, index, _semantic=upstream.interpreter_semantic)

    def make_tensor_descriptor(*arguments: Any, **named: Any) -> Any:
        """Return a descriptor that is marked as the kernel's own."""
        descriptor = make_original(*arguments, _semantic=upstream.interpreter_semantic, **named)
        descriptor.handle = replace(descriptor.handle, in_kernel=True)
        return descriptor

    # Read now: once the changes are made, these names mean the functions above.
    add_axes = tl.tensor.__getitem__.__wrapped__
    make_original = tl.make_tensor_descriptor.__wrapped__
    return {
        tl.make_tensor_descriptor: make_tensor_descriptor,
        tl.reduce: reduce,
        tl.associative_scan: associative_scan,
        tl.map_elementwise: map_elementwise,
        tl.static_assert: static_assert,
        tl.static_print: print,
        tl.tensor.__getitem__: item,
    }


def _tensor_methods(builder: Builder) -> dict[str, Any]:
    """Return the replacements for methods of `tl.tensor`."""

    def as_bool(tensor: Any) -> bool:
        """Return a tensor's truth value, as all programs agree on it.

        Raises ValueError for a block.
        """
        # Frame 1 is `dispatch` in `_add_method`; whoever asks is behind it.
        if sys._getframe(2).f_globals.get("__name__") == "triton.language.semantic":
            return True  # there `if mask` asks whether there is one
        # A combining function is given blocks for scalars: `uniform_value` has it called again with scalars.
        is_scalar = builder.combining or is_single(tensor.handle)
        if is_scalar:
            # Whether a number or an address is not zero: programs that agree on that stay together.
            return bool(uniform_value(builder, upstream.interpreter_semantic.cast(tensor, tl.int1).handle))
        raise ValueError(
            f"{describe(tensor)} is neither true nor false; choose element by element, with tl.where or a mask"
        )

    def as_index(tensor: Any) -> int:
        """Return a scalar as an index. Raises TypeError for a block."""
        is_block = not builder.combining and not is_single(tensor.handle)
        if is_block:
            raise TypeError(f"{describe(tensor)} is not an index; expected a scalar")
        return int(uniform_value(builder, tensor.handle))

    def as_number(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Return a method that converts a scalar to a Python number."""

        def convert_tensor(tensor: Any) -> Any:
            """Return the number. Raises TypeError for a block."""
            is_block = not builder.combining and not is_single(tensor.handle)
            if is_block:
                raise TypeError(
                    f"{describe(tensor)} cannot become a Python number; use the functions in `tl` for blocks"
                )
            try:
                return convert(as_index(tensor) if convert is int else uniform_value(builder, tensor.handle))
            except Divergence:
                raise ValueInspection from None

        return convert_tensor

    def as_text(convert: Callable[..., str]) -> Callable[..., str]:
        """Return a method that converts a tensor to text."""

        def convert_tensor(tensor: Any, *specification: str) -> str:
            """Return the text of one program's elements."""
            if not is_launching():  # a traceback shows it, whose launch has ended
                return describe(tensor)
            if not builder.memory.plan.one_by_one:
                raise ValueInspection
            return convert(builder.as_numbers(tensor.handle).single_program(), *specification)

        return convert_tensor

    def transposed(tensor: Any) -> Any:
        """Return the block with its last two axes exchanged."""
        shape = tensor.handle.shape
        order = (*builtins.range(len(shape) - 2), len(shape) - 1, len(shape) - 2)
        handle = builder.create_trans(tensor.handle, order)
        return tl.tensor(handle, tl.block_type(tensor.dtype, list(handle.shape)))

    return {
        "__bool__": as_bool,
        "__index__": as_index,
        "__int__": as_number(int),
        "__float__": as_number(float),
        "__format__": as_text(_format),
        "__repr__": as_text(lambda data: repr(data) if data.shape else str(data)),
        "__str__": as_text(str),
        "T": property(transposed),
    }


def _format(data: Array, specification: str) -> str:
    if data.shape and specification:
        raise TypeError(
            f"`:{specification}` formats a number, but this is a block of shape {data.shape}; print it without a format"
        )
    return format(data, specification)
