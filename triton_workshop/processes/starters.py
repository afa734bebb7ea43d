"""Starters of processes that have imported what most scripts need.

Linux forks them from warm parents; elsewhere, spare processes wait for their script.

| a script               | warm parents                     | spare processes            |
| ---------------------- | -------------------------------- | -------------------------- |
| imports torch and such | a fork, even of one that imports | a spare, if there is one   |
| imports nothing heavy  | a fork of one that is ready      | none: a new one is as fast |
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Protocol

from triton_workshop.processes.modes import PACKAGE, Mode, default_mode, has_slow_imports
from triton_workshop.processes.prepared import PreparedProcess
from triton_workshop.processes.process import Files, Process
from triton_workshop.processes.run import with_output
from triton_workshop.processes.script import environment
from triton_workshop.processes.spares import SparePool
from triton_workshop.processes.warm import Request, WarmParent, WarmProcess

MAX_SPARES = 2
"""Processes that may wait for scripts where nothing can fork.

Each has imported torch and takes several hundred MB.
"""


class Starter(Protocol):
    """Starter of warm processes. Every method may be called from any thread."""

    def warm_up(self, mode: Mode | None) -> None:
        """Prepare for scripts of a mode, by default the usual one.

        Returns at once. Raises OSError.
        """

    def wait_until_warm(self, seconds: float) -> bool:
        """Wait for what has been prepared. Return True if all of it is ready."""

    def start_script(self, source: str, mode: Mode, request: Request) -> tuple[Process, int] | None:
        """Start a script; return its process, and where its output is read.

        Return None if a new process does better. Raises OSError.
        """

    def start_call(self, mode: Mode, variables: Mapping[str, str], files: Files) -> Process | None:
        """Start a process that calls what its input names.

        Return None if a new process has to do so.
        """

    def close(self) -> None:
        """End all that waits, for good."""


class WarmParents:
    """Warm parents, which fork (Linux): one for each mode."""

    def __init__(self, linger_seconds: float) -> None:
        """The parents linger for so many seconds after this process has gone."""
        self._linger_seconds = linger_seconds
        self._leases: dict[Mode, WarmProcess] = {}
        """Idle conversations: a parent stays as long as there is one."""
        self._lock = threading.Lock()
        self._closed = False

    def warm_up(self, mode: Mode | None) -> None:
        """Start the parent of a mode."""
        self._lease(mode or default_mode(os.environ))

    def wait_until_warm(self, seconds: float) -> bool:
        """Wait for the parents that have been started."""
        with self._lock:
            leases = list(self._leases.values())
        deadline = time.monotonic() + seconds
        return all(lease.is_ready(max(deadline - time.monotonic(), 0)) for lease in leases)

    def start_script(self, source: str, mode: Mode, request: Request) -> tuple[Process, int] | None:
        """Fork a parent for a script, unless it still imports what that needs not."""
        lease = self._lease(mode)
        may_use_parent = has_slow_imports(source) or lease.is_ready()
        if not may_use_parent:
            return None
        return with_output(lambda files: WarmProcess(lease.parent).begin(request, files))

    def start_call(self, mode: Mode, variables: Mapping[str, str], files: Files) -> Process | None:
        """Fork a parent for a call."""
        with suppress(OSError):
            return WarmProcess(self._lease(mode).parent).begin(Request((), "/", variables), files)
        return None

    def _lease(self, mode: Mode) -> WarmProcess:
        """Return an open connection to the parent that fits our scripts.

        It drops any other of that mode, which has gone or has imported other code. Raises OSError.
        """
        parent = WarmParent.of(mode, environment(80))
        with self._lock:
            if self._closed:
                raise OSError("this runner has been closed")
            lease = self._leases.get(mode)
            if lease is not None:
                is_valid = lease.parent == parent and lease.poll() is None
                if is_valid:
                    return lease
                lease.release()
            lease = self._leases[mode] = WarmProcess(parent, self._linger_seconds)
            return lease

    def close(self) -> None:
        """Let go of the parents, for good."""
        with self._lock:
            self._closed = True
            leases, self._leases = self._leases, {}
        for lease in leases.values():
            lease.release()


class SpareProcesses:
    """Processes that wait for a script, where nothing can fork."""

    def __init__(self, idle_seconds: float | None) -> None:
        """They end after so many seconds in which none was taken."""
        self._pool = SparePool(_start_spare, MAX_SPARES, idle_seconds)

    def warm_up(self, mode: Mode | None) -> None:
        """Start those that are missing, which are all of the usual mode."""
        if mode is None:
            self._pool.fill()

    def wait_until_warm(self, seconds: float) -> bool:
        """Return True: a spare takes its script before it is ready."""
        del seconds
        return True

    def start_script(self, source: str, mode: Mode, request: Request) -> tuple[Process, int] | None:
        """Have a spare become the script, if one has imported what it needs."""
        if not _fits_a_spare(source, mode):
            return None
        self._pool.refill_later()
        spare = self._pool.take()
        return spare.become(request) if spare else None

    def start_call(self, mode: Mode, variables: Mapping[str, str], files: Files) -> Process | None:
        """Return None: spares run scripts only."""
        del mode, variables, files
        return None

    def close(self) -> None:
        """End those that wait, for good."""
        self._pool.close()


def _start_spare() -> PreparedProcess:
    return PreparedProcess(default_mode(os.environ), environment(80))


def _fits_a_spare(source: str, mode: Mode) -> bool:
    """Return True if a spare has imported what a script needs.

    The script must also run there as in a new process.
    """
    # A new process finds Triton only by way of our package where there is no wheel of it.
    as_new = PACKAGE in source or "triton" not in source
    if not as_new:
        return False
    return has_slow_imports(source) and mode is default_mode(os.environ)
