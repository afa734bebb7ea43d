"""Goals of an exercise: what a right kernel may cost.

An exercise with goals begins with a complete, correct, slow script, so it has no TODOs: `todos = []`. Its `goals.toml`
has a table for each goal, in the order in which they are told. What the simulator counts comes first, as that is judged
without a compiler, too.

    [whole-sectors]
    quantity = "sectors"  # a `Quantity`
    figure = 65_536       # what the solution takes at the workload's `traffic_case`, or an instruction's beginning
    margin = 1.25         # a factor for other good kernels; 1 by default
    blame = "sizes"       # the line to show: `sizes`, `launch`, `programs`; by default where most of it was measured
    hints = ["A question?", "An idea."]  # the third one quotes the solution's lines that were not shipped

Goals look at what was measured, never at the script's text. On a GPU, a check times the kernel before and after the
repair, at the largest of the `timing_cases`.
"""

from __future__ import annotations

import functools
import math
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from triton_simulator.gpus import H200, PUBLISHED, GpuModel


class Quantity(StrEnum):
    """Quantity that a goal bounds."""

    BYTES = "bytes"
    """Bytes loaded and stored, counting every access."""
    SECTORS = "sectors"
    """Sectors of 32 bytes that blocks touch, each block counted separately."""
    LANES = "lanes"
    """Elements of all blocks to load or store, masked off or not."""
    WAVE_BYTES = "wave-bytes"
    """Bytes loaded, if a wave of programs loads each byte once."""
    WAITS = "waits"
    """Warps that wait for each other, at each reduction or scan of a block."""
    WIDTH = "width"
    """Bits that a thread moves by the narrowest load or store of a block."""
    PRODUCT = "product"
    """Instruction of the products."""
    BARRIERS = "barriers"
    """Barriers of all threads inside a loop."""
    REGISTERS = "registers"
    """Registers of a thread."""
    SPILLS = "spills"
    """Instructions that move registers to and from local memory."""
    PROGRAMS = "programs"
    """Programs that an SM runs at the same time."""

    @property
    def is_counted(self) -> bool:
        """True if the simulator counts it; else the compiler says it."""
        return self in _COUNTED

    @property
    def is_gain(self) -> bool:
        """True if more of it is better."""
        return self in (Quantity.WIDTH, Quantity.PROGRAMS)


_COUNTED = (Quantity.BYTES, Quantity.SECTORS, Quantity.LANES, Quantity.WAVE_BYTES, Quantity.WAITS)


@dataclass(frozen=True)
class Goal:
    """Bound of a cost: the repaired kernel's figure, and a margin.

    The margin is a factor, which lets other good kernels pass.
    """

    name: str
    quantity: Quantity
    figure: int | str
    """A number, or the beginning of an instruction's name."""
    hints: tuple[str, ...]
    """A question and an idea."""
    margin: float = 1.0
    slack: int = 0
    """What is allowed beyond the margin: no factor gives one to a figure of 0."""
    blame: str = ""
    """The line to show: `sizes`, `launch` or `programs`; by default where it was measured."""
    gpu: GpuModel = H200
    """The GPU for which it is measured: all goals of an exercise have the same one."""

    @property
    def allowed(self) -> int | str:
        """The most that a kernel may cost, or the least that it must reach."""
        if isinstance(self.figure, str):
            return self.figure
        return (
            math.ceil(self.figure / self.margin)
            if self.quantity.is_gain
            else int(self.figure * self.margin) + self.slack
        )

    def allows(self, measured: int | str) -> bool:
        """Return whether a kernel of this cost reaches the goal."""
        if isinstance(measured, str) or isinstance(self.allowed, str):
            return str(measured).startswith(str(self.allowed))
        return measured >= self.allowed if self.quantity.is_gain else measured <= self.allowed


@functools.cache
def load_goals(folder: Path) -> tuple[Goal, ...]:
    """Return the goals of the exercise in this folder; most have none."""
    try:
        tables = tomllib.loads((folder / "goals.toml").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return ()
    return tuple(_parse_goal(name, table) for name, table in tables.items())


def _parse_goal(name: str, table: dict[str, Any]) -> Goal:
    gpus = {gpu.name: gpu for gpu in PUBLISHED}
    gpu = gpus[table.pop("gpu", H200.name)]
    return Goal(name, Quantity(table.pop("quantity")), hints=tuple(table.pop("hints")), gpu=gpu, **table)
