"""Kernel functions that see single elements.

Each element is then a program of its own, for a while.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime import interpreter as upstream

from triton_simulator.signals import Divergence
from triton_simulator.values.formats import Array
from triton_simulator.values.value import Value, spread

Scalars = Callable[[list[Value]], list[Value]]
"""Function of scalars of many programs."""


def map_elementwise(builder: Any, function: Any, tensors: Sequence[Any], pack: int) -> Any:
    """Apply a function to `pack` neighbouring elements at a time.

    This is `tl.map_elementwise`. Raises ValueError where `pack` does not fit.
    """
    semantic = upstream.interpreter_semantic
    values = [tensor.handle for tensor in semantic.broadcast_tensors(*tensors)]
    shape, single = values[0].shape, False
    if not shape or math.prod(shape) % pack:
        raise ValueError(f"map_elementwise expects blocks of a multiple of pack={pack} elements, but got {shape}")

    def call(scalars: list[Value]) -> list[Value]:
        """Apply the function to scalars."""
        nonlocal single
        results = function(*(tl.tensor(value, value.dtype) for value in scalars))
        # The caller gets a tuple only if the function returns one.
        single = not isinstance(results, tuple | tl.tuple)
        outputs = [results] if single else results
        return [semantic.to_tensor(output).handle for output in outputs]

    rows = len(builder.memory.group)
    # Triton passes all elements of one block before those of the next.
    pairs = itertools.product(values, range(pack))
    scalars = [_strided_scalars(value, rows, pack, position) for value, position in pairs]
    results = apply_by_element(builder, call, scalars)
    if len(results) % pack:
        raise ValueError(
            f"map_elementwise expects {pack} results for each block, but the function gives {len(results)}"
        )
    blocks = [_join_block(results[start : start + pack], rows, shape) for start in range(0, len(results), pack)]
    outputs = tuple(tl.tensor(block, tl.block_type(block.dtype, list(shape))) for block in blocks)
    return outputs[0] if single else outputs


def apply_by_element(builder: Any, call: Scalars, values: list[Value]) -> list[Value]:
    """Apply `call` to scalars, of which each program has as many.

    Elements that disagree are separated.
    """
    memory, group, ids = builder.memory, builder.memory.group, builder.ids
    size = len(values[0].data)
    per_program = size // len(group)
    results: list[Value] = []
    waiting = [np.arange(size)]
    try:
        while waiting:
            subset = waiting.pop()
            # Each element counts as a program: faults name the program that has it.
            memory.group = group[subset // per_program]
            builder.ids = tuple(axis[subset // per_program] if len(axis) > 1 else axis for axis in ids)
            try:
                combined = call([value.rearrange(lambda data: data[subset], ()) for value in values])  # noqa: B023
            except Divergence as diverged:
                # The last part in the list runs next, so that reversed ones run in their order.
                waiting.extend(reversed(diverged.split(subset)))
                continue
            if not results:
                results = [Value(np.empty(size, new.data.dtype), new.dtype) for new in combined]
            for result, new in zip(results, combined, strict=True):
                _put(result, subset, new)
    finally:
        memory.group, builder.ids = group, ids
    return results


def _put(result: Value, index: Array, new: Value) -> None:
    """Carry out `result[index] = new`."""
    result.data[index] = new.data.reshape(-1)
    if new.poison is not None:
        result.poison = np.zeros(len(result.data), np.bool_) if result.poison is None else result.poison
        result.poison[index] = new.poison.reshape(-1)


def _strided_scalars(value: Value, rows: int, pack: int, position: int) -> Value:
    """Return every `pack`-th element of a block, in all programs.

    The first one is at this position.
    """
    full = (rows, *value.shape)
    return value.rearrange(
        lambda data: np.broadcast_to(spread(data, value.shape), full).reshape(-1, pack)[:, position], ()
    )


def _join_block(scalars: Sequence[Value], rows: int, shape: tuple[int, ...]) -> Value:
    """Return the block whose elements `_strided_scalars` took apart."""

    def join(arrays: Sequence[Any]) -> Array:
        """Return the arrays interleaved, as (rows, *shape)."""
        size = len(scalars[0].data)
        return np.stack([np.broadcast_to(array, size) for array in arrays], axis=-1).reshape(rows, *shape)

    poisons = [scalar.poison for scalar in scalars]
    is_defined = all(mask is None for mask in poisons)
    masks = [mask is not None and mask for mask in poisons]
    poison = None if is_defined else join(masks)
    return Value(join([scalar.data for scalar in scalars]), scalars[0].dtype, shape, poison=poison)
