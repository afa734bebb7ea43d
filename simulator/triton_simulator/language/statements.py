"""Functions that a rewritten kernel calls.

They stand where Triton's compiler treats a statement or an operator differently from Python.
"""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
import triton.language as tl
from triton.compiler.code_generator import CodeGenerator
from triton.runtime import interpreter as upstream

from triton_simulator.faults import Cause, PoisonSource
from triton_simulator.language.loops import RuntimeRange, constexpr_value
from triton_simulator.lines import current_line
from triton_simulator.values.undefined import make_poison, stand_in
from triton_simulator.values.value import Value


def to_tensors(value: Any) -> Any:
    """Convert what is assigned to names.

    Numbers become tensors, those of a tuple or a list too.
    """
    if isinstance(value, tl.tensor):
        return value
    if isinstance(value, tl.tuple):
        fields = value.type.fields or ()
        if not any(fields):
            return tl.tuple([to_tensors(item) for item in value])
    if not isinstance(value, tuple | list):
        # Unchecked, what is no number comes back as it is.
        return upstream.interpreter_semantic.to_tensor(value, False)
    items = [to_tensors(item) for item in value]
    return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)


def apply_annotation(value: Any, annotation: Any) -> Any:
    """Convert a value as the annotation of its name says."""
    return constexpr_value(value) if annotation is tl.constexpr else to_tensors(value)


# Branches


def conditional_value(condition: Any, value: Any) -> Any:
    """Return the value of `a if condition else b`."""
    return to_tensors(value) if isinstance(condition, tl.tensor) else value


def is_dynamic_branch(condition: Any, was_dynamic: bool) -> bool:
    """Return whether the program decides where a function returns.

    Otherwise the compiler has decided.
    """
    return was_dynamic or isinstance(condition, tl.tensor)


def return_value(value: Any, is_dynamic: bool) -> Any:
    """Return a result that other returns may replace.

    The compiler knows no number that depends on a value.
    """
    return to_tensors(value) if is_dynamic else value


def merge_branches(condition: Any, previous: Any, current: Any, global_value: Any) -> Any:
    """Return the value of a name assigned in one branch of an `if`.

    The branches of a condition that the compiler does not know can replace tensors only.
    """
    if not isinstance(condition, tl.tensor):
        return current
    is_fixed = previous is None or isinstance(previous, tl.dtype) or previous is global_value
    return previous if is_fixed else current


def is_compiler_global(space: dict[str, Any], name: str) -> bool:
    """Return whether the compiler finds a name before it is assigned.

    The name may be one of the kernel's globals or of the compiler's.
    """
    value = space.get(name)
    if isinstance(value, tl.constexpr | tl.dtype):
        return True
    return callable(value) or name in CodeGenerator.builtin_namespace


def module_value(space: dict[str, Any], name: str) -> Any:
    """Return a module's value of a name, or Python's builtin."""
    return constexpr_value(space.get(name, getattr(builtins, name, None)))


# Loops


def is_runtime_loop(loop: Any) -> bool:
    """Return whether a loop counts at run time."""
    return isinstance(loop, RuntimeRange)


def undefined_index(loop: RuntimeRange, index: str) -> Any:
    """Return the index of a loop that has ended.

    The compiler's loops do not hand it out, so it is undefined.
    """
    poison = make_poison(np.array([True]), PoisonSource(current_line(), index, Cause.LOOP))
    return tl.tensor(Value(np.array([stand_in(loop.dtype)]), loop.dtype, poison=poison), loop.dtype)


# Operators


def short_circuits_and(operand: Any) -> bool:
    """Return whether `operand and …` is `operand`.

    A tensor never decides: all operands of `and` are computed.
    """
    return not isinstance(operand, tl.tensor) and not operand


def short_circuits_or(operand: Any) -> bool:
    """Return whether `operand or …` is `operand`."""
    return not isinstance(operand, tl.tensor) and bool(operand)


def elementwise_and(first: Any, second: Any) -> Any:
    """Return `first and second` where `first` does not decide.

    A constant that does not decide is left out.
    """
    if not isinstance(first, tl.tensor) or short_circuits_and(second):
        return second
    return first.logical_and(second) if isinstance(second, tl.tensor) else first


def elementwise_or(first: Any, second: Any) -> Any:
    """Return `first or second` where `first` does not decide."""
    if not isinstance(first, tl.tensor) or short_circuits_or(second):
        return second
    return first.logical_or(second) if isinstance(second, tl.tensor) else first


def elementwise_not(value: Any) -> Any:
    """Return `not value`, of a tensor element by element."""
    return value.__not__() if isinstance(value, tl.tensor) else not value


def elementwise_assert(condition: Any, message: str = "") -> None:
    """Assert a condition, of a tensor for all elements."""
    if isinstance(condition, tl.tensor):
        tl.device_assert(condition, message)
    elif not condition:
        raise AssertionError(message)


def read_attribute(thing: Any, name: str) -> Any:
    """Return `thing.value` and the like.

    A constant is a plain value here, and a `tl.constexpr` for the compiler.
    """
    constant = not hasattr(thing, name) and not isinstance(thing, tl.core.base_value)
    return getattr(tl.constexpr(thing) if constant else thing, name)
