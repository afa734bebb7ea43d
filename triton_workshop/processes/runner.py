"""Starts scripts and functions, in forks of warm parents where that can be, and ends with all that it has started."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Self

from triton_workshop.processes import call, guard
from triton_workshop.processes.guard import Guard
from triton_workshop.processes.modes import INTERPRET, Mode, default_mode, heavy, parent_for
from triton_workshop.processes.process import CAN_FORK, Files, NewProcess, Process
from triton_workshop.processes.run import Run, launch_new
from triton_workshop.processes.script import Script, environment
from triton_workshop.processes.warm import Lease, Request, WarmParent, WarmProcess
from triton_workshop.processes.wire import SocketConnection


class Runner:
    """Runs Python scripts in forks of warm parents, everything else in new processes.

    A parent is started with the first script that needs it, or by `warm_up`; while it still imports, scripts that
    import nothing heavy run in new processes, and so does all that a warm process cannot run as a new one would.
    `close` ends whatever was started here; so does the end of this process, of whatever kind. All of it may be called
    from any thread.
    """

    def __init__(self) -> None:
        self._leases: dict[Mode, Lease] = {}
        self._guard: Guard | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._lock = threading.Lock()
        self._closed = False

    def warm_up(self) -> None:
        """Starts the parent that most scripts will need; returns at once."""
        with suppress(OSError):
            self.folder()
            if CAN_FORK:
                self._lease(_parent(default_mode(os.environ)))

    def folder(self) -> Path:
        """Where temporary files go that nobody may be left to remove: it goes with this process, like all else.

        It is there even if somebody has tidied up the system's temporary files meanwhile. From now on nothing that
        bears our name outlives this process. Raises OSError.
        """
        with self._lock:
            self._check_open()
            if self._folder is None:
                self._folder = tempfile.TemporaryDirectory(prefix="workshop-", ignore_cleanup_errors=True)
            folder = Path(self._folder.name)
            folder.mkdir(mode=0o700, exist_ok=True)
            if CAN_FORK and self._guard is None:
                with suppress(OSError):
                    self._guard = Guard(folder)
            return folder

    def _check_open(self) -> None:
        if self._closed:
            raise OSError("this runner has been closed")

    def wait_until_warm(self, seconds: float) -> bool:
        """Waits for the parents that have been started; whether all are ready."""
        with self._lock:
            leases = list(self._leases.values())
        deadline = time.monotonic() + seconds
        return all(lease.is_ready(max(deadline - time.monotonic(), 0)) for lease in leases)

    def run(self, script: Script) -> Run:
        """Starts a script. Raises CannotRunError, and OSError where there is no room for its file."""
        return Run(script, self._launch, self.folder(), self._has_ended)

    def call(self, function: call.Function, *arguments: object, output: int, patience: float) -> call.Call:
        """Starts a function where kernels run on the simulator, as `call.start` does. Raises OSError."""
        self.folder()
        name = guard.new_name()
        variables = environment(80) | {INTERPRET: "1", guard.OWNER: name}

        def launch(files: Files) -> Process:
            if CAN_FORK:
                with suppress(OSError):
                    return WarmProcess(self._connect(_parent(Mode.SIMULATOR)), Request((), "/", variables), files)
            return NewProcess(call.COMMAND, files, variables)

        started = call.Call(launch, output, patience, partial(self._has_ended, name))
        started.send(call.Task(function, arguments))
        return started

    def _has_ended(self, name: str) -> None:
        with self._lock:
            guard = self._guard
        if guard is not None:
            guard.script_has_ended(name)

    def _launch(self, script: Script, file: Path, variables: Mapping[str, str], files: Files) -> Process:
        mode = parent_for(script.source, os.environ) if CAN_FORK and script.plain_python else None
        # Some scripts only a new process can run, or say what is wrong with them.
        if mode is None or not script.folder.is_dir():
            return launch_new(script, file, variables, files)
        request = Request(
            (str(file),),
            str(script.folder.resolve()),
            variables,
            script.memory_limit,
            terminal=script.terminal is not None,
        )
        with suppress(OSError):  # no parent
            parent = _parent(mode)
            lease = self._leases.get(mode)
            # While it imports, a new process is faster.
            if heavy(script.source) or (lease is not None and lease.parent == parent and lease.is_ready()):
                return WarmProcess(self._connect(parent), request, files)
        return launch_new(script, file, variables, files)

    def _connect(self, parent: WarmParent) -> SocketConnection:
        """A connection to a parent that stays as long as we do. Raises OSError."""
        self._lease(parent)
        return parent.connect(stays=0)

    def _lease(self, parent: WarmParent) -> None:
        """Has a parent stay, in the place of one of that mode that has gone or has imported other code."""
        with self._lock:
            self._check_open()
            lease = self._leases.get(parent.mode)
            if lease is None or lease.parent != parent or lease.gone:
                if lease is not None:
                    lease.close()
                self._leases[parent.mode] = Lease(parent)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            leases, self._leases = list(self._leases.values()), {}
            guard, self._guard = self._guard, None
            folder, self._folder = self._folder, None
        for lease in leases:
            lease.close()
        if guard is not None:
            guard.close()
        if folder is not None:
            folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _parent(mode: Mode) -> WarmParent:
    """The parent whose children see what a script of ours sees. Raises OSError."""
    return WarmParent.of(mode, environment(80))
