"""`libdevice.tanh(x)` and others: the functions of NVIDIA's library that numpy or Python has too.

Their names and what they compute: NVIDIA, "Libdevice User's Guide".
"""

from __future__ import annotations

import functools
import importlib
import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from triton_workshop.simulator.patches import Patches
from triton_workshop.simulator.values.formats import Array

_HOMES = ("triton.language.extra.cuda.libdevice", "triton.language.extra.libdevice")
"""The second one's functions are empty: Triton's compiler replaces them with those of the first."""


def libdevice_patches(patches: Patches) -> None:
    """Plan that kernels can call the functions of libdevice by either of the two modules that have them."""
    real, empty = [importlib.import_module(home) for home in _HOMES]
    for name, function in inspect.getmembers(empty, inspect.isfunction):
        if function.__module__ == empty.__name__ and hasattr(real, name):
            patches.attribute(empty, name, _forwarded(real, function))


def _forwarded(real: Any, function: Any) -> Any:
    @functools.wraps(function)
    def forwarded(*arguments: Any, **named: Any) -> Any:
        return getattr(real, function.__name__)(*arguments, **named)

    return forwarded


def function_of(symbol: str) -> Callable[..., Any]:
    """What a symbol of the library computes: `__nv_tanhf` in float32, `__nv_tanh` in float64.

    Raises NotImplementedError for the functions that are not here, and for other libraries.
    """
    name = symbol.removeprefix("__nv_")
    short = name.removeprefix("fast_")
    for known in (short, short.removesuffix("f"), short.removesuffix("d"), short[1:]):
        if name != symbol and known in _FUNCTIONS:
            return _FUNCTIONS[known]
    raise NotImplementedError(
        f"the simulator does not have {symbol}; compute it with functions from `tl`, or run on a GPU"
    )


def _by_element(function: Callable[..., Any]) -> Callable[..., Any]:
    return np.vectorize(function, otypes=[np.float64])


def _gamma(x: float) -> float:
    try:
        return math.gamma(x)
    except OverflowError:
        return math.inf
    except ValueError:  # Python has no value for the poles
        return math.copysign(math.inf, x) if x == 0 else math.nan


def _log_gamma(x: float) -> float:
    try:
        return math.lgamma(x)
    except (OverflowError, ValueError):
        return math.inf


def _round(x: Array) -> Array:
    """Round halves away from zero; numpy rounds them to the even number."""
    whole = np.trunc(x)
    return np.asarray(whole + np.where(np.abs(x - whole) >= 0.5, np.sign(x), 0).astype(x.dtype))


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": np.abs,
    "acos": np.arccos,
    "acosh": np.arccosh,
    "add_rn": np.add,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "atanh": np.arctanh,
    "cbrt": np.cbrt,
    "ceil": np.ceil,
    "copysign": np.copysign,
    "cos": np.cos,
    "cosh": np.cosh,
    "cospi": lambda x: np.cos(math.pi * x),
    "div_rn": np.divide,
    "dividef": np.divide,
    "erf": _by_element(math.erf),
    "erfc": _by_element(math.erfc),
    "exp": np.exp,
    "exp10": lambda x: np.power(x.dtype.type(10), x),
    "exp2": np.exp2,
    "expm1": np.expm1,
    "fabs": np.abs,
    "fdim": lambda x, y: np.where(x <= y, 0, x - y),
    "finite": np.isfinite,
    "floor": np.floor,
    "fmod": np.fmod,
    "hypot": np.hypot,
    "isfinite": np.isfinite,
    "isinf": np.isinf,
    "isnan": np.isnan,
    "ldexp": np.ldexp,
    "lgamma": _by_element(_log_gamma),
    "llrint": np.rint,
    "llround": _round,
    "log": np.log,
    "log10": np.log10,
    "log1p": np.log1p,
    "log2": np.log2,
    "mul_rn": np.multiply,
    "nearbyint": np.rint,
    "nextafter": np.nextafter,
    "normcdf": _by_element(lambda x: math.erfc(-x / math.sqrt(2)) / 2),
    "popc": lambda x: np.bitwise_count(x.view(f"u{x.itemsize}")),
    "popcll": lambda x: np.bitwise_count(x.view(f"u{x.itemsize}")),
    "pow": np.power,
    "powi": lambda x, y: np.power(x, y.astype(x.dtype)),
    "rcbrt": lambda x: 1 / np.cbrt(x),
    "rcp_rn": lambda x: 1 / x,
    "rhypot": lambda x, y: 1 / np.hypot(x, y),
    "rint": np.rint,
    "round": _round,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "signbit": np.signbit,
    "sin": np.sin,
    "sinh": np.sinh,
    "sinpi": lambda x: np.sin(math.pi * x),
    "sqrt": np.sqrt,
    "sqrt_rn": np.sqrt,
    "sub_rn": np.subtract,
    "tan": np.tan,
    "tanh": np.tanh,
    "tgamma": _by_element(_gamma),
    "trunc": np.trunc,
}
"""By name, without the letter for the type."""
