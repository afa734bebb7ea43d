"""Loops over numbers that programs may know only at run time."""

from __future__ import annotations

import builtins
import functools
import operator
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime import interpreter as upstream

from triton_simulator.language.agreement import check_defined, describe, is_single
from triton_simulator.operations.builder import Builder
from triton_simulator.signals import Divergence
from triton_simulator.values.conversions import constant
from triton_simulator.values.formats import Array, value_dtype
from triton_simulator.values.value import Value


class RuntimeRange:
    """The numbers that a loop counts at run time, as tensors."""

    def __init__(self, numbers: Iterable[int | Array], dtype: Any) -> None:
        self._numbers = numbers
        self.dtype = dtype

    def __iter__(self) -> Iterator[Any]:
        dtype = self.dtype
        native = value_dtype(dtype)
        for number in self._numbers:
            value = constant(number, dtype) if isinstance(number, int) else Value(number.astype(native), dtype)
            yield tl.tensor(value, dtype)


def loop_values(numbers: Any) -> Iterable[Any]:
    """Return what a `for` of a kernel iterates over.

    The numbers of a `range` are tensors.
    """
    if not isinstance(numbers, _RANGES) or not isinstance(upstream.interpreter_semantic.builder, Builder):
        return numbers  # type: ignore[no-any-return]
    if isinstance(numbers, tl.range):
        numbers = range_values(numbers.start, numbers.end, numbers.step)
    if isinstance(numbers, RuntimeRange):
        return numbers
    ends = numbers.start, numbers.stop, numbers.step
    dtype = _common_type(*ends)
    if dtype.is_int_unsigned():
        numbers = builtins.range(*(int(_signed(np.array(end), dtype)) for end in ends))
    return RuntimeRange(numbers, dtype)


_RANGES = (builtins.range, tl.range)


def tensor_builtin(function: Any) -> Any:
    """Return what a kernel calls by the name of a Python builtin.

    For some of them, it is one for tensors.
    """
    return next((replacement for plain, replacement in TENSOR_BUILTINS if function is plain), function)


def _tensor_range(first: Any, second: Any = None, step: Any = None, /, **_ignored: Any) -> Any:
    """Return a kernel's `range`.

    The compiler ignores keyword arguments, even a step.
    """
    start, stop = (0, first) if second is None else (first, second)
    return range_values(start, stop, 1 if step is None else step)


def _extremum(name: str, plain: Callable[..., Any]) -> Callable[..., Any]:
    """Return Python's `min` or `max`, extended to tensors.

    Triton's compiler takes it for `tl.minimum` or `tl.maximum` of tensors.
    """

    def extremum(*values: Any, **options: Any) -> Any:
        """Return the extreme value; of tensors, element by element."""
        has_tensor = any(isinstance(value, tl.tensor) for value in values)
        is_elementwise = has_tensor and len(values) > 1
        if not is_elementwise:
            return plain(*values, **options)
        return functools.reduce(getattr(tl, name), values)

    return extremum


def _print(*values: Any, **options: Any) -> None:
    """Print as Python's `print`, or in hexadecimal as Triton's."""
    if "hex" in options:
        tl.device_print(*values, **options)
    else:
        builtins.print(*values, **options)


TENSOR_BUILTINS = (
    (builtins.print, _print),
    (builtins.range, _tensor_range),
    (builtins.min, _extremum("minimum", builtins.min)),
    (builtins.max, _extremum("maximum", builtins.max)),
)


def range_values(start: Any, stop: Any, step: Any) -> Any:
    """Return the numbers of a `range` with ends per program.

    The ends may differ between programs, as long as all make as many steps. Raises Divergence otherwise.
    """
    ends = [constexpr_value(end) for end in (start, stop, step)]
    tensors = (end for end in ends if isinstance(end, tl.tensor))
    is_simulated = any(isinstance(tensor.handle, Value) for tensor in tensors)
    if not is_simulated:
        return builtins.range(*ends)
    builder: Builder = upstream.interpreter_builder
    numbers = [_as_scalars(builder, end) for end in ends]
    dtype = _common_type(*ends)
    first, last, stride = (_signed(number, dtype) for number in numbers)
    has_countdown = isinstance(ends[2], tl.tensor) and (stride <= 0).any()
    if has_countdown:
        _warn_of_countdown(first, last, stride)
        counts = np.where(stride <= 0, 0, np.maximum(0, -((first - last) // np.maximum(stride, 1))))
    else:
        # Twice negated, `//` rounds up: the last step may be a part of one.
        counts = np.maximum(0, -((first - last) // stride))
    if (counts != counts[0]).any():
        raise Divergence(np.broadcast_to(counts, builder.memory.group.shape))
    return RuntimeRange((first + i * stride for i in builtins.range(int(counts[0]))), dtype)


def _warn_of_countdown(first: Array, last: Array, stride: Array) -> None:
    """Warn of a loop whose step is not positive at run time.

    The compiler counts upwards, so such a loop does not run.

    Raises ValueError if it would never end.
    """
    explanation = (
        f"the step of this `range` is {stride.min()} at run time, and on a GPU a loop counts down only if the compiler "
        "knows its step: write the number itself, make it a `tl.constexpr`, or count up and subtract"
    )
    if ((first < last) & (stride <= 0)).any():
        raise ValueError(f"{explanation}; this loop would never end")
    warnings.warn(f"{explanation}; this loop does not run", stacklevel=2)


def _signed(end: Array, dtype: Any) -> Array:
    """Return an end of a loop as the loop compares it.

    Whatever the type, the comparison is of signed numbers in int64.
    """
    native = value_dtype(dtype)
    return end.astype(native).view(f"i{native.itemsize}").astype(np.int64)


def _common_type(*ends: Any) -> Any:
    types = set(map(_type_of_end, ends))
    return functools.reduce(upstream.interpreter_semantic.integer_promote_impl, types)


def _type_of_end(end: Any) -> Any:
    is_int32 = type(end) is int and -(2**31) <= end < 2**31
    return tl.int32 if is_int32 else upstream.interpreter_semantic.to_tensor(end).dtype


def _as_scalars(builder: Builder, number: Any) -> Array:
    """Return an integer of every program, (P,), or (1,) where all agree.

    Raises TypeError for anything but an integer scalar.
    """
    if not isinstance(number, tl.tensor):
        return np.array([operator.index(number)])
    value = number.handle
    is_integer = is_single(value) and number.dtype.is_int()
    if not is_integer:
        raise TypeError(f"`range` expects integers, but one of its arguments is {describe(number)}")
    check_defined(builder, value)
    data = value.data.reshape(-1).astype(np.int64)
    return np.asarray(data[:1] if (data == data[0]).all() else data)


def constexpr_value(number: Any) -> Any:
    """Return the value of a `tl.constexpr`; anything else as it is."""
    return number.value if isinstance(number, tl.constexpr) else number
