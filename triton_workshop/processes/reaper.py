"""Reaper of processes that outlive their script or its owner (Linux).

A process group and the kernel's parent-death signal reach most of what a script starts, but not a process in its own
session whose ancestors are gone. So each script has a name in its environment, inherited by everything it starts. A
reaper, a small process that outlives us for a moment, ends whatever has a name: when we say that the script has ended,
and when we end ourselves. It does not find a process that has cleared its environment. The reaper also removes the
folder with our temporary files.
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
"""The variable that holds a script's name.

Everything that the script starts inherits it.
"""
SHUTDOWN_SECONDS = 5
"""Seconds that the reaper may take at the end."""
QUIET_SCANS = 5
"""Scans in a row that must find nothing.

One scan misses a process that is just becoming another program (execve), and anything started by a process that ends
before it is looked at.
"""
PAUSE_SECONDS = 0.01
"""Seconds between two looks."""
PR_SET_NAME = 15  # linux/prctl.h


def name_this_process(name: str) -> None:
    """Give a name to this fork of a warm parent, and to all that it forks.

    /proc shows only the variables that a program was started with, so `ps` shows the name as this process's name too.
    """
    import ctypes

    ctypes.CDLL(None).prctl(PR_SET_NAME, name.encode())


def end_all(matches: Callable[[str], bool]) -> None:
    """Kill every process whose name matches, except this one.

    Processes that they start meanwhile are killed, too.
    """
    quiet = 0
    while quiet < QUIET_SCANS:
        quiet += 1
        for process, name in _named():
            if matches(name):
                quiet = 0
                with suppress(OSError):
                    os.kill(process, signal.SIGKILL)
        time.sleep(PAUSE_SECONDS)


def _named() -> Iterator[tuple[int, str]]:
    """Yield the processes of this user, except this one, that may have a name."""
    variable = f"{OWNER}=".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        if int(folder.name) == os.getpid():
            continue
        with suppress(OSError):  # it has ended, or belongs to another user
            variables = (folder / "environ").read_bytes().split(b"\0")
            names = [entry.removeprefix(variable) for entry in variables if entry.startswith(variable)]
            yield int(folder.name), os.fsdecode(names[0] if names else (folder / "comm").read_bytes().rstrip())


class Reaper:
    """Reaper for the scripts of this process.

    It ends what outlives a script or this process itself, then removes this folder.
    """

    def __init__(self, folder: Path) -> None:
        """Start the reaper's process. Raises OSError."""
        import subprocess

        self._owner = os.urandom(4).hex()
        self._numbers = itertools.count(1)
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", __file__, self._owner, str(folder)],
            env={name: value for name, value in os.environ.items() if name != OWNER},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def new_name(self) -> str:
        """Return a name for the next script of this process.

        `name_this_process` has room for 15 bytes.
        """
        return f"{self._owner}.{next(self._numbers)}"

    def script_has_ended(self, name: str) -> None:
        """End everything that has a script's name; return immediately."""
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):  # it has been closed meanwhile
            os.write(self._process.stdin.fileno(), f"{name}\n".encode())

    def close(self) -> None:
        """End everything that has our name, and remove the folder.

        Return when both are gone.
        """
        from subprocess import TimeoutExpired

        try:
            self._process.communicate(timeout=SHUTDOWN_SECONDS)
        except TimeoutExpired:
            self._process.kill()
            self._process.wait()


def main(owner: str, folder: str) -> None:
    """Run the reaper: read the names of ended scripts until its owner ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while names := os.read(0, 1 << 16).decode().split():
        end_all(lambda name: name in names)
    end_all(lambda name: name.startswith(f"{owner}."))
    import shutil  # delays only the end, not its owner's start

    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
