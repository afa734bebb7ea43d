"""A pointer is true where its address is not 0, as Triton's compiler asks; an address with a type is a pointer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
import torch
import triton
import triton.language as tl

from triton_simulator import record

from .executors import P


@triton.jit
def conditions(x_ptr, flags_ptr, out_ptr, FORM: tl.constexpr):
    pid = tl.program_id(0)
    flag = tl.load(flags_ptr + pid) != 0
    result = 0
    if FORM == "if":
        if x_ptr:
            result = 1
    elif FORM == "not":
        result = 0 if not x_ptr else 1
    elif FORM == "and":
        if x_ptr and flag:
            result = 1
    elif FORM == "or":
        if x_ptr or flag:
            result = 1
    elif FORM == "conditional":
        result = 1 if x_ptr else 2
    elif FORM == "while":
        while x_ptr and result < 3:
            result += 1
    elif FORM == "is None":
        result = 2 if x_ptr is None else 1
    elif FORM == "offset":
        if x_ptr + pid:
            result = 1
    elif FORM == "where":
        result = tl.where(x_ptr, 1, 2)
    elif FORM == "block":
        result = tl.sum(tl.where(x_ptr + tl.arange(0, 4), 1, 2), 0)
    elif FORM == "int1":
        result = x_ptr.to(tl.int1).to(tl.int32)
    elif FORM == "assert":
        tl.device_assert(x_ptr, "no address")
        assert x_ptr
        result = 1
    tl.store(out_ptr + pid, result)


EXPECTED = {
    "if": [1] * P,
    "not": [1] * P,
    "and": [0, 1, 0, 1, 0],
    "or": [1] * P,
    "conditional": [1] * P,
    "while": [3] * P,
    "is None": [1] * P,
    "offset": [1] * P,
    "where": [1] * P,
    "block": [4] * P,
    "int1": [1] * P,
    "assert": [1] * P,
}


@pytest.mark.parametrize("form", EXPECTED)
def test_a_pointer_to_a_tensor_is_true(form: str) -> None:
    flags = torch.tensor([0, 1, 0, 1, 0], dtype=torch.int32)
    out = torch.zeros(P, dtype=torch.int32)
    conditions[(P,)](torch.zeros(P), flags, out, FORM=form)
    assert out.tolist() == EXPECTED[form]


@triton.jit
def optional(x_ptr, out_ptr):
    pid = tl.program_id(0)
    result = 1
    if x_ptr is None:
        result = 2
    if not x_ptr:
        result += 10
    if x_ptr or pid == 0:
        result += 100
    tl.store(out_ptr + pid, result)


@pytest.mark.parametrize(("argument", "expected"), [(None, [112, 12, 12]), (torch.zeros(1), [101, 101, 101])])
def test_an_argument_that_is_none_is_a_constant(argument: Any, expected: list[int]) -> None:
    out = torch.zeros(3, dtype=torch.int32)
    optional[(3,)](argument, out)
    assert out.tolist() == expected


@triton.jit
def nowhere(addresses_ptr, out_ptr):
    pid = tl.program_id(0)
    pointer = tl.load(addresses_ptr + pid).to(tl.pointer_type(tl.float32))
    if pointer:
        tl.store(out_ptr + pid, tl.load(pointer))
    else:
        tl.store(out_ptr + pid, -1.0)


def test_an_address_of_zero_is_false() -> None:
    x = torch.tensor([7.0])
    out = torch.zeros(4)
    nowhere[(4,)](torch.tensor([0, x.data_ptr(), 0, x.data_ptr()]), out)
    assert out.tolist() == [-1, 7, -1, 7]


@triton.jit
def through_a_block(table_ptr, out_ptr, SHAPE: tl.constexpr):
    pid = tl.program_id(0)
    at = tl.arange(0, SHAPE)
    pointers = tl.load(table_ptr + pid + at).to(tl.pointer_type(tl.int32))
    tl.store(out_ptr + pid * SHAPE + at, tl.load(pointers + 1))


@pytest.mark.parametrize("size", [1, 2])
def test_a_block_of_pointers_is_loaded_from_memory(size: int) -> None:
    tensors = [torch.tensor([0, 10 * i], dtype=torch.int32) for i in range(4)]
    table = torch.tensor([tensor.data_ptr() for tensor in tensors])
    out = torch.zeros(3 * size, dtype=torch.int32)
    through_a_block[(3,)](table, out, SHAPE=size)
    assert out.tolist() == [10 * (pid + i) for pid in range(3) for i in range(size)]


@triton.jit
def addresses_kept(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    pointers = tl.load(x_ptr + at).to(tl.pointer_type(tl.int32))
    tl.store(out_ptr + at, tl.where(at % 2 == 0, pointers, pointers + 1).to(tl.int64))


def test_an_address_stays_the_same_wherever_it_points() -> None:
    x = torch.tensor([0, 1, -1, 6, 2**40 + 3, -(2**40), 2**62 + 1, 77])
    out = torch.zeros_like(x)
    addresses_kept[(2,)](x, out, N=4)
    assert torch.equal(out, x + torch.tensor([0, 4]).repeat(4))


@triton.jit
def odd_addresses(x_ptr, out_ptr):
    pid = tl.program_id(0)
    wide = (x_ptr + pid).to(tl.pointer_type(tl.int32), bitcast=True)
    tl.store(out_ptr + pid, (wide + 1).to(tl.int64) - x_ptr.to(tl.int64))


def test_an_address_in_the_middle_of_an_element_is_kept() -> None:
    out = torch.zeros(8, dtype=torch.int64)
    odd_addresses[(8,)](torch.zeros(64, dtype=torch.int8), out)
    assert out.tolist() == [pid + 4 for pid in range(8)]


@triton.jit
def by_truth(x_ptr, out_ptr):
    pid = tl.program_id(0)
    number = tl.load(x_ptr + pid)
    result = 2.0
    if number:
        result = 1.0
    tl.store(out_ptr + pid, result)


def test_a_number_is_true_where_it_is_not_zero() -> None:
    x = torch.tensor([0.0, -0.0, 0.5, float("nan"), float("inf"), 1e-40])
    out = torch.zeros(6)
    by_truth[(6,)](x, out)
    assert out.tolist() == [2, 2, 1, 1, 1, 1]


@triton.jit
def shows(x_ptr):
    tl.device_print("", x_ptr + 1)
    print(f"{x_ptr + 1}")


def test_a_pointer_is_shown_as_its_address(capsys: pytest.CaptureFixture[str]) -> None:
    x = torch.zeros(4)
    shows[(1,)](x)
    assert [int(line.split()[-1]) for line in capsys.readouterr().out.splitlines()] == [x.data_ptr() + 4] * 2


@triton.jit
def chooses_a_pointer(decide_ptr, x_ptr, y_ptr, out_ptr, n):
    i = tl.arange(0, 8)
    decide = tl.load(decide_ptr + i, mask=i < n)
    pointers = tl.where(decide, x_ptr + i, y_ptr + i)
    tl.store(out_ptr + i, tl.load(pointers, mask=i < n), mask=i < n)


def test_an_undefined_condition_may_choose_pointers_that_are_not_used() -> None:
    out = torch.zeros(8)
    chooses_a_pointer[(1,)](torch.tensor([True, False] * 4), torch.ones(8), torch.full((8,), 2.0), out, 5)
    assert out.tolist() == [1, 2, 1, 2, 1, 0, 0, 0]


@dataclass(frozen=True)
class Buffer:
    """What Triton takes for a pointer: an address, and the type of what is there."""

    tensor: torch.Tensor

    @property
    def dtype(self) -> torch.dtype:
        return self.tensor.dtype

    def data_ptr(self) -> int:
        return self.tensor.data_ptr()


@triton.jit
def doubles(x_ptr, out_ptr, n):
    at = tl.arange(0, 16)
    tl.store(out_ptr + at, 2 * tl.load(x_ptr + at), mask=at < n)


def test_an_argument_may_be_an_address_and_a_type() -> None:
    x, out = torch.rand(16, dtype=torch.float16), torch.zeros(12)
    doubles[(1,)](Buffer(x), Buffer(out), 12)
    assert torch.equal(out, 2 * x[:12].float())
    with record() as launches:
        doubles[(1,)](Buffer(x), Buffer(out), 16)
    assert launches[0].faults[0].summary == "program 0 wrote out_ptr[12..15], but out_ptr has 12 elements"
