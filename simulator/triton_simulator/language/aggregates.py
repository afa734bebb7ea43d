"""Aggregates: a script's own classes that its kernels use.

Triton makes them of jit functions that its compiler made; those of its interpreter it leaves out, as it does not know
them.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import triton
import triton.language as tl
from triton.runtime import interpreter as upstream

from triton_simulator.language.triton_builtins import is_launching
from triton_simulator.patches import Patches

ORIGINAL_CLASS = "_class_as_written"
"""The attribute of an aggregate that has the class that it was made of."""


def aggregate_patches(patches: Patches) -> None:
    """Plan that aggregates have their jit functions as methods.

    The name that is patched is a private one in Triton 3.6.
    """
    aggregate = _wrap_aggregate(tl.core._aggregate)
    for space, name in ((tl.core, "_aggregate"), (triton, "aggregate")):
        if hasattr(space, name):
            patches.attribute(space, name, aggregate)


def jit_methods(aggregate: Any) -> list[Any]:
    """Return the jit functions of an aggregate; of anything else none."""
    is_aggregate = isinstance(aggregate, type) and ORIGINAL_CLASS in vars(aggregate)
    if not is_aggregate:
        return []
    return [member.function for member in vars(aggregate).values() if isinstance(member, _Method)]


class _Method:
    """Jit function in a class.

    Of an object it gives a method, of the class itself the function.
    """

    def __init__(self, function: Any) -> None:
        self.function = function

    def __get__(self, thing: Any, _owner: Any) -> Any:
        return self.function if thing is None else functools.partial(self.function, thing)


def _wrap_aggregate(original: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def aggregate(cls: Any) -> Any:
        """Return Triton's aggregate, with the jit functions as methods."""
        result = original(cls)
        create = result.__new__

        def new(this: Any, *arguments: Any, **named: Any) -> Any:
            """Create an object; in a launch, from arguments as compiled."""
            if is_launching():
                arguments = tuple(map(_as_compiled, arguments))
                named = {name: _as_compiled(value) for name, value in named.items()}
                named.setdefault("_semantic", upstream.interpreter_semantic)
            return create(this, *arguments, **named)

        result.__new__ = new
        for name, member in inspect.getmembers(cls):
            if isinstance(member, upstream.InterpretedFunction):
                setattr(result, name, _Method(member))
        setattr(result, ORIGINAL_CLASS, cls)
        return result

    return functools.wraps(original)(aggregate)


def _as_compiled(value: Any) -> Any:
    """Return an argument as the compiler has it: tuples are Triton's own."""
    return tl.tuple(list(map(_as_compiled, value))) if type(value) is tuple else value
