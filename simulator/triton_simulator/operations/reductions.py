"""`tl.reduce` and `tl.associative_scan`.

They run along an axis of the block, in all programs of a group.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import triton.language as tl
from triton.language import standard
from triton.runtime import interpreter as upstream

from triton_simulator.gpus import WARP_THREADS
from triton_simulator.operations.elements import apply_by_element
from triton_simulator.signals import ElementBranch
from triton_simulator.values.formats import Array, round_to_dtype, value_dtype
from triton_simulator.values.value import Value, spread

Tensors = tuple[Any, ...]


def reduce(builder: Any, tensors: Tensors, axis: int | None, combine: Any, keep_dims: bool) -> Tensors:
    """Combine each tensor along `axis`; None stands for all axes.

    The results lack the axis. With `keep_dims`, it has length 1.
    """
    values = [tensor.handle for tensor in tensors]
    shape = values[0].shape
    _check_axis(axis, shape)
    builder.wait()
    if axis is None:
        values = [builder.create_reshape(value, (int(np.prod(shape)),)) for value in values]
    # Poison is marked before, as the result no longer tells which elements were combined.
    for value in values:
        builder.memory.results.combine(value, 0 if axis is None else axis)
    results = _reduce_values(builder, values, 0 if axis is None else axis % len(shape), combine)
    _count_waits(builder, math.prod(results[0].shape))
    if keep_dims:
        reduced_shape = (
            (1,) * len(shape) if axis is None else (*shape[: axis % len(shape)], 1, *shape[axis % len(shape) + 1 :])
        )
        results = [builder.create_reshape(value, reduced_shape) for value in results]
    if builder.memory.steps is not None:
        builder.memory.steps.add_operation(_operation_name(combine), results[0])
    return tuple(_tensor(value, tensor.dtype) for value, tensor in zip(results, tensors, strict=True))


def _count_waits(builder: Any, results: int) -> None:
    """Count the waits of warps in a reduction with so many results.

    With a result for each thread, each has all of its own elements.
    """
    counts, warps = builder.memory.counts, builder.memory.races.threads.warps
    if counts is None:
        return
    if results < warps * WARP_THREADS:
        counts.wait(len(builder.memory.group) * warps)


def _operation_name(combine: Any) -> str:
    """Return the purpose of one of Triton's combining functions.

    `_sum_combine` is "sum", `_elementwise_max` is "max".
    """
    name = getattr(combine, "__name__", "").strip("_").removeprefix("elementwise_").partition("_")[0]
    return name or "reduce"


def _reduce_values(builder: Any, values: list[Value], axis: int, combine: Any) -> list[Value]:
    first = values[0]
    shape = (*first.shape[:axis], *first.shape[axis + 1 :])
    # Triton's own combining functions are known, and numpy is much faster than calling them.
    if combine is standard._sum_combine:
        builder.count(first)
        return [_fold_with(first, shape, axis, _sum)]
    if combine in _EXTREMA:
        return [_fold_with(first, shape, axis, _EXTREMA[combine].reduce)]
    if combine in _BITWISE:
        return [_fold_with(first, shape, axis, _BITWISE[combine].reduce)]
    if combine in _ARGUMENTS:
        extremes = _arg_extremum(values, shape, axis, *_ARGUMENTS[combine])
        return _fold(builder, values, axis, combine) if extremes is None else extremes
    return _fold(builder, values, axis, combine)


def _sum(data: Array, axis: int) -> Array:
    if data.dtype.kind == "b":  # a sum of single bits keeps its lowest
        return np.asarray(np.logical_xor.reduce(data, axis=axis))
    # Float16 sums are kept in float32 until the end, so that small terms are not lost on the way.
    wide = data.astype(np.float32) if data.dtype == np.float16 else data
    return np.asarray(wide.sum(axis=axis)).astype(data.dtype)


def _fold_with(value: Value, shape: tuple[int, ...], axis: int, fold: Callable[..., Array]) -> Value:
    data = np.asarray(fold(value.full(), axis=axis + 1)).astype(value.data.dtype, copy=False)
    return Value(round_to_dtype(data, value.dtype.scalar), value.dtype, shape, poison=_reduce_poison(value, axis))


def _reduce_poison(value: Value, axis: int) -> Array | None:
    if value.poison is None:
        return None
    return np.asanyarray(value.poison.any(axis=axis + 1))  # a subclass may know more: see `undefined.py`


def _arg_extremum(
    values: list[Value], shape: tuple[int, ...], axis: int, largest: bool, leftmost: bool
) -> list[Value] | None:
    """Return the extreme value and its index, or None.

    Of equal values, the smallest index is taken if `leftmost`, otherwise the largest, as on a GPU.

    None if there is a NaN: what comes of it depends on the order in which elements are compared.
    """
    value, index = values
    data = value.full()
    best = (np.max if largest else np.min)(data, axis=axis + 1, keepdims=True)
    # numpy's extremes are NaN if any element is, so these tell of all.
    if data.dtype.kind == "f" and np.isnan(best).any():
        return None
    # Where the value is not extreme, its index becomes one that is never chosen.
    limits = np.iinfo(index.data.dtype) if index.dtype.is_int() else np.finfo(index.data.dtype)
    choose, otherwise = (np.argmin, limits.max) if leftmost else (np.argmax, limits.min)
    position = np.expand_dims(choose(np.where(data == best, index.full(), otherwise), axis=axis + 1), axis + 1)
    results = []
    for operand in (value, index):
        # Either may have a single row, for all programs at once.
        rows = max(len(operand.data), len(position))
        full = np.broadcast_to(operand.full(), (rows, *operand.shape))
        extreme = np.take_along_axis(full, np.broadcast_to(position, (rows, *position.shape[1:])), axis=axis + 1)
        # Which index is chosen depends on every value, so an undefined one spoils it, too.
        poison = _reduce_poison(value, axis)
        results.append(Value(extreme.squeeze(axis + 1), operand.dtype, shape, poison=poison))
    return results


def _fold(builder: Any, values: list[Value], axis: int, combine: Any) -> list[Value]:
    """Combine neighbours, then neighbouring pairs, and so on.

    Any associative function will do.
    """
    # Sizes are powers of two, so neither half is longer.
    while values[0].shape[axis] > 1:
        first, second = (_take(values, axis, slice(start, None, 2)) for start in (0, 1))
        values = _combine(builder, combine, first, second)
    shape = (*values[0].shape[:axis], *values[0].shape[axis + 1 :])
    return [_rearranged(value, lambda full: full.squeeze(axis + 1), shape) for value in values]


def scan(builder: Any, tensors: Tensors, axis: int, combine: Any, reverse: bool) -> Tensors:
    """Combine each element with all before it along `axis`.

    With `reverse`, it is combined with all after it.
    """
    values = [tensor.handle for tensor in tensors]
    _check_axis(axis, values[0].shape)
    builder.wait()
    axis = axis % len(values[0].shape)
    if reverse:
        values = _take(values, axis, slice(None, None, -1))
    for value in values:
        builder.memory.results.combine(value, axis, in_order=True)
    accumulate = _ACCUMULATE.get(combine)
    if accumulate is not None:
        builder.count(values[0])
        results = [_accumulate_values(values[0], axis, accumulate)]
    else:
        results = _scan_values(builder, values, axis, combine)
    _count_waits(builder, math.prod(results[0].shape) // results[0].shape[axis])
    if reverse:
        results = _take(results, axis, slice(None, None, -1))
    return tuple(_tensor(value, tensor.dtype) for value, tensor in zip(results, tensors, strict=True))


def _accumulate_values(value: Value, axis: int, accumulate: Any) -> Value:
    dtype = value.dtype.scalar
    full = value.full()
    # Single bits wrap around: their sum is `xor`, and their product `and`.
    if dtype is tl.int1:
        accumulate = np.logical_and if accumulate is np.multiply else np.logical_xor
    # Small floats round after every step, which numpy's accumulation does not.
    is_small_float = value_dtype(dtype) == np.float32 and dtype is not tl.float32
    if is_small_float:
        data = np.empty_like(full)
        for position in range(value.shape[axis]):
            current, previous = ([slice(None)] * (axis + 1) + [index] for index in (position, position - 1))
            element = full[tuple(current)] if position == 0 else accumulate(data[tuple(previous)], full[tuple(current)])
            data[tuple(current)] = round_to_dtype(element, dtype)
    else:
        data = accumulate.accumulate(full, axis=axis + 1, dtype=full.dtype)
    poison = value.poison
    if poison is not None:
        poison = np.logical_or.accumulate(spread(poison, value.shape), axis=axis + 1)
    return Value(data, value.dtype, value.shape, poison=poison)


def _scan_values(builder: Any, values: list[Value], axis: int, combine: Any) -> list[Value]:
    """Combine each element with earlier ones at doubling distances.

    It is combined with the one before, then with the one two before, then four, and so on.
    """
    size, distance = values[0].shape[axis], 1
    while distance < size:
        order = np.arange(size) - distance
        # The first ones have no partner: they are combined with element 0 for nothing, and keep their value.
        first = order.reshape(-1, *(1,) * (len(values[0].shape) - axis - 1)) < 0
        previous = _take(values, axis, np.maximum(order, 0))
        combined = _combine(builder, combine, previous, values)
        values = [new.replace_where(first, old) for new, old in zip(combined, values, strict=True)]
        distance *= 2
    return values


def _take(values: list[Value], axis: int, selection: slice | Array) -> list[Value]:
    """Return some of the positions along an axis."""
    results = []
    for value in values:
        size = len(np.arange(value.shape[axis])[selection])
        shape = (*value.shape[:axis], size, *value.shape[axis + 1 :])
        results.append(_rearranged(value, lambda full: full[(*(slice(None),) * (axis + 1), selection)], shape))
    return results


def _rearranged(value: Value, change: Callable[[Array], Array], shape: tuple[int, ...]) -> Value:
    """Rearrange a value by a change that needs all axes in full."""
    return value.rearrange(lambda data: change(spread(data, value.shape)), shape)


def _combine(builder: Any, combine: Any, first: list[Value], second: list[Value]) -> list[Value]:
    """Apply the kernel's function to whole slices at once.

    The tensors look like blocks to it.

    If it branches on them, it is given scalars, which is what it expects: see `_combine_by_element`.
    """
    function = getattr(combine, "rewrite", lambda: combine)()
    values = [*first, *second]
    builder.combining = True
    try:
        return _call(builder, function, values)
    except ElementBranch:
        pass
    finally:
        builder.combining = False
    return _combine_by_element(builder, function, values)


def _combine_by_element(builder: Any, function: Any, values: list[Value]) -> list[Value]:
    """Apply the kernel's function to pairs of elements, each its own program."""
    shape = values[0].shape
    rows = (len(builder.memory.group), *shape)
    values = [value.rearrange(lambda data: np.broadcast_to(data, rows).reshape(-1), ()) for value in values]
    results = apply_by_element(builder, lambda scalars: _call(builder, function, scalars), values)
    return [result.rearrange(lambda data: data.reshape(rows), shape) for result in results]


def _call(builder: Any, function: Any, values: list[Value]) -> list[Value]:
    """Apply the kernel's function to tensors.

    Its results have the types and the shape of what it combines.
    """
    results = function(*(_tensor(value, value.dtype) for value in values))
    results = results if isinstance(results, tuple | tl.tuple) else (results,)
    return [_match_block(builder, result, value) for result, value in zip(results, values, strict=False)]


def _match_block(builder: Any, result: Any, value: Value) -> Value:
    semantic, dtype = upstream.interpreter_semantic, value.dtype.scalar
    handle: Value = semantic.cast(semantic.to_tensor(result), dtype).handle
    if handle.shape != value.shape:
        handle = builder.create_splat(tl.block_type(dtype, list(value.shape)), handle)
    return handle


def _tensor(value: Value, dtype: Any) -> Any:
    scalar = dtype.scalar
    value.data = value.data.astype(value_dtype(scalar), copy=False)
    value.dtype = scalar
    return tl.tensor(value, tl.block_type(scalar, list(value.shape)) if value.shape else scalar)


def _check_axis(axis: int | None, shape: tuple[int, ...]) -> None:
    if axis is None:
        return
    if not -len(shape) <= axis < len(shape):
        raise ValueError(f"axis {axis} is out of bounds for a block of shape {shape}")


_EXTREMA: dict[Any, Any] = {standard._elementwise_max: np.fmax, standard._elementwise_min: np.fmin}
_BITWISE: dict[Any, Any] = {standard._xor_combine: np.bitwise_xor, standard._or_combine: np.bitwise_or}
_ARGUMENTS: dict[Any, tuple[bool, bool]] = {
    standard._argmax_combine_tie_break_left: (True, True),
    standard._argmax_combine_tie_break_fast: (True, False),
    standard._argmin_combine_tie_break_left: (False, True),
    standard._argmin_combine_tie_break_fast: (False, False),
}
"""Pairs of flags: for the largest, and for the leftmost of equal ones."""
_ACCUMULATE: dict[Any, Any] = {standard._sum_combine: np.add, standard._prod_combine: np.multiply}
