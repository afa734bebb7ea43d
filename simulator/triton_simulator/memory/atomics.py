"""Atomics on elements of memory, one program after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from triton_simulator.faults import Weakness
from triton_simulator.storage.accesses import Access, Lanes, conflict_free_batches
from triton_simulator.storage.undo import Undo
from triton_simulator.values.formats import Array, bits, decode, encode, storage_dtype, undefined_value, value_dtype
from triton_simulator.values.value import Value


@dataclass(frozen=True)
class Atomic:
    """Read-modify-write, or an atomic load or store."""

    step: Callable[..., Array]
    """Returns the new elements; it gets the old ones and the operands."""
    operands: tuple[Value, ...]
    acquires: bool
    releases: bool
    compares: bool = False
    """True if it waits for the value that it finds."""

    @property
    def orders(self) -> bool:
        """Return whether it may order programs."""
        return self.acquires or self.releases

    @property
    def weakness(self) -> Weakness | None:
        """Return why it orders less than it could; None if it does not."""
        if self.acquires:
            return None if self.releases else Weakness.ACQUIRES
        return Weakness.RELEASES if self.releases else Weakness.RELAXED

    def apply(self, access: Access, lanes: Lanes, dtype: Any, unsure: Array | None, undo: Undo) -> tuple[Array, Array]:
        """Change memory; return the old elements, and which have changed.

        An update that is `unsure` may not happen, and leaves the element undefined.
        """
        flat = access.region.elements(storage_dtype(dtype))
        values = [lanes.select(operand.marked_data()) for operand in self.operands]
        # An atomic load leaves nothing undefined.
        if not values:
            unsure = None
        uncertain = None if unsure is None else lanes.select(np.asarray(unsure))
        old = np.empty(len(access.index), value_dtype(dtype))
        changed = np.zeros(len(access.index), np.bool_)
        # Programs that update the same element take turns, as each must see what the one before has left.
        for turn in conflict_free_batches(access.index):
            old[turn] = decode(flat[access.index[turn]], dtype)
            new = self.step(old[turn], *(value[turn] for value in values)).astype(old.dtype, copy=False)
            if uncertain is not None:
                new = np.where(uncertain[turn], undefined_value(dtype), new).astype(old.dtype, copy=False)
            # Bits are compared, as a NaN that stays a NaN is no change.
            changed[turn] = bits(new) != bits(old[turn])
            undo.put(flat, access.index[turn], encode(new, dtype))
        return old, changed
