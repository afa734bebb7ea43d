"""The one place where the simulator takes over from the GPU."""

from __future__ import annotations

import os
from typing import Any

from triton_workshop.errors import WorkshopError
from triton_workshop.without_library import has_library, provide

SWITCH = "TRITON_WORKSHOP_SIMULATOR"
"""Set to 0, this environment variable leaves kernels to Triton's own interpreter."""

UNDEFINED_SWITCH = "TRITON_WORKSHOP_UNDEFINED"
"""Set to `zero`, this environment variable makes 0 of what a masked load without `other=` leaves undefined, for kernels
that rely on what NVIDIA's GPUs happen to do: see `undefined.py`."""


def install() -> None:
    """Make `@triton.jit` functions run on the CPU from now on, where Triton has no wheel too.

    Triton's interpreter needs `TRITON_INTERPRET=1` to be set already (see `device.py`), and Triton not to have been
    imported without it. Raises WorkshopError if there is no Triton to be had.
    """
    provide()
    from triton.runtime import interpreter

    if os.environ.get(SWITCH, "1").strip() != "0":
        _take_over(interpreter)
    elif not has_library():
        raise WorkshopError(
            f"{SWITCH}=0 asks for Triton's own interpreter, which needs Triton's compiled library. This machine "
            f"has only Triton's Python files: unset {SWITCH}, and kernels run on the simulator."
        )


def _take_over(interpreter: Any) -> None:
    """Replace Triton's builder and executor with ours, for every kernel."""
    from triton.runtime import autotuner

    from triton_workshop.simulator import executor
    from triton_workshop.simulator.builder import Builder
    from triton_workshop.simulator.language import install_language
    from triton_workshop.simulator.libdevice import install_libdevice
    from triton_workshop.simulator.rewriting import install_rewriter

    if isinstance(interpreter.interpreter_builder, Builder):
        return
    interpreter.interpreter_builder = Builder()
    install_language(interpreter.interpreter_builder)
    install_libdevice()
    install_rewriter()
    interpreter.InterpretedFunction.run = executor.run_kernel
    interpreter.InterpretedFunction.__call__ = executor.call_jit_function
    autotuner.Autotuner.run = executor.first_configuration
