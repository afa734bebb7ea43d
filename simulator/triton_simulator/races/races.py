"""Detection of races between programs.

It knows who last stored, updated or loaded an element, and who waited for whom.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from triton_simulator.faults import Action, FaultLog, Kind, Peer, Site, Weakness, WeakOrder
from triton_simulator.lines import KernelLine, current_line
from triton_simulator.races.names import (
    ATOMIC,
    NOBODY,
    Names,
    is_atomic,
    is_other_program,
    is_untouched,
)
from triton_simulator.races.ordering import UNKNOWN, Ordering
from triton_simulator.races.shadow import NamedAccess, Predecessors, Shadow, Table, as_indices
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
NAME_TYPES = tuple(map(np.dtype, ("u8", "u4", "u2", "u1")))


class Races:
    """Detection of races in one launch.

    It finds programs that touch the same element without waiting for each other.

    Two accesses race if nothing orders them and one of them changes what the other one sees. So whoever stores what is
    there already, or what all others store too, races with no load; and an atomic that changes nothing is only a look.
    What orders programs says `Ordering`: atomics of single elements by their `sem`, compare-and-swaps whatever theirs
    is, volatile loads, and plain stores of single elements, which may release a lock or raise a flag, unless other
    threads of the program have stored since they last waited. In doubt there is no race.

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
        self._polled: set[int] = set()
        """Addresses of storages that volatile loads have looked at."""
        self._weak_atomics: dict[KernelLine, Weakness] = {}
        """Atomics that might have ordered programs, and why they did not."""
        self._early_stores: dict[KernelLine, Storage] = {}
        """Stores that might have told other programs to go on, but came too early."""

    def restart(self) -> None:
        """Forget all accesses, as the launch starts again."""
        self.threads.restart()
        self._shadows.clear()
        self._slack = SLACK_BYTES
        self._polled.clear()
        self._weak_atomics.clear()
        self._early_stores.clear()
        # Most launches start with the empty one that they were made with.
        is_stale = len(self.ordering) > 0 or self.ordering.capacity != self._undo.plan.events
        if is_stale:
            self.ordering = Ordering(self._programs, self._undo.plan.events)

    def watched(self, storage: Storage) -> bool:
        """Return whether all accesses to this storage matter.

        They do if the launch makes more than one kind of them. Raises Restart when that turns out.
        """
        watched = self._undo.plan.watched
        if storage.address in watched:
            return True
        if storage.loaded + storage.stored + storage.updated > 1:
            plan = replace(self._undo.plan, watched=watched | {storage.address})
            raise Restart("the launch loads from memory that it stores to", plan)
        return False

    def _record_events(self, access: Access, *, acquires: bool, releases: Array) -> None:
        if len(self.ordering) + len(access.owners) > self.ordering.capacity:
            # Far more than is needed now, as each restart runs the launch from its beginning.
            capacity = 4 * max(MIN_EVENTS, self._programs, self.ordering.capacity)
            raise Restart("atomics order the programs", replace(self._undo.plan, events=capacity))
        self.ordering.record(access.owners, access.addresses, acquires=acquires, releases=releases)

    def poll(self, access: Access) -> None:
        """Record a volatile load, which acquires what was released there."""
        storage = access.region.storage
        self._polled.add(storage.address)
        if storage.stored or storage.updated:
            self._record_events(access, acquires=True, releases=np.zeros(len(access.owners), np.bool_))

    def load(self, access: Access) -> Share | None:
        """Record a load from a watched storage, before it happens.

        Returns what `Threads.load` returns.
        """
        named = self._name(access, Action.LOAD)
        shadow = named.shadow
        writers, readers = self._predecessors(named, shadow.writers), self._readers(named)
        share = self._load_by_threads(named, writers.include_owner, partial(_include_owner, readers))
        # A writer of another program races, unless it stored what was there, or this program waited for it.
        clash = writers.foreign
        if clash is not None and shadow.silent is not None:
            # Who has stored the same value will load that value, whoever is first.
            silent = shadow.silent[named.marks]
            clash = clash & ((silent == NOBODY) | (silent != shadow.names.several) & self._foreign(named, silent))
        if clash is not None:
            self._report(named, shadow.writers, clash, stored=False)
        if readers is not None:
            self._record_readers(named, readers)
        return share

    def _load_by_threads(
        self, named: NamedAccess, written: Callable[[], bool], read: Callable[[], bool]
    ) -> Share | None:
        # Threads of the same program race on their own terms: a warp may run ahead of another one.
        if self.threads.is_tracked(named.access):
            return self.threads.load(named.access, named.marks)
        if self.threads.needs_tracking(named.access, written, read, stores=False):
            self.threads.track(named.access)
        return None

    def _record_readers(self, named: NamedAccess, readers: Predecessors) -> None:
        table, foreign = readers.table, readers.foreign
        if foreign is not None and len(self.ordering):
            # A program that waited for the reader before takes its place: who waits for this one waits for both.
            identified = foreign & (readers.names != named.shadow.names.several)
            moments = named.shadow.names.moments(readers.names[identified])
            unordered = self.ordering.unordered(named.access.owners[identified], moments)
            foreign[identified] = (moments == UNKNOWN) | unordered
        table.record(named)
        # Where several programs of a group read one element, the last name stays, so the others' differ from it.
        if not isinstance(named.marks, slice):
            replaced = table[named.marks] != named.names
            foreign = replaced if foreign is None else foreign | replaced
        if foreign is not None:
            table.put_several(named.marks, foreign)

    def store(self, access: Access, current: Array, replacement: Array, *, single: bool, uniform: bool) -> None:
        """Record a store, before it happens.

        `current` is what memory holds, and `replacement` is what it will hold.

        `single`: each program stores a single element, which may tell others that it has come so far. `uniform`: all
        programs of the group store the same.
        """
        named = self._name(access, Action.STORE)
        shadow = named.shadow
        writers, readers = self._predecessors(named, shadow.writers), self._readers(named)
        # Comparing bits costs a pass over the data, so it is put off until a clash needs it.
        self._store_by_threads(
            named,
            lambda: bits(current) != bits(replacement),
            writers.include_owner,
            partial(_include_owner, readers),
        )
        foreign, orders = writers.foreign, single and bool(self.ordering.capacity)
        if self.ordering.capacity:
            self.threads.unsettle(access)
        # The usual case: nobody else has come to these elements, so the names are all there is to keep.
        is_alone = foreign is None and not orders
        if shadow.readers is None and is_alone:
            shadow.writers.record(named)
            return
        changed = bits(current) != bits(replacement)
        if foreign is not None:
            self._report(named, shadow.writers, foreign & changed, stored=True)
        self._check_readers(named, changed, readers)
        if orders:
            # Whoever stores to what it has updated by an atomic releases a lock.
            is_lock = is_atomic(writers.names)
            if foreign is not None:
                is_lock &= ~foreign | (writers.names == shadow.names.several)
            releasing = np.where(is_lock, named.names | ATOMIC, named.names)
            named = replace(named, names=releasing)
            self._record_events(access, acquires=False, releases=changed & self._settled(access))
        if shadow.readers is None:
            shadow.writers.record(named)
            if foreign is not None:
                self._put_several_writers(named, writers.names, foreign & ~changed)
            return
        has_silent = uniform or shadow.silent is not None
        if has_silent or not changed.all():
            self._record_writers(named, changed, uniform=uniform)
        else:
            shadow.writers.record(named)

    def _put_several_writers(self, named: NamedAccess, previous: Array, same: Array) -> None:
        """Note that several have stored the same.

        It is so where a program stores the `same` as one before it, without waiting.
        """
        if same.any():
            moments = named.shadow.names.moments(previous[same])
            same[same] = self.ordering.unordered(named.access.owners[same], moments)
            named.shadow.writers.put_several(named.marks, same)

    def _settled(self, access: Access) -> Array:
        """Return which programs' other threads have waited since they last stored.

        Only then a plain store of one thread hands on what all of them stored before.
        """
        settled = self.threads.settled[access.owners]
        if not settled.all():
            self._early_stores.setdefault(current_line(), access.region.storage)
        return settled

    def _record_writers(self, named: NamedAccess, changed: Array, *, uniform: bool) -> None:
        """Note who stores a value, and who stores what is there already."""
        self._check_silent(named, changed)
        named.shadow.writers.record(named.select(changed))
        if uniform:
            named.shadow.silent_writers().put_several(named.marks)
        elif not changed.all():
            self._record_silent(named.select(~changed))

    def _record_silent(self, named: NamedAccess) -> None:
        silent = named.shadow.silent_writers()
        several = self._foreign(named, silent[named.marks])
        silent.record(named)
        silent.put_several(named.marks, several | (silent[named.marks] != named.names))

    def _check_silent(self, named: NamedAccess, changed: Array, excluded: Array | None = None) -> None:
        """Report races with silent writers.

        They have stored what was there already, where another program now changes it.
        """
        silent = named.shadow.silent
        if silent is None:
            return
        if changed.any():
            foreign = self._foreign(named, silent[named.marks])
            self._report(named, silent, foreign & changed, stored=True, excluded=excluded)

    def check_overwrites(self, access: Access, current: Callable[[], Array], replacement: Array) -> None:
        """Report races within a store, after it has happened.

        Programs of the same group may have replaced what another one just stored. `current` looks up what memory holds,
        which takes time and is seldom needed.
        """
        # In a run of successive elements, none occurs twice.
        if isinstance(access.run, slice):
            return
        named = self._name(access, Action.STORE)
        # Only the last name of each element is left: where it is another one, this store was replaced.
        last = named.shadow.writers[named.marks]
        lost = is_other_program(last, named.names)
        if not lost.any():
            return
        same = bits(current()) == bits(replacement)
        self._report(named, named.shadow.writers, lost & ~same & (last != NOBODY), stored=True)
        if named.shadow.readers is None:
            named.shadow.writers.put_several(named.marks, lost & same)
            return
        silent = lost & same
        if silent.any():
            self._record_silent(named.select(silent))

    def update(
        self,
        access: Access,
        changed: Array,
        *,
        acquires: bool,
        releases: bool,
        compares: bool,
        weakness: Weakness | None = None,
    ) -> None:
        """Record an atomic, which may acquire and release.

        Elements were changed where `changed` is true. `weakness` is why it orders less than it could.

        One that changes nothing is a look at memory. One that compares waits for the value that it finds.
        """
        # Order is recorded for every atomic, the elements only where other kinds of access meet them.
        watched = access.region.storage.address in self._undo.plan.watched
        named = self._name(access, Action.ATOMIC) if watched else None
        if weakness is not None:
            self._weak_atomics.setdefault(current_line(), weakness)
        if acquires or releases:
            self._record_events(access, acquires=acquires, releases=changed & releases)
        if named is None:
            return
        if not changed.any():
            return
        self._store_by_threads(
            named,
            lambda: changed,
            lambda: self._predecessors(named, named.shadow.writers).include_owner(),
            lambda: _include_owner(self._readers(named)),
            atomic=True,
        )
        self._record_updates(named.select(changed), compares=compares, ordered=acquires and releases)

    def _record_updates(self, named: NamedAccess, *, compares: bool, ordered: bool) -> None:
        """Record atomics that have changed memory, and report their races.

        Those that are `ordered` both acquire and release.
        """
        access, shadow = named.access, named.shadow
        writers = shadow.writers[named.marks]
        foreign, plain = self._foreign(named, writers), ~is_atomic(writers)
        # A store before the atomics of others (to clear what they add to) is right by luck at most: in this run they
        # waited for it, at this very element, but they might have come first.
        excluded = None if compares else access.addresses
        all_changed = np.ones(len(named.names), np.bool_)
        self._report(named, shadow.writers, foreign & plain, stored=True, excluded=excluded)
        self._check_silent(named, all_changed, excluded)
        self._check_readers(named, all_changed, self._readers(named))
        # A program's own plain store stays one: an atomic after it does not excuse those who race with the store.
        own = ~foreign & plain & (writers != NOBODY)
        names = np.where(own, writers, named.names)
        several = foreign & ~plain
        several[several] = self.ordering.unordered(access.owners[several], shadow.names.moments(writers[several]))
        shadow.writers.put(named.marks, names)
        shadow.writers.sites.put(as_indices(named.marks)[~own], named.site)
        shadow.writers.keep(named)
        # Updates that do not order each other have no last one: whoever loads must wait for all of them.
        if not ordered:
            several |= shadow.writers[named.marks] != names
        shadow.writers.put_several(named.marks, several)

    def _check_readers(self, named: NamedAccess, changed: Array, readers: Predecessors | None) -> None:
        if readers is not None and readers.foreign is not None:
            self._report(named, readers.table, readers.foreign & changed, stored=False)

    def _store_by_threads(
        self,
        named: NamedAccess,
        changed: Callable[[], Array],
        written: Callable[[], bool],
        read: Callable[[], bool],
        *,
        atomic: bool = False,
    ) -> None:
        if self.threads.is_tracked(named.access):
            self.threads.store(named.access, named.marks, changed(), atomic=atomic)
        elif self.threads.needs_tracking(named.access, written, read, stores=True):
            self.threads.track(named.access)

    def _readers(self, named: NamedAccess) -> Predecessors | None:
        """Return who has read the elements, if the shadow knows readers."""
        table = named.shadow.readers
        return None if table is None else self._predecessors(named, table)

    def _predecessors(self, named: NamedAccess, table: Table) -> Predecessors:
        names = table[named.marks]
        if is_untouched(names):
            return Predecessors(table, names, untouched=True)
        foreign = self._foreign(named, names)
        return Predecessors(table, names, foreign if foreign.any() else None)

    def _foreign(self, named: NamedAccess, previous: Array) -> Array:
        """Return where an element's name is another program's."""
        foreign: Array
        names = named.shadow.names
        # Without events, a program has one moment, so names differ only where programs do; inexact ones say no more.
        if names.exact and len(self.ordering):
            foreign = self.ordering.actors(names.moments(previous)) != named.access.owners
        else:
            foreign = is_other_program(previous, named.names)
        foreign &= previous != NOBODY
        return foreign

    def _report(
        self, named: NamedAccess, table: Table, clash: Array, *, stored: bool, excluded: Array | None = None
    ) -> None:
        """Record races at the elements where `clash` holds.

        There is none where programs waited. The other accesses are those of `table`.

        Who waited at the addresses `excluded` does not count.
        """
        if not clash.any():
            return
        access, moments = named.access, named.shadow.names.moments(table[as_indices(named.marks)[clash]])
        excluded = None if excluded is None else excluded[clash]
        racing = np.flatnonzero(clash)[self.ordering.unordered(access.owners[clash], moments, excluded)]
        if len(racing):
            self._log.add(
                Kind.RACE,
                access.owners[racing],
                access.region.from_first(access.index[racing], access.item),
                argument=access.region.name,
                stored=stored,
                site=named.site,
                find_peer=lambda first: self._find_peer(named.select(racing[first : first + 1]), table),
            )

    def _find_peer(self, named: NamedAccess, table: Table) -> Peer:
        """Return which of a table's programs races with the access of one element.

        Raises Restart if several have come there, and their accesses are not kept.
        """
        names, previous, [mark] = named.shadow.names, table[named.marks], as_indices(named.marks)
        if previous[0] != names.several:
            program, site = int(self.ordering.actors(names.moments(previous))[0]), table.sites.at(mark)
        elif self._undo.plan.accesses:
            program, site = self._find_unordered(int(named.access.owners[0]), table, mark)
        else:
            raise Restart("several programs came to an element", replace(self._undo.plan, accesses=True))
        return Peer(program, site, self._weak_order({named.site.line, *([site.line] if site else [])}))

    def _find_unordered(self, owner: int, table: Table, mark: int) -> tuple[int, Site | None]:
        """Return the first program that `owner` has not waited for.

        It is one of those that came to an element; with it comes what it did.
        """
        for moments, site in table.accesses_at(mark):
            programs = self.ordering.actors(moments)
            unordered = programs != owner
            unordered[unordered] = self.ordering.unordered(np.full(unordered.sum(), owner), moments[unordered])
            if unordered.any():
                return int(programs[unordered][0]), site
        return UNKNOWN, table.sites.only()

    def _weak_order(self, excluded: set[KernelLine]) -> WeakOrder | None:
        """Return what would have ordered the programs if it were stronger.

        The lines that race do not count: they order nothing themselves.
        """
        # One that acquires does its part if another one releases.
        missing = {
            Weakness.RELAXED: True,
            Weakness.ACQUIRES: not self.ordering.has_releases,
            Weakness.RELEASES: not self.ordering.has_acquires,
        }
        candidates = [WeakOrder(line, weakness) for line, weakness in self._weak_atomics.items() if missing[weakness]]
        candidates += [
            WeakOrder(line, Weakness.EARLY)
            for line, storage in self._early_stores.items()
            # A store tells others to go on only where they look: by an atomic, or by a poll.
            if storage.updated or storage.address in self._polled
        ]
        return next((candidate for candidate in candidates if candidate.line not in excluded), None)

    def _name(self, access: Access, action: Action) -> NamedAccess:
        """Return an access with its names in the storage's shadow."""
        storage, item = access.region.storage, access.item
        shadow = self._shadows.get(storage.address)
        # The shadow has a name for each unit: names of larger elements cannot be split, so the launch starts again.
        if item < storage.unit:
            storage.unit = item
            if shadow is not None:
                raise Restart("elements are smaller than they seemed", self._undo.plan)
        if shadow is None:
            shadow = self._shadows[storage.address] = self._make_shadow(storage)
        moments = self.ordering.moments(access.owners)
        names = shadow.names.encode(access.owners, moments, atomic=action is Action.ATOMIC)
        return NamedAccess(access, shadow, _places(access), names, moments, Site(current_line(), action))

    def _make_shadow(self, storage: Storage) -> Shadow:
        """Return the most exact shadow that fits into memory.

        See `SLACK_BYTES` for the memory that a launch may have.
        """
        size = len(storage.bytes)
        elements = -(-size // storage.unit)
        # A name is twice a moment, plus a bit; NOBODY and `several` need numbers, too.
        needed = np.min_scalar_type(2 * (self._programs + self.ordering.capacity) + 4)
        readers = storage.address in self._undo.plan.watched
        kinds = [kind for kind in NAME_TYPES if kind.itemsize <= needed.itemsize]
        # From the widest names to the narrowest; the last resort knows no readers, and finds no races with them.
        choices = [(kind, readers) for kind in kinds]
        choices.append((np.dtype("u1"), False))
        for kind, both in choices:
            # Twice the storage's own bytes are allowed; half of that goes to the copy of what it held before.
            beyond = max(0, elements * kind.itemsize * (2 if both else 1) - size)
            if beyond <= self._slack:
                break
        self._slack -= min(beyond, self._slack)
        return Shadow(elements, Names(kind, exact=kind == needed), self._undo, readers=both)


def _include_owner(predecessors: Predecessors | None) -> bool:
    return predecessors is not None and predecessors.include_owner()


def _places(access: Access) -> Array | slice:
    """Return the places of an access's elements in the shadow."""
    unit = access.region.storage.unit
    start = access.region.offset // unit
    if access.item != unit:
        # Of a larger element, its first unit stands for the whole.
        return start + access.index * (access.item // unit)
    if isinstance(access.run, slice):
        return slice(access.run.start + start, access.run.stop + start)
    return access.index + start if start else access.index
