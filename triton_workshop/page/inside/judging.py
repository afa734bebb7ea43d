"""Check of an exercise in this process, by the checker's own functions."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from triton_workshop.checking.check import LIMIT_SECONDS, source_or_verdict, steps
from triton_workshop.checking.diagnosing.limits import Limit
from triton_workshop.checking.diagnosing.recognise import Diagnosis
from triton_workshop.checking.diagnosing.search import diagnosis_of, limits, other_size
from triton_workshop.checking.diagnosing.tile_sizes import OtherSize
from triton_workshop.checking.diagnosing.tries import TRIED_FILE, longest_seconds
from triton_workshop.checking.judging.judge import Judge
from triton_workshop.checking.judging.trial import Trial, trials
from triton_workshop.checking.judging.verdict import Verdict
from triton_workshop.checking.observing.child import observations_of, prepare
from triton_workshop.checking.observing.failure import Failure
from triton_workshop.checking.observing.observe import Observation
from triton_workshop.checking.observing.source import Source
from triton_workshop.checking.passes import PICTURE_SECONDS
from triton_workshop.exercises.cases import Case
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.page.inside.front_end import FrontEnd
from triton_workshop.page.inside.time_limit import TimeIsUpError, time_limit

SEARCH_SECONDS = 6.0
"""Seconds of the search for a mistake.

A page knows no processor time, and WebAssembly takes two or three times as long.
"""
Result = TypeVar("Result")


def verdicts(
    exercise: Exercise, file: Path, limit_seconds: float = LIMIT_SECONDS, search_seconds: float = SEARCH_SECONDS
) -> Iterator[Verdict]:
    """Yield a verdict whenever more is known, as `check.verdicts` does.

    The last is from Triton's front end.
    """
    started = time.perf_counter()
    source = source_or_verdict(exercise, file.resolve(), started)
    if isinstance(source, Verdict):
        yield source
        return
    prepare()
    outcomes = trials(Judge(source, limit_seconds), InProcessRunner(source, limit_seconds, search_seconds))
    yield from steps(source, started, outcomes, FrontEnd, None)


@dataclass(frozen=True)
class InProcessRunner:
    """Runs a script in this process, all cases and the search in a time limit."""

    source: Source
    limit_seconds: float
    search_seconds: float

    def observed(self, cases: Sequence[Case], later: Sequence[Case] = ()) -> Generator[object, None, None]:
        """Yield the observations of the cases."""
        yield from self._observed([*cases, *later], self.limit_seconds)

    def pictured(self, case: Case) -> object:
        """Return the observation of a case for its picture."""
        return next(self._observed([case], PICTURE_SECONDS), None)

    def diagnosis(self, case: Case, _trial: Trial) -> Diagnosis | None:
        """Search for the mistake behind a failed case."""
        return self._search(lambda: diagnosis_of(self.source, case, self.search_seconds))

    def limits(self) -> list[Limit]:
        """Search for limits of a right script."""
        return self._search(lambda: list(limits(self.source, self.search_seconds))) or []

    def other_size(self) -> OtherSize | None:
        """Try another tile size."""
        return self._search(lambda: other_size(self.source, self.search_seconds))

    def _observed(self, cases: Sequence[Case], remaining_seconds: float) -> Iterator[Observation]:
        """Observe case after case in the time for all of them.

        The last observation says if the time was up.
        """
        observations = observations_of(self.source, [case.name for case in cases])
        for _ in cases:
            started = time.monotonic()
            try:
                with time_limit(remaining_seconds, str(self.source.file).__eq__):
                    observation = next(observations, None)
            except TimeIsUpError as timeout:
                observation = Observation(timed_out=True, failure=Failure("Timeout", "", timeout.line))
            if observation is None:
                return
            failure = observation.failure
            if failure is not None and failure.type == TimeIsUpError.__name__:  # while the script was loaded
                observation = Observation(timed_out=True, failure=Failure("Timeout", "", failure.line))
            yield observation
            if failure is not None:
                return
            remaining_seconds -= time.monotonic() - started

    def _search(self, search: Callable[[], Result]) -> Result | None:
        """Return the result of a search; None if one of its tries does not end."""
        try:
            with time_limit(longest_seconds(self.search_seconds), lambda file: file.endswith(TRIED_FILE)):
                return search()
        except TimeIsUpError:
            return None
