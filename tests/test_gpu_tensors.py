"""Debug mode on a machine with a GPU: kernels run on the simulator, tensors may lie on the GPU all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import RunPython

pytestmark = pytest.mark.gpu

KERNEL = """
from triton_workshop.utils_debug import cdiv, print_if
import torch, triton, triton.language as tl

@triton.jit
def double_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    at = pid * BLOCK + tl.arange(0, BLOCK)
    {line}
    tl.store(out_ptr + at, 2 * tl.load(x_ptr + at, mask={mask}), mask=at < n)

x = torch.arange(6.0, device="cuda")
out = torch.full_like(x, -1)
double_kernel[(2,)](x, out, 6, BLOCK=4)
print(out.device.type, out.tolist())
"""


def run(run_python: RunPython, folder: Path, **parts: str) -> tuple[int, str, str]:
    script = folder / "debug.py"
    script.write_text(KERNEL.format(**parts))
    outcome = run_python(script)
    return outcome.returncode, outcome.stdout, outcome.stderr


@pytest.mark.parametrize("line", ["pass", 'print_if(f"program {pid}: {at}", pid)'])
def test_results_come_back_to_the_gpu(run_python: RunPython, tmp_path: Path, line: str) -> None:
    code, stdout, stderr = run(run_python, tmp_path, line=line, mask="at < n")
    assert code == 0, stderr
    assert stdout.splitlines()[-1] == "cuda [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]"
    assert ("program 1: [4 5 6 7]" in stdout) == (line != "pass")


def test_a_fault_is_found_there_too(run_python: RunPython, tmp_path: Path) -> None:
    code, _, stderr = run(run_python, tmp_path, line="pass", mask="None")
    assert code == 1
    assert "program 1 read x_ptr[6..7], but x_ptr has 6 elements." in stderr
