"""Python's own words in a kernel mean what Triton's compiler takes them for."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from triton.runtime.errors import InterpreterError

from triton_workshop.simulator import record


@triton.jit
def clips_by_builtins(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    at = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0.0)
    length = min(n - pid * BLOCK, BLOCK)
    tl.store(out_ptr + at, min(max(x, 0.25), 0.75) * length * max(1, 2), mask=at < n)


def test_min_and_max_of_blocks_go_element_by_element() -> None:
    x, out = torch.rand(1000), torch.empty(1000)
    with record() as launches:
        clips_by_builtins[(4,)](x, out, 1000, BLOCK=256)
    length = torch.full((1000,), 256.0)
    length[768:] = 232
    torch.testing.assert_close(out, x.clamp(0.25, 0.75) * length * 2)
    assert not launches[0].faults
    assert not launches[0].one_by_one


@triton.jit
def asserts(x_ptr, n):
    x = tl.load(x_ptr + tl.arange(0, 4))
    assert x >= 0, "x"
    assert n == 4


@triton.jit
def branches_on_a_block(x_ptr, n):
    x = tl.load(x_ptr + tl.arange(0, 4))
    if x > 0:
        tl.store(x_ptr + tl.arange(0, 4), x)


@triton.jit
def chooses_by_a_block(x_ptr, n):
    x = tl.load(x_ptr + tl.arange(0, 4))
    tl.store(x_ptr + tl.arange(0, 4), x if x > 0 else -x)


def test_a_block_may_be_asserted() -> None:
    asserts[(1,)](torch.ones(4), 4)


@pytest.mark.parametrize("kernel", [branches_on_a_block, chooses_by_a_block])
def test_a_block_decides_no_branch(kernel: Any) -> None:
    """Triton's compiler refuses it; its interpreter goes on as if it were true."""
    with pytest.raises(InterpreterError, match=r"block of shape \(4,\) is neither true nor false"):
        kernel[(1,)](torch.ones(4), 4)
