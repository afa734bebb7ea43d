"""Puts kernels on the simulator as the workshop uses it: on a slide, lines are named as the slide numbers them, and the
slide is told of launches."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from triton_simulator import hooks, install, lines
from triton_simulator.compiler.launches import Launches
from triton_workshop.import_order import check_triton_mode
from triton_workshop.slide_environment import LAUNCHES, name_of_line


def simulate() -> None:
    """Run the kernels of this process on the simulator, which `device` has chosen.

    Raises WorkshopError if Triton has been imported for a GPU, and NoTritonError if there is no Triton to be had.
    """
    check_triton_mode()
    install()
    lines.name_of_line = name_of_line
    if _tell_the_slide not in hooks.listeners:
        hooks.listeners.append(_tell_the_slide)


def _tell_the_slide(*launch: Any) -> None:
    """Note a launch for the slide, if there is one: a warm process learns that only when a script runs in it."""
    if LAUNCHES in os.environ:
        _of_the_slide.append(Launches())
        _of_the_slide[-1].write_at_exit(Path(os.environ.pop(LAUNCHES)))
    for launches in _of_the_slide:
        launches.note(*launch)


_of_the_slide: list[Launches] = []
