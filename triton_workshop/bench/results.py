"""What a measurement on a GPU tells while it goes on. Plain data, without torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from triton_workshop.bench.timing import Timing


@dataclass(frozen=True)
class Progress:
    """So many of the timings are done, and what comes next."""

    done: int
    total: int
    what: str


@dataclass(frozen=True)
class Measured:
    """One size. `times` has a contender's name only where its result was right."""

    size: str
    bytes: int
    operations: int
    times: dict[str, Timing]
    graph: bool
    """Whether all were timed by replaying a CUDA graph: without what a launch from Python takes."""


@dataclass(frozen=True)
class Wrong:
    """A contender's result was wrong, so there is no figure for it."""

    size: str
    contender: str
    message: str


@dataclass(frozen=True)
class Machine:
    gpu: str
    versions: dict[str, str]


Report = Progress | Measured | Wrong | Machine
