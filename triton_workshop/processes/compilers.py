"""Starts processes for Triton's compiler, new ones or forks of a warm one, and asks it for the GPUs of this machine.

What was asked before, of the same kernels and with the same Triton, is answered from the disk.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from triton_simulator.compiler import report
from triton_simulator.compiler.compilation import READY, CrashedError, SlowError, Start
from triton_simulator.compiler.jobs import Answer, CompileJob, PickledKernel
from triton_simulator.gpus import Target
from triton_workshop.device import visible_gpus
from triton_workshop.disk_cache import DiskCache
from triton_workshop.processes import call
from triton_workshop.processes.call import Call, EndedError, TimeIsUpError
from triton_workshop.processes.modes import Mode, compiling
from triton_workshop.processes.runner import Runner

COMPILER = "triton_simulator.compiler.child:serve_jobs"
CACHE = DiskCache("compiled", 512)
NO_JOB = CompileJob(PickledKernel("", "", b""), None)
"""In the place of the job in an answer that is kept."""


class CompilerProcess:
    """A call of `serve_jobs`, as `compiler` wants it: see `compilation.CompileWorker`.

    `start` makes it, of where its output goes and of a folder for its files: one that is ended has no time to remove
    those. Raises OSError as `start` does.
    """

    def __init__(self, start: Callable[[int, str], Call]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="workshop-", ignore_cleanup_errors=True)
        try:
            with Path(os.devnull).open("wb") as nowhere:
                self._call = start(nowhere.fileno(), self._folder.name)
        except OSError:
            self._folder.cleanup()
            raise

    def send(self, message: object) -> None:
        self._call.send(message)

    def next_message(self, seconds: float) -> object:
        try:
            return self._call.next_message(seconds)
        except TimeIsUpError as error:
            raise SlowError(str(error)) from error
        except EndedError as error:
            raise CrashedError(str(error)) from error

    def end(self) -> None:
        self._call.kill()
        self._call.close()
        self._folder.cleanup()


class RememberingWorker:
    """A process for the compiler that is only asked what has not been asked before: see `compilation.CompileWorker`."""

    def __init__(self, start: Callable[[], CompilerProcess]) -> None:
        self._start = start
        self._process: CompilerProcess | None = None
        self._ready = False
        """Whether that was said."""
        self._left: list[tuple[CompileJob, object]] = []
        """Jobs without an answer, in order, each with the one that is known from before."""
        self._found: list[Answer] = []

    def send(self, message: object) -> None:
        if not isinstance(message, tuple):
            raise TypeError(f"expected a tuple of jobs, got {type(message).__name__}")
        self._left = [(job, CACHE.get(job, job.kernel.data)) for job in message]
        if unknown := tuple(job for job, known in self._left if known is None):
            self._process = self._start()
            self._process.send(unknown)

    def next_message(self, seconds: float) -> object:
        if not self._ready:
            self._ready = True
            return self._process.next_message(seconds) if self._process else READY
        job, known = self._left.pop(0)
        if isinstance(known, Answer):
            return replace(known, job=job)
        assert self._process is not None
        answer = self._process.next_message(seconds)
        if isinstance(answer, Answer) and answer.refusal is None:  # which may be for a full disk
            self._found.append(answer)
        return answer

    def end(self) -> None:
        if self._process is not None:
            self._process.end()
        for answer in self._found:
            CACHE.keep(replace(answer, job=NO_JOB), answer.job, answer.job.kernel.data)


def new_process() -> RememberingWorker:
    """Start a process for the compiler when it is asked something new. That raises OSError if none can be started."""

    def start(output: int, folder: str) -> Call:
        return call.start(COMPILER, folder, output=output, variables=compiling(os.environ))

    return RememberingWorker(partial(CompilerProcess, start))


def warm(runner: Runner) -> Start:
    """The same with processes that have imported Triton before."""

    def start(output: int, folder: str) -> Call:
        return runner.call(COMPILER, folder, output=output, mode=Mode.COMPILER)

    return lambda: RememberingWorker(partial(CompilerProcess, start))


def ask(kernels: Sequence[PickledKernel], start: Start, added: Sequence[Target] = ()) -> report.CompilerReport:
    """Have kernels compiled for the GPUs that a workshop meets, and for this machine's own. Raises OSError.

    If they are fine, they are compiled for the targets in `added` too. A second process helps where it starts at once;
    a new one would first have to import Triton.
    """
    capabilities = [gpu.compute_capability for gpu in visible_gpus() if gpu.runs_kernels]
    present = {10 * major + minor for major, minor in capabilities}
    return report.ask(kernels, start, present, added=added, two_processes=start is not new_process)
