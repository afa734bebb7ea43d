"""Counts of a launch's memory traffic and operations."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace

import numpy as np

from triton_simulator.lines import KernelLine, current_line
from triton_simulator.memory.coalescing import Coalescing
from triton_simulator.memory.marks import Marks
from triton_simulator.storage.accesses import Access
from triton_simulator.storage.regions import Region
from triton_simulator.values.formats import Array


@dataclass(frozen=True)
class Traffic:
    """Bytes of an argument that a launch moves.

    Every access counts, except that `distinct` counts distinct bytes.

    `rewritten` counts bytes of plain stores to elements that the launch had stored to before; 0 where it updates
    some by atomics.
    `scattered_loads` and `scattered_stores` count instructions with rows that are not contiguous in memory, once for
    each group of programs that ran together.
    """

    loaded: int = 0
    stored: int = 0
    distinct: int = 0
    rewritten: int = 0
    scattered_loads: int = 0
    scattered_stores: int = 0

    def __add__(self, other: Traffic) -> Traffic:
        return Traffic(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(self)))


@dataclass(frozen=True, eq=False)
class Write:
    """Bytes of a storage that launches stored to.

    `held` is what they were in the end.
    """

    stored: Array
    held: Array


@dataclass
class Counts:
    """Counts of a launch: bytes by argument, and operations.

    The operations are those on floating-point numbers.
    """

    operations: int = 0
    products: dict[str, int] = field(default_factory=dict)
    """Operations done by `tl.dot`, by the precision of its operands.

    It is fp64, ieee, tf32, bf16x6, fp16, bf16 and so on.
    """
    special: int = 0
    """Operations of special function units: exponentials, logarithms, roots, sines."""
    arguments: dict[str, Traffic] = field(default_factory=dict)
    coalescing: Coalescing | None = None
    """The layout of blocks in memory, if `record` was asked for it."""
    blocks: dict[tuple[str, tuple[int, ...]], tuple[int, int]] = field(default_factory=dict)
    """Counts of loaded blocks, and of those that a mask leaves empty.

    They are by argument and shape.
    """
    waits: dict[KernelLine, int] = field(default_factory=dict)
    """Counts of warps that wait for those of their program, at each `tl.reduce` and `tl.associative_scan`, by line."""
    busy: Array = field(default_factory=lambda: np.zeros(0, np.bool_), repr=False, compare=False)
    """The programs that have stored anything."""
    _touched: dict[int, tuple[Region, Marks, Marks]] = field(default_factory=dict, repr=False, compare=False)
    """For each region, its touched elements and its stored elements."""

    @property
    def total(self) -> Traffic:
        """All arguments together."""
        return sum(self.arguments.values(), Traffic())

    @property
    def idle(self) -> int:
        """The number of programs that have stored nothing."""
        return int(np.count_nonzero(~self.busy))

    def access(self, access: Access, shape: tuple[int, ...], *, unmasked: bool, stored: bool) -> None:
        """Count a load or a store by blocks of `shape`.

        With `unmasked`, no mask left an element out.
        """
        region = access.region
        name = display_name(region)
        if shape and not stored:
            loaded, empty = self.blocks.get((name, shape), (0, 0))
            # A block that its mask leaves empty moves nothing, but counts as loaded.
            self.blocks[name, shape] = loaded + 1, empty + (not len(access.index))
        if not len(access.index):
            return
        size = len(access.index) * access.item
        row = shape[-1] if shape else 1
        scattered = int(row > 1 and _is_scattered(access, row, unmasked))
        new = Traffic(stored=size, scattered_stores=scattered) if stored else Traffic(size, scattered_loads=scattered)
        if region.number not in self._touched:
            self._touched[region.number] = region, Marks(region), Marks(region)
        _, touched, written = self._touched[region.number]
        touched.add(access)
        if stored:
            written.add(access)
        self.arguments[name] = self.arguments.get(name, Traffic()) + new

    def finish(self) -> None:
        """Fill in what needs all accesses to be known, when the launch has ended."""
        updated = {display_name(region) for region, *_ in self._touched.values() if region.storage.updated}
        for region, touched, stored in self._touched.values():
            # Negative until the bytes stored, which a name's regions have together, are added below.
            self.arguments[display_name(region)] += Traffic(distinct=touched.count(), rewritten=-stored.count())
        for name, traffic in self.arguments.items():
            rewritten = 0 if name in updated else max(0, traffic.stored + traffic.rewritten)
            self.arguments[name] = replace(traffic, rewritten=rewritten)

    def writes(self) -> dict[int, Write]:
        """Return what the launch has stored, by the storage's address."""
        writes: dict[int, Write] = {}
        for region, _, stored in self._touched.values():
            storage = region.storage
            if stored.count():
                # A copy of the bytes, as a later launch may store there again.
                write = writes.setdefault(
                    storage.address, Write(np.zeros(len(storage.bytes), np.bool_), storage.bytes.copy())
                )
                write.stored[region.offset : region.offset + region.size] |= stored.by_byte(region.size)
        return writes

    def reads(self) -> list[tuple[str, int, int]]:
        """Return what the launch has loaded or updated.

        Each entry has a name, the address of the storage, and how many elements.
        """
        return [
            (display_name(region), region.storage.address, -(-touched.count() // region.item))
            for region, touched, _ in self._touched.values()
            if self.arguments[display_name(region)].loaded or region.storage.updated
        ]

    def compute(self, operations: int, multiplied: str | None, *, special: bool = False) -> None:
        """Count floating-point operations.

        Those of a `tl.dot` are counted by what it has multiplied, too.
        """
        self.operations += operations
        self.special += special * operations
        if multiplied is not None:
            self.products[multiplied] = self.products.get(multiplied, 0) + operations

    def wait(self, warps: int) -> None:
        """Count that so many warps combine the elements of a block."""
        line = current_line()
        self.waits[line] = self.waits.get(line, 0) + warps

    def snapshot(self) -> Counts:
        """Return a copy for `restore`."""
        coalescing = None if self.coalescing is None else self.coalescing.snapshot()
        products, arguments = dict(self.products), dict(self.arguments)
        blocks, waits = dict(self.blocks), dict(self.waits)
        return Counts(self.operations, products, self.special, arguments, coalescing, blocks, waits)

    def restore(self, snapshot: Counts) -> None:
        """Restore everything except what was touched and who was busy.

        The same programs will do that again.
        """
        self.operations, self.products, self.special = snapshot.operations, snapshot.products, snapshot.special
        self.arguments, self.coalescing, self.blocks = snapshot.arguments, snapshot.coalescing, snapshot.blocks
        self.waits = snapshot.waits

    def clear(self) -> None:
        """Set everything to zero."""
        self.operations = self.special = 0
        self.products.clear()
        self.arguments.clear()
        self.blocks.clear()
        self.waits.clear()
        self.busy[:] = False
        self.coalescing = (
            None if self.coalescing is None else Coalescing(self.coalescing.programs, wave=self.coalescing.wave)
        )
        self._touched.clear()


def display_name(region: Region) -> str:
    """Return the name under which a region is counted.

    Memory reached by addresses that the kernel made itself is counted together.
    """
    return region.name or "memory"


def _is_scattered(access: Access, row: int, unmasked: bool) -> bool:
    """Return whether a row's elements are not consecutive in memory."""
    if isinstance(access.run, slice):
        return False
    if unmasked:
        return bool((np.diff(access.index.reshape(-1, row), axis=1) != 1).any())
    # A mask left some out, so rows end anywhere: up to one break per possible row proves nothing.
    return int((np.diff(access.index) != 1).sum()) > 2 * (len(access.index) // row + 1)
