"""Nothing that a script starts outlives the process that started the script, however that ends (Linux).

A process group and the kernel's parent-death signal reach most of what a script starts, but not a process in a session
of its own whose ancestors were killed. So whatever we start has a variable in its environment that names us, and is
inherited: a guard, a small process that waits for our end, then ends all that bear our name. What also outlives the
guard is ended by the next one. A process that has cleared its environment is not found. The guard also removes the
folder with our temporary files, which we cannot do when we are killed.

One look at all processes can miss some: one that starts another and ends before it is looked at, and one that is just
becoming another program (execve), which has no environment for a moment. So it takes several looks that find nothing.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

OWNER = "TRITON_WORKSHOP_OWNER"
"""Names, in whatever we start, the process that started it: its number, when it began, and which of its parents."""
LONGEST = 5
"""Seconds that the guard may take at the end."""
ENOUGH = 4.0
"""Seconds after which it is looked no more, even if there is always something new."""
QUIET = 5
"""So many looks in a row have to find nothing."""
PAUSE = 0.01
"""Seconds between two looks."""


def name_of(process: int) -> str | None:
    """What a process is called as an owner: its number, and when it began, in clock ticks; None where it is gone."""
    try:
        status = Path(f"/proc/{process}/stat").read_text(errors="replace")
    except OSError:
        return None
    return f"{process}.{status.rpartition(')')[2].split()[19]}."  # proc(5): starttime


def own_name() -> str:
    """What this process is called as an owner; empty where there is no /proc."""
    return name_of(os.getpid()) or ""


def end_strays(bears: Callable[[str], bool]) -> None:
    """Kills every process whose owner's name is such a one, itself excepted, and what those have started meanwhile."""
    deadline = time.monotonic() + ENOUGH
    quiet = 0
    while quiet < QUIET and time.monotonic() < deadline:
        found = [process for process, owner in _owned() if bears(owner)]
        for process in found:
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)
        quiet = 0 if found else quiet + 1
        time.sleep(PAUSE)


def _owned() -> Iterator[tuple[int, str]]:
    """The processes of this user that have an owner, but for this one; those that have ended are not among them.

    Nor are those in a container, which are seen from outside of it: there the owner has another number than here.
    """
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "ns/pid").readlink() != Path("/proc/self/ns/pid").readlink():
                continue
            variables = (folder / "environ").read_bytes()
        except OSError:
            continue
        for variable in variables.split(b"\0"):
            name, _, value = variable.partition(b"=")
            if name == OWNER.encode() and int(folder.name) != os.getpid():
                yield int(folder.name), value.decode(errors="replace")


def orphaned(owner: str) -> bool:
    """Whether the process that this name is of has ended."""
    process, _, _ = owner.partition(".")
    return process.isdecimal() and not owner.startswith(name_of(int(process)) or "gone")


class Guard:
    """Ends, when this process does, all that bears its name, and removes its folder. `close` does so at once."""

    def __init__(self, folder: Path) -> None:
        """Raises OSError."""
        program = [sys.executable, "-I", "-S", __file__, own_name(), str(folder)]
        environment = {name: value for name, value in os.environ.items() if name != OWNER}
        self._process = subprocess.Popen(
            program,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def close(self) -> None:
        """Ends what bears our name; returns when it is gone, and the folder too."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(LONGEST)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def main(owner: str, folder: str) -> None:
    """The guard: waits for the end of its input, which its owner holds, then ends what the owner has left."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_strays(orphaned)
    while os.read(0, 1):
        pass
    end_strays(lambda name: bool(owner) and name.startswith(owner))
    import shutil  # not while its owner starts

    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
