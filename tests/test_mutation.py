"""The mutants of a script: what each kind of edit makes, the same every time, and never what was edited."""

from __future__ import annotations

import ast
import random

import pytest

from benchmarks.mutation import Mutant, Script, edits, mutants, pairs, some
from benchmarks.mutation.kinds import Kinds

SCRIPT = '''\
"""Sums up 3 and 4 × 5."""

import triton.language as tl


@triton.jit
def kernel(x_ptr, y_ptr, n, stride, BLOCK: tl.constexpr, OTHER: tl.constexpr):
    """Add 1 and 2."""
    rows = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, OTHER), dtype=tl.float32)
    for k in range(n):
        x = tl.load(x_ptr + rows[:, None] * stride, mask=rows < n, other=0.0)
        total += x
    tl.store(y_ptr + rows, total, mask=rows < n, eviction_policy="evict_first")


def launch(x):
    check_tensors_gpu_ready(x, shapes="n 3")
    assert x.ndim == 2, f"expected 2, got {x.ndim}"
    y = torch.empty(x.shape, device=x.device)
    kernel[(cdiv(len(x), 16),)](x, y, len(x), x.stride(0), 16, OTHER=32, num_warps=4)
    return y


CHECKED = 1 + 1
'''
EDITS = {
    ("operator", "total += x", "total = x"),
    ("operator", "rows = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)",
     "rows = tl.program_id(axis=0) * BLOCK - tl.arange(0, BLOCK)"),
    ("constant", "rows = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)",
     "rows = tl.program_id(axis=1) * BLOCK + tl.arange(0, BLOCK)"),
    ("name", "rows = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)",
     "rows = tl.program_id(axis=0) * OTHER + tl.arange(0, BLOCK)"),
    ("name", "x = tl.load(x_ptr + rows[:, None] * stride, mask=rows < n, other=0.0)",
     "x = tl.load(x_ptr + rows[:, None] * n, mask=rows < n, other=0.0)"),
    ("function", "total = tl.zeros((BLOCK, OTHER), dtype=tl.float32)",
     "total = tl.zeros((BLOCK, OTHER), dtype=tl.float16)"),
    ("function", "kernel[(cdiv(len(x), 16),)](x, y, len(x), x.stride(0), 16, OTHER=32, num_warps=4)",
     "kernel[(((len(x)) // (16)),)](x, y, len(x), x.stride(0), 16, OTHER=32, num_warps=4)"),
    ("order", "total = tl.zeros((BLOCK, OTHER), dtype=tl.float32)",
     "total = tl.zeros((OTHER, BLOCK), dtype=tl.float32)"),
    ("order", "kernel[(cdiv(len(x), 16),)](x, y, len(x), x.stride(0), 16, OTHER=32, num_warps=4)",
     "kernel[(cdiv(len(x), 16),)](y, x, len(x), x.stride(0), 16, OTHER=32, num_warps=4)"),
    ("order", "x = tl.load(x_ptr + rows[:, None] * stride, mask=rows < n, other=0.0)",
     "x = tl.load(x_ptr + rows[None, :] * stride, mask=rows < n, other=0.0)"),
    ("dropped line", "total += x", "pass"),
    ("moved line", "x = tl.load(x_ptr + rows[:, None] * stride, mask=rows < n, other=0.0) ⏎ total += x",
     "total += x ⏎ x = tl.load(x_ptr + rows[:, None] * stride, mask=rows < n, other=0.0)"),
    ("moved line", '    total += x ⏎ tl.store(y_ptr + rows, total, mask=rows < n, eviction_policy="evict_first")',
     'total += x ⏎ tl.store(y_ptr + rows, total, mask=rows < n, eviction_policy="evict_first")'),
    ("moved line", "x = tl.load(x_ptr + rows[:, None] * stride, mask=rows < n, other=0.0) ⏎ total += x",
     "    x = tl.load(x_ptr + rows[:, None] * stride, mask=rows < n, other=0.0) ⏎ total += x"),
    ("dropped argument", "x = tl.load(x_ptr + rows[:, None] * stride, mask=rows < n, other=0.0)",
     "x = tl.load(x_ptr + rows[:, None] * stride, other=0.0)"),
    ("dropped argument", "y = torch.empty(x.shape, device=x.device)", "y = torch.empty(x.shape)"),
    ("dropped operand", "rows = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)",
     "rows = (tl.program_id(axis=0) * BLOCK)"),
    ("dropped call", "kernel[(cdiv(len(x), 16),)](x, y, len(x), x.stride(0), 16, OTHER=32, num_warps=4)",
     "kernel[((len(x)),)](x, y, len(x), x.stride(0), 16, OTHER=32, num_warps=4)"),
}  # fmt: skip
"""An operator, a line, and what the operator makes of it."""
MUTANTS = mutants(Script(SCRIPT))


@pytest.mark.parametrize(("operator", "old", "new"), sorted(EDITS))
def test_an_operator_makes_of_a_line(operator: str, old: str, new: str) -> None:
    made = [(mutant.edits[0].operator, *mutant.changes[0]) for mutant in MUTANTS]
    assert (operator, old, new) in made


def test_every_kind_of_edit_has_an_example() -> None:
    assert {edit.operator for edit in edits(Script(SCRIPT))} == {operator for operator, _, _ in EDITS}


@pytest.mark.parametrize(
    "left_alone",
    [
        "Sums up 3 and 4 × 5.",
        '"""Add 1 and 2."""',
        'check_tensors_gpu_ready(x, shapes="n 3")',
        'assert x.ndim == 2, f"expected 2, got {x.ndim}"',
        'eviction_policy="evict_first"',
        "num_warps=4",
        "CHECKED = 1 + 1",
        "def kernel(x_ptr, y_ptr, n, stride, BLOCK: tl.constexpr, OTHER: tl.constexpr):",
    ],
)
def test_what_no_case_is_about_is_left_alone(left_alone: str) -> None:
    texts = [mutant.text for mutant in MUTANTS if mutant.edits[0].operator != "dropped line"]
    assert all(left_alone in text for text in texts if "kernel[" in text)


def test_no_mutant_is_what_was_edited_nor_another_one() -> None:
    texts = [mutant.text for mutant in MUTANTS]
    trees = {ast.dump(ast.parse(text)) for text in texts}
    assert len(trees) == len(texts)
    assert ast.dump(ast.parse(SCRIPT)) not in trees


def test_mutants_are_the_same_every_time() -> None:
    def texts() -> list[str]:
        script, chance = Script(SCRIPT), random.Random("1b")
        every = mutants(script)
        return [mutant.text for mutant in (*every, *some(script, 20, chance), *pairs(every, 20, chance))]

    assert texts() == texts()


def test_pairs_have_two_edits_apart_from_each_other() -> None:
    two = pairs(MUTANTS, 50, random.Random(0))
    assert len(two) == 50
    for mutant in two:
        first, second = mutant.edits
        assert first.end <= second.start
        assert len(mutant.changes) == 2


def test_overlapping_edits_are_refused() -> None:
    script = Script(SCRIPT)
    edit = edits(script)[0]
    with pytest.raises(ValueError, match="overlap"):
        script.edited(edit, edit)


def test_names_are_of_one_kind_if_they_are_made_alike() -> None:
    kernel, launcher = Script(SCRIPT).functions
    assert Kinds(kernel).found == {
        "x_ptr": "pointer",
        "y_ptr": "pointer",
        "n": "number",
        "stride": "number",
        "BLOCK": "block",
        "OTHER": "block",
        "rows": "offsets",
        "total": "values",
        "k": "index",
        "x": "values",
    }
    assert Kinds(launcher).found == {"x": "tensor", "y": "tensor"}


def test_statements_that_commute_stay_in_their_order() -> None:
    script = Script("def launch():\n    a = one()\n    b = two()\n    return a + b\n")
    moved = [mutant.text for mutant in mutants(script) if mutant.edits[0].operator == "moved line"]
    assert moved == ["def launch():\n    a = one()\n    return a + b\n    b = two()\n"]


def test_what_nothing_reads_is_left_alone() -> None:
    script = Script("@triton.jit\ndef helper(x):\n    return x + 1\n\n\ndef add(x):\n    n = 1 + 2\n    return x\n")
    assert [edit.operator for edit in edits(script)] == ["dropped line"]


def test_columns_are_counted_in_characters_beside_other_alphabets() -> None:
    script = Script('def kernel():\n    ä = "×"; return 1 + 2\n')
    assert Mutant(script, (edits(script)[0],)).text == 'def kernel():\n    ä = "×"; return 1 - 2\n'
