"""Slips in scripts that have nothing in common with the solution: which line is named, and what with it is right."""

from __future__ import annotations

import ast
import io
import re
from pathlib import Path

import pytest
from rich.console import Console

from triton_workshop.checking.check import CheckRequest, verdicts
from triton_workshop.checking.diagnosing.changes import changes_in
from triton_workshop.checking.diagnosing.slips import KINDS, Slip, find_slip, likely_changes
from triton_workshop.checking.diagnosing.tries import Tries
from triton_workshop.checking.judging.explanations import explanations
from triton_workshop.checking.observing.source import Source
from triton_workshop.checking.reporting.report import print_verdicts
from triton_workshop.exercises import EXERCISES

from ..exercises.right import right_scripts
from .judging import judge_here

HEAD = "from triton_workshop import cdiv\n\nimport torch\nimport triton\nimport triton.language as tl\n\n\n"
SCALED = f"""{HEAD}@triton.jit
def saxpy(alpha, x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    ids = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = ids < n
    xs = tl.load(x_ptr + ids, mask=keep, other=0.0)
    ys = tl.load(y_ptr + ids, mask=keep, other=0.0)
    tl.store(z_ptr + ids, xs * alpha + ys, mask=keep)


def axpy(a, x, y):
    z = torch.empty_like(y)
    n = z.numel()
    saxpy[lambda meta: (cdiv(n, meta["BLOCK"]),)](a, x, y, z, n, BLOCK=256)
    return z
"""
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
UNPACKED = STRIDED.replace("    _, H, W", "    sc, sh, sw = image.stride()\n    _, H, W").replace(
    "*image.stride()", "sc, sh, sw"
)
OUTER = f"""{HEAD}@triton.jit
def softmax_rows(src, dst, M, N, sm, sn, dm, dn, ROWS: tl.constexpr, COLS: tl.constexpr):
    start = tl.program_id(0) * ROWS
    r = start + tl.arange(0, ROWS)[:, None]
    c = tl.arange(0, COLS)[None, :]
    ok = (r < M) & (c < N)
    x = tl.load(src + r * sm + c * sn, mask=ok, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=1, keep_dims=True))
    total = tl.sum(e, axis=1, keep_dims=True)
    where = dst + r * dm + c * dn
    tl.store(where, e / total, mask=ok)
"""
PIECES = f"""{HEAD}@triton.jit
def add_tiles(a_ptr, b_ptr, c_ptr, count, ROWS: tl.constexpr, LANES: tl.constexpr):
    tile = tl.program_id(0)
    rows = tl.arange(0, ROWS)
    lanes = tl.arange(0, LANES)
    where = tile * ROWS * LANES + rows[:, None] * LANES + lanes[None, :]
    a = tl.load(a_ptr + where, mask=where < count)
    b = tl.load(b_ptr + where, mask=where < count)
    tl.store(c_ptr + where, a + b, mask=where < count)


def add(x, y):
    total = torch.empty_like(x)
    add_tiles[(triton.cdiv(x.numel(), 1024),)](x, y, total, x.numel(), ROWS=8, LANES=128)
    return total
"""
BLURRED = f"""{HEAD}@triton.jit
def blur(src, wts, dst, h, w, K: tl.constexpr, TH: tl.constexpr, TW: tl.constexpr):
    nw = tl.cdiv(w, TW)
    nh = tl.cdiv(h, TH)
    pid = tl.program_id(0)
    ch = pid // (nw * nh)
    y = pid // nw % nh * TH + tl.arange(0, TH)[:, None]
    x = pid % nw * TW + tl.arange(0, TW)[None, :]
    total = tl.zeros((TH, TW), dtype=tl.float32)
    for i in range(K):
        yy = y + i - K // 2
        for j in range(K):
            xx = x + j - K // 2
            legal = (yy >= 0) & (yy < h) & (xx < w) & (xx >= 0)
            total += tl.load(src + ch * h * w + yy * w + xx, mask=legal, other=0.0) * tl.load(wts + j + i * K)
    tl.store(dst + ch * h * w + y * w + x, total, mask=(y < h) & (x < w))


def conv2d(image, weight):
    dst = torch.empty_like(image)
    c, h, w = image.shape
    blur[(c * triton.cdiv(h, 8) * triton.cdiv(w, 16),)](image, weight, dst, h, w, weight.shape[0], 8, 16)
    return dst
"""
DENSE = f"""{HEAD}@triton.jit
def dense(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row = tl.program_id(1) * BM + tl.arange(0, BM)
    col = tl.program_id(0) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for done in range(0, K, BK):
        k = done + tl.arange(0, BK)
        a = tl.load(a_ptr + row[:, None] * K + k[None, :], mask=(row[:, None] < M) & (k[None, :] < K), other=0.0)
        b = tl.load(b_ptr + k[:, None] * N + col[None, :], mask=(k[:, None] < K) & (col[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc=acc, input_precision='ieee')
    ok = (row[:, None] < M) & (col[None, :] < N)
    tl.store(c_ptr + row[:, None] * N + col[None, :], acc.to(c_ptr.dtype.element_ty), mask=ok)
"""
PACKED = next(script.source for script in right_scripts("6c") if script.name == "6c-words-of-eight-weights")
SLIPS = [
    ("1", PERSISTENT, "tl.cdiv(n, B)", "n // B", "slip-rounded"),
    ("1", PERSISTENT, "blk * B +", "blk +", "slip-factor"),
    ("1", PERSISTENT, "tl.num_programs(0)", "16", "slip-number"),
    ("1", PERSISTENT, "blocks, tl.", "blocks - 1, tl.", "slip-whole"),
    ("2b", STRIDED, "tl.cdiv(W, TW)", "tl.cdiv(H, TW)", "slip-size"),
    ("2b", STRIDED, "[None, :] * right", "[None, :]", "slip-factor"),
    ("2b", STRIDED, "0.686, 0.168), mask", "0.168, 0.686), mask", "slip-arguments"),
    ("2b", STRIDED, "0.686, 0.168), mask", "0.668, 0.168), mask", "slip-coefficient"),
    ("2b", STRIDED, "tl.cdiv(W, TW)", "tl.cdiv(H, TH)", "slip-size"),
    ("2b", STRIDED, "*dst.stride()", "*image.stride()", "slip-name"),
    ("2b", STRIDED, "(there + 2 * oc", "(there + oc", "slip-factor"),
    ("1b", SCALED, "xs * alpha + ys", "xs + alpha * ys", "slip-factor"),
    ("1", PIECES, "rows[:, None] * LANES", "rows[:, None] * ROWS", "slip-size"),
    ("3", BLURRED, "(xx < w) & (xx >= 0)", "(xx < w)", "slip-lower"),
    ("3", BLURRED, "j + i * K", "j * K + i", "slip-turned"),
    ("4", DENSE, "N + col[None, :], acc", "M + col[None, :], acc", "slip-size"),
    ("1", PIECES, "tl.load(b_ptr", "tl.load(a_ptr", "slip-pointer"),
    ("2b", STRIDED, "wr * r + wg * g", "wr * g + wg * r", "slip-names"),
    ("1", PERSISTENT, "blk * B +", "blk * B * 2 +", "slip-multiple"),
    ("4", DENSE, ", input_precision='ieee'", "", "slip-precision"),
    ("2", UNPACKED, "sc, sh, sw = image", "sh, sw, sc = image", "slip-order"),
    ("5a", OUTER, "tl.sum(e, axis=1, keep_dims=True)", "tl.sum(e, axis=0, keep_dims=True)", "slip-axis"),
    ("5a", OUTER, "dst + r * dm + c * dn", "dst + r * sm + c * sn", "slip-strides"),
    ("6c", PACKED, "om[:, None] * K + k", "om[:, None] * N + k", "slip-size"),
    ("6c", PACKED, "* (K // 128) + k", "* (N // 128) + k", "slip-size"),
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
    source = Source(Path("mine.py"), text, EXERCISES[exercise])
    return find_slip(source, likely_changes(source), passes, passes)


def _plain(code: str) -> str:
    """Without spaces and parentheses."""
    return re.sub(r"[ ()]", "", code)


@pytest.mark.parametrize("number", [0, 7])
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
    assert find_slip(source, likely_changes(source), lambda text: True, lambda text: False) is None


def test_the_line_where_it_was_noticed_is_tried_first() -> None:
    tried: list[str] = []
    source = Source(Path("mine.py"), PERSISTENT, EXERCISES["1"])
    noticed = next(number for number, line in enumerate(source.lines, 1) if "inside = " in line)
    find_slip(source, likely_changes(source, [noticed]), lambda text: bool(tried.append(text)), lambda text: False)
    others = [_changed_line(PERSISTENT, text)[0] for text in tried]
    elsewhere = others.index(next(line for line in others if line != noticed))
    assert elsewhere >= 5  # the others of that line are names that nobody mistakes for what stands there


def test_a_line_of_the_solution_and_what_keeps_a_loop_going_stay_as_they_are() -> None:
    tried: list[str] = []
    for exercise in ("1", "4"):
        solution = EXERCISES[exercise].solution
        source = Source(Path("mine.py"), solution, EXERCISES[exercise])
        changes = likely_changes(source)
        assert find_slip(source, changes, lambda text: bool(tried.append(text)), lambda text: True) is None
    assert tried == []
    source = Source(Path("mine.py"), PERSISTENT, EXERCISES["1"])
    find_slip(source, likely_changes(source), lambda text: bool(tried.append(text)), lambda text: True)
    assert all("tl.num_programs(0)):" in text for text in tried)
    walking = PERSISTENT.replace(
        "for blk in range(me, blocks, tl.num_programs(0)):", "blk = me\n    while blk < blocks:"
    )
    walking = walking.replace("mask=inside)\n\n\ndef", "mask=inside)\n        blk = blk + tl.num_programs(0)\n\n\ndef")
    of_while: list[str] = []
    source = Source(Path("mine.py"), walking, EXERCISES["1"])
    find_slip(source, likely_changes(source), lambda text: bool(of_while.append(text)), lambda text: True)
    assert all("blk = blk + tl.num_programs(0)" in text for text in of_while)


def test_a_size_in_the_launcher_and_an_argument_with_its_parameters_name_stay_as_they_are() -> None:
    tried: list[str] = []
    for exercise, text in (("1b", SCALED), ("1", PIECES)):
        source = Source(Path("mine.py"), text, EXERCISES[exercise])
        find_slip(source, likely_changes(source), lambda text: bool(tried.append(text)), lambda text: True)
    assert not any("(a, y, x, z" in text or "ROWS=7" in text or "ROWS=9" in text for text in tried)


def test_a_kernel_that_exchanges_sizes_is_blamed_before_what_the_launcher_unpacks() -> None:
    wrong = UNPACKED.replace("row, col, ih, iw", "row, col, iw, ih")

    def is_repaired(text: str) -> bool:
        return "row, col, ih, iw" in text or "sc, sw, sh = image" in text

    source = Source(Path("mine.py"), wrong, EXERCISES["2b"])
    slip = find_slip(source, likely_changes(source), is_repaired, is_repaired)
    assert slip is not None
    assert slip.line == _changed_line(UNPACKED, wrong)[0]


def test_what_is_wrong_is_said_before_its_line_is_found(tmp_path: Path) -> None:
    wrong = PERSISTENT.replace("inside = idx < n", "inside = tl.arange(0, B) < n")
    script = tmp_path / "mine.py"
    script.write_text(wrong, encoding="utf-8")
    first, *others, last = verdicts(CheckRequest(EXERCISES["1"], script, compiler=None))
    assert all(verdict.is_preliminary and not verdict.passed for verdict in (first, *others))
    assert not last.is_preliminary
    assert last.findings[0].message.startswith(first.findings[0].message)
    assert last.findings[0].line == _changed_line(PERSISTENT, wrong)[0]
    screen = io.StringIO()
    print_verdicts([first, last], EXERCISES["1"], Console(file=screen, width=100, force_terminal=True))
    assert screen.getvalue().index("Looking for the line") < screen.getvalue().index("tl.arange(0, B) < n")
    screen = io.StringIO()
    print_verdicts([first, last], EXERCISES["1"], Console(file=screen, width=100))
    assert "Looking for the line" not in screen.getvalue()  # a file needs no patience


def test_no_change_leaves_a_name_unread() -> None:
    tried: list[str] = []
    source = Source(Path("mine.py"), PIECES, EXERCISES["1"])
    find_slip(source, likely_changes(source), lambda text: bool(tried.append(text)), lambda text: True)
    assert tried
    assert all(len(re.findall(r"\blanes\b", text)) > 1 for text in tried)


def test_what_repeats_work_or_is_right_in_the_failing_case_only_is_no_slip(tmp_path: Path) -> None:
    wrong = PIECES.replace("rows[:, None] * LANES", "rows[:, None] * ROWS")  # with more rows, it would store twice
    script = tmp_path / "mine.py"
    script.write_text(wrong, encoding="utf-8")
    finding = judge_here(EXERCISES["1"], script).findings[0]
    assert finding.line == _changed_line(PIECES, wrong)[0]


def test_a_loop_without_an_end_is_not_tried() -> None:
    exercise = EXERCISES["1"]
    tries, case = Tries(Source(exercise.solution_file, PERSISTENT, exercise)), exercise.cases[0]
    endless = PERSISTENT.replace(
        "    blocks = tl.cdiv(n, B)", "    blocks = tl.cdiv(n, B)\n    while me < n:\n        pass"
    )
    seen = tries.observe(endless, case)
    assert seen is not None
    assert seen.timed_out
    assert tries.is_right(PERSISTENT, case)


def test_what_takes_much_longer_than_the_script_is_given_up() -> None:
    """A loop over thousands of millions of blocks has an end, but nobody waits for it."""
    exercise = EXERCISES["1"]
    tries, case = Tries(Source(exercise.solution_file, PERSISTENT, exercise)), exercise.cases[0]
    forever = PERSISTENT.replace("range(me, blocks, tl.num_programs(0))", "range(1 << 30)")
    assert forever != PERSISTENT
    seen = tries.observe(forever, case)
    assert seen is not None
    assert seen.timed_out
    assert tries.is_right(PERSISTENT, case)


def test_each_kind_has_a_question_and_an_idea() -> None:
    assert [len(explanations()[f"slip-{kind}"].hints) for kind in KINDS] == [2] * len(KINDS)


WITH_MASKS = """
def scaled(x_ptr, scale_ptr, out_ptr, N, K, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = rows < N
    both = inside & (rows >= 0)
    scale = tl.load(scale_ptr + rows * (K // BLOCK) + rows, mask=inside)
    tl.store(out_ptr + rows, scale * rows % BLOCK, mask=both)
"""


def test_no_change_computes_with_a_mask() -> None:
    [kernel] = ast.parse(WITH_MASKS).body
    assert isinstance(kernel, ast.FunctionDef)
    words = {each.replacement for each in changes_in(kernel, True, {}, set())}
    assert "rows * N" in words
    assert not [each for each in words if re.search(r"[*/%+] *(inside|both)|(inside|both) *[*/%+]", each)]
    assert {"inside", "both"} <= words


@pytest.mark.parametrize(
    ("helps", "name"),
    [(("if False", "count == 2", "count < 1"), "slip-path"), (("if False", "count == 2", "where + 0"), "slip-number")],
)
def test_what_is_wrong_on_a_path_is_not_put_right_by_avoiding_it(helps: tuple[str, ...], name: str) -> None:
    """Another number in the condition says nothing; another one on the path does."""
    line = "where = where + 1 if count == 1 else where"
    text = PIECES.replace("    tl.store(", f"    {line}\n    tl.store(")
    slip = _slip("1", text, lambda text: any(words in text for words in helps))
    assert slip is not None
    assert (slip.line, slip.name) == (text.split("\n").index(f"    {line}") + 1, name)
