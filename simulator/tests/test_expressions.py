"""Every name of `triton.language`, in an expression of its own, gives what Triton's own interpreter gives."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language as tl

from .executors import N, P, assert_same, both, rows

VERSION = tuple(int(part) for part in triton.__version__.split(".")[:2])
FUSED = "tl.fma(v, v, v)" if VERSION >= (3, 7) else "v"
"""Triton 3.6's interpreter rounds twice in it; see `test_numbers.py`."""

KERNEL = """\
def kernel(x_ptr, out_ptr, N: tl.constexpr):
    p = tl.program_id(0)
    at = p * N + tl.arange(0, N)
    v = tl.load(x_ptr + at)
    {}
    tl.store(out_ptr + at, z)
"""

INTEGERS = {
    "add": "z = tl.add(v, 1)",
    "sub": "z = tl.sub(v, 1)",
    "mul": "z = tl.mul(v, 3)",
    "reversed operators": "z = (1 + v) * (2 - v) + 3 * v + (1 & v) + (1 | v) + (1 ^ v) + (1 << (v & 3)) "
    "+ (99 >> (v & 3))",
    "reversed division": "z = 1000 // (tl.abs(v) + 1) + 77 % (tl.abs(v) + 1)",
    "reversed comparisons": "z = (1 < v) * 1 + (1 <= v) * 2 + (3 == v) * 4 + (3 != v) * 8",
    "chained comparison": "z = (-5 < v < 5).to(tl.int32)",
    "invert": "z = ~v",
    "division below zero": "z = v // 7 - v % 7 + (-v) // 3",
    "cdiv": "z = tl.cdiv(v, 7) + v.cdiv(5)",
    "umulhi": "z = tl.umulhi(v, v * 7)",
    "umulhi of uint32": "z = tl.math.umulhi(v.to(tl.uint32), (v * 77777).to(tl.uint32)).to(tl.int32)",
    "umulhi of uint64": "z = tl.umulhi(v.to(tl.uint64) * 123456789123, v.to(tl.uint64) * 12345678912).to(tl.int32)",
    "uint32": "z = (v.to(tl.uint32) >> 3).to(tl.int32) + (v.to(tl.uint32) // 7 % 5).to(tl.int32)",
    "uint8 and uint16": "z = v.to(tl.uint8).to(tl.int32) + v.to(tl.uint16).to(tl.int32)",
    "int8, int16 and int64": "z = v.to(tl.int8).to(tl.int32) + v.to(tl.int16).to(tl.int32) "
    "+ v.to(tl.int64).to(tl.int32)",
    "cast": "z = tl.cast(tl.cast(v, tl.int8), tl.int32) + tl.cast(tl.cast(v, tl.int1), tl.int32)",
    "bitcast": "z = v.to(tl.float32, bitcast=True).to(tl.int32, bitcast=True)",
    "hints": "z = v + tl.max_constancy(tl.max_contiguous(tl.multiple_of(tl.arange(0, N), 16), 16), 1)",
    "debug_barrier": "tl.debug_barrier(); z = v",
    "assume": "tl.assume(p >= 0); tl.assume(v < 1000); z = v",
    "device_assert": "tl.device_assert(v < 1000, 'too large'); z = v",
    "static_assert": "tl.static_assert(N == 16); tl.static_assert(N == 16, 'not 16'); z = v",
    "full and zeros": "z = v + tl.full((N,), 3, tl.int32) + tl.full([N], v.sum(), tl.int32) + tl.zeros_like(v)",
    "zeros": "z = v + tl.zeros([N], tl.int32)",
    "broadcast": "a, b = tl.broadcast(v, tl.full((1,), 2, tl.int32)); z = a * b",
    "broadcast_to": "z = v + tl.broadcast_to(p, (N,))",
    "expand_dims": "z = tl.reshape(tl.expand_dims(v, (0, 2)), (N,)) + tl.ravel(tl.expand_dims(v, -1))",
    "index with None": "z = tl.reshape(v[None, :, None], N)",
    "view": "z = tl.view(tl.view(v, (4, N // 4)), N)",
    "trans and permute": "z = tl.ravel(tl.trans(tl.permute(tl.reshape(v, (4, N // 4)), (1, 0))))",
    "join and split": "a, b = tl.split(tl.join(v, v + 1)); z = a * b",
    "interleave": "a, b = tl.split(tl.reshape(v, (N // 2, 2))); z = tl.interleave(b, a)",
    "cat": "a, b = tl.split(tl.reshape(v, (N // 2, 2))); z = tl.cat(a, b, can_reorder=True)",
    "swizzle2d": "a, b = tl.swizzle2d(v & 3, v & 7, 4, 8, 2); z = a * 100 + b",
    "squeeze and unsqueeze": "z = tl.squeeze(tl.unsqueeze(v, 0), 0)",
    "to_tensor": "z = v + tl.to_tensor(5)",
    "expect_zero": "z = v + tl.expect_zero(v - v, v > 0)",
    "item": "z = v + tl.sum(v, keep_dims=True).item()",
    "where": "z = tl.where(v > 0, v, tl.where(v < -10, -1, 0))",
    "gather": "z = tl.gather(v, N - 1 - tl.arange(0, N), 0)",
    "max and min of Python": "z = max(v.max(), 3) + min(v.min(), -3) + v",
    "logical methods": "z = ((v > 0).logical_or(v < -9)).to(tl.int32) + ((v > 0).logical_and(v < 9)).to(tl.int32)",
    "reduction methods": "z = v.abs() + v.max() + v.min(0) + v.sum(axis=0) + v.argmax(0) + v.argmin(axis=0) "
    "+ v.xor_sum()",
    "argmax and argmin": "z = v + tl.argmax(v, 0) * 3 + tl.argmin(v, 0, tie_break_left=False) "
    "+ tl.argmax(v, 0, keep_dims=True)",
    "max and min with indices": "a, b = tl.max(v, 0, return_indices=True)\n"
    "    c, d = tl.min(v, 0, return_indices=True, return_indices_tie_break_left=False, keep_dims=True)\n"
    "    z = v + a * b + c * d",
    "xor_sum": "z = v + tl.xor_sum(v, 0) + tl.xor_sum(v, keep_dims=True)",
    "reduce_or": "z = v + tl.reduce_or(v, 0) + tl.reduce_or(v > 0, 0).to(tl.int32)",
    "sum with a type": "z = v + tl.sum(v.to(tl.int8), 0, dtype=tl.int32) + tl.sum(v > 0)",
    "cumsum and cumprod": "z = tl.cumsum(v, 0) + tl.cumprod(v, 0, reverse=True)",
    "cumsum with a type": "z = tl.cumsum(v.to(tl.int8), 0, dtype=tl.int32)",
    "sort": "z = tl.sort(v) + tl.sort(v, descending=True) * 3",
    "topk": "z = v + tl.sum(tl.topk(v, 4) * (1 + tl.arange(0, 4)))",
    "topk of the least": "z = v + tl.sum(tl.topk(v, 4, descending=False) * (1 + tl.arange(0, 4)))",
    "bitonic_merge": "z = tl.bitonic_merge(v) + tl.bitonic_merge(v, descending=True) * 3",
    "flip": "z = tl.flip(v, 0)",
    "histogram": "z = tl.histogram(v & 15, N)",
    "histogram of fewer bins": "z = v + tl.sum(tl.histogram(v & 7, 8) * (1 + tl.arange(0, 8)))",
    "histogram with a mask": "z = tl.histogram(v & 15, N, mask=v > 0)",
    "histogram of what lies outside": "z = tl.histogram(v, N)",
    "ranges": "z = v\n"
    "    for j in tl.range(0, 3, num_stages=2, loop_unroll_factor=2, flatten=True): z += j\n"
    "    for j in tl.static_range(1, 7, 2): z += j\n"
    "    for j in tl.range(5, 1, step=-2): z += j\n"
    "    for j in range(N // 4): z += j",
    "condition": "z, n = v, p\n    while tl.condition(n < 9):\n        z += 1\n        n += 1",
    "constexpr": "c: tl.constexpr = N * 2; z = v + c",
    "tuple": "t = (v, v + 1); a, b = t; z = a * b + t[0] + t[-1] + len(t)",
    "tl.tuple": "t = tl.tuple((v, v + 1)); z = t[0] + t[1]",
    "programs": "z = v + tl.num_programs(0) + tl.num_programs(axis=1) + tl.program_id(axis=2)",
    "philox": "a, b, c, d = tl.philox(p, v.to(tl.uint32), 0, 0, 0); z = (a ^ b ^ c ^ d).to(tl.int32)",
    "philox_impl": "u = v.to(tl.uint32); "
    "a, b, c, d = tl.philox_impl(u, u, u, u, u, u); z = (a ^ b ^ c ^ d).to(tl.int32)",
    "randint": "z = tl.randint(p, v)",
    "randint4x": "a, b, c, d = tl.randint4x(7, v); z = (a ^ b ^ c ^ d).to(tl.int32)",
    "rand": "z = ((tl.rand(7, v) + tl.rand(7, v.to(tl.int64))) * 1e6).to(tl.int32)",
    "rand4x": "a, b, c, d = tl.rand4x(7, v); z = ((a + b * 2 + c * 3 + d * 4) * 10000).to(tl.int32)",
    "randn": "z = (tl.randn(p, v) * 1e4).to(tl.int32)",
    "randn4x": "a, b, c, d = tl.randn4x(7, v); z = ((a + b * 2 + c * 3 + d * 4) * 10000).to(tl.int32)",
    "pair_uniform_to_normal": "a, b = tl.pair_uniform_to_normal(tl.rand(1, v), tl.rand(2, v)); z = ((a "
    "+ b) * 1e4).to(tl.int32)",
    "uint_to_uniform_float": "z = (tl.uint_to_uniform_float(v.to(tl.uint32)) * 1e4).to(tl.int32)",
}

FLOATS = {
    "math": "z = tl.math.exp(v) + tl.math.exp2(v) + tl.math.sin(v) + tl.math.cos(v) "
    "+ tl.math.floor(v) + tl.math.ceil(v)",
    "math, second part": f"z = tl.math.abs(v) + tl.math.erf(v) + {FUSED} "
    "+ tl.math.div_rn(v, 2.0) + tl.math.fdiv(v, 3.0)",
    "roots and logarithms": "a = tl.abs(v); z = tl.log(a) + tl.log2(a) + tl.sqrt(a) + tl.rsqrt(a) + tl.sqrt_rn(a)",
    "methods": "a = v.abs(); z = v.exp() + v.exp2() + a.log() + a.log2() + a.sqrt() + a.rsqrt() + v.sin() + v.cos()",
    "methods, second part": "z = v.floor() + v.ceil() + v.erf() + v.sigmoid() + v.softmax()",
    "exp and others": "z = tl.exp(v) + tl.exp2(v) + tl.sin(v) + tl.cos(v) + tl.floor(v) + tl.ceil(v) "
    f"+ tl.erf(v) + {FUSED}",
    "division": "z = tl.fdiv(v, 3.0) + tl.div_rn(v, 7.0) + v / 3 + v % 0.7",
    "minimum": "z = tl.minimum(v, 0.5) + tl.minimum(v, v * 2, propagate_nan=tl.PropagateNan.ALL)",
    "maximum": "z = tl.maximum(v, 0.5) + tl.maximum(v, v * 2, propagate_nan=tl.PropagateNan.ALL)",
    "clamp": "z = tl.clamp(v, -0.5, 0.5) + tl.clamp(v, v - 1, v * 0 + 1, propagate_nan=tl.PropagateNan.ALL)",
    "sigmoid and softmax": "z = tl.sigmoid(v) + tl.softmax(v)",
    "softmax along an axis": "z = tl.ravel(tl.softmax(tl.reshape(v, (4, N // 4)), dim=1))",
    "scans": "z = tl.cumsum(v) + tl.cumsum(v, reverse=True) * 3 + tl.cumprod(v) * 5",
    "order": "z = tl.sort(v) + tl.sort(v, descending=True) * 3 + tl.flip(v, 0) * 5",
    "infinity": "z = tl.where(v > 0, float('inf'), -float('inf'))",
    "not a number": "z = tl.where(v > 0, float('nan'), v); z = z + tl.maximum(z, 0.0)",
    "extrema pass over NaN": "z = tl.where(v > 0, float('nan'), v); z = v + tl.max(z, 0) + tl.min(z, 0)",
    "float16": "z = v.to(tl.float16).to(tl.float32)",
    "float16 towards zero": "z = v.to(tl.float16, fp_downcast_rounding='rtz').to(tl.float32)",
    "float64": "z = (v.to(tl.float64) / 3).to(tl.float32)",
    "bfloat16 towards zero": "z = v.to(tl.bfloat16, fp_downcast_rounding='rtz').to(tl.float32)",
    "bits of float16": "z = v.to(tl.float16).to(tl.int16, bitcast=True).to(tl.float32)",
    "small floats that are exact": "v = tl.where(v > 0, 1.5, -0.5)\n"
    "    z = v.to(tl.float8e5).to(tl.float32) + v.to(tl.float8e4nv).to(tl.float32) "
    "+ v.to(tl.float8e4b15).to(tl.float32)",
    "small floats with one zero": "v = tl.where(v > 0, 1.5, -0.5)\n"
    "    z = v.to(tl.float8e4b8).to(tl.float32) + v.to(tl.float8e5b16).to(tl.float32)",
    "int": "z = v.to(tl.int32).to(tl.float32)",
}

SINCE_3_9 = {
    "chained comparison": "3.6 compiles none, its interpreter loses the first part, and ours says so",
    "umulhi": "3.6 multiplies as signed",
    "condition": "3.6 never ends such a loop",
    "histogram of what lies outside": "3.6 counts one element too many",
    "small floats with one zero": "3.6 has no cast to them",
    "methods": "3.6 has no such methods in its interpreter",
    "methods, second part": "3.6 has no such methods in its interpreter",
    "topk of the least": "3.6 has the greatest only",
}


def compiled(expression: str, folder: Path) -> Any:
    path = folder / f"expression_{abs(hash(expression))}.py"
    path.write_text(KERNEL.format(expression))
    space = {"tl": tl, "triton": triton}
    exec(compile(path.read_text(), path, "exec"), space)
    return triton.jit(space["kernel"])


def check(name: str, expression: str, dtype: torch.dtype, folder: Path, *, exactly: bool) -> None:
    missing = [used for used in re.findall(r"\btl\.(\w+)", expression) if not hasattr(tl, used)]
    if missing or (VERSION < (3, 9) and name in SINCE_3_9):
        pytest.skip(f"Triton {triton.__version__}: {missing or SINCE_3_9[name]}")
    kernel = compiled(expression, folder)
    assert_same(*both(kernel, (P,), lambda: (rows(dtype), torch.zeros(P, N, dtype=dtype)), N=N), exactly=exactly)


@pytest.mark.parametrize("name", INTEGERS)
def test_an_expression_of_integers(name: str, tmp_path: Path) -> None:
    check(name, INTEGERS[name], torch.int32, tmp_path, exactly=True)


@pytest.mark.parametrize("name", FLOATS)
def test_an_expression_of_floats(name: str, tmp_path: Path) -> None:
    check(name, FLOATS[name], torch.float32, tmp_path, exactly="sigmoid" not in name and "methods" not in name)


NOT_OPERATIONS = {
    *("core", "extra", "math", "random", "semantic", "standard", "target_info"),  # modules
    *("block_type", "const", "constexpr_type", "dtype", "pi32_t", "pointer_type", "str_to_ty", "tensor"),
    *("tensor_descriptor", "tensor_descriptor_type", "tuple_type", "void", "slice"),  # types and annotations
    "TRITON_MAX_TENSOR_NUMEL",
}
NOT_IN_TRITONS_INTERPRETER = {"inline_asm_elementwise", "map_elementwise"}


def names_in_kernels() -> set[str]:
    """The names of `triton.language` in the kernels of this folder's tests, and in the expressions above."""
    used = set(re.findall(r"\btl\.(\w+)", " ".join([*INTEGERS.values(), *FLOATS.values()])))
    for path in Path(__file__).parent.glob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and any("jit" in ast.unparse(mark) for mark in node.decorator_list):
                used |= set(re.findall(r"\btl\.(\w+)", ast.unparse(node)))
    return used


def test_every_public_name_is_tested() -> None:
    public = {name for name in dir(tl) if not name.startswith("_")}
    assert public - names_in_kernels() - NOT_OPERATIONS - NOT_IN_TRITONS_INTERPRETER == set()
