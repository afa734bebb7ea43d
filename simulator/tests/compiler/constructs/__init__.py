"""Small kernels of all kinds, right and wrong ones: where do Triton's compiler and the simulator disagree?

A construct is a kernel of these modules that has an `output_ptr`. The names of its parameters say what it is given: see
`arguments.py`. No kernel says what is expected of it, since that is measured: `measure.py` writes
`verdicts.json`.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from typing import Any


def constructs() -> dict[str, Any]:
    """All of them by name, as `@triton.jit` made them. This imports Triton, in the mode that is set."""
    found: dict[str, Any] = {}
    for theme in sorted(module.name for module in pkgutil.iter_modules(__path__)):
        module = importlib.import_module(f"{__name__}.{theme}")
        for name, value in vars(module).items():
            function = getattr(value, "fn", None)
            if getattr(function, "__module__", None) != module.__name__ or name.startswith("_"):
                continue
            if "output_ptr" in inspect.signature(function).parameters:
                assert name not in found, f"two constructs are called {name}"
                found[name] = value
    return found
