"""Runs `python ARGUMENTS…` in forks of one process that has imported torch, which takes 2 s of the processor.

A fork gets everything else as a new process would: variables, folder, arguments and `sys.path`. It ends as a program
does, through Python's own end. It has not imported Triton, nor anything of ours.
"""

from __future__ import annotations

import gc
import json
import os
import runpy
import select
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, Self

Outcome = subprocess.CompletedProcess[str]
SECONDS = 180


class Forks:
    """The process that forks, from the first run on; it ends with the `with` block, or with this process."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def run(self, arguments: Sequence[str], variables: Mapping[str, str], folder: Path) -> Outcome:
        process = self._process = self._process or self._started()
        assert process.stdin is not None
        with tempfile.TemporaryDirectory(prefix="workshop-") as place:
            printed = [Path(place, name) for name in ("stdout", "stderr")]
            job = {"arguments": arguments, "variables": dict(variables), "folder": str(folder)}
            process.stdin.write(json.dumps(job | {"printed": [str(file) for file in printed]}).encode() + b"\n")
            child = self._answer()
            if not select.select([process.stdout], [], [], SECONDS)[0]:
                os.kill(child, 9)
            code = self._answer()
            return Outcome(list(arguments), code, *(file.read_text(encoding="utf-8") for file in printed))

    def _started(self) -> subprocess.Popen[bytes]:
        # -P leaves the folder of this file out of the modules' path.
        command = [sys.executable, "-P", __file__]
        inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        pipe = subprocess.PIPE
        # Without a buffer, or both answers of a short run might lie there, where `select` does not see them.
        return subprocess.Popen(command, env=inherited, stdin=pipe, stdout=pipe, bufsize=0)

    def _answer(self) -> int:
        assert self._process is not None
        assert self._process.stdout is not None
        return int(self._process.stdout.readline())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            with self._process:
                self._process.kill()


def main() -> None:
    """In that process: a child for each line of input, whose number and whose exit status are the answers."""
    import torch  # noqa: F401

    answers = os.fdopen(os.dup(1), "w")
    gc.freeze()
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            answers.close()
            _become(**json.loads(line))
            return
        print(child, file=answers, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), file=answers, flush=True)


def _become(arguments: list[str], variables: dict[str, str], folder: str, printed: list[str]) -> None:
    os.setsid()  # what it does to its group concerns nobody else
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    for number, file in enumerate((os.devnull, *printed)):
        opened = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    path = [each for each in variables.get("PYTHONPATH", "").split(os.pathsep) if each]
    match arguments:
        case ["-c", source, *_]:
            sys.path[:0] = ["", *path]
            sys.argv = ["-c", *arguments[2:]]
            _execute(source, "<string>")
        case ["-m", module, *_]:
            sys.path[:0] = [folder, *path]
            sys.argv = arguments[1:]
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        case [file, *_]:
            sys.path[:0] = [str(Path(file).parent.resolve()), *path]
            sys.argv = arguments
            _execute(Path(file).read_bytes(), file, __file__=file)


def _execute(source: str | bytes, name: str, **names: Any) -> None:
    module = sys.modules["__main__"] = ModuleType("__main__")
    vars(module).update(__builtins__=__builtins__, **names)
    exec(compile(source, name, "exec", dont_inherit=True), vars(module))


if __name__ == "__main__":
    main()
