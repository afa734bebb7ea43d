"""Machine that a deck was validated on.

It is described without importing torch or Triton, which would take seconds.
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
from contextlib import suppress
from dataclasses import dataclass

from triton_workshop.device import simulated, visible_gpus


@dataclass(frozen=True)
class Environment:
    """Machine and versions; None for a package that is not installed."""

    device: str
    """"cuda", or "cpu" for the simulator."""
    gpu: str | None
    cores: int
    system: str
    python: str
    torch: str | None
    triton: str | None

    @property
    def runs_on(self) -> str:
        """The GPU's name, or the simulator."""
        return self.gpu or "the simulator"


def this_environment() -> Environment:
    """Describe this machine."""
    # Not resolve_device(): it sets TRITON_INTERPRET, and the blocks would inherit it.
    gpus = () if simulated() else visible_gpus()
    gpu = next((gpu.name for gpu in gpus if gpu.runs_kernels), None)
    return Environment(
        device="cuda" if gpu else "cpu",
        gpu=gpu,
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        system=f"{platform.system()} {platform.machine()}",
        python=platform.python_version(),
        torch=_version("torch"),
        triton=_version("triton", "triton-windows", "pytorch-triton"),
    )


def _version(*names: str) -> str | None:
    """Return the version of the first distribution that is installed."""
    for name in names:
        with suppress(importlib.metadata.PackageNotFoundError):
            return importlib.metadata.version(name)
    return None
