"""Atomics of Triton's builder.

Each becomes a method of our builder.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from triton._C.libtriton import ir

from triton_simulator.memory.atomics import Atomic
from triton_simulator.operations.programs import Programs
from triton_simulator.values import arithmetic, elementwise
from triton_simulator.values.formats import Array, compute_rounded
from triton_simulator.values.value import Value


def update(
    programs: Programs, kind: Any, pointer: Value, value: Value, mask: Value | None, order: Any, _: Any
) -> Value:
    """Carry out a read-modify-write.

    `kind` names the operation: `ATOMIC_OP.FADD`.
    """
    name = str(kind).rpartition(".")[2]
    return _update(programs, name.lower().lstrip("fu"), arithmetic.UPDATES[name], pointer, (value,), mask, order)


def compare_and_swap(programs: Programs, pointer: Value, expected: Value, value: Value, _order: Any, _: Any) -> Value:
    """Store `value` where memory holds `expected`; return the old values."""
    # Who compares waits for what it finds: a lock holds whatever its `sem` is, as on a GPU.
    order = ir.MEM_SEMANTIC.ACQUIRE_RELEASE
    return _update(programs, "cas", arithmetic.compare_and_swap, pointer, (expected, value), None, order)


def load(programs: Programs, pointer: Value, mask: Value | None, order: Any, _: Any) -> Value:
    """Load by an atomic, which may acquire."""
    return _update(programs, "load", lambda old: old, pointer, (), mask, order)


def store(programs: Programs, pointer: Value, value: Value, mask: Value | None, order: Any, _: Any) -> None:
    """Store by an atomic, which may release."""
    _update(programs, "store", lambda old, new: new, pointer, (value,), mask, order)


def poll(programs: Programs, pointer: Value, expected: Value, timeout: Any, order: Any, scope: Any) -> Value:
    """Load until the value is as expected; return whether it is.

    With a timeout, it looks once.
    """
    while True:  # a program that waits lets the others run: see `Memory.wait`
        result = elementwise.compare(np.equal, load(programs, pointer, None, order, scope), expected)
        if isinstance(timeout, Value) or result.data.all():
            return result


def _update(
    programs: Programs,
    name: str,
    step: Callable[..., Array],
    pointer: Value,
    operands: tuple[Value, ...],
    mask: Value | None,
    order: Any,
) -> Value:
    dtype = pointer.get_element_ty()

    def exact(old: Array, *new: Array) -> Array:
        """Apply the step, rounded to the type in memory."""
        return compute_rounded(step, dtype, old, *(operand.astype(old.dtype, copy=False) for operand in new))

    atomic = Atomic(
        exact,
        operands,
        acquires=order in (ir.MEM_SEMANTIC.ACQUIRE, ir.MEM_SEMANTIC.ACQUIRE_RELEASE),
        releases=order in (ir.MEM_SEMANTIC.RELEASE, ir.MEM_SEMANTIC.ACQUIRE_RELEASE),
        compares=step is arithmetic.compare_and_swap,
    )
    old = programs.memory.update(pointer, mask, dtype, atomic)
    if programs.memory.steps is not None:
        # Of a compare-and-swap, this is the new value, not the expected one.
        operand = operands[-1] if operands else None
        programs.memory.steps.add_operation(f"atomic_{name}", old, pointer, mask, operand)
    return old
