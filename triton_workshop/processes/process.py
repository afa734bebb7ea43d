"""Processes, and how they end.

New processes start as a shell would start them.
"""

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

from triton_workshop.processes.stopwatch import processor_seconds_of
from triton_workshop.repository import ROOT

WINDOWS = sys.platform == "win32"
CAN_FORK = sys.platform == "linux"
"""True where forking is safe.

On macOS system libraries start threads, and Windows has no fork.
"""
INTERRUPT: int = getattr(signal, "CTRL_BREAK_EVENT", signal.SIGINT)
KILL: int = getattr(signal, "SIGKILL", signal.SIGTERM)

PR_SET_PDEATHSIG = 1  # linux/prctl.h

SHUTDOWN_GRACE_SECONDS = 0.5
"""Seconds that a process has between the interrupt and the kill."""
DRAIN_SECONDS = 1.0
"""Seconds to read the rest of an output after a process has ended.

The pipe may stay open if something that the process started keeps it.
"""
POLL_SECONDS = 0.05
"""Seconds between two checks whether a process has ended."""

Files = tuple[int, int, int]
"""Descriptors that become a process's standard input, output and error."""


class Process(Protocol):
    """A process that leads a process group of its own."""

    def poll(self) -> int | None:
        """Return the exit status, or None while it runs.

        Minus a signal's number stands for that signal, as in `subprocess`.
        """

    def pause(self, seconds: float) -> None:
        """Wait until it ends, or at most that long."""

    def processor_seconds(self) -> float | None:
        """Return the processor time that it has used; None if unknown."""

    def signal_group(self, number: int) -> None:
        """Send a signal to the process and its group.

        The group may have members that have outlived the process.
        """

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
        """Start a command.

        `memory_limit` is as in `limit_memory`; `lifeline` is a descriptor, closed at the end. Raises OSError.
        """
        import subprocess  # here, as `workshop run` waits for this module but rarely needs it

        self._process = subprocess.Popen(
            command if memory_limit is None else limited_command(command, memory_limit, variables),
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
        """Return the exit status, or None while it runs."""
        return self._process.poll()

    def pause(self, seconds: float) -> None:
        """Wait until it ends, or at most that long."""
        from subprocess import TimeoutExpired

        with suppress(TimeoutExpired):
            self._process.wait(seconds)

    def processor_seconds(self) -> float | None:
        """Return the processor time that it has used; None if unknown."""
        return processor_seconds_of(self._process.pid)

    def signal_group(self, number: int) -> None:
        """Send a signal to the process and its group."""
        if WINDOWS:
            with suppress(OSError):  # it has ended, or there is no console, through which alone an interrupt can go
                self._process.send_signal(number)
        else:
            signal_group(self._process.pid, number)

    def release(self) -> None:
        """Close the lifeline."""
        if self._lifeline is not None:
            os.close(self._lifeline)
            self._lifeline = None


class RunningProcess:
    """Process that runs as soon as this object exists.

    When the `with` block ends, its group is gone. Every method may be called from any thread.
    """

    def __init__(self, process: Process, undo: ExitStack) -> None:
        """Take charge of a process; `undo` is closed once, when it has ended."""
        self._process = process
        self._undo = undo
        self._undo.callback(process.release)
        self._code = 0
        self._ended: float | None = None
        self._stopped = False
        self._lock = threading.RLock()

    def _reap(self) -> float | None:
        """Return the time at which the process ended, or None while it runs.

        The first call after its end kills its group.
        """
        with self._lock:
            code = self._process.poll() if self._ended is None else None
            if code is not None:
                self._code, self._ended = code, time.monotonic()
                self._process.signal_group(KILL)
            return self._ended

    def has_ended(self) -> bool:
        """Return True if its process has ended, even without a last message."""
        return self._reap() is not None

    def stop(self, grace: float = SHUTDOWN_GRACE_SECONDS) -> None:
        """Interrupt it as Ctrl+C would, so that it can clean up.

        If it is still running `grace` seconds later, kill it.
        """
        if not self.has_ended():
            self._stopped = True
            self._process.signal_group(INTERRUPT)
            call_later(grace, self.kill)

    def kill(self) -> None:
        """Kill it and its whole group."""
        if not self.has_ended():
            self._stopped = True
            self._process.signal_group(KILL)

    def wait_for_end(self, seconds: float) -> None:
        """Wait until it has ended by itself, or at most that long."""
        deadline = time.monotonic() + seconds
        while not self.has_ended():
            if time.monotonic() >= deadline:
                return
            self._process.pause(POLL_SECONDS)

    def _end(self) -> float:
        """Wait for its end, and return the time of it."""
        while (ended := self._reap()) is None:
            self._process.pause(1)
        return ended

    def close(self) -> None:
        """Kill it, and release what it holds."""
        self.kill()
        self._end()
        self._undo.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def program(code: str) -> str:
    """Return code that runs our package under `python -c`.

    `-m` would look for modules in the current folder first.
    """
    return f"import sys; sys.path[0] = {str(ROOT)!r}; {code}"


def call_later(seconds: float, act: Callable[[], None]) -> threading.Timer:
    """Call a function after so many seconds.

    Cancel the returned timer to prevent the call. The end of this process prevents it, too.
    """
    timer = threading.Timer(seconds, act)
    timer.daemon = True
    timer.start()
    return timer


def signal_group(leader: int, number: int) -> None:
    """Send a signal to a process group, whose leader may have ended."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, number)


def signal_child(child: int, number: int) -> None:
    """Send a signal to a child that has not been reaped, and to its group.

    The child may not lead the group yet.
    """
    try:
        os.killpg(child, number)
    except (ProcessLookupError, PermissionError):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(child, number)


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when its parent ends (Linux)."""
    import ctypes

    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before the kernel knew
        os._exit(1)


def end_process_group() -> None:
    """Kill this process and the process group that it leads, if any.

    There are no groups on Windows.
    """
    leads_group = not WINDOWS and os.getpgrp() == os.getpid()
    if leads_group:
        signal_group(os.getpid(), KILL)
    os._exit(1)


def limit_memory(process: int, size: int) -> None:
    """Limit the bytes of data of a process and of its children (Linux).

    Data is heap, stacks and anonymous maps, not the address space, of which torch and CUDA reserve far more than they
    use. Process 0 is this one.
    """
    if sys.platform == "linux":
        import resource

        with suppress(ProcessLookupError, PermissionError):  # it has ended, or has a lower limit already
            resource.prlimit(process, resource.RLIMIT_DATA, (size, size))


def limited_command(command: Sequence[str], size: int, variables: Mapping[str, str]) -> Sequence[str]:
    """Return a command that has such a limit from its first moment on (Linux).

    On a busy machine, `limit_memory` may come too late. A program that is not found is left alone, as the shell would
    report that in words of its own.
    """
    import shutil

    if sys.platform != "linux":
        return command
    path = variables.get("PATH")
    has_programs = shutil.which(command[0], path=path) and shutil.which("sh", path=path)
    if not has_programs:
        return command
    return ("sh", "-c", f'ulimit -d {size >> 10} 2>/dev/null; exec "$0" "$@"', *command)


def machine_memory() -> int | None:
    """Return the bytes of memory of this machine, or None if unknown.

    In a container, the limit of the container counts.
    """
    sizes: list[int] = []
    with suppress(AttributeError, ValueError, OSError):
        sizes.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with suppress(ValueError, OSError):  # bytes, or `max` (Linux, "Control Group v2")
        sizes.append(int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")))
    return min(sizes, default=None)
