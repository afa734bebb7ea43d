"""print_if, and the debug mode that importing its module turns on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.conftest import RunPython

_before = dict(os.environ)
from triton_workshop.utils_debug import print_if  # noqa: E402

# Importing it has set TRITON_INTERPRET, as it should: but not for the tests after these.
os.environ.clear()
os.environ.update(_before)

PRINTED = (
    ((0,), "<3", True), ((2,), "<3", True), ((3,), "<3", False), ((3,), "<=3", True), ((3,), ">3", False),
    ((3,), ">=3", True), ((3,), "=3", True), ((3,), "!=3", False), ((3,), " != 4 ", True), ((0, 2), "=0,>=2", True),
    ((0, 1), "=0,>=2", False), ((1, 2), "=0,>=2", False), ((9, 2), ",>=2", True), ((0, 9), "=0", True),
    ((0, 1, 2), "=0,=1,=2", True), ((0, 1, 3), "=0,=1,=2", False), (([1],), "=1", True), (([1], [2]), "=1,=1", False),
)  # fmt: skip


@pytest.mark.parametrize(("pids", "conditions", "printed"), PRINTED)
def test_print_if_prints_where_every_condition_holds(
    capsys: pytest.CaptureFixture[str], pids: tuple[int, ...], conditions: str, printed: bool
) -> None:
    print_if("here", *pids, conditions=conditions)
    assert capsys.readouterr().out == ("here\n" if printed else "")


@pytest.mark.parametrize("condition", ["3", "<", "=>3", "==3", "< 3.5", "pid<3", "<3;>1"])
def test_a_malformed_condition_is_quoted_with_the_operators(condition: str) -> None:
    with pytest.raises(ValueError, match="malformed") as error:
        print_if("here", 0, conditions=condition)
    assert repr(condition) in str(error.value)
    assert "< <= > >= = !=" in str(error.value)


def test_a_condition_without_a_program_id_is_refused() -> None:
    with pytest.raises(ValueError, match=r"expected 2 program ids, .* '=0,=1', got 1"):
        print_if("here", 0, conditions="=0,=1")


def test_a_block_is_no_program_id() -> None:
    with pytest.raises(ValueError, match="got 2"):
        print_if("here", [0, 1])


KERNEL = """
from triton_workshop.utils_debug import cdiv, print_if
import torch
import triton
import triton.language as tl

@triton.jit
def kernel(output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    print_if(f"program {pid} has {offsets}", pid, conditions=">0")
    print_if(f"in a list {pid}", [pid], conditions="=1")
    tl.store(output_ptr + offsets, offsets, mask=offsets < n_elements)

output = torch.zeros(6, dtype=torch.int32)
kernel[(cdiv(6, 4),)](output, 6, BLOCK_SIZE=4)
print(output.tolist())
"""


def test_inside_a_kernel_print_if_shows_the_program_that_was_asked_for(run_forked: RunPython, tmp_path: Path) -> None:
    script = tmp_path / "kernel.py"
    script.write_text(KERNEL)
    result = run_forked(script)
    assert result.stderr == ""
    assert result.stdout.splitlines() == ["program 1 has [4 5 6 7]", "in a list 1", "[0, 1, 2, 3, 4, 5]"]
