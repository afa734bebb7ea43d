"""The functions of libdevice in the simulator."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice
from triton.language.extra.cuda.libdevice import tanh
from triton.runtime.errors import InterpreterError

from triton_workshop.simulator import record

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


def test_what_is_not_here_says_so() -> None:
    function: Any = libdevice.cyl_bessel_i0
    with pytest.raises(InterpreterError, match=r"the simulator does not have __nv_cyl_bessel_i0f; compute it with"):
        of_one[(P,)](numbers(torch.float32), torch.zeros(P * N), function, N)
