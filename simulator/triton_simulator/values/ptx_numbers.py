"""Types, numbers and arithmetic of PTX: see `ptx`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import triton.language as tl

from triton_simulator.values.formats import Array, decode, encode, round_to_bits, round_to_odd

_FORMATS: dict[str, Any] = {
    "f16": tl.float16, "bf16": tl.bfloat16, "f32": tl.float32, "f64": tl.float64, "tf32": tl.float32,
    "e4m3": tl.float8e4nv, "e5m2": tl.float8e5,
}  # fmt: skip
_NORMAL = 2.0**-126
"""The smallest float32 number that `.ftz` leaves."""


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
        """Return the bits of a number."""
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
    if type.float is None:
        wide = numbers.astype(np.int64).view(np.uint64) if numbers.dtype.kind == "i" else numbers.astype(np.uint64)
        return wide & np.uint64((1 << type.bits) - 1)
    if "sat" in modifiers:
        # The PTX ISA: `.sat` limits to [0, 1], and makes 0 of NaN.
        numbers = np.where(np.isnan(numbers), 0.0, np.clip(numbers, 0.0, 1.0))
    stored = encode(_narrow(numbers, type, modifiers), type.float)
    return stored.view(f"u{stored.itemsize}").astype(np.uint64)


def result_bits(numbers: Array, type: Type, modifiers: Sequence[str]) -> Array:
    """Return the bits of what an instruction computes.

    There is one NaN, whatever those were that it was made of.
    """
    bits = to_bits(numbers, type, modifiers)
    if type.float is None or type.float is tl.float64 or "sat" in modifiers:
        return bits
    return np.where(np.isnan(numbers), np.uint64((1 << type.bits - 1) - 1), bits)


def _narrow(numbers: Array, type: Type, modifiers: Sequence[str]) -> Array:
    """Return float64 numbers as those of a type.

    `formats` describes their representation.
    """
    if type.float is tl.float64:
        return numbers.astype(np.float64)
    nearest = numbers.astype(np.float16 if type.float is tl.float16 else np.float32)
    if numbers.dtype == np.float64 and type.float not in (tl.float16, tl.float32):
        nearest = round_to_odd(nearest, numbers - nearest)  # it is rounded again
    if type.float is tl.bfloat16:
        nearest = round_to_bits(nearest, 16)
    elif type.float not in (tl.float16, tl.float32):
        nearest = decode(encode(nearest, type.float), type.float)
    direction = {"rz": 0.0, "rm": -np.inf, "rp": np.inf}
    # The nearest number is one step too far where it passes the exact one.
    for mode, towards in direction.items():
        if mode in modifiers:
            # Other types are held as float32 here, whose neighbours are not theirs.
            if type.float not in (tl.float16, tl.float32):
                raise ValueError(mode)
            overshoots = (
                np.abs(nearest) > np.abs(numbers)
                if mode == "rz"
                else (nearest > numbers)
                if mode == "rm"
                else nearest < numbers
            )
            nearest = np.where(overshoots, np.nextafter(nearest, nearest.dtype.type(towards)), nearest)
    if "ftz" in modifiers and type.float is tl.float32:
        nearest = _flush_subnormals(nearest)
    return nearest


def _flush_subnormals(numbers: Array) -> Array:
    return np.where(np.abs(numbers) < _NORMAL, np.copysign(0, numbers), numbers).astype(numbers.dtype)


def literal(text: str, type: Type) -> Array:
    """Return the bits of a number that stands in the text.

    Raises ValueError for anything else.
    """
    if hexadecimal := re.fullmatch(r"0[fFdD]([0-9a-fA-F]+)", text):
        return np.array([int(hexadecimal[1], 16)], np.uint64)
    if type.float is not None and type.float in (tl.float32, tl.float64):
        return to_bits(np.array([float(text)]), type)
    # The remainder is the two's complement of a negative number.
    return np.array([int(text.rstrip("U"), 0) % (1 << 64)], np.uint64)


def _exact(function: Callable[..., Array]) -> Callable[..., Array]:
    """Return a function that computes in float64.

    Its result is rounded from there.
    """
    return lambda *numbers: function(*(number.astype(np.float64) for number in numbers))


def _fma(a: Array, b: Array, c: Array) -> Array:
    if a.dtype == np.float64:
        raise ValueError("fma.f64")
    product, addend = a.astype(np.float64) * b, c.astype(np.float64)
    total = product + addend
    virtual = total - product
    error = (product - (total - virtual)) + (addend - virtual)
    return round_to_odd(total, error)


FLOAT_OPERATIONS: dict[str, Callable[..., Array]] = {
    "add": _exact(np.add), "sub": _exact(np.subtract), "mul": _exact(np.multiply), "div": _exact(np.divide),
    "fma": _fma, "mad": _fma, "min": np.fmin, "max": np.fmax, "neg": np.negative, "abs": np.abs,
}  # fmt: skip


def _quotient(a: Array, b: Array) -> Array:
    """Return the quotient, rounded towards 0.

    A GPU's quotient by 0 has no definition.
    """
    sign = np.where((a < 0) != (b < 0), -1, 1)
    return np.asarray(sign * (np.abs(a.astype(np.int64)) // np.maximum(np.abs(b.astype(np.int64)), 1)))


INTEGER_OPERATIONS: dict[str, Callable[..., Array]] = {
    "add": np.add, "sub": np.subtract, "min": np.minimum, "max": np.maximum, "neg": np.negative, "abs": np.abs,
    "div": _quotient, "rem": lambda a, b: a - _quotient(a, b) * b,
}  # fmt: skip

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
            result = result | np.bitwise_and.reduce(
                np.broadcast_arrays(a if row & 4 else ~a, b if row & 2 else ~b, c if row & 1 else ~c)
            )
    return result


def _prmt(a: Array, b: Array, selector: Array) -> Array:
    """Return any four of eight bytes, or their signs."""
    both = a.astype(np.uint64) | b.astype(np.uint64) << np.uint64(32)
    result = np.zeros_like(both)
    for position in range(4):
        choice = selector.astype(np.uint64) >> np.uint64(4 * position)
        byte = both >> (choice & np.uint64(7)) * np.uint64(8) & np.uint64(255)
        # The fourth bit of a choice asks for copies of the byte's sign instead.
        sign = np.where(byte >= 128, np.uint64(255), np.uint64(0))
        result = result | np.where(choice & np.uint64(8), sign, byte) << np.uint64(8 * position)
    return result


def _bfe(a: Array, start: Array, length: Array) -> Array:
    """Return some bits of a number; of a signed one their sign goes on."""
    # The PTX ISA reads only the lowest byte of both.
    first, width = start & 255, length & 255
    mask = np.where(width >= 63, -1, (np.int64(1) << np.minimum(width, 62).astype(np.int64)) - 1)
    field = a.astype(np.int64) >> np.minimum(first, 63).astype(np.int64) & mask
    if a.dtype.kind != "i":
        return np.asarray(field)
    top = np.int64(1) << np.clip(width.astype(np.int64) - 1, 0, 62)
    # To flip the top bit and subtract it again carries the field's sign upwards.
    return np.where(width == 0, 0, (field ^ top) - top)


def _bfi(a: Array, b: Array, start: Array, length: Array) -> Array:
    shift = np.minimum(start & 255, 63).astype(np.uint64)
    mask = ((np.uint64(1) << np.minimum(length & 255, 63).astype(np.uint64)) - np.uint64(1)) << shift
    return np.asarray(b.astype(np.uint64) & ~mask | a.astype(np.uint64) << shift & mask)


def _reverse_bits(a: Array) -> Array:
    bits = np.unpackbits(a[..., None].view(np.uint8), axis=-1, bitorder="little")
    return np.packbits(bits[..., ::-1], axis=-1, bitorder="little").view(a.dtype)[..., 0]


def _clz(a: Array) -> Array:
    bits = np.unpackbits(a[..., None].view(np.uint8), axis=-1, bitorder="little")[..., ::-1]
    return np.where(a == 0, 8 * a.itemsize, bits.argmax(axis=-1))


BIT_OPERATIONS: dict[str, Callable[..., Array]] = {
    "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor, "not": np.bitwise_not,
    "lop3": _lop3, "prmt": _prmt, "bfe": _bfe, "bfi": _bfi, "brev": _reverse_bits, "clz": _clz,
    "popc": lambda a: np.bitwise_count(a).astype(np.int64),
}  # fmt: skip

APPROXIMATIONS: dict[str, Callable[..., Array]] = {
    "ex2": _exact(np.exp2), "lg2": _exact(np.log2), "rcp": _exact(lambda x: 1 / x), "sqrt": _exact(np.sqrt),
    "rsqrt": _exact(lambda x: 1 / np.sqrt(x)), "sin": _exact(np.sin), "cos": _exact(np.cos),
    "tanh": _exact(np.tanh),
}  # fmt: skip
"""Functions that are exact here, to the last place but one on a GPU.

The error of `tanh` there is 2 ** -11.
"""

_INTEGRAL_ROUNDING: dict[str, Callable[..., Array]] = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}


def convert(numbers: Array, source: Type, target: Type, modifiers: Sequence[str]) -> Array:
    """Return the bits of a number in another type, as `cvt` does."""
    if "ftz" in modifiers and source.float is tl.float32:
        numbers = _flush_subnormals(numbers)
    if source.float is not None:
        rounding = next((function for mode, function in _INTEGRAL_ROUNDING.items() if mode in modifiers), None)
        if rounding is not None:
            numbers = rounding(numbers)
        return _to_float(numbers, target, modifiers) if target.float is not None else _to_integer(numbers, target)
    if target.float is not None:
        # float64 does not hold every 64-bit integer, so only a rounding that numpy does itself is right.
        if numbers.itemsize == 8 and "rn" not in modifiers:
            raise ValueError("a rounding of 64-bit integers")
        # By way of float64, such an integer would be rounded twice before it is a float32.
        exact = numbers if numbers.itemsize == 8 and target.bits == 32 else numbers.astype(np.float64)
        return to_bits(exact.astype(np.float32) if exact is numbers else exact, target, modifiers)
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

    Numbers beyond the type's are its ends; NaN is 0.
    """
    limits = np.iinfo(f"{'i' if target.kind == 's' else 'u'}{target.bits // 8}")
    inside = np.nan_to_num(numbers.astype(np.float64), nan=0.0, posinf=math.inf, neginf=-math.inf)
    # The float of the largest 64-bit integer is one too large: what reaches it is replaced, never cast.
    low, high = inside <= float(limits.min), inside >= float(limits.max)
    truncated = np.where(low | high, 0, inside).astype(limits.dtype)
    return to_bits(
        np.where(low, limits.dtype.type(limits.min), np.where(high, limits.dtype.type(limits.max), truncated)), target
    )


def _to_float(numbers: Array, target: Type, modifiers: Sequence[str]) -> Array:
    exact = numbers.astype(np.float64)
    if "relu" in modifiers:
        exact = np.where(exact < 0, 0.0, exact)
    if target.name == "tf32":
        bits = to_bits(exact, target)
        if "rna" in modifiers:
            # Half of the last place that remains: ties go away from zero, as the 13 bits below are cut.
            bits = bits + np.uint64(0x1000)
        elif "rn" in modifiers:
            return to_bits(round_to_bits(exact.astype(np.float32), 13), target)
        return bits & np.uint64(0xFFFFE000)
    if "satfinite" in modifiers:
        largest = {"e4m3": 448.0, "e5m2": 57344.0, "f16": 65504.0}[target.name]
        exact = np.clip(exact, -largest, largest)
    return to_bits(exact, target, modifiers)
