"""Load a solution by its path.

Several solutions have the same script name.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from triton_workshop.exercises import EXERCISES
from triton_workshop.repository import ROOT

SOLUTIONS = ROOT / "solutions"


def load_solution(number: int | str, *, fast: bool = False) -> ModuleType:
    """Return the module of a solution, plain or fast.

    Its file is solutions/exercise_N.py or solutions/fast/exercise_N.py.
    """
    file = (SOLUTIONS / "fast" if fast else SOLUTIONS) / f"exercise_{number}.py"
    name = f"{'fast' if fast else 'plain'}_exercise_{number}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def load_launcher(number: int | str, *, fast: bool = False) -> Callable[..., Any]:
    launcher: Callable[..., Any] = getattr(load_solution(number, fast=fast), EXERCISES[str(number)].launcher)
    return launcher
