"""Starts the processes in which scripts run.

This module needs no torch: the processes import it while their caller does.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import ClassVar

from triton_workshop.checking.observing.source import Source
from triton_workshop.processes import call
from triton_workshop.processes.call import Call, Function, TimeLimit
from triton_workshop.processes.process import CAN_FORK

PREPARED = "triton_workshop.checking.observing.child:wait_for_a_script"


@dataclass(frozen=True)
class Forks:
    """A fork of this process, on the simulator, for each call."""

    output: int
    """The file descriptor for what the script prints."""
    runs_ahead: ClassVar[bool] = True
    """Lets cases run before it is known that they are needed."""

    def call(self, function: Function, *arguments: object, limit: TimeLimit) -> AbstractContextManager[Call]:
        """Call a function in another process. At the end, it need not go on."""
        return call.fork(function, *arguments, output=self.output, limit=limit)

    def is_unchanged_by(self, _source: Source) -> bool:
        """Return whether the next call meets nothing that the script has left."""
        return True


@dataclass(frozen=True)
class PreparedProcess:
    """One prepared process for all calls, where none can be forked."""

    process: Call
    output: int
    runs_ahead: ClassVar[bool] = False

    @contextmanager
    def call(self, function: Function, *arguments: object, limit: TimeLimit) -> Iterator[Call]:
        """Call a function in the process."""
        self.process.submit(function, *arguments, limit=limit)
        yield self.process

    def is_unchanged_by(self, source: Source) -> bool:
        """Return whether the next call meets nothing that the script has left."""
        return not self.process.has_ended() and source.keeps_to_itself


@contextmanager
def open_host(output: int) -> Iterator[Forks | PreparedProcess]:
    """Open the host of a script.

    A prepared process imports torch while this one does.
    """
    if CAN_FORK:
        yield Forks(output)
    else:
        with start_prepared(output) as process:
            yield PreparedProcess(process, output)


def start_prepared(output: int) -> Call:
    """Start a process that gets ready for one script on the simulator.

    What the script prints goes to `output`. Raises OSError.
    """
    return call.start(PREPARED, output=output, variables=_variables(TRITON_INTERPRET="1"))


def call_on_the_simulator(function: Function, *arguments: object, output: int, limit: TimeLimit, fork: bool) -> Call:
    """Call a function where kernels run on the simulator."""
    if fork:
        return call.fork(function, *arguments, output=output, limit=limit)
    return call.start(function, *arguments, output=output, limit=limit, variables=_variables(TRITON_INTERPRET="1"))


def call_on_the_gpu(function: Function, *arguments: object, output: int, limit: TimeLimit) -> Call:
    """Call a function where kernels run on the GPU."""
    return call.start(function, *arguments, output=output, limit=limit, variables=_variables())


def _variables(**additions: str) -> dict[str, str]:
    # This process may itself have been put on the simulator; a child decides for itself, unless it is told to.
    return {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"} | additions


def standard_output() -> int:
    """The file descriptor that gets a script's own output."""
    try:
        return sys.stdout.fileno()
    except (OSError, ValueError):
        return os.open(os.devnull, os.O_WRONLY)
