"""The simulator, with the compiler and what replaces Triton's library, can be taken along by a stranger."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

BLOCKED = """\
import sys
class Blocked:
    def find_spec(self, name, *_):
        if name.partition(".")[0] in {names!r}:
            raise ImportError(f"{{name}} is blocked")
sys.meta_path.insert(0, Blocked())
for name in {names!r}:
    try:
        __import__(name)
    except ImportError:
        continue
    raise SystemExit(f"{{name}} could be imported")
"""


def run(code: str, folder: Path, blocked: tuple[str, ...] = (), **variables: str) -> str:
    """What a new process prints that runs this in a folder, and can import none of the blocked packages."""
    before = BLOCKED.format(names=blocked) if blocked else ""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    ran = subprocess.run(
        [sys.executable, "-c", before + code],
        cwd=folder,
        env={**environment, "TRITON_INTERPRET": "1", **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


FACE = """
import triton_simulator as simulator
for name in simulator.__all__:
    getattr(simulator, name)
simulator.install()
with simulator.record() as launches:
    pass
print(simulator.record.__module__, launches)
"""


def test_all_of_its_face_is_there_without_torch_and_without_a_screen(tmp_path: Path) -> None:
    assert run(FACE, tmp_path, ("torch", "textual", "rich")) == "triton_simulator.launch.recording []\n"


def test_importing_it_imports_neither_numpy_nor_triton(tmp_path: Path) -> None:
    run("import triton_simulator", tmp_path, ("torch", "textual", "rich", "numpy", "triton"))


def test_who_imports_it_keeps_their_excepthook(tmp_path: Path) -> None:
    code = "import sys; before = sys.excepthook\n" + FACE + "assert sys.excepthook is before"
    run(code, tmp_path)


KERNEL = """\
import torch
from triton_simulator import install, record
install()
import triton, triton.language as tl
from triton_simulator.compiler.launches import Launches

@triton.jit
def reads_too_far(x_ptr, B: tl.constexpr):
    tl.store(x_ptr, tl.sum(tl.load(x_ptr + tl.arange(0, B))))

launches = Launches()
with launches.listen(), record() as recorded:
    reads_too_far[(1,)](torch.ones(4), 8)
print(recorded[0].faults[0], len(launches.kernels()))
"""


def test_without_the_workshop_it_finds_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "kernel.py").write_text(KERNEL, encoding="utf-8")
    printed = run("import kernel", tmp_path, ("triton_workshop", "textual", "rich"))
    assert printed == (
        "reads_too_far: program 0 read x_ptr[4..7], but x_ptr has 4 elements.\n"
        "  Line 9 of kernel.py: `tl.store(x_ptr, tl.sum(tl.load(x_ptr + tl.arange(0, B))))`. Is a mask missing? 1\n"
    )
