"""Every operation of the language gives what Triton's own interpreter gives, bit for bit where that one is right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from triton.runtime import interpreter

from triton_simulator import record

from .executors import N, P, assert_same, both, rows
from .tables import across


@triton.jit
def binary(x_ptr, y_ptr, out_ptr, OP: tl.constexpr, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    if OP == "add":
        z = x + y
    elif OP == "sub":
        z = x - y
    elif OP == "mul":
        z = x * y
    elif OP == "div":
        z = x / y
    elif OP == "floordiv":
        z = x // y
    elif OP == "mod":
        z = x % y
    elif OP == "and":
        z = x & y
    elif OP == "or":
        z = x | y
    elif OP == "xor":
        z = x ^ y
    elif OP == "shl":
        z = x << (y & 7)
    elif OP == "shr":
        z = x >> (y & 7)
    elif OP == "min":
        z = tl.minimum(x, y)
    elif OP == "max":
        z = tl.maximum(x, y)
    elif OP == "lt":
        z = (x < y).to(x.dtype)
    elif OP == "le":
        z = (x <= y).to(x.dtype)
    elif OP == "gt":
        z = (x > y).to(x.dtype)
    elif OP == "ge":
        z = (x >= y).to(x.dtype)
    elif OP == "eq":
        z = (x == y).to(x.dtype)
    elif OP == "ne":
        z = (x != y).to(x.dtype)
    elif OP == "where":
        z = tl.where(x > y, x, y)
    elif OP == "fma":
        z = tl.fma(x, y, x)
    elif OP == "clamp":
        z = tl.clamp(x, -0.5, 0.5)
    elif OP == "neg":
        z = -x
    elif OP == "scalar":
        z = 2 * x + y * 3 - 1
    tl.store(out_ptr + at, z)


FLOAT_OPS = (
    "add", "sub", "mul", "div", "mod", "min", "max", "lt", "le", "gt", "ge", "eq", "ne", "where", "neg", "scalar",
)  # fmt: skip
INT_OPS = (
    "add", "sub", "mul", "floordiv", "mod", "and", "or", "xor", "shl", "shr", "min", "max", "lt", "eq", "where",
    "scalar",
)  # fmt: skip


@across("op", [*FLOAT_OPS, "clamp"])
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64], ids=str)
def test_float_arithmetic(op: str, dtype: torch.dtype) -> None:
    def make() -> tuple[torch.Tensor, ...]:
        return rows(dtype), rows(dtype, 1), torch.empty(P, N, dtype=dtype)

    assert_same(*both(binary, (P,), make, OP=op, N=N))


@across("op", INT_OPS)
@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64], ids=str)
def test_integer_arithmetic(op: str, dtype: torch.dtype) -> None:
    def make() -> tuple[torch.Tensor, ...]:
        y = rows(dtype, 1)
        return rows(dtype), torch.where(y == 0, 3, y).to(dtype), torch.empty(P, N, dtype=dtype)

    assert_same(*both(binary, (P,), make, OP=op, N=N))


@triton.jit
def add_combine(a, b):
    return a + b


@triton.jit
def affine_combine(a, b, c, d):
    return a * c, b * c + d


@triton.jit
def reduction(x_ptr, out_ptr, OP: tl.constexpr, AXIS: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    pid = tl.program_id(0)
    x = tl.load(x_ptr + pid * M * N + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    if OP in ("sum", "max", "min"):
        z = getattr(tl, OP)(x, AXIS)
    elif OP in ("argmax", "argmin"):
        z = getattr(tl, OP)(x, AXIS).to(x.dtype)
    elif OP == "max_with_index":
        value, index = tl.max(x, AXIS, return_indices=True)
        z = value + index
    elif OP == "xor_sum":
        z = tl.xor_sum(x.to(tl.int32), AXIS).to(x.dtype)
    elif OP == "custom":
        z = tl.reduce(x, AXIS, add_combine)
    elif OP == "pairs":
        a, b = tl.reduce((x, x + 1), AXIS, affine_combine)
        z = a + b
    if AXIS is None:
        tl.store(out_ptr + pid * N, z)
    else:
        tl.store(out_ptr + pid * N + tl.arange(0, x.shape[1 - AXIS]), z)


@pytest.mark.parametrize(
    "op", ["sum", "max", "min", "argmax", "argmin", "max_with_index", "xor_sum", "custom", "pairs"]
)
@across("axis", [0, 1])
@across("dtype", [torch.float32, torch.int32])
def test_reductions(op: str, axis: int, dtype: torch.dtype) -> None:
    def make() -> tuple[torch.Tensor, ...]:
        x = torch.randint(-4, 5, (P, 8, 16), generator=torch.Generator().manual_seed(3)).to(dtype)
        return x, torch.zeros(P, 16, dtype=dtype)

    assert_same(*both(reduction, (P,), make, OP=op, AXIS=axis, M=8, N=16))


@pytest.mark.parametrize("op", ["sum", "max", "min"])
def test_reductions_of_all_axes(op: str) -> None:
    def make() -> tuple[torch.Tensor, ...]:
        return torch.arange(P * 128).reshape(P, 128).float(), torch.zeros(P, 16)

    assert_same(*both(reduction, (P,), make, OP=op, AXIS=None, M=8, N=16))


@triton.jit
def scan(x_ptr, out_ptr, REVERSE: tl.constexpr, AXIS: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    at = tl.program_id(0) * M * N + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + at)
    a, b = tl.associative_scan((x, x + 1), AXIS, affine_combine, reverse=REVERSE)
    tl.store(out_ptr + at, a + b)


@across("reverse", [False, True])
@across("axis", [0, 1])
def test_scans_with_a_combine_function(reverse: bool, axis: int) -> None:
    def make() -> tuple[torch.Tensor, ...]:
        x = torch.randint(-1, 2, (P, 8, 4), generator=torch.Generator().manual_seed(3))
        return x, torch.zeros_like(x)

    assert_same(*both(scan, (P,), make, REVERSE=reverse, AXIS=axis, M=8, N=4))


@triton.jit
def shapes(x_ptr, out_ptr, OP: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    pid = tl.program_id(0)
    x = tl.load(x_ptr + pid * M * N + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    flat = tl.arange(0, M * N)
    if OP == "reshape":
        z = tl.reshape(x, (N, M))
    elif OP == "trans":
        z = tl.trans(x)
    elif OP == "T":
        z = x.T
    elif OP == "permute":
        z = tl.permute(tl.reshape(x, (2, M // 2, N)), (2, 0, 1))
    elif OP == "ravel":
        z = tl.ravel(x)
    elif OP == "join_split":
        a, b = tl.split(tl.reshape(x, (M, N // 2, 2)))
        z = tl.join(b, a)
    elif OP == "cat":
        a, b = tl.split(tl.reshape(x, (M * N // 2, 2)))
        z = tl.cat(a, b, can_reorder=True)
    elif OP == "interleave":
        a, b = tl.split(tl.reshape(x, (M, N // 2, 2)))
        z = tl.interleave(b, a)
    elif OP == "broadcast":
        z = tl.broadcast_to(tl.sum(x, 0)[None, :], (M, N)) + tl.expand_dims(tl.sum(x, 1), 1)
    elif OP == "gather":
        index = tl.broadcast_to((N - 1 - tl.arange(0, N))[None, :], (M, N))
        z = tl.gather(x, index, 1)
    elif OP == "sort":
        z = tl.sort(x)
    elif OP == "view":
        z = x.reshape(M * N)
    tl.store(out_ptr + pid * M * N + flat, tl.reshape(z, (M * N,)))


SHAPES = (
    "reshape", "trans", "T", "permute", "ravel", "join_split", "cat", "interleave", "broadcast", "gather", "sort",
    "view",
)  # fmt: skip


@pytest.mark.parametrize("op", SHAPES)
def test_shapes(op: str) -> None:
    def make() -> tuple[torch.Tensor, ...]:
        return torch.randint(0, 99, (P, 8, 16), generator=torch.Generator().manual_seed(1)), torch.zeros(
            P, 8, 16, dtype=torch.int64
        )

    assert_same(*both(shapes, (P,), make, OP=op, M=8, N=16))


@triton.jit
def product(
    a_ptr, b_ptr, c_ptr, PRECISION: tl.constexpr, OUT: tl.constexpr, M: tl.constexpr, K: tl.constexpr, N: tl.constexpr
):
    pid = tl.program_id(0)
    a = tl.load(a_ptr + pid * M * K + tl.arange(0, M)[:, None] * K + tl.arange(0, K)[None, :])
    b = tl.load(b_ptr + pid * K * N + tl.arange(0, K)[:, None] * N + tl.arange(0, N)[None, :])
    acc = tl.full((M, N), 1, OUT)
    acc = tl.dot(a, b, acc, input_precision=PRECISION, out_dtype=OUT)
    tl.store(c_ptr + pid * M * N + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], acc)


@pytest.mark.parametrize(
    ("dtype", "out"),
    [(torch.float32, tl.float32), (torch.float16, tl.float32), (torch.int8, tl.int32), (torch.float64, tl.float64)],
)
def test_dot(dtype: torch.dtype, out: Any) -> None:
    def make() -> tuple[torch.Tensor, ...]:
        # Small whole numbers: their sums are exact in any order.
        a = torch.randint(-4, 5, (P, 16, 32), generator=torch.Generator().manual_seed(1)).to(dtype)
        b = torch.randint(-4, 5, (P, 32, 16), generator=torch.Generator().manual_seed(2)).to(dtype)
        result = torch.int32 if dtype == torch.int8 else dtype
        return a, b, torch.zeros(P, 16, 16, dtype=result)

    assert_same(*both(product, (P,), make, PRECISION="ieee", OUT=out, M=16, K=32, N=16))


@triton.jit
def atomics(x_ptr, out_ptr, old_ptr, OP: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + tl.program_id(0) * N + at)
    if OP == "add":
        old = tl.atomic_add(out_ptr + at // 2, x)
    elif OP == "or":
        old = tl.atomic_or(out_ptr + at, x, mask=at < 9)
    elif OP == "cas":
        old = tl.atomic_cas(out_ptr + at, tl.zeros((N,), x.dtype), x)
    elif OP == "relaxed":
        old = tl.atomic_add(out_ptr + at % 4, x, mask=at % 3 == 0, sem="relaxed", scope="cta")
        old = tl.where(at % 3 == 0, old, 0)
    elif OP == "masked":
        old = tl.where(at < 9, tl.atomic_max(out_ptr + at, x, mask=at < 9, sem="acquire"), 0)
        old += tl.where(at >= 9, tl.atomic_xchg(out_ptr + at, x, mask=at >= 9, sem="release", scope="sys"), 0)
    elif OP == "scalar":
        old = tl.atomic_add(out_ptr, tl.sum(x)) + tl.atomic_max(out_ptr + 1, tl.max(x)) + at.to(x.dtype) * 0
    elif OP == "poll":
        tl.store(out_ptr + at, tl.zeros((N,), x.dtype) + 7)
        old = tl.atomic_poll(out_ptr + at, tl.zeros((N,), x.dtype) + 7).to(x.dtype)
    elif OP == "max":
        old = tl.atomic_max(out_ptr + at, x)
    elif OP == "min":
        old = tl.atomic_min(out_ptr + at, x)
    elif OP == "and":
        old = tl.atomic_and(out_ptr + at, x)
    elif OP == "xor":
        old = tl.atomic_xor(out_ptr + at, x)
    else:
        old = tl.atomic_xchg(out_ptr + at, x)
    tl.store(old_ptr + tl.program_id(0) * N + at, old, mask=at < (9 if OP == "or" else N))


MORE_ATOMICS = ["relaxed", "masked", "scalar", *(["poll"] if hasattr(tl, "atomic_poll") else [])]


@pytest.mark.parametrize("op", ["add", "max", "min", "and", "or", "xor", "xchg", "cas", *MORE_ATOMICS])
@across("dtype", [torch.int32, torch.int64])
def test_atomics_on_integers(op: str, dtype: torch.dtype) -> None:
    def make() -> tuple[torch.Tensor, ...]:
        return rows(dtype), torch.zeros(N, dtype=dtype), torch.zeros(P, N, dtype=dtype)

    assert_same(*both(atomics, (P,), make, OP=op, N=N))


@pytest.mark.parametrize("op", ["add", "max", "min", "relaxed", "scalar"])
def test_atomics_on_floats(op: str) -> None:
    def make() -> tuple[torch.Tensor, ...]:
        x = (rows() * 8).round()  # their sums are exact in any order
        return x, torch.zeros(N), torch.zeros(P, N)

    assert_same(*both(atomics, (P,), make, OP=op, N=N))


@pytest.mark.parametrize("op", ["and", "or", "xor"])
def test_atomics_on_the_bits_of_floats(op: str) -> None:
    x, out, old = rows(), rows(seed=1)[0], torch.zeros(P, N)
    bits = [tensor.clone().view(torch.int32) for tensor in (x, out, old)]
    atomics[(P,)](x, out, old, OP=op, N=N)
    atomics[(P,)](*bits, OP=op, N=N)
    assert_same([out.view(torch.int32), old.view(torch.int32)], bits[1:])


@triton.jit
def handed_over(x_ptr, N: tl.constexpr):
    at, pid = tl.arange(0, N), tl.program_id(0)
    before = tl.atomic_load(x_ptr + (pid - 1) * N + at, mask=(at < 9) & (pid > 0))
    tl.atomic_store(x_ptr + pid * N + at, tl.where((at < 9) & (pid > 0), before + 1, 5), mask=at < 9)


@pytest.mark.skipif(not hasattr(tl, "atomic_load"), reason="from Triton 3.9 on")
def test_atomic_loads_and_stores() -> None:
    """Triton's own interpreter refuses their masks."""
    x = torch.zeros(1, N, dtype=torch.int32)
    handed_over[(1,)](x, N=N)
    assert x[0].tolist() == [5] * 9 + [0] * 7


@triton.jit
def add_half(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.atomic_add(out_ptr + at, tl.load(x_ptr + tl.program_id(0) * N + at))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_atomic_adds_of_small_floats(dtype: torch.dtype) -> None:
    x, out = (rows(torch.float32) * 4).round().to(dtype), torch.zeros(N, dtype=dtype)
    add_half[(P,)](x, out, N=N)
    assert torch.equal(out, x.float().sum(0).to(dtype))


@triton.jit
def convert(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out_ptr + at, tl.load(x_ptr + at).to(out_ptr.dtype.element_ty))


CASTS = (
    torch.bool, torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64, torch.float16, torch.float32,
    torch.float64,
)  # fmt: skip


@across("source", CASTS)
@pytest.mark.parametrize("target", CASTS, ids=str)
def test_casts(source: torch.dtype, target: torch.dtype) -> None:
    def make() -> tuple[torch.Tensor, ...]:
        x = rows(source)
        return (x.abs() if source.is_floating_point else x), torch.zeros(P, N, dtype=target)

    assert_same(*both(convert, (P,), make, N=N))


SMALL = [torch.bfloat16, torch.float8_e5m2, torch.float8_e4m3fn, torch.float16]


@pytest.mark.parametrize("target", SMALL, ids=str)
@across("source", [torch.float32, torch.float16, torch.bfloat16])
def test_casts_to_small_floats_round_to_nearest_even(source: torch.dtype, target: torch.dtype) -> None:
    x = torch.randn(P, N).to(source)
    out = torch.zeros(P, N, dtype=target)
    convert[(P,)](x, out, N=N)
    assert torch.equal(out.float(), x.float().to(target).float())


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float8_e5m2, torch.float8_e4m3fn])
def test_every_small_float_is_read_as_what_it_is(dtype: torch.dtype) -> None:
    bits = (
        torch.arange(256, dtype=torch.uint8)
        if dtype.itemsize == 1
        else torch.arange(-(2**15), 2**15, dtype=torch.int16)
    )
    x = bits.view(dtype)
    out = torch.zeros(len(x))
    convert[(len(x) // N,)](x, out, N=N)
    torch.testing.assert_close(out, x.float(), rtol=0, atol=0, equal_nan=True)


@triton.jit
def from_bits(bits_ptr, out_ptr, back_ptr, TYPE: tl.constexpr, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    value = tl.load(bits_ptr + at).to(TYPE, bitcast=True)
    tl.store(out_ptr + at, value.to(tl.float32))
    tl.store(back_ptr + at, value.to(tl.float32).to(TYPE).to(tl.int8, bitcast=True))


@pytest.mark.skipif(not hasattr(interpreter, "_prepare_dot_scaled_operand"), reason="from Triton 3.9 on")
@pytest.mark.parametrize(
    ("small", "dtype"), [(tl.float8e4b8, torch.float8_e4m3fnuz), (tl.float8e5b16, torch.float8_e5m2fnuz)]
)
def test_small_floats_with_one_zero_are_read_as_what_they_are(small: Any, dtype: torch.dtype) -> None:
    bits = torch.arange(256, dtype=torch.uint8).view(torch.int8)
    out, back = torch.zeros(256), torch.zeros(256, dtype=torch.int8)
    from_bits[(256 // N,)](bits, out, back, TYPE=small, N=N)
    torch.testing.assert_close(out, bits.view(dtype).float(), rtol=0, atol=0, equal_nan=True)
    assert torch.equal(back, bits)


def test_float8e4b15_has_no_infinity_and_a_bias_of_15() -> None:
    bits = torch.arange(112, dtype=torch.int8)
    out, back = torch.zeros(112), torch.zeros(112, dtype=torch.int8)
    from_bits[(112 // N,)](bits, out, back, TYPE=tl.float8e4b15, N=N)
    exponent, fraction = bits // 8, (bits % 8) / 8
    normal = (1 + fraction) * 2.0 ** (exponent - 15.0)
    assert torch.equal(out, torch.where(exponent == 0, fraction * 2.0**-14, normal))
    assert torch.equal(back, bits)


@triton.jit
def with_numbers(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x, k = tl.load(x_ptr + at), tl.load(x_ptr + at).to(tl.int32)
    tl.store(out_ptr + at, x + 0.0)
    tl.store(out_ptr + N + at, x + -0.0)
    tl.store(out_ptr + 2 * N + at, x * 1 + k * 1)
    tl.store(out_ptr + 3 * N + at, 1.0 / x)
    tl.store(out_ptr + 4 * N + at, (k + 2147483647).to(tl.float32))


def test_numbers_become_constants_that_keep_their_sign_and_their_type() -> None:
    (_, ours), (_, theirs) = both(with_numbers, (1,), lambda: (torch.full((N,), -0.0), torch.ones(5 * N)), N=N)
    assert_same((ours,), (theirs,))
    assert torch.equal(torch.signbit(ours), torch.signbit(theirs))
    assert not ours.view(5, N)[0].signbit().any()


@pytest.mark.parametrize("op", ["add", "sub", "mul", "div", "max", "where", "scalar"])
def test_bfloat16_is_computed_in_float32_and_rounded(op: str) -> None:
    x, y = rows(torch.bfloat16), rows(torch.bfloat16, 1)
    out = torch.zeros(P, N, dtype=torch.bfloat16)
    binary[(P,)](x, y, out, OP=op, N=N)
    expected = {
        "add": lambda: x + y,
        "sub": lambda: x - y,
        "mul": lambda: x * y,
        "div": lambda: (x.float() / y.float()).bfloat16(),
        "max": lambda: torch.maximum(x, y),
        "where": lambda: torch.where(x > y, x, y),
        "scalar": lambda: 2 * x + y * 3 - 1,
    }[op]()
    assert torch.equal(out, expected)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float8_e5m2, torch.float8_e4m3fn])
def test_dot_of_small_floats_is_summed_in_float32(dtype: torch.dtype) -> None:
    a, b = torch.randn(P, 16, 32).to(dtype), torch.randn(P, 32, 16).to(dtype)
    c = torch.zeros(P, 16, 16)
    product[(P,)](a, b, c, PRECISION="ieee", OUT=tl.float32, M=16, K=32, N=16)
    torch.testing.assert_close(c, a.float() @ b.float() + 1, rtol=1e-5, atol=1e-5)


def test_dot_precisions_differ_as_on_hardware() -> None:
    a, b = torch.randn(P, 16, 32), torch.randn(P, 32, 16)
    exact = a.double() @ b.double() + 1
    errors = {}
    for precision in ("ieee", "tf32", "tf32x3", "bf16x3", "bf16x6"):
        c = torch.zeros(P, 16, 16)
        product[(P,)](a, b, c, PRECISION=precision, OUT=tl.float32, M=16, K=32, N=16)
        errors[precision] = ((c - exact).norm() / exact.norm()).item()
    assert errors["tf32"] > 1e-4 > errors["bf16x3"] > 1e-6 > max(errors["ieee"], errors["tf32x3"], errors["bf16x6"])


@triton.jit
def default_dot(a_ptr, b_ptr, c_ptr, N: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(c_ptr + at, tl.dot(tl.load(a_ptr + at), tl.load(b_ptr + at)))


def test_dot_of_float32_is_tf32_unless_told_otherwise() -> None:
    a, b, c = torch.full((16, 16), 1 + 2.0**-12), torch.eye(16), torch.zeros(16, 16)
    default_dot[(1,)](a, b, c, N=16)
    assert torch.equal(c, torch.ones(16, 16))


@pytest.mark.parametrize("number", [1 + 2.0**-10 - 2.0**-23, -1.9999999, 3.4028234e38, 1e-40])
def test_tf32_cuts_bits_off_as_tensor_cores_do(number: float) -> None:
    a, c = torch.full((16, 16), number), torch.zeros(16, 16)
    cut = (a.view(torch.int32) & -(2**13)).view(torch.float32)
    for left, right in ((a, torch.eye(16)), (torch.eye(16), a)):
        default_dot[(1,)](left, right, c, N=16)
        assert torch.equal(c, cut)


@triton.jit
def logical(x_ptr, out_ptr, low, N: tl.constexpr, STRICT: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    x = tl.load(x_ptr + at)
    chosen = (x > low) and (x < 50)
    if STRICT and tl.program_id(0) > 0:
        chosen = chosen and not (x == 7)  # noqa: SIM201  # `not` is what is tested
    tl.store(out_ptr + at, chosen.to(tl.int32) + ((x < low) or (x > 90)).to(tl.int32) * 2)


def test_and_or_and_not_work_on_elements_as_on_a_gpu() -> None:
    x = torch.arange(64, dtype=torch.int32) * 2
    out = torch.zeros(64, dtype=torch.int32)
    logical[(4,)](x, out, 10, N=16, STRICT=True)
    assert torch.equal(out, ((x > 10) & (x < 50)).int() + ((x < 10) | (x > 90)).int() * 2)


@triton.jit
def scaled_product(
    a_ptr, a_scale_ptr, b_ptr, b_scale_ptr, c_ptr, A: tl.constexpr, B: tl.constexpr, A_K: tl.constexpr,
    B_K: tl.constexpr,
):  # fmt: skip
    pid, m, groups = tl.program_id(0), tl.arange(0, 32), tl.arange(0, 2)
    a = tl.load(a_ptr + pid * 32 * A_K + m[:, None] * A_K + tl.arange(0, A_K)[None, :])
    b = tl.load(b_ptr + pid * 32 * B_K + tl.arange(0, B_K)[:, None] * 32 + m[None, :])
    at = pid * 64 + m[:, None] * 2 + groups[None, :]
    a_scale = None if a_scale_ptr is None else tl.load(a_scale_ptr + at)
    b_scale = None if b_scale_ptr is None else tl.load(b_scale_ptr + at)
    c = tl.dot_scaled(a, a_scale, A, b, b_scale, B, acc=tl.full((32, 32), 1, tl.float32))
    tl.store(c_ptr + pid * 1024 + m[:, None] * 32 + m[None, :], c)


FORMATS = {
    "e2m1": torch.uint8,
    "e4m3": torch.float8_e4m3fn,
    "e5m2": torch.float8_e5m2,
    "bf16": torch.bfloat16,
    "fp16": torch.float16,
}


@pytest.mark.skipif(not hasattr(interpreter, "_prepare_dot_scaled_operand"), reason="from Triton 3.9 on")
@pytest.mark.parametrize("a_form", FORMATS)
@across("b_form", ["e2m1", "e4m3", "fp16"])
@across("a_is_scaled", [True, False])
def test_dot_scaled(a_form: str, b_form: str, a_is_scaled: bool) -> None:
    a_k, b_k = (32 if form == "e2m1" else 64 for form in (a_form, b_form))  # two numbers of 4 bits make a byte

    def make() -> tuple[torch.Tensor | None, ...]:
        generator = torch.Generator().manual_seed(5)
        a = torch.randint(-4, 5, (P, 32, a_k), generator=generator).to(FORMATS[a_form])
        b = torch.randint(-4, 5, (P, b_k, 32), generator=generator).to(FORMATS[b_form])
        scales = torch.randint(126, 130, (2, P, 32, 2), generator=generator).to(torch.uint8)
        return a, scales[0].clone() if a_is_scaled else None, b, scales[1].clone(), torch.zeros(P, 32, 32)

    assert_same(*both(scaled_product, (P,), make, A=a_form, B=b_form, A_K=a_k, B_K=b_k))


@triton.jit
def by_descriptors(x_ptr, out_ptr, OP: tl.constexpr, H, W, BLOCK: tl.constexpr):
    row = tl.program_id(0) * BLOCK
    source = tl.make_tensor_descriptor(x_ptr, [H, W], [W, 1], [BLOCK, BLOCK], padding_option="zero")
    target = tl.make_tensor_descriptor(out_ptr, [H, W], [W, 1], [BLOCK, BLOCK])
    for column in range(0, W, BLOCK):
        x = tl.load_tensor_descriptor(source, [row, column])
        if OP == "store":
            tl.store_tensor_descriptor(target, [row, column], x * 2)
        elif OP == "shape":
            target.store([row, column], source.load([row, column]) + source.shape[0] + source.strides[0])
        else:
            getattr(target, f"atomic_{OP}")([0, column], x)


def described() -> tuple[torch.Tensor, torch.Tensor]:
    x = torch.randint(-99, 99, (37, 40), generator=torch.Generator().manual_seed(0), dtype=torch.int32)
    return x, torch.full((37, 40), 5, dtype=torch.int32)


@pytest.mark.parametrize("op", ["store", "shape"])
def test_descriptors(op: str) -> None:
    assert_same(*both(by_descriptors, (3,), described, OP=op, H=37, W=40, BLOCK=16))


@pytest.mark.parametrize(
    ("op", "step"),
    [("add", torch.add), ("max", torch.maximum), ("min", torch.minimum), ("and", torch.bitwise_and),
     ("or", torch.bitwise_or), ("xor", torch.bitwise_xor)],
)  # fmt: skip
def test_atomics_of_descriptors(op: str, step: Callable[..., torch.Tensor]) -> None:
    """Triton's own interpreter has none."""
    x, out = described()
    expected = out.clone()
    for start in (0, 16, 32):
        block = torch.zeros(16, 40, dtype=torch.int32)
        block[: 37 - start] = x[start : start + 16]
        expected[:16] = step(expected[:16], block)
    by_descriptors[(3,)](x, out, OP=op, H=37, W=40, BLOCK=16)
    assert torch.equal(out, expected)


@triton.jit
def rows_by_descriptors(x_ptr, rows_ptr, out_ptr, H, W, BLOCK: tl.constexpr):
    source = tl.make_tensor_descriptor(x_ptr, [H, W], [W, 1], [1, BLOCK])
    target = tl.make_tensor_descriptor(out_ptr, [H, W], [W, 1], [1, BLOCK])
    rows = tl.load(rows_ptr + tl.program_id(0) * 8 + tl.arange(0, 8))
    target.scatter(source.gather(rows, 0) * 2, rows, 0)


def test_gather_and_scatter_by_descriptors() -> None:
    def make() -> tuple[torch.Tensor, ...]:
        order = torch.randperm(20, generator=torch.Generator().manual_seed(0)).to(torch.int32)
        return rows().repeat(4, 1), order[:16].clone(), torch.zeros(20, N)

    assert_same(*both(rows_by_descriptors, (2,), make, H=20, W=N, BLOCK=N))


@triton.jit
def outside_by_descriptors(x_ptr, out_ptr, H, W, BLOCK: tl.constexpr):
    source = tl.make_tensor_descriptor(x_ptr, [H, W], [W, 1], [BLOCK, BLOCK], padding_option="nan")
    row, at = tl.program_id(0) * BLOCK, tl.arange(0, BLOCK)
    tl.store(out_ptr + (row + at)[:, None] * BLOCK + at[None, :], source.load([row, 0]))


def test_descriptors_pad_with_nan_where_told() -> None:
    assert_same(
        *both(outside_by_descriptors, (2,), lambda: (torch.ones(20, 8), torch.zeros(32, 16)), H=20, W=8, BLOCK=16)
    )


@triton.jit
def larger_by_a_branch(a, b):
    if a > b:
        return a
    return b


@triton.jit
def larger_with_its_index(a, i, b, j):
    larger = a if a > b or (a == b and i < j) else b
    index = i if larger == a else j
    if larger == b and a != b:
        index = j
    return larger, index


@triton.jit
def greatest_divisor(a, b):
    while b != 0:
        a, b = b, a % b
    return a


@triton.jit
def first_that_is_not_zero(a, b):
    return a if a else b


@triton.jit
def combines_with_branches(x_ptr, out_ptr, OP: tl.constexpr, AXIS: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    at = tl.program_id(0) * M * N + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + at)
    if OP == "larger":
        z = x - tl.reduce(x, AXIS, larger_by_a_branch, keep_dims=True)
    elif OP == "index":
        place = tl.broadcast_to(tl.arange(0, N)[None, :], (M, N)).to(x.dtype)
        value, index = tl.reduce((x, place), AXIS, larger_with_its_index, keep_dims=True)
        z = x * value + index
    elif OP == "divisor":
        z = x * tl.reduce(tl.abs(x), AXIS, greatest_divisor, keep_dims=True)
    elif OP == "first":
        z = x + tl.reduce(x, AXIS, first_that_is_not_zero, keep_dims=True)
    elif OP == "scan":
        z = tl.associative_scan(x, AXIS, larger_by_a_branch)
    elif OP == "scan_first":
        z = tl.associative_scan(x, AXIS, first_that_is_not_zero, reverse=True)
    tl.store(out_ptr + at, z)


@pytest.mark.parametrize("op", ["larger", "index", "divisor", "first", "scan", "scan_first"])
@across("axis", [0, 1])
@across("dtype", [torch.float32, torch.int16])
def test_a_function_that_combines_may_branch(op: str, axis: int, dtype: torch.dtype) -> None:
    def make() -> tuple[torch.Tensor, ...]:
        x = torch.randint(-3, 4, (P, 4, 8), generator=torch.Generator().manual_seed(2)).to(dtype)
        return x, torch.zeros(P, 4, 8, dtype=dtype)

    assert_same(*both(combines_with_branches, (P,), make, OP=op, AXIS=axis, M=4, N=8))


@triton.jit
def reduction_that_branches(x_ptr, out_ptr, n, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + tl.program_id(0) * n + at, mask=at < n)
    tl.store(out_ptr + tl.program_id(0), tl.reduce(x, 0, larger_by_a_branch))


def test_a_function_that_combines_cannot_branch_on_an_undefined_element() -> None:
    with record() as launches:
        reduction_that_branches[(3,)](torch.rand(3, 9), torch.zeros(3), 9, N=N)
    assert [fault.kind for fault in launches[0].faults] == ["undefined-branch"]
