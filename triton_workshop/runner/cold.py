"""A script in a new process of its own, as a shell would start it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from triton_workshop.runner.commands import PIPE, TERMINAL
from triton_workshop.runner.languages import installed_executor
from triton_workshop.runner.process import Channel
from triton_workshop.runner.script import Script
from triton_workshop.runner.shows import python_command


class ColdProcess:
    """A `Process` that a program was started for."""

    def __init__(self, script: Script, file: Path) -> None:
        """Raises CannotRunError, or OSError."""
        command, variables = command_for(script, file, TERMINAL if script.terminal else PIPE)
        channel = Channel(script.terminal)
        try:
            self._process = subprocess.Popen(
                command,
                cwd=script.folder,
                env=variables,
                stdin=channel.theirs if script.terminal else subprocess.DEVNULL,
                stdout=channel.theirs,
                stderr=channel.theirs,
                start_new_session=sys.platform != "win32",
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
        except BaseException:
            channel.close()
            raise
        channel.close_theirs()
        self.output = channel.ours
        if script.memory_limit is not None:
            limit_memory(self._process.pid, script.memory_limit)

    def poll(self) -> int | None:
        return self._process.poll()

    def pause(self, seconds: float) -> None:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)

    def signal_group(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                self._process.send_signal(number)
            else:
                os.killpg(self._process.pid, number)

    def release(self) -> None:
        os.close(self.output)


def command_for(script: Script, file: Path, place: str) -> tuple[list[str], dict[str, str]]:
    """One command that runs a script, whose source stands in that file, and its variables.

    `place` is where, as in `commands`. Raises CannotRunError.
    """
    variables = script.environment
    executor = installed_executor(script.language, script.alternative, variables)
    *earlier, last = executor.command_lines(file)
    last += script.arguments
    if script.plain_python:
        last = python_command([str(file), *script.arguments])
    variables |= executor.environment
    if not earlier and place == PIPE and not _ignores_interrupts():
        return last, variables
    # -I and -S: it imports only the standard library, and starts the sooner.
    launcher = [sys.executable, "-I", "-S", str(Path(__file__).with_name("commands.py")), place]
    return [*launcher, *(json.dumps(command) for command in (*earlier, last))], variables


def _ignores_interrupts() -> bool:
    """Whether this process does, and so would what it starts: a shell has it so for `COMMAND &` in a script."""
    return signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def limit_memory(process: int, size: int) -> None:
    """Limits the bytes of data (heap, stacks, anonymous maps) of a process, 0 for this one, and of its children.

    Not the address space: torch and CUDA reserve far more of it than they use.
    """
    if sys.platform == "linux":
        import resource

        with suppress(ProcessLookupError):
            resource.prlimit(process, resource.RLIMIT_DATA, (size, size))


INTERRUPT: int = getattr(signal, "CTRL_BREAK_EVENT", signal.SIGINT)
KILL: int = getattr(signal, "SIGKILL", signal.SIGTERM)
