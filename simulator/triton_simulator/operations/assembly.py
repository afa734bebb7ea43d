"""Inline assembly: blocks go into registers, and come back out of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import triton.language as tl

from triton_simulator.values import ptx
from triton_simulator.values.formats import Array, item_bytes
from triton_simulator.values.value import Value, combined_poison, spread


class _Results:
    """Results of inline assembly, as Triton asks for them."""

    def __init__(self, values: Sequence[Value]) -> None:
        self._values = values

    def get_result(self, number: int) -> Value:
        """Return the result of this number."""
        return self._values[number]


def inline_assembly(
    builder: Any, text: str, constraints: str, values: Sequence[Value], dtypes: Sequence[Any], _pure: bool, pack: int
) -> _Results:
    """Run a text of assembly for `pack` elements at a time.

    This is `tl.inline_asm_elementwise`. Raises NotSimulatedError, and ValueError where `pack` does not fit.
    """
    types = [dtype.scalar for dtype in dtypes]
    # In a register, a pointer is its address.
    numbers = [builder.as_integers(value, tl.uint64) if value.dtype.is_ptr() else value for value in values]
    # Triton has broadcast the operands already; without any, the result's type has the shape.
    shape: tuple[Any, ...] = ()
    if values:
        shape = values[0].shape
    elif dtypes[0].is_block():
        shape = dtypes[0].shape
    shape = tuple(int(getattr(size, "value", size)) for size in shape)
    rows, size = len(builder.memory.group), math.prod(shape)
    if size % pack:
        raise ValueError(f"inline assembly for pack={pack} elements at a time does not fit a block of {size}")
    full = [np.broadcast_to(spread(value.data, shape), (rows, *shape)).reshape(-1, pack) for value in numbers]
    inputs = ptx.pack_registers(full, [value.dtype.scalar for value in numbers], pack)
    counts = [ptx.register_count(item_bytes(dtype), pack) for dtype in types]
    registers = _name_registers(constraints, inputs, sum(counts))
    ptx.run(text, registers)
    results, start = [], 0
    for dtype, output_count in zip(types, counts, strict=True):
        outputs = [
            # A constant of the text is one number for all elements.
            np.broadcast_to(_read_result(registers, f"${start + position}"), rows * size // pack)
            for position in range(output_count)
        ]
        data = ptx.unpack_registers(outputs, dtype, item_bytes(dtype), pack).reshape(rows, *shape)
        results.append(Value(data, dtype, shape, poison=_poison(values, shape, pack)))
        start += output_count
    return _Results(results)


def _read_result(registers: dict[str, Array], name: str) -> Array:
    if name not in registers:
        raise ValueError(f"inline assembly leaves its result {name} without a value")
    return registers[name]


def _name_registers(constraints: str, values: Sequence[Array], outputs: int) -> dict[str, Array]:
    """Return the input registers by the names that a text has for them.

    An input may be tied to a result's register, as `0` is to `$0`.
    """
    inputs = [
        constraint.strip()
        for constraint in constraints.split(",")
        if constraint.strip() and constraint.strip()[0] not in "=~"
    ]
    # LLVM counts the results first, and then the inputs.
    registers = {f"${outputs + position}": bits for position, bits in enumerate(values)}
    registers |= {f"${number}": bits for number, bits in zip(inputs, values, strict=False) if number.isdigit()}
    return registers


def _poison(values: Sequence[Value], shape: tuple[int, ...], pack: int) -> Array | None:
    """Return which results are undefined.

    A result is where an operand is; of several elements at a time, where any of them is.
    """
    poison = combined_poison(*values)
    if poison is None:
        return None
    if pack == 1:
        return poison
    full = np.broadcast_to(spread(poison, shape), (len(poison), *shape))
    groups = np.logical_or.reduce(full.reshape(-1, pack), axis=1, keepdims=True)
    return np.broadcast_to(groups, (len(groups), pack)).reshape(full.shape)
