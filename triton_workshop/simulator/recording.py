"""What launches tell those who ask: `record` collects what they did, and `listeners` hear of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from triton_workshop.simulator.counts import Counts, Write
from triton_workshop.simulator.faults import Fault

listeners: list[Callable[[Any, dict[str, Any], dict[str, Any], set[str]], None]] = []
"""Each is told of every launch that ended without an error: the kernel, its arguments, the other options, and the names
of the arguments that are numbers, but turned out to be addresses."""


@dataclass(frozen=True)
class Launch:
    """What a launch did."""

    kernel: str
    grid: tuple[int, ...]
    faults: tuple[Fault, ...]
    counts: Counts
    one_by_one: bool
    """Whether the programs had to run one after the other."""
    file: str
    """Where the kernel's source is."""
    arguments: dict[str, Any]
    """By the names of its parameters."""
    writes: dict[int, Write]
    """What it stored, by the address of the storage, if `record` was asked for it."""
    undefined: tuple[Fault, ...] = ()
    """Undefined results that it stored: of sums and the like, or all if `record` was asked what was stored."""

    @property
    def programs(self) -> int:
        return int(np.prod(self.grid))


@dataclass(frozen=True, eq=False)
class Recording:
    """What one `record` asks for, and the launches that it has collected."""

    coalescing: bool
    writes: bool
    strict_views: bool
    launches: list[Launch] = field(default_factory=list)


recordings: list[Recording] = []
"""Those that are going on: each gets every launch, with all that any of them asks for."""


@contextmanager
def record(*, coalescing: bool = False, writes: bool = False, strict_views: bool = False) -> Iterator[list[Launch]]:
    """Collect the launches made inside, faults and counts included: then a fault does not raise.

    With `coalescing`, the counts say how blocks lie in memory too, which takes about as long again. With `writes`, each
    launch says what it stored, which copies all that it stored to. With `strict_views`, an access outside a view is a
    fault even inside its storage: see `storage.Region`.
    """
    recordings.append(Recording(coalescing, writes, strict_views))
    try:
        yield recordings[-1].launches
    finally:
        recordings.pop()
