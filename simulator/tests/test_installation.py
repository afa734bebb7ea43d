"""Triton's language is changed once and in place: aliases work, and nothing else of Triton notices."""

from __future__ import annotations

import inspect
import types
from typing import Any

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.compiler.compiler import make_backend
from triton.language import cumsum, exp, load
from triton.language.extra.cuda.libdevice import tanh as tanh_of_cuda
from triton.language.extra.libdevice import tanh
from triton.language.semantic import TritonSemantic
from triton.runtime import interpreter
from triton.runtime.jit import JITFunction

from triton_simulator import record

my_exp, cast, of_math, by_steps, unrolled = tl.exp, tl.cast, tl.math.exp, tl.range, tl.static_range
plus, to, combine, smaller = tl.tensor.__add__, tl.tensor.to, tl.reduce, min
mine = types.ModuleType("mine")
mine.where, mine.store, mine.language = tl.where, tl.store, tl  # type: ignore[attr-defined]


@triton.jit
def added(a, b):
    return a + b


@triton.jit
def by_aliases(x_ptr, out_ptr, B: tl.constexpr):
    at = mine.language.arange(0, B)
    x = load(x_ptr + at)
    total = my_exp(x) + exp(x) + of_math(x) + tanh(x) + tanh_of_cuda(x) + plus(x, 1.0)
    total += combine(x, 0, added) + cumsum(x, 0)
    for i in by_steps(0, 3):
        total += i.to(tl.float32) + to(i, tl.float32)
    for i in unrolled(3):
        total += i
    mine.store(out_ptr + at, mine.where(x > 0, cast(total, tl.float16), 0.0))


def test_every_alias_of_a_function_works() -> None:
    x, out = torch.linspace(-1, 1, 16), torch.empty(16)
    with record() as launches:
        by_aliases[(1,)](x, out, 16)
    assert not launches[0].one_by_one
    total = 3 * x.exp() + 2 * x.tanh() + x + 1 + x.sum() + x.cumsum(0) + 9
    torch.testing.assert_close(out, torch.where(x > 0, total, 0).half().float())


@pytest.mark.parametrize("function", [tl.exp, my_exp, tanh, tanh_of_cuda, tl.tensor.__add__], ids=range(5))
def test_outside_of_a_launch_a_function_says_what_is_missing(function: Any) -> None:
    with pytest.raises(ValueError, match=r"Did you forget to add @triton\.jit"):
        function(*[torch.ones(2)] * (2 if function is plus else 1))


def test_a_function_keeps_its_signature() -> None:
    assert tl.core.is_builtin(tl.exp)
    assert list(inspect.signature(tl.exp).parameters) == ["x", "_semantic"]


def scalar(number: float) -> Any:
    return tl.tensor(interpreter.TensorHandle(np.array([number], np.float32), tl.float32), tl.float32)


def test_another_builder_is_served_as_before() -> None:
    other = TritonSemantic(interpreter.InterpreterBuilder())
    result = tl.exp(plus(scalar(1), scalar(2), _semantic=other), _semantic=other)
    np.testing.assert_allclose(result.handle.data, np.exp([3.0]), rtol=1e-6)
    assert tl.static_assert(False, _semantic=other) is None, "Triton's code generator does this itself"
    assert bool(scalar(0)), "a value of the compiler is an object like any other"
    assert str(scalar(0)) == "fp32[]"
    assert str(tl.constexpr(3)) == "constexpr[3]"
    for loop in (tl.range(3), tl.static_range(tl.constexpr(3))):
        with pytest.raises(RuntimeError, match="can only be used in"):
            iter(loop)
    with pytest.raises(AssertionError, match="not a constexpr"):
        tl.static_range(3)


def compiled_for_a_gpu(x_ptr, out_ptr, n, B: tl.constexpr):
    at = tl.max_contiguous(tl.multiple_of(tl.program_id(0) * B + tl.arange(0, B), 16), 16)
    tl.static_assert(B == 16)
    x = my_exp(tl.load(x_ptr + at, mask=at < n, other=0.0))
    total = combine((x[:, None] + x[None, :]).T, 0, sum_of_two)
    for i in by_steps(0, n):
        total += i.to(tl.float32)
    for i in unrolled(2):
        total += i
    if n > 3:
        total = plus(total, min(n, 7))
    tl.store(out_ptr + at, total.to(tl.float16), mask=at < n)


sum_of_two = JITFunction(added.fn)


@pytest.mark.library
def test_tritons_code_generator_works_in_the_same_process() -> None:
    target = GPUTarget("cuda", 80, 32)
    backend = make_backend(target)
    options = backend.parse_options({})
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    signature = {"x_ptr": "*fp32", "out_ptr": "*fp16", "n": "i32", "B": "constexpr"}
    source = ASTSource(JITFunction(compiled_for_a_gpu), signature, {(3,): 16})
    functions = backend.get_codegen_implementation(options), backend.get_module_map()
    text = str(source.make_ir(target, options, *functions, context))
    for operation in ("math.exp", "tt.reduce", "tt.trans", "scf.for", "scf.if", "tt.contiguity", "tt.store"):
        assert operation in text


@tl.core.builtin
def twice(x: Any, _semantic: Any = None) -> Any:
    return _semantic.add(x, x, False)


@triton.jit
def with_an_own_builtin(out_ptr):
    tl.store(out_ptr + tl.program_id(0), twice(tl.program_id(0)))


def test_builtins_that_are_made_later_work_too() -> None:
    out = torch.zeros(3, dtype=torch.int32)
    with_an_own_builtin[(3,)](out)
    assert out.tolist() == [0, 2, 4]


@triton.jit
def with_python_names(x_ptr, out_ptr, n, B: tl.constexpr):
    pid = tl.program_id(0)
    total = 0.0
    for i in range(min(pid, 2), max(n, 3)):
        total += tl.load(x_ptr + i) if i > 0 and min(i, B) < B else 1.0
    tl.store(out_ptr + pid, total)


def test_range_min_and_max_take_tensors() -> None:
    x, out = torch.arange(8.0), torch.empty(4)
    with_python_names[(4,)](x, out, 5, 4)
    assert out.tolist() == [8, 7, 6, 6]


@triton.jit
def with_constants(out_ptr, B: tl.constexpr, D: tl.constexpr, WHAT: tl.constexpr):
    HALF: tl.constexpr = B.value // 2
    tl.static_assert(HALF.value == 2 and B.value == 4 and B == 4)
    tl.static_assert(WHAT.value is None)
    at = tl.arange(0, B.value)
    tl.store(out_ptr + at, at.to(D.value) + HALF + HALF.value)


def test_a_constant_has_a_value() -> None:
    out = torch.empty(4)
    with_constants[(1,)](out, tl.constexpr(4), tl.float32, None)
    assert out.tolist() == [4, 5, 6, 7]


@triton.jit
def steps_statically(x_ptr, out_ptr, stride, sizes, B: tl.constexpr):
    tl.static_assert(stride == 1)
    tl.static_assert(sizes[0] == 1)
    total = tl.zeros((B,), tl.float32)
    for i in tl.static_range(stride):
        total += tl.load(x_ptr + tl.arange(0, B) * stride) + i + sizes[1]
    tl.store(out_ptr + tl.arange(0, B), total)


def test_a_number_that_is_one_is_a_constant() -> None:
    x, out = torch.arange(4.0), torch.empty(4)
    steps_statically[(1,)](x, out, 1, (1, 5), 4)
    assert out.tolist() == [5, 6, 7, 8]


@triton.jit(do_not_specialize=["a", 1])
def converts(a, b, c: tl.int32, pair, out_ptr):
    total = a.to(tl.int64) + b.to(tl.int64) + c.to(tl.int64) + pair[1].to(tl.int64)
    tl.store(out_ptr, total)


@triton.jit
def converts_what_is_constant(a, out_ptr):
    tl.store(out_ptr, a.to(tl.int64))


def test_a_number_stays_a_tensor_where_the_compiler_does_not_specialise() -> None:
    out = torch.zeros(1, dtype=torch.int64)
    converts[(1,)](1, 1, 1, (1, 7), out)
    assert out.item() == 10
    converts_what_is_constant[(1,)](True, out)
    assert out.item() == 1
    with pytest.raises(Exception, match="has no attribute 'to'"):  # the compiler says the same
        converts_what_is_constant[(1,)](1, out)
