"""Checks scripts in a process beside this one, which has torch ready: this one never imports it.

What can be told from a script's text is told here, at once. For all else a process that has imported what a check needs
waits for its request: a fork of the warm runner's parent on Linux, a new process elsewhere.
"""

from __future__ import annotations

import pickle
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from triton_workshop.checking.check import LIMIT, read, verdict_of
from triton_workshop.checking.exercise import ROOT, Exercise
from triton_workshop.checking.verdict import Verdict
from triton_workshop.runner import FAREWELL, CannotRunError, Run, Script, WarmRunner

POLL = 0.01
"""Seconds between two looks for a verdict; the process that waits looks half as often for its request."""
PATIENCE = 150.0
"""Seconds beyond a script's own limit: torch may be imported from a slow disk, twice on a machine with a GPU."""
REQUEST, VERDICT = "request", "verdict"

# The first line has the warm runner take the parent whose kernels run on the simulator. A process that nobody will ask
# any more, because its folder is gone, leaves. One that has done its work ends at once: Python's own end takes a while.
SCRIPT = f"""
import os; os.environ["TRITON_INTERPRET"] = "1"
import pickle, sys, time
from pathlib import Path
from triton_workshop.checking import trial
from triton_workshop.checking.check import check
from triton_workshop.checking.exercises import EXERCISES

trial.prepare()
folder = Path(sys.argv[1])
while not (folder / "{REQUEST}").exists():
    if not folder.exists():
        sys.exit()
    time.sleep({2 * POLL})
number, file, gpu = pickle.loads((folder / "{REQUEST}").read_bytes())
verdict = check(EXERCISES[number], file, gpu=gpu)
(folder / "{VERDICT}.new").write_bytes(pickle.dumps(verdict))
os.replace(folder / "{VERDICT}.new", folder / "{VERDICT}")
os._exit(0)
"""


class StoppedError(Exception):
    """A check that was stopped before it had a verdict."""


class CheckFailedError(Exception):
    """A check that ended without a verdict, through no fault of the script; the message says what is known."""


class Checking(Protocol):
    """A check that has been asked for."""

    def wait(self) -> Verdict:
        """Do it. Raises StoppedError and CheckFailedError. For a thread of its own."""

    def printed(self) -> bytes:
        """The end of what the script has printed so far."""

    def finish(self) -> None:
        """Wait until all of it is gone. `printed` is complete then."""

    def stop(self) -> None:
        """End it; from any thread, at any time. Returns at once."""


class Checker(Protocol):
    """Checks scripts."""

    def check(self, exercise: Exercise, file: Path, *, full_size: bool = False) -> Checking:
        """Returns at once. `full_size` adds the cases on the GPU."""

    def close(self) -> None:
        """End everything that runs."""


class WarmChecker:
    """A `Checker` that keeps a process ready for the next check."""

    def __init__(self) -> None:
        self._runner = WarmRunner()
        self._spare: _Process | None = None
        self._lock = threading.Lock()
        self._closed = False

    def check(self, exercise: Exercise, file: Path, *, full_size: bool = False) -> WarmChecking:
        return WarmChecking(self, _Request(exercise, file, full_size))

    def take(self) -> _Process:
        """A process that waits for a request, or soon will. Raises CannotRunError and OSError."""
        with self._lock:
            spare, self._spare = self._spare, None
        return spare or _Process(self._runner)

    def prepare(self) -> None:
        """Have a process ready for the next check."""
        with self._lock, suppress(CannotRunError, OSError):
            if self._spare is None and not self._closed:
                self._spare = _Process(self._runner)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            spare, self._spare = self._spare, None
        if spare is not None:
            spare.close()
        self._runner.close()


@dataclass(frozen=True)
class _Request:
    exercise: Exercise
    file: Path
    full_size: bool


class WarmChecking:
    """A check by a `WarmChecker`."""

    def __init__(self, checker: WarmChecker, request: _Request) -> None:
        self._checker = checker
        self._request = request
        self._process: _Process | None = None
        self._stopped = False
        self._lock = threading.Lock()

    def wait(self) -> Verdict:
        verdict = self._by_text()
        if verdict is None:
            verdict = self._by_process(self._start())
        self._checker.prepare()  # from now on, not before: two cores have enough to do
        return verdict

    def _by_text(self) -> Verdict | None:
        exercise, file = self._request.exercise, self._request.file
        started = time.perf_counter()
        with suppress(Exception):  # a text that breaks the parser: a process of its own will say so
            source, finding = read(exercise, file.resolve())
            if source is None or finding is not None:
                return verdict_of(exercise, file.resolve(), started, findings=(finding,) if finding else ())
        return None

    def _start(self) -> _Process:
        try:
            process = self._checker.take()
        except (CannotRunError, OSError) as error:
            raise CheckFailedError(str(error)) from error
        with self._lock:
            self._process = process
            stopped = self._stopped
        if stopped:
            process.stop()
        return process

    def _by_process(self, process: _Process) -> Verdict:
        process.ask(self._request)
        deadline = time.monotonic() + LIMIT + PATIENCE
        while True:
            gone = process.is_gone(POLL)
            if self._stopped:
                raise StoppedError
            if (verdict := process.verdict()) is not None:
                return verdict
            if gone:
                raise CheckFailedError(process.last_words())
            if time.monotonic() > deadline:
                raise CheckFailedError("the process that checks does not answer")

    def printed(self) -> bytes:
        return self._process.printed if self._process is not None else b""

    def finish(self) -> None:
        if self._process is not None:
            self._process.finish()

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            if self._process is not None:
                self._process.stop()


class _Process:
    """Waits for a request in a folder, and leaves its verdict there. Raises CannotRunError and OSError."""

    KEPT = 64 * 1024
    """Bytes of what a script prints."""

    def __init__(self, runner: WarmRunner) -> None:
        self._folder = tempfile.TemporaryDirectory(dir=runner.folder(), ignore_cleanup_errors=True)
        self._path = Path(self._folder.name)
        try:
            self._run: Run = runner.run(Script("python", SCRIPT, ROOT, arguments=(str(self._path),)))
        except BaseException:
            self._folder.cleanup()
            raise
        self._reader = threading.Thread(target=self._listen, daemon=True)
        self.printed = b""

    def ask(self, request: _Request) -> None:
        data = pickle.dumps((request.exercise.number, request.file, request.full_size))
        (self._path / "new").write_bytes(data)
        (self._path / "new").replace(self._path / REQUEST)
        self._reader.start()

    def _listen(self) -> None:
        for chunk in self._run.output():
            self.printed = (self.printed + chunk)[-self.KEPT :]

    def is_gone(self, seconds: float) -> bool:
        """Whether it has ended, after that time at most."""
        self._reader.join(seconds)
        return not self._reader.is_alive()

    def verdict(self) -> Verdict | None:
        try:
            verdict = pickle.loads((self._path / VERDICT).read_bytes())
        except FileNotFoundError:
            return None
        assert isinstance(verdict, Verdict)
        return verdict

    def last_words(self) -> str:
        lines = self.printed.decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else f"the process that checks has ended: {self._run.wait().reason}"

    def stop(self) -> None:
        self._run.stop(grace=FAREWELL)

    def finish(self) -> None:
        """Close it, once it has ended by itself where it has done its work or has been stopped."""
        if self.is_gone(FAREWELL):
            self._run.wait()
        self.close()

    def close(self) -> None:
        self._run.close()
        if self._reader.is_alive():
            self._reader.join()
        self._folder.cleanup()
