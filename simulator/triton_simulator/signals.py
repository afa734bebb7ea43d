"""Signals that end the run of a group of programs early.

Those of ours are no errors, so no kernel can catch one as an error; `tl.static_assert` raises one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray


class Signal(BaseException):
    """Not an Exception: `except Exception` in a kernel must not swallow it."""


class Divergence(Signal):
    """Disagreement of programs on a value that steers Python.

    `labels` has one entry for each program of the group: those with the same label may go on together.
    """

    def __init__(self, labels: NDArray[np.generic]) -> None:
        super().__init__("programs disagree")
        self.labels = labels.reshape(-1)

    def split(self, group: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """Split the programs of a group by label.

        Each part is in order, and the lowest program's part comes first.
        """
        _, first, label = np.unique(self.labels, return_index=True, return_inverse=True)
        parts = [group[label.reshape(-1) == number] for number in range(len(first))]
        return sorted(parts, key=lambda part: int(part[0]))


class ElementBranch(Signal):
    """Branch on elements in a function that combines two of them.

    Whole blocks cannot answer what Python asks.
    """


class Numbers(StrEnum):
    """Numbers that stand for undefined elements."""

    ABSURD = "absurd"
    """What catches the eye: NaN, or an absurd integer."""
    LARGEST = "largest"
    SMALLEST = "smallest"
    ZERO = "zero"
    """What NVIDIA's GPUs happen to give, and what a flag that is false is made of."""


@dataclass(frozen=True)
class Plan:
    """Plan of how a launch is run.

    It starts with the cheapest plan, and starts again if that turns out not to work.
    """

    one_by_one: str = ""
    """The reason to run one program at a time, in grid order.

    It is debug output, or something that cannot be batched, and empty if there is none.
    """
    records_undo: bool = False
    """True if stores are undone: some group diverges after it has stored."""
    traced: bool = False
    """True if the load of every undefined element is recorded.

    It is where a result of one is stored, or a branch depends on one.
    """
    undefined: Numbers = Numbers.ABSURD
    """The numbers of undefined elements.

    The launch starts again with others if one of them may be an index.
    """
    accesses: bool = False
    """True if the accesses to watched storages are kept.

    One of several programs, or threads, has to be named that came to an element before it was changed.
    """
    watched: frozenset[int] = frozenset()
    """Addresses of storages whose accesses are recorded by program.

    The launch touches them in more than one way (loads, stores, atomics).
    """
    threads: frozenset[int] = frozenset()
    """Addresses of storages whose accesses are recorded by thread.

    A program comes back to them by another block.
    """
    events: int = 0
    """Room for this many atomics that order programs."""


class Restart(Signal):
    """The launch must start again under another plan, with memory as it was."""

    def __init__(self, reason: str, plan: Plan) -> None:
        super().__init__(reason)
        self.plan = plan


class RestartOneByOne(Restart):
    """The same, one program at a time: the reason is in the plan."""

    def __init__(self, reason: str, plan: Plan) -> None:
        super().__init__(reason, replace(plan, one_by_one=reason))


class StaticAssertionError(AssertionError):
    """False condition of a `tl.static_assert`.

    The compiler refuses such a kernel; so this is an error.

    Triton's tuner goes on with another configuration.
    """


class ValueInspection(Signal):
    """Look of Python at a value of many programs.

    Only one program at a time can answer.
    """


class LaunchAborted(Signal):
    """End of a launch that cannot go on.

    What it would do next depends on an undefined value. The fault is recorded.
    """
