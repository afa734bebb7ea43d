"""The right scripts of `variations.txt`, each in a style of its own: none of them is called wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from triton_workshop.checking.exercises import EXERCISES

from .judging import judge_here

BEGINNING = """
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready

import torch
import triton
import triton.language as tl

"""
SCRIPTS = Path(__file__).with_name("variations.txt").read_text(encoding="utf-8")
_, *PARTS = re.split(r"^== ([\w-]+)\n", SCRIPTS, flags=re.MULTILINE)
NAMED = dict(zip(PARTS[::2], PARTS[1::2], strict=True))


@pytest.mark.parametrize("name", NAMED)
def test_a_right_script_passes_in_any_style(name: str, tmp_path: Path) -> None:
    script = tmp_path / "mine.py"
    script.write_text(BEGINNING + NAMED[name], encoding="utf-8")
    verdict = judge_here(EXERCISES[name.partition("-")[0]], script)
    assert verdict.passed, f"{verdict.findings[0].message}\n\n{NAMED[name]}"
