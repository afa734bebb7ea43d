"""Lines that the checker blames in wrong scripts of a style of their own: none of them is correct."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from simulator.tests.tables import SLOW_EVERY
from triton_workshop.exercises import EXERCISES

from ..exercises.right import BEGINNING, right_scripts
from .judging import judge_here
from .own_style_slips import SLIPS

WRONG = "  # wrong"
"""Marks the lines that may be blamed."""
TEXT = (Path(__file__).parent / "own_style.txt").read_text(encoding="utf-8")
SCRIPTS = dict(re.findall(r"^== (\S+)\n(.*?)(?=^== |\Z)", TEXT, re.MULTILINE | re.DOTALL))
WITHOUT_LINE = (
    "2-channels-side-by-side",
    "2b-strides-turned",
    "5b-rows-of-another-tensor",
    "6c-columns-of-halves",
)
"""Scripts of which nothing says which line is wrong: several may be, or only a line that uses another shows it."""


@pytest.mark.parametrize("name", list(SCRIPTS)[::SLOW_EVERY])
def test_no_correct_line_is_blamed(name: str, tmp_path: Path) -> None:
    wrong, blamed = _judged(name, BEGINNING + SCRIPTS[name], tmp_path)
    assert blamed in ([None] if name in WITHOUT_LINE else wrong)


@pytest.mark.parametrize("kind", list(SLIPS)[::SLOW_EVERY])
def test_the_line_of_a_slip_is_blamed(kind: str, tmp_path: Path) -> None:
    name, old, new = SLIPS[kind]
    [script] = [each for each in right_scripts(name.partition("-")[0]) if each.name == name]
    assert old in script.source
    wrong, blamed = _judged(name, script.source.replace(old, new, 1), tmp_path)
    assert blamed in wrong


def _judged(name: str, text: str, folder: Path) -> tuple[list[int], int | None]:
    """Return the lines of a script that are wrong, and the one that is blamed."""
    wrong = [number for number, line in enumerate(text.splitlines(), 1) if line.endswith(WRONG)]
    assert wrong
    script = folder / "mine.py"
    script.write_text(text.replace(WRONG, ""), encoding="utf-8")
    [finding, *_] = judge_here(EXERCISES[name.partition("-")[0]], script).findings
    return wrong, finding.line
