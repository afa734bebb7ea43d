"""What a rewritten kernel calls where Triton's compiler treats a statement or an operator differently from Python."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
import triton.language as tl
from triton.compiler.code_generator import CodeGenerator
from triton.runtime import interpreter as upstream

from triton_simulator.faults import Cause, PoisonSource
from triton_simulator.language.loops import Numbers, plain
from triton_simulator.lines import line_of_kernel
from triton_simulator.values.formats import undefined_value
from triton_simulator.values.undefined import make_poison
from triton_simulator.values.value import Value


def assigned(value: Any) -> Any:
    """What is assigned to names: numbers become tensors, those of a tuple or a list too."""
    if isinstance(value, tl.tensor):
        return value
    if isinstance(value, tl.tuple) and not any(value.type.fields or ()):
        return tl.tuple([assigned(part) for part in value])
    if not isinstance(value, tuple | list):
        return upstream.interpreter_semantic.to_tensor(value, False)
    parts = [assigned(part) for part in value]
    return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)


def annotated(value: Any, annotation: Any) -> Any:
    return plain(value) if annotation is tl.constexpr else assigned(value)


# Branches


def chosen(condition: Any, value: Any) -> Any:
    """What `a if condition else b` gives."""
    return assigned(value) if isinstance(condition, tl.tensor) else value


def branched(condition: Any, before: bool) -> bool:
    """Whether the program, not the compiler, has decided where a function returns."""
    return before or isinstance(condition, tl.tensor)


def returned(value: Any, branched: bool) -> Any:
    """What a function returns that may return something else: the compiler knows no number that depends on a value."""
    return assigned(value) if branched else value


def after_branches(condition: Any, before: Any, now: Any, of_module: Any) -> Any:
    """What a name means that was assigned in one branch of an `if`.

    The branches of a condition that the compiler does not know can replace tensors only.
    """
    stays = before is None or isinstance(before, tl.dtype) or before is of_module
    return before if stays and isinstance(condition, tl.tensor) else now


def sees(space: dict[str, Any], name: str) -> bool:
    """Whether the compiler finds a name among a kernel's globals, or among its own, until the kernel assigns it."""
    value = space.get(name)
    return isinstance(value, tl.constexpr | tl.dtype) or callable(value) or name in CodeGenerator.builtin_namespace


def of_module(space: dict[str, Any], name: str) -> Any:
    return plain(space.get(name, getattr(builtins, name, None)))


# Loops


def counts(loop: Any) -> bool:
    """Whether a loop counts at run time."""
    return isinstance(loop, Numbers)


def after_loop(loop: Numbers, index: str) -> Any:
    """What the index is worth once its loop has ended: the compiler's loops do not hand it out."""
    poison = make_poison(np.array([True]), PoisonSource(line_of_kernel(), index, Cause.LOOP))
    return tl.tensor(Value(np.array([undefined_value(loop.dtype)]), loop.dtype, poison=poison), loop.dtype)


# Operators


def decides_and(part: Any) -> bool:
    """Whether `part and …` is `part`, whatever comes after it: all of a tensor's parts are computed."""
    return not isinstance(part, tl.tensor) and not part


def decides_or(part: Any) -> bool:
    return not isinstance(part, tl.tensor) and bool(part)


def elementwise_and(part: Any, other: Any) -> Any:
    """`part and other` where `part` does not decide. A constant that does not decide is left out."""
    if not isinstance(part, tl.tensor) or decides_and(other):
        return other
    return part.logical_and(other) if isinstance(other, tl.tensor) else part


def elementwise_or(part: Any, other: Any) -> Any:
    if not isinstance(part, tl.tensor) or decides_or(other):
        return other
    return part.logical_or(other) if isinstance(other, tl.tensor) else part


def elementwise_not(value: Any) -> Any:
    return value.__not__() if isinstance(value, tl.tensor) else not value


def elementwise_assert(condition: Any, message: str = "") -> None:
    if isinstance(condition, tl.tensor):
        tl.device_assert(condition, message)
    elif not condition:
        raise AssertionError(message)


def attribute(thing: Any, name: str) -> Any:
    """`thing.value` and so on, where a constant is a plain value here and a `tl.constexpr` for the compiler."""
    constant = not hasattr(thing, name) and not isinstance(thing, tl.core.base_value)
    return getattr(tl.constexpr(thing) if constant else thing, name)
