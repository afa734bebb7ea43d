"""Types, numbers and arithmetic of PTX: see `ptx`."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import triton.language as tl

from triton_simulator.values import arithmetic, rounding
from triton_simulator.values.formats import Array, decode, encode, round_to_bits, round_to_odd

_FORMATS: dict[str, Any] = {
    "f16": tl.float16, "bf16": tl.bfloat16, "f32": tl.float32, "f64": tl.float64, "tf32": tl.float32,
    "e4m3": tl.float8e4nv, "e5m2": tl.float8e5,
}  # fmt: skip
MODES = {"rn": "n", "rz": "z", "rm": "d", "rp": "u"}
"""How results are rounded, with the letters that `rounding` has for it."""


@dataclass(frozen=True)
class Type:
    """A type by its name: `s32`, `f16x2`."""

    name: str

    @property
    def lane(self) -> Type:
        """Of two in one register, the type of each."""
        return Type(self.name.removesuffix("x2"))

    @property
    def lanes(self) -> int:
        """Return the numbers in a register: 1 or 2."""
        return 2 if self.name.endswith("x2") else 1

    @property
    def float(self) -> Any:
        """Triton's type, if it is a floating-point type."""
        return _FORMATS.get(self.name)

    @property
    def kind(self) -> str:
        """Return the first letter of the name: s, u, b, f, e …"""
        return self.name[0]

    @property
    def bits(self) -> int:
        """Return the bits of a register."""
        if self.lanes == 2:
            return 2 * self.lane.bits
        if self.name in ("tf32", "pred"):
            return 32
        return 8 if self.name[0] == "e" else int(re.sub(r"\D*", "", self.name))

    @property
    def wide(self) -> Any:
        """An integer type of numpy's with room for products."""
        return np.int64 if self.kind == "s" else np.uint64


TYPES = {
    name: Type(name)
    for name in (
        "pred", "f16x2", "bf16x2", "e4m3x2", "e5m2x2", *_FORMATS,
        *(f"{kind}{bits}" for kind in "bsu" for bits in (8, 16, 32, 64)),
    )
}  # fmt: skip


def from_bits(bits: Array, type: Type) -> Array:
    """Return registers' bits as numbers of a type."""
    if type.name == "pred":
        return bits
    stored = (bits & np.uint64((1 << type.bits) - 1)).astype(f"u{type.bits // 8}")
    if type.float is None:
        return stored.view(f"i{type.bits // 8}") if type.kind == "s" else stored
    native = stored if type.float in (tl.bfloat16, tl.float8e4nv, tl.float8e5) else stored.view(f"f{type.bits // 8}")
    return decode(native, type.float)


def to_bits(numbers: Array, type: Type, modifiers: Sequence[str] = ()) -> Array:
    """Return numbers as a register's bits.

    Exact results are rounded as the modifiers say.
    """
    if type.name == "pred":
        return numbers
    if "relu" in modifiers:
        numbers = np.where(numbers <= 0, numbers.dtype.type(0), numbers)  # -0 becomes 0, too
    if type.float is None:
        wide = numbers.astype(np.int64).view(np.uint64) if numbers.dtype.kind == "i" else numbers.astype(np.uint64)
        return wide & np.uint64((1 << type.bits) - 1)
    if "sat" in modifiers:
        # The PTX ISA: `.sat` limits to [0, 1], and makes 0 of NaN.
        numbers = np.where(numbers > 0, np.minimum(numbers, 1), numbers.dtype.type(0))
    stored = encode(_narrow(numbers, type, modifiers), type.float)
    return stored.view(f"u{stored.itemsize}").astype(np.uint64)


def result_bits(numbers: Array, type: Type, modifiers: Sequence[str]) -> Array:
    """Return the bits of what an instruction computes.

    There is one NaN, whatever those were that it was made of.
    """
    bits = to_bits(numbers, type, modifiers)
    has_one_nan = type.float is not None and type.float is not tl.float64
    if not has_one_nan:
        return bits
    if "sat" in modifiers:
        return bits
    return np.where(np.isnan(numbers), np.uint64((1 << type.bits - 1) - 1), bits)


def _narrow(numbers: Array, type: Type, modifiers: Sequence[str]) -> Array:
    """Return float64 numbers as those of a type.

    `formats` describes their representation.
    """
    if type.float is tl.float64:
        return numbers.astype(np.float64)
    nearest = numbers.astype(np.float16 if type.float is tl.float16 else np.float32)
    is_native = type.float in (tl.float16, tl.float32)
    if numbers.dtype == np.float64 and not is_native:
        nearest = round_to_odd(nearest, numbers - nearest)  # it is rounded again
    if type.float is tl.bfloat16:
        nearest = round_to_bits(nearest, 16)
    elif not is_native:
        nearest = decode(encode(nearest, type.float), type.float)
    direction = {"rz": 0.0, "rm": -np.inf, "rp": np.inf}
    # The nearest number is one step too far where it passes the exact one.
    for mode, towards in direction.items():
        if mode in modifiers:
            # Other types are held as float32 here, whose neighbours are not theirs.
            if not is_native:
                raise ValueError(mode)
            overshoots = (
                np.abs(nearest) > np.abs(numbers)
                if mode == "rz"
                else (nearest > numbers)
                if mode == "rm"
                else nearest < numbers
            )
            nearest = np.where(overshoots, np.nextafter(nearest, nearest.dtype.type(towards)), nearest)
    if "ftz" not in modifiers:
        return nearest
    if type.float is not tl.float16:
        return flush_subnormals(nearest)
    # An H200 flushes what is too small when rounded to 11 bits, of which subnormal numbers have fewer.
    return _flush(nearest, np.abs(numbers) < float(np.finfo(np.float16).tiny) - 2.0**-26)


def flush_subnormals(numbers: Array) -> Array:
    """Return floats with zeros for subnormal numbers, as `.ftz` does."""
    return _flush(numbers, np.abs(numbers) < np.finfo(numbers.dtype).tiny)


def _flush(numbers: Array, small: Array) -> Array:
    return np.where(small, np.copysign(numbers.dtype.type(0), numbers), numbers)


def literal(text: str, type: Type) -> Array:
    """Return the bits of a number that stands in the text.

    Raises ValueError for anything else.
    """
    if hexadecimal := re.fullmatch(r"0([fFdD])([0-9a-fA-F]+)", text):
        bits = np.array([int(hexadecimal[2], 16)], np.uint64)
        is_narrowed = type.name == "f32" and hexadecimal[1] in "dD"
        return to_bits(bits.view(np.float64), type) if is_narrowed else bits
    if type.float is not None:
        # ptxas takes no integer for a float, and no literals of the other types.
        if type.name not in ("f32", "f64") or not re.search("[.eE]", text):
            raise ValueError(f"{text} of {type.name}")
        return to_bits(np.array([float(text)]), type)
    # The remainder is the two's complement of a negative number.
    return np.array([int(text.rstrip("U"), 0) % (1 << 64)], np.uint64)


def _exact(function: Callable[..., Array]) -> Callable[..., Array]:
    """Return a function that computes in float64.

    Its result is rounded from there.
    """
    return lambda *numbers: function(*(number.astype(np.float64) for number in numbers))


def _fma(a: Array, b: Array, c: Array) -> Array:
    product, addend = a.astype(np.float64) * b, c.astype(np.float64)
    return round_to_odd(*arithmetic.exact_sum(product, addend))


def _divide_approximately(a: Array, b: Array) -> Array:
    # By way of a reciprocal, which is flushed to 0 for such a divisor.
    return np.where(np.abs(b) > 2.0**126, a * np.copysign(b.dtype.type(0), b), a / b)


_FLOAT_OPERATIONS: dict[str, Callable[..., Array]] = {
    "add": _exact(np.add), "sub": _exact(np.subtract), "mul": _exact(np.multiply), "fma": _fma, "mad": _fma,
    "neg": np.negative, "abs": np.abs,
    "ex2": _exact(np.exp2), "lg2": _exact(np.log2), "rsqrt": _exact(lambda x: 1 / np.sqrt(x)),
    "sin": _exact(np.sin), "cos": _exact(np.cos), "tanh": _exact(np.tanh),
}  # fmt: skip
"""Functions whose results float64 holds exactly, or well enough for the rounding to a smaller type.

A GPU only approximates the last six, to the last place but one; the error of `tanh` there is 2 ** -11.
"""
_ROUNDED_OPERATIONS: dict[str, rounding.RoundedFunction] = {
    "add": rounding.add, "sub": rounding.subtract, "mul": rounding.multiply, "div": rounding.divide,
    "fma": rounding.fused_multiply_add, "mad": rounding.fused_multiply_add, "rcp": rounding.reciprocal,
    "sqrt": rounding.square_root,
}  # fmt: skip
"""Functions that round their results themselves, for f32 and f64."""


def _rounding_mode(modifiers: Sequence[str]) -> str:
    return next((mode for modifier, mode in MODES.items() if modifier in modifiers), "n")


def float_operation(name: str, type: Type, modifiers: Sequence[str]) -> Callable[..., Array]:
    """Return the function that an instruction computes on floats.

    Raises ValueError or KeyError for what is not simulated.
    """
    if name in ("min", "max"):
        return functools.partial(_extreme, name, modifiers)
    if name == "div" and "approx" in modifiers:
        return _divide_approximately
    if name not in _ROUNDED_OPERATIONS or type.float not in (tl.float32, tl.float64):
        return _FLOAT_OPERATIONS[name]
    operation, mode = _ROUNDED_OPERATIONS[name], _rounding_mode(modifiers)
    if name in ("mul", "fma", "mad") and "ftz" in modifiers:
        return functools.partial(_flush_product, operation, mode)
    return functools.partial(operation, mode)


def _flush_product(operation: rounding.RoundedFunction, mode: str, x: Array, y: Array, *z: Array) -> Array:
    """Return x * y + z, without what is too small in 24 bits.

    An H200 decides so, and subnormal numbers have fewer bits. A larger product, which is normal, has them.
    """
    scale = np.float32(2.0**64)
    with np.errstate(over="ignore"):
        scaled = operation(mode, x * scale, y, *(addend * scale for addend in z))
    return _flush(operation(mode, x, y, *z), np.abs(scaled) < np.finfo(np.float32).tiny * scale)


def _extreme(name: str, modifiers: Sequence[str], a: Array, b: Array) -> Array:
    """Return the smaller or the larger of two floats; of zeros, -0 is less.

    A number beats NaN, except with `.NaN`. `.xorsign.abs` compares sizes, and gives the sign of the product.
    """
    negative = np.signbit(a) ^ np.signbit(b)
    if ("xorsign" in modifiers) != ("abs" in modifiers):
        raise ValueError(".xorsign and .abs")
    if "abs" in modifiers:
        a, b = np.abs(a), np.abs(b)
    less = (a < b) | (a == b) & np.signbit(a)
    result = np.where(less == (name == "min"), a, b)
    result = np.where(np.isnan(a), b, np.where(np.isnan(b), a, result))
    if "abs" in modifiers:
        result = np.where(negative, -result, result)
    unordered = np.isnan(a) | np.isnan(b)
    return np.where(unordered, a + b, result) if "NaN" in modifiers else result


def _quotient(a: Array, b: Array) -> Array:
    """Return the quotient, rounded towards 0; by 0, a GPU sets all bits."""
    return np.where(b == 0, ~b, arithmetic.divide_towards_zero(a, np.where(b == 0, b.dtype.type(1), b)))


def _remainder(a: Array, b: Array) -> Array:
    return np.where(b == 0, ~b, a - _quotient(a, b) * b)


_INTEGER_OPERATIONS: dict[str, Callable[..., Array]] = {
    "add": np.add, "sub": np.subtract, "min": np.minimum, "max": np.maximum, "neg": np.negative, "abs": np.abs,
    "div": _quotient, "rem": _remainder,
}  # fmt: skip


def integer_operation(name: str, modifiers: Sequence[str]) -> Callable[..., Array]:
    """Return the function that an instruction computes on integers."""
    function = _INTEGER_OPERATIONS[name]
    if "sat" not in modifiers:
        return function
    return lambda a, b: saturate(function(a.astype(np.int64), b.astype(np.int64)))


def saturate(numbers: Array) -> Array:
    """Return integers of 64 bits, limited to those of s32, as `.sat` does."""
    return np.clip(numbers, -(2**31), 2**31 - 1)


COMPARISONS: dict[str, Callable[..., Array]] = {
    "eq": np.equal, "ne": lambda a, b: (a != b) & (a == a) & (b == b), "neu": np.not_equal,
    "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "lo": np.less, "ls": np.less_equal, "hi": np.greater, "hs": np.greater_equal,
    "equ": lambda a, b: ~((a < b) | (a > b)), "ltu": lambda a, b: ~(a >= b), "leu": lambda a, b: ~(a > b),
    "gtu": lambda a, b: ~(a <= b), "geu": lambda a, b: ~(a < b),
    "num": lambda a, b: (a == a) & (b == b), "nan": lambda a, b: (a != a) | (b != b),
}  # fmt: skip


def _lop3(a: Array, b: Array, c: Array, table: Array) -> Array:
    """Apply any function of three bits: bit 4 a + 2 b + c of the table."""
    result = np.zeros_like(a)
    for row in range(8):
        if int(table[0]) >> row & 1:
            of_a = a if row & 4 else ~a
            of_b = b if row & 2 else ~b
            of_c = c if row & 1 else ~c
            result = result | np.bitwise_and.reduce(np.broadcast_arrays(of_a, of_b, of_c))
    return result


PERMUTATIONS: dict[str, Callable[[Array, int], Array]] = {
    "f4e": lambda choice, position: choice + position,
    "b4e": lambda choice, position: choice - position & 7,
    "rc8": lambda choice, _: choice,
    "ecl": lambda choice, position: np.maximum(choice, position),
    "ecr": lambda choice, position: np.minimum(choice, position),
    "rc16": lambda choice, position: (choice & 1) * 2 + position % 2,
}
"""Modes of `prmt`: which of eight bytes comes to a position, by the number 0 to 3 that is chosen."""


def permute_bytes(mode: str, a: Array, b: Array, selector: Array) -> Array:
    """Return any four of eight bytes, or their signs."""
    both = a.astype(np.uint64) | b.astype(np.uint64) << np.uint64(32)
    result = np.zeros(np.broadcast_shapes(both.shape, selector.shape), np.uint64)
    for position in range(4):
        if mode:
            choice = PERMUTATIONS[mode](selector.astype(np.int64) & 3, position).astype(np.uint64)
        else:
            choice = selector.astype(np.uint64) >> np.uint64(4 * position)
        byte = both >> (choice & np.uint64(7)) * np.uint64(8) & np.uint64(255)
        # The fourth bit of a choice asks for copies of the byte's sign instead.
        sign = np.where(byte >= 128, np.uint64(255), np.uint64(0))
        result = result | np.where(choice & np.uint64(8), sign, byte) << np.uint64(8 * position)
    return result


def _bfe(a: Array, start: Array, length: Array) -> Array:
    """Return some bits of a number; of a signed one their sign goes on."""
    wide = a.astype(np.int64 if a.dtype.kind == "i" else np.uint64)
    first, width = (_place(bits, a).astype(wide.dtype) for bits in (start, length))
    beyond = wide.dtype.type(0) if a.dtype.kind == "u" else wide >> 63
    field = np.where(first > 63, beyond, wide >> np.minimum(first, 63))
    # To the left and back: the field's highest bit fills what is above it, or zeros do.
    unused = 64 - np.clip(width, 1, 64)
    return np.where(width == 0, 0, field << unused >> unused).astype(wide.dtype)


def _place(bits: Array, a: Array) -> Array:
    """Return where a field of a number starts, or its length.

    The PTX ISA reads only the lowest byte. An H200 does so for numbers of 32 bits, and reads 32 bits for others.
    """
    return bits & (0xFF if a.itemsize == 4 else 0xFFFFFFFF)


def _shift_left(bits: Array, by: Array) -> Array:
    return np.where(by > 63, np.uint64(0), bits << np.minimum(by, 63).astype(np.uint64))


def _bfi(a: Array, b: Array, start: Array, length: Array) -> Array:
    """Return b with some bits replaced by the lowest ones of a."""
    all_bits = np.array([2**64 - 1], np.uint64)
    first, width = _place(start, a), _place(length, a)
    mask = _shift_left(~_shift_left(all_bits, width), first)
    return np.asarray(b.astype(np.uint64) & ~mask | _shift_left(a.astype(np.uint64), first) & mask)


def _reverse_bits(a: Array) -> Array:
    bits = np.unpackbits(a[..., None].view(np.uint8), axis=-1, bitorder="little")
    return np.packbits(bits[..., ::-1], axis=-1, bitorder="little").view(a.dtype)[..., 0]


def _clz(a: Array) -> Array:
    bits = np.unpackbits(a[..., None].view(np.uint8), axis=-1, bitorder="little")[..., ::-1]
    return np.where(a == 0, 8 * a.itemsize, bits.argmax(axis=-1))


BIT_OPERATIONS: dict[str, Callable[..., Array]] = {
    "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor, "not": np.bitwise_not,
    "lop3": _lop3, "bfe": _bfe, "bfi": _bfi, "brev": _reverse_bits, "clz": _clz,
    "popc": lambda a: np.bitwise_count(a).astype(np.int64),
}  # fmt: skip

_INTEGRAL_ROUNDING: dict[str, Callable[..., Array]] = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}


def convert(numbers: Array, source: Type, target: Type, modifiers: Sequence[str]) -> Array:
    """Return the bits of a number in another type, as `cvt` does."""
    if "ftz" in modifiers:
        # Of `cvt`, it is only for float32, and a GPU does not heed it where that becomes float16.
        is_flushed = source.float is tl.float32 and target.float is not tl.float16
        numbers = flush_subnormals(numbers) if is_flushed else numbers
        if target.float is not tl.float32:
            modifiers = [each for each in modifiers if each != "ftz"]
    if source.float is not None:
        integral = next((function for mode, function in _INTEGRAL_ROUNDING.items() if mode in modifiers), None)
        if integral is not None:
            numbers = integral(numbers)
        if target.float is None:
            return _to_integer(numbers, target)
        if target.name == "tf32":
            return _to_tf32(numbers, modifiers)
        return _to_float(numbers, source, target, modifiers)
    if target.float is not None:
        if numbers.itemsize == 8:
            # float64 does not hold every 64-bit integer, and to be rounded twice may be wrong.
            if target.float not in (tl.float32, tl.float64):
                raise ValueError("a rounding of 64-bit integers")
            kind = np.float32 if target.float is tl.float32 else np.float64
            return to_bits(rounding.from_integer(_rounding_mode(modifiers), numbers, kind), target, modifiers)
        return to_bits(numbers.astype(np.float64), target, modifiers)
    limits = np.iinfo(f"{'i' if target.kind == 's' else 'u'}{target.bits // 8}")
    numbers = (
        np.clip(
            numbers,
            # numpy raises OverflowError for bounds that the type of the numbers lacks.
            max(int(limits.min), int(np.iinfo(numbers.dtype).min)),
            min(int(limits.max), int(np.iinfo(numbers.dtype).max)),
        )
        if "sat" in modifiers
        else numbers
    )
    return to_bits(numbers, target)


def _to_integer(numbers: Array, target: Type) -> Array:
    """Return floats as the bits of integers.

    Numbers beyond the type's are its ends. NaN is 0, or where 64 bits take part only the highest bit.
    """
    limits = np.iinfo(f"{'i' if target.kind == 's' else 'u'}{target.bits // 8}")
    is_wide = numbers.itemsize == 8 or target.bits == 64
    of_nan = 2.0 ** (target.bits - 1) if is_wide else 0.0
    of_nan = -of_nan if target.kind == "s" else of_nan
    inside = np.nan_to_num(numbers.astype(np.float64), nan=of_nan, posinf=math.inf, neginf=-math.inf)
    # The float of the largest 64-bit integer is one too large: what reaches it is replaced, never cast.
    low, high = inside <= float(limits.min), inside >= float(limits.max)
    truncated = np.where(low | high, 0, inside).astype(limits.dtype)
    return to_bits(
        np.where(low, limits.dtype.type(limits.min), np.where(high, limits.dtype.type(limits.max), truncated)), target
    )


def _to_float(numbers: Array, source: Type, target: Type, modifiers: Sequence[str]) -> Array:
    if "satfinite" in modifiers:
        largest = {"e4m3": 448.0, "e5m2": 57344.0, "f16": 65504.0}[target.name]
        numbers = np.clip(numbers, -largest, largest)
    # A mere copy of bits, or what is made of f64, keeps kinds of NaN.
    is_copy = source.name in ("bf16", "f32") and target.name == "f32"
    is_copy = is_copy and not {"ftz", *_INTEGRAL_ROUNDING}.intersection(modifiers)
    return (to_bits if is_copy or source.name == "f64" else result_bits)(numbers, target, modifiers)


def _to_tf32(numbers: Array, modifiers: Sequence[str]) -> Array:
    f32, kept = TYPES["f32"], np.uint64(0xFFFFE000)
    if "rna" in modifiers:
        bits = to_bits(numbers, f32)
        # Half of the last place that remains: ties go away from zero, as the 13 bits below are cut. NaN would overflow.
        return np.where(np.isnan(numbers), bits, bits + np.uint64(0x1000)) & kept
    return result_bits(round_to_bits(numbers, 13) if "rn" in modifiers else numbers, f32, modifiers) & kept
