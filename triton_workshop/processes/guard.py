"""Nothing that a script starts outlives the script, nor the process that started that, however either ends (Linux).

A process group and the kernel's parent-death signal reach most of what a script starts, but not a process in a session
of its own whose ancestors have gone. So each script has a name in its environment, which all that it starts inherits. A
guard, a small process that outlives us for a moment, ends whatever bears a name: when we say that the script has ended,
and when we end ourselves. What outlives even the guard is ended by the next one. A process that has cleared its
environment is not found. The guard also removes the folder with our temporary files.
"""

from __future__ import annotations

import itertools
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

OWNER = "TRITON_WORKSHOP_OWNER"
"""Names a script, in all that it starts: the process that started it, when that began, and a number."""
LONGEST = 5
"""Seconds that the guard may take at the end."""
ENOUGH = 4.0
"""Seconds after which nothing is looked for any more, even if there is always something new."""
QUIET = 5
"""So many looks in a row have to find nothing: one misses a process that is just becoming another program (execve), and
what one starts that ends before it is looked at."""
PAUSE = 0.01
"""Seconds between two looks."""
ROOM = 64
"""Bytes for a name in the environment of a warm parent."""
_numbers = itertools.count(1)


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


def new_name() -> str:
    """A name for the next script of this process."""
    return f"{own_name()}{next(_numbers)}."


def bear(name: str) -> None:
    """Gives this fork of a warm parent a name, and so all that it forks.

    /proc shows the variables that a program was started with, so the name is written over the ROOM that the parent was
    started with (proc(5): env_start, env_end).
    """
    import ctypes

    fields = Path("/proc/self/stat").read_text(errors="replace").rpartition(")")[2].split()
    start, end = int(fields[47]), int(fields[48])
    place = ctypes.string_at(start, end - start).find(f"{OWNER}=".encode())
    if place >= 0:
        ctypes.memmove(start + place + len(OWNER) + 1, name.encode()[:ROOM].ljust(ROOM, b"\0"), ROOM)


def end_all(bears: Callable[[str], bool]) -> None:
    """Kills every process with such a name, but this one, and what those have started meanwhile."""
    deadline = time.monotonic() + ENOUGH
    quiet = 0
    while quiet < QUIET and time.monotonic() < deadline:
        quiet += 1
        for process, name in _named():
            if bears(name):
                quiet = 0
                with suppress(OSError):
                    os.kill(process, signal.SIGKILL)
        time.sleep(PAUSE)


def _named() -> Iterator[tuple[int, str]]:
    """The processes of this user that have a name, but for this one.

    Those in a container are not among them: there the owner has another number than here.
    """
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "ns/pid").readlink() != Path("/proc/self/ns/pid").readlink():
                continue
            variables = (folder / "environ").read_bytes()
        except OSError:
            continue
        for variable in variables.split(b"\0"):
            variable_name, _, value = variable.partition(b"=")
            if variable_name == OWNER.encode() and int(folder.name) != os.getpid():
                yield int(folder.name), value.decode(errors="replace")


def orphaned(name: str) -> bool:
    """Whether the process that gave this name has ended."""
    process, _, _ = name.partition(".")
    return process.isdecimal() and not name.startswith(name_of(int(process)) or "gone")


class Guard:
    """Ends what outlives a script of this process, and this process itself, and then removes this folder (Linux)."""

    def __init__(self, folder: Path) -> None:
        """Raises OSError."""
        import subprocess

        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", __file__, own_name(), str(folder)],
            env={name: value for name, value in os.environ.items() if name != OWNER},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def script_has_ended(self, name: str) -> None:
        """Has all ended that bears a script's name; returns at once."""
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):  # it has been closed meanwhile
            os.write(self._process.stdin.fileno(), f"{name}\n".encode())

    def close(self) -> None:
        """Ends what bears our name; returns when it is gone, and the folder too."""
        from subprocess import TimeoutExpired

        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(LONGEST)
        except TimeoutExpired:
            self._process.kill()
            self._process.wait()


def main(owner: str, folder: str) -> None:
    """The guard: reads names of scripts that have ended, until its owner has."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_all(orphaned)
    while names := os.read(0, 1 << 16).decode().split():
        end_all(lambda name: name in names)
    end_all(lambda name: bool(owner) and name.startswith(owner))
    import shutil  # not while its owner starts

    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
