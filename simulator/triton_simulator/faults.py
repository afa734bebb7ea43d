"""Faults of a launch, and the sentences on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from triton_simulator.errors import SimulatorError
from triton_simulator.lines import KernelLine, current_line


class Kind(StrEnum):
    """Kind of a fault.

    The values are the names that the checker uses.
    """

    OUT_OF_BOUNDS_LOAD = "out-of-bounds-load"
    OUT_OF_BOUNDS_STORE = "out-of-bounds-store"
    RACE = "race"
    WRAPPED_OFFSET = "wrapped-offset"
    UNDEFINED_BRANCH = "undefined-branch"
    ENDLESS_WAIT = "endless-wait"
    UNDEFINED_RESULT = "undefined-result"


class Action(StrEnum):
    """What an access does to an element, as a sentence says it."""

    LOAD = "loads it"
    STORE = "stores to it"
    ATOMIC = "updates it by an atomic"


class Weakness(StrEnum):
    """Reason why something that might order programs does not."""

    RELAXED = 'An atomic stands between, but with `sem="relaxed"` it orders nothing: leave `sem` out.'
    ACQUIRES = 'An atomic stands between, but with `sem="acquire"` it hands nothing on: leave `sem` out.'
    RELEASES = 'An atomic stands between, but with `sem="release"` it takes nothing over: leave `sem` out.'
    EARLY = (
        "A store tells others to go on, but it is one thread's, and other threads of its program may still be storing: "
        "put `tl.debug_barrier()` before it, or use `tl.atomic_xchg`."
    )


class Cause(StrEnum):
    """Reason why an element is undefined."""

    LOAD = "a masked load without `other=`"
    LOOP = "a loop that has ended"
    ZERO_DIVISION = "an integer division by zero"
    OVERFLOW = "an integer division whose result its type cannot hold"
    SHIFT = "a shift by a negative number, or by all bits or more"


_OPERATION_ADVICE = {
    Cause.ZERO_DIVISION: "Keep zeros out of the divisor: `tl.where(divisor == 0, 1, divisor)`.",
    Cause.OVERFLOW: "The least number of a type has no opposite: divide it in a wider type.",
    Cause.SHIFT: "Keep the distance in range: `tl.where(distance < 32, x << distance, 0)` for 32 bits.",
}
"""Advice on operations that leave their result undefined."""


@dataclass(frozen=True)
class PoisonSource:
    """Origin of undefined elements."""

    line: KernelLine
    name: str | None = None
    """The argument that is loaded, or the index of the loop."""
    cause: Cause = Cause.LOAD

    @property
    def is_load(self) -> bool:
        """Return True for a masked load without `other=`."""
        return self.cause is Cause.LOAD

    @property
    def is_operation(self) -> bool:
        """Return True for an operation without a defined result."""
        return self.cause in _OPERATION_ADVICE

    @property
    def advice(self) -> str:
        """Advice on a source that is no load."""
        if self.is_operation:
            return f"On a GPU, {self.cause} gives no particular number. {self.line}. {_OPERATION_ADVICE[self.cause]}"
        return (
            f"On a GPU `{self.name}` has no value after its loop, even if it had one before. {self.line}. Keep "
            f"what you need of it in a variable that has a value before the loop: `last = {self.name}`."
        )


class Site(NamedTuple):
    """Line of an access, and what it does there.

    Like a line, it is a tuple for speed.
    """

    line: KernelLine
    action: Action


@dataclass(frozen=True)
class WeakOrder:
    """Line that might order programs, and why it does not."""

    line: KernelLine
    weakness: Weakness


@dataclass(frozen=True)
class Peer:
    """Other program in a race, by its number (-1: unknown)."""

    program: int = -1
    site: Site | None = None
    """What it did before, and on which line, if it is known."""
    weak_order: WeakOrder | None = None
    """What would have ordered the two if it were stronger."""


@dataclass(frozen=True)
class Fault:
    """Fault of a launch, described for the first program that has it.

    `index` and `last_index` are the first and the last element concerned, counted from the argument's first element;
    `distinct` says how many there are from one to the other, if not all.
    `outside` says how many elements the farthest one lies beyond the end, or before the start if negative; it is 0 for
    one between the elements of a strided view. `peer` is the program that it races with.
    """

    kind: Kind
    kernel: str
    line: KernelLine
    program: tuple[int, ...]
    argument: str | None = None
    index: int | None = None
    last_index: int | None = None
    size: int | None = None
    outside: int = 0
    programs: int = 1
    elements: int = 1
    peer: tuple[int, ...] | None = None
    earlier: KernelLine | None = None
    """The line that came to the elements before.

    It is of a race between threads of the program.
    """
    stored: bool = False
    """For a race: whether both store; otherwise one of them loads."""
    masked: bool = False
    """Whether the access has a mask."""
    wrapped: bool = False
    """Whether an offset of it was too large for int32, and wrapped around."""
    undefined: bool = False
    """Whether the index of an access is undefined."""
    source: PoisonSource | None = None
    """For an undefined value, if it is known."""
    distinct: int | None = None
    dtype: str = ""
    """Type of the elements, such as fp32, of a tensor that is no argument."""
    site: Site | None = None
    """For a race between programs: what the program does at `line`."""
    peer_site: Site | None = None
    """What the other program did before, and on which line, if it is known."""
    weak_order: WeakOrder | None = None
    """For a race between programs: what would have ordered them if it were stronger."""

    def __str__(self) -> str:
        return f"{self.kernel}: {self.description}"

    @property
    def description(self) -> str:
        """All that is said of it, without the kernel's name."""
        # The summary has the number of the other line, which is enough in the same file.
        is_elsewhere = self.peer_line is not None and self.peer_line.file != self.line.file
        peer = f"\n  {self.peer_line}." if is_elsewhere else ""
        return f"{self.summary}.\n  {self.line}.{peer} {self.advice}"

    @property
    def peer_line(self) -> KernelLine | None:
        """The other program's line in a race, if it is known and another one."""
        line = self.peer_site.line if self.peer_site is not None else None
        return line if line != self.line else None

    @property
    def load(self) -> KernelLine | None:
        """The masked load that an undefined value comes from.

        It is one without `other=`; None if that is not known, or for another fault.
        """
        source = self._load_source
        return source.line if source is not None else None

    @property
    def loaded(self) -> str | None:
        """The argument that an undefined value was loaded from.

        None as for `load`.
        """
        source = self._load_source
        return source.name if source is not None else None

    @property
    def _load_source(self) -> PoisonSource | None:
        """The source of an undefined value, if it is a masked load."""
        if self.source is None:
            return None
        return self.source if self.source.is_load else None

    @property
    def summary(self) -> str:
        """Sentence on which program did what, and in which element."""
        program = program_name(self.program)
        location = _element_name(self)
        match self.kind:
            case Kind.OUT_OF_BOUNDS_LOAD | Kind.OUT_OF_BOUNDS_STORE if self.undefined:
                action = "read" if self.kind is Kind.OUT_OF_BOUNDS_LOAD else "wrote to"
                return f"{program} {action} {self.argument or 'memory'} through an undefined index"
            case Kind.OUT_OF_BOUNDS_LOAD | Kind.OUT_OF_BOUNDS_STORE:
                action = "read" if self.kind is Kind.OUT_OF_BOUNDS_LOAD else "wrote"
                if self.argument is None:
                    # Without a name, `outside` is the distance to a tensor: 0 means that none is near.
                    where = "that belongs to no tensor" if self.outside == 0 else _distance(self)
                    return f"{program} {action} memory {where}"
                if self.outside == 0:
                    return f"{program} {action} {location}, which lies between the elements of {self.argument}"
                elements = "element" if self.size == 1 else "elements"
                return f"{program} {action} {location}, but {self.argument} has {self.size} {elements}"
            case Kind.RACE if self.earlier is not None:
                action = "both store to it" if self.stored else "one loads it, another one stores to it"
                return f"threads of {program} meet at {location}: {action}, and neither waits"
            case Kind.RACE:
                return self._race_summary(program, location)
            case Kind.WRAPPED_OFFSET:
                return f"{program} used {location} through an offset that was too large for int32 and wrapped around"
            case Kind.UNDEFINED_BRANCH:
                return f"{program} branches on an undefined value, so the launch ends here"
            case Kind.ENDLESS_WAIT:
                return f"{program} waits for a value that no program stores"
            case Kind.UNDEFINED_RESULT if self.source is not None and self.source.is_operation:
                return f"{program} stored to {location} what it computed from {self.source.cause}"
            case Kind.UNDEFINED_RESULT if self.source is not None and not self.source.is_load:
                return (
                    f"{program} stored to {location} what it computed from `{self.source.name}`, whose loop has ended"
                )
            case Kind.UNDEFINED_RESULT:
                origin = self.loaded or "memory"
                return f"{program} stored to {location} what it computed from undefined elements of {origin}"

    def _race_summary(self, program: str, location: str) -> str:
        peer = "another program" if self.peer is None else program_name(self.peer)
        line, peer_line = (_place(each) for each in (self.line, self.peer_line))
        # Two names that are the same tell nobody which is which.
        is_told = self.peer_line is not None and line != peer_line
        where = f", {line} and {peer_line}" if is_told else ""
        if self.stored and not self._has_atomic:
            return f"{program} and {peer} store different values to {location}{where}"
        lines = (f" {line}", f" {peer_line}") if is_told else ("", "")
        actions = self._race_actions(program, peer, lines)
        return f"{program} and {peer} meet at {location}: {actions}, and neither waits"

    def _race_actions(self, program: str, peer: str, lines: tuple[str, str]) -> str:
        """Return what two programs do, each by name if they differ."""
        plain = "one loads it, the other stores to it"
        if self.site is None or self.peer_site is None:
            return plain
        is_distinct = any(lines) or self._has_atomic
        if not is_distinct:
            return plain
        return f"{program} {self.site.action}{lines[0]}, {peer} {self.peer_site.action}{lines[1]}"

    @property
    def _has_atomic(self) -> bool:
        sites = filter(None, (self.site, self.peer_site))
        return any(site.action is Action.ATOMIC for site in sites)

    @property
    def advice(self) -> str:
        """Question or sentence on what to think about."""
        if self.source is not None and not self.source.is_load:
            return self.source.advice
        match self.kind:
            case Kind.OUT_OF_BOUNDS_LOAD | Kind.OUT_OF_BOUNDS_STORE if self.undefined and self.load is not None:
                same = "use its mask here, too" if self.masked else "mask this access too"
                return (
                    f"The index comes from a masked load without `other=`. {self.load}. Give that load an `other=`, or "
                    f"{same}."
                )
            case Kind.OUT_OF_BOUNDS_LOAD | Kind.OUT_OF_BOUNDS_STORE if self.undefined:
                return "Nothing defines it: it comes from an access that is masked out, or outside its tensor."
            case Kind.OUT_OF_BOUNDS_LOAD | Kind.OUT_OF_BOUNDS_STORE if self.argument is None and self.outside == 0:
                return "Was the pointer made from the wrong number?"
            case Kind.OUT_OF_BOUNDS_LOAD | Kind.OUT_OF_BOUNDS_STORE if self.argument is None:
                mask = "Is the mask wrong" if self.masked else "Is a mask missing"
                return f"{mask}, or was the pointer made from the wrong number?"
            # Before the next case: a wrapped offset may be negative, and a mask would not help.
            case Kind.OUT_OF_BOUNDS_LOAD | Kind.OUT_OF_BOUNDS_STORE if self.wrapped:
                return "An offset was too large for int32 and wrapped around. Compute it in int64: `.to(tl.int64)`."
            case Kind.OUT_OF_BOUNDS_LOAD | Kind.OUT_OF_BOUNDS_STORE if self.outside < 0:
                return "Does the mask also need `>= 0`?"
            case Kind.OUT_OF_BOUNDS_LOAD | Kind.OUT_OF_BOUNDS_STORE if self.outside == 0:
                return "Are the strides right?"
            case Kind.OUT_OF_BOUNDS_LOAD | Kind.OUT_OF_BOUNDS_STORE if self.masked:
                return "Is the mask or the stride wrong?"
            case Kind.OUT_OF_BOUNDS_LOAD | Kind.OUT_OF_BOUNDS_STORE:
                return "Is a mask missing?"
            case Kind.RACE if self.earlier is not None:
                return (
                    f"They met before. {self.earlier}. On a GPU a block's elements belong to many threads, and each is "
                    "sure to find only what it stored itself: keep the values in a variable, or put "
                    "`tl.debug_barrier()` between the two lines."
                )
            case Kind.RACE if self.weak_order is not None:
                return f"{self.weak_order.weakness} {self.weak_order.line}."
            case Kind.RACE if self._has_atomic and self.stored:
                return (
                    "One of the two is an atomic already, and orders nothing while the other one is a plain store: "
                    "store by an atomic too, or in a launch before."
                )
            case Kind.RACE if self._has_atomic:
                return (
                    "One of the two is an atomic already, and orders nothing while the other one is a plain load: use "
                    "what the atomic returns, load by an atomic too, or wait until all programs have come so far."
                )
            case Kind.RACE if self.stored:
                return "Do two programs work on the same block, or is an atomic missing?"
            case Kind.RACE:
                return "Programs run in any order: store to another tensor, or use an atomic."
            case Kind.WRAPPED_OFFSET:
                return "Compute it in int64: `.to(tl.int64)`."
            case Kind.UNDEFINED_BRANCH if self.load is not None:
                return f"The value comes from a masked load without `other=`. {self.load}."
            case Kind.UNDEFINED_RESULT:
                return (
                    f"They come from a masked load without `other=`. {self.load}. NVIDIA's GPUs happen to give 0 "
                    "there with this Triton, as TRITON_SIMULATOR_UNDEFINED=zero does here; the documentation calls it "
                    "undefined."
                )
            case Kind.UNDEFINED_BRANCH:
                return "The value comes from a masked load without `other=`, or from a load outside its tensor."
            case Kind.ENDLESS_WAIT:
                return (
                    "On a GPU this launch never ends. Which program should store it, and what does that one wait for?"
                )


def fault_rank(fault: Fault) -> tuple[int, bool]:
    """Return the rank of a fault, less for what a message says first.

    Of races, those between threads of a program come last: one between programs says more.
    """
    return list(Kind).index(fault.kind), fault.earlier is not None


class KernelFaults(SimulatorError):  # noqa: N818  # it represents several
    """Faults of a launch.

    Examples are memory outside of its tensors, a race, and a wait without end.

    `faults` has everything; the message has the first fault of each kind.
    """

    def __init__(self, kernel: str, faults: Sequence[Fault]) -> None:
        self.kernel = kernel
        self.faults = tuple(faults)
        # Backwards, so that the first fault of each kind is the one that stays.
        first_faults = {fault.kind: fault for fault in sorted(self.faults, key=fault_rank)[::-1]}
        descriptions = [first_faults[kind].description for kind in Kind if kind in first_faults]
        super().__init__(f"{kernel}: " + "\nalso: ".join(descriptions))

    def __reduce__(self) -> tuple[type[KernelFaults], tuple[str, tuple[Fault, ...]]]:
        # By default, an exception is rebuilt from its message alone, which `__init__` does not take.
        return type(self), (self.kernel, self.faults)


def program_name(program: tuple[int, ...]) -> str:
    """Return a program's name, `program 3`.

    In a grid of several axes it is `program (1, 0)`.
    """
    return f"program {program[0] if len(program) == 1 else program}"


def _element_name(fault: Fault) -> str:
    name = fault.argument or "memory"
    if fault.index is None:
        return name
    if fault.distinct is not None:
        first, last = f"{name}[{fault.index}]", f"{name}[{fault.last_index}]"
        return f"{first} and {last}" if fault.distinct == 2 else f"{fault.distinct:,} elements from {first} to {last}"
    return f"{name}[{fault.index}]" if fault.index == fault.last_index else f"{name}[{fault.index}..{fault.last_index}]"


def _distance(fault: Fault) -> str:
    """Return where memory lies that is near a tensor without a name."""
    count, side = abs(fault.outside), "past" if fault.outside > 0 else "before"
    return f"{count:,} element{'' if count == 1 else 's'} {side} a tensor of {fault.size:,} {fault.dtype}".rstrip()


def _place(line: KernelLine | None) -> str:
    """Return where in its file a line is, as `on line 8`."""
    return "" if line is None else f"on {line.name.partition(' of ')[0]}"


_Key = tuple[Kind, KernelLine, str | None, bool, bool, KernelLine | None]
"""Common properties of faults that are counted together."""


@dataclass
class _Tally:
    """Count of one kind of fault, at one line, in one argument."""

    first: Fault
    first_program: int
    programs: set[int] = field(default_factory=set)
    elements: int = 0


class FaultLog:
    """The faults of one launch, with similar ones counted together."""

    def __init__(self, kernel: str, grid: tuple[int, ...]) -> None:
        self._kernel = kernel
        self._grid = grid
        self._tallies: dict[_Key, _Tally] = {}

    def __len__(self) -> int:
        return len(self._tallies)

    def add(
        self,
        kind: Kind,
        programs: NDArray[Any],
        indices: NDArray[Any] | None = None,
        *,
        argument: str | None = None,
        size: int | None = None,
        stored: bool = False,
        masked: bool = False,
        wrapped: bool = False,
        undefined: bool = False,
        source: PoisonSource | None = None,
        line: KernelLine | None = None,
        earlier: KernelLine | None = None,
        dtype: str = "",
        site: Site | None = None,
        find_peer: Callable[[int], Peer] | None = None,
    ) -> None:
        """Record that `programs[i]` touched element `indices[i]`.

        In a race, `find_peer(i)` returns with whom `programs[i]` races.

        It happens at the line that runs, unless another one is given. `find_peer` may raise Restart.
        """
        line = line or current_line()
        first = int(programs.min())
        is_first = programs == first
        key = (kind, line, argument, stored, undefined, earlier)
        tally = self._tallies.get(key)
        # Groups run in any order: of all programs the first is named, so that a message stays the same.
        if tally is None or first < tally.first_program:
            low, high, outside, distinct = _index_range(None if indices is None else indices[is_first], size)
            peer = Peer() if find_peer is None else find_peer(int(is_first.argmax()))
            fault = Fault(
                kind,
                self._kernel,
                line,
                self.program(first),
                argument,
                low,
                high,
                size,
                outside,
                peer=None if peer.program < 0 else self.program(peer.program),
                earlier=earlier,
                stored=stored,
                masked=masked,
                wrapped=wrapped,
                undefined=undefined,
                source=source,
                distinct=distinct,
                dtype=dtype,
                site=site,
                peer_site=peer.site,
                weak_order=peer.weak_order,
            )
            if tally is None:
                tally = self._tallies[key] = _Tally(fault, first)
            tally.first, tally.first_program = fault, first
        tally.programs.update(np.unique(programs).tolist())
        tally.elements += len(programs)

    def program(self, number: int) -> tuple[int, ...]:
        """Return a program's id, with as many axes as the launch's grid."""
        return tuple(int(axis) for axis in np.unravel_index(number, self._grid))

    def faults(self) -> tuple[Fault, ...]:
        """Return all faults, in the order in which they were first found."""
        return tuple(fault for fault in self._all() if fault.kind is not Kind.UNDEFINED_RESULT)

    def undefined(self) -> tuple[Fault, ...]:
        """Return the undefined results.

        They are no faults, as nobody may ever look at them.
        """
        return tuple(fault for fault in self._all() if fault.kind is Kind.UNDEFINED_RESULT)

    def _all(self) -> list[Fault]:
        return [
            replace(tally.first, programs=len(tally.programs), elements=tally.elements)
            for tally in self._tallies.values()
        ]

    def snapshot(self) -> dict[_Key, _Tally]:
        """Return a copy for `restore`."""
        return {
            key: _Tally(tally.first, tally.first_program, set(tally.programs), tally.elements)
            for key, tally in self._tallies.items()
        }

    def restore(self, snapshot: dict[_Key, _Tally]) -> None:
        """Go back to a snapshot."""
        self._tallies = snapshot


def _index_range(indices: NDArray[Any] | None, size: int | None) -> tuple[int | None, int | None, int, int | None]:
    """Return the range of indices, the farthest excess, and their number.

    The range is the smallest and the largest index. The excess counts elements beyond the end, or before the start if
    negative. The number is None if the indices are all from the smallest to the largest.
    """
    if indices is None:
        return None, None, 0, None
    low, high = int(indices.min()), int(indices.max())
    distinct = len(np.unique(indices))
    gaps = None if distinct == high - low + 1 else distinct
    if size is None:
        return low, high, 0, gaps
    above, below = max(0, high - size + 1), min(0, low)
    return low, high, above if above >= -below else below, gaps
