"""Dtypes, their promotion, and the small types that describe a tensor."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from triton_workshop.page.torch.absent import NotInThisPageError

Array = np.ndarray[Any, Any]


class _QualifiedNames(type):
    """Metaclass of types that errors name with their module.

    PyTorch's are named so: `'torch.Size' object is not callable`.
    """

    def __init__(cls, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> None:
        super().__init__(name, bases, space)
        # Python's own errors print this name, past the property below, which scripts read.
        type.__dict__["__name__"].__set__(cls, f"torch.{name}")

    __name__ = property(lambda cls: cls.__qualname__)


class dtype(metaclass=_QualifiedNames):  # noqa: N801 (PyTorch's name, as all of these)
    """A dtype; bfloat16 is stored as uint16, the upper half of a float32."""

    def __init__(self, name: str, stored: str) -> None:
        self.name, self.stored = name, np.dtype(stored)
        self.is_bfloat16 = name == "bfloat16"
        self.is_floating_point = self.is_bfloat16 or self.stored.kind == "f"
        self.is_complex = False
        self.is_signed = self.is_floating_point or self.stored.kind == "i"
        self.itemsize = self.stored.itemsize
        is_half = self.is_floating_point and self.itemsize == 2
        self.computed = np.dtype("f4") if is_half else self.stored
        """Type of arithmetic: 16-bit floats are rounded afterwards."""
        self.rank = 1
        """Order of promotion: 0 for bool, 1 for integers, 2 for floats."""
        if self.is_floating_point:
            self.rank = 2
        elif self.stored.kind == "b":
            self.rank = 0

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> Any:
        # Dtypes are compared by identity: a copy has to be the same object.
        return _dtype_by_name, (self.name,)


_STORED = {
    "bool": "?",
    "uint8": "u1",
    "int8": "i1",
    "int16": "i2",
    "int32": "i4",
    "int64": "i8",
    "float16": "f2",
    "bfloat16": "u2",
    "float32": "f4",
    "float64": "f8",
}
DTYPES = {name: dtype(name, stored) for name, stored in _STORED.items()}
ALIASES = {
    "half": "float16",
    "float": "float32",
    "double": "float64",
    "short": "int16",
    "int": "int32",
    "long": "int64",
}
OF_NUMPY = {kind.stored: kind for kind in DTYPES.values() if not kind.is_bfloat16}
BOOL, UINT8, INT64 = DTYPES["bool"], DTYPES["uint8"], DTYPES["int64"]
FLOAT32, FLOAT64 = DTYPES["float32"], DTYPES["float64"]


def _dtype_by_name(name: str) -> dtype:
    return DTYPES[name]


def dtype_of_array(array: Array) -> dtype:
    """Return the dtype of a numpy array."""
    if array.dtype not in OF_NUMPY:
        raise NotInThisPageError(f"a tensor of numpy's {array.dtype}")
    return OF_NUMPY[array.dtype]


def dtype_of_numbers(numbers: Array) -> dtype:
    """Return the dtype that PyTorch gives to Python's numbers."""
    if numbers.dtype.kind not in "?biuf":
        raise TypeError(f"new(): invalid data type '{type(numbers.flat[0]).__name__}'")
    return {"b": BOOL, "f": FLOAT32}.get(numbers.dtype.kind, INT64)


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """Return the smallest dtype that both convert to, as PyTorch defines it."""
    if type1 is type2:
        return type1
    if type1.rank != type2.rank:
        return max(type1, type2, key=lambda kind: kind.rank)
    if type1.rank == 2:
        # Of float16 and bfloat16, neither holds the other.
        same = type1.itemsize == type2.itemsize
        return FLOAT32 if same else max(type1, type2, key=lambda kind: kind.itemsize)
    return OF_NUMPY[np.promote_types(type1.stored, type2.stored)]


def encode(values: Array, kind: dtype) -> Array:
    """Return values as an array that stores this dtype."""
    with np.errstate(all="ignore"):
        if kind.is_bfloat16:
            bits = np.atleast_1d(np.asarray(values, "f4")).view("u4")
            # To nearest, and to even between two: all but half of the last bit that is kept is added before the cut.
            up = ((bits + np.uint32(0x7FFF) + ((bits >> 16) & 1)) >> 16).astype("u2")
            return np.where(np.isnan(values), np.uint16(0x7FC0), up.reshape(values.shape)).astype("u2")
        is_short_integer = kind.rank == 1 and kind.itemsize < 8
        if is_short_integer and values.dtype.kind == "f":
            values = values.astype("i8")  # what is out of range loses its upper bits, on every processor
        return values.astype(kind.stored, copy=False)


def decode(array: Array, kind: dtype) -> Array:
    """Return the values that an array stores: bfloat16 as float32."""
    return (array.astype("u4") << 16).view("f4") if kind.is_bfloat16 else array


class Size(tuple[int, ...], metaclass=_QualifiedNames):
    """Shape of a tensor."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"

    def __getitem__(self, key: Any) -> Any:
        item = super().__getitem__(key)
        return Size(item) if isinstance(key, slice) else item

    def __add__(self, other: Any) -> Size:
        return Size(tuple(self) + tuple(other))

    def numel(self) -> int:
        """Return the number of elements."""
        return math.prod(self)


class device(metaclass=_QualifiedNames):  # noqa: N801
    """Device of a tensor: in a page, there is only the CPU."""

    def __init__(self, type: object = "cpu", index: int | None = None) -> None:
        kind, _, number = str(type).partition(":")
        if kind not in ("cpu", "cuda", "meta", "mps", "xpu"):
            raise RuntimeError(
                f"Expected one of cpu, cuda, mps, xpu, meta device type at start of device string: {kind}"
            )
        self.type, self.index = kind, int(number) if number else index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        return f"device(type='{self.type}'{'' if self.index is None else f', index={self.index}'})"


CPU = device("cpu")


def require_cpu(value: Any) -> None:
    """Raise unless this is the CPU, or None."""
    target = device(value) if value is not None else CPU
    if target.type == "cuda":
        raise RuntimeError(
            "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver "
            "from http://www.nvidia.com/Download/index.aspx"
        )
    if target.type != "cpu":
        raise NotInThisPageError(f"a tensor on {target}")


class finfo:  # noqa: N801
    """Limits of a floating-point dtype."""

    def __init__(self, type: dtype = FLOAT32) -> None:
        if not type.is_floating_point:
            raise TypeError(f"torch.finfo() requires a floating point input type. Use torch.iinfo to handle '{type}'")
        limits = np.finfo(type.computed if type.is_bfloat16 else type.stored)
        self.dtype, self.bits = type.name, type.itemsize * 8
        self.eps, self.max, self.tiny = float(limits.eps), float(limits.max), float(limits.tiny)
        if type.is_bfloat16:  # what numpy says is of the float32 that it is computed in
            self.eps, self.max = 2.0**-7, (2 - 2.0**-7) * 2.0**127
        self.min, self.smallest_normal, self.resolution = -self.max, self.tiny, float(limits.resolution)
        if type.is_bfloat16:
            self.resolution = 0.01
