"""Run a script in the process in which it stands.

This module needs torch.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from triton_workshop.checking.diagnosing.limits import Limit
from triton_workshop.checking.diagnosing.recognise import Diagnosis
from triton_workshop.checking.diagnosing.search import diagnoses_of, limits, next_quietly, other_size
from triton_workshop.checking.diagnosing.tile_sizes import OtherSize
from triton_workshop.checking.judging.trial import Trial
from triton_workshop.checking.judging.unfinished import try_todos
from triton_workshop.checking.judging.verdict import TriedTodos
from triton_workshop.checking.observing.child import load, observations_of
from triton_workshop.checking.observing.counting import Counted, count
from triton_workshop.checking.observing.observe import Observation
from triton_workshop.checking.observing.source import Source
from triton_workshop.exercises.cases import Case

if TYPE_CHECKING:
    from triton_workshop.checking.observing.child import Load

PICTURE_SECONDS = 5.0
"""A picture that takes longer is not worth the wait."""
T = TypeVar("T")


class TimeLimits(Protocol):
    """Time limits for a script in this process.

    They hold as far as a script can be ended there.
    """

    def observe(self, observations: Iterator[Observation], seconds: float, /) -> Generator[Observation, None, None]:
        """Yield these observations, which may take so many seconds in all."""

    def search(self, function: Callable[[], T], trial: Trial | None = None, /) -> T | None:
        """Return the result of a search; None if it does not end.

        `trial` has what is known by then.
        """


@dataclass(frozen=True)
class InProcessRunner:
    """Runs a script in this process, which is on the simulator."""

    source: Source
    time_limits: TimeLimits
    limit_seconds: float
    """For all cases together."""
    picture_seconds: float = PICTURE_SECONDS
    search_seconds: float | None = None
    """For all tries of a search together, by default as `tries` says."""
    load: Load = load
    """Loads the script, and returns its launcher."""

    def observe(self, cases: Sequence[Case], later: Sequence[Case] = ()) -> Generator[Observation, None, None]:
        return self._observe((*cases, *later), self.limit_seconds)

    def observe_picture(self, case: Case) -> Observation | None:
        with closing(self._observe((case,), self.picture_seconds)) as observations:
            return next(observations, None)

    def count(self) -> Counted | None:
        return self.time_limits.search(lambda: count(self.source, self.load))

    def diagnoses(self, case: Case, trial: Trial) -> Iterator[Diagnosis]:
        found = diagnoses_of(self.source, case, self.search_seconds)
        while (diagnosis := self.time_limits.search(lambda: next_quietly(found), trial)) is not None:
            yield diagnosis

    def find_limits(self) -> list[Limit]:
        return self.time_limits.search(lambda: list(limits(self.source, self.search_seconds))) or []

    def find_other_size(self) -> OtherSize | None:
        return self.time_limits.search(lambda: other_size(self.source, self.search_seconds))

    def try_todos(self) -> TriedTodos:
        """Try the TODOs that are filled in while others are open."""
        seconds = None if self.search_seconds is None else 2 * self.search_seconds
        return self.time_limits.search(lambda: try_todos(self.source, seconds)) or TriedTodos()

    def _observe(self, cases: Sequence[Case], seconds: float) -> Generator[Observation, None, None]:
        observations = observations_of(self.source, [case.name for case in cases], self.load)
        return self.time_limits.observe(observations, seconds)
