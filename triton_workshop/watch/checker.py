"""Checks of scripts in another process, which has torch ready.

This process never imports torch. Mistakes that a script's text alone shows are reported here, at once. For everything
else, a process that has imported torch and Triton waits for a request: a fork of the warm runner's parent on Linux;
elsewhere a new process and, started by it, another one for the script.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from triton_simulator.compiler.compilation import READY
from triton_simulator.gpus import DEFAULT_TARGET
from triton_workshop.asm.build import Build, build, cached_build
from triton_workshop.asm.requests import Request
from triton_workshop.checking.check import LIMIT_SECONDS, CheckRequest, begun_script, serve_check, source_or_verdict
from triton_workshop.checking.compiling import compiler_verdicts, retract_unconfirmed_todos
from triton_workshop.checking.judging.verdict import Verdict
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.processes.call import EndedError, TimeIsUpError
from triton_workshop.processes.compilers import warm
from triton_workshop.processes.modes import Mode
from triton_workshop.processes.process import DRAIN_SECONDS, POLL_SECONDS
from triton_workshop.processes.runner import Runner
from triton_workshop.processes.spares import SparePool

if TYPE_CHECKING:
    from triton_workshop.look.recording import Recording
    from triton_workshop.look.recording import Request as LookRequest

STARTUP_TIMEOUT_SECONDS = 150.0
"""Seconds on top of a script's own limit.

Torch may be imported from a slow disk, twice on a machine with a GPU.
"""


class StoppedError(Exception):
    """A check that was stopped before it had a verdict."""


class CheckFailedError(Exception):
    """A check that ended without a verdict, which is not the script's fault."""


class Checker:
    """Checker of scripts, with a process ready for the next check."""

    def __init__(self) -> None:
        self._runner = Runner()
        self.compiler = warm(self._runner)
        self.spares = SparePool(lambda: _Process(self._runner), max_count=1, seconds=self._runner.idle)

    def check(self, exercise: Exercise, file: Path, *, full_size: bool = False) -> Checking:
        """Return a check that has not begun; `full_size` adds cases on the GPU."""
        # The compiler is asked here, in processes that have imported Triton, while the other process still looks on.
        return Checking(self, CheckRequest(exercise, file.resolve(), full_size, compiler=None))

    def take(self) -> _Process:
        """Return a process that waits for a request, or soon will. Raises OSError."""
        return self.spares.take() or _Process(self._runner)

    def build(self, request: Request) -> Build:
        """Compile a script's kernels for the default target.

        This may take seconds. Raises OSError.
        """
        with Path(os.devnull).open("wb") as null:
            cached = cached_build(request, DEFAULT_TARGET, None)
            return cached or build(request, DEFAULT_TARGET, None, self._runner, null.fileno())

    def look(self, request: LookRequest) -> Recording:
        """Record a script's launches, which may take seconds. Raises OSError."""
        from triton_workshop.look.recorder import record_quietly

        return record_quietly(request, self._runner)

    def prepare(self) -> None:
        """Get processes ready for the next check."""
        self.spares.fill()
        self._runner.warm_up(Mode.COMPILER)

    def close(self) -> None:
        """End everything that is running."""
        self.spares.close()
        self._runner.close()


class Checking:
    """One check of a script."""

    def __init__(self, checker: Checker, request: CheckRequest) -> None:
        self._checker = checker
        self._request = request
        self._process: _Process | None = None
        self.started: float | None = None
        """The time when the script started, by the monotonic clock.

        The process may take seconds to get ready before.
        """
        self._stopped = False
        self._lock = threading.Lock()

    def verdicts(self) -> Iterator[Verdict]:
        """Yield the verdict, then better ones; to be called in a thread.

        The check runs on the simulator and, if the script is right, with Triton's compiler. Raises StoppedError and
        CheckFailedError.
        """
        by_text = self._by_text()
        if by_text:
            yield by_text
            if begun_script(by_text, self._request.exercise):
                with suppress(CheckFailedError):  # the text has been judged
                    for verdict in self._by_process():
                        yield retract_unconfirmed_todos(verdict, self._checker.compiler)
            self._checker.prepare()
            return
        verdicts = self._by_process()
        verdict = next(verdicts)
        yield verdict
        is_undecided = verdict.passed and verdict.to_come
        has_open_goals = verdict.goals and is_undecided
        if has_open_goals:  # what it costs is known next
            verdict = next(verdicts)
            yield verdict
        needs_compiling = verdict.passed and not self._request.full_size
        if needs_compiling:
            yield from self._compiled(verdict, verdicts)
        yield from verdicts
        self._checker.prepare()  # only now: before, two cores had enough to do

    def _compiled(self, verdict: Verdict, verdicts: Iterator[Verdict]) -> Iterator[Verdict]:
        """Yield the other process's verdicts, and the compiler's at the end.

        The compiler works while the other process tries the long cases and looks for remarks.
        """
        tried = threading.Event()
        with ThreadPoolExecutor(1) as pool, ExitStack() as ended:
            # However this ends, or the pool would wait for `_decide` for ever.
            ended.callback(tried.set)
            compiler = compiler_verdicts(verdict, self._checker.compiler)
            deciding = pool.submit(self._decide, compiler, tried)
            with suppress(CheckFailedError):
                for verdict in verdicts:
                    yield verdict
                    if not verdict.passed:
                        return
                    if not verdict.to_come:
                        tried.set()
            tried.set()
            answer = deciding.result()
        if self._stopped:
            raise StoppedError
        yield replace(verdict, findings=answer.findings, compiler=answer.compiler, goals=answer.goals)
        for answer in compiler:  # whether it compiles for more GPUs decides nothing, so nobody waits for it
            yield replace(verdict, findings=answer.findings, compiler=answer.compiler, goals=answer.goals)

    def _decide(self, compiler: Iterator[Verdict], tried: threading.Event) -> Verdict:
        """Return what the compiler says about the GPUs that decide.

        A refusal ends the search for remarks, which begins once all cases are `tried`.
        """
        answer = next(compiler)
        if answer.findings:
            tried.wait()
            with self._lock:
                if self._process is not None:
                    self._process.call.stop()
        return answer

    def _by_text(self) -> Verdict | None:
        exercise, file = self._request.exercise, self._request.file
        started = time.perf_counter()
        with suppress(Exception):  # a text that crashes the parser: the other process will report it
            verdict = source_or_verdict(exercise, file, started)
            return verdict if isinstance(verdict, Verdict) else None
        return None

    def _by_process(self) -> Iterator[Verdict]:
        """Yield the other process's verdict, and more if the script is right.

        Raises as `verdicts` does.
        """
        try:
            process = self._checker.take()
        except OSError as error:
            raise CheckFailedError(str(error)) from error
        with self._lock:
            self._process = process
            if self._stopped:  # while the process was taken, when `stop` had none to end
                self._release_process()
        count = 0
        try:
            self._begin(process)
            for verdict in process.call.messages():
                if self._stopped:  # a newer save has its own check
                    raise StoppedError
                assert isinstance(verdict, Verdict)
                count += 1
                yield verdict
        except TimeIsUpError:
            raise CheckFailedError("the checking process does not answer") from None
        except EndedError as error:
            if self._stopped:
                raise StoppedError from None
            why = f"the checking process was {error}: does the script end other processes?"
            raise CheckFailedError(process.last_line() or why) from None
        if self._stopped:
            raise StoppedError
        if not count:
            raise CheckFailedError("the checking process sent no verdict")

    def _begin(self, process: _Process) -> None:
        """Send the request as soon as the process is ready.

        Raises StoppedError, TimeIsUpError and EndedError.
        """
        deadline = time.monotonic() + STARTUP_TIMEOUT_SECONDS
        while not process.is_ready():
            if self._stopped:
                raise StoppedError
            if time.monotonic() > deadline:
                raise TimeIsUpError(None)
        with self._lock:
            if self._stopped:
                raise StoppedError
            self.started = time.monotonic()
            process.call.send(self._request)
        self._checker.spares.refill_later()

    def printed(self) -> bytes:
        """Return the end of what the script has printed so far."""
        return self._process.printed if self._process is not None else b""

    def finish(self) -> None:
        """Wait until all of its processes have ended. `printed` is complete then."""
        if self._process is not None:
            self._process.close()

    def stop(self) -> None:
        """End the check; from any thread, at any time. Returns at once."""
        with self._lock:
            self._stopped = True
            self._release_process()

    def _release_process(self) -> None:
        """End the check, or give back a process that has not begun it.

        Such a process can do the next check, and getting ready may take seconds.
        """
        process = self._process
        if process is None:
            return
        if self.started is not None:
            process.call.stop()
        else:
            self._process = None
            self._checker.spares.give_back(process)


class _Process:
    """A process that gets ready for a check, and waits for its request.

    Raises OSError.
    """

    MAX_OUTPUT_BYTES = 64 * 1024
    """Bytes that are stored of the end of a script's output."""

    def __init__(self, runner: Runner) -> None:
        self._output, write_end = os.pipe()
        try:
            self.call = runner.call(serve_check, output=write_end, timeout=LIMIT_SECONDS + STARTUP_TIMEOUT_SECONDS)
        except BaseException:
            os.close(self._output)
            raise
        finally:
            os.close(write_end)
        self.printed = b""
        self._ready = False
        self._getting_ready = threading.Lock()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        while chunk := os.read(self._output, self.MAX_OUTPUT_BYTES):
            self.printed = (self.printed + chunk)[-self.MAX_OUTPUT_BYTES :]

    def is_ready(self) -> bool:
        """Return True if it waits for a request, after a moment at most.

        Raises EndedError.
        """
        with self._getting_ready, suppress(TimeIsUpError):
            self._ready = self._ready or self.call.next_message(POLL_SECONDS) == READY
        return self._ready

    def has_ended(self) -> bool:
        """Return True if the process is gone."""
        return self.call.has_ended()

    def last_line(self) -> str:
        """Return the last line that the process printed."""
        self._reader.join(DRAIN_SECONDS)
        return next(reversed(self.printed.decode(errors="replace").strip().splitlines()), "")

    def close(self) -> None:
        """End the process. `printed` is complete then."""
        self.call.close()
        self._reader.join(DRAIN_SECONDS)
        if not self._reader.is_alive():
            os.close(self._output)
