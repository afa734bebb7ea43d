"""Arithmetic element by element: broadcast, promoted, rounded once, and contiguous unless all operands lie alike."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from triton_workshop.page.torch import layout
from triton_workshop.page.torch.absent import NotInThisPageError
from triton_workshop.page.torch.dtypes import BOOL, FLOAT32, INT64, Array, dtype, promote_types
from triton_workshop.page.torch.tensor import Tensor, made, offer
from triton_workshop.page.torch.views import copy_

Work = Callable[..., Any]
PYTHONS = {bool: BOOL, int: INT64, float: FLOAT32}


def number(value: Any) -> Any:
    """numpy's numbers as Python's; anything else as it is."""
    return value.item() if isinstance(value, np.generic) else value


def result_type(*operands: Any) -> dtype:
    """The dtype of what is computed: tensors with dimensions decide, then those without, then Python's numbers."""
    found: dtype | None = None
    for group in (_dims, _no_dims, _numbers):
        kinds = group(operands)
        if kinds:
            own = functools.reduce(promote_types, kinds)
            found = own if found is None or own.rank > found.rank else found
    assert found is not None
    return found


def _dims(operands: Any) -> list[dtype]:
    return [each.dtype for each in operands if isinstance(each, Tensor) and each.shape]


def _no_dims(operands: Any) -> list[dtype]:
    return [each.dtype for each in operands if isinstance(each, Tensor) and not each.shape]


def _numbers(operands: Any) -> list[dtype]:
    return [PYTHONS[type(each)] for each in operands if not isinstance(each, Tensor)]


def computed(work: Work, operands: tuple[Any, ...], kind: dtype, result: dtype | None = None) -> Tensor:
    """What `work` makes of the operands' values, taken as `kind`; stored as `result`, by default the same."""
    tensors = [each for each in operands if isinstance(each, Tensor)]
    shape = layout.broadcast(*(each.shape for each in tensors))
    with np.errstate(all="ignore"):
        values = work(*(_as(each, kind) for each in operands))
    strides = layout.strides_of_result(shape, [(tuple(each.shape), each.strides_) for each in tensors])
    return made(values, result or kind, strides)


def _as(operand: Any, kind: dtype) -> Array:
    if isinstance(operand, Tensor):
        return operand.values.astype(kind.computed, copy=False)
    if kind.rank == 1:
        whole = 1 << kind.itemsize * 8  # a number that is too large for the dtype loses its upper bits
        operand = int(operand) % whole
        operand -= whole if kind.is_signed and operand >= whole >> 1 else 0
    return np.asarray(operand, kind.computed)


# Two operands


def _binary(name: str, work: Work, check: Callable[[dtype, Any], None] | None = None, result: str = "") -> Any:
    def operate(self: Any, other: Any) -> Tensor:
        for each, word, place in ((self, "input", 1), (other, "other", 2)):
            if type(number(each)) not in PYTHONS and not isinstance(each, Tensor):
                given = type(each).__name__
                raise TypeError(f"{name}(): argument '{word}' (position {place}) must be Tensor, not {given}")
        operands = number(self), number(other)
        kind = result_type(*operands)
        if check is not None:
            check(kind, operands[1])
        if result == "float" and kind.rank < 2:
            kind = FLOAT32
        return computed(work, operands, kind, BOOL if result == "bool" else None)

    return operate


def _divides(kind: dtype, other: Any) -> None:
    if kind.rank == 1 and (other == 0 if not isinstance(other, Tensor) else not other.values.all()):
        raise RuntimeError("ZeroDivisionError")


def _subtracts(kind: dtype, _: Any) -> None:
    if kind is BOOL:
        raise NotImplementedError("bool tensors are not subtracted: use ^")


def _whole(kind: dtype, _: Any) -> None:
    if kind.rank == 2:
        raise NotImplementedError(f"{kind!r} has no bitwise operations")


def _powers(kind: dtype, other: Any) -> None:
    if kind.rank == 1 and not isinstance(other, Tensor) and other < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")


def _shift_left(one: Array, other: Array) -> Array:
    return np.where(other < one.itemsize * 8, np.left_shift(one, other), 0).astype(one.dtype)


_add, _sub, _mul = _binary("add", np.add), _binary("sub", np.subtract, _subtracts), _binary("mul", np.multiply)
_div = _binary("div", np.divide, result="float")
_floor_divide = _binary("floor_divide", np.floor_divide, _divides)
TWO: dict[str, Callable[..., Tensor]] = {
    "mul": _mul,
    "floor_divide": _floor_divide,
    "remainder": _binary("remainder", np.mod, _divides),
    "pow": _binary("pow", np.power, _powers),
    "maximum": _binary("maximum", np.maximum),
    "minimum": _binary("minimum", np.minimum),
    "bitwise_and": _binary("bitwise_and", np.bitwise_and, _whole),
    "bitwise_or": _binary("bitwise_or", np.bitwise_or, _whole),
    "bitwise_xor": _binary("bitwise_xor", np.bitwise_xor, _whole),
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
    return _add(self, other if alpha == 1 else _mul(other, alpha))  # type: ignore[no-any-return]


def sub(self: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    return _sub(self, other if alpha == 1 else _mul(other, alpha))  # type: ignore[no-any-return]


def div(self: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    if rounding_mode not in (None, "floor"):
        raise NotInThisPageError(f"torch.div with rounding_mode={rounding_mode!r}")
    return (_div if rounding_mode is None else _floor_divide)(self, other)  # type: ignore[no-any-return]


TWO.update(add=add, sub=sub, div=div, true_divide=div)
OPERATORS = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "floordiv": "floor_divide", "mod": "remainder"}
OPERATORS |= {"pow": "pow", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor"}
OPERATORS |= {"lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift"}
TWO["bitwise_left_shift"] = _binary("bitwise_left_shift", _shift_left, _whole)
TWO["bitwise_right_shift"] = _binary("bitwise_right_shift", np.right_shift, _whole)


def _operator(work: Work, *, back: bool = False, inside: bool = False) -> Any:
    def operate(self: Tensor, other: Any) -> Any:
        if type(number(other)) not in PYTHONS and not isinstance(other, Tensor):
            return NotImplemented
        return in_place(self, work(self, other)) if inside else work(other, self) if back else work(self, other)

    return operate


def in_place(self: Tensor, result: Tensor) -> Tensor:
    """Write a result into a tensor, if its dtype and shape allow that."""
    if result.dtype.rank > self.dtype.rank:
        raise RuntimeError(f"a result of {result.dtype!r} has no room in a tensor of {self.dtype!r}")
    if result.shape != self.shape:
        raise RuntimeError(f"a tensor of shape {list(self.shape)} has no room for the broadcast {list(result.shape)}")
    return copy_(self, result)


# One operand


def _unary(work: Work, result: str = "") -> Any:
    def operate(self: Tensor) -> Tensor:
        kind = FLOAT32 if result == "float" and self.dtype.rank < 2 else self.dtype
        return computed(work, (self,), kind, BOOL if result == "bool" else None)

    return operate


def neg(self: Tensor) -> Tensor:
    if self.dtype is BOOL:
        raise NotImplementedError("a bool tensor has no negative: use ~ to invert a mask")
    return computed(np.negative, (self,), self.dtype)


def bitwise_not(self: Tensor) -> Tensor:
    _whole(self.dtype, None)
    return computed(np.invert, (self,), self.dtype)


def _erf(values: Array) -> Array:
    return np.vectorize(math.erf, otypes=[values.dtype])(values) if values.size else values


def _kept_if_whole(work: Work) -> Work:
    return lambda values: values if values.dtype.kind in "iu" else work(values)


FLOATS: dict[str, Work] = {name: getattr(np, name) for name in ("exp", "exp2", "log", "log2", "log1p", "sqrt")}
FLOATS |= {name: getattr(np, name) for name in ("sin", "cos", "tanh")}
FLOATS |= {
    "rsqrt": lambda values: 1 / np.sqrt(values),
    "reciprocal": lambda values: 1 / values,
    "sigmoid": lambda values: 1 / (1 + np.exp(-values)),
    "erf": _erf,
}
ONE = {name: _unary(work, "float") for name, work in FLOATS.items()}
ONE |= {name: _unary(_kept_if_whole(getattr(np, name))) for name in ("floor", "ceil", "round", "trunc")}
ONE |= {
    "abs": _unary(np.abs),
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
    if input is None or other is None:
        raise NotInThisPageError("torch.where with one argument")
    if condition.dtype is not BOOL:
        raise RuntimeError(f"the condition of where is a bool tensor, not one of {condition.dtype!r}")
    one, other = number(input), number(other)
    kind = result_type(one, other)
    shape = layout.broadcast(condition.shape, *(each.shape for each in (one, other) if isinstance(each, Tensor)))
    operands = [each for each in (condition, one, other) if isinstance(each, Tensor)]
    strides = layout.strides_of_result(shape, [(tuple(each.shape), each.strides_) for each in operands])
    return made(np.where(condition.array, _as(one, kind), _as(other, kind)), kind, strides)


def clamp(self: Tensor, min: Any = None, max: Any = None) -> Tensor:
    low, high = number(min), number(max)
    if low is None and high is None:
        raise RuntimeError("clamp needs min or max")
    limits = [each for each in (low, high) if each is not None]
    kind = result_type(self, *limits)
    result = computed(np.maximum, (self, low), kind) if low is not None else self
    return computed(np.minimum, (result, high), kind) if high is not None else result


def nan_to_num(self: Tensor, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Tensor:
    def work(values: Array) -> Array:
        return np.nan_to_num(values, nan=nan, posinf=high, neginf=low)

    largest = float(np.finfo(self.values.dtype).max) if not self.dtype.is_bfloat16 else 3.3895313892515355e38
    largest = 65504.0 if self.dtype.name == "float16" else largest
    high, low = largest if posinf is None else posinf, -largest if neginf is None else neginf
    return computed(work, (self,), self.dtype) if self.dtype.rank == 2 else computed(np.copy, (self,), self.dtype)


def masked_fill(self: Tensor, mask: Tensor, value: Any) -> Tensor:
    if mask.dtype is not BOOL:
        raise RuntimeError(f"the mask of masked_fill is a bool tensor, not one of {mask.dtype!r}")
    fill = value.number if isinstance(value, Tensor) else value
    values = np.where(mask.array, np.asarray(fill, self.dtype.computed), self.values)
    return made(values, self.dtype)


MORE = {"clamp": clamp, "clip": clamp, "nan_to_num": nan_to_num, "masked_fill": masked_fill}
MORE |= {"absolute": ONE["abs"], "negative": neg}
EVERY = {**TWO, **ONE, **MORE}
offer(" ".join(EVERY), EVERY, function=True, method=True)
offer("where", vars(), function=True)
SPECIAL = {f"__{name}__": _operator(TWO[of]) for name, of in OPERATORS.items()}
SPECIAL |= {f"__r{name}__": _operator(TWO[of], back=True) for name, of in OPERATORS.items()}
SPECIAL |= {f"__i{name}__": _operator(TWO[of], inside=True) for name, of in OPERATORS.items()}
SPECIAL |= {f"__{name}__": _operator(TWO[name]) for name in ("eq", "ne", "lt", "le", "gt", "ge")}
SPECIAL |= {"__neg__": neg, "__invert__": bitwise_not, "__abs__": ONE["abs"]}


def _inside(work: Work) -> Work:
    return lambda self, *arguments, **named: in_place(self, work(self, *arguments, **named))


for _name in ("add", "sub", "mul", "div", "pow", "clamp", "exp", "sqrt", "abs", "neg", "relu", "masked_fill"):
    SPECIAL[f"{_name}_"] = _inside(EVERY[_name])
offer(" ".join(SPECIAL), SPECIAL, method=True)
