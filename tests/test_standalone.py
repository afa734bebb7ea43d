"""`solutions/standalone.py`: a kernel that is used without this package."""

from __future__ import annotations

import shlex

from tests.conftest import RunPython
from triton_workshop.repository import ROOT

SCRIPT = ROOT / "solutions" / "standalone.py"


def test_it_is_short_and_does_without_this_package() -> None:
    lines = SCRIPT.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 30
    assert not [line for line in lines if line.startswith(("from triton_workshop", "import triton_workshop"))]


def test_without_a_gpu_it_says_what_it_needs_and_what_it_tells_to_type_runs_it(run_forked: RunPython) -> None:
    alone = run_forked(str(SCRIPT), env={"CUDA_VISIBLE_DEVICES": ""})
    assert alone.returncode == 1
    said, command = alone.stderr.strip().splitlines()
    assert said.startswith("This needs a GPU that Triton supports.")
    uv, run, python, *arguments = shlex.split(command)
    assert (uv, run, python) == ("uv", "run", "python")
    simulated = run_forked(*arguments, env={"CUDA_VISIBLE_DEVICES": ""})
    assert simulated.stdout == "as torch: True\n", simulated.stderr
