"""The parent's side of a child that runs a script: start it, read what it observes, and leave nothing of it behind."""

from __future__ import annotations

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import IO, Protocol, cast

from triton_workshop.checking import repair
from triton_workshop.checking.child import Channel, observe_script, send_culprit
from triton_workshop.checking.exercise import Case, Exercise
from triton_workshop.checking.observe import Failure, Observation
from triton_workshop.checking.source import Source

GRACE = 3.0
"""Seconds beyond its limit that a child has to end itself; one that holds Python's lock cannot."""
START = 60.0
"""Seconds that a child that is started anew may take to import torch, on a slow disk."""
CAN_FORK = hasattr(os, "fork")


class Child(Protocol):
    pipe: IO[bytes]

    def kill(self) -> None:
        """End it and all that it has started."""

    def status(self) -> int:
        """Wait for its end: the exit status, or minus the signal's number."""


class Forked:
    """A copy of this process, which has imported all that a script needs. It does `work`, and is gone."""

    def __init__(self, work: Callable[[Channel], None], output: int) -> None:
        reading, writing = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self._pid = os.fork()
        if self._pid == 0:
            try:
                os.setpgid(0, 0)
                os.close(reading)
                os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
                os.dup2(output, 1)
                os.dup2(output, 2)
                work(Channel(os.fdopen(writing, "wb")))
                sys.stdout.flush()
            finally:
                os._exit(0)
        with suppress(OSError):  # so that it leads a group, whichever of the two comes first
            os.setpgid(self._pid, self._pid)
        os.close(writing)
        self.pipe: IO[bytes] = os.fdopen(reading, "rb")

    def kill(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._pid, signal.SIGKILL)

    def status(self) -> int:
        with suppress(ChildProcessError):
            return os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        return 0


class Started:
    """A new Python process: where this one cannot fork, or has Triton loaded in the other mode.

    `module` is run as a program that reads its arguments by `child.started_with`.
    """

    def __init__(
        self,
        exercise: Exercise,
        source: Source,
        limit: float,
        output: int,
        *mode: str,
        module: str = "triton_workshop.checking.child",
    ) -> None:
        simulated = {} if mode == ("cuda",) else {"TRITON_INTERPRET": "1"}
        environ = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"} | simulated
        arguments = [str(exercise.number), str(source.file), str(limit), *mode]
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=output,
            env=environ,
            start_new_session=sys.platform != "win32",
        )
        self.pipe = cast(IO[bytes], self._process.stdout)

    def kill(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                self._process.kill()
            else:
                os.killpg(self._process.pid, signal.SIGKILL)

    def status(self) -> int:
        return self._process.wait()


@contextmanager
def reports(child: Child, limit: float) -> Iterator[Iterator[object]]:
    """What a child sends, as it comes. When the block is left, the child and all that it has started are gone."""
    received: queue.SimpleQueue[object] = queue.SimpleQueue()
    reader = threading.Thread(target=_read, args=(child.pipe, received), daemon=True)
    reader.start()
    try:
        yield _until_done(child, received, time.monotonic() + limit)
    finally:
        child.kill()
        child.status()
        reader.join()
        child.pipe.close()


_DONE, _GONE = object(), object()


def _read(pipe: IO[bytes], received: queue.SimpleQueue[object]) -> None:
    try:
        while len(header := pipe.read(8)) == 8:
            length = int.from_bytes(header, "little")
            if not length:
                received.put(_DONE)
                return
            received.put(pickle.loads(pipe.read(length)))
    except (EOFError, pickle.UnpicklingError, OSError, ValueError):
        pass
    received.put(_GONE)


def _until_done(child: Child, received: queue.SimpleQueue[object], deadline: float) -> Iterator[object]:
    while True:
        try:
            report = received.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            yield Observation(timed_out=True)
            return
        if report is _DONE:
            return
        if report is _GONE:
            yield Observation(failure=_death(child.status()))
            return
        yield report


def _death(status: int) -> Failure:
    """The process ended before it had said everything."""
    if status < 0:
        with suppress(ValueError):
            return Failure("Killed", f"the script's process was ended by {signal.Signals(-status).name}", None)
    return Failure("SystemExit", f"the script ended itself, exit status {status}", None)


def start_simulated(
    exercise: Exercise, source: Source, limit: float, output: int, *, fork: bool
) -> tuple[Child, float]:
    """A child that runs the script on the simulator, and the seconds after which it is given up."""
    if fork and CAN_FORK:
        return Forked(partial(observe_script, exercise, source, exercise.cases, limit=limit), output), limit + GRACE
    return Started(exercise, source, limit, output), limit + GRACE + START


def start_search(exercise: Exercise, source: Source, case: Case, *, fork: bool) -> tuple[Child, float]:
    """A child that looks for the mistake by which a case fails, and the seconds after which it is given up."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        patience = repair.LIMIT + repair.GRACE + GRACE
        if fork and CAN_FORK:
            return Forked(partial(send_culprit, exercise, source, case), nowhere), patience
        return Started(exercise, source, repair.LIMIT, nowhere, case.name), patience + START
    finally:
        os.close(nowhere)
