"""Kernels that name all kinds of things: what the compiler must get with them."""

from __future__ import annotations

import enum
import math
from collections import namedtuple

import triton
import triton.language as tl
from triton.language import exp

from . import helpers

HALF = tl.constexpr(0.5)
NUMBER = 2
KIND = tl.float32
root = tl.sqrt
Pair = namedtuple("Pair", "first second")


class Mode(enum.IntEnum):
    DOUBLE = 2


@triton.jit
def twice(x):
    return x + x


@triton.jit
def downwards(x, n: tl.constexpr):
    if n > 0:
        return downwards(x, n - 1)
    return x


def plain(x):
    return x + 1


@triton.constexpr_function
def rounded_up(n):
    return 2 ** math.ceil(math.log2(n))


@triton.jit
def takes_all(x_ptr, output_ptr, n, BLOCK: tl.constexpr = 16, mode: tl.constexpr = Mode.DOUBLE):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, rounded_up(BLOCK))
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0).to(KIND)
    x = root(exp(x * HALF)) + helpers.shifted(twice(x)) + helpers.constants.ONE * math.pi
    if mode == 2:
        x = x.sum(axis=0) + x
    tl.store(output_ptr + offsets, tl.math.abs(x), mask=offsets < n)


@triton.jit
def calls_itself(x_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(output_ptr + offsets, downwards(tl.load(x_ptr + offsets), 3))


@triton.jit
def reads_a_global_number(x_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets) * NUMBER)


@triton.jit
def calls_plain_python(x_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(output_ptr + offsets, plain(tl.load(x_ptr + offsets)))


@triton.jit
def leaves_a_loop(x_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets)
    for i in range(n):
        if i == 2:
            break
        x += 1
    tl.store(output_ptr + offsets, x)


@triton.jit
def broken(x):
    total = 0
    for _ in range(4):
        total = total + x
    return total


@triton.jit
def breaks_in_a_helper(x_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(output_ptr + offsets, broken(tl.load(x_ptr + offsets)))


@triton.jit
def prints_with_an_f_string(x_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    print(f"n is {n}")
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets))


@triton.jit
def takes_a_pair(x_ptr, output_ptr, pair, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets) * pair.first + pair.second)


@triton.jit
def reaches_through_a_number(address, output_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(output_ptr + offsets, tl.load(address.to(tl.pointer_type(tl.float32)) + offsets))


@triton.jit
def fp8_of_new_gpus(x_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets).to(tl.float8e4nv).to(tl.float32))


@triton.jit
def large_product(x_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :]
    x = tl.load(x_ptr + offsets)
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for _ in range(n):
        total += tl.dot(x, x)
    tl.store(output_ptr + offsets, total)


@triton.jit
def large_copy(x_ptr, output_ptr, number, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets))


class Logger:
    """Cannot be pickled."""

    def __reduce__(self) -> str:
        raise TypeError("cannot pickle a Logger")


logger = Logger()


def total(x):
    logger.log(x)  # type: ignore[attr-defined]


@triton.jit
def calls_its_sum_as_its_launcher(x_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    total = tl.load(x_ptr + offsets) + n
    for logger in range(2):
        total += logger
    tl.store(output_ptr + offsets, total)


@triton.jit
def names_what_stays_here(x_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.static_assert(logger is not None)
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets))


def inside(kind: object, limit: object = 4):
    """A kernel that closes over a helper, a constant and a type; and over a number, if that is `limit`."""
    one = tl.constexpr(1)
    stop = limit

    @triton.jit
    def moved(x):
        return (x + one).to(kind)

    @triton.jit
    def closes_over_names(x_ptr, output_ptr, n, BLOCK: tl.constexpr):
        offsets = tl.arange(0, BLOCK)
        tl.store(output_ptr + offsets, moved(tl.load(x_ptr + offsets)), mask=offsets < stop)

    return closes_over_names


def with_a_default_of(size: int):
    @triton.jit
    def halved(x, by: tl.constexpr = size):
        return x / by

    @triton.jit
    def calls_with_a_default(x_ptr, output_ptr, n, BLOCK: tl.constexpr):
        offsets = tl.arange(0, BLOCK)
        tl.store(output_ptr + offsets, halved(tl.load(x_ptr + offsets)))

    return calls_with_a_default


class Sizes:
    """A class whose attributes and methods kernels use: the compiler takes it as a constant only."""

    __slots__ = ("step",)
    ONE = tl.constexpr(1)
    TWO = 2

    def __init__(self) -> None:
        self.step = 3

    @staticmethod
    @triton.jit
    def doubled(x):
        return x * 2

    def twice(self) -> int:
        return 2 * self.step

    @property
    def half(self) -> int:
        return self.step // 2


@triton.jit
def uses_a_class(x_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets) * Sizes.ONE)


@triton.jit
def calls_a_method(x_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(output_ptr + offsets, Sizes.doubled(tl.load(x_ptr + offsets)))


@triton.jit
def takes_an_object(x_ptr, output_ptr, sizes: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = sizes.doubled(tl.load(x_ptr + offsets)) + sizes.twice() + sizes.half
    tl.store(output_ptr + offsets, x * sizes.ONE * sizes.TWO * sizes.step)


@triton.jit
def takes_an_object_without_such_a_method(x_ptr, output_ptr, sizes: tl.constexpr, BLOCK: tl.constexpr):
    tl.store(output_ptr + tl.arange(0, BLOCK), sizes.thrice())
