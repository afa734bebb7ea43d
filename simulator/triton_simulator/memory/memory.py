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
from triton_simulator.memory.counts import Counts, display_name
from triton_simulator.memory.results import Results
from triton_simulator.races.races import Races
from triton_simulator.races.waiting import Polls
from triton_simulator.signals import Plan, RestartOneByOne
from triton_simulator.steps.recorder import StepRecorder
from triton_simulator.storage.accesses import (
    Access,
    access_mask,
    along_programs,
    conflict_free_batches,
    flatten,
    gather,
    include_undefined,
    make_access,
    select_origin,
)
from triton_simulator.storage.address_space import AddressSpace
from triton_simulator.storage.regions import Region, Storage
from triton_simulator.storage.undo import Undo
from triton_simulator.values.formats import (
    Array,
    bits,
    decode,
    encode,
    item_bytes,
    storage_dtype,
    undefined_value,
    value_dtype,
)
from triton_simulator.values.thread_scalars import Share, thread_scalar
from triton_simulator.values.undefined import make_poison, source_of, undefined_is_zero
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
        self.results.combines = False
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
        bad = self._check(Kind.OUT_OF_BOUNDS_LOAD, region, pointer, mask, item)
        region.storage.loaded |= not volatile
        # To know which elements are accessed takes long, so it is done only if somebody asks: counts, polls, or races.
        share: Share | None = None
        if self.counts is not None or volatile or self.races.watched(region.storage):
            share = self._record_load(region, pointer, access_mask(mask, bad), item, volatile=volatile)
        data = decode(gather(region.elements(storage_dtype(dtype)), pointer.data), dtype)
        poison: Array | None = None
        if mask is not None and not mask.data.all():
            if other is None and self._zero:
                other = Value(np.zeros_like(data, shape=(1,) * data.ndim), dtype, pointer.shape)
            # Poison marks the element; NaN or an absurd number besides lets whoever prints it notice.
            elsewhere = undefined_value(dtype) if other is None else other.data
            data = np.where(mask.data, data, elsewhere).astype(data.dtype, copy=False)
            if other is None:
                poison = self._masked_poison(mask, region)
            elif other.poison is not None:
                poison = ~mask.data & other.poison
        # An access that may not happen, or happens elsewhere, gives no particular value either.
        for invalid in (bad, self._uncertain_lanes(pointer, mask)):
            if invalid is not None:
                data = np.where(np.asarray(invalid), undefined_value(dtype), data).astype(data.dtype, copy=False)
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
        unsure = self._uncertain_lanes(pointer, mask)
        if unsure is not None:
            mask, value = (
                include_undefined(mask),
                value.replace_where(unsure, Value(undefined_value(dtype), value.dtype, poison=unsure)),
            )
        chosen = access_mask(mask, self._check(Kind.OUT_OF_BOUNDS_STORE, region, pointer, mask, item))
        arrays = [pointer.data, value.data, *([] if mask is None else [mask.data])]
        # If all programs store the same value in the same place, the last of them represents all.
        group = self.group[-1:] if all(len(array) == 1 for array in arrays) else self.group
        access = make_access(region, pointer, chosen, group, item)
        self._count(access, pointer.shape, chosen, stored_by=group)
        if not len(access.index):
            return
        # The storage is copied before its first change, and programs that wait should look again.
        self._prepare_change(region.storage)
        region.storage.stored = True
        # Raises Restart as soon as the launch turns out to load from here, too.
        self.races.watched(region.storage)
        new = flatten(encode(value.data, dtype), (len(group), *pointer.shape), chosen)
        if value.poison is not None:
            shape = (len(group), *pointer.shape)
            intended = mask is not None or unsure is not None
            self.results.record_store(access, value.poison, shape, chosen, intended=intended)
        flat = region.elements(storage_dtype(dtype))
        single, uniform = math.prod(pointer.shape) == 1, len(group) < len(self.group)
        # Races compare the old value with the new one, so they are checked before memory changes.
        self.races.store(access, flat[access.run], new, single=single, uniform=uniform)
        self.undo.put(flat, access.run, new)
        # Within the group, a later program may have replaced what an earlier one stored.
        if len(group) > 1:
            self.races.check_overwrites(access, flat[access.run], new)

    def update(
        self,
        pointer: Value,
        operands: tuple[Value, ...],
        mask: Value | None,
        dtype: Any,
        step: Callable[..., Array],
        *,
        acquires: bool,
        releases: bool,
        compares: bool = False,
    ) -> Value:
        """Replace each element with `step(element, *operands)`.

        One program follows the other. Returns the old values.

        Only an atomic on a single element orders programs: of a block, each element would order another thread.
        """
        if isinstance(pointer.origin, np.ndarray):
            orders = {"acquires": acquires, "releases": releases, "compares": compares}
            return self._split_by_origin(
                pointer, mask, lambda pointers, submask: self.update(pointers, operands, submask, dtype, step, **orders)
            )
        unsure_lanes = self._uncertain_lanes(pointer, mask)
        if unsure_lanes is not None:
            mask = include_undefined(mask)
        region, item = self.space.regions[pointer.origin], item_bytes(dtype)
        chosen = access_mask(mask, self._check(Kind.OUT_OF_BOUNDS_STORE, region, pointer, mask, item))
        access = make_access(region, pointer, chosen, self.group, item)
        shape = (len(self.group), *pointer.shape)
        values = [flatten(operand.data, shape, chosen) for operand in operands]
        for poison in (*(operand.poison for operand in operands), unsure_lanes if operands else None):
            if poison is not None:
                self.results.record_store(access, poison, shape, chosen, intended=True)
        self._count(access, pointer.shape, chosen, stored_by=self.group)
        # Unlike a store, an update may turn out to change nothing, so only the copy is taken here.
        region.storage.save()
        region.storage.updated = True
        # An atomic that orders makes all threads of its program wait, before it and after it.
        if acquires or releases:
            self.races.threads.wait(self.group)
        self.races.watched(region.storage)
        flat = region.elements(storage_dtype(dtype))
        old = np.empty(len(access.index), value_dtype(dtype))
        changed = np.zeros(len(access.index), np.bool_)
        uncertain = None if unsure_lanes is None or not operands else flatten(np.asarray(unsure_lanes), shape, chosen)
        # Programs that update the same element take turns, as each must see what the one before has left.
        for turn in conflict_free_batches(access.index):
            old[turn] = decode(flat[access.index[turn]], dtype)
            new = step(old[turn], *(value[turn] for value in values)).astype(old.dtype, copy=False)
            # An update that may not happen leaves the element undefined.
            if uncertain is not None:
                new = np.where(uncertain[turn], undefined_value(dtype), new).astype(old.dtype, copy=False)
            # Bits are compared, as a NaN that stays a NaN is no change.
            changed[turn] = bits(new) != bits(old[turn])
            self.undo.put(flat, access.index[turn], encode(new, dtype))
        if len(access.index):
            single = math.prod(pointer.shape) == 1
            self.races.update(
                access, changed, acquires=acquires and single, releases=releases and single, compares=compares
            )
            self._record_poll(pointer, changed=bool(changed.any()))
        if acquires or releases:
            self.races.threads.wait(self.group)
        # Lanes without an access return an undefined value.
        if chosen is None:
            result = old.reshape(shape)
        else:
            result = np.full(shape, undefined_value(dtype), value_dtype(dtype))
            result[np.broadcast_to(chosen, shape)] = old
        poison = union(combined_poison(pointer, *operands), unsure_lanes)
        poison = union(poison, None if chosen is None else ~chosen)
        return Value(result, dtype, pointer.shape, poison=poison)

    # Parts of these

    def _check(self, kind: Kind, region: Region, pointer: Value, mask: Value | None, item: int) -> Array | None:
        """Record forbidden accesses, and return a mask of them, or None.

        None for none.
        """
        bad = region.outside(pointer.data, item)
        if bad is not None and mask is not None:
            bad = bad & mask.data
            bad = bad if bad.any() else None
        if bad is not None:
            owners, index = self._culprits(pointer.data, bad)
            size, source = region.length(item), source_of(pointer.poison)
            self.log.add(
                kind,
                owners,
                region.from_first(index, item),
                argument=region.name,
                size=size,
                masked=mask is not None,
                source=source,
            )
        # A wrapped offset is a fault even where it lands inside the tensor by chance.
        if pointer.wrapped is not None:
            wrapped = pointer.wrapped if mask is None else pointer.wrapped & mask.data
            if wrapped.any():
                owners, index = self._culprits(pointer.data, wrapped)
                self.log.add(Kind.WRAPPED_OFFSET, owners, region.from_first(index, item), argument=region.name)
        return bad

    def _culprits(self, index: Array, bad: Array) -> tuple[Array, Array]:
        """Return the programs and element indices where `bad` is true."""
        programs = along_programs(self.group, index.ndim)
        shape = np.broadcast_shapes(index.shape, bad.shape, programs.shape)
        bad = np.broadcast_to(bad, shape)
        return np.broadcast_to(programs, shape)[bad], np.broadcast_to(index, shape)[bad]

    def _masked_poison(self, mask: Value, region: Region) -> Array:
        where: Array = ~mask.data
        return make_poison(where, PoisonSource(current_line(), region.name)) if self.plan.traced else where

    def _uncertain_lanes(self, pointer: Value, mask: Value | None) -> Array | None:
        """Return the lanes whose access depends on an undefined value.

        The value says whether, or where, the access happens. The mask is exact.
        """
        if pointer.poison is None and (mask is None or mask.poison is None):
            return None
        unsure = np.asanyarray(False if pointer.poison is None else pointer.poison)
        # A pointer matters where the mask is true; an undefined mask matters everywhere.
        if mask is not None:
            unsure = unsure & mask.data | (False if mask.poison is None else mask.poison)
        return unsure if unsure.any() else None

    def _record_load(
        self, region: Region, pointer: Value, chosen: Array | None, item: int, *, volatile: bool
    ) -> Share | None:
        access = make_access(region, pointer, chosen, self.group, item)
        self._count(access, pointer.shape, chosen)
        if not len(access.index):
            return None
        if volatile:
            self.races.poll(access)
        elif self.races.watched(region.storage):
            return self.races.load(access)
        return None

    def _count(
        self, access: Access, shape: tuple[int, ...], chosen: Array | None, *, stored_by: Array | None = None
    ) -> None:
        if self.counts is None:
            return
        stored, by = stored_by is not None, self.group if stored_by is None else stored_by
        self.counts.access(access, shape, unmasked=chosen is None, stored=stored)
        if stored and len(access.index):
            # If one program's store represents all, all have stored.
            self.counts.busy[self.group if len(by) < len(self.group) else access.owners] = True
        coalescing = self.counts.coalescing
        if coalescing is not None:
            coalescing.access(display_name(access.region), access, math.prod(shape) * len(by), stored=stored)

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
        # Programs run one by one already: the others go on, and this one looks again later.
        if self.wait is not None and repeats:
            self.wait()
            self._polls.forget()
        elif repeats > MAX_POLLS:
            raise RestartOneByOne("a program waits for another one", replace(self.plan, records_undo=False))

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
