"""Recordings of a script's launches."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from triton_simulator.steps.steps import ProgramStep, Steps
from triton_workshop.slide_environment import Numbers


@dataclass(frozen=True)
class Request:
    """Script whose launches are wanted; of an exercise, those of one case."""

    file: Path
    text: str
    exercise: str = ""
    case: str = ""
    """The case's name; empty for the first one with several programs."""
    programs: tuple[int, ...] | None = None
    """Only these programs, by their number in the order of the grid; None for all that there is room for."""
    launch: int | None = None
    """Only the steps of this launch, by its number from 0; None for all that there is room for."""
    folder: Path = field(default_factory=Path.cwd)
    """The folder in which the script runs."""
    numbers: Numbers = ()
    """The numbers that a slide shows for the script's lines; nothing for those of the file."""


@dataclass(frozen=True)
class Argument:
    """Tensor that a launch gets; both in elements."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]


@dataclass(frozen=True)
class ForeignObject:
    """Object that only the script's process has, such as a function."""

    text: str

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True)
class LaunchFault:
    """Fault of a launch, as a sentence, and where it was."""

    program: int
    """Its number in the order of the grid."""
    file: str
    line: int
    message: str
    index: int | None = None
    """The first element concerned, counted from the argument's first one."""

    @property
    def at(self) -> tuple[str, int]:
        """File and line."""
        return self.file, self.line

    @property
    def sentence(self) -> str:
        """What happened, without the line and the advice."""
        return self.message.partition("\n")[0]


@dataclass(frozen=True, eq=False)
class RecordedLaunch:
    """Launch of a kernel with its steps."""

    kernel: str
    grid: tuple[int, ...]
    steps: Steps
    arguments: dict[str, Argument] = field(default_factory=dict)
    faults: tuple[LaunchFault, ...] = ()
    chosen: tuple[int, ...] | None = None
    """The programs that were recorded, if only some were asked for."""

    @property
    def programs(self) -> int:
        """The number of programs."""
        return math.prod(self.grid)

    def has(self, program: int) -> bool:
        """Return whether a program's steps were recorded."""
        # `chosen` is the same for all launches of a script, of which perhaps one was recorded.
        if not self.steps.all:
            return False
        return program in self.chosen if self.chosen is not None else program < self.steps.programs

    def ids(self, program: int) -> tuple[int, ...]:
        """Return a program's ids along the axes of the grid."""
        return tuple(int(index) for index in np.unravel_index(program, self.grid))

    def steps_of(self, program: int) -> list[ProgramStep]:
        """Return one program's steps."""
        return self.steps.of(program)


@dataclass(frozen=True, eq=False)
class Recording:
    """Launches of a script, in their order."""

    case: str = ""
    launches: tuple[RecordedLaunch, ...] = ()
    sources: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The lines of each file with a kernel."""
    failure: str = ""
    """The error that ended the script, with its line."""
    printed: str = ""
    """The end of what it printed, where nobody has seen that."""

    def code(self, line: tuple[str, int]) -> str:
        """Return a line's text, without its indentation."""
        file, number = line
        lines = self.sources.get(file, ())
        return lines[number - 1].strip() if number <= len(lines) else ""

    @property
    def error(self) -> str:
        """Why there is nothing to look at; empty if there is something."""
        has_steps = any(launch.steps.all for launch in self.launches)
        if has_steps:
            return ""
        is_unfinished = self.failure == "" and self.case != ""
        if is_unfinished:
            return "it launches no kernel yet: fill in its TODOs, or look into the solution by --plain"
        if "NVIDIA driver" in self.failure:
            return f"it asks for a GPU itself, so it cannot run on the simulator ({self.failure.partition(':')[0]})"
        return self.failure or "it launches no kernel, so there is nothing to look at"
