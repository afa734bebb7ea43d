"""Choice of the warm parent for a script, from the script's text.

A fork of the parent has to run the script as a new process would.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from enum import StrEnum

from triton_workshop.device import FP_FUSION, runs_on_a_gpu, simulated

INTERPRET = "TRITON_INTERPRET"
READ_AT_IMPORT = (
    "OMP_",
    "MKL_",
    "KMP_",
    "OPENBLAS_",
    "NUMEXPR_",
    "GOMP_",
    "CUDA_",
    "PYTORCH_",
    "TORCH",
    "PYTHON",
    "LD_",
)
"""Prefixes of variables that Python, torch or CUDA read when they load.

In a warm process, a script sets them too late.
"""
SLOW_IMPORT = re.compile(r"^\s*(?:import|from)\b.*\b(?:torch|torchvision|triton|triton_workshop|numpy)\b", re.MULTILINE)
PACKAGE = "triton_workshop"
TRITON_IMPORTERS = frozenset({PACKAGE, "triton", "torchvision"})
"""Packages that import Triton."""


class Mode(StrEnum):
    """Place where the kernels of a parent's scripts run.

    Once Triton is imported, the place cannot change.
    """

    SIMULATOR = "simulator"
    CUDA = "cuda"
    COMPILER = "compiler"
    """No place: Triton compiles for GPUs that need not be there.

    torch is not imported.
    """


def compiling(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables with which Triton compiles, as on a GPU."""
    return {name: value for name, value in environment.items() if name != INTERPRET} | {FP_FUSION: "1"}


def parent_for(source: str | bytes, environment: Mapping[str, str]) -> Mode | None:
    """Return the parent whose children run a script as a new process would.

    Return None if only a new process does.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return default_mode(environment)  # the error is the same wherever it runs
    constants = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    texts = {value for value in constants if isinstance(value, str)}
    variables = (text for text in texts if text.startswith(READ_AT_IMPORT))
    # A variable's name is all capitals; a sentence that begins like one is not.
    if any(map(str.isupper, variables)):
        return None
    modules = imported_modules(tree)
    interpreted = simulated(environment) or INTERPRET in texts
    mode = default_mode(environment)
    uses_debug = any(module.startswith(f"{PACKAGE}.utils_debug") for module in modules)
    is_simulated = interpreted or uses_debug
    if is_simulated:
        mode = Mode.SIMULATOR
    if mode is not Mode.SIMULATOR:
        return mode
    packages = [module.partition(".")[0] for module in modules]
    first = next((package for package in packages if package in TRITON_IMPORTERS), PACKAGE)
    is_settled = interpreted or first == PACKAGE
    # Else Triton comes before our package can settle its mode: an error that the script must see.
    return mode if is_settled else None


def always_simulated(source: str) -> bool:
    """Return True if a script asks for the simulator itself.

    Its kernels need not compile then, even on a machine with a GPU.
    """
    return INTERPRET in source or f"{PACKAGE}.utils_debug" in source


def default_mode(environment: Mapping[str, str]) -> Mode:
    """Return the mode of kernels unless a script says otherwise."""
    return Mode.CUDA if runs_on_a_gpu(environment) else Mode.SIMULATOR


def has_slow_imports(source: str) -> bool:
    """Return True if a script's imports take seconds.

    Then a parent that is already importing is worth waiting for.
    """
    return SLOW_IMPORT.search(source) is not None


def imported_modules(tree: ast.AST) -> list[str]:
    """Return the modules that a script imports anywhere, in line order.

    `from a import b` counts as `a.b`.
    """
    modules: list[tuple[int, str]] = []
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                modules += [(node.lineno, name.name) for name in names]
            case ast.ImportFrom(module=str(module), level=0, names=names):
                modules += [(node.lineno, f"{module}.{name.name}") for name in names]
    # `ast.walk` goes by depth. Only lines are compared, so the names of one line stay in order.
    return [module for _, module in sorted(modules, key=lambda pair: pair[0])]
