"""Pytest plugin that fails a test whose kernel Triton refuses.

It is a part of `triton_simulator.pytest_plugin`.

The front end reads each specialization that a test launches, once, in a process of its own: a second for the first one,
and then some milliseconds for each. Its words are raised at the launch, as on a GPU, unless a `record` collects what
launches do. What cannot be taken to another process passes. `--no-triton-compiler` asks nothing.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Generator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import pytest

from triton_simulator import hooks, lines
from triton_simulator.compiler.jobs import Answer, CompileJob, PickledKernel
from triton_simulator.compiler.launches import Launches
from triton_simulator.pytest_options import NO_COMPILER

__tracebackhide__ = True  # pytest leaves these frames out of a traceback
STARTUP_TIMEOUT_SECONDS, ANSWER_TIMEOUT_SECONDS = 60.0, 5.0
"""Seconds to import Triton, and seconds for each kernel."""


@dataclass(frozen=True)
class _Refused:
    """Kernel that is refused, in a sentence, and the line where it is."""

    message: str
    line: lines.KernelLine | None


class FrontEnd:
    """Triton's front end in a process of its own.

    The process starts with the first kernel.
    """

    def __init__(self) -> None:
        self._launches = Launches()
        self._process: Any = None
        self._connection: Connection | None = None
        self._refusals: dict[int, _Refused | None] = {}
        """By the id of a specialization, which `_launches` keeps."""

    def check_launch(
        self, kernel: Any, arguments: dict[str, Any], options: dict[str, Any], addresses: set[str]
    ) -> None:
        """Ask about a launch's specialization if it is new.

        Raises CompilationError if it is refused and faults are raised.
        """
        from triton_simulator.launch.recording import raises_faults  # imports Triton, whose mode is not settled yet

        kernel_of_launch = self._launches.specialize(kernel, arguments, options, addresses)
        if id(kernel_of_launch) not in self._refusals:
            self._refusals[id(kernel_of_launch)] = self._refusal(kernel_of_launch)
        refusal = self._refusals[id(kernel_of_launch)]
        if refusal and raises_faults():
            raise _compilation_error(refusal)

    def _refusal(self, kernel: PickledKernel) -> _Refused | None:
        """Return why a kernel is refused, or None if unknown."""
        answer = None if kernel.unknown else self._answer(kernel)
        refusal = answer.refusal if answer is not None else None
        if refusal is None:
            return None
        line, location, source = None, "", ""
        if refusal.file and refusal.line:
            line = lines.KernelLine(refusal.file, refusal.line)
            location, source = f", {line.name}", f"\n  `{line.text}`"
        return _Refused(f"{kernel.name} does not compile for a GPU{location}: {refusal.words}{source}", line)

    def _answer(self, kernel: PickledKernel) -> Answer | None:
        """Return the front end's answer, or None.

        It is None if the front end takes too long or its process has ended, and from then on.
        """
        seconds = ANSWER_TIMEOUT_SECONDS
        if self._process is None:
            self._connection, seconds = self._start(), STARTUP_TIMEOUT_SECONDS
        if self._connection is None:
            return None
        try:
            self._connection.send(kernel)
            if self._connection.poll(seconds):
                answer = self._connection.recv()
                return answer if isinstance(answer, Answer) else None
        except (OSError, EOFError):
            pass
        self.end()
        return None

    def _start(self) -> Connection:
        # A fork would inherit Triton as it was imported for the interpreter.
        context = multiprocessing.get_context("spawn")
        parent, child = context.Pipe()
        self._process = context.Process(target=serve, args=(child,), daemon=True)
        self._process.start()
        # While this process has that end open as well, `recv` would not notice that the other one is gone.
        child.close()
        return parent

    def end(self) -> None:
        """End the process, if it runs."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
            self._process.kill()
            self._process.join()


def _compilation_error(refused: _Refused) -> Exception:
    from triton.compiler.errors import CompilationError

    class RefusedError(CompilationError):  # type: ignore[misc]  # Triton is untyped
        """Refusal of a kernel that the simulator has run."""

        kernel_line = refused.line

        def __str__(self) -> str:
            return refused.message

    RefusedError.__name__ = RefusedError.__qualname__ = CompilationError.__name__
    error: Exception = RefusedError(None, None, refused.message)
    return error


def serve(connection: Connection) -> None:
    """Answer kernels as they come, in a process that compiles."""
    os.environ.pop("TRITON_INTERPRET", None)
    from triton_simulator.without_library import provide

    provide()
    from triton_simulator.compiler import pickling, pipeline

    pickling.prepare()
    while True:
        try:
            kernel = connection.recv()
        except EOFError:
            return
        job = CompileJob(kernel, None)
        try:
            answer = pipeline.read_job(job, pickling.load_kernel(kernel.data))
        except pickling.CannotPickleError as error:
            answer = Answer(job, unknown=str(error))
        connection.send(answer)


_LISTENERS = hooks.listeners, hooks.error_listeners
"""What an error of Triton's language says, the front end says as on a GPU."""
_FRONT_END = pytest.StashKey[tuple[FrontEnd, Callable[..., None]]]()


def pytest_configure(config: pytest.Config) -> None:
    """Listen to launches, unless the option says otherwise."""
    if not config.getoption(NO_COMPILER):
        front_end = FrontEnd()
        config.stash[_FRONT_END] = front_end, front_end.check_launch
        for listeners in _LISTENERS:
            listeners.append(front_end.check_launch)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(call: pytest.CallInfo[None]) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Leave the cause of a refusal out of a report.

    It would say the same of the same line.
    """
    report = yield
    error = None if call.excinfo is None else call.excinfo.value
    cause = getattr(error, "__cause__", None)
    chain: Any = getattr(report.longrepr, "chain", None)
    is_refusal = chain and hasattr(error, "kernel_line")
    # The traceback of such a cause has been cut at the launch; a test's own error may have a cause without one too.
    is_cut = cause is not None and cause.__traceback__ is None
    if is_refusal and is_cut:
        del chain[:-1]
    return report


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop listening, and end the front end's process."""
    if _FRONT_END in config.stash:
        front_end, listener = config.stash[_FRONT_END]
        for listeners in _LISTENERS:
            listeners.remove(listener)
        front_end.end()
