"""The shape of an exercise's description."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch

Launcher = Callable[..., torch.Tensor]


@dataclass(frozen=True)
class Case:
    """One call of the launcher. `arguments(device)` makes its tensors, the same ones every time."""

    name: str
    arguments: Callable[[str], tuple[torch.Tensor, ...]]


@dataclass(frozen=True)
class Showing:
    """A picture to look at once the exercise is right: the input, then each result beside it."""

    caption: str
    make: Callable[[Launcher, torch.Tensor], tuple[torch.Tensor, ...]]
    """From the launcher and the workshop's picture (3, height, width): the results to show, same shape."""


@dataclass(frozen=True)
class Exercise:
    """Everything that the checker, the reports and the tests know of an exercise."""

    number: int
    title: str
    launcher: str
    """The name of the only function that the checker calls."""
    cases: tuple[Case, ...]
    reference: Callable[..., torch.Tensor]
    """The right answer. Called with float64 tensors, it is exact for all that matters here."""
    reduction_length: Callable[..., int]
    """How many products or terms each output element sums: the tolerance follows from it."""
    hints: tuple[str, ...]
    """What to think of at each TODO, in order: hints[0] is for TODO 1."""
    showing: Showing | None = None


def seeded(*names: int | str) -> torch.Generator:
    """A random generator of its own for each case, so that a case is the same wherever and whenever it runs."""
    return torch.Generator().manual_seed(int.from_bytes("/".join(map(str, names)).encode()) % 2**31)
