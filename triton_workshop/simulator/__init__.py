"""Runs all programs of a launch on the CPU at once, and detects every memory access that they must not make."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from triton_workshop.simulator.install import install
from triton_workshop.without_library import provide

if TYPE_CHECKING:
    from triton_workshop.simulator.faults import Fault, Kind, MemoryFaults
    from triton_workshop.simulator.recording import Launch, record

__all__ = ["Fault", "Kind", "Launch", "MemoryFaults", "install", "record"]

_HOMES = {"Launch": "recording", "record": "recording", "Fault": "faults", "Kind": "faults", "MemoryFaults": "faults"}


def __getattr__(name: str) -> object:
    # Importing this package must not import Triton, whose mode may not be settled yet.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    provide()
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
