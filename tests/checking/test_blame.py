"""Lines that the checker blames in wrong scripts of a style of their own: none of them is correct."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from simulator.tests.tables import EVERY
from triton_workshop.exercises import EXERCISES

from ..exercises.right import BEGINNING
from .judging import judge_here

WRONG = "  # wrong"
"""Marks the lines that may be blamed."""
TEXT = (Path(__file__).parent / "own_style.txt").read_text(encoding="utf-8")
SCRIPTS = dict(re.findall(r"^== (\S+)\n(.*?)(?=^== |\Z)", TEXT, re.MULTILINE | re.DOTALL))
WITHOUT_LINE = (
    "2-channels-side-by-side",
    "5b-rows-of-another-tensor",
    "6b-second-stage-from-the-start",
    "6c-columns-of-halves",
)
"""Scripts of which nothing says which line is wrong: several may be, or only a line that uses another shows it."""


@pytest.mark.parametrize("name", list(SCRIPTS)[::EVERY])
def test_no_correct_line_is_blamed(name: str, tmp_path: Path) -> None:
    text = BEGINNING + SCRIPTS[name]
    wrong = [number for number, line in enumerate(text.splitlines(), 1) if line.endswith(WRONG)]
    script = tmp_path / "mine.py"
    script.write_text(text.replace(WRONG, ""), encoding="utf-8")
    [finding, *_] = judge_here(EXERCISES[name.partition("-")[0]], script).findings
    assert wrong
    assert finding.line in ([None] if name in WITHOUT_LINE else wrong)
