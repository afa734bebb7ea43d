"""Cost of one call of a launcher, as the simulator counted it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from triton_simulator import Launch
    from triton_simulator.memory.coalescing import Coalescing


@dataclass(frozen=True)
class ArgumentCost:
    """The loads of one argument in one launch, or the stores to it."""

    kernel: str
    argument: str
    stored: bool
    asked: int
    """Bytes, counting every access."""
    distinct: int
    """Bytes of the argument that were loaded or stored at least once."""
    read_only: bool
    """True if the launch only loads from the argument."""
    sectors: int
    """Sectors of 32 bytes that blocks touch, each block counted separately."""
    least_sectors: int
    """The fewest sectors possible, if each block's bytes were contiguous."""
    useful: int
    """Bytes that blocks ask for, counted once per block."""
    rows: int
    """Runs of bytes without a gap, in all blocks."""
    step: int | None
    """Bytes from the start of a row to the start of the next.

    None unless most rows of a block are that far apart.
    """


@dataclass(frozen=True)
class Cost:
    """All launches of a call together."""

    kernels: tuple[str, ...]
    """The kernels launched, in order."""
    programs: int
    idle: int
    """Programs that store nothing."""
    asked: int
    """Bytes loaded and stored, counting every access."""
    distinct: int
    """Bytes loaded or stored at least once, per launch.

    Memory has to move these if a cache serves every repeat.
    """
    sectors: int
    least_sectors: int
    operations: int
    """Floating-point operations, including those on masked-off lanes."""
    products: dict[str, int]
    """Operations in tl.dot, by what it multiplies: ieee, tf32, fp16, …"""
    special: int
    """Operations of special function units, such as exponentials."""
    lanes: int
    """Elements of all blocks that are loaded or stored, masked off or not."""
    masked: int
    """Elements that a mask leaves out."""
    accesses: tuple[ArgumentCost, ...]

    @property
    def intensity(self) -> float:
        """Operations per byte that memory has to move."""
        return self.operations / max(1, self.distinct)

    @property
    def reuse(self) -> float:
        """Average count of requests for a byte."""
        return self.asked / max(1, self.distinct)

    @property
    def spread(self) -> float:
        """Sectors touched over the fewest possible.

        1 is perfectly coalesced, 8 is one sector for each float32.
        """
        return self.sectors / max(1, self.least_sectors)

    def as_json(self) -> dict[str, object]:
        """Return the figures, and those that follow from them.

        These are `operations_per_byte`, `reuse` and `sectors_over_least`.
        """
        derived = {
            "operations_per_byte": round(self.intensity, 4),
            "reuse": round(self.reuse, 4),
            "sectors_over_least": round(self.spread, 4),
        }
        return {**asdict(self), **derived}


def cost_of(launches: Sequence[Launch]) -> Cost:
    """The cost of launches that were recorded with `coalescing`.

    Raises ValueError for other launches.
    """
    coalescings = [launch.counts.coalescing for launch in launches]
    if None in coalescings:
        raise ValueError("expected launches recorded by record(coalescing=True)")
    known: list[Coalescing] = [coalescing for coalescing in coalescings if coalescing is not None]
    accesses = tuple(access for launch in launches for access in _accesses(launch))
    totals = [launch.counts.total for launch in launches]
    products: Counter[str] = Counter()
    for launch in launches:
        products.update(launch.counts.products)
    return Cost(
        kernels=tuple(launch.kernel for launch in launches),
        programs=sum(launch.programs for launch in launches),
        idle=sum(launch.counts.idle for launch in launches),
        asked=sum(total.loaded + total.stored for total in totals),
        distinct=sum(total.distinct for total in totals),
        sectors=sum(access.sectors for access in accesses),
        least_sectors=sum(access.least_sectors for access in accesses),
        operations=sum(launch.counts.operations for launch in launches),
        products=dict(products),
        special=sum(launch.counts.special for launch in launches),
        lanes=sum(coalescing.lanes for coalescing in known),
        masked=sum(coalescing.masked for coalescing in known),
        accesses=accesses,
    )


def _accesses(launch: Launch) -> Iterator[ArgumentCost]:
    coalescing = launch.counts.coalescing
    assert coalescing is not None
    for (argument, stored), sectors in coalescing.sectors.items():
        traffic = launch.counts.arguments[argument]
        yield ArgumentCost(
            kernel=launch.kernel,
            argument=argument,
            stored=stored,
            asked=traffic.stored if stored else traffic.loaded,
            distinct=traffic.distinct,
            read_only=not traffic.stored,
            sectors=sectors.touched,
            least_sectors=sectors.minimum,
            useful=sectors.useful,
            rows=sectors.runs,
            step=_usual(coalescing.steps.get((argument, stored), Counter())),
        )


def _usual(steps: Counter[int]) -> int | None:
    """The step that makes up more than half of them."""
    [(step, times)] = steps.most_common(1) or [(0, 0)]
    # Without any steps, 0 > 0 is false: there is no usual one.
    return step if 2 * times > steps.total() else None
