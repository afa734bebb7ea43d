"""Coalescing of memory accesses.

How the blocks of a launch lie in memory is counted only on request, since it takes about as long as the launch.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields

import numpy as np

from triton_simulator.lines import KernelLine, current_line
from triton_simulator.memory.marks import Marks
from triton_simulator.storage.accesses import Access
from triton_simulator.values.formats import Array

SECTOR_BYTES = 32
"""Bytes that a GPU's caches fetch at least.

The accesses of a warp become as many transactions of 32 bytes as they need (NVIDIA, CUDA C++ Best Practices Guide,
"Coalesced Access to Global Memory").
"""

Use = tuple[str, bool]
"""An argument's name, and whether it is stored to."""


@dataclass(frozen=True)
class Sectors:
    """Sectors that the loads or stores of an argument touch.

    Each block of each program counts separately.

    Triton splits a block's elements among threads in memory order; no other way touches fewer sectors.
    """

    touched: int = 0
    """Sectors of 32 bytes that a block touches, summed over the blocks."""
    minimum: int = 0
    """Sectors that as many bytes would touch if they were contiguous.

    They would begin at the start of a sector.
    """
    useful: int = 0
    """Bytes of a block, each counted once, summed over the blocks."""
    runs: int = 0
    """Rows of bytes without a gap."""

    def __add__(self, other: Sectors) -> Sectors:
        return Sectors(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(self)))


@dataclass
class Coalescing:
    """Coalescing of a launch, for `record(coalescing=True)`."""

    programs: int
    sectors: dict[Use, Sectors] = field(default_factory=dict)
    steps: dict[Use, Counter[int]] = field(default_factory=dict)
    """Counts of the steps in bytes between the starts of a block's runs.

    Only blocks that touch too many sectors count.
    """
    lanes: int = 0
    """Elements of all blocks to load or store, masked off or not."""
    masked: int = 0
    """Elements that a mask leaves out."""
    lines: dict[KernelLine, Sectors] = field(default_factory=dict)
    """The sectors of each line's loads and stores."""
    line_lanes: Counter[KernelLine] = field(default_factory=Counter)
    """The elements of each line's blocks."""
    wave: int = 0
    """Programs that run at the same time, one after the other in the grid; 0 if nobody asks about their waves."""
    wave_bytes: Counter[KernelLine] = field(default_factory=Counter)
    """Bytes that each line is the first of its wave to load: a cache has the repeats."""
    _loaded: dict[tuple[int, int], Marks] = field(default_factory=dict, repr=False, compare=False)
    """The elements of a region that a wave has loaded, by the numbers of both."""

    def access(self, name: str, access: Access, lanes: int, *, stored: bool) -> None:
        """Count the loads or stores of a group of programs.

        Their blocks have `lanes` elements together.
        """
        line = current_line()
        self.lanes += lanes
        self.line_lanes[line] += lanes
        self.masked += lanes - len(access.index)
        if not len(access.index):
            return
        sectors, steps = _measure(access)
        self.sectors[name, stored] = self.sectors.get((name, stored), Sectors()) + sectors
        self.lines[line] = self.lines.get(line, Sectors()) + sectors
        if self.wave and not stored:
            self._load_by_waves(access, line)
        if steps:
            self.steps.setdefault((name, stored), Counter()).update(steps)

    def _load_by_waves(self, access: Access, line: KernelLine) -> None:
        region, waves = access.region, access.owners // self.wave
        for wave in np.unique(waves).tolist():
            if (region.number, wave) not in self._loaded:
                self._loaded[region.number, wave] = Marks(region)
            self.wave_bytes[line] += self._loaded[region.number, wave].add_new(access.select(waves == wave))

    def snapshot(self) -> Coalescing:
        """Return a copy for `restore`.

        What waves have loaded stays: the same programs will load it again.
        """
        copy = Coalescing(0, dict(self.sectors), {use: Counter(steps) for use, steps in self.steps.items()})
        copy.programs, copy.lanes, copy.masked = self.programs, self.lanes, self.masked
        copy.lines, copy.line_lanes = dict(self.lines), Counter(self.line_lanes)
        copy.wave, copy.wave_bytes, copy._loaded = self.wave, self.wave_bytes, self._loaded
        return copy


def _measure(access: Access) -> tuple[Sectors, dict[int, int]]:
    """Return the sectors of an access, and the steps from run to run.

    The steps are given if there are more sectors than necessary.
    """
    region, item = access.region, access.item
    # Each program gets its own address space, followed by a gap, so that one sorted list is enough for all.
    space = (len(region.storage.bytes) // SECTOR_BYTES + 2) * SECTOR_BYTES
    addresses = access.owners * space + region.offset + access.index * item
    if not (addresses[1:] > addresses[:-1]).all():
        addresses = np.unique(addresses)
    # The first address begins a run: what is put before it lies a whole space below.
    starts = addresses[np.diff(addresses, prepend=addresses[0] - space) != item]
    per_program = np.diff(np.append(np.flatnonzero(np.diff(addresses // space, prepend=-1)), len(addresses)))
    touched = 1 + int(np.count_nonzero(np.diff(addresses // SECTOR_BYTES)))
    minimum = int((-(-per_program * item // SECTOR_BYTES)).sum())
    sectors = Sectors(touched, minimum, len(addresses) * item, len(starts))
    return sectors, _run_distances(starts, space) if touched > minimum else {}


def _run_distances(starts: Array, space: int) -> dict[int, int]:
    within = np.diff(starts // space) == 0
    steps, times = np.unique(np.diff(starts)[within], return_counts=True)
    return dict(zip(steps.tolist(), times.tolist(), strict=True))
