"""README shows what a broken test looks like, and a script: they print what README says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
README = Path(__file__).parents[1] / "README.md"
FAILURE = re.compile(r"^_+ test_double _+$.*?(?=^=+ short)", re.MULTILINE | re.DOTALL)
"""Where pytest tells of the test, up to its summary."""


def test_a_broken_test_fails_as_readme_shows(tmp_path: Path) -> None:
    text = README.read_text(encoding="utf-8")
    [test] = [block for kind, block in BLOCK.findall(text) if kind == "python" and "def test_double" in block]
    [shown] = [block for _, block in BLOCK.findall(text) if "_ test_double _" in block]
    (tmp_path / "test_double.py").write_text(test, encoding="utf-8")
    [steps] = [block for _, block in BLOCK.findall(text) if "What the program did, line by line" in block]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--triton-simulator", "--triton-steps"]
    ran = subprocess.run(command, cwd=tmp_path, env=_environment(), capture_output=True, text=True, check=False)
    printed = FAILURE.search(ran.stdout)
    assert printed, ran.stdout + ran.stderr
    assert printed[0] == shown + steps


def test_the_script_prints_what_readme_shows(tmp_path: Path) -> None:
    python, look_inside = README.read_text(encoding="utf-8").split("## In Python")[1].split("## Look inside")
    (_, script), (_, shown) = BLOCK.findall(python)
    (_, steps), (_, shown_steps), (_, loop), (_, shown_loop) = BLOCK.findall(look_inside.split("## ")[0])
    (tmp_path / "add.py").write_text(f"{script}\nprint('steps:')\n{steps}{loop}", encoding="utf-8")
    command = [sys.executable, "add.py"]
    ran = subprocess.run(command, cwd=tmp_path, env=_environment(), capture_output=True, text=True, check=False)
    printed, lines = ran.stdout.split("steps:\n")
    assert (printed, lines, ran.stderr) == (shown, shown_steps + shown_loop, "")


def _environment() -> dict[str, str]:
    theirs = ("TRITON_", "PYTEST_")
    return {name: value for name, value in os.environ.items() if not name.startswith(theirs)} | {"COLUMNS": "80"}
