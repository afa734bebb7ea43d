"""Reports of a measurement on a GPU: plain data, without torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from triton_workshop.bench.timing import Timing


@dataclass(frozen=True)
class TimingProgress:
    """Count of the timings that are done, and the next one."""

    done: int
    total: int
    label: str


@dataclass(frozen=True)
class Measured:
    """One size. `times` contains a contender only if its result was right."""

    size: str
    bytes: int
    operations: int
    times: dict[str, Timing]
    graph: bool
    """True if all were timed by replaying a CUDA graph.

    That leaves out the cost of launching from Python.
    """


@dataclass(frozen=True)
class Wrong:
    """A contender's result was wrong, so it has no figures."""

    size: str
    contender: str
    message: str


@dataclass(frozen=True)
class NoRoom:
    """Not even the smallest size fits into the GPU's free memory."""

    size: str
    needed: int
    """Bytes that it takes, with its check."""
    free: int
    """Bytes of memory that are free."""


@dataclass(frozen=True)
class MeasuredOn:
    gpu: str
    versions: dict[str, str]


Report = TimingProgress | Measured | Wrong | NoRoom | MeasuredOn
