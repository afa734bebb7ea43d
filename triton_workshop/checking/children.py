"""Starts the processes in which scripts run. It needs no torch: they import it while their caller does."""

from __future__ import annotations

import os
import sys

from triton_workshop.processes import call
from triton_workshop.processes.call import Call, Function, TimeLimit

PREPARED = "triton_workshop.checking.observing.child:wait_for_a_script"


def prepared(output: int) -> Call:
    """A process that gets ready for one script on the simulator, whose prints go to `output`. Raises OSError."""
    return call.start(PREPARED, output=output, variables=_variables(TRITON_INTERPRET="1"))


def simulated(function: Function, *arguments: object, output: int, limit: TimeLimit, fork: bool) -> Call:
    """Call a function where kernels run on the simulator."""
    if fork:
        return call.fork(function, *arguments, output=output, limit=limit)
    return call.start(function, *arguments, output=output, limit=limit, variables=_variables(TRITON_INTERPRET="1"))


def on_the_gpu(function: Function, *arguments: object, output: int, limit: TimeLimit) -> Call:
    """Call a function where kernels run on the GPU."""
    return call.start(function, *arguments, output=output, limit=limit, variables=_variables())


def _variables(**others: str) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"} | others


def standard_output() -> int:
    """The file descriptor that gets a script's own output."""
    try:
        return sys.stdout.fileno()
    except (OSError, ValueError):
        return os.open(os.devnull, os.O_WRONLY)
