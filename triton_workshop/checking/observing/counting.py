"""Counts of what a call of a script's launcher costs, on the simulator."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from triton_simulator import record
from triton_workshop.checking.observing.child import load, observer_of, prepare
from triton_workshop.checking.observing.observe import Observation
from triton_workshop.costs.figures import Figure, Figures, most
from triton_workshop.exercises.goals import Quantity
from triton_workshop.exercises.workloads import cost_case
from triton_workshop.processes.signal_scope import confine_signals

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from triton_simulator import Launch
    from triton_simulator.lines import KernelLine
    from triton_workshop.checking.observing.child import Load
    from triton_workshop.checking.observing.source import Source
    from triton_workshop.processes.wire import Connection


T = TypeVar("T")


@dataclass(frozen=True)
class Counted:
    """One call of a script's launcher, and what it costs."""

    observation: Observation
    figures: Figures = field(default_factory=dict)
    """Nothing of a call that broke off: it would look like a cheap one."""


def count(source: Source, load: Load = load) -> Counted:
    """Load a script on the simulator, and count a call of its launcher."""
    observer = observer_of(source, load)
    if isinstance(observer, Observation):
        return Counted(observer)
    with record(wave=source.exercise.gpu.multiprocessors) as launches:
        observation = observer.observe(cost_case(source.exercise).arguments("cpu"))
    return Counted(observation) if observation.failure else Counted(observation, counted_figures(launches))


def counted_figures(launches: Sequence[Launch]) -> Figures:
    """Return the figures of launches that were recorded with a `wave`."""
    bytes_of, sectors, beyond, lanes, waves, waits = (Counter[int]() for _ in range(6))
    moved = 0
    for launch in launches:
        counts, coalescing = launch.counts, launch.counts.coalescing
        moved += counts.total.loaded + counts.total.stored
        assert coalescing is not None, "a recording with a wave has it"
        for line, found in _own_lines(launch, coalescing.lines):
            bytes_of[line] += found.useful
            sectors[line] += found.touched
            beyond[line] += found.touched - found.minimum
        for totals, amounts in ((lanes, coalescing.line_lanes), (waves, coalescing.wave_bytes), (waits, counts.waits)):
            for line, amount in _own_lines(launch, amounts):
                totals[line] += amount
    return {
        Quantity.BYTES: Figure(moved, most(bytes_of)),
        # `+` drops lines that waste nothing; if none is left, the one with most sectors is named.
        Quantity.SECTORS: Figure(sectors.total(), most(+beyond or sectors)),
        Quantity.LANES: Figure(lanes.total(), most(lanes)),
        Quantity.WAVE_BYTES: Figure(waves.total(), most(waves)),
        Quantity.WAITS: Figure(waits.total(), most(waits)),
    }


def _own_lines(launch: Launch, amounts: Mapping[KernelLine, T]) -> Iterable[tuple[int, T]]:
    """Return the amounts by the number of a line.

    Those of other files are the kernel's own, on line 0.
    """
    return [(_number_in(launch.file, line), amount) for line, amount in amounts.items()]


def _number_in(file: str, line: KernelLine) -> int:
    return line.number if line.file == file else 0


def send_counted(connection: Connection, source: Source) -> None:
    """Count a call, and send its costs.

    This runs in the script's own process.
    """
    prepare()
    confine_signals()
    connection.send(count(source))
