"""`solutions/ship_it.py`: an operator with a gradient and tests, as the second deck shows it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import Outcome, RunPython
from triton_workshop.deck import load_deck
from triton_workshop.deck.model import Code, walk
from triton_workshop.repository import ROOT

SCRIPT = ROOT / "solutions" / "ship_it.py"
DECK = load_deck(ROOT / "slides" / "second-half.md")


def run_its_tests(run_python: RunPython, script: Path) -> Outcome:
    options = ["-q", "-n0", "-pno:cacheprovider", "--triton-simulator", f"--rootdir={script.parent}"]
    return run_python("-m", "pytest", *options, str(script), env={"CUDA_VISIBLE_DEVICES": ""})


def test_its_tests_pass_on_the_simulator(run_python: RunPython) -> None:
    outcome = run_its_tests(run_python, SCRIPT)
    assert outcome.returncode == 0, outcome.stdout


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("gradient, mask=cols < V)", "gradient)"),
        ("grad.contiguous()", "grad"),
    ],
)
def test_its_tests_fail_if_it_is_broken(run_python: RunPython, tmp_path: Path, old: str, new: str) -> None:
    text = SCRIPT.read_text(encoding="utf-8")
    assert text.count(old) == 1
    broken = tmp_path / "test_broken.py"
    broken.write_text(text.replace(old, new), encoding="utf-8")
    outcome = run_its_tests(run_python, broken)
    assert (outcome.returncode, "FAILED" in outcome.stdout) == (1, True), outcome.stdout


def test_the_deck_shows_its_operators_and_its_length() -> None:
    [slide] = [slide for slide in DECK.slides if slide.name == "Ship it: an operator with a gradient"]
    [code] = [block.content for block in walk(slide.blocks) if isinstance(block.content, Code)]
    text = SCRIPT.read_text(encoding="utf-8")
    assert "\n".join(filter(None, code.lines)) in re.sub(r"\n+", "\n", text)
    lines = len(text.splitlines())
    assert lines < 80
    assert f"`solutions/ship_it.py` is ours: {lines} lines" in DECK.path.read_text(encoding="utf-8")
