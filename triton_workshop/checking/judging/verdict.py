"""Verdict of a check, with its findings."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from triton_simulator.compiler.jobs import PickledKernel
    from triton_workshop.costs.figures import Figures
    from triton_workshop.exercises.goals import Quantity

MAX_PROGRAMS = 64
"""The most programs that a finding names.

Its message says how many there are.
"""


class FindingKind(StrEnum):
    """Kind of finding."""

    ANOTHER_TEXT = "another-text"
    UNFINISHED = "unfinished"
    CRASH = "crash"
    TIMEOUT = "timeout"
    OUT_OF_BOUNDS_LOAD = "out-of-bounds-load"
    OUT_OF_BOUNDS_STORE = "out-of-bounds-store"
    RACE = "race"
    WRAPPED_OFFSET = "wrapped-offset"
    UNDEFINED_BRANCH = "undefined-branch"
    ENDLESS_WAIT = "endless-wait"
    INPUT_MODIFIED = "input-modified"
    NOT_A_KERNEL = "not-a-kernel"
    WRONG_SHAPE = "wrong-shape"
    WRONG_DTYPE = "wrong-dtype"
    UNWRITTEN = "unwritten"
    WRONG_VALUES = "wrong-values"
    DOES_NOT_COMPILE = "does-not-compile"
    DOES_NOT_FIT = "does-not-fit"
    CORRECT_BUT_SLOW = "correct-but-slow"
    """Nothing is wrong, but it costs more than a goal of the exercise allows."""
    NOT_SIMULATED = "not-simulated"
    """The simulator cannot run it, so nothing is known: it may be correct."""
    CHECKER_FAILED = "checker-failed"

    @classmethod
    def of_error(cls, type: str) -> FindingKind:
        """Return the kind of an exception's type.

        The simulator refuses launches as Triton and GPUs do, by a LaunchError.
        """
        refusals = {"KeywordError": cls.DOES_NOT_COMPILE, "OptionError": cls.DOES_NOT_COMPILE}
        return {**refusals, "ResourceError": cls.DOES_NOT_FIT}.get(type, cls.CRASH)


class TileState(StrEnum):
    """State of a tile or an element of the output, from best to worst.

    The order is that of its levels on a map.
    """

    RIGHT = "right"
    UNWRITTEN = "unwritten"
    WRONG = "wrong"
    OUT_OF_BOUNDS = "out of bounds"


@dataclass(frozen=True)
class Element:
    """The first element that is wrong, and the program that owns it."""

    index: tuple[int, ...]
    expected: float
    got: float | None
    """None if it was never written."""
    allowed: float
    """The tolerance around `expected`."""
    program: tuple[int, ...]
    offset: int
    """Elements from the start of the output."""

    def as_json(self) -> dict[str, object]:
        """Return plain data, in which NaN and infinity are their names.

        JSON cannot express them.
        """
        return {name: _plain(value) for name, value in vars(self).items()}


def _plain(value: object) -> object:
    if not isinstance(value, float):
        return value
    return value if math.isfinite(value) else str(value)


@dataclass(frozen=True)
class TileMap:
    """Map of the output: `planes[i][row][column]`.

    Each cell is a tile, or an element where there is but one tile.
    """

    cell: str
    """The meaning of a cell, such as `a program's tile` or `an element`.

    Where tiles are not known, a cell is one of the solution's.
    """
    planes: tuple[tuple[tuple[TileState, ...], ...], ...]

    @property
    def states(self) -> tuple[TileState, ...]:
        """The states that occur, from best to worst."""
        rows = itertools.chain.from_iterable(self.planes)
        states = set(itertools.chain.from_iterable(rows))
        return tuple(state for state in TileState if state in states)


@dataclass(frozen=True)
class Pixels:
    """A small picture: 8-bit RGB, row by row."""

    caption: str
    width: int
    height: int
    rgb: bytes


@dataclass(frozen=True)
class Finding:
    """Thing that is wrong.

    `line` and `source` point into the script, if that is known. `hints` has up to three, each of which says more than
    the one before. `programs` did it, or should have done what is missing; `elements` is how many are concerned.
    """

    kind: FindingKind
    message: str
    hints: tuple[str, ...] = ()
    line: int | None = None
    source: str = ""
    case: str = ""
    hint_name: str = ""
    argument: str | None = None
    programs: tuple[tuple[int, ...], ...] = ()
    elements: int = 0
    element: Element | None = None
    tiles: TileMap | None = None
    pictures: tuple[Pixels, ...] = ()

    @property
    def program(self) -> tuple[int, ...]:
        """The program to look at; empty if none is known.

        It is the first that did it, or the wrong element's.
        """
        if self.programs:
            return self.programs[0]
        return self.element.program if self.element else ()

    def as_json(self) -> dict[str, object]:
        """Return plain data, without what is drawn.

        Programs have three axes each, whatever the grid has.
        """
        return {name: value for name, value in vars(self).items() if name not in ("element", "tiles", "pictures")} | {
            "hint": self.hints[0] if self.hints else "",
            "programs": [[*program, 0, 0, 0][:3] for program in self.programs],
            "first_element": self.element and self.element.as_json(),
        }


@dataclass(frozen=True)
class CaseResult:
    name: str
    passed: bool


@dataclass(frozen=True)
class JudgedGoal:
    """A goal of the exercise, and what a right script costs."""

    name: str
    quantity: Quantity
    allowed: int | str
    """The most, or of what is better the more of it there is, the least."""
    measured: int | str | None = None
    """None if it is not known, as without a compiler."""
    line: int | None = None
    holds: bool | None = None


@dataclass(frozen=True)
class FilledTodo:
    """A TODO that is filled in, while others are open."""

    number: int
    right: bool
    """With the solution's code in the others, every case passes; if not, nothing is known."""
    values: str = ""
    """What it makes in one program of a case.

    If it is not right, that is a case that fails, and its value differs there.
    """
    program: tuple[int, ...] = ()
    case: str = ""
    line: int | None = None
    """The line that makes the value, or that raises the error."""
    error: str = ""
    """The message of the error at which its lines stop."""
    error_hints: tuple[str, ...] = ()
    """A question and an idea about that error, if it is known."""

    @property
    def is_known_wrong(self) -> bool:
        """True if it is not right, and there are values or an error to show."""
        has_something_to_show = bool(self.values or self.error)
        return has_something_to_show and not self.right


@dataclass(frozen=True)
class TriedTodos:
    """TODOs that have been tried, and the kernels to compile.

    The kernels are those of the script in which some of the TODOs are right.
    """

    todos: tuple[FilledTodo, ...] = ()
    kernels: tuple[PickledKernel, ...] = ()


UNREPORTED = ("kernels", "figures", "launched", "is_preliminary", "to_come", "text", "traffic")
"""Fields of a verdict that a report as JSON leaves out."""


@dataclass(frozen=True)
class Verdict:
    """The first finding is the cause; none means that the script is right."""

    exercise: str
    file: Path
    device: str
    """The device of the last run: "simulator" or "cuda"."""
    seconds: float
    cases: tuple[CaseResult, ...]
    findings: tuple[Finding, ...]
    tolerance: str = ""
    """The tolerance of a result, as a sentence."""
    traffic: str = ""
    """What a right script's kernels have moved, as a sentence."""
    remarks: tuple[str, ...] = ()
    """Sentences on what a right script could do better."""
    compiler: tuple[str, ...] = ()
    """Sentences of Triton's compiler on a right script's kernels.

    They are empty if nothing is known.
    """
    kernels: tuple[PickledKernel, ...] = ()
    """The kernels to compile, as they were launched."""
    todos: tuple[FilledTodo, ...] = ()
    """What is known of an unfinished script's TODOs."""
    goals: tuple[JudgedGoal, ...] = ()
    """What a right script may cost, and does."""
    costs: tuple[str, ...] = ()
    """Sentences on what a right script costs: its times on a GPU, and all else if somebody has asked."""
    figures: Figures = field(default_factory=dict)
    """What is known of a right script's costs."""
    launched: tuple[PickledKernel, ...] = ()
    """The kernels whose costs are of interest, as they were launched."""
    is_preliminary: bool = False
    """True while the line of the first finding is still looked for."""
    to_come: int = 0
    """The number of cases still to be tried, if all is right so far."""
    text: str = ""
    """The script as it was judged; its file may have been saved since."""

    @property
    def passed(self) -> bool:
        return not self.findings

    @property
    def is_correct(self) -> bool:
        """Return whether nothing is wrong; it may cost more than it should."""
        return all(finding.kind is FindingKind.CORRECT_BUT_SLOW for finding in self.findings)

    def as_json(self) -> dict[str, object]:
        data = {name: value for name, value in vars(self).items() if name not in UNREPORTED}
        return data | {
            "file": str(self.file),
            "passed": self.passed,
            "seconds": round(self.seconds, 3),
            "cases": [vars(case) for case in self.cases],
            "todos": [vars(todo) for todo in self.todos],
            "goals": [vars(goal) for goal in self.goals],
            "findings": [finding.as_json() for finding in self.findings],
        }
