"""What runs in a tab, in node: the deck's blocks, the checker's verdicts, and what a script must not do to the next."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.in_node import PageInNode
from benchmarks.page_verdicts import ASKED, Case, in_the_page, on_a_laptop, scripts
from triton_workshop.checking.exercises import EXERCISES
from triton_workshop.deck import load_deck
from triton_workshop.deck.consent import live_code
from triton_workshop.deck.model import Code
from triton_workshop.watch.checker import Checker

ROOT = Path(__file__).parents[2]
OUTPUTS = {"triton-workshop.md": "deck-outputs.json", "second-half.md": "second-half-outputs.json"}
RECORDED = {
    each["code"]: each
    for outputs in OUTPUTS.values()
    for each in json.loads((ROOT / "benchmarks" / "results" / outputs).read_text(encoding="utf-8"))
}
BLOCKS = [live.code for deck in OUTPUTS for live in live_code(load_deck(ROOT / "slides" / deck))]
PICTURE = re.compile(r"(?<=picture;)[^\x1b]*")


def python_blocks() -> list[Any]:
    blocks = [code for code in BLOCKS if code.language == "python" and code.source in RECORDED]
    return [pytest.param(code, id=str(number)) for number, code in enumerate(blocks, 1)]


def test_there_is_a_recording_of_every_python_block_that_needs_no_gpu() -> None:
    assert len(python_blocks()) == len([code for code in BLOCKS if code.language == "python"]) == 30


@pytest.mark.parametrize("code", python_blocks())
def test_a_block_of_the_deck_prints_what_was_recorded(page: PageInNode, code: Code) -> None:
    recorded, ran = RECORDED[code.source], page.ask(run=code.source, numbers=list(code.shown_numbers))
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


def test_the_clock_goes_on_after_36_minutes(page: PageInNode) -> None:
    """Emscripten's clock of the processor's time counts microseconds in 32 bits: a check after 36 minutes failed."""
    assert page.ask(python="import time; time.process_time is time.perf_counter")["value"]


MODULES = """
import json, sys
from triton_workshop.browser.inside import front_end, worker
worker.warm_up(0), worker.warm_up(1)
json.dumps([*sys.modules, *front_end._copies])
"""


def test_a_warm_interpreter_has_all_that_a_check_imports(page: PageInNode) -> None:
    page.close()  # a fresh one
    warm = set(json.loads(page.ask(python=MODULES)["value"]))
    right = EXERCISES["1"].solution
    for text in (right, right.replace("x + y", "x - y"), right.replace("x + offsets, mask=mask", "x + offsets")):
        assert page.ask(check="1", text=text)["changed"] == []
    page.ask(check="3", text=EXERCISES["3"].solution)
    assert set(json.loads(page.ask(python=MODULES)["value"])) == warm


@pytest.fixture(scope="module")
def checker() -> Iterator[Checker]:
    found = Checker()
    yield found
    found.close()


EVERY = list(scripts())
TENTH = EVERY[5::10]
ONLY_ON_A_LAPTOP = {
    "does-not-fit": "the compiler's library knows how much shared memory a kernel needs",
    "on-the-cpu": "a page's PyTorch does not tell which device a tensor is on, as all are in one memory",
}
"""By a finding's kind, or the name of its hints."""


@pytest.mark.parametrize("case", TENTH, ids=lambda case: f"{case.exercise.number}-{case.name}")
def test_a_tenth_of_all_scripts_gets_the_laptops_verdict(page: PageInNode, checker: Checker, case: Case) -> None:
    laptop, tab = on_a_laptop(checker, case), in_the_page(page, case)
    if ONLY_ON_A_LAPTOP.keys().isdisjoint((laptop.kind, laptop.hint)):
        assert [getattr(tab, name) for name in ASKED[:2]] == [getattr(laptop, name) for name in ASKED[:2]]


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
    (finding,) = page.ask(check="1", text=text, limit=2.0, search=1.0)["verdicts"][-1]["findings"]
    assert (finding["kind"], finding["source"]) == ("timeout", loop)


def test_endless_printing_comes_to_an_end(page: PageInNode) -> None:
    ran = page.ask(run="while True:\n    print('x' * 1000)\n", limit=1.0)
    assert "over the time limit" in ran["failed"]
    assert len(ran["printed"]) < 1_100_000
    assert ran["printed"].endswith("the rest is not here\n")


@pytest.mark.parametrize(
    "changing",
    [
        "import torch; torch.add = None",
        "import triton.language as tl; tl.load = 1",
        "import builtins; len = 3; builtins.sum = len",
    ],
)
def test_a_script_that_changes_what_others_use_says_so(page: PageInNode, changing: str) -> None:
    assert page.ask(run=changing)["changed"]
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
