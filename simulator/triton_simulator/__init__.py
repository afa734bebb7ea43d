"""Simulator of Triton's launches on the CPU.

Runs all programs of a launch at once, and detects what they must not do.

    from triton_simulator import install, record

    install()  # before anything imports Triton
    import triton, …

    add_kernel[grid](x, y, out, n, BLOCK=1024)  # raises KernelFaults if it breaks memory, races or waits for ever
    with record() as launches:  # or collects what each launch did: faults, bytes, operations
        add_kernel[grid](x, y, out, n, BLOCK=1024)

`install` says which versions of Triton it takes, and what differs from a GPU; `uninstall` leaves Triton as it was. The
package stands alone, with `compiler` and `without_library`: it imports nothing of the workshop.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from triton_simulator.without_library import provide

if TYPE_CHECKING:
    from triton_simulator.errors import SimulatorError, UndefinedResult
    from triton_simulator.faults import Fault, KernelFaults, Kind
    from triton_simulator.launch.installation import install, uninstall
    from triton_simulator.launch.recording import Launch, record
    from triton_simulator.steps.recorder import StepOptions
    from triton_simulator.steps.steps import ProgramStep, ProgramValue, Step, Steps

__all__ = [
    "Fault",
    "KernelFaults",
    "Kind",
    "Launch",
    "ProgramStep",
    "ProgramValue",
    "SimulatorError",
    "Step",
    "StepOptions",
    "Steps",
    "UndefinedResult",
    "install",
    "record",
    "uninstall",
]

_HOMES = {
    "Fault": "faults",
    "Kind": "faults",
    "Launch": "launch.recording",
    "KernelFaults": "faults",
    "ProgramStep": "steps.steps",
    "ProgramValue": "steps.steps",
    "SimulatorError": "errors",
    "Step": "steps.steps",
    "StepOptions": "steps.recorder",
    "Steps": "steps.steps",
    "UndefinedResult": "errors",
    "install": "launch.installation",
    "record": "launch.recording",
    "uninstall": "launch.installation",
}


def __getattr__(name: str) -> object:
    # Importing this package must not import Triton, whose mode may not be settled yet.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    provide()
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
