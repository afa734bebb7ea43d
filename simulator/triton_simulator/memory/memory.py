"""Memory as the programs see it: the tensor arguments, and nothing else.

A pointer is an element index and the argument that it came from, so an access outside what the argument may touch (see
`Region`) is detected before it happens. It never happens: it is recorded, a load gives an undefined value, and
a store is dropped.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from triton_simulator import hooks
from triton_simulator.faults import FaultLog, Kind, PoisonSource
from triton_simulator.lines import current_line
from triton_simulator.memory.atomics import Atomic
from triton_simulator.memory.bounds import Bounds, uncertain_lanes
from triton_simulator.memory.counts import Counts, display_name
from triton_simulator.memory.results import Results
from triton_simulator.races.races import Races
from triton_simulator.races.waiting import Polls
from triton_simulator.signals import Plan, RestartOneByOne
from triton_simulator.steps.recorder import StepRecorder
from triton_simulator.storage.accesses import (
    Access,
    Lanes,
    access_mask,
    gather,
    include_undefined,
    make_access,
    select_origin,
)
from triton_simulator.storage.address_space import AddressSpace
from triton_simulator.storage.regions import Region, Storage
from triton_simulator.storage.undo import Undo, elements_at
from triton_simulator.values.formats import (
    Array,
    decode,
    encode,
    item_bytes,
    storage_dtype,
    value_dtype,
)
from triton_simulator.values.thread_scalars import Share, thread_scalar
from triton_simulator.values.undefined import make_poison, stand_in, undefined_is_zero, use_numbers
from triton_simulator.values.value import NOWHERE, Value, combined_poison, union

MAX_POLLS = 50
"""Polls of the same elements in vain after which other programs run.

A group polls them while it waits for others.
"""


class Memory:
    """The memory of one launch."""

    def __init__(self, log: FaultLog, programs: int, counts: Counts | None, *, strict_views: bool = False) -> None:
        self.log = log
        self.counts = counts
        self.space = AddressSpace(strict_views=strict_views)
        self._zero = undefined_is_zero()
        self.group: Array = np.zeros(1, np.int64)
        """The numbers of the programs that run now."""
        self.changed = False
        """True once the programs have changed memory."""
        self.steps: StepRecorder | None = None
        """Collects the values that lines compute, if a recording asked for steps."""
        self.undo = Undo()
        self.results = Results(log, self.undo)
        self.races = Races(log, programs, self.undo)
        self.wait: Callable[[], None] | None = None
        """Lets other programs run, where programs run one by one."""
        self.on_change: Callable[[], None] = lambda: None
        """Called when memory has changed."""
        self._polls = Polls()
        self.bounds = Bounds(log, self.space, self.results.trace)

    @property
    def plan(self) -> Plan:
        """The plan of the launch."""
        return self.undo.plan

    def start(self, plan: Plan) -> None:
        """Restore memory as it was before the launch.

        The launch starts now, or starts again.
        """
        self.space.restore()
        self.undo.plan = plan
        use_numbers(plan.undefined)
        self.results.combines = False
        self.bounds.has_undefined = False
        self.races.restart()
        self.begin_group(self.group)

    def begin_group(self, group: Array) -> None:
        """Begin the run of a group of programs."""
        self.group = group
        self.changed = False
        self.undo.forget()
        self.races.threads.wait(group)
        self._polls.forget()

    # Loads, stores and atomics

    def load(
        self, pointer: Value, mask: Value | None, other: Value | None, dtype: Any, *, volatile: bool = False
    ) -> Value:
        """Load the elements where `mask` is true, and `other` elsewhere.

        Elements with neither are undefined.

        A volatile load is meant to see what other programs store: it may wait for it, and is never in a race.
        """
        # `tl.where` may have mixed pointers of several arguments: each argument's part is an access of its own.
        if isinstance(pointer.origin, np.ndarray):
            return self._split_by_origin(
                pointer, mask, lambda pointers, chosen: self.load(pointers, chosen, other, dtype, volatile=volatile)
            )
        for hook in hooks.load_hooks:
            hook()
        region, item = self.space.regions[pointer.origin], item_bytes(dtype)
        # Forbidden elements are recorded, and gathered all the same: `gather` clips, and they become undefined below.
        bad = self.bounds.check(Kind.OUT_OF_BOUNDS_LOAD, region, pointer, mask, item, self.group)
        region.storage.loaded |= not volatile
        # To know which elements are accessed takes long, so it is done only if somebody asks: counts, polls, or races.
        share: Share | None = None
        has_observer = self.counts is not None or volatile
        if has_observer or self.races.watched(region.storage):
            share = self._record_load(region, pointer, access_mask(mask, bad), item, volatile=volatile)
        data, poison = decode(gather(region.elements(storage_dtype(dtype)), pointer.data), dtype), None
        if mask is not None and not mask.data.all():
            data, poison = self._fill_masked(data, mask, other, dtype, region)
        # An access that may not happen, or happens elsewhere, gives no particular value either.
        for invalid in (bad, uncertain_lanes(pointer, mask)):
            if invalid is not None:
                data = np.where(np.asarray(invalid), stand_in(dtype), data).astype(data.dtype, copy=False)
                poison = union(poison, invalid)
        if volatile:
            self._record_poll(pointer, changed=False)
        return Value(data if share is None else thread_scalar(data, share), dtype, pointer.shape, poison=poison)

    def store(self, pointer: Value, value: Value, mask: Value | None, dtype: Any) -> None:
        """Store where `mask` is true, program by program."""
        if isinstance(pointer.origin, np.ndarray):
            for origin in np.unique(pointer.origin):
                pointers, submask = select_origin(pointer, mask, int(origin))
                self.store(pointers, value, submask, dtype)
            return
        region, item = self.space.regions[pointer.origin], item_bytes(dtype)
        # A store under an undefined mask may happen or not: the element is stored as undefined.
        unsure = uncertain_lanes(pointer, mask)
        if unsure is not None:
            value = value.replace_where(unsure, Value(stand_in(dtype), value.dtype, poison=unsure))
        bad = self.bounds.check(Kind.OUT_OF_BOUNDS_STORE, region, pointer, mask, item, self.group)
        mask = include_undefined(mask)
        arrays = [pointer.data, value.data, *([] if mask is None else [mask.data])]
        # If all programs store the same value in the same place, the last of them represents all.
        is_same = all(len(array) == 1 for array in arrays)
        group = self.group[-1:] if is_same else self.group
        lanes = Lanes(pointer.shape, pointer.data, access_mask(mask, bad), group)
        access = make_access(region, lanes, item)
        self._count(access, lanes, stored=True)
        if len(access.index):
            self._put(access, lanes, value, dtype, intended=mask is not None or unsure is not None)

    def update(self, pointer: Value, mask: Value | None, dtype: Any, atomic: Atomic) -> Value:
        """Carry out an atomic where `mask` is true, and return the old values.

        One program follows the other.
        """
        if isinstance(pointer.origin, np.ndarray):
            return self._split_by_origin(
                pointer, mask, lambda pointers, submask: self.update(pointers, submask, dtype, atomic)
            )
        unsure = uncertain_lanes(pointer, mask)
        region, item = self.space.regions[pointer.origin], item_bytes(dtype)
        bad = self.bounds.check(Kind.OUT_OF_BOUNDS_STORE, region, pointer, mask, item, self.group)
        mask = include_undefined(mask)
        lanes = Lanes(pointer.shape, pointer.data, access_mask(mask, bad), self.group)
        access = make_access(region, lanes, item)
        self._begin_update(access, lanes, atomic, unsure)
        old, changed = atomic.apply(access, lanes, dtype, unsure, self.undo)
        self._end_update(access, pointer, atomic, changed)
        poison = union(combined_poison(pointer, *atomic.operands), unsure)
        return _old_values(old, lanes, dtype, poison)

    # Parts of these

    def _fill_masked(
        self, data: Array, mask: Value, other: Value | None, dtype: Any, region: Region
    ) -> tuple[Array, Array | None]:
        """Replace what a mask leaves out; return the data, and its poison."""
        if other is None and self._zero:
            other = Value(np.zeros_like(data, shape=(1,) * data.ndim), dtype)
        # Poison marks the element; NaN or an absurd number besides lets whoever prints it notice.
        elsewhere = stand_in(dtype) if other is None else other.data
        data = np.where(mask.data, data, elsewhere).astype(data.dtype, copy=False)
        if other is None:
            return data, self._masked_poison(mask, region)
        return data, None if other.poison is None else ~mask.data & other.poison

    def _masked_poison(self, mask: Value, region: Region) -> Array:
        where: Array = ~mask.data
        return make_poison(where, PoisonSource(current_line(), region.name)) if self.plan.traced else where

    def _record_load(
        self, region: Region, pointer: Value, chosen: Array | None, item: int, *, volatile: bool
    ) -> Share | None:
        lanes = Lanes(pointer.shape, pointer.data, chosen, self.group)
        access = make_access(region, lanes, item)
        self._count(access, lanes, stored=False)
        if not len(access.index):
            return None
        if volatile:
            self.races.poll(access)
        elif self.races.watched(region.storage):
            return self.races.load(access)
        return None

    def _put(self, access: Access, lanes: Lanes, value: Value, dtype: Any, *, intended: bool) -> None:
        """Change memory by a store, and report its races."""
        storage = access.region.storage
        # The storage is copied before its first change, and programs that wait should look again.
        self._prepare_change(storage)
        storage.stored = True
        # Raises Restart as soon as the launch turns out to load from here, too.
        self.races.watched(storage)
        # What is undefined looks like any number until here.
        new = lanes.select(encode(value.marked_data(), dtype))
        if value.poison is not None:
            self.results.record_store(access, lanes, value.poison, intended=intended)
        flat = access.region.elements(storage_dtype(dtype))
        # Races compare the old value with the new one, so they are checked before memory changes.
        uniform = len(lanes.group) < len(self.group)
        current = elements_at(flat, access.run)
        self.races.store(access, current, new, single=lanes.size == 1, uniform=uniform)
        self.undo.put(flat, access.run, new, current)
        # Within the group, a later program may have replaced what an earlier one stored.
        if len(lanes.group) > 1:
            self.races.check_overwrites(access, lambda: elements_at(flat, access.run), new)

    def _begin_update(self, access: Access, lanes: Lanes, atomic: Atomic, unsure: Array | None) -> None:
        """Record an atomic, before memory changes."""
        poisons = [operand.poison for operand in atomic.operands]
        # An atomic without operands only loads, and leaves nothing undefined.
        if poisons:
            poisons.append(unsure)
        for poison in poisons:
            if poison is not None:
                self.results.record_store(access, lanes, poison, intended=True)
        self._count(access, lanes, stored=True)
        storage = access.region.storage
        # Unlike a store, an update may turn out to change nothing, so only the copy is taken here.
        storage.save()
        storage.updated = True
        # An atomic that orders makes all threads of its program wait, before it and after it.
        if atomic.orders:
            self.races.threads.wait(self.group)
        self.races.watched(storage)

    def _end_update(self, access: Access, pointer: Value, atomic: Atomic, changed: Array) -> None:
        """Record what an atomic has changed, and whom it orders."""
        if len(access.index):
            # Only an atomic on a single element orders programs: of a block, each would order another thread.
            single = math.prod(pointer.shape) == 1
            self.races.update(
                access,
                changed,
                acquires=atomic.acquires and single,
                releases=atomic.releases and single,
                compares=atomic.compares,
                weakness=atomic.weakness if single else None,
            )
            self._record_poll(pointer, changed=bool(changed.any()))
        if atomic.orders:
            self.races.threads.wait(self.group)

    def _count(self, access: Access, lanes: Lanes, *, stored: bool) -> None:
        if self.counts is None:
            return
        self.counts.access(access, lanes.shape, unmasked=lanes.chosen is None, stored=stored)
        if stored and len(access.index):
            # If one program's store represents all, all have stored.
            self.counts.busy[self.group if len(lanes.group) < len(self.group) else access.owners] = True
        coalescing = self.counts.coalescing
        if coalescing is not None:
            coalescing.access(display_name(access.region), access, lanes.size * len(lanes.group), stored=stored)

    def _prepare_change(self, storage: Storage) -> None:
        storage.save()
        self._record_change()

    def _record_change(self) -> None:
        self.changed = True
        self._polls.forget()
        self.on_change()

    def _record_poll(self, pointer: Value, *, changed: bool) -> None:
        """Record that an atomic or a volatile load looked at memory.

        If it has not changed anything, the program may be waiting.
        """
        if changed:
            self._record_change()
            return
        repeats = self._polls.record(pointer.origin if isinstance(pointer.origin, int) else NOWHERE, pointer.data)
        if self.wait is None:
            if repeats > MAX_POLLS:
                raise RestartOneByOne("a program waits for another one", replace(self.plan, records_undo=False))
        elif repeats:
            # Programs run one by one already: the others go on, and this one looks again later.
            self.wait()
            self._polls.forget()

    def _split_by_origin(self, pointer: Value, mask: Value | None, access: Callable[[Value, Value], Value]) -> Value:
        """Return the result of an access, argument by argument."""
        # Every part has the whole shape, masked to its origin: each element is then taken from its own part.
        origins = [int(origin) for origin in np.unique(pointer.origin)]
        results = [access(*select_origin(pointer, mask, origin)) for origin in origins]
        result = results[0]
        for origin, partial in zip(origins[1:], results[1:], strict=True):
            matches = np.asarray(pointer.origin == origin)
            result = result.replace_where(matches, partial)
        return result


def _old_values(old: Array, lanes: Lanes, dtype: Any, poison: Array | None) -> Value:
    """Return what an atomic returns; lanes without an access are undefined."""
    if lanes.chosen is None:
        return Value(old.reshape(lanes.full_shape), dtype, lanes.shape, poison=poison)
    result = np.full(lanes.full_shape, stand_in(dtype), value_dtype(dtype))
    result[np.broadcast_to(lanes.chosen, lanes.full_shape)] = old
    return Value(result, dtype, lanes.shape, poison=union(poison, ~lanes.chosen))
