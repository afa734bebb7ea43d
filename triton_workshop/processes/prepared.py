"""Prepared process, which waits for a script to run.

It is the warm way where nothing can fork: a new process that has imported what scripts need. The script's request comes
through its input. It ends with the process that has started it, as nobody holds the other end then.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Mapping
from typing import NoReturn

from triton_workshop.processes.execution import apply_request, run_script
from triton_workshop.processes.modes import INTERPRET, Mode
from triton_workshop.processes.preload import preload
from triton_workshop.processes.process import KILL, NewProcess, Process, end_process_group, program
from triton_workshop.processes.warm import Request
from triton_workshop.processes.wire import Connection


class PreparedProcess:
    """One such process, which gets ready as soon as this object exists."""

    def __init__(self, mode: Mode, variables: Mapping[str, str]) -> None:
        """Start the process. Raises OSError."""
        code = program(f"from triton_workshop.processes import prepared; prepared.main({mode.value!r})")
        requests, sender = os.pipe()
        output, script_output = os.pipe()
        self._output = output
        """The descriptor from which all output of its script is read."""
        self._connection = Connection(output, sender)
        try:
            self._process = NewProcess(
                [sys.executable, "-u", "-c", code],
                (requests, script_output, script_output),
                {name: value for name, value in variables.items() if name != INTERPRET},
                lifeline=sender,
            )
        except BaseException:
            self._connection.close()
            raise
        finally:
            os.close(requests)
            os.close(script_output)

    def become(self, request: Request) -> tuple[Process, int]:
        """Have it become a script; return it, and where its output is read.

        Raises OSError if it has ended.
        """
        try:
            self._connection.send(request)
        except OSError:
            self.close()
            raise
        return self._process, self._output

    def has_ended(self) -> bool:
        """Return True if the process has ended."""
        return self._process.poll() is not None

    def close(self) -> None:
        """End it, if it has become nothing."""
        self._process.signal_group(KILL)
        while not self.has_ended():
            self._process.pause(1)
        self._process.release()
        os.close(self._output)


def main(mode: str) -> NoReturn:
    """Import, wait, and become the script, in the process itself."""
    connection = Connection(os.dup(0), -1)
    connection.read_ahead(end_process_group)
    preload(Mode(mode))
    request = connection.receive()
    assert isinstance(request, Request)
    # The thread that reads ahead is not the script's concern, if it forks.
    warnings.filterwarnings("ignore", "This process .*is multi-threaded", DeprecationWarning)
    devnull = os.open(os.devnull, os.O_RDONLY)
    apply_request(request, (devnull, 1, 2))
    run_script(request)
