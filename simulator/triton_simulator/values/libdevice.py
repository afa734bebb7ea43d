"""`libdevice.tanh(x)` and others: the functions of NVIDIA's library.

Their names and what they compute: NVIDIA, "Libdevice User's Guide"; how near they come to an H200's results says
`simulator/tests/test_libdevice.py`.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import math
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import triton.language as tl

from triton_simulator.patches import Patches
from triton_simulator.values import rounding, special
from triton_simulator.values.arithmetic import high_half
from triton_simulator.values.formats import Array, to_integers

_MODULES = ("triton.language.extra.cuda.libdevice", "triton.language.extra.libdevice")
"""Modules with the functions of libdevice.

The second one's functions are empty: Triton's compiler replaces them with those of the first.
"""


def libdevice_patches(patches: Patches) -> None:
    """Plan that kernels can call the functions of libdevice.

    Either of the two modules will do that have them.
    """
    real, empty = [importlib.import_module(home) for home in _MODULES]
    for name, function in inspect.getmembers(empty, inspect.isfunction):
        if function.__module__ == empty.__name__ and hasattr(real, name):
            patches.attribute(empty, name, _forward(real, function))


def _forward(real: Any, function: Any) -> Any:
    @functools.wraps(function)
    def forwarded(*arguments: Any, **named: Any) -> Any:
        """Call the function of the same name in the other module."""
        return getattr(real, function.__name__)(*arguments, **named)

    return forwarded


def find_function(symbol: str) -> Callable[..., Any]:
    """Return the function that a symbol of the library computes.

    `__nv_tanhf` is in float32, `__nv_tanh` in float64.

    Raises NotImplementedError for other libraries.
    """
    match = re.fullmatch(r"__nv_(.*?)(_r[nzdu])?", symbol)
    name, mode = match.groups(default="") if match else ("", "")
    short = name.removeprefix("fast_")
    # The whole name first: the `f` of `erf` is no type. Others end (`tanhf`, `clzll`) or begin (`fadd`) with one.
    stems = [short.removesuffix(ending) for ending in ("", "f", "d", "ll")]
    for stem in (name, *stems, short[1:]):
        if stem + mode in _FUNCTIONS:
            return _FUNCTIONS[stem + mode]
    raise NotImplementedError(
        f"the simulator does not have {symbol}, so it cannot say whether the kernel is correct; compute it with "
        "functions from `tl`, or run on a GPU"
    )


def flushes(symbol: str) -> bool:
    """Return whether a float32 function flushes subnormal numbers.

    As Triton compiles it, it takes and returns 0 for them.
    """
    return "_as_" not in symbol and symbol.removeprefix("__nv_") not in _PRESERVES_SUBNORMALS


def _round(x: Array) -> Array:
    """Round halves away from zero; numpy rounds them to the even number."""
    truncated = np.trunc(x)
    return np.asarray(np.copysign(truncated + np.where(np.abs(x - truncated) >= 0.5, np.sign(x), 0).astype(x.dtype), x))


def _in_float64(function: Callable[..., Array]) -> Callable[..., Array]:
    """Return a function that widens its numbers, and narrows the result."""

    def compute(*operands: Array) -> Array:
        """Compute in float64, and return the type of the last operand."""
        return function(*map(_widen, operands)).astype(operands[-1].dtype)

    return compute


def _widen(x: Array) -> Array:
    """Return floats as float64; integers stay as they are."""
    return x.astype(np.float64) if x.dtype.kind == "f" else x


# Integers


def _unsigned(x: Array) -> Array:
    return x.view(f"u{x.itemsize}")


def _leading_zeros(x: Array) -> Array:
    bits = _unsigned(x)
    doublings = 5 if x.itemsize == 4 else 6
    for distance in (1, 2, 4, 8, 16, 32)[:doublings]:
        bits = bits | bits >> bits.dtype.type(distance)
    return 8 * x.itemsize - np.bitwise_count(bits).astype(np.int32)


def _first_one(x: Array) -> Array:
    """Return the position of the lowest 1 bit, counted from 1.

    0 if there is none.
    """
    bits = _unsigned(x)
    lowest = bits & (~bits + bits.dtype.type(1))
    return np.where(bits == 0, 0, np.bitwise_count(lowest - bits.dtype.type(1)).astype(np.int32) + 1)


def _reverse_bits(x: Array) -> Array:
    octets = np.ascontiguousarray(x)[..., None].view(np.uint8)
    bits = np.unpackbits(octets, axis=-1, bitorder="little")[..., ::-1]
    return np.packbits(bits, axis=-1, bitorder="little").view(x.dtype)[..., 0]


def _permute_bytes(x: Array, y: Array, selector: Array) -> Array:
    """Return four of the eight bytes of two numbers."""
    both = x.astype(np.uint32).astype(np.uint64) | y.astype(np.uint32).astype(np.uint64) << np.uint64(32)
    result = np.zeros(both.shape, np.uint32)
    for position in range(4):
        # NVIDIA's guide reads three bits of each selector; PTX's `prmt` has a fourth, for the sign.
        chosen = selector.astype(np.uint64) >> np.uint64(4 * position) & np.uint64(7)
        octet = (both >> chosen * np.uint64(8)).astype(np.uint8)
        result |= octet.astype(np.uint32) << np.uint32(8 * position)
    return result.view(np.int32)


def _product_of_24_bits(x: Array, y: Array) -> Array:
    eight = x.dtype.type(8)
    return np.asarray(((x << eight) >> eight) * ((y << eight) >> eight))


def _high_half(x: Array, y: Array) -> Array:
    high = high_half(x, y)
    # Taken as unsigned, a negative factor is 2ⁿ too large, which adds the other one to the upper half.
    return high if x.dtype.kind == "u" else high - np.where(x < 0, y, 0) - np.where(y < 0, x, 0)


def _mean(up: int, x: Array, y: Array) -> Array:
    return (x.astype(np.int64) + y + up >> 1).astype(x.dtype)


# Parts of numbers


def _bits(x: Array, kind: type[np.generic]) -> Array:
    return np.ascontiguousarray(x).view(kind)


def _exponent(x: Array) -> Array:
    """Return the exponent of 2 of the highest bit, as a float."""
    special_cases = [x == 0, np.isinf(x), np.isnan(x)]
    return np.select(special_cases, [-np.inf, np.inf, np.nan], np.frexp(x)[1] - 1.0).astype(x.dtype)


def _integer_exponent(x: Array) -> Array:
    exponent = np.nan_to_num(_exponent(x).astype(np.float64), nan=-(2.0**31), posinf=2.0**31 - 1, neginf=-(2.0**31))
    return exponent.astype(np.int32)


def _high_int32(x: Array) -> Array:
    return (_bits(x, np.int64) >> 32).astype(np.int32)


def _from_int32_pair(high: Array, low: Array) -> Array:
    return (high.astype(np.int64) << 32 | low.astype(np.uint32).astype(np.int64)).view(np.float64)


def _reciprocal_high_half(x: Array) -> Array:
    """Return the upper 32 bits of a reciprocal.

    Only the upper 32 bits of the number take part.
    """
    upper = np.int64(-(1 << 32))
    result = (_bits(1 / (_bits(x, np.int64) & upper).view(np.float64), np.int64) & upper).view(np.float64)
    return np.where(np.abs(result) < np.finfo(np.float64).tiny, np.copysign(0.0, result), result)


def _to_integer(mode: str, dtype: Any, x: Array) -> Array:
    result = to_integers(rounding.INTEGRAL_ROUNDING[mode](x), dtype)
    return result.view(f"i{result.itemsize}")


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": np.abs,
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "atanh": np.arctanh,
    "brev": _reverse_bits,
    "byte_perm": _permute_bytes,
    "cbrt": np.cbrt,
    "ceil": np.ceil,
    "clz": _leading_zeros,
    "copysign": np.copysign,
    "cos": np.cos,
    "cosh": np.cosh,
    "cospi": _in_float64(special.cosine_of_pi),
    "cyl_bessel_i0": _in_float64(partial(special.modified_first_kind, 0)),
    "cyl_bessel_i1": _in_float64(partial(special.modified_first_kind, 1)),
    "double2hiint": _high_int32,
    "double2loint": lambda x: _bits(x, np.int64).astype(np.int32),
    "double_as_longlong": partial(_bits, kind=np.int64),
    "erf": special.by_element(math.erf),
    "erfc": special.by_element(math.erfc),
    "erfcinv": _in_float64(special.inverse_of_erfc),
    "erfcx": _in_float64(special.scaled_erfc),
    "erfinv": _in_float64(special.inverse_of_erf),
    "exp": np.exp,
    "exp10": _in_float64(lambda x: np.power(10.0, x)),
    "exp2": np.exp2,
    "expm1": np.expm1,
    "fabs": np.abs,
    "fast_powf": lambda x, y: np.exp2(y * np.log2(x)),
    "fdim": lambda x, y: np.where(x <= y, x.dtype.type(0), x - y),
    "fdivide": lambda x, y: np.where(np.abs(y) > 2.0**126, x * np.copysign(x.dtype.type(0), y), x / y),
    "ffs": _first_one,
    "finite": np.isfinite,
    "float_as_int": partial(_bits, kind=np.int32),
    "float_as_uint": partial(_bits, kind=np.int32),
    "floor": np.floor,
    "fma": partial(rounding.fused_multiply_add, "n"),
    "fmod": np.fmod,
    "hadd": partial(_mean, 0),
    "hiloint2double": _from_int32_pair,
    "hypot": np.hypot,
    "ilogb": _integer_exponent,
    "int_as_float": partial(_bits, kind=np.float32),
    "isfinite": np.isfinite,
    "isinf": np.isinf,
    "isnan": np.isnan,
    "j0": _in_float64(partial(special.first_kind, 0)),
    "j1": _in_float64(partial(special.first_kind, 1)),
    "jn": special.by_element(special.first_kind_of_order),
    "ldexp": np.ldexp,
    "lgamma": special.by_element(special.log_gamma),
    "llabs": np.abs,
    "llrint": np.rint,
    "llround": _round,
    "log": np.log,
    "log10": np.log10,
    "log1p": np.log1p,
    "log2": np.log2,
    "logb": _exponent,
    "longlong_as_double": partial(_bits, kind=np.float64),
    "mul24": _product_of_24_bits,
    "mul64hi": _high_half,
    "mulhi": _high_half,
    "nearbyint": np.rint,
    "nextafter": np.nextafter,
    "norm3d": _in_float64(lambda x, y, z: np.hypot(np.hypot(x, y), z)),
    "norm4d": _in_float64(lambda x, y, z, w: np.hypot(np.hypot(x, y), np.hypot(z, w))),
    "normcdf": _in_float64(special.normal_cdf),
    "normcdfinv": _in_float64(special.inverse_of_normal_cdf),
    "popc": lambda x: np.bitwise_count(_unsigned(x)),
    "pow": np.power,
    "powi": lambda x, y: np.power(x.astype(np.float64), y.astype(np.float64)).astype(x.dtype),
    "rcbrt": _in_float64(lambda x: 1 / np.cbrt(x)),
    "rcp64h": _reciprocal_high_half,
    "remainder": special.by_element(special.remainder),
    "rhadd": partial(_mean, 1),
    "rhypot": _in_float64(lambda x, y: 1 / np.hypot(x, y)),
    "rint": np.rint,
    "rnorm3d": _in_float64(lambda x, y, z: 1 / np.hypot(np.hypot(x, y), z)),
    "rnorm4d": _in_float64(lambda x, y, z, w: 1 / np.hypot(np.hypot(x, y), np.hypot(z, w))),
    "round": _round,
    "rsqrt": _in_float64(lambda x: 1 / np.sqrt(x)),
    "rsqrt_rn": _in_float64(lambda x: 1 / np.sqrt(x)),
    "sad": lambda x, y, z: (np.where(x > y, x - y, y - x).view(np.uint32) + z).view(x.dtype),
    "saturate": lambda x: np.fmin(np.fmax(x, 0), 1),
    "scalbn": np.ldexp,
    "signbit": np.signbit,
    "sin": np.sin,
    "sinh": np.sinh,
    "sinpi": _in_float64(special.sine_of_pi),
    "sqrt": np.sqrt,
    "tan": np.tan,
    "tanh": np.tanh,
    "tgamma": special.by_element(special.gamma),
    "trunc": np.trunc,
    "uint_as_float": partial(_bits, kind=np.float32),
    "y0": _in_float64(partial(special.second_kind, 0)),
    "y1": _in_float64(partial(special.second_kind, 1)),
    "yn": special.by_element(special.second_kind_of_order),
}
"""By name, without the letter for the type, and without how they round."""
_ROUNDING: dict[str, rounding.RoundedFunction] = {
    "add": rounding.add,
    "div": rounding.divide,
    "double2float": rounding.narrow,
    "fma": rounding.fused_multiply_add,
    "mul": rounding.multiply,
    "rcp": rounding.reciprocal,
    "sqrt": rounding.square_root,
    "sub": rounding.subtract,
    **{f"{source}2float": partial(rounding.from_integer, dtype=np.float32) for source in ("int", "uint", "ll", "ull")},
    **{f"{source}2double": partial(rounding.from_integer, dtype=np.float64) for source in ("int", "uint", "ll", "ull")},
}
_INTEGERS = {"int": tl.int32, "uint": tl.uint32, "ll": tl.int64, "ull": tl.uint64}
for _mode in rounding.MODES:
    _FUNCTIONS.update({f"{_name}_r{_mode}": partial(_function, _mode) for _name, _function in _ROUNDING.items()})
    for _name, _dtype in _INTEGERS.items():
        for _source in ("float", "double"):
            _FUNCTIONS[f"{_source}2{_name}_r{_mode}"] = partial(_to_integer, _mode, _dtype)
_PRESERVES_SUBNORMALS = frozenset(
    [
        "copysignf", "erfinvf", "expf", "fdimf", "ldexpf", "log10f", "log2f", "logf", "nextafterf", "powf", "rhypotf",
        "rnorm3df", "rnorm4df", "scalbnf",
    ]
)  # fmt: skip
"""Functions of float32 that keep subnormal numbers on an H200.

It flushes them in most functions.
"""
