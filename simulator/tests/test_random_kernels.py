"""Random small kernels give what they give on Triton's own interpreter, bit for bit."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from triton_simulator import record

from .executors import upstream

P, N = 5, 16
_number = itertools.count()

LEAVES = st.sampled_from(["x", "y", "pid", "scale", "column", "3", "tl.num_programs(0)", "y + pid"])


def _grow(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    binary = st.builds("({} {} {})".format, parts, st.sampled_from(["+", "-", "*", "&", "|", "^"]), parts)
    divided = st.builds("({} {} 7)".format, parts, st.sampled_from(["//", "%"]))
    called = st.builds("tl.{}({}, {})".format, st.sampled_from(["minimum", "maximum"]), parts, parts)
    chosen = st.builds(
        "tl.where({} {} {}, {}, {})".format, parts, st.sampled_from(["<", "==", ">="]), parts, parts, parts
    )
    scanned = st.builds("tl.cumsum({} + column, 0)".format, parts)
    turned = st.builds("tl.sort({} + column)".format, parts)
    folded = st.builds("tl.{}({} + column, 0)".format, st.sampled_from(["sum", "max", "min", "xor_sum"]), parts)
    gathered = st.builds("tl.gather({} + column, 15 - column, 0)".format, parts)
    reshaped = st.builds("tl.reshape(tl.trans(tl.reshape({} + column, (4, 4))), (16,))".format, parts)
    cast = st.builds("({}).to(tl.{})".format, parts, st.sampled_from(["int32", "int64", "int16"]))
    return st.one_of(binary, divided, called, chosen, scanned, turned, folded, gathered, reshaped, cast)


EXPRESSIONS = st.recursive(LEAVES, _grow, max_leaves=8)

STATEMENTS = st.lists(
    st.one_of(
        st.builds("    x = {}\n".format, EXPRESSIONS),
        st.builds("    if pid % 2 == {}:\n        x = {}\n".format, st.integers(0, 1), EXPRESSIONS),
        st.builds(
            "    for i in range({}):\n        x = x + i * ({})\n".format, st.sampled_from(["2", "pid"]), EXPRESSIONS
        ),
        st.builds("    for i in range(pid, 9, 3):\n        y += {}\n".format, EXPRESSIONS),
    ),
    min_size=1,
    max_size=3,
)

KERNEL = """\
def kernel(x_ptr, y_ptr, out_ptr, scale):
    pid = tl.program_id(0)
    column = tl.arange(0, 16)
    x = tl.load(x_ptr + pid * 16 + column)
    y = tl.load(y_ptr + pid * 16 + column, mask=column < 11, other=5)
{}    tl.store(out_ptr + pid * 16 + column, (x + y + column).to(tl.int64))
"""


def compiled(source: str, folder: Path) -> Any:
    path = folder / f"kernel_{next(_number)}.py"
    path.write_text(source)
    space = {"tl": tl, "triton": triton}
    exec(compile(source, path, "exec"), space)
    return triton.jit(space["kernel"])


def tensors() -> tuple[torch.Tensor, ...]:
    generator = torch.Generator().manual_seed(0)
    x, y = (torch.randint(0, 50, (P, N), generator=generator, dtype=torch.int32) for _ in range(2))
    return x, y, torch.zeros(P, N, dtype=torch.int64)


# A sample: most of the time, a tenth of a second for each kernel, is Triton's own interpreter's.
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(STATEMENTS)
def test_a_random_kernel_gives_the_same(tmp_path_factory: pytest.TempPathFactory, statements: list[str]) -> None:
    kernel = compiled(KERNEL.format("".join(statements)), tmp_path_factory.getbasetemp())
    ours, theirs = tensors(), tensors()
    failed: Exception | None = None
    with upstream():
        try:
            kernel[(P,)](*theirs, 3)
        except Exception as error:
            failed = error
    with record() as launches:
        if failed is None:
            kernel[(P,)](*ours, 3)
            assert torch.equal(ours[2], theirs[2])
            assert not launches[0].one_by_one
        else:
            with pytest.raises(type(failed)):
                kernel[(P,)](*ours, 3)
