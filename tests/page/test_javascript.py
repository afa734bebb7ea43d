"""The JavaScript of pages: each file parses as a classic script, and is as wide as our Python."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from triton_workshop.page.assets import LIVE_SCRIPTS
from triton_workshop.repository import ROOT

FILES = sorted((ROOT / "triton_workshop").glob("*/*.js"))
MAX_COLUMNS = 120


def test_the_scripts_of_a_page_are_among_the_files() -> None:
    assert {*LIVE_SCRIPTS, "worker.js", "live.js", "board.js"} <= {file.name for file in FILES}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_script_parses(file: Path) -> None:
    if (node := shutil.which("node")) is None:
        pytest.skip("node is not installed")
    checked = subprocess.run([node, "--check", file], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_no_line_is_too_wide(file: Path) -> None:
    lines = enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
    assert [f"{file.name}:{number}" for number, line in lines if len(line) > MAX_COLUMNS] == []
