"""Detection of races between threads of one program.

Threads that exchange data through memory have to wait for each other.

A block's elements are spread over a program's threads, and nothing but `tl.debug_barrier()`, or what makes all of them
wait by itself, lets one thread see what another one has stored.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from triton_simulator.faults import FaultLog, Kind
from triton_simulator.lines import KernelLine, current_line
from triton_simulator.races.shadow import MAX_KEPT, as_indices, positions
from triton_simulator.signals import Restart
from triton_simulator.storage.accesses import Access, Lanes
from triton_simulator.storage.undo import Undo
from triton_simulator.values.formats import Array
from triton_simulator.values.thread_scalars import WARP, Share

DEFAULT_WARPS = 4
VECTOR_BYTES = 16
"""Bytes side by side that a thread loads or stores at a time."""
MAX_ELEMENTS = 1 << 24
"""Elements up to which a storage is worth the memory for its threads."""
MAX_BLOCKS = 16
"""Blocks without a common element that are remembered."""
Block = tuple[tuple[int, ...], Array | slice]
"""Its shape, and its elements."""
_LANE_BITS = 31
_SEVERAL = 1 << _LANE_BITS
_SLOT = _SEVERAL - 1


@dataclass(frozen=True)
class Layout:
    """Layout of a block's elements over a program's threads.

    In the order of memory, each thread in turn gets `vector` elements.

    This is what the compiler chooses for rows, or columns, that are contiguous and aligned.
    """

    shape: tuple[int, ...]
    order: tuple[int, ...]
    """The axes, the contiguous one last."""
    vector: int
    threads: int

    def warps(self, lanes: Array) -> Array:
        """Return the warps that have these elements."""
        # Lanes are numbered in the block's order, threads in the order of memory: the contiguous axis runs fastest.
        if self.order != tuple(range(len(self.order))):
            at = np.unravel_index(lanes, self.shape)
            places = [at[axis] for axis in self.order]
            lanes = np.ravel_multi_index(places, [self.shape[axis] for axis in self.order])
        return np.asarray(lanes // self.vector % self.threads // WARP)


def infer_layout(lanes: Lanes, item: int, threads: int) -> Layout:
    """Return the layout that the compiler would choose for these lanes."""
    axes = tuple(range(len(lanes.shape)))
    contiguous = [axis for axis in axes if _is_contiguous(lanes.index, axis + 1)]
    if not contiguous:
        return Layout(lanes.shape, axes, 1, threads)
    # The compiler puts the contiguous axis last, and gives each thread as much of it as one instruction moves.
    order = (*(axis for axis in axes if axis != contiguous[-1]), contiguous[-1])
    return Layout(lanes.shape, order, max(1, min(VECTOR_BYTES // item, lanes.size // threads)), threads)


def _is_contiguous(index: Array, axis: int) -> bool:
    return index.shape[axis] > 1 and bool((np.diff(index, axis=axis) == 1).all())


class _Places(NamedTuple):
    """Places of an event's elements in a storage, and its slots."""

    elements: _Elements
    marks: Array | slice
    slots: Array

    def select(self, number: int) -> _Places:
        """Return the place of one element."""
        return _Places(self.elements, as_indices(self.marks)[[number]], self.slots[[number]])


@dataclass(eq=False)
class _Event:
    """Access by blocks of `size` elements.

    Slot i is lane `i % size` of program `group[i // size]`.
    """

    line: KernelLine
    layout: Layout
    size: int
    group: Array
    atomic: bool = False
    by_all: bool = False
    """True if all threads need the number that was loaded."""
    reads: _Places | None = None
    """What it has loaded, if the plan says that accesses are kept."""

    def conflicts(self, later: _Event, slots: Array, later_slots: Array) -> Array:
        """Return where slots belong to different threads of one program.

        They are `slots` of this event and `later_slots` of the other one.

        The same lanes of equal blocks are the same thread, whatever its layout. Threads of a warp run in step.
        """
        lanes, later_lanes = slots % self.size, later_slots % later.size
        conflicting = (self.layout.warps(lanes) != later.layout.warps(later_lanes)) | self.by_all
        if self.layout.shape == later.layout.shape and not self.by_all:
            conflicting &= lanes != later_lanes
        return np.asarray(conflicting & (self.group[slots // self.size] == later.group[later_slots // later.size]))


class _Elements:
    """Last stores and reads of a storage's elements.

    An event and a slot stand in one number, or 0 for none.
    """

    def __init__(self, elements: int) -> None:
        self.stores: Array = np.zeros(elements, np.int64)
        self.reads: Array = np.zeros(elements, np.int64)


class Threads:
    """Accesses of each program's threads since they last waited.

    Accesses are the stores and reads of a launch.

    To know that takes about as long as the launch, so a storage is `tracked` only once a program comes back to an
    element of it by another block than before. In doubt there is no race: what makes the threads of most kernels wait,
    as a reduction does, counts as waiting, and only threads of different warps race.
    """

    def __init__(self, log: FaultLog, programs: int, undo: Undo) -> None:
        self.warps = DEFAULT_WARPS
        self._log = log
        self._undo = undo
        self._events: list[_Event | None] = [None]
        self._kept = 0
        self._elements: dict[int, _Elements] = {}
        self._blocks: dict[int, list[Block] | None] = {}
        """Blocks that programs came to since they waited, by storage.

        They have no common element. The value is None if others were used.
        """
        self._stores_since: Array = np.ones(programs, np.int64)
        self._reads_since: Array = np.ones(programs, np.int64)
        """By program: the first event whose stores, or reads, may go on."""
        self.settled: Array = np.ones(programs, np.bool_)
        """By program: whether no thread but the first has stored since all waited.

        Known only where atomics order the programs.
        """

    def restart(self) -> None:
        """Forget all accesses, as the launch starts again."""
        if len(self._events) > 1:
            del self._events[1:]
            self._kept = 0
            self._elements.clear()
            self._stores_since[:] = self._reads_since[:] = 1
        self._blocks.clear()
        self.settled[:] = True

    def wait(self, group: Array, *, stores: bool = True) -> None:
        """Record that all threads of each of these programs wait.

        Without `stores`, they wait for what was read only.
        """
        if stores:
            self._blocks.clear()
            self.settled[group] = True
        if len(self._events) > 1:
            self._reads_since[group] = len(self._events)
            if stores:
                self._stores_since[group] = len(self._events)

    def unsettle(self, access: Access) -> None:
        """Record a store that other warps than the first are under way with."""
        lanes = access.lanes
        if lanes is None:
            return
        if lanes.size > WARP and self.warps > 1:
            layout = infer_layout(lanes, access.item, WARP * self.warps)
            self.settled[access.owners[layout.warps(lanes.slots() % lanes.size) > 0]] = False

    # What is not tracked

    def is_tracked(self, access: Access) -> bool:
        """Return whether the threads of this access are known."""
        return access.region.storage.address in self._undo.plan.threads and self._is_relevant(access)

    def needs_tracking(
        self, access: Access, written: Callable[[], bool], read: Callable[[], bool], *, stores: bool
    ) -> bool:
        """Return whether a storage has to be tracked from now on.

        It has if a program comes back to an element by another block than before: then who was there has to be known.

        `written` and `read` say whether one of the programs has stored, or read, one of these elements itself.
        """
        if access.lanes is None:
            return False
        if not self._is_relevant(access):
            return False
        storage, scalar = access.region.storage, access.lanes.size == 1
        blocks = self._blocks.setdefault(storage.address, [])
        # One thread stores all scalars, and all threads load them.
        block: Block = ((), slice(0, 1)) if scalar else (access.lanes.shape, access.run)
        if blocks is not None:
            is_only_block = not storage.loaded and len(blocks) == 1
            has_same_threads = is_only_block or not scalar
            known = blocks if has_same_threads else []
            if any(_same_elements(block, other) for other in known):
                return False
        # The two questions walk over the shadow, so they come after the cheap ones.
        if written():
            return True
        if blocks is None:
            return stores and read()
        if not read():
            blocks.append(block)
            del blocks[:-MAX_BLOCKS]
            return False
        if stores:
            return True
        self._blocks[storage.address] = None
        return False

    def track(self, access: Access) -> None:
        """Start the launch again to track this storage's threads."""
        plan = self._undo.plan
        threads = plan.threads | {access.region.storage.address}
        raise Restart("a program comes back to an element by another block", replace(plan, threads=threads))

    def _is_relevant(self, access: Access) -> bool:
        storage = access.region.storage
        return self.warps > 1 and len(storage.bytes) // storage.unit <= MAX_ELEMENTS

    # What is tracked

    def load(self, access: Access, marks: Array | slice) -> Share | None:
        """Record a load.

        For a scalar that one thread is sure to load, returns what to call once others need it.
        """
        number, event, places = self._event(access, marks)
        elements = places.elements
        stores = elements.stores[marks]
        racing, same_program = self._find_races(stores, access, event, places.slots, self._stores_since)
        self._report(stores, access, racing, event, places)
        several, _ = self._find_races(elements.reads[marks], access, event, places.slots, self._reads_since)
        # An event's number and a slot fit one int64: 31 bits for the slot, one for `several`, the rest for the event.
        elements.reads[marks] = (number << _LANE_BITS + 1) | places.slots | several * np.int64(_SEVERAL)
        if self._undo.plan.accesses and self._kept < MAX_KEPT:
            event.reads = places
            self._kept += len(places.slots)
        if event.size > 1:
            return None

        def share() -> None:
            """Record that all threads need the scalar."""
            if not event.by_all:
                event.by_all = True
                self._report(stores, access, same_program & ~racing, event, places)

        return share

    def store(self, access: Access, marks: Array | slice, changed: Array, *, atomic: bool = False) -> None:
        """Record a store, or an atomic that orders nothing.

        Elements were changed where `changed` is true.
        """
        number, event, places = self._event(access, marks)
        event.atomic, elements = atomic, places.elements
        for previous, since, stored in (
            (elements.stores[marks], self._stores_since, True),
            (elements.reads[marks], self._reads_since, False),
        ):
            racing, _ = self._find_races(previous, access, event, places.slots, since)
            self._report(previous, access, racing & changed, event, places, stored=stored)
        stored_marks = as_indices(marks)[changed]
        names = (number << _LANE_BITS + 1) | places.slots[changed]
        elements.stores[stored_marks] = names
        # Where several lanes store to one element, each of them has stored it.
        elements.stores[stored_marks[elements.stores[stored_marks] != names]] = 0

    def _event(self, access: Access, marks: Array | slice) -> tuple[int, _Event, _Places]:
        lanes, storage = access.lanes, access.region.storage
        assert lanes is not None
        if storage.address not in self._elements:
            self._elements[storage.address] = _Elements(-(-len(storage.bytes) // storage.unit))
        layout = infer_layout(lanes, access.item, WARP * self.warps)
        event = _Event(current_line(), layout, lanes.size, lanes.group)
        self._events.append(event)
        slots = lanes.slots().astype(np.int64, copy=False)
        return len(self._events) - 1, event, _Places(self._elements[storage.address], marks, slots)

    def _find_races(
        self, names: Array, access: Access, event: _Event, slots: Array, since: Array
    ) -> tuple[Array, Array]:
        """Return where another thread is named, and where any thread is.

        Both are of the same program, since its threads waited.
        """
        numbers = names >> _LANE_BITS + 1
        fresh = np.flatnonzero(numbers >= since[access.owners])
        racing, same_program = np.zeros((2, len(names)), np.bool_)
        # Few events are left since a program last waited, so a loop over them is cheaper than one over elements.
        for number in np.unique(numbers[fresh]).tolist():
            earlier, positions = self._events[number], fresh[numbers[fresh] == number]
            earlier_slots, current_slots = names[positions] & _SLOT, slots[positions]
            same_program[positions] = earlier.group[earlier_slots // earlier.size] == access.owners[positions]
            # Two atomics on an element never race.
            if not (earlier.atomic and event.atomic):
                several = names[positions] & _SEVERAL > 0
                racing[positions] = same_program[positions] & (
                    several | earlier.conflicts(event, earlier_slots, current_slots)
                )
        return racing, same_program

    def _report(
        self, names: Array, access: Access, racing: Array, event: _Event, places: _Places, *, stored: bool = False
    ) -> None:
        if not racing.any():
            return
        first = int(racing.argmax())
        self._log.add(
            Kind.RACE,
            access.owners[racing],
            access.region.from_first(access.index[racing], access.item),
            argument=access.region.name,
            stored=stored,
            line=event.line,
            earlier=self._find_earlier(int(names[first]), event, places.select(first)).line,
        )

    def _find_earlier(self, name: int, event: _Event, place: _Places) -> _Event:
        """Return the event that races with the access of one element.

        Raises Restart if several threads have come there, and their accesses are not kept.
        """
        last = self._events[name >> _LANE_BITS + 1]
        assert last is not None
        if not name & _SEVERAL:
            return last
        if not self._undo.plan.accesses:
            raise Restart("several threads came to an element", replace(self._undo.plan, accesses=True))
        mark = int(as_indices(place.marks)[0])
        since = self._reads_since[event.group[place.slots[0] // event.size]]
        for earlier in filter(None, self._events[since:]):
            if earlier.reads is not None and earlier.reads.elements is place.elements:
                slots = earlier.reads.slots[positions(earlier.reads.marks, mark)]
                if earlier.conflicts(event, slots, place.slots).any():
                    return earlier
        return last


def _same_elements(first: Block, second: Block) -> bool:
    (shape, run), (second_shape, second_run) = first, second
    if shape != second_shape:
        return False
    if isinstance(run, slice):
        return isinstance(second_run, slice) and run == second_run
    if isinstance(second_run, slice):
        return False
    return bool(run[0] == second_run[0]) and np.array_equal(run, second_run)
