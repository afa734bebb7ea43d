"""What a launch asks of a GPU, counted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from triton_workshop.simulator.formats import Array


@dataclass
class Traffic:
    """What a launch does to one argument, in bytes; `scattered_*` are blocks whose rows are not contiguous."""

    loaded: int = 0
    stored: int = 0
    distinct: int = 0
    scattered_loads: int = 0
    scattered_stores: int = 0


@dataclass
class Counts:
    """What a launch does: bytes asked for and touched, by argument, and floating-point operations."""

    operations: int = 0
    arguments: dict[str, Traffic] = field(default_factory=dict)
    _touched: dict[str, Array] = field(default_factory=dict, repr=False)

    @property
    def total(self) -> Traffic:
        """All arguments together."""
        rows = self.arguments.values()
        names = ("loaded", "stored", "distinct", "scattered_loads", "scattered_stores")
        return Traffic(*(sum(getattr(row, name) for row in rows) for name in names))

    def access(
        self, region: Any, index: Array, item: int, shape: tuple[int, ...], *, whole: bool, stored: bool
    ) -> None:
        """A load or a store of the elements `index` (flat) of a memory region, by blocks of `shape`."""
        name = region.name or "memory"
        row = self.arguments.setdefault(name, Traffic())
        size = len(index) * item
        scattered = bool(shape) and shape[-1] > 1 and _scattered(index, shape[-1], whole)
        if stored:
            row.stored += size
            row.scattered_stores += scattered
        else:
            row.loaded += size
            row.scattered_loads += scattered
        touched = self._touched.setdefault(name, np.zeros(region.size // region.item, np.bool_))
        touched[index * item // region.item] = True

    def finish(self) -> None:
        """Add up the distinct bytes. `region.item` is not known here, so `access` keeps elements."""

    def saved(self) -> tuple[int, dict[str, Traffic]]:
        return self.operations, {name: Traffic(**vars(row)) for name, row in self.arguments.items()}

    def restore(self, saved: tuple[int, dict[str, Traffic]]) -> None:
        self.operations, self.arguments = saved


def _scattered(index: Array, row: int, whole: bool) -> bool:
    """Whether elements that follow each other in a row do not in memory."""
    if not whole:
        steps = np.diff(index)
        # The end of a row shows as any other step; more steps than rows mean a scattered one.
        return int((steps != 1).sum()) > 2 * (len(index) // row + 1)
    rows = index.reshape(-1, row)
    return bool((np.diff(rows, axis=1) != 1).any())
