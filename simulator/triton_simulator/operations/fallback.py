"""Operations that our builder lacks.

Triton's interpreter carries them out, one program at a time.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from triton.runtime import interpreter as upstream

from triton_simulator.operations.programs import Programs
from triton_simulator.signals import RestartOneByOne
from triton_simulator.values.formats import Array, decode, encode, storage_dtype
from triton_simulator.values.value import Value


def run_per_program(programs: Programs, name: str, operation: Callable[..., Any]) -> Callable[..., Any]:
    """Return an operation of the interpreter's builder, for our values."""

    def call(*arguments: Any, **named: Any) -> Any:
        """Run the operation. Raises RestartOneByOne if programs run at once."""
        plan = programs.memory.plan
        if not plan.one_by_one:
            raise RestartOneByOne(f"{name} is not batched", plan)
        result = _from_upstream(operation(*map(_as_upstream, arguments), **named))
        values = [value for value in arguments if isinstance(value, Value)]
        poisons = [value.poison for value in values if value.poison is not None]
        if any(poison.any() for poison in poisons):
            _spoil(result, poisons)
        return result

    return call


def _spoil(result: Any, poisons: list[Array]) -> None:
    """Mark all of a result as undefined.

    How its elements depend on those of the operands is not known.
    """
    values = result if isinstance(result, tuple) else (result,)
    for value in values:
        if isinstance(value, Value):
            # Only one program runs at a time, so one truth value is enough.
            flat = functools.reduce(operator.or_, [poison.reshape(-1).any(keepdims=True) for poison in poisons])
            value.poison = flat.reshape((1,) * (len(value.shape) + 1))
            value.replace_undefined()


def _as_upstream(value: Any) -> Any:
    """Return one program's value as Triton's interpreter holds it.

    Small floats are bits there, and there is no axis of programs.
    """
    if not isinstance(value, Value):
        return value
    data = encode(value.full(), value.dtype.scalar)
    return upstream.TensorHandle(data[0] if value.shape else data, value.dtype)


def _from_upstream(result: Any) -> Any:
    if isinstance(result, tuple):
        return tuple(map(_from_upstream, result))
    if not isinstance(result, upstream.TensorHandle):
        return result
    dtype = result.dtype.scalar
    data = np.asarray(result.data)
    # The interpreter holds a scalar as an array of one element.
    scalar = data.size == 1
    data = data.reshape(1) if scalar else data[None]
    return Value(decode(data.astype(storage_dtype(dtype), copy=False), dtype), dtype, () if scalar else data.shape[1:])
