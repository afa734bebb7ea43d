"""Recordings of launches, for `record`."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from triton_simulator.faults import Fault, fault_rank, program_name
from triton_simulator.launch.installation import is_installed
from triton_simulator.lines import KernelLine
from triton_simulator.steps.steps import Steps, program_number

if TYPE_CHECKING:  # they import Triton, for which `install` may have to come first
    from triton_simulator.memory.counts import Counts, Write
    from triton_simulator.steps.recorder import StepOptions


@dataclass(frozen=True)
class Failure:
    """Error of a kernel's own, which ended its launch."""

    program: tuple[int, ...]
    """The first program that it ended."""
    error: str
    """Its type and its message."""
    line: KernelLine | None = None
    """The line of the kernel, or of a function that it calls, if it is known."""

    def __str__(self) -> str:
        place = "" if self.line is None else f" at {self.line.name}: `{self.line.text}`"
        return f"{program_name(self.program)} stopped{place}. {self.error}"


@dataclass(frozen=True, kw_only=True, repr=False)
class Launch:
    """Record of a launch."""

    kernel: str
    """The name of its function."""
    file: str
    """The file with the kernel's source."""
    grid: tuple[int, ...]
    """The number of programs along each axis, of which there are 1 to 3."""
    arguments: dict[str, Any]
    """The launch's arguments, by the names of the kernel's parameters.

    Of a tensor on a GPU, it is the copy on the CPU.
    """
    faults: tuple[Fault, ...]
    """The faults, in the order in which they were found."""
    undefined: tuple[Fault, ...]
    """Undefined results that it stored.

    They are of sums and the like, or all if `record` was asked for writes.
    """
    counts: Counts
    """Bytes by argument, and floating-point operations."""
    one_by_one: str
    """The reason why the programs had to run one after the other.

    It is empty if they ran together.
    """
    writes: dict[int, Write] | None
    """The bytes that it stored, by the address of the storage.

    It is None unless `record` was asked for writes.
    """
    steps: Steps | None = None
    """The values that its lines computed; None unless `record` was asked for steps."""
    failure: Failure | None = None
    """The kernel's own error, if it raised one."""

    def __repr__(self) -> str:
        faults = f"{len(self.faults)} fault{'' if len(self.faults) == 1 else 's'}"
        return f"<Launch of {self.kernel} on {self.grid}: {faults}>"

    @property
    def programs(self) -> int:
        """Return the number of programs."""
        return math.prod(self.grid)

    def text(self, program: int | Sequence[int] | None = None) -> str:
        """Return what one program did, line by line.

        By default, it is the one at fault, the one that failed, or program 0. Raises ValueError if there is no such
        program, and if `record` was not asked for steps.
        """
        if self.steps is None:
            raise ValueError("the launch has no steps: record(steps=True) keeps them")
        # The fault that a message begins with.
        fault = min(self.faults, key=fault_rank, default=None)
        at_fault = fault or self.failure
        default = at_fault.program if at_fault else 0
        chosen = program if program is not None else default
        number = program_number(chosen, self.grid)
        if number is None:
            raise ValueError(f"the grid is {self.grid}, so there is no program {chosen}")
        ids = tuple(int(index) for index in np.unravel_index(number, self.grid))
        sites = [(fault.line, fault.index) for fault in self.faults if fault.program[: len(self.grid)] == ids]
        heading = f"{self.kernel}: {program_name(ids)}, grid {self.grid}"
        failure = "" if self.failure is None else f"{str(self.failure)[0].upper()}{str(self.failure)[1:]}"
        text = self.steps.text(number, sites) if self.steps.has_program(number) else self._missing_program()
        return "\n".join(filter(None, [heading, text, self.steps.omitted, failure]))

    def _missing_program(self) -> str:
        """Return that a program's steps were not kept, and whose were."""
        chosen = self.steps.chosen if self.steps is not None else None
        numbers = chosen if chosen is not None else ()
        names = [program_name(tuple(map(int, np.unravel_index(number, self.grid)))) for number in numbers]
        kept = f" `StepOptions` chose {', '.join(names)}." if names else ""
        return f"The steps of this program were not kept.{kept}"


# Without `eq`: `record` removes its own recording, not one that happens to be equal.
@dataclass(kw_only=True, eq=False)
class Recording:
    """Options of one `record`, and the launches that it has collected."""

    raises: bool
    coalescing: bool
    wave: int
    writes: bool
    strict_views: bool
    steps: StepOptions | None
    launches: list[Launch] = field(default_factory=list)
    steps_bytes: int = 0
    """Bytes of the steps of all launches."""

    def add(self, launch: Launch) -> None:
        """Add a launch that has ended."""
        self.launches.append(launch)
        self.steps_bytes += 0 if launch.steps is None else launch.steps.nbytes


recordings: list[Recording] = []
"""The recordings that are going on.

Each gets every launch of the process, with all that any of them asks for.
"""


def raises_faults() -> bool:
    """Return whether a launch raises its faults.

    The recording that began last says so, if there is one.
    """
    return recordings[-1].raises if recordings else True


@contextmanager
def record(
    *,
    raises: bool = False,
    coalescing: bool = False,
    wave: int = 0,
    writes: bool = False,
    strict_views: bool = False,
    steps: bool | StepOptions = False,
) -> Iterator[list[Launch]]:
    """Collect the launches made inside, with faults and counts.

    Launches of other threads count as well.

    Unless it `raises`, a fault is only recorded there. Of recordings inside each other, the one that began last decides
    that; each gets all launches until it ends itself. A kernel that raises an error of its own does so anyway.
    Warns if the simulator is not installed, as there is nothing to collect.

    With `coalescing`, the counts say how blocks lie in memory too, which takes about as long again; with a `wave`, also
    what programs load that run at the same time: so many of them, one after the other in the grid. With `writes`, each
    launch says what it stored, which copies all that it stored to. With `strict_views`, an access outside a view is a
    fault even inside its storage: see `Region`.

    With `steps`, each launch says what every line computed, for every program, which takes about as long again;
    `StepOptions` bounds what is kept.
    """
    if not is_installed():
        warnings.warn(
            "record() collects launches on the simulator, which is not installed: it will stay empty. Call install() "
            "first, before anything imports Triton.",
            RuntimeWarning,
            stacklevel=3,
        )
    recording = Recording(
        raises=raises,
        coalescing=coalescing,
        wave=wave,
        writes=writes,
        strict_views=strict_views,
        steps=None if steps is False else _step_options(steps),
    )
    recordings.append(recording)
    try:
        yield recording.launches
    finally:
        recordings.remove(recording)


def _step_options(steps: object) -> StepOptions:
    from triton_simulator.steps.recorder import StepOptions  # which imports Triton

    if steps is True:
        return StepOptions()
    if not isinstance(steps, StepOptions):
        raise TypeError(f"steps: expected True, False or StepOptions, got {steps!r}")
    return steps
