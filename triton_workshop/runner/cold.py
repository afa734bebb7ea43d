"""A script in a new process of its own, as a shell would start it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from triton_workshop.runner.process import Channel
from triton_workshop.runner.script import COMMANDS, Script, environment
from triton_workshop.runner.shows import python_command


class ColdProcess:
    """A `Process` that a program was started for."""

    def __init__(self, script: Script, file: Path) -> None:
        channel = Channel(script.terminal)
        arguments = [str(file), *script.arguments]
        python = script.language == "python"
        try:
            self._process = subprocess.Popen(
                python_command(arguments) if python else [*COMMANDS[script.language], *arguments],
                cwd=script.folder,
                env=environment(script.columns, script.pictures),
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
