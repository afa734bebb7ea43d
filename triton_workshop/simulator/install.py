"""The one place where the simulator takes over from the GPU."""

from __future__ import annotations

import importlib.util

from triton_workshop.errors import WorkshopError

NO_TRITON = (
    "Triton is not installed: it ships for Linux and Windows only. The deck works here "
    "(`uv run workshop present`); to run kernels, use a Linux container or a Linux machine over ssh. "
    "`uv run setup-check` says how."
)


def install() -> None:
    """Make `@triton.jit` functions run on the CPU from now on.

    `TRITON_INTERPRET=1` is set by then (see `device.py`), and Triton has not been imported without it: both are what
    Triton's interpreter needs.
    """
    if importlib.util.find_spec("triton") is None:
        raise WorkshopError(NO_TRITON)
