"""Kernels that use names of the functions around them, as Triton's compiler takes them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
import torch
import triton
import triton.language as tl

from triton_simulator import record


def stored(kernel: Any, *arguments: Any) -> list[float]:
    """What a kernel stores into eight elements. Its programs run together."""
    out = torch.zeros(8)
    with record(raises=True) as launches:
        kernel[(1,)](out, *arguments)
    assert not launches[0].one_by_one
    return out.tolist()  # type: ignore[no-any-return]


def counted(first: float, step: float) -> list[float]:
    return [first + step * at for at in range(8)]


def test_a_helper_and_a_constant() -> None:
    block = tl.constexpr(8)

    @triton.jit
    def squared(value):
        return value * value

    @triton.jit
    def kernel(out):
        at = tl.arange(0, block)
        tl.store(out + at, squared(at))

    assert stored(kernel) == [at * at for at in range(8)]


@pytest.mark.parametrize(("dtype", "expected"), [(tl.float32, 0.5), (tl.int32, 0.0), (tl.constexpr(tl.float32), 0.5)])
def test_a_parameter_of_the_function_around(dtype: Any, expected: float) -> None:
    @triton.jit
    def kernel(out):
        tl.store(out + tl.arange(0, 8), tl.full((8,), 0.5, tl.float32).to(dtype))

    assert stored(kernel) == [expected] * 8


def test_a_helper_that_is_defined_later() -> None:
    @triton.jit
    def kernel(out):
        at = tl.arange(0, 8)
        tl.store(out + at, later(at))

    with pytest.raises(Exception, match="free variable 'later'"):
        stored(kernel)

    @triton.jit
    def later(value):
        return value + 1

    assert stored(kernel) == counted(1, 1)


def test_helpers_of_helpers_and_of_functions_further_out() -> None:
    factor = tl.constexpr(3)

    def inner() -> Any:
        summand = tl.constexpr(2)

        @triton.jit
        def scaled(value):
            return value * factor

        @triton.jit
        def moved(value):
            return scaled(value) + summand

        @triton.jit
        def kernel(out):
            at = tl.arange(0, 8)
            tl.store(out + at, moved(at) * factor)

        return kernel

    assert stored(inner()) == counted(6, 9)


def test_functions_of_one_text_have_their_own_names() -> None:
    def times(number: int) -> Any:
        factor = tl.constexpr(number)

        @triton.jit
        def scaled(value):
            return value * factor

        return scaled

    twice, thrice = times(2), times(3)

    @triton.jit
    def kernel(out, last: tl.constexpr):
        at = tl.arange(0, 8)
        tl.store(out + at, twice(at) + 10 * thrice(at) + 100 * last(at))

    assert stored(kernel, times(1)) == counted(0, 132)


def test_what_triton_has_under_another_name() -> None:
    load, language, least = tl.load, tl, tl.minimum

    @triton.jit
    def largest(a, b):
        return tl.maximum(a, b)

    @triton.jit
    def kernel(out):
        at = language.arange(0, 8)
        running = tl.associative_scan(at, 0, largest)
        tl.store(out + at, load(out + at) + least(running, 8) + 1)

    assert stored(kernel) == counted(1, 1)


def test_a_name_of_its_own_hides_one_around() -> None:
    number = tl.constexpr(2)

    @triton.jit
    def doubled(value):
        return value * number

    @triton.jit
    def kernel(out):
        number = 5
        at = tl.arange(0, 8)
        tl.store(out + at, doubled(at) + number)

    assert stored(kernel) == counted(5, 2)


def test_a_name_that_no_branch_reaches_may_be_anything() -> None:
    number, wanted = 4, tl.constexpr(False)

    @triton.jit
    def kernel(out):
        at = tl.arange(0, 8)
        if wanted:
            at *= number
        tl.store(out + at, at)

    assert stored(kernel) == counted(0, 1)


def test_a_kernel_that_calls_itself_by_name() -> None:
    one = tl.constexpr(1)

    @triton.jit
    def counted_down(value, times: tl.constexpr):
        if times == 0:
            return value
        else:
            return counted_down(value + one, times - 1)

    @triton.jit
    def kernel(out):
        at = tl.arange(0, 8)
        tl.store(out + at, counted_down(at, 3))

    assert stored(kernel) == counted(3, 1)


class Sizes(NamedTuple):
    block: int


class Settings:
    block = tl.constexpr(2)


@triton.jit
def plus(value, other):
    return value + other


REFUSED = {
    "a number": 2,
    "a tuple": (1, 2),
    "a text": "relu",
    "PyTorch's type": torch.float32,
    "a named tuple": Sizes(2),
    "a class": Settings,
    "an object": Settings(),
    "a Python function": abs,
    "a function with an argument bound": functools.partial(plus, other=1),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_compiler_refuses(name: str) -> None:
    around = REFUSED[name]

    @triton.jit
    def kernel(out):
        tl.store(out, around)

    said = (
        "Unsupported function referenced"
        if callable(around) and name != "a class"
        else "Cannot access global variable around"
    )
    with pytest.raises(Exception, match=said):
        stored(kernel)


def test_nothing_is_a_constant_too() -> None:
    activation = None

    @triton.jit
    def kernel(out):
        at = tl.arange(0, 8)
        if activation is None:
            tl.store(out + at, at)

    assert stored(kernel) == counted(0, 1)


def test_a_default_is_not_looked_up_in_the_function_around() -> None:
    """The compiler evaluates a default with the names of the module, and with those around that the body uses."""
    size = tl.constexpr(8)

    @triton.jit
    def unknown(out, block: tl.constexpr = size):
        tl.store(out + tl.arange(0, block), 1.0)

    @triton.jit
    def known(out, block: tl.constexpr = size):
        tl.store(out + tl.arange(0, block), size)

    with pytest.raises(NameError, match="size is not defined for the compiler"):
        stored(unknown)
    assert stored(known) == [8.0] * 8


class Layer:
    def forward(self, out: torch.Tensor) -> torch.Tensor:
        number = tl.constexpr(3)

        @triton.jit
        def kernel(out):
            tl.store(out + tl.arange(0, 8), number)

        kernel[(1,)](out)
        return out

    @staticmethod
    def made() -> Callable[[torch.Tensor], None]:
        number = tl.constexpr(4)

        @triton.autotune([triton.Config({"N": 8})], key=[])
        @triton.heuristics({"TWICE": lambda given: 2 * given["N"]})
        @triton.jit
        def kernel(out, N: tl.constexpr, TWICE: tl.constexpr):
            tl.store(out + tl.arange(0, N), number + TWICE)

        return lambda out: kernel[(1,)](out)


def test_kernels_in_methods() -> None:
    assert Layer().forward(torch.zeros(8)).tolist() == [3.0] * 8
    out = torch.zeros(8)
    Layer.made()(out)
    assert out.tolist() == [20.0] * 8


def test_a_kernel_that_prints_runs_program_by_program(capsys: pytest.CaptureFixture[str]) -> None:
    @triton.jit
    def shown(value):
        print("value", value)

    @triton.jit
    def kernel(out):
        shown(tl.program_id(0))

    kernel[(3,)](torch.zeros(8))
    assert [line for line in capsys.readouterr().out.splitlines() if "value" in line] == [
        f"value {number}" for number in range(3)
    ]


def test_a_launch_adds_no_name_to_the_module() -> None:
    before = set(globals())

    @triton.jit
    def kernel(out, N: tl.constexpr):
        total = 0.0
        for index in range(N):
            condition = index == 2
            total += index if 0 < index < 3 and not condition else 0.5
        tl.store(out, total)

    assert stored(kernel, 4)[0] == 2.5
    assert set(globals()) == before


def test_a_condition_that_is_called_condition() -> None:
    @triton.jit
    def kernel(out, negative: tl.constexpr):
        condition = None
        if negative < 0:
            condition = 1.0
        tl.store(out, 2.0 if condition is None else condition)

    assert stored(kernel, 1)[0] == 2.0
    assert stored(kernel, -1)[0] == 1.0
