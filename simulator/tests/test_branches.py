"""Which branches a kernel and its launcher are seen to take."""

from __future__ import annotations

import functools
import inspect
from pathlib import Path
from typing import Any

import torch
import triton
import triton.language as tl

from triton_simulator.branches import instrument, record_branches

TEXT = """
import functools


def size_for(n):
    pick = lambda n: 1 if n < 5 else 2
    while n > 100:
        n //= 2
    return pick(n)


@functools.lru_cache
def kept(n):
    if n:
        return 1
    return 0


@functools.wraps(size_for)
def outer(n):
    return size_for(n)
"""


@triton.jit
def kernel(x_ptr, output_ptr, n, TWICE: tl.constexpr):
    pid = tl.program_id(0)
    x = tl.load(x_ptr + pid)
    if pid * 2 < n:
        x += 1
    if TWICE:
        x *= 2
    left = n
    while left > 3:
        left -= 3
    tl.store(output_ptr + pid, x if n > 2 else -x)


def test_programs_that_disagree_take_both_branches() -> None:
    x = torch.arange(4.0)
    output = torch.empty_like(x)
    with record_branches() as taken:
        kernel[(4,)](x, output, 4, TWICE=False)
    first = inspect.getsourcelines(kernel.fn)[1]
    ways = {(branch.line - first, branch.condition, branch.taken) for branch in taken if branch.file == __file__}
    assert ways == {
        (4, "pid * 2 < n", True),
        (4, "pid * 2 < n", False),
        (6, "TWICE", False),
        (9, "left > 3", True),
        (9, "left > 3", False),
        (11, "n > 2", True),
    }
    assert output.tolist() == [1, 2, 2, 3]


def test_nothing_is_told_unless_somebody_asks() -> None:
    x = torch.arange(4.0)
    with record_branches() as taken:
        pass
    kernel[(4,)](x, torch.empty_like(x), 4, TWICE=False)
    assert not taken


def test_functions_tell_and_compute_what_they_did(tmp_path: Path) -> None:
    file = str(tmp_path / "script.py")
    space: dict[str, Any] = {}
    exec(compile(TEXT, file, "exec", dont_inherit=True), space)
    instrument(space, TEXT, file)
    with record_branches() as taken:
        assert [space["size_for"](2), space["outer"](1000), space["kept"](1)] == [1, 2, 1]
    ways = {(branch.condition, branch.taken) for branch in taken if branch.file == file}
    assert ways == {("n < 5", True), ("n < 5", False), ("n > 100", True), ("n > 100", False), ("n", True)}
    assert isinstance(space["kept"], functools._lru_cache_wrapper)
