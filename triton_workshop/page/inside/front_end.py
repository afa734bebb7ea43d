"""Triton's front end beside the simulator, in one interpreter.

It is a second copy of Triton's modules, which compiles.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from triton_simulator import hooks
from triton_simulator.compiler.compilation import READY
from triton_simulator.compiler.jobs import Answer, CompileJob

INTERPRET = "TRITON_INTERPRET"
SHARED = (
    "triton_simulator.compiler.jobs",
    "triton_simulator.compiler.compilation",
    "triton_simulator.gpus",
)
"""Modules of both copies: the classes of messages must be the same."""
_compiler_copies: dict[str, ModuleType] = {}


class FrontEnd:
    """Connection to a compiler in this process.

    It compiles when the answer is taken. What may end a launch at a load may end it before each job, too.
    """

    def __init__(self) -> None:
        self._jobs: list[CompileJob] = []
        self._ready = False

    def send(self, jobs: Any) -> None:
        """Accept jobs."""
        self._jobs = list(jobs)

    def next_message(self, seconds: float) -> object:
        """Compile the next job, and return the answer."""
        del seconds  # nobody can end it but the page
        if not self._ready:
            self._ready = True
            return READY
        for hook in hooks.load_hooks:
            hook()
        return _answer(self._jobs.pop(0))

    def end(self) -> None:
        """Do nothing: there is no process to end."""
        pass


def _answer(job: CompileJob) -> Answer:
    with _compiler_modules():
        from triton_simulator.compiler import pickling, pipeline

        if "triton.compiler.code_generator" not in sys.modules:
            pickling.prepare()
        try:
            return pipeline.read_job(job, pickling.load_kernel(job.kernel.data))
        except pickling.CannotPickleError as error:
            return Answer(job, unknown=str(error))


@contextmanager
def _compiler_modules() -> Iterator[None]:
    """Make `import triton` mean the copy that compiles."""
    interpreted = {name: sys.modules.pop(name) for name in list(sys.modules) if _is_copied(name)}
    sys.modules.update(_compiler_copies)
    # Triton decides by it on import whether to interpret kernels or to compile them.
    mode = os.environ.pop(INTERPRET, None)
    try:
        yield
    finally:
        _compiler_copies.update({name: sys.modules.pop(name) for name in list(sys.modules) if _is_copied(name)})
        sys.modules.update(interpreted)
        if mode is not None:
            os.environ[INTERPRET] = mode


def _is_copied(name: str) -> bool:
    is_compiler_module = name.startswith("triton_simulator.compiler.") and name not in SHARED
    return name.partition(".")[0] == "triton" or is_compiler_module
