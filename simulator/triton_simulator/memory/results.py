"""Results of undefined elements that are stored.

The launch is started again to know where they come from.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from triton_simulator.faults import FaultLog, Kind
from triton_simulator.signals import Restart
from triton_simulator.storage.accesses import Access, Lanes
from triton_simulator.storage.undo import Undo
from triton_simulator.values.formats import Array
from triton_simulator.values.undefined import is_mixed, mark_mixed, source_of
from triton_simulator.values.value import Value


class Results:
    """Values of one launch computed from undefined elements, and stored."""

    def __init__(self, log: FaultLog, undo: Undo) -> None:
        self._log = log
        self._undo = undo
        self.combines = False
        """True if undefined elements may have been combined with others.

        Then everything that is stored is checked.
        """
        self.report_all = False
        """True if undefined elements are reported wherever they are stored."""

    def trace(self, reason: str) -> None:
        """Start the launch again to trace undefined elements.

        Does nothing if it already knows where they come from.
        """
        if not self._undo.plan.traced:
            raise Restart(reason, replace(self._undo.plan, traced=True))

    def combine(self, value: Value, axis: int, *, in_order: bool = False) -> None:
        """Record that a value's elements are combined along an axis."""
        if value.poison is not None:
            self.combines = True
        if isinstance(value.poison, np.ndarray):
            value.poison = mark_mixed(value.poison, axis % len(value.shape) + 1, in_order=in_order)

    def record_store(self, access: Access, lanes: Lanes, poison: Array, *, intended: bool) -> None:
        """Record a store of elements, some of which may be undefined.

        They are the lanes of a value with this poison.

        Where no mask says that they are `intended`, they may be padding.
        """
        plain = np.asarray(poison)
        accessed = plain if lanes.chosen is None else plain & lanes.chosen
        if not accessed.any():
            return
        source = source_of(poison, lanes.select)
        # Only a masked load may be padding; any other source is reported wherever it is stored.
        is_computed = source is not None and not source.is_load
        always = self.report_all or is_computed
        is_result = always or intended
        if not (is_result or self.combines):
            return
        self.trace("an undefined value is stored")
        if source is None:
            return
        if not (is_result or is_mixed(poison)):
            return
        where = lanes.select(plain)
        self._log.add(
            Kind.UNDEFINED_RESULT,
            access.owners[where],
            access.region.from_first(access.index[where], access.item),
            argument=access.region.name,
            source=source,
        )
