"""Records a script's launches in another process."""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace

from triton_workshop.look.recording import Recording, Request
from triton_workshop.printing import printable
from triton_workshop.processes.call import EndedError, TimeIsUpError
from triton_workshop.processes.runner import Runner

CHILD = "triton_workshop.look.child:send_recording"
MAX_PRINTED_BYTES = 4096
LIMIT_SECONDS = 60.0
"""Time limit for a script on the simulator."""


def record_quietly(request: Request, runner: Runner) -> Recording:
    """Record a script, and keep the end of what it prints. Raises OSError."""
    with tempfile.TemporaryFile() as printed:
        recording = record_script(request, runner, printed.fileno())
        printed.seek(max(printed.seek(0, os.SEEK_END) - MAX_PRINTED_BYTES, 0))
        return replace(recording, printed=printable(printed.read().decode(errors="replace")))


def record_script(request: Request, runner: Runner, output: int) -> Recording:
    """Run a script on the simulator, and return its launches.

    What it prints goes to `output`. Raises OSError.
    """
    call = runner.call(CHILD, request, output=output, timeout=LIMIT_SECONDS)
    try:
        with call:
            recording = next(call.messages(), None)
    except TimeIsUpError:
        return Recording(failure=f"it had not ended after {LIMIT_SECONDS:g} s on the simulator")
    except EndedError as error:
        return Recording(failure=f"its process was {error}")
    assert isinstance(recording, Recording)
    return recording
