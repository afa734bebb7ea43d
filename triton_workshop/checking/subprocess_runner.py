"""Runs a script in other processes, on the simulator and on a GPU.

This module needs torch.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from triton_workshop.checking import children
from triton_workshop.checking.children import Forks, PreparedProcess
from triton_workshop.checking.diagnosing import tries
from triton_workshop.checking.diagnosing.limits import Limit
from triton_workshop.checking.diagnosing.recognise import Diagnosis
from triton_workshop.checking.diagnosing.search import send_diagnosis, send_limits, send_other_size
from triton_workshop.checking.diagnosing.tile_sizes import OtherSize
from triton_workshop.checking.full_size import judge_on_the_gpu
from triton_workshop.checking.in_process_runner import PICTURE_SECONDS
from triton_workshop.checking.judging import unfinished
from triton_workshop.checking.judging.judge import Judge
from triton_workshop.checking.judging.trial import Trial, judge_cases
from triton_workshop.checking.judging.unfinished import send_filled_todos
from triton_workshop.checking.judging.verdict import TriedTodos
from triton_workshop.checking.observing.child import observe_script
from triton_workshop.checking.observing.counting import Counted, send_counted
from triton_workshop.checking.observing.failure import Failure
from triton_workshop.checking.observing.observe import Observation
from triton_workshop.checking.observing.source import Source
from triton_workshop.exercises.cases import Case
from triton_workshop.processes.call import Call, EndedError, Function, TimeIsUpError, TimeLimit


@dataclass(frozen=True)
class SubprocessRunner:
    """Runs a script on the simulator in other processes.

    `limit_seconds` are for all cases together.
    """

    source: Source
    host: Forks | PreparedProcess
    limit_seconds: float

    def observe(self, cases: Sequence[Case], later: Sequence[Case] = ()) -> Generator[object, None, None]:
        return self._observe(cases, later, self.limit_seconds)

    def observe_picture(self, case: Case) -> object:
        with closing(self._observe((case,), (), PICTURE_SECONDS)) as observations:
            return next(observations, None)

    def count(self) -> Counted | None:
        limit = TimeLimit(self.limit_seconds, self.source.file)
        with self.host.call(send_counted, self.source, limit=limit) as counting:
            counted = next(observations(counting), None)
        return counted if isinstance(counted, Counted) else Counted(_observation(counted))

    def diagnoses(self, case: Case, _trial: Trial) -> Iterator[Diagnosis]:
        if self.host.is_unchanged_by(self.source):
            yield from self._diagnoses_in(self.host, case)
            return
        # What the script has changed in its process would mislead the search.
        with children.start_prepared(self.host.output) as process:
            yield from self._diagnoses_in(PreparedProcess(process, self.host.output), case)

    def find_limits(self) -> list[Limit]:
        """Find limits, wherever `find_other_size` would look, too."""
        results = self._search_further(send_limits)
        return [result for result in results if isinstance(result, Limit)]

    def find_other_size(self) -> OtherSize | None:
        """Find a tile size that the script depends on.

        If that took another process where none can be forked, it is left out: it is no part of the verdict.
        """
        results = self._search_further(send_other_size)
        last = results[-1] if results else None
        return last if isinstance(last, OtherSize) else None

    def try_todos(self) -> TriedTodos:
        """Try the TODOs that are filled in while others are open."""
        results = _search(self.host, send_filled_todos, self.source, seconds=unfinished.longest_seconds())
        last = results[-1] if results else None
        return last if isinstance(last, TriedTodos) else TriedTodos()

    def _search_further(self, function: Function) -> list[object]:
        return _search(self.host, function, self.source) if self.host.is_unchanged_by(self.source) else []

    def _diagnoses_in(self, host: Forks | PreparedProcess, case: Case) -> Iterator[Diagnosis]:
        for result in _results(host, send_diagnosis, self.source, case.name):
            if isinstance(result, Diagnosis):
                yield result

    def _observe(self, cases: Sequence[Case], later: Sequence[Case], seconds: float) -> Generator[object, None, None]:
        # A fork may be ahead of what is judged. Another process may not, as there may be more to ask of it.
        ahead = cases if self.host.runs_ahead else ()
        with self.host.call(observe_script, self.source, limit=TimeLimit(seconds, self.source.file)) as script:
            results = map(_observation, observations(script))
            try:
                for case in ahead:
                    script.send(case.name)
                yield from islice(results, len(ahead))
                for case in (*cases[len(ahead) :], *later):
                    script.send(case.name)
                    yield from islice(results, 1)
            finally:
                script.send(None)


def _observation(message: object) -> Observation:
    """Return a message, if it is an Observation and not the script's own.

    Otherwise return the Observation of this failure.
    """
    if isinstance(message, Observation):
        return message
    return Observation(failure=Failure("Garbled", "what the script's process sent is no observation of it", None))


def _search(
    host: Forks | PreparedProcess, function: Function, *arguments: object, seconds: float | None = None
) -> list[object]:
    """Return all results of a search, even of one that does not end."""
    return list(_results(host, function, *arguments, seconds=seconds))


def _results(
    host: Forks | PreparedProcess, function: Function, *arguments: object, seconds: float | None = None
) -> Iterator[object]:
    """Yield the results of a search as they come."""
    limit = TimeLimit(tries.longest_seconds() if seconds is None else seconds, Path(tries.TRIED_FILE))
    with host.call(function, *arguments, limit=limit) as searching:
        for result in observations(searching):
            # An Observation is of the process's end; the results before it count all the same.
            if not isinstance(result, Observation):
                yield result


def run_full_size(source: Source, limit_seconds: float, output: int) -> Trial:
    """Run the script at full size on the GPU, and judge it there."""
    limit = TimeLimit(limit_seconds, source.file)
    with children.call_on_the_gpu(judge_on_the_gpu, source, limit_seconds, output=output, limit=limit) as judging:
        outcome = next(observations(judging))
    if isinstance(outcome, Trial):
        return outcome
    return judge_cases(Judge(source, limit_seconds), source.exercise.gpu_cases, [outcome])


def observations(script: Call) -> Iterator[object]:
    """Yield a process's messages, and an Observation of an abnormal end."""
    try:
        yield from script.messages()
    except TimeIsUpError as error:
        script.close()  # it may hold Python's lock, and would do nothing else that is asked of it
        yield Observation(timed_out=True, failure=Failure("Timeout", "", error.line))
    except EndedError as error:
        if error.code < 0:
            failure = Failure("Killed", f"the script's process was {error}", None)
        else:
            failure = Failure("SystemExit", f"the script ended itself, exit status {error.code}", None)
        yield Observation(failure=failure)
