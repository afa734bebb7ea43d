"""Processes for Triton's compiler, new or warm.

They compile for the GPUs of this machine as well. An answer that was given before, for the same kernels and with the
same Triton, comes from the disk.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from triton_simulator.compiler.compilation import READY, CrashedError, SlowError, Start
from triton_simulator.compiler.jobs import Answer, CompileJob, PickledKernel
from triton_simulator.compiler.report import CompilerReport, ask
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
    """Call of `serve_jobs`, as a `compilation.CompileWorker`.

    `start` makes the call from a descriptor for its output and a folder for its files, since a process that is killed
    has no time to remove those. Raises OSError as `start` does.
    """

    def __init__(self, start: Callable[[int, str], Call]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="workshop-", ignore_cleanup_errors=True)
        try:
            with Path(os.devnull).open("wb") as devnull:
                self._call = start(devnull.fileno(), self._folder.name)
        except OSError:
            self._folder.cleanup()
            raise

    def send(self, message: object) -> None:
        """Send a message to the process."""
        self._call.send(message)

    def next_message(self, seconds: float) -> object:
        """Return the next message. Raises SlowError and CrashedError."""
        try:
            return self._call.next_message(seconds)
        except TimeIsUpError as error:
            raise SlowError(str(error)) from error
        except EndedError as error:
            raise CrashedError(str(error)) from error

    def end(self) -> None:
        """Kill the process and remove its files."""
        self._call.kill()
        self._call.close()
        self._folder.cleanup()


class CachingWorker:
    """`compilation.CompileWorker` that sends on only jobs not in the cache."""

    def __init__(self, start: Callable[[], CompilerProcess]) -> None:
        self._start = start
        self._process: CompilerProcess | None = None
        self._ready = False
        """True once the ready message was returned."""
        self._pending: list[tuple[CompileJob, object]] = []
        """Jobs to answer, in order, each with its cached answer, if any."""
        self._new_answers: list[Answer] = []

    def send(self, message: object) -> None:
        """Look the jobs up, and start a process for the unknown ones."""
        if not isinstance(message, tuple):
            raise TypeError(f"expected a tuple of jobs, got {type(message).__name__}")
        self._pending = [(job, CACHE.get(job, job.kernel.data)) for job in message]
        unknown = tuple(job for job, cached in self._pending if cached is None)
        if unknown:
            self._process = self._start()
            self._process.send(unknown)

    def next_message(self, seconds: float) -> object:
        """Return the ready message, and then one answer after the other."""
        if not self._ready:
            self._ready = True
            return self._process.next_message(seconds) if self._process else READY
        job, cached = self._pending.pop(0)
        if isinstance(cached, Answer):
            return replace(cached, job=job)
        assert self._process is not None
        answer = self._process.next_message(seconds)
        if isinstance(answer, Answer) and answer.refusal is None:  # which may be for a full disk
            self._new_answers.append(answer)
        return answer

    def end(self) -> None:
        """End the process, and cache the new answers."""
        if self._process is not None:
            self._process.end()
        for answer in self._new_answers:
            CACHE.put(replace(answer, job=NO_JOB), answer.job, answer.job.kernel.data)


def new_process() -> CachingWorker:
    """Return a worker that starts a new process for jobs that are not cached.

    Its `send` raises OSError if none can be started.
    """

    def start(output: int, folder: str) -> Call:
        """Start the compiler in a new process."""
        return call.start(COMPILER, folder, output=output, variables=compiling(os.environ))

    return CachingWorker(partial(CompilerProcess, start))


def warm(runner: Runner) -> Start:
    """Return a starter of workers whose processes have imported Triton."""

    def start(output: int, folder: str) -> Call:
        """Start the compiler in a warm process."""
        return runner.call(COMPILER, folder, output=output, mode=Mode.COMPILER)

    return lambda: CachingWorker(partial(CompilerProcess, start))


def compiler_reports(
    kernels: Sequence[PickledKernel], start: Start, added: Sequence[Target] = ()
) -> Iterator[CompilerReport]:
    """Have kernels compiled for a workshop's GPUs and this machine's own.

    If they are fine, a second report is on the targets in `added` too. A second process helps where it starts at once;
    a new one would first have to import Triton. Raises OSError.
    """
    capabilities = [gpu.compute_capability for gpu in visible_gpus() if gpu.runs_kernels]
    present = {10 * major + minor for major, minor in capabilities}
    return ask(kernels, start, present, added=added, two_processes=start is not new_process)


def compile_kernels(kernels: Sequence[PickledKernel], start: Start, added: Sequence[Target] = ()) -> CompilerReport:
    """Return the last of the `compiler_reports`. Raises OSError."""
    *_, last = compiler_reports(kernels, start, added)
    return last
