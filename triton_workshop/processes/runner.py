"""Runner of scripts and functions.

It uses warm processes if possible, and ends everything that it has started.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Self

from triton_workshop.processes import call, reaper
from triton_workshop.processes.idle import idle_seconds
from triton_workshop.processes.modes import INTERPRET, Mode, compiling, parent_for
from triton_workshop.processes.process import CAN_FORK, Files, NewProcess, Process
from triton_workshop.processes.reaper import Reaper
from triton_workshop.processes.run import Run, launch_new
from triton_workshop.processes.script import Script, environment
from triton_workshop.processes.starters import SpareProcesses, Starter, WarmParents
from triton_workshop.processes.warm import Request


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
        self.idle = None if CAN_FORK else idle_seconds(os.environ)
        """Seconds that a process may wait for something to do.

        None where it is a fork, which costs little.
        """
        self._starter: Starter = WarmParents(linger_seconds) if CAN_FORK else SpareProcesses(self.idle)
        self._reaper: Reaper | None = None
        self._folder: Path | None = None
        self._undo = ExitStack()
        """Ends everything that was started in the folder."""
        self._lock = threading.Lock()
        self._closed = False

    def warm_up(self, mode: Mode | None = None) -> None:
        """Start the parent of a mode, without waiting for it.

        By default it is the mode that most scripts will need. Where nothing can fork, it starts processes that wait for
        scripts.
        """
        with suppress(OSError):
            self.folder()
            self._starter.warm_up(mode)

    def folder(self) -> Path:
        """Return a folder for temporary files, which ends with this process.

        It exists even if somebody has cleaned up the system's temporary files meanwhile. From now on, nothing that has
        our name outlives this process. Raises OSError.
        """
        with self._lock:
            if self._closed:
                raise OSError("this runner has been closed")
            if self._folder is None:
                temporary = tempfile.TemporaryDirectory(prefix="workshop-", ignore_cleanup_errors=True)
                self._folder = Path(self._undo.enter_context(temporary))
            self._folder.mkdir(mode=0o700, exist_ok=True)
            needs_reaper = CAN_FORK and self._reaper is None
            if needs_reaper:
                with suppress(OSError):
                    self._reaper = Reaper(self._folder)
                    self._undo.callback(self._reaper.close)
            return self._folder

    def wait_until_warm(self, seconds: float) -> bool:
        """Wait for the parents that have been started.

        Return True if all are ready.
        """
        return self._starter.wait_until_warm(seconds)

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
            """Start a warm process, or else a new one."""
            warm = self._starter.start_call(mode, variables, files)
            return warm or NewProcess(call.COMMAND, files, variables)

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

    def _launch(self, name: str, script: Script, file: Path, variables: Mapping[str, str]) -> tuple[Process, int]:
        variables = {**variables, reaper.OWNER: name}
        mode = parent_for(script.source, os.environ) if script.plain_python else None
        # Only a new process can run some scripts, or say what is wrong with them.
        if mode is not None and script.folder.is_dir():
            request = Request((str(file),), str(script.folder.resolve()), variables, script.memory_limit)
            with suppress(OSError):  # no parent, or a spare that has just ended
                if started := self._starter.start_script(script.source, mode, request):
                    return started
        return launch_new(script, file, variables)

    def close(self) -> None:
        """End everything that was started here."""
        with self._lock:
            self._closed = True
            undo = self._undo.pop_all()
        undo.callback(self._starter.close)  # first, while the reaper still watches
        undo.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
