"""Imports of a process ahead of the scripts that it is for."""

from __future__ import annotations

import importlib
import os
import pkgutil
from contextlib import suppress

from triton_simulator.without_library import provide_cached
from triton_workshop.processes.modes import INTERPRET, Mode

# By name, so that no other module here can import them.
_SCRIPTS = (
    "torch",
    "triton",
    "triton.language",
    # Triton's and the simulator's first launch would import these.
    "triton.experimental.gluon",
    "triton.compiler.code_generator",
    "triton.language.extra.libdevice",
    "numpy.ctypeslib",
    "numpy.random",
    "PIL.ImageShow",
    "multiprocessing",
    "triton_workshop.tensors",
    "triton_workshop.images",
)
PRELOADED = {
    Mode.SIMULATOR: (
        *_SCRIPTS,
        "triton_simulator.compiler.launches",
    ),
    Mode.CUDA: _SCRIPTS,
    Mode.COMPILER: (
        "triton.language",
        "triton.compiler.code_generator",
        "triton.backends.nvidia.compiler",
        "triton_simulator.compiler.child",
    ),
}

PREPARED = "triton_simulator.launch.installation:prepare"


def preload(mode: Mode) -> None:
    """Import what a mode's scripts need."""
    if mode is Mode.SIMULATOR:
        os.environ[INTERPRET] = "1"  # before torchvision, which imports Triton
    else:
        os.environ.pop(INTERPRET, None)
        # For a library that asks torch for a GPU when it is imported: torch then answers through NVML and not cuInit
        # (PyTorch's documentation, "CUDA semantics", section on environment variables).
        os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"
    if mode is not Mode.CUDA:
        with suppress(Exception):
            provide_cached()
    for name in PRELOADED[mode]:
        with suppress(Exception):  # if one is missing or does not load, the script will find out
            importlib.import_module(name)
    if mode is Mode.SIMULATOR:
        with suppress(Exception):
            pkgutil.resolve_name(PREPARED)()
