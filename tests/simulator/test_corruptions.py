"""A wrong kernel never crashes the process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_two_hundred_corrupted_kernels_leave_the_process_alive() -> None:
    """Enough for every outcome to come several times, in three seconds; by hand, the script takes any number."""
    environment = {**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "simulator.corruptions", "200"]
    run = subprocess.run(command, env=environment, cwd=ROOT / "tests", capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    for outcome in ("right", "another result", "out-of-bounds-load", "out-of-bounds-store", "race"):
        assert outcome in run.stdout
