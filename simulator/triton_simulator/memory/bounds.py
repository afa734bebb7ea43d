"""Bounds of arguments, which an access is checked against beforehand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from triton_simulator.faults import FaultLog, Kind
from triton_simulator.storage.accesses import along_programs
from triton_simulator.storage.address_space import AddressSpace
from triton_simulator.storage.regions import Region
from triton_simulator.values.formats import Array
from triton_simulator.values.undefined import source_of
from triton_simulator.values.value import Value


class Bounds:
    """Check of the accesses of one launch."""

    def __init__(self, log: FaultLog, space: AddressSpace, trace: Callable[[str], None]) -> None:
        self._log = log
        self._space = space
        self._trace = trace
        self.has_undefined = False
        """True once an access depended on an undefined value, in bounds or not."""

    def check(
        self, kind: Kind, region: Region, pointer: Value, mask: Value | None, item: int, group: Array
    ) -> Array | None:
        """Record forbidden accesses of a group of programs.

        Returns a mask of those that may happen, or None for none: where the mask is undefined, they may.
        """
        outside = region.outside(pointer.data, item)
        undefined = None if pointer.poison is None else np.asarray(pointer.poison)
        self.has_undefined |= uncertain_lanes(pointer, mask) is not None
        bad = outside if outside is None or mask is None else outside & mask.data
        if bad is not None and not bad.any():
            bad = None
        if bad is not None:
            if undefined is not None:
                self._report_undefined(kind, region, pointer, mask, group, bad & undefined)
            self._report(kind, region, pointer, mask, item, group, _without(bad, undefined))
        if pointer.wrapped is not None:
            self._check_wrapped(region, pointer, _without(pointer.wrapped, undefined), mask, item, group)
        return bad if mask is None or mask.poison is None else _possible(outside, mask)

    def _report_undefined(
        self, kind: Kind, region: Region, pointer: Value, mask: Value | None, group: Array, bad: Array
    ) -> None:
        if bad.any():
            self._trace("an undefined value is an index")
            owners, _ = _culprits(group, pointer.data, bad)
            source = source_of(pointer.poison, lambda part: part & bad)
            self._log.add(kind, owners, argument=region.name, undefined=True, masked=mask is not None, source=source)

    def _report(
        self, kind: Kind, region: Region, pointer: Value, mask: Value | None, item: int, group: Array, bad: Array
    ) -> None:
        if not bad.any():
            return
        owners, index = _culprits(group, pointer.data, bad)
        # Of memory that belongs to no tensor, people are told the distance to one that they know.
        near = region if region.size else self._space.nearest(region, index, item)
        if near is not region:
            index = index + (region.address - near.address) // item
        self._log.add(
            kind,
            owners,
            near.from_first(index, item),
            argument=near.name,
            size=near.length(item) if near.size else None,
            masked=mask is not None,
            wrapped=pointer.wrapped is not None and bool((pointer.wrapped & bad).any()),
            dtype=str(pointer.get_element_ty()) if near.name is None else "",
        )

    def _check_wrapped(
        self, region: Region, pointer: Value, wrapped: Array, mask: Value | None, item: int, group: Array
    ) -> None:
        # A wrapped offset is a fault even where it lands inside the tensor by chance.
        if mask is not None:
            wrapped = wrapped & mask.data
        if wrapped.any():
            owners, index = _culprits(group, pointer.data, wrapped)
            self._log.add(Kind.WRAPPED_OFFSET, owners, region.from_first(index, item), argument=region.name)


def _possible(outside: Array | None, mask: Value) -> Array | None:
    """Return where an access outside may happen, as its mask is undefined."""
    if outside is None:
        return None
    possible: Array = outside & (mask.data | np.asarray(mask.poison))
    return possible if possible.any() else None


def _without(where: Array, undefined: Array | None) -> Array:
    """Return where a place is known: an undefined index says nothing about it."""
    return where if undefined is None else where & ~undefined


def _culprits(group: Array, index: Array, bad: Array) -> tuple[Array, Array]:
    """Return the programs and element indices where `bad` is true."""
    programs = along_programs(group, index.ndim)
    shape = np.broadcast_shapes(index.shape, bad.shape, programs.shape)
    bad = np.broadcast_to(bad, shape)
    return np.broadcast_to(programs, shape)[bad], np.broadcast_to(index, shape)[bad]


def uncertain_lanes(pointer: Value, mask: Value | None) -> Array | None:
    """Return the lanes whose access depends on an undefined value.

    The value says whether, or where, the access happens. The mask is exact.
    """
    mask_poison = None if mask is None else mask.poison
    if pointer.poison is None and mask_poison is None:
        return None
    unsure = np.asanyarray(False if pointer.poison is None else pointer.poison)
    # A pointer matters where the mask is true; an undefined mask matters everywhere.
    if mask is not None:
        unsure = unsure & mask.data | (False if mask.poison is None else mask.poison)
    return unsure if unsure.any() else None
