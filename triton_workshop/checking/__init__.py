"""What each exercise must do: a script in, a verdict out."""

from __future__ import annotations

import functools
import importlib
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from triton_workshop.checking.script import check_this_script

__all__ = ["check_this_script"]


def __getattr__(name: str) -> object:
    if name == "check_this_script":
        # A script that has had our modules in its hands may have changed them.
        touched = any(module.startswith(f"{__name__}.") for module in sys.modules)
        function = importlib.import_module("triton_workshop.checking.script").check_this_script
        # Kept: an import asks for a name twice.
        globals()[name] = functools.partial(function, touched=touched)
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
