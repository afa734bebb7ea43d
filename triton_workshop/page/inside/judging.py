"""Judges an exercise in this process, by the checker's own functions: observes, judges, diagnoses and draws."""

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
from triton_workshop.page.inside.limit import TimeIsUpError, limited

SEARCH_SECONDS = 6.0
"""For the search for a mistake. A page knows no processor time, and WebAssembly takes two or three times as long."""
T = TypeVar("T")


def verdicts(
    exercise: Exercise, file: Path, limit: float = LIMIT_SECONDS, search: float = SEARCH_SECONDS
) -> Iterator[Verdict]:
    """As `check.verdicts`: a verdict whenever more is known, the last of them from Triton's front end."""
    started = time.perf_counter()
    source = source_or_verdict(exercise, file.resolve(), started)
    if isinstance(source, Verdict):
        yield source
        return
    prepare()
    found = trials(Judge(source, limit), Here(source, limit, search))
    yield from steps(source, started, found, FrontEnd, None)


@dataclass(frozen=True)
class Here:
    """Runs a script in this process: `limit` seconds for all cases, `search` for the search for a mistake."""

    source: Source
    limit: float
    search: float

    def observed(self, cases: Sequence[Case], later: Sequence[Case] = ()) -> Generator[object, None, None]:
        yield from self._observed([*cases, *later], self.limit)

    def pictured(self, case: Case) -> object:
        return next(self._observed([case], PICTURE_SECONDS), None)

    def diagnosis(self, case: Case, _known: Trial) -> Diagnosis | None:
        return self._within(lambda: diagnosis_of(self.source, case, self.search))

    def limits(self) -> list[Limit]:
        return self._within(lambda: list(limits(self.source, self.search))) or []

    def other_size(self) -> OtherSize | None:
        return self._within(lambda: other_size(self.source, self.search))

    def _observed(self, cases: Sequence[Case], left: float) -> Iterator[Observation]:
        """Observe case after case in the time for all of them: the last observation says if it was up."""
        seen = observations_of(self.source, [case.name for case in cases])
        for _ in cases:
            started = time.monotonic()
            try:
                with limited(left, str(self.source.file).__eq__):
                    found = next(seen, None)
            except TimeIsUpError as up:
                found = Observation(timed_out=True, failure=Failure("Timeout", "", up.line))
            if found is None:
                return
            if found.failure is not None and found.failure.type == TimeIsUpError.__name__:  # while it was loaded
                found = Observation(timed_out=True, failure=Failure("Timeout", "", found.failure.line))
            yield found
            if found.failure is not None:
                return
            left -= time.monotonic() - started

    def _within(self, search: Callable[[], T]) -> T | None:
        """What a search finds; None if one of its tries does not end."""
        try:
            with limited(longest_seconds(self.search), lambda file: file.endswith(TRIED_FILE)):
                return search()
        except TimeIsUpError:
            return None
