"""What runs in a tab, in node: the deck's blocks, the checker's verdicts, and what a script must not do to the next."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.in_node import PageInNode
from benchmarks.page_verdicts import ASKED, Case, Said, in_the_page, scripts, summarize_verdict
from tests.checking.judging import judge_here, needs_its_own_process
from tests.exercises.mistakes import MISTAKES, Mistake
from triton_simulator.compiler.compilation import Start
from triton_workshop.checking.check import CheckRequest, check
from triton_workshop.checking.compiling import check_compilation
from triton_workshop.deck import load_deck
from triton_workshop.deck.consent import live_code
from triton_workshop.deck.model import Code
from triton_workshop.exercises import EXERCISES
from triton_workshop.page import archive, parts
from triton_workshop.processes.compilers import warm
from triton_workshop.processes.runner import Runner

ROOT = Path(__file__).parents[2]
OUTPUTS = {"triton-workshop.md": "deck-outputs.json", "second-half.md": "second-half-outputs.json"}
RECORDED = {
    each["code"]: each
    for outputs in OUTPUTS.values()
    for each in json.loads((ROOT / "benchmarks" / "results" / outputs).read_text(encoding="utf-8"))
}
BLOCKS = [live.code for deck in OUTPUTS for live in live_code(load_deck(ROOT / "slides" / deck))]
PICTURE = re.compile(r"(?<=picture;)[^\x1b]*")


MODULES = """
import json, sys
from triton_workshop.page.inside import front_end, worker
worker.warm_up(0), worker.warm_up(1)
json.dumps([*sys.modules, *front_end._compiler_copies])
"""


def test_a_warm_interpreter_has_all_that_a_check_imports(page: PageInNode) -> None:
    page.close()  # a fresh one
    warm = set(json.loads(page.ask(python=MODULES)["value"]))
    right = EXERCISES["1"].solution
    for text in (right, right.replace("x + y", "x - y"), right.replace("x + offsets, mask=mask", "x + offsets")):
        assert page.ask(check="1", text=text)["changed"] == []
    page.ask(check="3", text=EXERCISES["3"].solution)
    assert set(json.loads(page.ask(python=MODULES)["value"])) == warm


NOT_IN_A_KERNEL = (
    "triton_workshop.checking",
    "triton_workshop.exercises",
    "triton.experimental.gluon.language.nvidia",
    "PIL",
)
"""What takes as long to import as all that a kernel needs."""


def test_the_first_kernel_waits_for_nothing_that_only_others_need(page: PageInNode) -> None:
    page.close()  # a fresh one
    page.ask(run=LOOKS_INSIDE)
    imported = json.loads(page.ask(python="import json, sys; json.dumps([*sys.modules])")["value"])
    assert not {*NOT_IN_A_KERNEL} & {*imported}


def python_blocks() -> list[Any]:
    blocks = [code for code in BLOCKS if code.language == "python" and code.source in RECORDED]
    return [pytest.param(code, id=str(number)) for number, code in enumerate(blocks, 1)]


def test_there_is_a_recording_of_every_python_block_that_needs_no_gpu() -> None:
    assert len(python_blocks()) == len([code for code in BLOCKS if code.language == "python"]) == 30


@pytest.mark.parametrize("code", python_blocks())
def test_a_block_of_the_deck_prints_what_was_recorded(page: PageInNode, code: Code) -> None:
    recorded, ran = RECORDED[code.source], page.ask(run=code.source, numbers=list(code.visible_numbers))
    assert PICTURE.sub("", ran["printed"]) == PICTURE.sub("", recorded["printed"])
    assert bool(ran["failed"]) == recorded["failed"]
    assert not ran["changed"]


@pytest.mark.parametrize(
    ("module", "said"), [("tkinter", "tkinter is not in this page; on your laptop it works"), ("csv", "")]
)
def test_a_module_of_python_that_was_left_out_is_a_sentence(page: PageInNode, module: str, said: str) -> None:
    printed = page.ask(run=f"import {module}")["printed"]
    assert said in printed
    assert bool(printed) == bool(said)


BELOW = {
    "the page's PyTorch": ("import torch\n\ndef make():\n    torch.zeros(10**10)\n\nmake()", "ValueError: Maximum"),
    "our helper": ("from triton_workshop import load_image\n\n\n\n\nload_image('no.png')", "FileNotFoundError"),
}
"""Blocks that fail in code that is not theirs, and the error."""


@pytest.mark.parametrize("where", BELOW)
def test_a_traceback_has_the_blocks_lines_only(page: PageInNode, where: str) -> None:
    text, error = BELOW[where]
    printed = page.ask(run=text)["printed"]
    assert error in printed
    assert "line 6, in <module>" in printed
    assert {*re.findall('File "(.*?)"', printed)} == {"block.py"}
    assert "During handling" not in printed


LOOKS_INSIDE = """\
from triton_workshop import DEVICE
from triton_simulator import record
import torch
import triton
import triton.language as tl

@triton.jit
def double_kernel(x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + offsets, 2 * tl.load(x_ptr + offsets, mask=offsets < n))

with record(steps=True) as launches:
    double_kernel[(2,)](torch.ones(6), 6, BLOCK=4)
print(launches[0].text())
"""


def test_a_launch_has_its_steps(page: PageInNode) -> None:
    printed = page.ask(run=LOOKS_INSIDE)["printed"]
    assert "double_kernel: program 1, grid (2,)" in printed
    assert "int32[4]  4 … 7" in printed
    assert "2, 2 undefined  → x_ptr[4 … 7]" in printed


def test_the_clock_goes_on_after_36_minutes(page: PageInNode) -> None:
    """Emscripten's clock of the processor's time counts microseconds in 32 bits: a check after 36 minutes failed."""
    assert page.ask(python="import time; time.process_time is time.perf_counter")["value"]


EVERY = list(scripts())
SOME = EVERY[5::40]
"""`python -m benchmarks.page_verdicts` compares all; .ci/soaks every tenth."""
ONLY_ON_A_LAPTOP = {
    "does-not-fit": "the compiler's library knows how much shared memory a kernel needs",
    "on-the-cpu": "a page's PyTorch does not tell which device a tensor is on, as all are in one memory",
}
"""By a finding's kind, or the name of its hints."""
LIMIT_SECONDS = 100.0
"""For a script: however busy a machine is."""
SEARCH_SECONDS = 1.0
"""For the search for a mistake, or for a size: it decides on lines, hints and remarks, not on what is compared here."""
ENDLESS_SECONDS = 4.0
"""For a script that is known to have no end."""


@pytest.fixture(scope="module")
def compiler() -> Iterator[Start]:
    """Triton's, in processes that have imported it before."""
    with Runner() as runner:
        yield warm(runner)


@pytest.mark.parametrize("case", SOME, ids=lambda case: f"{case.exercise.number}-{case.name}")
def test_a_script_gets_the_laptops_verdict(page: PageInNode, compiler: Start, case: Case, tmp_path: Path) -> None:
    known = MISTAKES.get(case.name.removeprefix("tests' "))
    limit = ENDLESS_SECONDS if known and known.kind == "timeout" else LIMIT_SECONDS
    laptop = on_a_laptop(compiler, case, known, limit, tmp_path)
    tab = in_the_page(page, case, limit, SEARCH_SECONDS)
    if ONLY_ON_A_LAPTOP.keys().isdisjoint((laptop.kind, laptop.hint)):
        assert [getattr(tab, name) for name in ASKED[:2]] == [getattr(laptop, name) for name in ASKED[:2]]


def on_a_laptop(compiler: Start, case: Case, known: Mistake | None, limit: float, folder: Path) -> Said:
    """What the checker says, in this process if that can be, and Triton's compiler of a script that is right so far."""
    file = folder / f"{case.exercise.name}.py"
    file.write_text(case.text, encoding="utf-8")
    if known and needs_its_own_process(known.kind, known.hint, known.leaves):
        verdict = check(CheckRequest(case.exercise, file, compiler=compiler, limit_seconds=limit))
    else:
        verdict = judge_here(case.exercise, file, search=0.0)
        verdict = check_compilation(verdict, compiler) if verdict.passed else verdict
    return summarize_verdict(verdict, verdict.seconds)


def test_a_script_that_ends_python_ends_alone(page: PageInNode) -> None:
    ran = page.ask(run="import os\nprint('before')\nos._exit(3)\n")
    assert ran["printed"].startswith("before")
    assert "the script ended itself, exit status 3" in f"{ran['printed']}{ran['failed']}"
    assert page.ask(run="print(1 + 1)")["printed"] == "2\n"


ENDLESS = ["while True:\n    x += 1\n", "while True: pass", "while 1: x = 1", "any(each for each in iter(int, 1))"]


@pytest.mark.parametrize("loop", ENDLESS)
def test_a_block_without_end_is_ended_on_its_line(page: PageInNode, loop: str) -> None:
    ran = page.ask(run=f"x = 0\n{loop}", limit=0.5)
    assert ran["failed"] == f"over the time limit of 0.5 s, on line {1 + len(loop.splitlines())}"


@pytest.mark.parametrize("loop", ENDLESS[1:])
def test_an_exercise_without_end_is_ended_on_its_line(page: PageInNode, loop: str) -> None:
    text = EXERCISES["1"].solution.replace("    grid = ", f"    {loop}\n    grid = ")
    (finding,) = page.ask(check="1", text=text, limit=1.0, search=0.5)["verdicts"][-1]["findings"]
    assert (finding["kind"], finding["source"]) == ("timeout", loop)


def test_endless_printing_comes_to_an_end(page: PageInNode) -> None:
    ran = page.ask(run="while True:\n    print('x' * 1000)\n", limit=1.0)
    assert "over the time limit" in ran["failed"]
    assert len(ran["printed"]) < 1_100_000
    assert ran["printed"].endswith("the rest is not here\n")


CHANGING = """
import builtins, torch, triton.language as tl
torch.add = None
tl.load = 1
builtins.sum = len
"""


def test_a_script_that_changes_what_others_use_says_so(page: PageInNode) -> None:
    assert {"torch.add", "triton.language.load", "builtins.sum"} <= {*page.ask(run=CHANGING)["changed"]}
    assert page.ask(run="print(1)") | {"seconds": 0, "heap": 0} == {
        "failed": "",
        "seconds": 0,
        "heap": 0,
        "printed": "1\n",
        "changed": [],
    }


def test_files_and_variables_of_a_script_are_gone_for_the_next(page: PageInNode) -> None:
    page.ask(
        run="import os; open('left', 'w').close(); os.environ['LEFT'] = '1'; import sys; sys.path.insert(0, 'left')"
    )
    ran = page.ask(run="import os, sys; print(os.path.exists('left'), 'LEFT' in os.environ, 'left' in sys.path)")
    assert ran["printed"] == "False False False\n"


def test_a_name_that_the_page_lacks_is_a_sentence(page: PageInNode) -> None:
    printed = page.ask(run="import torch\ntorch.fft.fft(torch.ones(2))")["printed"]
    assert "torch.fft is not in this page; on your laptop it works" in printed
    printed = page.ask(run="import torch\ntorch.cdiv(3, 2)")["printed"]
    assert "module 'torch' has no attribute 'cdiv'" in printed


def test_programs_that_wait_for_each_other_are_a_sentence(page: PageInNode) -> None:
    ran = page.ask(
        run="""
from triton_workshop import DEVICE
import torch, triton, triton.language as tl
@triton.jit
def kernel(flag_ptr):
    if tl.program_id(0) == 0:
        while tl.atomic_add(flag_ptr, 0) == 0:
            pass
    else:
        tl.atomic_add(flag_ptr, 1)
kernel[(2,)](torch.zeros(1, dtype=torch.int32))
"""
    )
    assert "on your laptop" in " ".join(ran["printed"].split())


def test_a_kernel_that_the_front_end_refuses_is_refused(page: PageInNode) -> None:
    exercise = EXERCISES["1"]
    text = exercise.solution.replace("\n    # 1:", "\n    for _ in range(4):\n        break\n    # 1:", 1)
    first, *_, last = page.ask(check="1", text=text)["verdicts"]
    assert first["passed"]
    assert last["findings"][0]["kind"] == "does-not-compile"
    assert "break" in last["findings"][0]["source"]


@pytest.mark.parametrize("with_text", [["one/"], []])
def test_compiled_modules_are_what_the_page_would_compile(page: PageInNode, with_text: list[str]) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as written:
        written.writestr("one/__init__.py", "")
        written.writestr("one/two.py", "def three():\n    return 3\n")
        written.writestr("one/data.txt", "four")
    found = archive.compile_archive(data.getvalue(), parts.ensure_parts()["pyodide.mjs"].parent, "/lib", *with_text)
    with zipfile.ZipFile(io.BytesIO(found)) as read:
        names = set(read.namelist())
        pyc = read.read("one/__pycache__/two.cpython-314.pyc" if with_text else "one/two.pyc")
    assert "one/data.txt" in names
    assert ("one/two.py" in names) is bool(with_text)
    load = f"import importlib.util as u, marshal; b = bytes.fromhex('{pyc.hex()}'); n = {{}}; b[:4] == u.MAGIC_NUMBER"
    assert page.ask(python=load)["value"]
    assert page.ask(
        python="c = marshal.loads(b[16:]); exec(c, n); [n['three'](), c.co_filename, b[4]] == [3, '/lib/one/two.py', 1]"
    )["value"]
