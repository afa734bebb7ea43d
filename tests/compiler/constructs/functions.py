"""Functions, globals and modules: helpers with and without `@triton.jit`, closures, lambdas, classes, what a name may be."""

import functools
import math
import operator
from math import sqrt
from typing import NamedTuple

import numpy as np
import torch
import triton
import triton.language as tl
from triton.language import exp as exponential
from triton.language.extra import libdevice

INTEGER = 3
FLOAT = 0.5
FLAG_GLOBAL = True
STRING = "mul"
NOTHING = None
PAIR = (2, 3)
LIST = [2, 3]
TABLE = {"factor": 2}
KIND = tl.float16
TORCH_KIND = torch.float32
CONSTANT = tl.constexpr(3)
CONSTANT_FLOAT = tl.constexpr(0.5)
CONSTANT_PAIR = tl.constexpr((2, 3))
CONSTANT_STRING = tl.constexpr("mul")
CONSTANT_KIND = tl.constexpr(tl.float16)
ANNOTATED: tl.constexpr = 3
LOG2_E: tl.constexpr = 1.44269504
my_exp = tl.exp
absolute = tl.abs
cast = tl.cast
language = tl


def plain_double(x):
    return x * 2


@triton.jit
def double(x):
    return x * 2


@triton.jit
def scaled(x, factor=3, offset: tl.constexpr = 1):
    return x * factor + offset


@triton.jit
def both_ways(x, y):
    return x + y, x - y


@triton.jit
def early(x, n):
    if n > 100:
        return x * 2
    else:
        return x * 3


@triton.jit
def early_without_else(x, n):
    if n > 100:
        return x * 2
    return x * 3


@triton.jit
def early_of_other_types(x, n):
    if n > 100:
        return x * 2
    else:
        return 1


@triton.jit
def sometimes(x, n):
    if n > 100:
        return x * 2


@triton.jit
def returns_in_a_loop(x):
    for i in range(4):
        if i == 2:
            return x
        x = x + i
    return x


@triton.jit
def returns_on_constexpr(x, kind: tl.constexpr):
    if kind == "relu":
        return tl.maximum(x, 0)
    elif kind == "double":
        return x * 2
    return x


@triton.jit
def without_a_return(pointer, value):
    tl.store(pointer, value)


@triton.jit
def factorial(k: tl.constexpr):
    if k <= 1:
        return 1
    return k * factorial(k - 1)


@triton.jit
def endless(x):
    return endless(x) + 1


@triton.jit
def variadic(x, *others):
    return x + others[0] + others[1]


@triton.jit
def keyword_only(x, *, factor):
    return x * factor


@triton.jit
def changes_its_argument(x):
    x = x * 2
    return x


@triton.jit
def apply(function: tl.constexpr, x):
    return function(x)


@triton.jit
def uses_a_constant(x):
    return x * CONSTANT


@triton.jit
def uses_an_integer(x):
    return x * INTEGER


@triton.jit
def makes_a_block(size):
    return tl.arange(0, size)


@triton.jit
def makes_a_block_of_constexpr(size: tl.constexpr):
    return tl.arange(0, size)


@triton.jit
def wrong_inside(x):
    return x.not_a_method()


@triton.jit
def typed(x: tl.tensor, factor: float) -> tl.tensor:
    return x * factor


@triton.constexpr_function
def half_of(value):
    return value // 2


def half_of_plainly(value):
    return value // 2


class Settings:
    factor = 3


class Pair(NamedTuple):
    first: tl.tensor
    second: tl.tensor


@triton.jit
def plain_function_of_a_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, plain_double(x), mask=mask)


@triton.jit
def plain_function_of_a_constant(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * half_of_plainly(8), mask=mask)


@triton.jit
def plain_function_of_constexpr_as_shape(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + tl.sum(tl.full((half_of_plainly(BLOCK),), 1.0, tl.float32), axis=0), mask=mask)


@triton.jit
def constexpr_function(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * half_of(BLOCK), mask=mask)


@triton.jit
def constexpr_function_as_shape(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + tl.sum(tl.full((half_of(BLOCK),), 1.0, tl.float32), axis=0), mask=mask)


@triton.jit
def constexpr_function_of_runtime_value(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * half_of(n), mask=mask)


@triton.jit
def jit_function(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, double(x), mask=mask)


@triton.jit
def jit_function_with_defaults(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, scaled(x), mask=mask)


@triton.jit
def jit_function_with_keywords(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, scaled(x, offset=2, factor=0.5), mask=mask)


@triton.jit
def jit_function_with_wrong_keyword(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, scaled(x, by=2), mask=mask)


@triton.jit
def jit_function_with_too_many_arguments(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, double(x, 2), mask=mask)


@triton.jit
def jit_function_with_too_few_arguments(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    a, b = both_ways(x)
    tl.store(output_ptr + offsets, a, mask=mask)


@triton.jit
def jit_function_with_two_results(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    a, b = both_ways(x, y)
    tl.store(output_ptr + offsets, a * b, mask=mask)


@triton.jit
def jit_function_result_as_a_tuple(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    both = both_ways(x, y)
    tl.store(output_ptr + offsets, both[0] * both[1], mask=mask)


@triton.jit
def jit_function_with_runtime_value_for_constexpr(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, scaled(x, 2, n), mask=mask)


@triton.jit
def jit_function_returns_in_both_branches(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, early(x, n), mask=mask)


@triton.jit
def jit_function_returns_without_else(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, early_without_else(x, n), mask=mask)


@triton.jit
def jit_function_returns_other_types(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, early_of_other_types(x, n), mask=mask)


@triton.jit
def jit_function_returns_sometimes(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, sometimes(x, n), mask=mask)


@triton.jit
def jit_function_returns_in_a_loop(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, returns_in_a_loop(x), mask=mask)


@triton.jit
def jit_function_returns_on_constexpr(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, returns_on_constexpr(x, "relu") + returns_on_constexpr(x, "double"), mask=mask)


@triton.jit
def jit_function_without_a_return(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    without_a_return(output_ptr + tl.program_id(0), 1.0)


@triton.jit
def jit_function_without_a_return_used(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = without_a_return(output_ptr + tl.program_id(0), 1.0)
    tl.store(output_ptr + offsets, y, mask=mask)


@triton.jit
def jit_function_recursive_on_constexpr(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * factorial(4), mask=mask)


@triton.jit
def jit_function_recursive_for_ever(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, endless(x), mask=mask)


@triton.jit
def jit_function_with_varargs(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    tl.store(output_ptr + offsets, variadic(x, y, 1.0), mask=mask)


@triton.jit
def jit_function_keyword_only(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, keyword_only(x, factor=2), mask=mask)


@triton.jit
def jit_function_called_with_a_star(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    both = (x, y)
    a, b = both_ways(*both)
    tl.store(output_ptr + offsets, a * b, mask=mask)


@triton.jit
def jit_function_called_with_two_stars(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, scaled(x, **{"factor": 2}), mask=mask)


@triton.jit
def jit_function_changes_its_argument(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = changes_its_argument(x)
    tl.store(output_ptr + offsets, x + y, mask=mask)


@triton.jit
def jit_function_as_an_argument(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, apply(double, x), mask=mask)


@triton.jit
def builtin_as_an_argument(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, apply(tl.exp, x * 0.01), mask=mask)


@triton.jit
def jit_function_as_a_constexpr_argument(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, ACTIVATION: tl.constexpr = double):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, ACTIVATION(x), mask=mask)


@triton.jit
def builtin_as_a_constexpr_argument(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, ACTIVATION: tl.constexpr = tl.exp):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, ACTIVATION(x * 0.01), mask=mask)


@triton.jit
def no_function_as_a_constexpr_argument(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, NONE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if NONE:
        x = NONE(x)
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def jit_function_bound_to_a_name(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    f = double
    tl.store(output_ptr + offsets, f(x), mask=mask)


@triton.jit
def jit_function_from_a_ternary(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FLAG: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    f = double if FLAG else scaled
    tl.store(output_ptr + offsets, f(x), mask=mask)


@triton.jit
def jit_function_uses_a_constant(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, uses_a_constant(x), mask=mask)


@triton.jit
def jit_function_uses_a_global_integer(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, uses_an_integer(x), mask=mask)


@triton.jit
def jit_function_wants_a_shape_of_a_literal(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + tl.sum(makes_a_block(16), axis=0), mask=mask)


@triton.jit
def jit_function_wants_a_shape_of_a_constexpr(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + tl.sum(makes_a_block(BLOCK), axis=0), mask=mask)


@triton.jit
def jit_function_wants_a_shape_annotated(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + tl.sum(makes_a_block_of_constexpr(16), axis=0), mask=mask)


@triton.jit
def jit_function_with_a_mistake_inside(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, wrong_inside(x), mask=mask)


@triton.jit
def jit_function_with_type_annotations(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, typed(x, 0.5), mask=mask)


@triton.jit
def method_like_call_of_a_jit_function(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x.double(), mask=mask)


@triton.jit
def lambda_in_a_kernel(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    f = lambda v: v * 2
    tl.store(output_ptr + offsets, f(x), mask=mask)


@triton.jit
def nested_function(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)

    def inner(v):
        return v * 2

    tl.store(output_ptr + offsets, inner(x), mask=mask)


@triton.jit
def nested_function_with_nonlocal(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)

    def inner():
        nonlocal x
        x = x * 2

    inner()
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def nested_class(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)

    class Inner:
        factor = 2

    tl.store(output_ptr + offsets, x * Inner.factor, mask=mask)


@triton.jit
def yield_in_a_kernel(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x, mask=mask)
    yield x


@triton.jit
def import_in_a_kernel(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    import math

    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * math.pi, mask=mask)


@triton.jit
def import_from_in_a_kernel(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    from triton.language import exp

    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, exp(x * 0.01), mask=mask)


@triton.jit
def global_statement(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    global INTEGER
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * 2, mask=mask)


@triton.jit
def global_statement_that_assigns(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    global counter
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    counter = 1
    tl.store(output_ptr + offsets, x * counter, mask=mask)


@triton.jit
def global_integer(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * INTEGER, mask=mask)


@triton.jit
def global_float(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * FLOAT, mask=mask)


@triton.jit
def global_boolean(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if FLAG_GLOBAL:
        x = x * 2
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def global_string(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if STRING == "mul":
        x = x * 2
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def global_none(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if NOTHING is None:
        x = x * 2
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def global_pair(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * PAIR[0], mask=mask)


@triton.jit
def global_list(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * LIST[0], mask=mask)


@triton.jit
def global_dict(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * TABLE["factor"], mask=mask)


@triton.jit
def global_dtype(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x.to(KIND), mask=mask)


@triton.jit
def global_torch_dtype(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x.to(TORCH_KIND), mask=mask)


@triton.jit
def global_constexpr(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * CONSTANT, mask=mask)


@triton.jit
def global_constexpr_float(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * CONSTANT_FLOAT, mask=mask)


@triton.jit
def global_constexpr_pair(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * CONSTANT_PAIR[0], mask=mask)


@triton.jit
def global_constexpr_string(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if CONSTANT_STRING == "mul":
        x = x * 2
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def global_constexpr_dtype(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x.to(CONSTANT_KIND), mask=mask)


@triton.jit
def global_annotated_constexpr(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * ANNOTATED, mask=mask)


@triton.jit
def global_annotated_constexpr_float(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.exp2(x * 0.01 * LOG2_E), mask=mask)


@triton.jit
def global_shadowed_by_a_local(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    INTEGER = 2
    tl.store(output_ptr + offsets, x * INTEGER, mask=mask)


@triton.jit
def global_alias_of_a_builtin(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, my_exp(x * 0.01), mask=mask)


@triton.jit
def global_alias_of_a_standard_function(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, absolute(x), mask=mask)


@triton.jit
def global_alias_of_cast(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, cast(x, tl.float16), mask=mask)


@triton.jit
def global_alias_of_the_language(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, language.exp(x * 0.01), mask=mask)


@triton.jit
def name_imported_from_the_language(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, exponential(x * 0.01), mask=mask)


@triton.jit
def language_by_its_full_name(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, triton.language.exp(x * 0.01), mask=mask)


@triton.jit
def math_pi(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * math.pi, mask=mask)


@triton.jit
def math_constant_from_a_ternary(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x - tl.where(x > 0, math.inf, 0.0), mask=mask)


@triton.jit
def math_exp_of_a_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, math.exp(x), mask=mask)


@triton.jit
def math_sqrt_of_a_constexpr(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * math.sqrt(BLOCK), mask=mask)


@triton.jit
def math_sqrt_of_a_literal(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * math.sqrt(2.0), mask=mask)


@triton.jit
def imported_sqrt_of_a_literal(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * sqrt(2.0), mask=mask)


@triton.jit
def math_log2_of_a_constexpr(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * int(math.log2(BLOCK)), mask=mask)


@triton.jit
def tl_math_exp(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.math.exp(x * 0.01), mask=mask)


@triton.jit
def tl_sqrt_of_a_constexpr(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * tl.sqrt(BLOCK), mask=mask)


@triton.jit
def libdevice_function(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, libdevice.tanh(x * 0.1), mask=mask)


@triton.jit
def libdevice_by_its_full_name(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.extra.libdevice.tanh(x * 0.1), mask=mask)


@triton.jit
def numpy_exp_of_a_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, np.exp(x), mask=mask)


@triton.jit
def numpy_pi(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * np.pi, mask=mask)


@triton.jit
def numpy_float(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * np.float32(2.0), mask=mask)


@triton.jit
def torch_exp_of_a_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, torch.exp(x), mask=mask)


@triton.jit
def torch_zeros(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    total = torch.zeros(BLOCK)
    tl.store(output_ptr + offsets, x + total, mask=mask)


@triton.jit
def torch_dtype(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x.to(torch.float32), mask=mask)


@triton.jit
def operator_module(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, operator.add(x, 1), mask=mask)


@triton.jit
def functools_partial(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    f = functools.partial(scaled, factor=2)
    tl.store(output_ptr + offsets, f(x), mask=mask)


@triton.jit
def triton_cdiv(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * triton.cdiv(BLOCK, 7), mask=mask)


@triton.jit
def triton_cdiv_of_a_runtime_value(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * triton.cdiv(n, BLOCK), mask=mask)


@triton.jit
def tl_cdiv_of_a_runtime_value(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * tl.cdiv(n, BLOCK), mask=mask)


@triton.jit
def triton_next_power_of_2(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    size: tl.constexpr = triton.next_power_of_2(BLOCK - 3)
    tl.store(output_ptr + offsets, x * size, mask=mask)


@triton.jit
def class_attribute(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * Settings.factor, mask=mask)


@triton.jit
def class_instance(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    settings = Settings()
    tl.store(output_ptr + offsets, x * settings.factor, mask=mask)


@triton.jit
def named_tuple(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    both = Pair(x, y)
    tl.store(output_ptr + offsets, both.first + both.second, mask=mask)


@triton.jit
def constexpr_function_twice(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    size: tl.constexpr = half_of(half_of(BLOCK))
    tl.store(output_ptr + offsets, x + tl.sum(tl.full((size,), 1.0, tl.float32), axis=0), mask=mask)


@triton.jit
def kernel_default_argument(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, scale=2.0):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * scale, mask=mask)


@triton.jit
def kernel_default_int_argument(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, shift=7):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + shift, mask=mask)
