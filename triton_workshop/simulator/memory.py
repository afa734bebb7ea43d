"""Memory as the programs see it: the tensor arguments, and nothing beside them.

A pointer is an element index and the argument that it came from, so an access outside its argument is known before it
happens, and never happens: it is recorded, a load gives an undefined value, a store is dropped.
"""

from __future__ import annotations

import ctypes
import gc
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from triton_workshop.simulator.counts import Counts
from triton_workshop.simulator.faults import FaultLog, Kind
from triton_workshop.simulator.formats import Array, decode, encode, held_as, item_bytes, stored_as, undefined
from triton_workshop.simulator.races import Ordering, Shadow
from triton_workshop.simulator.signals import Plan, Restart
from triton_workshop.simulator.values import NOWHERE, Value, either

UNDO_LIMIT = 128 << 20
"""Bytes of undo that a group of programs may leave behind before it is run one by one instead."""


class Storage:
    """A block of memory that one or more tensor arguments are views of."""

    def __init__(self, key: int, address: int, size: int) -> None:
        self.key = key
        self.address = address
        self.bytes: Array = (
            np.ctypeslib.as_array((ctypes.c_ubyte * size).from_address(address)) if size else np.empty(0, np.uint8)
        )
        self.unit = 8
        """Bytes that one element of the shadow stands for: the smallest element of any view."""
        self.before: Array | None = None
        """What it held before the launch, once the launch has stored to it."""
        self.loaded = False
        self.stored = False
        self.shadow: Shadow | None = None

    def forget(self) -> None:
        """As before the launch."""
        if self.before is not None:
            self.bytes[:] = self.before
        self.loaded = self.stored = False
        self.shadow = None


@dataclass(frozen=True, eq=False)
class Region:
    """What one tensor argument may touch: its elements, from `offset` bytes into its storage.

    `inside` says which elements belong to the view where not all in its extent do.
    """

    number: int
    name: str | None
    storage: Storage
    offset: int
    size: int
    item: int
    inside: Array | None = None
    views: dict[Any, Array] = field(default_factory=dict)

    @property
    def address(self) -> int:
        return self.storage.address + self.offset

    def elements(self, dtype: np.dtype[Any]) -> Array:
        """The whole extent as elements of `dtype`."""
        view = self.views.get(dtype)
        if view is None:
            end = self.offset + self.size // dtype.itemsize * dtype.itemsize
            view = self.views[dtype] = self.storage.bytes[self.offset : end].view(dtype)
        return view

    def outside(self, index: Array, item: int) -> Array | None:
        """Which of these elements are not the argument's; None where all are."""
        extent = self.size // item
        bad: Array = index.view(np.uint64) >= np.uint64(extent)
        if self.inside is not None and item == self.item and extent:
            bad |= ~self.inside.take(index, mode="clip")
        return bad if bad.any() else None


class Memory:
    """The memory of one launch."""

    def __init__(self, log: FaultLog, programs: int, counts: Counts | None) -> None:
        self.log = log
        self.plan = Plan()
        self.group: Array = np.zeros(1, np.int64)
        """The numbers of the programs that run now."""
        self.counts = counts
        self.ordering = Ordering()
        self.touched = False
        """Whether the group has changed memory."""
        self._programs = programs
        self._storages: dict[int, Storage] = {}
        nothing = Region(NOWHERE, None, Storage(0, 0, 0), 0, 0, 1)
        self.regions: list[Region] = [nothing]
        self._undo: list[tuple[Array, Array | slice, Array]] = []
        self._undo_bytes = 0
        self._tensors: list[Any] = []

    # The arguments

    def add(self, name: str, tensor: Any, item: int) -> int:
        """Let the programs touch a tensor on the CPU. Returns the origin of pointers to it."""
        self._tensors.append(tensor)  # it lives as long as we look at its memory
        storage = self._storage(tensor.untyped_storage())
        storage.unit = min(storage.unit, item)
        sizes, strides = tuple(tensor.size()), tuple(tensor.stride())
        count = math.prod(sizes)
        extent = 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True)) if count else 0
        inside = None
        if extent > count or 0 in strides:
            inside = np.zeros(extent, np.bool_)
            np.lib.stride_tricks.as_strided(inside, sizes, strides, writeable=True)[...] = True
            inside = None if inside.all() else inside
        offset = tensor.data_ptr() - storage.address
        region = Region(len(self.regions), name, storage, offset, extent * item, item, inside)
        self.regions.append(region)
        return region.number

    def _storage(self, storage: Any) -> Storage:
        address, size = int(storage.data_ptr()), int(storage.nbytes())
        if address not in self._storages:
            self._storages[address] = Storage(len(self._storages) + 1, address, size)
        return self._storages[address]

    def addresses(self, pointer: Value) -> Array:
        """Where the elements of a pointer lie, as uint64."""
        item = item_bytes(pointer.get_element_ty())
        bases = np.array([region.address for region in self.regions], np.uint64)
        base = bases[pointer.origin]
        return np.asarray(base + pointer.data.astype(np.uint64) * np.uint64(item))

    def pointers(self, addresses: Array, dtype: Any, names: dict[str, int]) -> tuple[Array, int | Array]:
        """Element indices and origins for raw addresses: each belongs to the live storage that holds it, or to none.

        `names` are the integers among the kernel's arguments: one that lies in a storage names it.
        """
        item = item_bytes(dtype.element_ty)
        flat = addresses.astype(np.uint64)
        origin = np.zeros(flat.shape, np.int64)
        index = (flat // np.uint64(item)).astype(np.int64)
        for region in self._regions_at(flat, names):
            distance = flat - np.uint64(region.address)
            mine = (distance < np.uint64(region.size)) & (distance % np.uint64(item) == 0) & (origin == 0)
            origin = np.where(mine, region.number, origin)
            index = np.where(mine, (distance // np.uint64(item)).astype(np.int64), index)
        first = int(origin.flat[0]) if origin.size else 0
        return index, first if (origin == first).all() else origin

    def _regions_at(self, addresses: Array, names: dict[str, int]) -> list[Region]:
        known = self.regions[1:]
        unknown = np.ones(addresses.shape, np.bool_)
        for region in known:
            unknown &= addresses - np.uint64(region.address) >= np.uint64(region.size)
        torch = sys.modules.get("torch")
        if not unknown.any() or torch is None:
            return known
        for tensor in [thing for thing in gc.get_objects() if type(thing) is torch.Tensor]:
            if tensor.device.type != "cpu" or tensor.layout != torch.strided:
                continue
            storage = tensor.untyped_storage()
            start, size = storage.data_ptr(), storage.nbytes()
            if size and (unknown & (addresses - np.uint64(start) < np.uint64(size))).any():
                inside = [name for name, number in names.items() if start <= number < start + size]
                self._tensors.append(tensor)
                mine = self._storage(storage)
                mine.unit = 1
                name = inside[0] if inside else None
                self.regions.append(Region(len(self.regions), name, mine, 0, size, tensor.element_size()))
                unknown &= addresses - np.uint64(start) >= np.uint64(size)
        return self.regions[1:]

    # Loads and stores

    def load(self, pointer: Value, mask: Value | None, other: Value | None, dtype: Any) -> Value:
        """The elements where `mask` holds, `other` elsewhere; undefined where there is neither."""
        shape = pointer.shape
        if isinstance(pointer.origin, np.ndarray):
            return self._for_each_origin(pointer, mask, lambda part, chosen: self.load(part, chosen, other, dtype))
        region, index = self.regions[pointer.origin], pointer.data
        bad = self._outside(region, index, mask, item_bytes(dtype))
        if bad is not None:
            self._fault(Kind.OUT_OF_BOUNDS_LOAD, region, index, bad, item_bytes(dtype))
        if pointer.wrapped is not None:
            self._wrapped(region, pointer, mask)
        self._loads(region, index, mask, bad, dtype, shape)
        flat = region.elements(stored_as(dtype))
        data = decode(_gather(flat, index), dtype)
        poison = either(pointer, mask) if mask is not None else pointer.poison
        if mask is not None and not mask.data.all():
            elsewhere = undefined(dtype) if other is None else other.data
            data = np.where(mask.data, data, elsewhere).astype(data.dtype, copy=False)
            if other is None:
                poison = self._poisoned(poison, ~mask.data)
            elif other.poison is not None:
                poison = self._poisoned(poison, ~mask.data & other.poison)
        if bad is not None:
            data = np.where(bad, undefined(dtype), data).astype(data.dtype, copy=False)
            poison = self._poisoned(poison, bad)
        return Value(data, dtype, shape, poison=poison)

    def store(self, pointer: Value, value: Value, mask: Value | None, dtype: Any) -> None:
        """Store where `mask` holds, in the order of the programs."""
        if isinstance(pointer.origin, np.ndarray):
            for origin in np.unique(pointer.origin):
                part, chosen = _only(pointer, mask, int(origin))
                self.store(part, value, chosen, dtype)
            return
        region, item = self.regions[pointer.origin], item_bytes(dtype)
        chosen = self._chosen(Kind.OUT_OF_BOUNDS_STORE, region, pointer, mask, item)
        rows = self._rows(pointer, value, mask)
        shape = (len(rows), *pointer.shape)
        index = _flat(pointer.data, shape, chosen)
        if not len(index):
            return
        stored = _flat(encode(value.data, dtype), shape, chosen)
        self._count_store(region, index, item, pointer.shape, chosen is None)
        self._begin_change(region)
        owners = _flat(_down(rows, len(shape)), shape, chosen)
        self._write(region, dtype, index, stored, owners)

    def _write(self, region: Region, dtype: Any, index: Array, stored: Array, owners: Array) -> None:
        flat = region.elements(stored_as(dtype))
        where = _as_run(index)
        shadow = self._shadow(region.storage)
        marks = self._marks(region, index, where, stored.itemsize)
        names = (owners + 1).astype(shadow.writers.dtype)
        self._check_writers(shadow, marks, names, owners, flat, where, stored, region, index)
        if shadow.readers is not None:
            self._check_readers(shadow.readers, shadow.several, marks, names, owners, flat, where, stored, region, index)
        self._put(flat, where, stored)
        self._put(shadow.writers, marks, names)
        if len(self.group) > 1 and not isinstance(marks, slice):
            last = shadow.writers[marks]
            lost = last != names
            if lost.any():
                lost &= _bits(flat[where]) != _bits(stored)
                self._race(region, owners, last.astype(np.int64) - 1, index, lost, stored=True)

    def _check_writers(
        self,
        shadow: Shadow,
        marks: Array | slice,
        names: Array,
        owners: Array,
        flat: Array,
        where: Array | slice,
        stored: Array,
        region: Region,
        index: Array,
    ) -> None:
        """Has another program stored something else here?"""
        before = shadow.writers[marks]
        if before.any():
            clash = (before != 0) & (before != names)
            if clash.any():
                clash &= _bits(flat[where]) != _bits(stored)
                self._race(region, owners, before.astype(np.int64) - 1, index, clash, stored=True)

    def _check_readers(
        self,
        readers: Array,
        several: int,
        marks: Array | slice,
        names: Array,
        owners: Array,
        flat: Array,
        where: Array | slice,
        stored: Array,
        region: Region,
        index: Array,
    ) -> None:
        """Has another program loaded what this store changes?"""
        before = readers[marks]
        clash = (before != 0) & (before != names)
        if clash.any():
            clash &= _bits(flat[where]) != _bits(stored)
            others = np.where(before == several, -1, before.astype(np.int64) - 1)
            self._race(region, owners, others, index, clash, stored=False)

    def _loads(
        self, region: Region, index: Array, mask: Value | None, bad: Array | None, dtype: Any, shape: tuple[int, ...]
    ) -> None:
        """Note who loads what, where somebody may care."""
        storage = region.storage
        if self.counts is not None:
            chosen = _chosen_array(index.ndim, mask, bad)
            everything = _flat(index, (len(self.group), *shape), chosen)
            self.counts.access(region, everything, item_bytes(dtype), shape, whole=chosen is None, stored=False)
        storage.loaded = True
        if storage.key not in self.plan.raced:
            if storage.stored:
                self._watch(storage)
            return
        shape = (len(self.group), *shape)
        chosen = _chosen_array(index.ndim, mask, bad)
        index = _flat(index, shape, chosen)
        owners = _flat(_down(self.group, len(shape)), shape, chosen)
        shadow = self._shadow(storage)
        assert shadow.readers is not None
        marks = self._marks(region, index, index, item_bytes(dtype))
        names = (owners + 1).astype(shadow.readers.dtype)
        writers = shadow.writers[marks]
        clash = (writers != 0) & (writers != names)
        if clash.any():
            self._race(region, owners, writers.astype(np.int64) - 1, index, clash, stored=False)
        before = shadow.readers[marks]
        others = (before != 0) & (before != names)
        if others.any() and len(self.ordering):
            # A program that waited for the one before takes its place: whoever waits for it waits for both.
            known = others & (before != shadow.several)
            others[known] = self.ordering.unordered(owners[known], before[known].astype(np.int64) - 1)
        self._put(shadow.readers, marks, names)
        others |= shadow.readers[marks] != names
        if others.any():
            self._put(shadow.readers, marks[others], np.array(shadow.several, names.dtype))

    # Atomics

    def update(
        self,
        pointer: Value,
        operands: tuple[Value, ...],
        mask: Value | None,
        dtype: Any,
        step: Callable[..., Array],
        *,
        orders: bool,
    ) -> Value:
        """Replace each element by `step(element, *operands)`, one program after the other, and return what it was.

        `orders`: whether the atomic acquires and releases.
        """
        if isinstance(pointer.origin, np.ndarray):
            return self._for_each_origin(
                pointer, mask, lambda part, chosen: self.update(part, operands, chosen, dtype, step, orders=orders)
            )
        region, item = self.regions[pointer.origin], item_bytes(dtype)
        chosen = self._chosen(Kind.OUT_OF_BOUNDS_STORE, region, pointer, mask, item)
        shape = (len(self.group), *pointer.shape)
        index = _flat(pointer.data, shape, chosen)
        result = np.full(shape, undefined(dtype), held_as(dtype))
        poison = self._poisoned(either(pointer, *operands), None if chosen is None else ~chosen)
        if len(index):
            self._begin_change(region, plainly=False)
            values = [_flat(operand.data, shape, chosen) for operand in operands]
            flat = region.elements(stored_as(dtype))
            old = np.empty(len(index), held_as(dtype))
            for turn in _turns(index):
                old[turn] = decode(flat[index[turn]], dtype)
                new = step(old[turn], *(value[turn] for value in values))
                self._put(flat, index[turn], encode(new.astype(old.dtype, copy=False), dtype))
            if chosen is None:
                result[...] = old.reshape(shape)
            else:
                result[np.broadcast_to(chosen, shape)] = old
            self._count_store(region, index, item, pointer.shape, chosen is None)
            if orders and not pointer.shape:
                owners = _flat(_down(self.group, len(shape)), shape, chosen)
                self.ordering.happened(owners, region.address + index * item)
        return Value(result, dtype, pointer.shape, poison=poison)

    # Undo

    def restore(self) -> None:
        """As before the launch."""
        for storage in self._storages.values():
            storage.forget()
        self._undo.clear()
        self._undo_bytes = 0
        self.ordering = Ordering()
        self.touched = False

    def roll_back(self) -> None:
        """As before the group that runs now."""
        for array, where, before in reversed(self._undo):
            array[where] = before

    def begin_group(self, group: Array) -> None:
        self.group = group
        self.touched = False
        self._undo.clear()
        self._undo_bytes = 0

    # Parts

    def _poisoned(self, poison: Array | bool | None, where: Array | None) -> Array | bool | None:
        """`poison`, and the elements of `where`: exactly, if the plan says so."""
        if where is None:
            return poison
        if not self.plan.exact_poison:
            return True
        return where if poison is None else poison | where

    def _for_each_origin(
        self, pointer: Value, mask: Value | None, access: Callable[[Value, Value], Value]
    ) -> Value:
        result: Value | None = None
        for origin in np.unique(pointer.origin):
            part, chosen = _only(pointer, mask, int(origin))
            loaded = access(part, chosen)
            if result is None:
                result = loaded
                continue
            here = pointer.origin == origin
            result.data = np.where(here, loaded.data, result.data)
            if isinstance(result.poison, np.ndarray) or isinstance(loaded.poison, np.ndarray):
                new, old = (False if value.poison is None else value.poison for value in (loaded, result))
                result.poison = np.where(here, new, old)
            else:
                result.poison = result.poison or loaded.poison
        assert result is not None
        return result

    def _outside(self, region: Region, index: Array, mask: Value | None, item: int) -> Array | None:
        bad = region.outside(index, item)
        if bad is not None and mask is not None:
            bad = bad & mask.data
            bad = bad if bad.any() else None
        return bad

    def _chosen(
        self, kind: Kind, region: Region, pointer: Value, mask: Value | None, item: int
    ) -> Array | None:
        """Which elements a store may change, (P, *shape); None for all. What is outside is recorded."""
        bad = self._outside(region, pointer.data, mask, item)
        if bad is not None:
            self._fault(kind, region, pointer.data, bad, item)
        if pointer.wrapped is not None:
            self._wrapped(region, pointer, mask)
        return _chosen_array(pointer.data.ndim, mask, bad)

    def _rows(self, pointer: Value, value: Value, mask: Value | None) -> Array:
        """The programs whose stores have to be told apart: the last one where all store the same in the same place."""
        same = pointer.data.shape[0] == value.data.shape[0] == 1 and (mask is None or mask.data.shape[0] == 1)
        return self.group[-1:] if same else self.group

    def _begin_change(self, region: Region, *, plainly: bool = True) -> None:
        storage = region.storage
        self.touched = True
        if storage.before is None:
            storage.before = storage.bytes.copy()
        if plainly:
            storage.stored = True
            if storage.loaded and storage.key not in self.plan.raced:
                self._watch(storage)

    def _watch(self, storage: Storage) -> None:
        reason = "the launch loads from a tensor that it stores to"
        raise Restart(reason, replace(self.plan, raced=self.plan.raced | {storage.key}))

    def _shadow(self, storage: Storage) -> Shadow:
        if storage.shadow is None:
            elements = -(-len(storage.bytes) // storage.unit)
            storage.shadow = Shadow(elements, self._programs, readers=storage.key in self.plan.raced)
        return storage.shadow

    def _marks(self, region: Region, index: Array, where: Array | slice, item: int) -> Array | slice:
        """Where the shadow of these elements is."""
        unit = region.storage.unit
        start = region.offset // unit
        if item == unit:
            if isinstance(where, slice):
                return slice(where.start + start, where.stop + start)
            return where + start if start else where
        return start + index * item // unit

    def _put(self, array: Array, where: Array | slice, values: Array) -> None:
        if self.plan.keep_undo:
            before = array[where].copy()
            self._undo.append((array, where, before))
            self._undo_bytes += before.nbytes + (0 if isinstance(where, slice) else where.nbytes)
            if self._undo_bytes > UNDO_LIMIT:
                raise Restart("too much to undo", replace(self.plan, one_by_one=True))
        array[where] = values

    def _count_store(self, region: Region, index: Array, item: int, shape: tuple[int, ...], whole: bool) -> None:
        if self.counts is not None:
            self.counts.access(region, index, item, shape, whole=whole, stored=True)

    def _fault(self, kind: Kind, region: Region, index: Array, bad: Array, item: int) -> None:
        owners, indices = self._culprits(index, bad)
        self.log.add(kind, owners, indices, argument=region.name, size=region.size // item)

    def _wrapped(self, region: Region, pointer: Value, mask: Value | None) -> None:
        wrapped = pointer.wrapped if mask is None else pointer.wrapped & mask.data
        if wrapped.any():
            owners, indices = self._culprits(pointer.data, wrapped)
            self.log.add(Kind.WRAPPED_OFFSET, owners, indices, argument=region.name)

    def _culprits(self, index: Array, bad: Array) -> tuple[Array, Array]:
        """The programs and the element indices where `bad` holds."""
        shape = np.broadcast_shapes(index.shape, bad.shape, (len(self.group), *[1] * (index.ndim - 1)))
        bad = np.broadcast_to(bad, shape)
        return np.broadcast_to(_down(self.group, len(shape)), shape)[bad], np.broadcast_to(index, shape)[bad]

    def _race(
        self, region: Region, owners: Array, others: Array, index: Array, where: Array, *, stored: bool
    ) -> None:
        where = np.array(where)
        where[where] = self.ordering.unordered(owners[where], others[where])
        if where.any():
            self.log.add(
                Kind.RACE, owners[where], index[where], argument=region.name, others=others[where], stored=stored
            )


def _gather(flat: Array, index: Array) -> Array:
    """`flat[index]`, with indices outside clipped: what they give is never used."""
    if not flat.size:
        return np.zeros(index.shape, flat.dtype)
    if index.size > 1 and index.flags.c_contiguous:
        run = _as_run(index.reshape(-1))
        if isinstance(run, slice) and 0 <= run.start and run.stop <= flat.size:
            return flat[run].reshape(index.shape).copy()
    return flat.take(index, mode="clip")


def _as_run(index: Array) -> Array | slice:
    """A slice, where the indices count up by one: numpy copies that much faster. Otherwise themselves."""
    first, last = int(index[0]), int(index[-1])
    if last - first == len(index) - 1 and (index == np.arange(first, last + 1)).all():
        return slice(first, last + 1)
    return index


def _turns(index: Array) -> list[Array | slice]:
    """Positions to be worked on together: an element that comes up again waits for a later turn."""
    order = np.argsort(index, kind="stable")
    ordered = index[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    if len(starts) == len(index):
        return [slice(None)]
    turn = np.arange(len(index)) - np.repeat(starts, np.diff(np.r_[starts, len(index)]))
    by_turn = np.argsort(turn, kind="stable")
    return [order[part] for part in np.split(by_turn, np.cumsum(np.bincount(turn))[:-1])]


def _down(programs: Array, axes: int) -> Array:
    """The programs along the first axis of a block with `axes` axes."""
    return programs.reshape(-1, *[1] * (axes - 1))


def _chosen_array(ndim: int, mask: Value | None, bad: Array | None) -> Array | None:
    """Which elements are accessed: where the mask holds and that are not outside; None for all."""
    if mask is None and bad is None:
        return None
    chosen: Array = np.ones((1,) * ndim, np.bool_) if mask is None else mask.data
    if bad is not None:
        chosen = chosen & ~bad
    elif chosen.all():
        return None
    return chosen


def _flat(data: Array, shape: tuple[int, ...], chosen: Array | None) -> Array:
    """The chosen elements of an array that is broadcast to `shape`, program by program."""
    if data.shape != shape:
        data = np.broadcast_to(data, shape)
    if chosen is None:
        return data.reshape(-1)
    return data[chosen if chosen.shape == shape else np.broadcast_to(chosen, shape)]


def _only(pointer: Value, mask: Value | None, origin: int) -> tuple[Value, Value]:
    """The pointers of one origin, and a mask for them."""
    here = pointer.origin == origin
    chosen = here if mask is None else here & mask.data
    part = Value(pointer.data, pointer.dtype, pointer.shape, origin, pointer.poison, pointer.wrapped)
    return part, Value(chosen, None, pointer.shape, poison=None if mask is None else mask.poison)


def _bits(values: Array) -> Array:
    """For comparing: a NaN equals itself."""
    return values.view(f"u{values.itemsize}") if values.dtype.kind in "fb" else values
