"""The launches of a script, noted in a process on the simulator.

Needs torch.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from triton_simulator.compiler.launches import Launches
from triton_workshop.asm.build import ScriptRun
from triton_workshop.asm.requests import Request, case_of
from triton_workshop.checking.observing.child import launcher_of, load, prepare, run_as_main
from triton_workshop.checking.observing.failure import failure_of
from triton_workshop.checking.observing.source import Source
from triton_workshop.code_version import PACKAGES
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.cases import launcher_args
from triton_workshop.processes.signal_scope import confine_signals
from triton_workshop.processes.wire import Connection


def send_launches(connection: Connection, request: Request) -> None:
    """Load a script and send what it launches.

    Kernels of an exercise do not run, so any size is as good.
    """
    prepare()
    confine_signals()
    launches, old_modules = Launches(), set(sys.modules)
    module, failure = ModuleType("__main__"), ""
    try:
        if request.exercise:
            source = Source(request.file, request.text, EXERCISES[request.exercise])
            load(source)
            module = sys.modules["script_being_checked"]
            arguments = case_of(request.exercise, request.size).arguments("cpu")
            with launches.listen(running=False):
                launcher_of(module, source.exercise)(*launcher_args(arguments))
        else:
            with launches.listen():
                os.chdir(request.folder)
                run_as_main(request.file, request.text, module)
    except BaseException as error:  # also SystemExit: a script may end itself
        if not isinstance(error, SystemExit) or error.code not in (None, 0):
            failed = failure_of(error, request.file)
            message = _status_of(error) if isinstance(error, SystemExit) else f"{failed.type}: {failed.message}"
            failure = f"line {failed.line}: {message}" if failed.line else message
    loaded_modules = [loaded for name, loaded in sys.modules.items() if name not in old_modules]
    connection.send(ScriptRun(launches.kernels(), tuple(_tuned(module)), tuple(_script_files(loaded_modules)), failure))


def _status_of(end: SystemExit) -> str:
    return f"it ends with status {end.code}" if isinstance(end.code, int) else f"it ends with: {end.code}"


def _tuned(module: ModuleType) -> Iterator[tuple[str, int]]:
    for value in vars(module).values():
        # Decorators lie around each other, as a heuristic around a tuner around a kernel.
        kernel: Any = value
        while hasattr(kernel, "fn"):
            if type(kernel).__name__ == "Autotuner":
                yield kernel.base_fn.__name__, len(kernel.configs)
            kernel = kernel.fn


def _script_files(modules: list[ModuleType]) -> Iterator[str]:
    for module in modules:
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and not any(
            Path(file).is_relative_to(folder) for folder in (Path(sys.prefix), *PACKAGES)
        ):
            yield file
