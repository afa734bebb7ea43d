"""Runner of scripts and functions.

It uses forks of warm parents if possible, and ends everything that it has started.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Self

from triton_workshop.processes import call, reaper
from triton_workshop.processes.idle import idle_seconds
from triton_workshop.processes.modes import (
    INTERPRET,
    PACKAGE,
    Mode,
    compiling,
    default_mode,
    has_slow_imports,
    parent_for,
)
from triton_workshop.processes.prepared import PreparedProcess
from triton_workshop.processes.process import CAN_FORK, Files, NewProcess, Process
from triton_workshop.processes.reaper import Reaper
from triton_workshop.processes.run import Run, launch_new, with_output
from triton_workshop.processes.script import Script, environment
from triton_workshop.processes.spares import SparePool
from triton_workshop.processes.warm import Request, WarmParent, WarmProcess

MAX_SPARES = 2
"""Processes that may wait for scripts where nothing can fork.

Each has imported torch and takes several hundred MB.
"""


class Runner:
    """Starter of scripts and functions.

    Python scripts run in forks of warm parents or in processes that wait for them, and all else in new ones. A parent
    is started with the first script that needs it, or by `warm_up`. While it still imports, scripts that import nothing
    heavy run in new processes, and so does any script that a warm process cannot run as a new one would.

    `close` ends whatever was started here, and so does the end of this process, however it comes. Every method may be
    called from any thread.
    """

    def __init__(self, linger_seconds: float = 0) -> None:
        """Create a runner.

        The parents that it starts linger for so many seconds after it has gone. Raises IdleError.
        """
        self._linger_seconds = linger_seconds
        self.idle = None if CAN_FORK else idle_seconds(os.environ)
        """Seconds that a process may wait for something to do.

        None where it is a fork, which costs little.
        """
        self._spares = SparePool(self._prepared, MAX_SPARES, self.idle)
        """For scripts, where nothing can fork."""
        self._leases: dict[Mode, WarmProcess] = {}
        """Idle conversations: a parent stays as long as there is one."""
        self._reaper: Reaper | None = None
        self._folder: Path | None = None
        self._undo = ExitStack()
        """Ends everything that was started."""
        self._undo.callback(self._spares.close)
        self._lock = threading.Lock()
        self._closed = False

    def warm_up(self, mode: Mode | None = None) -> None:
        """Start the parent of a mode, without waiting for it.

        By default it is the mode that most scripts will need. Where nothing can fork, it starts processes that wait for
        scripts.
        """
        with suppress(OSError):
            self.folder()
            if CAN_FORK:
                self._lease(mode or default_mode(os.environ))
            elif mode is None:
                self._spares.fill()

    def folder(self) -> Path:
        """Return a folder for temporary files, which ends with this process.

        It exists even if somebody has cleaned up the system's temporary files meanwhile. From now on, nothing that has
        our name outlives this process. Raises OSError.
        """
        with self._lock:
            self._check_open()
            if self._folder is None:
                temporary = tempfile.TemporaryDirectory(prefix="workshop-", ignore_cleanup_errors=True)
                self._folder = Path(self._undo.enter_context(temporary))
            self._folder.mkdir(mode=0o700, exist_ok=True)
            if CAN_FORK and self._reaper is None:
                with suppress(OSError):
                    self._reaper = Reaper(self._folder)
                    self._undo.callback(self._reaper.close)
            return self._folder

    def _check_open(self) -> None:
        if self._closed:
            raise OSError("this runner has been closed")

    def wait_until_warm(self, seconds: float) -> bool:
        """Wait for the parents that have been started.

        Return True if all are ready.
        """
        with self._lock:
            leases = list(self._leases.values())
        deadline = time.monotonic() + seconds
        return all(lease.is_ready(max(deadline - time.monotonic(), 0)) for lease in leases)

    def run(self, script: Script) -> Run:
        """Start a script.

        Raises CannotRunError, and OSError if there is no room for its file.
        """
        folder, name = self.folder(), self._new_name()
        return Run(script, partial(self._launch, name), folder, partial(self._has_ended, name))

    def call(
        self,
        function: call.Function,
        *arguments: object,
        output: int,
        timeout: float | None = None,
        mode: Mode = Mode.SIMULATOR,
    ) -> call.Call:
        """Start a function as `call.start` does, warm if possible.

        The mode says whether kernels run on the simulator there, or Triton compiles. Raises OSError.
        """
        self.folder()
        name = self._new_name()
        variables = compiling(environment(80)) if mode is Mode.COMPILER else environment(80) | {INTERPRET: "1"}
        variables[reaper.OWNER] = name

        def launch(files: Files) -> Process:
            """Fork a warm parent, or start a new process."""
            if CAN_FORK:
                with suppress(OSError):
                    parent = self._lease(mode).parent
                    return WarmProcess(parent).begin(Request((), "/", variables), files)
            return NewProcess(call.COMMAND, files, variables)

        started = call.Call(launch, output, timeout, partial(self._has_ended, name))
        started.send(call.Task(function, arguments))
        return started

    def _new_name(self) -> str:
        with self._lock:
            return self._reaper.new_name() if self._reaper else ""

    def _has_ended(self, name: str) -> None:
        with self._lock:
            if self._reaper:
                self._reaper.script_has_ended(name)

    def _prepared(self) -> PreparedProcess:
        return PreparedProcess(default_mode(os.environ), environment(80))

    def _launch(self, name: str, script: Script, file: Path, variables: Mapping[str, str]) -> tuple[Process, int]:
        variables = {**variables, reaper.OWNER: name}
        mode = parent_for(script.source, os.environ) if script.plain_python else None
        # Only a new process can run some scripts, or say what is wrong with them.
        if mode is None or not script.folder.is_dir():
            return launch_new(script, file, variables)
        request = Request((str(file),), str(script.folder.resolve()), variables, script.memory_limit)
        with suppress(OSError):  # no parent, or a spare that has just ended
            if CAN_FORK:
                lease = self._lease(mode)
                if has_slow_imports(script.source) or lease.is_ready():  # while it imports, a new process is faster
                    return with_output(lambda files: WarmProcess(lease.parent).begin(request, files))
            elif _fits_a_spare(script, mode):
                self._spares.refill_later()
                if spare := self._spares.take():
                    return spare.become(request)
        return launch_new(script, file, variables)

    def _lease(self, mode: Mode) -> WarmProcess:
        """Return an open connection to the parent that fits our scripts.

        It drops any other of that mode, which has gone or has imported other code. Raises OSError.
        """
        parent = WarmParent.of(mode, environment(80))
        with self._lock:
            self._check_open()
            lease = self._leases.get(mode)
            if lease is None or lease.parent != parent or lease.poll() is not None:
                if lease is not None:
                    lease.release()
                lease = self._leases[mode] = WarmProcess(parent, self._linger_seconds)
                self._undo.callback(lease.release)
            return lease

    def close(self) -> None:
        """End everything that was started here."""
        with self._lock:
            self._closed = True
            undo = self._undo.pop_all()
        undo.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _fits_a_spare(script: Script, mode: Mode) -> bool:
    """Return True if a spare has imported what the script needs.

    The script must also run there as in a new process.
    """
    # A new process finds Triton only by way of our package where there is no wheel of it.
    as_new = PACKAGE in script.source or "triton" not in script.source
    return as_new and has_slow_imports(script.source) and mode is default_mode(os.environ)
