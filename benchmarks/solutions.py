"""Loads a solution by its path, as several solutions have the same script name."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from triton_workshop.repository import ROOT

SOLUTIONS = ROOT / "solutions"
LAUNCHERS = {
    "1": "add",
    "2": "sepia",
    "3": "conv2d",
    "4": "matmul",
    "5": "cross_entropy",
    "5b": "cross_entropy_backward",
    "5c": "layer_norm",
    "6": "attention",
    "6b": "causal_attention",
    "6c": "int4_linear",
}


def load_solution(number: int | str, *, fast: bool = False) -> ModuleType:
    """The module of solutions/exercise_N.py, or of solutions/fast/exercise_N.py."""
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
    launcher: Callable[..., Any] = getattr(load_solution(number, fast=fast), LAUNCHERS[str(number)])
    return launcher
