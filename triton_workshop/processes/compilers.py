"""Starts processes for Triton's compiler, new ones or forks of a warm one, and asks it for the GPUs of this machine."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from triton_workshop.compiler import report
from triton_workshop.compiler.compilation import CrashedError, SlowError, Start
from triton_workshop.compiler.jobs import PickledKernel
from triton_workshop.device import visible_gpus
from triton_workshop.processes import call
from triton_workshop.processes.call import Call, EndedError, TimeIsUpError
from triton_workshop.processes.modes import Mode, compiling
from triton_workshop.processes.runner import Runner

COMPILER = "triton_workshop.compiler.child:compile_when_asked"


class CompilerProcess:
    """A call of `compile_when_asked`, as `compiler` wants it: see `compilation.CompileWorker`."""

    def __init__(self, started: Call) -> None:
        self._call = started

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


def new_process() -> CompilerProcess:
    """Start a process for the compiler. Raises OSError."""
    with Path(os.devnull).open("wb") as nowhere:
        return CompilerProcess(call.start(COMPILER, output=nowhere.fileno(), variables=compiling(os.environ)))


def warm(runner: Runner) -> Start:
    """How to start processes for the compiler that have imported Triton before."""

    def start() -> CompilerProcess:
        with Path(os.devnull).open("wb") as nowhere:
            return CompilerProcess(runner.call(COMPILER, output=nowhere.fileno(), mode=Mode.COMPILER))

    return start


def ask(kernels: Sequence[PickledKernel], start: Start) -> report.CompilerReport:
    """Have kernels compiled for the GPUs that a workshop meets, and for this machine's own. Raises OSError.

    A second process helps where it starts at once; a new one would first have to import Triton.
    """
    capabilities = [gpu.compute_capability for gpu in visible_gpus() if gpu.runs_kernels]
    present = {10 * major + minor for major, minor in capabilities}
    return report.ask(kernels, start, present, two_processes=start is not new_process)
