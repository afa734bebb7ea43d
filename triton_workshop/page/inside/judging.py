"""Check of an exercise in this process, by the checker's own functions."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from triton_workshop.checking.check import LIMIT_SECONDS, begun_script, source_or_verdict, steps, with_todos
from triton_workshop.checking.diagnosing.tries import TRIED_FILE, longest_seconds
from triton_workshop.checking.in_process_runner import InProcessRunner
from triton_workshop.checking.judging.judge import Judge
from triton_workshop.checking.judging.trial import OnCase, Trial, trials
from triton_workshop.checking.judging.verdict import Verdict
from triton_workshop.checking.observing.child import prepare
from triton_workshop.checking.observing.failure import Failure
from triton_workshop.checking.observing.observe import Observation
from triton_workshop.checking.observing.source import Source
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.page.inside.front_end import FrontEnd
from triton_workshop.page.inside.time_limit import TimeIsUpError, time_limit

SEARCH_SECONDS = 6.0
"""Seconds of the search for a mistake.

A page knows no processor time, and WebAssembly takes two or three times as long.
"""
BUSY_FACTOR = 4
"""How many times the limit of a script all of its cases may take, as long as they go on."""
Result = TypeVar("Result")


def verdicts(
    exercise: Exercise,
    file: Path,
    limit_seconds: float = LIMIT_SECONDS,
    search_seconds: float = SEARCH_SECONDS,
    on_case: OnCase = lambda case: None,
) -> Iterator[Verdict]:
    """Yield a verdict whenever more is known, as `check.verdicts` does.

    The last is from Triton's front end. `on_case` is called after each case.
    """
    started = time.perf_counter()
    source = source_or_verdict(exercise, file.resolve(), started)
    if isinstance(source, Verdict):
        yield source
        if script := begun_script(source, exercise):
            prepare()
            limits = PageLimits(script, search_seconds)
            runner = InProcessRunner(script, limits, limit_seconds, search_seconds=search_seconds)
            yield from with_todos(source, runner.try_todos(), started, FrontEnd)
        return
    prepare()
    runner = InProcessRunner(source, PageLimits(source, search_seconds), limit_seconds, search_seconds=search_seconds)
    outcomes = trials(Judge(source, limit_seconds), runner, on_case, is_slow=True)
    yield from steps(source, started, outcomes, FrontEnd, None)


@dataclass(frozen=True)
class PageLimits:
    """Ends what a script does in this process when its time is up."""

    source: Source
    search_seconds: float

    def observe(self, observations: Iterator[Observation], seconds: float) -> Generator[Observation, None, None]:
        """Yield observations. The last one says so if the time was up.

        That is the time of one, as a page does not know how busy its machine is. All together may take some times that.
        """
        remaining = BUSY_FACTOR * seconds
        while True:
            started = time.monotonic()
            try:
                with time_limit(min(seconds, remaining), str(self.source.file).__eq__):
                    observation = next(observations, None)
            except TimeIsUpError as up:
                observation = _timeout(up.line)
            if observation is None:
                return
            failure = observation.failure
            if failure is not None and failure.type == TimeIsUpError.__name__:  # while it was loaded
                observation = _timeout(failure.line)
            yield observation
            is_last = failure is not None or observation.timed_out
            if is_last:
                return
            remaining -= time.monotonic() - started

    def search(self, function: Callable[[], Result], _trial: Trial | None = None) -> Result | None:
        """Return the result of a search; None if one of its tries does not end."""
        try:
            with time_limit(longest_seconds(self.search_seconds), lambda file: file.endswith(TRIED_FILE)):
                return function()
        except TimeIsUpError:
            return None


def _timeout(line: int | None) -> Observation:
    return Observation(timed_out=True, failure=Failure("Timeout", "", line))
