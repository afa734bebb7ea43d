"""An int32 of fewer bits wraps around where one of 32 would with larger tensors."""

from __future__ import annotations

import pytest
import torch
import triton
import triton.language as tl

from triton_simulator import record
from triton_simulator.values import int32

BITS = 12
STEP = 2 ** (BITS - 2) + 8
"""Elements from one row to the next: the third row begins beyond an int32 of so many bits."""


@triton.jit
def copy_rows(x_ptr, out_ptr, step, twice, WAY: tl.constexpr):
    row = tl.program_id(axis=0)
    if WAY == "int32":
        offset = row * step
    elif WAY == "added":
        offset = row * 0 + step + step * (row - 1)
    elif WAY == "back again":
        offset = (row.to(tl.int64) * step).to(tl.int32)
    elif WAY == "int64":
        offset = row.to(tl.int64) * step
    else:
        offset = row // 2 * twice + row % 2 * step
    tl.store(out_ptr + row, tl.load(x_ptr + offset))


def copied(way: str, bits: int) -> tuple[list[float], bool]:
    """The first of each of three rows, and whether all was read where it is."""
    x = torch.arange(2 * STEP + 1, dtype=torch.float32)
    out = torch.zeros(3)
    with record() as launches, int32.narrow_to(bits):
        copy_rows[(3,)](x, out, STEP, 2 * STEP, WAY=way)
    return out.tolist(), not launches[0].faults


@pytest.mark.parametrize("way", ["int32", "added", "back again", "int64", "a number that is int64"])
def test_all_rows_are_in_reach_of_32_bits(way: str) -> None:
    assert copied(way, 32) == ([0, STEP, 2 * STEP], True)


@pytest.mark.parametrize("way", ["int32", "added", "back again"])
def test_offsets_in_an_int32_of_fewer_bits_wrap_around(way: str) -> None:
    out, right = copied(way, BITS)
    assert out[:2] == [0, STEP]
    assert not right


@pytest.mark.parametrize("way", ["int64", "a number that is int64"])
def test_offsets_in_an_int64_do_not(way: str) -> None:
    assert copied(way, BITS) == ([0, STEP, 2 * STEP], True)


def test_an_int32_has_its_bits_again() -> None:
    copied("int32", BITS)
    assert copied("int32", 32)[1]
