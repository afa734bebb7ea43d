"""Slips in scripts that have nothing in common with the solution: which line is named, and what with it is right."""

from __future__ import annotations

from pathlib import Path

import pytest

from triton_workshop.checking.diagnosing.slips import KINDS, Slip, find_slip
from triton_workshop.checking.exercises import EXERCISES
from triton_workshop.checking.judging.explanations import explanations
from triton_workshop.checking.observing.source import Source

from .judging import judge_here

HEAD = "from triton_workshop import cdiv\n\nimport torch\nimport triton\nimport triton.language as tl\n\n\n"
PERSISTENT = f"""{HEAD}@triton.jit
def vadd(a, b, c, n, B: tl.constexpr):
    me = tl.program_id(0)
    blocks = tl.cdiv(n, B)
    for blk in range(me, blocks, tl.num_programs(0)):
        idx = blk * B + tl.arange(0, B)
        inside = idx < n
        tl.store(c + idx, tl.load(a + idx, mask=inside) + tl.load(b + idx, mask=inside), mask=inside)


def add(x, y):
    c = torch.empty_like(x)
    vadd[(8,)](x, y, c, x.numel(), 512)
    return c
"""
STRIDED = f"""{HEAD}@triton.jit
def spots(base, row, col, down, right):
    return base + row[:, None] * down + col[None, :] * right


@triton.jit
def mix(r, g, b, wr, wg, wb):
    return tl.minimum(wr * r + wg * g + wb * b, 1.0)


@triton.jit
def tone(src, dst, H, W, ic, ih, iw, oc, oh, ow, TH: tl.constexpr, TW: tl.constexpr):
    across = tl.cdiv(W, TW)
    tile = tl.program_id(0)
    row = (tile // across) * TH + tl.arange(0, TH)
    col = (tile % across) * TW + tl.arange(0, TW)
    inside = (row[:, None] < H) & (col[None, :] < W)
    here = spots(src, row, col, ih, iw)
    r = tl.load(here, mask=inside)
    g = tl.load(here + ic, mask=inside)
    b = tl.load(here + 2 * ic, mask=inside)
    there = spots(dst, row, col, oh, ow)
    tl.store(there, mix(r, g, b, 0.393, 0.769, 0.189), mask=inside)
    tl.store(there + oc, mix(r, g, b, 0.349, 0.686, 0.168), mask=inside)
    tl.store(there + 2 * oc, mix(r, g, b, 0.272, 0.534, 0.131), mask=inside)


def sepia(image):
    dst = torch.empty(image.shape, device=image.device)
    _, H, W = image.shape
    tone[(cdiv(H, 8) * cdiv(W, 16),)](image, dst, H, W, *image.stride(), *dst.stride(), TH=8, TW=16)
    return dst
"""
SLIPS = [
    ("1", PERSISTENT, "tl.cdiv(n, B)", "n // B", "slip-rounded"),
    ("1", PERSISTENT, "blk * B +", "blk +", "slip-factor"),
    ("1", PERSISTENT, "tl.num_programs(0)", "16", "slip-number"),
    ("1", PERSISTENT, "blocks, tl.", "blocks - 1, tl.", "slip-whole"),
    ("2b", STRIDED, "tl.cdiv(W, TW)", "tl.cdiv(H, TW)", "slip-size"),
    ("2b", STRIDED, "[None, :] * right", "[None, :]", "slip-factor"),
    ("2b", STRIDED, "0.686, 0.168), mask", "0.168, 0.686), mask", "slip-arguments"),
]
IDS = [f"{exercise}-{wrong}" for exercise, _, _, wrong, _ in SLIPS]


def _changed_line(text: str, wrong: str) -> tuple[int, str]:
    pairs = zip(text.split("\n"), wrong.split("\n"), strict=True)
    return next((number, old.strip()) for number, (old, new) in enumerate(pairs, 1) if old != new)


@pytest.mark.parametrize(("exercise", "right", "old", "new", "name"), SLIPS, ids=IDS)
def test_a_slip_is_found_on_its_line(exercise: str, right: str, old: str, new: str, name: str) -> None:
    wrong = right.replace(old, new)
    line, code = _changed_line(right, wrong)
    slip = _slip(exercise, wrong, lambda text: _plain(code) in _plain(text))
    assert slip is not None
    assert (slip.line, slip.name, _plain(slip.code)) == (line, name, _plain(code))


def _slip(exercise: str, text: str, passes: object) -> Slip | None:
    assert callable(passes)
    return find_slip(Source(Path("mine.py"), text, EXERCISES[exercise]), None, passes, passes)


def _plain(code: str) -> str:
    return code.replace(" ", "")


@pytest.mark.parametrize("number", [0, 4])
def test_what_is_right_with_it_is_the_last_hint(number: int, tmp_path: Path) -> None:
    exercise, right, old, new, name = SLIPS[number]
    line, code = _changed_line(right, right.replace(old, new))
    script = tmp_path / "mine.py"
    script.write_text(right.replace(old, new), encoding="utf-8")
    finding = judge_here(EXERCISES[exercise], script).findings[0]
    assert (finding.line, finding.hint_name) == (line, name)
    assert finding.hints[2] == f"With this instead, the result is right: {code}"


def test_what_fits_larger_cases_only_by_chance_is_no_slip() -> None:
    source = Source(Path("mine.py"), PERSISTENT.replace("blk * B +", "blk +"), EXERCISES["1"])
    assert find_slip(source, None, lambda text: True, lambda text: False) is None


def test_the_line_where_it_was_noticed_is_tried_first() -> None:
    tried: list[str] = []
    source = Source(Path("mine.py"), PERSISTENT, EXERCISES["1"])
    noticed = next(number for number, line in enumerate(source.lines, 1) if "inside = " in line)
    find_slip(source, noticed, lambda text: bool(tried.append(text)), lambda text: False)
    others = [_changed_line(PERSISTENT, text)[0] for text in tried]
    assert set(others[: others.count(noticed)]) == {noticed}


def test_a_line_of_the_solution_and_what_keeps_a_loop_going_stay_as_they_are() -> None:
    tried: list[str] = []
    for exercise in ("1", "4"):
        solution = EXERCISES[exercise].solution
        source = Source(Path("mine.py"), solution, EXERCISES[exercise])
        assert find_slip(source, None, lambda text: bool(tried.append(text)), lambda text: True) is None
    assert tried == []
    source = Source(Path("mine.py"), PERSISTENT, EXERCISES["1"])
    find_slip(source, None, lambda text: bool(tried.append(text)), lambda text: True)
    assert all("tl.num_programs(0)):" in text for text in tried)


def test_each_kind_has_a_question_and_an_idea() -> None:
    assert [len(explanations()[f"slip-{kind}"].hints) for kind in KINDS] == [2] * len(KINDS)
