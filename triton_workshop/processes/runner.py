"""Starts scripts and functions, in forks of warm parents where that can be, and ends with all that it has started."""

from __future__ import annotations

import os
import select
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
from triton_workshop.processes.warm import READY, Request, WarmParent, WarmProcess
from triton_workshop.processes.wire import SocketConnection


class Runner:
    """Runs Python scripts in forks of warm parents, everything else in new processes.

    A parent is started with the first script that needs it, or by `warm_up`; while it still imports, scripts that
    import nothing heavy run in new processes, and so does all that a warm process cannot run as a new one would.
    `close` ends whatever was started here; so does the end of this process, of whatever kind. All of it may be called
    from any thread.
    """

    def __init__(self) -> None:
        self._leases: dict[Mode, _Lease] = {}
        self._guard: Guard | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._lock = threading.Lock()
        self._closed = False

    def warm_up(self) -> None:
        """Starts the parent that most scripts will need; returns at once."""
        self.put_up_guard()
        if CAN_FORK:
            with suppress(OSError):
                self._lease(_parent(default_mode(os.environ)))

    def put_up_guard(self) -> None:
        """Sees to it that nothing outlives this process, from now on; all that starts something does so by itself."""
        with suppress(OSError):
            folder = self.folder()
            with self._lock:
                if CAN_FORK and self._guard is None and not self._closed:
                    self._guard = Guard(folder)

    def folder(self) -> Path:
        """Where temporary files go that nobody may be left to remove: it goes with this process, like the rest.

        It is there even if somebody has tidied up the system's temporary files meanwhile. Raises OSError.
        """
        with self._lock:
            self._check_open()
            if self._folder is None:
                self._folder = tempfile.TemporaryDirectory(prefix="workshop-", ignore_cleanup_errors=True)
            folder = Path(self._folder.name)
            folder.mkdir(mode=0o700, exist_ok=True)
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
        self.put_up_guard()
        return Run(script, self._launch, self.folder(), self._has_ended)

    def call(self, function: call.Function, *arguments: object, output: int, patience: float) -> call.Call:
        """Starts a function where kernels run on the simulator, as `call.start` does. Raises OSError."""
        self.put_up_guard()
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
            if heavy(script.source) or self._is_ready(parent):
                return WarmProcess(self._connect(parent), request, files)
        return launch_new(script, file, variables, files)

    def _is_ready(self, parent: WarmParent) -> bool:
        """Whether it is here and has imported everything: until then, a new process is faster."""
        with self._lock:
            lease = self._leases.get(parent.mode)
        return lease is not None and lease.parent == parent and lease.is_ready(0)

    def _connect(self, parent: WarmParent) -> SocketConnection:
        """A connection to a parent that stays as long as we do. Raises OSError."""
        self._lease(parent)
        return parent.connect(stays=0)

    def _lease(self, parent: WarmParent) -> None:
        """Has a parent stay, in the place of one of that mode that has gone or has imported other code."""
        with self._lock:
            self._check_open()
            lease = self._leases.get(parent.mode)
            if lease is None or lease.parent != parent or lease.has_gone():
                if lease is not None:
                    lease.close()
                self._leases[parent.mode] = _Lease(parent)

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


class _Lease:
    """A connection that asks for nothing: a parent stays as long as somebody has one."""

    def __init__(self, parent: WarmParent) -> None:
        """Raises OSError."""
        self.parent = parent
        self._connection = parent.connect(stays=0)
        self._ready = False
        self._gone = False
        self._lock = threading.Lock()

    def is_ready(self, seconds: float) -> bool:
        """Whether the parent has imported what most scripts need; waits for so long."""
        with self._lock:
            waits = 0 if self._ready else seconds
            if not self._gone and select.select([self._connection], [], [], waits)[0]:
                try:
                    self._ready = self._connection.receive() == READY
                except (OSError, EOFError):
                    self._gone = True
            return self._ready and not self._gone

    def has_gone(self) -> bool:
        self.is_ready(0)
        return self._gone

    def close(self) -> None:
        with self._lock:
            self._gone = True
            self._connection.close()
