"""Run of one script.

It starts, gives its output as it comes, can be stopped, and leaves nothing behind.
"""

from __future__ import annotations

import os
import pickle
import select
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from triton_workshop.processes.languages import command_for, write_file
from triton_workshop.processes.locations import line_renamer
from triton_workshop.processes.modes import always_simulated
from triton_workshop.processes.process import (
    DRAIN_SECONDS,
    INTERRUPT,
    POLL_SECONDS,
    SHUTDOWN_GRACE_SECONDS,
    WINDOWS,
    Files,
    NewProcess,
    Process,
    RunningProcess,
    call_later,
)
from triton_workshop.processes.script import CannotRunError, Outcome, Script
from triton_workshop.slide_environment import LAUNCHES

CHUNK_BYTES = 65536
GRACE_SECONDS = 2.0
"""Seconds that a script has to end after an interrupt."""
Launch = Callable[[Script, Path, Mapping[str, str]], tuple[Process, int]]
"""Function that starts a script, and returns where its output is read.

It gets the script, the file with its source and its variables. Raises OSError and CannotRunError.
"""


def launch_new(script: Script, file: Path, variables: Mapping[str, str]) -> tuple[Process, int]:
    """Start a script as a new process."""
    command, variables = command_for(script, file, variables)
    return with_output(lambda files: NewProcess(command, files, variables, script.folder, script.memory_limit))


def with_output(start: Callable[[Files], Process]) -> tuple[Process, int]:
    """Start a process with a script's input and output.

    Return it, and where its output is read. Raises what `start` raises, and OSError.
    """
    reader, writer = os.pipe()
    try:
        # The output ends when the last process that holds it lets go.
        with os.fdopen(writer, "wb"), Path(os.devnull).open("rb") as devnull:
            return start((devnull.fileno(), writer, writer)), reader
    except BaseException:
        os.close(reader)
        raise


class Run(RunningProcess):
    """A script that is running.

    Use it as a context manager, iterate over `output()`, then ask `wait()` for the outcome.
    """

    def __init__(
        self,
        script: Script,
        launch: Launch = launch_new,
        folder: Path | None = None,
        on_end: Callable[[], None] = lambda: None,
    ) -> None:
        """Start the script.

        `launch` starts it. Its file is in a new folder, in this `folder` or in the system's temporary folder. `on_end`
        is called at the end. Raises CannotRunError, and OSError if there is no room for its file.
        """
        self._script = script
        self._timed_out = False
        self._started = time.monotonic()
        with ExitStack() as undo:
            undo.callback(on_end)
            temporary = tempfile.TemporaryDirectory(prefix="workshop-", dir=folder, ignore_cleanup_errors=True)
            self._file = write_file(script, Path(undo.enter_context(temporary)))
            try:
                process, self._output = launch(script, self._file, self._variables())
                undo.callback(os.close, self._output)
            except OSError as error:
                raise CannotRunError(f"{script.language} did not start: {error.strerror or error}") from error
            super().__init__(process, undo.pop_all())
        if script.time_limit is not None:
            clock = call_later(script.time_limit, self._expire)
            self._undo.callback(clock.cancel)

    def output(self) -> Iterator[bytes]:
        """Yield the script's output, stdout and stderr in order, as it comes.

        Ends when the script and its process group have gone, or have closed their end of the pipe. A script that has an
        origin or numbers names its file there without the temporary folder.
        """
        script = self._script
        is_numbered = script.origin is not None or bool(script.numbers)
        rename = line_renamer(self._file, script.numbers) if is_numbered else bytes
        while self._readable():
            chunk = os.read(self._output, CHUNK_BYTES)
            if not chunk:
                break
            # A location is written at once, so that a piece seldom ends in its midst.
            yield rename(chunk)
        self._reap()

    def _readable(self) -> bool:
        """Wait for output.

        Return False once the script is gone and can print no more.
        """
        if WINDOWS:  # select() only knows sockets there; the read itself waits for the end of the pipe
            return True
        while True:
            ended = self._reap()
            if ended is not None and time.monotonic() - ended > DRAIN_SECONDS:
                return False
            seconds = POLL_SECONDS if ended is None else 0
            if select.select([self._output], [], [], seconds)[0]:
                return True
            if ended is not None:
                return False

    def wait(self) -> Outcome:
        """Wait for the script to end, and say how it went."""
        ended = self._end()
        return Outcome(self._code, ended - self._started, self._stopped, self._timed_out)

    def _variables(self) -> Mapping[str, str]:
        script = self._script
        variables = script.environment(self._file)
        may_compile = script.plain_python and not always_simulated(script.source)
        if not may_compile:
            return variables
        return {**variables, LAUNCHES: str(self._launches)}

    @property
    def _launches(self) -> Path:
        return self._file.with_name("launches")

    def launched(self) -> tuple[Any, ...]:
        """Return the compiler jobs of the script's launches on the simulator.

        Call this once the script has ended.
        """
        with suppress(OSError, pickle.PickleError, EOFError):
            return tuple(pickle.loads(self._launches.read_bytes()))
        return ()

    def stop(self, grace: float = GRACE_SECONDS) -> None:
        """Interrupt it, and kill it if it is still running `grace` seconds later."""
        super().stop(grace)

    def _expire(self) -> None:
        if not self.has_ended():
            self._timed_out = True
            self.stop()

    def close(self) -> None:
        """End the script, with an interrupt first.

        A script can then end what it has started outside its process group.
        """
        if not self.has_ended():
            self._stopped = True
            self._process.signal_group(INTERRUPT)
            self._process.pause(SHUTDOWN_GRACE_SECONDS)
        super().close()
