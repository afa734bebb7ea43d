"""Decides, from a script's text, which warm parent can run it as a new process would."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from enum import StrEnum

from triton_workshop.device import FP_FUSION, runs_on_a_gpu, simulated

INTERPRET = "TRITON_INTERPRET"
LOADED_EARLY = ("OMP_", "MKL_", "KMP_", "OPENBLAS_", "NUMEXPR_", "GOMP_", "CUDA_", "PYTORCH_", "TORCH", "PYTHON", "LD_")
"""Prefixes of variables that Python, torch or CUDA read when they load: too late for a script in a warm process."""
HEAVY = re.compile(r"^\s*(?:import|from)\b.*\b(?:torch|torchvision|triton|triton_workshop|numpy)\b", re.MULTILINE)
OURS = "triton_workshop"
FIRST = frozenset({OURS, "triton", "torchvision"})
"""Packages that import Triton."""


class Mode(StrEnum):
    """Where the kernels of a parent's scripts run, which cannot change once Triton is imported."""

    SIMULATOR = "simulator"
    CUDA = "cuda"
    COMPILER = "compiler"
    """Nowhere: Triton compiles for GPUs that need not be there, and torch is not imported."""


def compiling(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables with which Triton compiles, as on a GPU (see `device`)."""
    return {name: value for name, value in environment.items() if name != INTERPRET} | {FP_FUSION: "1"}


def parent_for(source: str | bytes, environment: Mapping[str, str]) -> Mode | None:
    """The parent whose children run this script as a new process would; None if only a new process does."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return default_mode(environment)  # the error is the same wherever it runs
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    if any(text.startswith(LOADED_EARLY) and text.isupper() for text in texts):
        return None
    modules = imported_modules(tree)
    interpreted = simulated(environment) or INTERPRET in texts
    mode = default_mode(environment)
    if interpreted or any(module.startswith(f"{OURS}.utils_debug") for module in modules):
        mode = Mode.SIMULATOR
    packages = [module.partition(".")[0] for module in modules]
    ours_or_triton = (package for package in packages if package in FIRST)
    if mode is Mode.SIMULATOR and not interpreted and next(ours_or_triton, OURS) != OURS:
        return None  # Triton comes before our package can settle its mode: an error that the script must see
    return mode


def always_simulated(source: str) -> bool:
    """Whether a script asks for the simulator itself, on a machine with a GPU too: its kernels need not compile."""
    return INTERPRET in source or f"{OURS}.utils_debug" in source


def default_mode(environment: Mapping[str, str]) -> Mode:
    """Where kernels run unless a script says otherwise."""
    return Mode.CUDA if runs_on_a_gpu(environment) else Mode.SIMULATOR


def heavy(source: str) -> bool:
    """Whether a script's imports take seconds, so that a parent that is already importing is worth waiting for."""
    return HEAVY.search(source) is not None


def imported_modules(tree: ast.AST) -> list[str]:
    """The modules that a script imports anywhere, in line order; includes `a.b` for `from a import b`."""
    found: list[tuple[int, str]] = []
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                found += [(node.lineno, name.name) for name in names]
            case ast.ImportFrom(module=str(module), level=0, names=names):
                found += [(node.lineno, f"{module}.{name.name}") for name in names]
    return [module for _, module in sorted(found, key=lambda pair: pair[0])]
