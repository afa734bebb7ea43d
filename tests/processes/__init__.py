"""Running scripts in tests, and looking after the processes that tests have started."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from triton_workshop.processes.run import Run
from triton_workshop.processes.script import Outcome, Script

Start = Callable[[Script], Run]
FAULT = """\
import os; os.environ["TRITON_INTERPRET"] = "1"
from triton_workshop import DEVICE
import torch, triton
import triton.language as tl
@triton.jit
def fill_kernel(x_ptr):
    tl.store(x_ptr + 4, 1.0)
fill_kernel[(1,)](torch.zeros(4))
"""
"""A script whose kernel stores outside of a tensor, on line 7."""


def finish(start: Start, source: str, folder: Path, language: str = "python", **options: object) -> tuple[str, Outcome]:
    """Run a script to its end: what it printed, and how it ended."""
    with start(Script(language, source, folder, **options)) as run:  # type: ignore[arg-type]
        return b"".join(run.output()).decode(errors="surrogateescape"), run.wait()


def alive(process: int) -> bool:
    """Whether a process runs; a zombie that nobody has collected yet counts as gone."""
    if sys.platform != "linux":
        ps = subprocess.run(["ps", "-o", "stat=", "-p", str(process)], stdout=subprocess.PIPE, text=True, check=False)
        return ps.stdout.strip()[:1] not in ("", "Z")
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def with_variable(name: str, value: str) -> list[int]:
    """The processes that were started with this variable in their environment, this one not; on Linux only."""
    wanted = os.fsencode(f"{name}={value}")
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has gone, or is another user's
            if wanted in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return [process for process in found if process != os.getpid() and alive(process)]


PATIENCE_SECONDS = 60
"""Seconds for what takes none, on a machine that others keep busy."""
LOOK_SECONDS = 0.01
"""Seconds between two looks, which would else keep from running what is waited for."""


def dies(process: int, seconds: float = PATIENCE_SECONDS) -> bool:
    """Whether a process that was killed is gone: the kernel takes its moment."""
    return eventually(lambda: not alive(process), seconds)


def eventually(holds: Callable[[], bool], seconds: float = PATIENCE_SECONDS) -> bool:
    """Whether something comes to hold before the time is over."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(LOOK_SECONDS)
    return True


NO_TORCH = """\
import os, time
from types import SimpleNamespace
while os.path.exists({held!r}): time.sleep(0.01)
default_generator = SimpleNamespace(seed=lambda: None)
cuda = SimpleNamespace(is_initialized=lambda: False)
"""
"""In the place of torch, which takes seconds of the processor: how a parent ends has nothing to do with what it is."""


def without_torch(folder: Path) -> dict[str, str]:
    """What to set for a parent of one's own, which nobody else keeps. It imports as long as `held` is there."""
    place = folder / "modules"
    place.mkdir()
    (place / "torch.py").write_text(NO_TORCH.format(held=str(folder / "held")), encoding="utf-8")
    return {"XDG_RUNTIME_DIR": str(folder), "PYTHONPATH": str(place)}
