"""One run of a script: start it, read what it prints as it comes, stop it, leave nothing behind."""

from __future__ import annotations

import os
import select
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from triton_workshop.runner.cold import INTERRUPT, KILL, ColdProcess
from triton_workshop.runner.languages import executor
from triton_workshop.runner.origin import PADDED, PlainNames
from triton_workshop.runner.process import Launch, Process
from triton_workshop.runner.script import CannotRunError, Outcome, Script
from triton_workshop.runner.wire import ParentLostError

WINDOWS = sys.platform == "win32"
CHUNK = 65536
POLL = 0.05
FAREWELL = 0.5
"""Seconds that a script has between the interrupt and the kill when the run is closed."""
LAST_WORDS = 1.0
"""Seconds for which output is still read after a script has exited, where a child of it keeps the pipe open."""


class Run:
    """A script that is running, from the moment this object exists.

    Use it as a context manager, iterate over `output()`, then ask `wait()` for the outcome. The script leads a
    process group of its own, and every way out of the `with` block kills what is left of that group. `stop` and
    `kill` may be called from any thread.

    `launch` is what starts it: a new process, unless a `WarmRunner` gives another. Its file stands in a new folder, in
    this `folder` or where the system has such things. Raises CannotRunError.
    """

    def __init__(self, script: Script, launch: Launch = ColdProcess, folder: Path | None = None) -> None:
        extension = executor(script.language, script.alternative).extension
        self._script = script
        self._stopped = self._timed_out = False
        self._heard = False
        """Whether any output has been passed on: then the script cannot be started over unnoticed."""
        self._repeated = False
        self._lock = threading.RLock()
        self._started = time.monotonic()
        self._code = 0
        self._ended: float | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="workshop-", dir=folder, ignore_cleanup_errors=True)
        self._file = self._write_file(f"block.{extension}")
        self._names = PlainNames(self._file) if script.origin else None
        self._process = self._launch(launch)
        self._clock = self._start_clock()

    def _write_file(self, name: str) -> Path:
        """The script's file: by that name, or where the language allows it, as in the place that it comes from."""
        script, source = self._script, self._script.source
        if script.origin is not None and script.language in PADDED:
            name, source = script.origin.name, script.origin.laid_out(source)
        file = Path(self._folder.name, name)
        file.write_text(source, encoding="utf-8", errors="replace")
        return file

    def _launch(self, launch: Launch) -> Process:
        try:
            return launch(self._script, self._file)
        except CannotRunError:
            self._folder.cleanup()
            raise
        except OSError as error:
            self._folder.cleanup()
            raise CannotRunError(f"{self._script.language} did not start: {error.strerror or error}") from error

    def _start_clock(self) -> threading.Timer | None:
        if self._script.time_limit is None:
            return None
        timer = threading.Timer(self._script.time_limit, self._run_out_of_time)
        timer.daemon = True
        timer.start()
        return timer

    def output(self) -> Iterator[bytes]:
        """What the script prints, stdout and stderr in order, in pieces as they come.

        Ends when the script and its process group have gone, or have closed their end of the pipe. A script that has
        an origin names its file there without the temporary folder.
        """
        names = self._names
        if names is None:
            yield from self._printed()
            return
        for chunk in self._printed():
            if shown := names.pass_on(chunk):
                yield shown
        if rest := names.rest():
            yield rest

    def _printed(self) -> Iterator[bytes]:
        while True:
            process = self._process
            while self._readable() and (chunk := _read(self._process.output)):
                self._heard = True
                yield chunk
            self._reap()
            if self._process is process:  # and not another, started in the place of one that was lost
                return

    def _readable(self) -> bool:
        """Waits for output; False once the script is gone and nothing more of its own can come."""
        if WINDOWS:  # select() knows only sockets there; the read itself waits for the end of the pipe
            return True
        while True:
            ended = self._reap()
            if ended is not None and time.monotonic() - ended > LAST_WORDS:
                return False
            if select.select([self._process.output], [], [], POLL if ended is None else 0)[0]:
                return True
            if ended is not None:
                return False

    def _reap(self) -> float | None:
        """When the script exited; None while it runs. The first time that it has, its group is killed."""
        with self._lock:
            code = self._poll() if self._ended is None else None
            if code is not None:
                self._code, self._ended = code, time.monotonic()
                self._process.signal_group(KILL)
            return self._ended

    def _poll(self) -> int | None:
        """The exit status. A script that has gone with its warm parent, unheard, is started again, once, cold."""
        try:
            return self._process.poll()
        except ParentLostError:
            if self._heard or self._stopped or self._repeated:
                return -KILL
            lost, self._repeated = self._process, True
            self._process = self._launch(ColdProcess)
            lost.release()
            return None

    def wait(self) -> Outcome:
        """Waits for the end of the script, and says how it went."""
        while self._reap() is None:
            self._process.pause(1)
        assert self._ended is not None
        return Outcome(self._code, self._ended - self._started, self._stopped, self._timed_out)

    def stop(self, grace: float = 2.0) -> None:
        """Interrupts the script as Ctrl+C would; what has not ended `grace` seconds later is killed."""
        if self._reap() is not None:
            return
        self._stopped = True
        self._process.signal_group(INTERRUPT)
        timer = threading.Timer(grace, self.kill)
        timer.daemon = True
        timer.start()

    def kill(self) -> None:
        """Ends the script and its whole process group at once."""
        if self._reap() is None:
            self._stopped = True
            self._process.signal_group(KILL)

    def _run_out_of_time(self) -> None:
        if self._reap() is None:
            self._timed_out = True
            self.stop()

    def close(self) -> None:
        """Ends what still runs and removes the temporary folder.

        An interrupt goes first, so that a script can end what it has started outside of its process group.
        """
        if self._clock is not None:
            self._clock.cancel()
        if self._reap() is None:
            self._stopped = True
            self._process.signal_group(INTERRUPT)
            self._process.pause(FAREWELL)
        self.kill()
        self.wait()
        self._process.release()
        self._folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, CHUNK)
    except OSError:  # how a pseudo-terminal ends on Linux
        return b""
