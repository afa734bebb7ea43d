"""Numbers as the compiler and the GPU hold them, where numpy or Python would hold them otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice
from triton.runtime import interpreter
from triton.runtime.errors import InterpreterError

INF, NAN = float("inf"), float("nan")


@triton.jit
def convert(x_ptr, out_ptr, TYPE: tl.constexpr, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out_ptr + at, tl.load(x_ptr + at).to(TYPE))


FLOATS = [0.0, -0.5, -1.0, 2.75, -2.75, 300.0, -300.0, 70000.0, 3e9, -3e9, 1e19, -1e19, 1e30, INF, -INF, NAN]
SIXTEEN_BITS = [0, 0, -1, 2, -2, 300, -300, 32767, 32767, -32768, 32767, -32768, 32767, 32767, -32768, 0]
UNSIGNED = [0, 0, 0, 2, 0, 300, 0, 65535, 65535, 0, 65535, 0, 65535, 65535, 0, 0]
AS_INTEGERS: dict[torch.dtype, tuple[Any, list[int]]] = {
    torch.int16: (tl.int16, SIXTEEN_BITS),
    torch.uint16: (tl.uint16, UNSIGNED),
    torch.int8: (tl.int8, [(x + 128) % 256 - 128 for x in SIXTEEN_BITS]),  # made from 16 bits
    torch.uint8: (tl.uint8, [x % 256 for x in UNSIGNED]),
}


@pytest.mark.parametrize("dtype", AS_INTEGERS)
@pytest.mark.parametrize("source", [torch.float32, torch.float64])
def test_a_float_out_of_range_becomes_the_nearest_integer(dtype: torch.dtype, source: torch.dtype) -> None:
    small, expected = AS_INTEGERS[dtype]
    out = torch.zeros(16, dtype=dtype)
    convert[(2,)](torch.tensor(FLOATS, dtype=source), out, TYPE=small, N=8)
    # Where 64 bits take part, an H200 makes the highest bit alone of NaN: of 16, which a byte does not have.
    of_nan = {torch.int16: -(2**15), torch.uint16: 2**15}.get(dtype, 0) if source is torch.float64 else 0
    assert out.tolist() == [*expected[:-1], of_nan]


@pytest.mark.parametrize(("name", "dtype"), [("int32", tl.int32), ("uint32", tl.uint32), ("int64", tl.int64)])
def test_a_float_out_of_range_becomes_the_nearest_wide_integer(name: str, dtype: Any) -> None:
    out = torch.zeros(16, dtype=getattr(torch, name))
    convert[(2,)](torch.tensor(FLOATS, dtype=torch.float64), out, TYPE=dtype, N=8)
    limits = np.iinfo(name)
    exact = [int(max(min(x, 1e20), -1e20)) for x in FLOATS[:-1]]
    of_nan = int(limits.min) or 2**31
    assert out.tolist() == [*(max(min(x, int(limits.max)), int(limits.min)) for x in exact), of_nan]


@triton.jit
def to_the_nearest(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out_ptr + at, libdevice.llrint(tl.load(x_ptr + at)))


def test_a_function_of_libdevice_gives_the_nearest_integer_too() -> None:
    out = torch.zeros(8, dtype=torch.int64)
    to_the_nearest[(2,)](torch.tensor([1e30, -1e30, NAN, 2.5, 3.5, -0.5, 1.4, INF]), out, N=4)
    assert out.tolist() == [2**63 - 1, -(2**63), -(2**63), 2, 4, 0, 1, 2**63 - 1]


@triton.jit
def compare_with_nan(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    ordered = (x < y) | (x <= y) | (x > y) | (x >= y) | (x == y)
    tl.store(out_ptr + at, ordered.to(tl.int32) + 2 * (x != y))


def test_nan_is_different_from_all_and_neither_less_nor_greater() -> None:
    out = torch.zeros(4, dtype=torch.int32)
    compare_with_nan[(2,)](torch.tensor([NAN, 1.0, NAN, 1.0]), torch.tensor([NAN, NAN, 1.0, 1.0]), out, N=2)
    assert out.tolist() == [2, 2, 2, 1]


SMALL = [tl.float8e5, tl.float8e4nv, tl.float8e4b15]
if hasattr(interpreter, "_prepare_dot_scaled_operand"):  # from Triton 3.9 on
    SMALL += [tl.float8e5b16, tl.float8e4b8]


@triton.jit
def through_a_small_float(x_ptr, out_ptr, TYPE: tl.constexpr, OP: tl.constexpr, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    x = tl.load(x_ptr + at).to(TYPE, bitcast=True)
    if OP == "copy":
        y = tl.where(at >= 0, x, x)
    elif OP == "abs":
        y = tl.abs(x)
    elif OP == "flip":
        y = tl.flip(x, 0)
    tl.store(out_ptr + at, y.to(tl.uint8, bitcast=True))


@pytest.mark.parametrize("small", SMALL)
def test_every_bit_of_an_8_bit_float_survives_being_moved(small: Any) -> None:
    x = torch.arange(256, dtype=torch.uint8)
    out = torch.zeros_like(x)
    through_a_small_float[(2,)](x, out, TYPE=small, OP="copy", N=128)
    assert torch.equal(out, x)
    through_a_small_float[(2,)](x, out, TYPE=small, OP="flip", N=128)
    assert torch.equal(out.view(2, 128), x.view(2, 128).flip(1))


@pytest.mark.parametrize("small", [tl.float8e5, tl.float8e4nv, tl.float8e4b15])
def test_the_absolute_value_of_an_8_bit_float_clears_its_sign(small: Any) -> None:
    x = torch.arange(256, dtype=torch.uint8)
    out = torch.zeros_like(x)
    through_a_small_float[(2,)](x, out, TYPE=small, OP="abs", N=128)
    assert torch.equal(out, x & 127)


@triton.jit
def to_small(x_ptr, out_ptr, TYPE: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, tl.load(x_ptr + at).to(TYPE).to(tl.uint8, bitcast=True))


def test_a_conversion_to_8_bits_saturates_where_a_copy_keeps_infinity() -> None:
    out = torch.zeros(4, dtype=torch.uint8)
    to_small[(1,)](torch.tensor([INF, -INF, NAN, -NAN]), out, TYPE=tl.float8e5, N=4)
    assert out.tolist() == [0x7B, 0xFB, 0x7F, 0x7F]


@triton.jit
def of_bits(x_ptr, y_ptr, out_ptr, OP: tl.constexpr, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    if OP == "add":
        z = x + y
    elif OP == "sub":
        z = x - y
    elif OP == "mul":
        z = x * y
    elif OP == "shl":
        z = x << y
    elif OP == "shr":
        z = x >> y
    elif OP == "div":
        z = x // y
    elif OP == "mod":
        z = x % y
    elif OP == "neg":
        z = -x
    elif OP == "sum":
        z = tl.reduce(x, 0, plus, keep_dims=True) | (at < 0)
    elif OP == "cumsum":
        z = tl.associative_scan(x, 0, plus)
    tl.store(out_ptr + at, z)


@triton.jit
def plus(a, b):
    return a + b


BITS: dict[str, tuple[list[bool], list[bool], list[bool]]] = {
    "add": ([False, False, True, True], [False, True, False, True], [False, True, True, False]),
    "sub": ([False, False, True, True], [False, True, False, True], [False, True, True, False]),
    "mul": ([False, False, True, True], [False, True, False, True], [False, False, False, True]),
    "shl": ([False, True, False, True], [False] * 4, [False, True, False, True]),
    "shr": ([False, True, False, True], [False] * 4, [False, True, False, True]),
    "div": ([False, True, False, True], [True] * 4, [False, True, False, True]),
    "mod": ([False, True, False, True], [True] * 4, [False] * 4),
    "neg": ([False, True, False, True], [True] * 4, [False, True, False, True]),
    "sum": ([True, True, True, False], [True] * 4, [True] * 4),
    "cumsum": ([True, True, True, False], [True] * 4, [True, False, True, True]),
}


@pytest.mark.parametrize("operation", BITS)
def test_arithmetic_of_one_bit_wraps(operation: str) -> None:
    x, y, expected = (torch.tensor(part) for part in BITS[operation])
    out = torch.zeros(8, dtype=torch.bool)
    of_bits[(2,)](x.repeat(2), y.repeat(2), out, OP=operation, N=4)
    assert out.tolist() == expected.repeat(2).tolist()


@triton.jit
def atomics_of_floats(x_ptr, largest_ptr, smallest_ptr, swapped_ptr, expected_ptr):
    pid = tl.program_id(0)
    x = tl.load(x_ptr + pid)
    tl.atomic_max(largest_ptr + pid, x)
    tl.atomic_min(smallest_ptr + pid, x)
    tl.atomic_cas(swapped_ptr + pid, tl.load(expected_ptr + pid), x)


def bits_of(numbers: torch.Tensor) -> list[int]:
    return numbers.view(torch.int32).tolist()


def test_atomics_of_floats_compare_bits() -> None:
    x = torch.tensor([0.0, -0.0, 1.0, -2.0])
    largest, smallest = torch.tensor([-0.0, 0.0, -1.0, -1.0]), torch.tensor([-0.0, 0.0, 2.0, -1.0])
    swapped, expected = torch.tensor([-0.0, 0.0, NAN, -1.0]), torch.tensor([0.0, 0.0, NAN, -1.0])
    atomics_of_floats[(4,)](x, largest, smallest, swapped, expected)
    assert bits_of(largest) == bits_of(torch.tensor([0.0, 0.0, 1.0, -1.0]))
    assert bits_of(smallest) == bits_of(torch.tensor([-0.0, -0.0, 1.0, -2.0]))
    assert bits_of(swapped) == bits_of(torch.tensor([-0.0, -0.0, 1.0, -2.0]))


@triton.jit
def fused(x_ptr, y_ptr, z_ptr, out_ptr, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out_ptr + at, tl.fma(tl.load(x_ptr + at), tl.load(y_ptr + at), tl.load(z_ptr + at)))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_a_fused_product_and_sum_is_rounded_once(dtype: torch.dtype) -> None:
    from fractions import Fraction

    generator = torch.Generator().manual_seed(1)
    x, y, z = (torch.randn(512, generator=generator, dtype=torch.float64).to(dtype) for _ in range(3))
    y[256:] = (-z[256:].double() / x[256:].double()).to(dtype)  # nearly all cancels
    out = torch.zeros(512, dtype=dtype)
    fused[(2,)](x, y, z, out, N=256)
    for a, b, c, got in zip(*(part.double().tolist() for part in (x, y, z, out)), strict=True):
        exact = Fraction(a) * Fraction(b) + Fraction(c)
        near = torch.tensor(float(exact), dtype=torch.float64).to(dtype)
        beside = [torch.nextafter(near, torch.tensor(end, dtype=dtype)) for end in (INF, -INF)]
        assert all(abs(Fraction(got) - exact) <= abs(Fraction(float(other)) - exact) for other in (near, *beside))


def test_a_fused_product_may_leave_the_range_of_numbers() -> None:
    """Of huge, tiny and subnormal factors, whose product overflows, or is lost, unless it is kept exactly."""
    huge, tiny = 1.7976931348623157e308, 5e-324
    x = torch.tensor([huge, huge, tiny, 2.0**-600, 2.0**-1074, huge, 2.0**1000, 1.0], dtype=torch.float64)
    y = torch.tensor([-2.0, 2.0, 0.5, 2.0**-474, -(2.0**-1074), huge, 1 + 2.0**-52, huge], dtype=torch.float64)
    z = torch.tensor([huge, -huge, tiny, 2.0**-1074, tiny, -INF, -(2.0**1000), huge], dtype=torch.float64)
    out = torch.zeros(8, dtype=torch.float64)
    fused[(2,)](x, y, z, out, N=4)
    assert out.tolist() == [-huge, huge, 2 * tiny, 2 * tiny, tiny, -INF, 2.0**948, INF]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_double_is_rounded_once(dtype: torch.dtype) -> None:
    small = {torch.bfloat16: tl.bfloat16, torch.float16: tl.float16}[dtype]
    beyond_half = [1 + torch.finfo(dtype).eps / 2 + 2.0**-40, 1 + 1.5 * torch.finfo(dtype).eps - 2.0**-40]
    x = torch.tensor([*beyond_half, *(-x for x in beyond_half), 1e300, 1e-300, INF, 0.1], dtype=torch.float64)
    out = torch.zeros(8, dtype=dtype)
    convert[(2,)](x, out, TYPE=small, N=4)
    step = torch.finfo(dtype).eps
    tenth = torch.tensor(0.1, dtype=torch.float64).to(dtype).item()
    assert out.tolist() == [1 + step, 1 + step, -1 - step, -1 - step, INF, 0.0, INF, tenth]


@triton.jit
def full_of(out_ptr, VALUE: tl.constexpr, TYPE: tl.constexpr):
    tl.store(out_ptr + tl.arange(0, 2), tl.full((2,), VALUE, TYPE))


@pytest.mark.parametrize(("value", "dtype"), [(1.5, tl.int32), (-1, tl.uint8), (INF, tl.int64)])
def test_an_integer_is_not_made_of_what_the_compiler_refuses(value: float, dtype: Any) -> None:
    with pytest.raises((InterpreterError, TypeError)):
        full_of[(1,)](torch.zeros(2, dtype=torch.int64), VALUE=value, TYPE=dtype)


@pytest.mark.parametrize(("value", "dtype", "expected"), [(300, tl.uint8, 44), (200, tl.int8, -56), (0.0, tl.int32, 0)])
def test_an_integer_that_is_too_large_wraps_as_in_the_compiler(value: float, dtype: Any, expected: int) -> None:
    out = torch.zeros(2, dtype=torch.int64)
    full_of[(1,)](out, VALUE=value, TYPE=dtype)
    assert out.tolist() == [expected] * 2


@triton.jit
def largest_of_pairs(x_ptr, index_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    _, index = tl.reduce((tl.load(x_ptr + at), tl.load(index_ptr + at)), 0, greater)
    tl.store(out_ptr, index)


greater: Any = tl.standard._argmax_combine_tie_break_left


def test_of_equal_elements_the_one_with_the_smallest_index_counts() -> None:
    out = torch.zeros(1, dtype=torch.int32)
    largest_of_pairs[(1,)](torch.tensor([1, 5, 5, 2]), torch.tensor([9, 8, 3, 1], dtype=torch.int32), out, N=4)
    assert out.item() == 3


@triton.jit
def places(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr, tl.argmax(x, 0))
    tl.store(out_ptr + 1, tl.argmin(x, 0))
    tl.store(out_ptr + 2, tl.argmax(x, 0, tie_break_left=False))
    tl.store(out_ptr + 3, tl.argmin(x, 0, tie_break_left=False))


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ([NAN] * 4, [3, 3, 3, 3]),
        ([NAN] * 64, [63, 63, 63, 63]),
        ([5.0, NAN, NAN, NAN], [3, 3, 3, 3]),
        ([NAN, 2.0, 2.0, 2.0], [1, 1, 3, 3]),
        ([NAN, 6.0, 8.0, NAN], [3, 3, 3, 3]),
        ([3.0] * 16, [0, 0, 15, 15]),
        ([-INF] * 4, [0, 0, 3, 3]),
        ([1.0, 4.0, 4.0, 1.0], [1, 0, 2, 3]),
    ],
)
def test_the_place_of_an_extremum_is_an_h200s(numbers: list[float], expected: list[int]) -> None:
    out = torch.zeros(4, dtype=torch.int32)
    places[(1,)](torch.tensor(numbers), out, N=len(numbers))
    assert out.tolist() == expected
