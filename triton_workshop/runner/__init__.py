"""Runs the code of a slide as a process of its own. No screen: bytes come out, and an outcome."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from triton_workshop.runner.origin import Origin
    from triton_workshop.runner.run import FAREWELL, Run
    from triton_workshop.runner.script import CannotRunError, Outcome, Script, runnable
    from triton_workshop.runner.warm import WarmRunner

__all__ = ["FAREWELL", "CannotRunError", "Origin", "Outcome", "Run", "Script", "WarmRunner", "runnable"]

_HOMES = {
    "FAREWELL": "run",
    "Origin": "origin",
    "Run": "run",
    "CannotRunError": "script",
    "Outcome": "script",
    "Script": "script",
    "runnable": "script",
    "WarmRunner": "warm",
}


def __getattr__(name: str) -> object:
    # On first use: `python -m triton_workshop.runner` needs none of these, and its start is waited for.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
