"""What a script says of its own lines is right where its code comes from: no temporary file is named."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from processes.conftest import Start
from triton_workshop.processes.runner import Runner
from triton_workshop.processes.script import Origin, Script

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="bash, and file names as POSIX has them")

WRONG_ORDER = """\
import triton
from triton_workshop import DEVICE
print(DEVICE)
"""
SAID = {
    "error": ("python", "x = 1\n1 / 0", 'File "talk.md", line 42, in <module>\n    1 / 0'),
    "error in a function": ("python", "def f():\n    1 / 0\n\n\nf()", 'File "talk.md", line 42, in f'),
    "syntax error": ("python", "x = 1\ny = (", 'File "talk.md", line 42\n    y = ('),
    "warning": ("python", "import warnings\nwarnings.warn('careful')", "talk.md:42: UserWarning: careful"),
    "line by line": ("python", "import sys\nprint(sys._getframe().f_lineno)", "42\n"),
    "source of a function": (
        "python",
        "import inspect\ndef f():\n    return 1\nprint(inspect.getsource(f), inspect.getsourcelines(f)[1])",
        "def f():\n    return 1\n 42",
    ),
    "imports in the wrong order": ("python", WRONG_ORDER, "in talk.md, move line 42 (triton_workshop) above line 41"),
    "error in bash": ("bash", "echo one\nnosuchcommand", "talk.md: line 42: nosuchcommand"),
    "error in sh": ("sh", "echo one\nnosuchcommand", "42: nosuchcommand"),
}


@pytest.mark.parametrize("claim", SAID)
def test_a_line_has_the_decks_number(start: Start, tmp_path: Path, claim: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # A test that resolves the device in this process leaves it set where there is no GPU; then no order is wrong.
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    language, source, said = SAID[claim]
    if claim.startswith("imports") and start.__name__ == "Run":
        pytest.skip("takes seconds in a new process")
    with start(Script(language, source, tmp_path, origin=Origin("talk.md", 41))) as run:
        printed = b"".join(run.output()).decode()
    assert said in printed
    assert "workshop-" not in printed


KERNEL = """\
import os; os.environ["TRITON_INTERPRET"] = "1"
from triton_workshop import DEVICE
import torch, triton
import triton.language as tl
@triton.jit
def fill_kernel(x_ptr):
    tl.store(x_ptr + 4, 1.0)
fill_kernel[(1,)](torch.zeros(4))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="warm processes are forks, on Linux only")
@pytest.mark.parametrize(("origin", "line"), [(None, 7), (Origin("talk.md", 101), 107)])
def test_a_kernels_fault_has_the_decks_number(warm: Runner, tmp_path: Path, origin: Origin | None, line: int) -> None:
    with warm.run(Script("python", KERNEL, tmp_path, origin=origin)) as run:
        assert f"line {line}: `tl.store".encode() in b"".join(run.output())
