"""Wrong scripts in styles of their own: their lines are known by the numbers that they compute."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.tests.tables import SLOW_EVERY
from triton_workshop.checking.diagnosing.sight import with_sizes
from triton_workshop.checking.diagnosing.tries import Tries
from triton_workshop.exercises import EXERCISES

from ..exercises.right import right_scripts
from .judging import judge_here

MISTAKES = [
    ("3-two-while-loops", "w_ptr + i * K + j", "w_ptr + (K - 1 - i) * K + K - 1 - j", "filter-flipped"),
    ("1b-programs-that-walk", "a * x + y, mask", "x + y, mask", "factor-forgotten"),
    ("5-a-while-loop-and-the-helper", "s * tl.exp(m - new) + tl.sum", "s + tl.sum", "sum-not-rescaled"),
    (
        "5b-base-two-and-a-pair-for-each-lane",
        "tl.where(cols == target, grad, 0.0)",
        "tl.where(cols == target, 1.0, 0.0)",
        "grad-of-one-part",
    ),
    ("5c-as-in-tritons-tutorial", "tl.sum(_var, axis=0) / N", "tl.sum(_var, axis=0) / (N - 1)", "one-fewer"),
    ("6-all-keys-at-once", "tl.dot(q, kt) * scale, -float", "tl.dot(q, kt), -float", "scale-missing"),
    ("6-strides-like-in-papers", "l_i = l_i * alpha + l_ij", "l_i = l_i + l_ij", "slip-rescaled"),
    ("6b-longest-rows-first-on-one-axis", "rm[:, None] < rn", "rm[:, None] <= rn", "does-not-see-itself"),
    ("6c-words-of-eight-weights", "& 0xF) - 8", "& 0xF) - 7", "another-number-subtracted"),
    (
        "6c-small-blocks-along-k",
        "packed & 0x0F, (packed & 0xF0) >> 4",
        "(packed & 0xF0) >> 4, packed & 0x0F",
        "halves-swapped",
    ),
]
MISTAKES += [("5-the-whole-row-at-once", "lse = m + tl.log", "lse = tl.log", "maximum-not-added-back")]
ELSEWHERE = [
    ("5-the-whole-row-at-once", "lse = m + tl.log", "lse = tl.log", "maximum-not-added-back", "`lse` on line 13"),
]
"""A line that has no like in the solution: a hint says where to look."""


def _wrong(name: str, old: str, new: str) -> str:
    text = next(each.source for each in right_scripts(name.partition("-")[0]) if each.name == name)
    assert text.count(old) == 1
    return text.replace(old, new)


@pytest.mark.parametrize(
    ("name", "old", "new", "hint"), MISTAKES[::SLOW_EVERY], ids=[name for name, *_ in MISTAKES[::SLOW_EVERY]]
)
def test_a_mistake_is_known_by_its_numbers(name: str, old: str, new: str, hint: str, tmp_path: Path) -> None:
    script = tmp_path / "mine.py"
    script.write_text(_wrong(name, old, new), encoding="utf-8")
    [finding, *_] = judge_here(EXERCISES[name.partition("-")[0]], script).findings
    assert finding.hint_name == hint
    assert new in finding.source


@pytest.mark.parametrize(("name", "old", "new", "hint", "place"), ELSEWHERE, ids=[row[0] for row in ELSEWHERE])
def test_a_line_that_only_uses_wrong_numbers_is_not_blamed(
    name: str, old: str, new: str, hint: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Tries, "passing", lambda _tries, _changes, _case: iter(()))  # no slip, which has its own line
    script = tmp_path / "mine.py"
    script.write_text(_wrong(name, old, new), encoding="utf-8")
    [finding, *_] = judge_here(EXERCISES[name.partition("-")[0]], script).findings
    assert (finding.hint_name, finding.line) == (hint, None)
    assert place in finding.hints[-1]


def test_the_solution_gets_the_tile_sizes_of_a_script() -> None:
    text = with_sizes(EXERCISES["6"].solution, {"BLOCK_SIZE_N": 16})
    assert "BLOCK_SIZE_M, BLOCK_SIZE_N = 64, 16\n" in text
