"""The simulator, as the workshop uses it.

On a slide, lines are named as the slide numbers them, and launches are recorded for the slide.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any

from triton_simulator import hooks, install, lines
from triton_simulator.compiler.launches import Launches
from triton_workshop.import_order import check_triton_mode
from triton_workshop.slide_environment import LAUNCHES, name_of_line


def simulate() -> None:
    """Run the kernels of this process on the simulator.

    `device` has chosen it. Raises WorkshopError if Triton has been imported for a GPU, and NoTritonError if there is no
    Triton to be had.
    """
    check_triton_mode()
    install()
    lines.name_of_line = name_of_line
    _provide_driver()
    if _record_launch not in hooks.listeners:
        hooks.listeners.append(_record_launch)


def _provide_driver() -> None:
    """Have Triton's driver speak for the CPU where there is no GPU.

    Scripts ask it where their tensors belong, and Triton's own benchmark for a clock.
    """
    module: Any = import_module("triton.runtime.driver")  # `triton.runtime.driver` is an object in it
    create = module._create_driver

    def create_any() -> Any:
        """Return the GPU's driver, or else one for the CPU."""
        try:
            return create()
        except RuntimeError:
            from triton_simulator.cuda_on_cpu import cpu_driver

            return cpu_driver()

    if create.__name__ != create_any.__name__:
        module._create_driver = create_any


def _record_launch(*launch: Any) -> None:
    """Record a launch for the slide, if there is one.

    A warm process learns that only when a script runs in it.
    """
    if LAUNCHES in os.environ:
        _slide_launches.append(Launches())
        _slide_launches[-1].write_at_exit(Path(os.environ.pop(LAUNCHES)))
    for launches in _slide_launches:
        launches.note(*launch)


_slide_launches: list[Launches] = []
