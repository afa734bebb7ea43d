"""A started process: how it ends, and how to end it. Starts new processes as a shell would."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Protocol, Self

from triton_workshop.repository import ROOT

WINDOWS = sys.platform == "win32"
CAN_FORK = sys.platform == "linux"
"""Forking is not safe on macOS, whose system libraries start threads, and does not exist on Windows."""
INTERRUPT: int = getattr(signal, "CTRL_BREAK_EVENT", signal.SIGINT)
KILL: int = getattr(signal, "SIGKILL", signal.SIGTERM)

PR_SET_PDEATHSIG = 1  # linux/prctl.h

FAREWELL_SECONDS = 0.5
"""Seconds that a process has between the interrupt and the kill."""
LAST_WORDS_SECONDS = 1.0
"""Seconds to read what a process has sent or printed, if something that it started keeps the pipe open."""
POLL_SECONDS = 0.05
"""Seconds between two checks whether a process has ended."""

Files = tuple[int, int, int]
"""Descriptors that become a process's standard input, output and error."""


class Process(Protocol):
    """A process that leads a process group of its own."""

    def poll(self) -> int | None:
        """The exit status, or minus a signal's number as in `subprocess`; None while it runs."""

    def pause(self, seconds: float) -> None:
        """Wait until it ends, or at most that long."""

    def signal_group(self, number: int) -> None:
        """Send a signal to the process and its group, including members that have outlived it."""

    def release(self) -> None:
        """Release what this side holds of it."""


class NewProcess:
    """A `Process` started from a program."""

    def __init__(
        self,
        command: Sequence[str],
        files: Files,
        variables: Mapping[str, str],
        folder: Path | None = None,
        memory_limit: int | None = None,
        lifeline: int | None = None,
    ) -> None:
        """`memory_limit` is as in `limit_memory`; `lifeline` is a descriptor, closed at the end. Raises OSError."""
        import subprocess  # here, as `workshop run` waits for this module but rarely needs it

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
        self._lifeline = lifeline
        if memory_limit is not None:
            limit_memory(self._process.pid, memory_limit)

    def poll(self) -> int | None:
        return self._process.poll()

    def pause(self, seconds: float) -> None:
        from subprocess import TimeoutExpired

        with suppress(TimeoutExpired):
            self._process.wait(seconds)

    def signal_group(self, number: int) -> None:
        if WINDOWS:
            with suppress(OSError):  # it has ended, or there is no console, through which alone an interrupt can go
                self._process.send_signal(number)
        else:
            signal_group(self._process.pid, number)

    def release(self) -> None:
        if self._lifeline is not None:
            os.close(self._lifeline)
            self._lifeline = None


class Running:
    """A process that runs as soon as this object exists; when the `with` block ends, its group is gone.

    Every method may be called from any thread.
    """

    def __init__(self, process: Process, undo: ExitStack) -> None:
        """`undo` releases what it holds, once, when it has ended."""
        self._process = process
        self._undo = undo
        self._undo.callback(process.release)
        self._code = 0
        self._ended: float | None = None
        self._stopped = False
        self._lock = threading.RLock()

    def _reap(self) -> float | None:
        """When the process ended; None while it runs. The first call that finds it ended kills its group."""
        with self._lock:
            code = self._process.poll() if self._ended is None else None
            if code is not None:
                self._code, self._ended = code, time.monotonic()
                self._process.signal_group(KILL)
            return self._ended

    def has_ended(self) -> bool:
        """Whether its process has ended, with or without last words."""
        return self._reap() is not None

    def stop(self, grace: float = FAREWELL_SECONDS) -> None:
        """Interrupt it as Ctrl+C would, so that it can clean up; kill it if it is still running `grace` later."""
        if not self.has_ended():
            self._stopped = True
            self._process.signal_group(INTERRUPT)
            later(grace, self.kill)

    def kill(self) -> None:
        """Kill it and its whole group."""
        if not self.has_ended():
            self._stopped = True
            self._process.signal_group(KILL)

    def wait_for_end(self, seconds: float) -> None:
        """Wait until it has ended by itself, or at most that long."""
        deadline = time.monotonic() + seconds
        while not self.has_ended() and time.monotonic() < deadline:
            self._process.pause(POLL_SECONDS)

    def _end(self) -> float:
        """Wait for its end, and return the time of it."""
        while (ended := self._reap()) is None:
            self._process.pause(1)
        return ended

    def close(self) -> None:
        self.kill()
        self._end()
        self._undo.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def program(code: str) -> str:
    """Code that runs our package under `python -c`; -m would look for modules in the current folder first."""
    return f"import sys; sys.path[0] = {str(ROOT)!r}; {code}"


def later(seconds: float, act: Callable[[], None]) -> threading.Timer:
    """Do something after so many seconds, unless it is cancelled or this process ends first."""
    timer = threading.Timer(seconds, act)
    timer.daemon = True
    timer.start()
    return timer


def signal_group(leader: int, number: int) -> None:
    """Send a signal to what is left of a process group, whose leader may have ended."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, number)


def signal_child(child: int, number: int) -> None:
    """Send a signal to a child that has not been reaped, and to its group, which it may not lead yet."""
    try:
        os.killpg(child, number)
    except (ProcessLookupError, PermissionError):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(child, number)


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when its parent ends, however it ends (Linux)."""
    import ctypes

    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before the kernel knew
        os._exit(1)


def end_this_group() -> None:
    """Kill this process, and on POSIX, where it leads a group, all that it has started there."""
    if not WINDOWS and os.getpgrp() == os.getpid():
        signal_group(os.getpid(), KILL)
    os._exit(1)


def limit_memory(process: int, size: int) -> None:
    """Limit the bytes of data (heap, stacks, anonymous maps) of a process, 0 for this one, and of its children.

    This is not the address space, of which torch and CUDA reserve far more than they use. Linux only.
    """
    if sys.platform == "linux":
        import resource

        with suppress(ProcessLookupError, PermissionError):  # it has ended, or has a lower limit already
            resource.prlimit(process, resource.RLIMIT_DATA, (size, size))


def machine_memory() -> int | None:
    """Bytes of memory of this machine or of the container around us; None if unknown."""
    sizes: list[int] = []
    with suppress(AttributeError, ValueError, OSError):
        sizes.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with suppress(ValueError, OSError):  # bytes, or `max` (Linux, "Control Group v2")
        sizes.append(int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")))
    return min(sizes, default=None)
