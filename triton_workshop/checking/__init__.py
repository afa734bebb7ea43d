"""Checks of exercises: a script in, a verdict out."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from triton_workshop.checking.script import check_this_script

__all__ = ["check_this_script"]


def __getattr__(name: str) -> object:
    # Importing this package must not import torch.
    if name == "check_this_script":
        from triton_workshop.startup_interrupts import exit_on_interrupt, raise_on_interrupt

        exit_on_interrupt()
        try:
            return importlib.import_module("triton_workshop.checking.script").check_this_script
        finally:
            raise_on_interrupt()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
