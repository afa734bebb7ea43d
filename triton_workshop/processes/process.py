"""A process that was started: how it ends, and how it is ended. New ones are started here, as a shell would."""

from __future__ import annotations

import os
import signal
import struct
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

WINDOWS = sys.platform == "win32"
CAN_FORK = sys.platform == "linux"
"""A fork is not safe on macOS (its system libraries start threads), and there is none on Windows."""
INTERRUPT: int = getattr(signal, "CTRL_BREAK_EVENT", signal.SIGINT)
KILL: int = getattr(signal, "SIGKILL", signal.SIGTERM)

PR_SET_PDEATHSIG = 1  # linux/prctl.h

Files = tuple[int, int, int]
"""Descriptors that become a process's standard input, output and error."""


class Process(Protocol):
    """A process that leads a process group of its own."""

    def poll(self) -> int | None:
        """The exit status, or minus a signal's number as in `subprocess`; None while it runs."""

    def pause(self, seconds: float) -> None:
        """Waits until it ends, or for that long."""

    def signal_group(self, number: int) -> None:
        """Sends a signal to the process and its group, to those that have outlived it too."""

    def release(self) -> None:
        """Lets go of what this side holds of it."""


class NewProcess:
    """A `Process` that a program was started for."""

    def __init__(
        self,
        command: Sequence[str],
        files: Files,
        variables: Mapping[str, str],
        folder: Path | None = None,
        memory_limit: int | None = None,
    ) -> None:
        """`memory_limit` is as in `limit_memory`. Raises OSError."""
        import subprocess  # here, and so on: `workshop run` needs the rest of this module, and is waited for

        self._process = subprocess.Popen(
            command,
            cwd=folder,
            env=dict(variables),
            stdin=files[0],
            stdout=files[1],
            stderr=files[2],
            start_new_session=not WINDOWS,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
        if memory_limit is not None:
            limit_memory(self._process.pid, memory_limit)

    def poll(self) -> int | None:
        return self._process.poll()

    def pause(self, seconds: float) -> None:
        from subprocess import TimeoutExpired

        with suppress(TimeoutExpired):
            self._process.wait(seconds)

    def signal_group(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            if WINDOWS:
                self._process.send_signal(number)
            else:
                os.killpg(self._process.pid, number)

    def release(self) -> None:
        """Nothing is held."""


def later(seconds: float, act: Callable[[], None]) -> threading.Timer:
    """Has something done after so many seconds, unless it is cancelled or this process has ended."""
    timer = threading.Timer(seconds, act)
    timer.daemon = True
    timer.start()
    return timer


def signal_group(leader: int, number: int) -> None:
    """Sends a signal to a process group, or to its leader, which is about to be one or leads none any more."""
    for send in (os.killpg, os.kill):
        with suppress(ProcessLookupError, PermissionError):
            send(leader, number)
            return


def die_with_parent(parent: int) -> None:
    """Has the kernel kill this process when its parent ends, however it ends (Linux)."""
    import ctypes

    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before the kernel knew
        os._exit(1)


def limit_memory(process: int, size: int) -> None:
    """Limits the bytes of data (heap, stacks, anonymous maps) of a process, 0 for this one, and of its children.

    Not the address space: torch and CUDA reserve far more of it than they use. Linux only.
    """
    if sys.platform == "linux":
        import resource

        with suppress(ProcessLookupError, PermissionError):  # it has ended, or has a lower limit already
            resource.prlimit(process, resource.RLIMIT_DATA, (size, size))


def open_terminal(columns: int, rows: int) -> tuple[int, int]:
    """Our end and the other end of a new pseudo-terminal. Raises OSError."""
    if sys.platform == "win32":
        raise OSError("there are no pseudo-terminals on Windows")
    import fcntl
    import termios

    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    return ours, theirs
