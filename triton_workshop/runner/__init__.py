"""Runs the code of a slide as a process of its own. No screen: bytes come out, and an outcome."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from triton_workshop.runner.foreground import cleared_screen, run_in_foreground, wait_for_enter
    from triton_workshop.runner.languages import MissingProgramError, runnable
    from triton_workshop.runner.memory import machine_memory
    from triton_workshop.runner.origin import Origin
    from triton_workshop.runner.run import FAREWELL, Run
    from triton_workshop.runner.script import CannotRunError, Outcome, Script
    from triton_workshop.runner.warm import WarmRunner

__all__ = [
    "FAREWELL",
    "CannotRunError",
    "MissingProgramError",
    "Origin",
    "Outcome",
    "Run",
    "Script",
    "WarmRunner",
    "cleared_screen",
    "machine_memory",
    "run_in_foreground",
    "runnable",
    "wait_for_enter",
]

_HOMES = {
    "FAREWELL": "run",
    "CannotRunError": "script",
    "MissingProgramError": "languages",
    "Origin": "origin",
    "Outcome": "script",
    "Run": "run",
    "Script": "script",
    "WarmRunner": "warm",
    "cleared_screen": "foreground",
    "machine_memory": "memory",
    "run_in_foreground": "foreground",
    "runnable": "languages",
    "wait_for_enter": "foreground",
}


def __getattr__(name: str) -> object:
    # On first use: `python -m triton_workshop.runner` needs none of these, and its start is waited for.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
