"""Detection of races between programs.

It knows who last stored, updated or loaded an element, and who waited for whom.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from triton_simulator.faults import FaultLog, Kind
from triton_simulator.races.ordering import UNKNOWN, Ordering
from triton_simulator.races.threads import Threads
from triton_simulator.signals import Restart
from triton_simulator.storage.accesses import Access
from triton_simulator.storage.regions import Storage
from triton_simulator.storage.undo import Undo
from triton_simulator.values.formats import Array, bits
from triton_simulator.values.thread_scalars import Share

SLACK_BYTES = 64 << 20
"""Bytes that a launch's shadows may take besides their storages' share."""
MIN_EVENTS = 1024
NOBODY, ATOMIC = 0, 1
"""The name of no program, and the bit of a name for an atomic access."""


class Shadow:
    """Names of the last writers and readers of a storage's elements.

    A name is NOBODY, or twice (a moment of a program + 1), with the bit ATOMIC if the access was an atomic. Where that
    takes more memory than a launch may have, it is the program's number modulo what fits instead, which can take two
    programs for one, never one for two: then `exact` is false, and whose a name is, is unknown.
    """

    def __init__(self, elements: int, kind: np.dtype[np.unsignedinteger], *, exact: bool, readers: bool) -> None:
        self.exact = exact
        self.several: int = np.iinfo(kind).max
        """The name for several readers, or for atomics of several programs."""
        self.writers: Array = np.zeros(elements, kind)
        self.readers: Array | None = np.zeros(elements, kind) if readers else None
        self.silent: Array | None = None
        """Names of the last writers that stored a value already there.

        None of the readers can notice such a store. The value is None if there was no such writer.
        """

    def silent_names(self) -> Array:
        """Return the names of silent writers, created when first needed."""
        if self.silent is None:
            self.silent = np.zeros_like(self.writers)
        return self.silent

    def names(self, owners: Array, moments: Array, *, atomic: bool) -> Array:
        """Return the names of accesses by these programs at these moments."""
        numbers = moments if self.exact else owners % (self.several // 2 - 1)
        names: Array = numbers.astype(self.writers.dtype)
        names += 1
        names <<= 1
        if atomic:
            names |= ATOMIC
        return names

    def moments(self, names: Array) -> Array:
        """Return the moments that names mean.

        UNKNOWN where they do not say.
        """
        if not self.exact:
            return np.full(len(names), UNKNOWN)
        return np.where(names == self.several, UNKNOWN, (names >> 1).astype(np.int64) - 1)


def is_atomic(names: Array) -> Array:
    """Return which names are those of atomics."""
    return np.asarray(names & ATOMIC == ATOMIC)


def is_other_program(first: Array, second: Array) -> Array:
    """Return where two names differ in more than the kind of access.

    The name `several` differs from all others.
    """
    return np.asarray(first ^ second > ATOMIC)


class Races:
    """Detection of races in one launch.

    It finds programs that touch the same element without waiting for each other.

    Two accesses race if nothing orders them and one of them changes what the other one sees. So whoever stores what is
    there already, or what all others store too, races with no load; and an atomic that changes nothing is only a look.
    What orders programs says `Ordering`: atomics of single elements by their `sem`, compare-and-swaps whatever theirs
    is, volatile loads, and plain stores of single elements, which may release a lock or raise a flag. In doubt there is
    no race.

    What in the shadow of its elements races with an access, unless that is ordered, and what the access leaves there:

        access                          races with                  leaves
        load                            a writer                    reader: itself, or `several` beside an unordered one
        store that changes the value    writer, reader, silent      writer: itself; as an atomic, where it releases
        store of what is there          nobody                      silent: itself, or `several`
        the same store by all           as the two above            silent: `several`
        atomic that changes the value   plain writer, reader,       writer: itself, or `several` beside an unordered
                                        silent                      atomic; a plain store of its own stays one
        atomic that does not            nobody                      nothing

    No load races with a writer whose value its own program has stored too.
    """

    def __init__(self, log: FaultLog, programs: int, undo: Undo) -> None:
        self.ordering = Ordering(programs, 0)
        self._log = log
        self._programs = programs
        self._undo = undo
        self._shadows: dict[int, Shadow] = {}
        self._slack = SLACK_BYTES
        self.threads = Threads(log, programs, undo)

    def restart(self) -> None:
        """Forget all accesses, as the launch starts again."""
        self.threads.restart()
        self._shadows.clear()
        self._slack = SLACK_BYTES
        self.ordering = Ordering(self._programs, self._undo.plan.events)

    def watched(self, storage: Storage) -> bool:
        """Return whether all accesses to this storage matter.

        They do if the launch makes more than one kind of them. Raises Restart when that turns out.
        """
        watched = self._undo.plan.watched
        if storage.loaded + storage.stored + storage.updated > 1 and storage.address not in watched:
            plan = replace(self._undo.plan, watched=watched | {storage.address})
            raise Restart("the launch loads from memory that it stores to", plan)
        return storage.address in watched

    def _record_events(self, access: Access, *, acquires: bool, releases: Array) -> None:
        if len(self.ordering) + len(access.owners) > self.ordering.capacity:
            capacity = 4 * max(MIN_EVENTS, self._programs, self.ordering.capacity)
            raise Restart("atomics order the programs", replace(self._undo.plan, events=capacity))
        self.ordering.record(access.owners, access.addresses, acquires=acquires, releases=releases)

    def poll(self, access: Access) -> None:
        """Record a volatile load, which acquires what was released there."""
        if access.region.storage.stored or access.region.storage.updated:
            self._record_events(access, acquires=True, releases=np.zeros(len(access.owners), np.bool_))

    def load(self, access: Access) -> Share | None:
        """Record a load from a watched storage, before it happens.

        Returns what `Threads.load` returns.
        """
        shadow, marks, names = self._marks(access)
        writers = shadow.writers[marks]
        # A writer of another program races, unless it stored what was there, or this program waited for it.
        clash = self._foreign(shadow, writers, names, access)
        share = None
        # Threads of the same program race on their own terms: a warp may run ahead of another one.
        if self.threads.is_tracked(access):
            share = self.threads.load(access, marks)
        elif self.threads.needs_tracking(
            access,
            lambda: _has_own_name(writers, clash),
            lambda: self._touched_by_owner(shadow, shadow.readers, access, marks, names),
            stores=False,
        ):
            self.threads.track(access)
        if shadow.silent is not None and clash.any():
            # Who has stored the same value will load that value, whoever is first.
            silent = shadow.silent[marks]
            clash &= (silent == NOBODY) | (silent != shadow.several) & self._foreign(shadow, silent, names, access)
        self._report(shadow, access, writers, clash, stored=False)
        if shadow.readers is None:
            return share
        readers = shadow.readers[marks]
        foreign = self._foreign(shadow, readers, names, access)
        if foreign.any() and len(self.ordering):
            # A program that waited for the reader before takes its place: who waits for this one waits for both.
            identified = foreign & (readers != shadow.several)
            moments = shadow.moments(readers[identified])
            foreign[identified] = (moments == UNKNOWN) | self.ordering.unordered(access.owners[identified], moments)
        # Where several programs read one element, the last name stays, and the next line notices that it differs.
        self._undo.put(shadow.readers, marks, names)
        self._put_several(shadow.readers, marks, foreign | (shadow.readers[marks] != names), shadow)
        return share

    def store(self, access: Access, current: Array, replacement: Array, *, single: bool, uniform: bool) -> None:
        """Record a store, before it happens.

        `current` is what memory holds, and `replacement` is what it will hold.

        `single`: each program stores a single element, which may tell others that it has come so far. `uniform`: all
        programs of the group store the same.
        """
        shadow, marks, names = self._marks(access)
        writers = shadow.writers[marks]
        foreign = self._foreign(shadow, writers, names, access)
        # Comparing bits costs a pass over the data, so it is put off until a clash needs it.
        self._check_threads(
            shadow,
            access,
            marks,
            names,
            lambda: bits(current) != bits(replacement),
            lambda: _has_own_name(writers, foreign),
        )
        clash, orders = bool(foreign.any()), single and bool(self.ordering.capacity)
        # The usual case: nobody else has come to these elements, so the names are all there is to keep.
        if shadow.readers is None and not clash and not orders:
            self._undo.put(shadow.writers, marks, names)
            return
        changed = bits(current) != bits(replacement)
        if clash:
            self._report(shadow, access, writers, foreign & changed, stored=True)
        self._check_readers(shadow, marks, names, access, lambda: changed)
        if orders:
            # Whoever stores to what it has updated by an atomic releases a lock.
            names = np.where(~foreign & is_atomic(writers), names | ATOMIC, names)
            self._record_events(access, acquires=False, releases=changed)
        if shadow.readers is None or (shadow.silent is None and not uniform and changed.all()):
            self._undo.put(shadow.writers, marks, names)
        else:
            self._record_writers(shadow, access, _as_indices(marks), names, changed, uniform=uniform)

    def _record_writers(
        self, shadow: Shadow, access: Access, elements: Array, names: Array, changed: Array, *, uniform: bool
    ) -> None:
        """Note who stores a value, and who stores what is there already."""
        self._check_silent(shadow, access, elements, names, changed)
        self._undo.put(shadow.writers, elements[changed], names[changed])
        if uniform:
            self._undo.put(shadow.silent_names(), elements, np.array(shadow.several, names.dtype))
        elif not changed.all():
            self._record_silent(shadow, access.select(~changed), elements[~changed], names[~changed])

    def _record_silent(self, shadow: Shadow, access: Access, elements: Array, names: Array) -> None:
        silent = shadow.silent_names()
        several = self._foreign(shadow, silent[elements], names, access)
        self._undo.put(silent, elements, names)
        self._put_several(silent, elements, several | (silent[elements] != names), shadow)

    def _check_silent(
        self,
        shadow: Shadow,
        access: Access,
        elements: Array,
        names: Array,
        changed: Array,
        excluded: Array | None = None,
    ) -> None:
        """Report races with silent writers.

        They have stored what was there already, where another program now changes it.
        """
        if shadow.silent is not None and changed.any():
            silent = shadow.silent[elements]
            clash = self._foreign(shadow, silent, names, access) & changed
            self._report(shadow, access, silent, clash, stored=True, excluded=excluded)

    def check_overwrites(self, access: Access, current: Array, replacement: Array) -> None:
        """Report races within a store, after it has happened.

        Programs of the same group may have replaced what another one just stored.
        """
        # In a run of successive elements, none occurs twice.
        if isinstance(access.run, slice):
            return
        shadow, marks, names = self._marks(access)
        # Only the last name of each element is left: where it is another one, this store was replaced.
        last = shadow.writers[marks]
        lost = is_other_program(last, names)
        if not lost.any():
            return
        same = bits(current) == bits(replacement)
        self._report(shadow, access, last, lost & ~same & (last != NOBODY), stored=True)
        if shadow.readers is not None and (lost & same).any():
            silent = lost & same
            self._record_silent(shadow, access.select(silent), _as_indices(marks)[silent], names[silent])

    def update(self, access: Access, changed: Array, *, acquires: bool, releases: bool, compares: bool) -> None:
        """Record an atomic, which may acquire and release.

        Elements were changed where `changed` is true.

        One that changes nothing is a look at memory. One that compares waits for the value that it finds.
        """
        # Order is recorded for every atomic, the elements only where other kinds of access meet them.
        watched = access.region.storage.address in self._undo.plan.watched
        shadow, marks, names = self._marks(access, atomic=True) if watched else (None, slice(0), access.owners)
        if acquires or releases:
            self._record_events(access, acquires=acquires, releases=changed & releases)
        if shadow is None or not changed.any():
            return
        self._check_threads(
            shadow,
            access,
            marks,
            names,
            lambda: changed,
            lambda: self._touched_by_owner(shadow, shadow.writers, access, marks, names),
            atomic=True,
        )
        elements = _as_indices(marks)[changed]
        access, names = access.select(changed), names[changed]
        writers = shadow.writers[elements]
        foreign = self._foreign(shadow, writers, names, access)
        plain = ~is_atomic(writers)
        # A store before the atomics of others (to clear what they add to) is right by luck at most: in this run they
        # waited for it, at this very element, but they might have come first.
        excluded = None if compares else access.addresses
        self._report(shadow, access, writers, foreign & plain, stored=True, excluded=excluded)
        all_changed = np.ones(len(elements), np.bool_)
        self._check_silent(shadow, access, elements, names, all_changed, excluded)
        self._check_readers(shadow, elements, names, access, lambda: all_changed)
        # A program's own plain store stays one: an atomic after it does not excuse those who race with the store.
        names = np.where(~foreign & plain & (writers != NOBODY), writers, names)
        several = foreign & ~plain
        several[several] = self.ordering.unordered(access.owners[several], shadow.moments(writers[several]))
        self._undo.put(shadow.writers, elements, names)
        # Updates that do not order each other have no last one: whoever loads must wait for all of them.
        if not (acquires and releases):
            several |= shadow.writers[elements] != names
        self._put_several(shadow.writers, elements, several, shadow)

    def _put_several(self, names: Array, marks: Array | slice, where: Array, shadow: Shadow) -> None:
        if where.any():
            self._undo.put(names, _as_indices(marks)[where], np.array(shadow.several, names.dtype))

    def _check_readers(
        self, shadow: Shadow, marks: Array | slice, names: Array, access: Access, changed: Callable[[], Array]
    ) -> None:
        if shadow.readers is not None:
            readers = shadow.readers[marks]
            clash = self._foreign(shadow, readers, names, access)
            if clash.any():
                self._report(shadow, access, readers, clash & changed(), stored=False)

    def _check_threads(
        self,
        shadow: Shadow,
        access: Access,
        marks: Array | slice,
        names: Array,
        changed: Callable[[], Array],
        written: Callable[[], bool],
        *,
        atomic: bool = False,
    ) -> None:
        if self.threads.is_tracked(access):
            self.threads.store(access, marks, changed(), atomic=atomic)
        elif self.threads.needs_tracking(
            access,
            written,
            lambda: self._touched_by_owner(shadow, shadow.readers, access, marks, names),
            stores=True,
        ):
            self.threads.track(access)

    def _touched_by_owner(
        self, shadow: Shadow, table: Array | None, access: Access, marks: Array | slice, names: Array
    ) -> bool:
        return table is not None and _has_own_name(table[marks], self._foreign(shadow, table[marks], names, access))

    def _foreign(self, shadow: Shadow, previous: Array, names: Array, access: Access) -> Array:
        """Return where an element's name is another program's."""
        foreign: Array
        # Without events, a program has one moment, so names differ only where programs do; inexact ones say no more.
        if not len(self.ordering) or not shadow.exact:
            foreign = is_other_program(previous, names)
        else:
            foreign = self.ordering.actors(shadow.moments(previous)) != access.owners
        foreign &= previous != NOBODY
        return foreign

    def _report(
        self,
        shadow: Shadow,
        access: Access,
        names: Array,
        clash: Array,
        *,
        stored: bool,
        excluded: Array | None = None,
    ) -> None:
        """Record races at the elements where `clash` holds.

        There is none where programs waited. The names of the other accesses are `names`.

        Who waited at the addresses `excluded` does not count.
        """
        if not clash.any():
            return
        moments = shadow.moments(names[clash])
        owners, index = access.owners[clash], access.index[clash]
        racing = self.ordering.unordered(owners, moments, None if excluded is None else excluded[clash])
        if racing.any():
            self._log.add(
                Kind.RACE,
                owners[racing],
                access.region.from_first(index[racing], access.item),
                argument=access.region.name,
                peers=self.ordering.actors(moments[racing]),
                stored=stored,
            )

    def _marks(self, access: Access, *, atomic: bool = False) -> tuple[Shadow, Array | slice, Array]:
        """Return the shadow, the elements' places in it, and the names."""
        storage, item = access.region.storage, access.item
        shadow = self._shadows.get(storage.address)
        # The shadow has a name for each unit: names of larger elements cannot be split, so the launch starts again.
        if item < storage.unit:
            storage.unit = item
            if shadow is not None:
                raise Restart("elements are smaller than they seemed", self._undo.plan)
        if shadow is None:
            shadow = self._shadows[storage.address] = self._shadow(storage)
        start = access.region.offset // storage.unit
        marks: Array | slice
        if item != storage.unit:
            marks = start + access.index * (item // storage.unit)
        elif isinstance(access.run, slice):
            marks = slice(access.run.start + start, access.run.stop + start)
        else:
            marks = access.index + start if start else access.index
        return shadow, marks, shadow.names(access.owners, self.ordering.moments(access.owners), atomic=atomic)

    def _shadow(self, storage: Storage) -> Shadow:
        """Return the most exact shadow that fits into memory.

        See `SLACK_BYTES` for the memory that a launch may have.
        """
        size = len(storage.bytes)
        elements = -(-size // storage.unit)
        needed = np.min_scalar_type(2 * (self._programs + self.ordering.capacity) + 4)
        readers = storage.address in self._undo.plan.watched
        kinds = [kind for kind in map(np.dtype, ("u8", "u4", "u2", "u1")) if kind.itemsize <= needed.itemsize]
        # From the widest names to the narrowest; the last resort knows no readers, and finds no races with them.
        for kind, both in [*((kind, readers) for kind in kinds), (np.dtype("u1"), False)]:
            # Twice the storage's own bytes are allowed; half of that goes to the copy of what it held before.
            beyond = max(0, elements * kind.itemsize * (2 if both else 1) - size)
            if beyond <= self._slack:
                break
        self._slack -= min(beyond, self._slack)
        return Shadow(elements, kind, exact=kind == needed, readers=both)


def _has_own_name(names: Array, foreign: Array) -> bool:
    """Return whether one of these names is the program's own."""
    return bool(((names != NOBODY) & ~foreign).any())


def _as_indices(marks: Array | slice) -> Array:
    return np.arange(marks.start, marks.stop) if isinstance(marks, slice) else marks
