"""The functions of libdevice in the simulator."""

from __future__ import annotations

import inspect
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice
from triton.language.extra.cuda import libdevice as cuda_libdevice
from triton.language.extra.cuda.libdevice import tanh
from triton.runtime.errors import InterpreterError

from triton_simulator import record

P, N = 3, 16


@triton.jit
def of_one(x_ptr, out_ptr, FUNCTION: tl.constexpr, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out_ptr + at, FUNCTION(tl.load(x_ptr + at)))


@triton.jit
def of_two(x_ptr, y_ptr, out_ptr, FUNCTION: tl.constexpr, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out_ptr + at, FUNCTION(tl.load(x_ptr + at), tl.load(y_ptr)))


def numbers(dtype: torch.dtype) -> torch.Tensor:
    x = torch.linspace(-4, 4, P * N, dtype=dtype)
    x[:6] = torch.tensor([math.nan, math.inf, -math.inf, 0.0, 2.5, -0.5])
    return x


ONE: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "acos": torch.acos,
    "asinh": torch.asinh,
    "atan": torch.atan,
    "cosh": torch.cosh,
    "erfc": torch.erfc,
    "exp10": lambda x: 10**x,
    "expm1": torch.expm1,
    "finitef": torch.isfinite,
    "isinf": torch.isinf,
    "isnan": torch.isnan,
    "lgamma": torch.lgamma,
    "log10": torch.log10,
    "log1p": torch.log1p,
    "normcdf": torch.special.ndtr,
    "nearbyint": torch.round,
    "rint": torch.round,
    "round": lambda x: torch.copysign(torch.floor(x.abs() + 0.5), x),
    "signbit": torch.signbit,
    "tan": torch.tan,
    "tanh": torch.tanh,
    "trunc": torch.trunc,
    "fast_expf": torch.exp,
}
FLOAT32_ONLY = {"fast_expf", "finitef"}
CASES = [(name, torch.float32) for name in ONE] + [(name, torch.float64) for name in ONE.keys() - FLOAT32_ONLY]


@pytest.mark.parametrize(("name", "dtype"), sorted(CASES, key=str))
def test_a_function_of_libdevice(name: str, dtype: torch.dtype) -> None:
    x = numbers(dtype)
    out = torch.zeros(P * N, dtype=torch.float64)
    with record() as launches:
        of_one[(P,)](x, out, getattr(libdevice, name), N)
    assert not launches[0].one_by_one
    tolerance = 1e-5 if dtype is torch.float32 else 1e-12
    torch.testing.assert_close(out, ONE[name](x.double()).double(), rtol=tolerance, atol=tolerance, equal_nan=True)


@pytest.mark.parametrize("name", ["atan2", "copysign", "fmod", "hypot", "pow", "nextafter"])
def test_a_function_of_two_numbers(name: str) -> None:
    x, y, out = numbers(torch.float32), torch.tensor([1.5]), torch.zeros(P * N)
    of_two[(P,)](x, y, out, getattr(libdevice, name), N)
    torch.testing.assert_close(out, getattr(torch, name)(x, y.expand_as(x)), equal_nan=True)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("tgamma", [math.inf, -math.inf, math.nan, math.nan, 24.0]), ("lgamma", [math.inf] * 4 + [math.log(24)])],
)
def test_a_pole_is_no_error(name: str, expected: list[float]) -> None:
    x, out = torch.tensor([0.0, -0.0, -1.0, -math.inf, 5.0]), torch.zeros(5)
    for place in range(5):
        of_one[(1,)](x[place:], out[place:], getattr(libdevice, name), 1)
    torch.testing.assert_close(out, torch.tensor(expected), equal_nan=True)


@triton.jit
def gelu(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    inner = 0.7978845608 * (x + 0.044715 * x * x * x)
    tl.store(out_ptr + at, x * 0.5 * (1 + tanh(inner)), mask=at < n)


def test_the_module_of_cuda_is_the_same() -> None:
    x, out = torch.linspace(-3, 3, 50), torch.zeros(50)
    gelu[(4,)](x, out, 50, 16)
    torch.testing.assert_close(out, torch.nn.functional.gelu(x, approximate="tanh"))


@pytest.mark.parametrize(
    ("name", "x", "expected"),
    [
        ("round", -0.0, -0.0), ("round", -0.3, -0.0), ("round", 0.49999997, 0.0), ("round", -2.5, -3.0),
        ("sinpi", 1e22, 0.0), ("sinpi", -3.0, -0.0), ("sinpi", 8388607.5, -1.0), ("cospi", 1e22, 1.0),
        ("cospi", 8388609.0, -1.0), ("cospi", 0.5, 0.0), ("sqrt_rn", 1e-40, 0.0), ("exp", -100.0, 3.783506e-44),
    ],
)  # fmt: skip
def test_zeros_large_and_tiny_numbers(name: str, x: float, expected: float) -> None:
    out = torch.ones(1)
    of_one[(1,)](torch.tensor([x]), out, getattr(cuda_libdevice, name), 1)
    assert (float(out), math.copysign(1, out)) == (pytest.approx(expected, rel=1e-4), math.copysign(1, expected))


@pytest.mark.parametrize("x", [5e-324, 1e-308, 1e-305, 1e-160, 1e-140])
def test_functions_with_a_pole_are_right_near_it(x: float) -> None:
    expected = {"y0": 2 / math.pi * (math.log(x) - math.log(2) + 0.5772156649015329), "y1": -2 / math.pi / x}
    for name, value in expected.items():
        out = torch.ones(1, dtype=torch.float64)
        of_one[(1,)](torch.tensor([x], dtype=torch.float64), out, getattr(cuda_libdevice, name), 1)
        assert float(out) == pytest.approx(value, rel=1e-14)


@tl.core.extern
def of_another_library(arg0, _semantic=None):
    float32 = tl.core.dtype("fp32")
    table = {(float32,): ("__own_function", float32)}
    return tl.core.extern_elementwise("", "", [arg0], table, is_pure=True, _semantic=_semantic)


def test_what_is_not_here_says_so() -> None:
    with pytest.raises(InterpreterError, match=r"does not have __own_function, so it cannot say whether the kernel is"):
        of_one[(P,)](numbers(torch.float32), torch.zeros(P * N), of_another_library, N)


# All functions, beside an H200


@triton.jit
def of_any(a_ptr, b_ptr, c_ptr, d_ptr, out_ptr, n, FUNCTION: tl.constexpr, COUNT: tl.constexpr):
    at = tl.arange(0, 16)
    a = tl.load(a_ptr + at, mask=at < n)
    b = tl.load(b_ptr + at, mask=at < n)
    c = tl.load(c_ptr + at, mask=at < n)
    d = tl.load(d_ptr + at, mask=at < n)
    if COUNT == 1:
        result = FUNCTION(a)
    elif COUNT == 2:
        result = FUNCTION(a, b)
    elif COUNT == 3:
        result = FUNCTION(a, b, c)
    else:
        result = FUNCTION(a, b, c, d)
    tl.store(out_ptr + at, result, mask=at < n)


H200: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("libdevice_h200.json").read_text())
"""What an H200 gave with Triton 3.6, by a function and the types of its arguments: the bits, as hexadecimal numbers."""
ANSWERS = {"int32": torch.int32, "uint32": torch.uint32, "int64": torch.int64, "uint64": torch.uint64}
ANSWERS |= {"fp32": torch.float32, "fp64": torch.float64}
EXACT = re.compile(
    r"\w+_r[nzdu]|\w+_as_\w+|abs|floor|ceil|trunc|rint|nearbyint|round|ll\w+|copysign|fmod|remainder|fma|fdim|isnan|"
    r"isinf|\w*finite\w|signbit|saturatef|logb|ilogb|ldexp|scalbn|nextafter|clz|popc|ffs|brev|byte_perm|mul\w+|sad|"
    r"r?hadd|double\w+|hiloint2double"
)
ULP = {
    "cyl_bessel_i0": 60, "cyl_bessel_i1": 60, "fast_expf": 60, "fast_exp10f": 60, "fast_powf": 900, "normcdf": 700,
    "pow": 200, "rcp64h": 2**32,
}  # fmt: skip
"""How many last places may differ: 0 for what is exact, 4 for others that are not in this table."""
ABSOLUTE = {
    "fast_sinf": 2.0**-20, "fast_cosf": 2.0**-20, "fast_tanf": 1e-5, "fast_logf": 2.0**-20, "fast_log2f": 2.0**-20,
    "fast_log10f": 2.0**-20, "lgamma": 1e-7, "j0": 1e-6, "j1": 1e-6, "y0": 2e-6, "y1": 2e-6, "jn": 2e-6, "yn": 2e-6,
}  # fmt: skip
"""An error that may be larger near a zero of the function, where its last places mean little."""


def unpacked(numbers: str, dtype: torch.dtype) -> torch.Tensor:
    width = len(numbers.split()[0]) * 4
    signed = [number - (number >> width - 1 << width) for number in (int(each, 16) for each in numbers.split())]
    return torch.tensor(signed, dtype=torch.int32 if width == 32 else torch.int64).view(dtype)


@pytest.mark.parametrize("signature", H200)
def test_a_function_gives_what_an_h200_gives(signature: str) -> None:
    name, types = signature.split()
    kinds = [ANSWERS[kind] for kind in types.split(",")]
    given = [unpacked(*each) for each in zip(H200[signature]["in"], kinds, strict=True)]
    kind = ANSWERS[H200[signature]["type"]]
    expected = unpacked(H200[signature]["out"], kind)
    result = torch.zeros_like(expected)
    function: Any = getattr(cuda_libdevice, name)
    of_any[(1,)](*(given + [given[0]] * 3)[:4], result, len(expected), function, len(given))
    if not kind.is_floating_point or EXACT.fullmatch(name):
        bits = torch.int64 if kind.itemsize == 8 else torch.int32
        alike = (result.view(bits) == expected.view(bits)) | ((result != result) & (expected != expected))
        assert alike.all(), (given, result, expected)
        return
    near = ULP.get(name, 4) * torch.finfo(kind).eps
    torch.testing.assert_close(result, expected, rtol=near, atol=ABSOLUTE.get(name, 0.0), equal_nan=True)


def test_all_of_tritons_functions_are_there() -> None:
    functions = {
        name
        for name, function in inspect.getmembers(cuda_libdevice, callable)
        if hasattr(function, "__triton_builtin__")
    }
    assert functions == {signature.split()[0] for signature in H200}
