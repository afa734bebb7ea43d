"""Programs that meet at an element: who stored it and who loaded it last, and which programs waited for which."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

import numpy as np

from triton_workshop.simulator.faults import FaultLog, Kind
from triton_workshop.simulator.formats import Array
from triton_workshop.simulator.signals import Restart
from triton_workshop.simulator.storage import Region, Storage
from triton_workshop.simulator.undo import Undo


@dataclass(frozen=True)
class Access:
    """What a group loads or stores: element `index[i]` of a region by program `owners[i]`, in that order.

    `run` is the index as a slice where it counts up by one, as numpy copies that much faster, and the index otherwise.
    """

    region: Region
    index: Array
    run: Array | slice
    owners: Array
    item: int
    """Bytes of an element."""


class Shadow:
    """Numbers beside the elements of a storage, 0 for nobody, else program + 1: the last writer and the reader.

    Readers are kept only where the launch also stores, as only there they matter.
    """

    def __init__(self, elements: int, programs: int, *, readers: bool) -> None:
        self.several = programs + 1
        """Stands for more than one reader."""
        kind = np.min_scalar_type(self.several)
        self.writers: Array = np.zeros(elements, kind)
        self.readers: Array | None = np.zeros(elements, kind) if readers else None


class Ordering:
    """Which programs a program has waited for, by atomics on the same address.

    An atomic that releases hands on all that its program did before; one that acquires takes over what was handed on
    at its address until then, by way of others too.
    """

    def __init__(self) -> None:
        self._events: list[tuple[int, int]] = []
        """(program, address) of each atomic on a single address, in the order in which they happened."""

    def __len__(self) -> int:
        return len(self._events)

    def happened(self, programs: Array, addresses: Array) -> None:
        self._events.extend(zip(programs.tolist(), addresses.tolist(), strict=True))

    def forget_after(self, length: int) -> None:
        del self._events[length:]

    def unordered(self, laters: Array, earliers: Array) -> Array:
        """Which of the pairs `earliers[i]` before `laters[i]` no atomic orders."""
        if not self._events:
            return np.ones(len(laters), np.bool_)
        waited_for = functools.cache(self._before)
        pairs = zip(laters.tolist(), earliers.tolist(), strict=True)
        return np.array([earlier not in waited_for(later) for later, earlier in pairs], np.bool_)

    def _before(self, program: int) -> frozenset[int]:
        """Every program that has handed something on to this one: the events are followed backwards."""
        known, addresses = {program}, set[int]()
        for actor, address in reversed(self._events):
            if actor in known:
                addresses.add(address)
            elif address in addresses:
                known.add(actor)
                addresses.add(address)
        return frozenset(known) - {program}


class Races:
    """Finds, in one launch, programs that touch the same element without waiting for each other."""

    def __init__(self, log: FaultLog, programs: int, undo: Undo) -> None:
        self.ordering = Ordering()
        self._log = log
        self._programs = programs
        self._undo = undo
        self._shadows: dict[int, Shadow] = {}

    def restart(self) -> None:
        self._shadows.clear()
        self.ordering = Ordering()

    def watched(self, storage: Storage) -> bool:
        """Whether loads from this storage matter: whether the launch also stores to it."""
        watched = self._undo.plan.watched
        if storage.loaded and storage.stored and storage.address not in watched:
            plan = replace(self._undo.plan, watched=watched | {storage.address})
            raise Restart("the launch loads from memory that it stores to", plan)
        return storage.address in watched

    def load(self, access: Access) -> None:
        """Before a load from a watched storage."""
        shadow, marks, names = self._marks(access)
        readers = shadow.readers
        assert readers is not None
        writers = shadow.writers[marks]
        self._report(access, writers, (writers != 0) & (writers != names), stored=False)
        before = readers[marks]
        others = (before != 0) & (before != names)
        if others.any() and len(self.ordering):
            # A program that waited for the reader before takes its place: who waits for this one waits for both.
            known = others & (before != shadow.several)
            others[known] = self.ordering.unordered(access.owners[known], before[known].astype(np.int64) - 1)
        self._undo.put(readers, marks, names)
        others |= readers[marks] != names
        if others.any():
            places = np.arange(marks.start, marks.stop) if isinstance(marks, slice) else marks
            self._undo.put(readers, places[others], np.array(shadow.several, readers.dtype))

    def store(self, access: Access, now: Array, new: Array) -> None:
        """Before a store: `now` is what memory holds, `new` what it will hold."""
        shadow, marks, names = self._marks(access)
        writers = shadow.writers[marks]
        clash = (writers != 0) & (writers != names)
        if clash.any():
            self._report(access, writers, clash & (bits(now) != bits(new)), stored=True)
        if shadow.readers is not None:
            readers = shadow.readers[marks]
            clash = (readers != 0) & (readers != names)
            if clash.any():
                readers = np.where(readers == shadow.several, 0, readers)
                self._report(access, readers, clash & (bits(now) != bits(new)), stored=False)
        self._undo.put(shadow.writers, marks, names)

    def stored(self, access: Access, now: Array, new: Array) -> None:
        """After a store: programs of the same group may have replaced what another has just stored."""
        if isinstance(access.run, slice):
            return
        shadow, marks, names = self._marks(access)
        last = shadow.writers[marks]
        lost = last != names
        if lost.any():
            self._report(access, last, lost & (bits(now) != bits(new)), stored=True)

    def _report(self, access: Access, others: Array, clash: Array, *, stored: bool) -> None:
        """Record the elements where `clash` holds; `others` are shadow numbers, 0 for "several"."""
        if not clash.any():
            return
        others = others[clash].astype(np.int64) - 1
        owners, index = access.owners[clash], access.index[clash]
        racing = self.ordering.unordered(owners, others)
        if racing.any():
            self._log.add(
                Kind.RACE,
                owners[racing],
                index[racing],
                argument=access.region.name,
                others=others[racing],
                stored=stored,
            )

    def _marks(self, access: Access) -> tuple[Shadow, Array | slice, Array]:
        """The shadow, where in it the elements are, and the shadow numbers of their programs."""
        storage, item = access.region.storage, access.item
        shadow = self._shadows.get(storage.address)
        if item < storage.unit:
            storage.unit = item
            if shadow is not None:
                raise Restart("elements are smaller than they seemed", self._undo.plan)
        if shadow is None:
            readers = storage.address in self._undo.plan.watched
            shadow = Shadow(-(-len(storage.bytes) // storage.unit), self._programs, readers=readers)
            self._shadows[storage.address] = shadow
        start = access.region.offset // storage.unit
        marks: Array | slice
        if item != storage.unit:
            marks = start + access.index * (item // storage.unit)
        elif isinstance(access.run, slice):
            marks = slice(access.run.start + start, access.run.stop + start)
        else:
            marks = access.index + start if start else access.index
        return shadow, marks, (access.owners + 1).astype(shadow.writers.dtype)


def bits(values: Array) -> Array:
    """For comparing: a NaN equals itself."""
    return values.view(f"u{values.itemsize}") if values.dtype.kind in "fb" else values
