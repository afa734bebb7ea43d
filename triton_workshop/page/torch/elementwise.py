"""Arithmetic element by element.

Operands are broadcast and promoted, and results rounded once. They are contiguous unless all operands have the same
layout.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from triton_workshop.page.torch import layout
from triton_workshop.page.torch.absent import NotInThisPageError
from triton_workshop.page.torch.dtypes import BOOL, FLOAT32, INT64, Array, dtype, promote_types
from triton_workshop.page.torch.tensor import Tensor, from_values, register
from triton_workshop.page.torch.views import copy_

Operation = Callable[..., Any]
PYTHON_DTYPES = {bool: BOOL, int: INT64, float: FLOAT32}


def to_python(value: Any) -> Any:
    """Return a number of numpy's as Python's; anything else as it is."""
    return value.item() if isinstance(value, np.generic) else value


def _is_operand(value: Any) -> bool:
    """Return whether a value is a tensor or a number."""
    return isinstance(value, Tensor) or type(to_python(value)) in PYTHON_DTYPES


def result_type(*operands: Any) -> dtype:
    """Return the dtype of a result.

    Tensors with dimensions decide, then those without, then Python's numbers.
    """
    tensors = [operand for operand in operands if isinstance(operand, Tensor)]
    groups = (
        [tensor.dtype for tensor in tensors if tensor.shape],
        [tensor.dtype for tensor in tensors if not tensor.shape],
        [PYTHON_DTYPES[type(operand)] for operand in operands if not isinstance(operand, Tensor)],
    )
    kinds = [functools.reduce(promote_types, group) for group in groups if group]
    # A later group counts only with a higher kind, as `max` returns the first of several that are alike: int32 + 1.5
    # is a float, float16 + 1.5 stays float16.
    return max(kinds, key=lambda kind: kind.rank)


def compute(operation: Operation, operands: tuple[Any, ...], kind: dtype, result: dtype | None = None) -> Tensor:
    """Apply an operation to the operands' values as `kind`.

    The result has the dtype `result`, by default the same.
    """
    tensors = [operand for operand in operands if isinstance(operand, Tensor)]
    shape = layout.broadcast(*(operand.shape for operand in tensors))
    with np.errstate(all="ignore"):
        values = operation(*(_operand_values(operand, kind) for operand in operands))
    strides = layout.result_strides(shape, [(tuple(operand.shape), operand.strides_) for operand in tensors])
    return from_values(values, result or kind, strides)


def _operand_values(operand: Any, kind: dtype) -> Array:
    if isinstance(operand, Tensor):
        return operand.values.astype(kind.computed, copy=False)
    if kind.rank == 1:
        modulus = 1 << kind.itemsize * 8  # a number that is too large for the dtype loses its upper bits
        operand = int(operand) % modulus
        is_negative = kind.is_signed and operand >= modulus >> 1
        if is_negative:
            operand -= modulus
    return np.asarray(operand, kind.computed)


# Two operands


def _binary(
    name: str, operation: Operation, check: Callable[[dtype, Any], None] | None = None, result: str = ""
) -> Any:
    def operate(self: Any, other: Any) -> Tensor:
        for operand, label, position in ((self, "input", 1), (other, "other", 2)):
            if not _is_operand(operand):
                type_name = type(operand).__name__
                raise TypeError(f"{name}(): argument '{label}' (position {position}) must be Tensor, not {type_name}")
        operands = to_python(self), to_python(other)
        kind = result_type(*operands)
        if check is not None:
            check(kind, operands[1])
        return compute(operation, operands, _operand_kind(kind, result), BOOL if result == "bool" else None)

    return operate


def _operand_kind(kind: dtype, result: str) -> dtype:
    """Return the dtype to compute with; a float for the result `float`."""
    if result != "float":
        return kind
    # In PyTorch, the quotient of integers is a float32.
    return FLOAT32 if kind.rank < 2 else kind


def _check_division(kind: dtype, other: Any) -> None:
    if kind.rank != 1:
        return
    has_zero = not other.values.all() if isinstance(other, Tensor) else other == 0
    if has_zero:
        raise RuntimeError("ZeroDivisionError")


def _check_subtraction(kind: dtype, _: Any) -> None:
    if kind is BOOL:
        raise NotImplementedError("bool tensors are not subtracted: use ^")


def _check_bitwise(kind: dtype, _: Any) -> None:
    if kind.rank == 2:
        raise NotImplementedError(f"{kind!r} has no bitwise operations")


def _check_power(kind: dtype, other: Any) -> None:
    if kind.rank != 1:
        return
    is_negative = not isinstance(other, Tensor) and other < 0
    if is_negative:
        raise RuntimeError("Integers to negative integer powers are not allowed.")


def _shift_bits(values: Array, bits: Array) -> Array:
    # In C, a shift by all bits or more is undefined; PyTorch gives 0.
    return np.where(bits < values.itemsize * 8, np.left_shift(values, bits), 0).astype(values.dtype)


_add, _sub, _mul = _binary("add", np.add), _binary("sub", np.subtract, _check_subtraction), _binary("mul", np.multiply)
_div = _binary("div", np.divide, result="float")
_floor_divide = _binary("floor_divide", np.floor_divide, _check_division)
BINARY: dict[str, Callable[..., Tensor]] = {
    "mul": _mul,
    "floor_divide": _floor_divide,
    "remainder": _binary("remainder", np.mod, _check_division),
    "pow": _binary("pow", np.power, _check_power),
    "maximum": _binary("maximum", np.maximum),
    "minimum": _binary("minimum", np.minimum),
    "bitwise_and": _binary("bitwise_and", np.bitwise_and, _check_bitwise),
    "bitwise_or": _binary("bitwise_or", np.bitwise_or, _check_bitwise),
    "bitwise_xor": _binary("bitwise_xor", np.bitwise_xor, _check_bitwise),
    "logical_and": _binary("logical_and", np.logical_and, result="bool"),
    "logical_or": _binary("logical_or", np.logical_or, result="bool"),
    "nextafter": _binary("nextafter", np.nextafter),
    "eq": _binary("eq", np.equal, result="bool"),
    "ne": _binary("ne", np.not_equal, result="bool"),
    "lt": _binary("lt", np.less, result="bool"),
    "le": _binary("le", np.less_equal, result="bool"),
    "gt": _binary("gt", np.greater, result="bool"),
    "ge": _binary("ge", np.greater_equal, result="bool"),
}


def add(self: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """Add, with `other` multiplied by `alpha`."""
    return _add(self, other if alpha == 1 else _mul(other, alpha))  # type: ignore[no-any-return]


def sub(self: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """Subtract, with `other` multiplied by `alpha`."""
    return _sub(self, other if alpha == 1 else _mul(other, alpha))  # type: ignore[no-any-return]


def div(self: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """Divide; of the rounding modes, only floor is here."""
    if rounding_mode not in (None, "floor"):
        raise NotInThisPageError(f"torch.div with rounding_mode={rounding_mode!r}")
    return (_div if rounding_mode is None else _floor_divide)(self, other)  # type: ignore[no-any-return]


BINARY.update(add=add, sub=sub, div=div, true_divide=div)
OPERATORS = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "floordiv": "floor_divide", "mod": "remainder"}
OPERATORS |= {"pow": "pow", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor"}
OPERATORS |= {"lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift"}
BINARY["bitwise_left_shift"] = _binary("bitwise_left_shift", _shift_bits, _check_bitwise)
BINARY["bitwise_right_shift"] = _binary("bitwise_right_shift", np.right_shift, _check_bitwise)


def _operator(operation: Operation, *, reflected: bool = False, inplace: bool = False) -> Any:
    def operate(self: Tensor, other: Any) -> Any:
        if not _is_operand(other):
            return NotImplemented
        if reflected:
            return operation(other, self)
        result = operation(self, other)
        return write_inplace(self, result) if inplace else result

    return operate


def write_inplace(self: Tensor, result: Tensor) -> Tensor:
    """Write a result into a tensor, if its dtype and shape allow that."""
    if result.dtype.rank > self.dtype.rank:
        raise RuntimeError(f"a result of {result.dtype!r} has no room in a tensor of {self.dtype!r}")
    if result.shape != self.shape:
        raise RuntimeError(f"a tensor of shape {list(self.shape)} has no room for the broadcast {list(result.shape)}")
    return copy_(self, result)


# One operand


def _unary(operation: Operation, result: str = "") -> Any:
    def operate(self: Tensor) -> Tensor:
        return compute(operation, (self,), _operand_kind(self.dtype, result), BOOL if result == "bool" else None)

    return operate


def neg(self: Tensor) -> Tensor:
    """Negate; a mask is inverted by ~ instead."""
    if self.dtype is BOOL:
        raise NotImplementedError("a bool tensor has no negative: use ~ to invert a mask")
    return compute(np.negative, (self,), self.dtype)


def bitwise_not(self: Tensor) -> Tensor:
    """Invert bits, or a mask."""
    _check_bitwise(self.dtype, None)
    return compute(np.invert, (self,), self.dtype)


def _erf(values: Array) -> Array:
    return np.vectorize(math.erf, otypes=[values.dtype])(values) if values.size else values


def _floats_only(operation: Operation) -> Operation:
    return lambda values: values if values.dtype.kind in "iu" else operation(values)


FLOATS: dict[str, Operation] = {name: getattr(np, name) for name in ("exp", "exp2", "log", "log2", "log1p", "sqrt")}
FLOATS |= {name: getattr(np, name) for name in ("sin", "cos", "tanh")}
FLOATS |= {
    "rsqrt": lambda values: 1 / np.sqrt(values),
    "reciprocal": lambda values: 1 / values,
    "sigmoid": lambda values: 1 / (1 + np.exp(-values)),
    "erf": _erf,
}
UNARY = {name: _unary(operation, "float") for name, operation in FLOATS.items()}
UNARY |= {name: _unary(_floats_only(getattr(np, name))) for name in ("floor", "ceil", "round", "trunc")}
UNARY |= {
    "abs": _unary(np.abs),
    # numpy's sign of NaN is NaN, PyTorch's is 0.
    "sign": _unary(lambda values: np.where(np.isnan(values), 0, np.sign(values))),
    "square": _unary(np.square),
    "relu": _unary(lambda values: np.maximum(values, values.dtype.type(0))),
    "isnan": _unary(np.isnan, "bool"),
    "isinf": _unary(np.isinf, "bool"),
    "isfinite": _unary(np.isfinite, "bool"),
    "logical_not": _unary(np.logical_not, "bool"),
    "neg": neg,
    "bitwise_not": bitwise_not,
}


# More operands


def where(condition: Tensor, input: Any = None, other: Any = None) -> Tensor:
    """Select from two operands by a mask."""
    if input is None or other is None:
        raise NotInThisPageError("torch.where with one argument")
    if condition.dtype is not BOOL:
        raise RuntimeError(f"the condition of where is a bool tensor, not one of {condition.dtype!r}")
    first, other = to_python(input), to_python(other)
    kind = result_type(first, other)
    operands = [operand for operand in (condition, first, other) if isinstance(operand, Tensor)]
    shape = layout.broadcast(*(operand.shape for operand in operands))
    strides = layout.result_strides(shape, [(tuple(operand.shape), operand.strides_) for operand in operands])
    return from_values(
        np.where(condition.array, _operand_values(first, kind), _operand_values(other, kind)), kind, strides
    )


def clamp(self: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Limit values to at least `min` and at most `max`."""
    low, high = to_python(min), to_python(max)
    limits = [limit for limit in (low, high) if limit is not None]
    if not limits:
        raise RuntimeError("clamp needs min or max")
    kind = result_type(self, *limits)
    # The upper limit comes last, as it wins where `min` is above `max`.
    result = compute(np.maximum, (self, low), kind) if low is not None else self
    return compute(np.minimum, (result, high), kind) if high is not None else result


def nan_to_num(self: Tensor, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Tensor:
    """Replace NaN and infinities by numbers."""
    if self.dtype.rank < 2:
        return compute(np.copy, (self,), self.dtype)

    def operation(values: Array) -> Array:
        return np.nan_to_num(values, nan=nan, posinf=high, neginf=low)

    # numpy has no bfloat16, whose largest number stands here.
    largest = float(np.finfo(self.values.dtype).max) if not self.dtype.is_bfloat16 else 3.3895313892515355e38
    largest = 65504.0 if self.dtype.name == "float16" else largest
    high = largest if posinf is None else posinf
    low = -largest if neginf is None else neginf
    return compute(operation, (self,), self.dtype)


def masked_fill(self: Tensor, mask: Tensor, value: Any) -> Tensor:
    """Return a copy with a value where the mask is True."""
    if mask.dtype is not BOOL:
        raise RuntimeError(f"the mask of masked_fill is a bool tensor, not one of {mask.dtype!r}")
    fill = value.number if isinstance(value, Tensor) else value
    values = np.where(mask.array, np.asarray(fill, self.dtype.computed), self.values)
    return from_values(values, self.dtype)


EXTRAS = {"clamp": clamp, "clip": clamp, "nan_to_num": nan_to_num, "masked_fill": masked_fill}
EXTRAS |= {"absolute": UNARY["abs"], "negative": neg}
ELEMENTWISE = {**BINARY, **UNARY, **EXTRAS}
register(" ".join(ELEMENTWISE), ELEMENTWISE, function=True, method=True)
register("where", vars(), function=True)
SPECIAL = {f"__{name}__": _operator(BINARY[of]) for name, of in OPERATORS.items()}
SPECIAL |= {f"__r{name}__": _operator(BINARY[of], reflected=True) for name, of in OPERATORS.items()}
SPECIAL |= {f"__i{name}__": _operator(BINARY[of], inplace=True) for name, of in OPERATORS.items()}
SPECIAL |= {f"__{name}__": _operator(BINARY[name]) for name in ("eq", "ne", "lt", "le", "gt", "ge")}
SPECIAL |= {"__neg__": neg, "__invert__": bitwise_not, "__abs__": UNARY["abs"]}


def _inplace_method(operation: Operation) -> Operation:
    return lambda self, *arguments, **keywords: write_inplace(self, operation(self, *arguments, **keywords))


for _name in ("add", "sub", "mul", "div", "pow", "clamp", "exp", "sqrt", "abs", "neg", "relu", "masked_fill"):
    SPECIAL[f"{_name}_"] = _inplace_method(ELEMENTWISE[_name])
register(" ".join(SPECIAL), SPECIAL, method=True)
