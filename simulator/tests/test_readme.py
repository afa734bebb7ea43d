"""README shows what a broken test looks like: it is what pytest prints."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"
FAILURE = re.compile(r"^_+ test_double _+$.*?(?=^=+ short)", re.MULTILINE | re.DOTALL)
"""Where pytest tells of the test, up to its summary."""


def test_a_broken_test_fails_as_readme_shows(tmp_path: Path) -> None:
    text = README.read_text(encoding="utf-8")
    [test] = [block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "def test_double" in block]
    [shown] = re.findall(r"```text\n(.*?)```", text, re.DOTALL)
    (tmp_path / "test_double.py").write_text(test, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--triton-simulator", "test_double.py"]
    theirs = ("TRITON_", "PYTEST_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(theirs)} | {"COLUMNS": "80"}
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    printed = FAILURE.search(ran.stdout)
    assert printed, ran.stdout + ran.stderr
    assert printed[0] == shown
