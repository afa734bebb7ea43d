"""No script ends a check: whatever it raises, returns, closes or breaks, there is a verdict with a sentence."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent

import pytest

from simulator.tests.tables import EVERY
from triton_workshop.checking import own_errors
from triton_workshop.checking.check import CheckRequest, check, steps
from triton_workshop.checking.diagnosing import tries
from triton_workshop.checking.judging import trial
from triton_workshop.checking.judging.trial import Trial
from triton_workshop.checking.judging.verdict import FindingKind
from triton_workshop.checking.observing.source import Source
from triton_workshop.exercises import EXERCISES

from .judging import judge_here

HEAD = """\
from triton_workshop import DEVICE
import os, sys
import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask), mask=mask)


@triton.jit
def spill_kernel(out_ptr, n):
    tl.store(out_ptr + n + tl.program_id(0) + tl.program_id(1) + tl.program_id(2), 1.0)


class Mute(Exception):
    def __str__(self):
        raise ValueError("no text")

    __repr__ = __str__


class Unequal(Exception):
    def __eq__(self, other):
        raise ValueError("no comparison")


class Compiler(Exception):
    src = "def "

    class node:
        lineno = "four"


class Mine(torch.Tensor):
    def detach(self):
        raise ValueError("no detach")


class Nameless(type):
    @property
    def __name__(cls):
        raise ValueError("no name")


class Odd(metaclass=Nameless):
    @property
    def __class__(self):
        raise ValueError("no class")


def launch(x, y):
    out = torch.empty_like(x)
    add_kernel[(triton.cdiv(x.numel(), 64),)](x, y, out, x.numel(), 64)
    return out


def add(x, y):
    out = launch(x, y)
    n = out.numel()
"""
OUTSIDE = "out-of-bounds-store: wrote out_ptr"
DOES = {
    **{
        f"spills from a grid {grid}": (f"spill_kernel[{grid}](out, n)\nreturn out", OUTSIDE)
        for grid in ("(2,)", "(3, 2)", "(1, 1, 2)", "(40, 3, 2)", "lambda meta: (5,)", "[2]")
    },
    "spills beside the kernel's grid": (
        "out = torch.empty_like(x)\nspill_kernel[(2, 2)](out, n)\nadd_kernel[(16, )](x, y, out, n, 64)\nreturn out",
        OUTSIDE,
    ),
    "a grid without axes": ("add_kernel[()](x, y, out, n, 64)", "crash: grid of 1 to 3 dimensions"),
    "nothing": ("return out[:0]", "wrong-shape: shape (0,)"),
    "a number": ("return out.sum()", "wrong-shape: shape ()"),
    "four gigabytes": ("return out[:1].expand(10**9)", "wrong-shape: shape (1000000000,)"),
    "wide complex numbers": (
        "wide = torch.zeros(len(x), dtype=torch.complex128)\n"
        "add_kernel[(triton.cdiv(x.numel(), 64),)](x, y, torch.view_as_real(wide), x.numel(), 64)\nreturn wide",
        "wrong-dtype: got torch.complex128",
    ),
    "conjugates": (
        "wide = torch.zeros(len(x), dtype=torch.complex128)\n"
        "add_kernel[(triton.cdiv(x.numel(), 64),)](x, y, torch.view_as_real(wide), x.numel(), 64)\nreturn wide.conj()",
        "not-a-kernel: changed",
    ),
    "complex numbers": ("return out.to(torch.complex64)", "not-a-kernel: not stored"),
    "a sparse tensor": ("return out.to_sparse()", "wrong-shape: torch.sparse_coo"),
    "a nested tensor": ("return torch.nested.nested_tensor([out, out])", "wrong-shape: nested"),
    "a tensor without memory": ("return torch.empty(3, device='meta')", "wrong-shape: the device meta"),
    "a quantised tensor": ("return torch.quantize_per_tensor(out, 0.1, 0, torch.qint8)", "wrong-shape: torch.qint8"),
    "eight bits": ("return out.to(torch.float8_e4m3fn)", "wrong-shape: torch.float8_e4m3fn"),
    "unsigned numbers": ("return out.int().to(torch.uint16)", "wrong-shape: torch.uint16"),
    "a class of its own": ("return out.as_subclass(Mine)", "crash: ValueError: no detach"),
    "what has no class": ("return Odd()", "crash: ValueError"),
    "raises what has no text": ("raise Mute", "crash: Mute: (a message that cannot be read"),
    "raises what equals nothing": ("raise Unequal", "crash: Unequal"),
    "raises half a character": ("raise ValueError('\\ud800')", "crash: ValueError: \\ud800"),
    "raises megabytes": ("raise ValueError('x' * 10_000_000)", "crash: ValueError: xxx"),
    "raises a long chain": (
        "e = None\nfor i in range(3000):\n    e, old = ValueError(i), e\n    e.__cause__ = old\nraise e",
        "crash: ValueError: 2900",
    ),
    "raises a circle": ("a, b = Mute(), Mute()\na.__cause__, b.__cause__ = b, a\nraise a", "crash: Mute"),
    "raises what is no Exception": ("raise GeneratorExit", "crash: GeneratorExit"),
    "raises a group": ("raise BaseExceptionGroup('of two', [KeyboardInterrupt()])", "crash: of two"),
    "raises what resembles the compiler's": ("raise Compiler", "crash: Compiler"),
    "raises a text for a line": ("raise SyntaxError('m', (__file__, 'x', 3, 'y'))", "crash: SyntaxError: m"),
    "exits with an object": ("raise SystemExit(object())", "crash: SystemExit"),
    "exits with a large status": ("os._exit(300)", "crash: exit status 44"),
    "calls itself": ("return add(x, y)", "crash: RecursionError"),
    "goes on in a fork": ("if os.fork() == 0:\n    out[0] += 1\nreturn out", ""),
    "closes standard output": ("sys.stdout.close()\nreturn out", ""),
    "closes all files": ("os.closerange(0, 100)\nreturn out", "crash: the script ended itself"),
    "breaks PyTorch": ("torch.Tensor.clone = None\nreturn out", "crash: 'NoneType' object is not callable"),
    "breaks Python": ("import builtins\nbuiltins.len = builtins.print = None\nreturn out", "crash: the script ended"),
    "hardly lets Python call": ("sys.setrecursionlimit(40)\nreturn out", "crash: "),
    "ends by atexit": ("import atexit\natexit.register(sys.exit, 5)\nreturn out", ""),
    "ends by a fault": ("import ctypes\nctypes.string_at(0)", "crash: SIGSEGV"),
    "an async function": ("await out", "wrong-shape: coroutine"),
    "a generator": ("yield out", "wrong-shape: generator"),
}  # fmt: skip
"""What the launcher does or returns; the kind of the finding and words of its message, or nothing if it is right."""
FILES = {
    "no launcher": (HEAD.partition("def add(")[0].encode(), "crash: defines no function add"),
    "a launcher that is none": (HEAD.partition("def add(")[0].encode() + b"add = 3\n", "crash: no function add"),
    "launcher of a module that is none": (
        HEAD.partition("def add(")[0].encode() + b"def __getattr__(name):\n    raise Mute\n",
        "crash: Mute",
    ),
    "another signature": (HEAD.partition("def add(")[0].encode() + b"def add(*, x):\n    pass\n", "crash: takes 0"),
    "raises as it is loaded": (HEAD.partition("def add(")[0].encode() + b"raise Mute\n", "crash: Mute"),
    "no encoding of text": (b"# coding: rot13\n", "crash: the file cannot be read"),
    "null bytes": (b"x = 1\n\0\n", "crash: null bytes"),
    "UTF-16": (HEAD.encode("utf-16"), "crash: the file cannot be read"),
    "a byte order mark and returns": (
        b"\xef\xbb\xbf" + f"{HEAD}    return out\n".replace("\n", "\r\n").encode(),
        "",
    ),
    "a long sum": (f"x = {' + '.join('1' * 50_000)}\n".encode(), "crash: nested too deeply"),
    "many minus signs": (f"x = {'-' * 100_000}1\n".encode(), "crash: nested too deeply"),
    "many attributes": (f"x = y{'.a' * 30_000}\n".encode(), "crash: nested too deeply"),
    "many lines": (f"{HEAD}    return out\n".encode() + b"#\n" * 50_000, ""),
}
ROWS = {name: (f"{HEAD}{indent(lines, ' ' * 4)}\n".encode(), says) for name, (lines, says) in DOES.items()} | FILES


BRIEFLY = 0.2
"""Seconds for a search. What it finds is not asked here; that a script does not break it, its first tries show."""


@pytest.mark.parametrize("name", [*ROWS][::EVERY])
def test_a_hostile_script_gets_a_verdict(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for limit in ("SEARCH_SECONDS", "SLIP_SECONDS", "CONFIRM_SECONDS", "LIMIT_SECONDS"):
        monkeypatch.setattr(tries, limit, BRIEFLY)
    text, says = ROWS[name]
    if name == "an async function":
        text = text.replace(b"\ndef add(", b"\nasync def add(")
    script = tmp_path / "exercise_1.py"
    script.write_bytes(text)
    verdict = check(CheckRequest(EXERCISES["1"], script, compiler=None))
    kind, _, words = says.partition(": ")
    finding = verdict.findings[0] if verdict.findings else None
    assert (finding.kind if finding else "") == kind
    assert finding is None or words in finding.message
    for each in verdict.findings:
        f"{each.message} {each.hints}".encode()  # a terminal can show it


SENDS_MESSAGES = """
    import pickle
    none = pickle.dumps(None)
    for fd in range(3, 40):
        try:
            os.write(fd, len(none).to_bytes(8, 'little') + none)
        except OSError:
            pass
    return out
"""


def test_messages_of_a_script_are_no_observation(tmp_path: Path) -> None:
    script = tmp_path / "exercise_1.py"
    script.write_text(HEAD + SENDS_MESSAGES, encoding="utf-8")
    words = ["from triton_workshop.cli import main; main()", "check", "1", "--json", "--no-gpu", "--file", str(script)]
    # In a process of its own: a fork of this one has the pipe through which xdist says what to test next.
    checked = subprocess.run([sys.executable, "-c", *words], capture_output=True, check=False, timeout=120)
    verdict, _ = json.JSONDecoder().raw_decode(checked.stdout[checked.stdout.index(b"{") :].decode(errors="replace"))
    (finding,) = verdict["findings"]
    assert finding["kind"] == "crash"
    assert "no observation" in finding["message"]


def test_an_error_of_the_checkers_own_becomes_a_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = Source(tmp_path / "exercise_1.py", "", EXERCISES["1"])

    def trials() -> Iterator[Trial]:
        raise IndexError("too many indices")
        yield

    with pytest.raises(IndexError):
        [*steps(source, 0.0, trials(), None, None)]
    monkeypatch.delenv(own_errors.RAISE)
    [verdict] = steps(source, 0.0, trials(), None, None)
    finding = verdict.findings[0]
    assert finding.kind is FindingKind.CHECKER_FAILED
    assert "IndexError: too many indices (test_hostile.py, line" in finding.message
    assert "report it" in finding.hints[1]


def test_what_is_dispensable_may_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(own_errors.RAISE)
    with own_errors.suppress_own_errors():
        raise IndexError


def raise_error(*_: object) -> None:
    raise IndexError


def test_a_right_script_passes_where_a_remark_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "remarks", raise_error)
    exercise = EXERCISES["1"]
    with pytest.raises(IndexError):
        judge_here(exercise, exercise.solution_file)
    monkeypatch.delenv(own_errors.RAISE)
    assert judge_here(exercise, exercise.solution_file).passed
