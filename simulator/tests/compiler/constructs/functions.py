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

KIND = tl.float16
CONSTANT_KIND = tl.constexpr(tl.float16)
my_exp = tl.exp


@triton.jit
def double(x):
    return x * 2


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


@triton.constexpr_function
def half_of(value):
    return value // 2


@triton.jit
def constexpr_function(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * half_of(BLOCK), mask=mask)


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
def builtin_as_a_constexpr_argument(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, ACTIVATION: tl.constexpr = tl.exp):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, ACTIVATION(x * 0.01), mask=mask)


@triton.jit
def global_dtype(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x.to(KIND), mask=mask)


@triton.jit
def global_constexpr_dtype(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x.to(CONSTANT_KIND), mask=mask)


@triton.jit
def global_alias_of_a_builtin(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, my_exp(x * 0.01), mask=mask)


@triton.jit
def name_imported_from_the_language(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, exponential(x * 0.01), mask=mask)


@triton.jit
def math_pi(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * math.pi, mask=mask)


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
def tl_sqrt_of_a_constexpr(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * tl.sqrt(BLOCK), mask=mask)


@triton.jit
def tl_cdiv_of_a_runtime_value(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * tl.cdiv(n, BLOCK), mask=mask)
