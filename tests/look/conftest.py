"""A script with two kernels, and its recording in another process."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from triton_workshop.look.recorder import record_script
from triton_workshop.look.recording import Recording, Request
from triton_workshop.processes.runner import Runner

SCRIPT = textwrap.dedent(
    """
    from triton_workshop import DEVICE

    import torch
    import triton
    import triton.language as tl


    @triton.jit
    def doubled(x):
        return 2 * x


    @triton.jit
    def tile_kernel(x_ptr, out_ptr, rows, columns, B: tl.constexpr):
        row = tl.program_id(0) * B + tl.arange(0, B)
        total = tl.zeros((B, B), tl.float32)
        for step in range(0, columns, B):
            column = step + tl.arange(0, B)
            mask = (row[:, None] < rows) & (column[None, :] < columns)
            tile = tl.load(x_ptr + row[:, None] * columns + column[None, :], mask=mask)
            total += doubled(tile)
        tl.store(out_ptr + tl.program_id(0), tl.sum(total))


    @triton.jit
    def count_kernel(out_ptr, n, B: tl.constexpr):
        offsets = tl.program_id(0) * B + tl.arange(0, B)
        tl.store(out_ptr + offsets, offsets)


    print("hello")
    x = torch.arange(60, dtype=torch.float32).view(6, 10)
    tile_kernel[(2,)](x, torch.empty(2), 6, 10, B=4)
    """
).lstrip()
WITH_FAULT = SCRIPT + "count_kernel[(3,)](torch.empty(10, dtype=torch.int32), 10, B=4)\n"

Record = Callable[[Request], Recording]


@pytest.fixture(scope="session")
def record() -> Iterator[Record]:
    with Runner() as runner, Path(os.devnull).open("wb") as null:
        yield lambda request: record_script(request, runner, null.fileno())


def line_of(text: str, code: str = SCRIPT) -> int:
    """The number of the line that has this text."""
    return next(number for number, line in enumerate(code.splitlines(), 1) if text in line)


@pytest.fixture(scope="session")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("look") / "script.py"


@pytest.fixture(scope="session")
def recording(record: Record, file: Path) -> Recording:
    return record(Request(file, SCRIPT))


@pytest.fixture(scope="session")
def with_fault(record: Record, file: Path) -> Recording:
    return record(Request(file, WITH_FAULT))
