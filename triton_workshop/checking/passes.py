"""The two passes of a check, each in its own process: on the simulator, and at full size on a GPU. Needs torch."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

from triton_workshop.checking import children
from triton_workshop.checking.diagnosing import tries
from triton_workshop.checking.diagnosing.limits import Limit
from triton_workshop.checking.diagnosing.recognise import Diagnosis
from triton_workshop.checking.diagnosing.search import send_diagnosis, send_limits, send_other_size
from triton_workshop.checking.diagnosing.tile_sizes import OtherSize
from triton_workshop.checking.full_size import judge_on_the_gpu
from triton_workshop.checking.judging.judge import Judge
from triton_workshop.checking.judging.trial import Trial, judged, trials
from triton_workshop.checking.observing.child import observe_script
from triton_workshop.checking.observing.failure import Failure
from triton_workshop.checking.observing.observe import Observation
from triton_workshop.checking.observing.source import Source
from triton_workshop.exercises.cases import Case
from triton_workshop.processes import call
from triton_workshop.processes.call import Call, EndedError, Function, TimeIsUpError, TimeLimit

PICTURE_SECONDS = 5.0
"""Seconds. A picture that takes longer is not worth the wait."""
Ask = Callable[..., AbstractContextManager[Call]]
"""Has another process call a function with these arguments, within a `limit`; at the end, it need not go on."""


@dataclass(frozen=True)
class Simulation:
    """Runs a script on the simulator, in other processes.

    All that it does is in one `children.prepared` process, or without it, in forks of this one, which then is prepared
    itself.
    """

    source: Source
    limit: float
    """Seconds for all cases."""
    output: int
    """The file descriptor for what the script prints."""
    prepared: Call | None

    def trials(self) -> Iterator[Trial]:
        """What the script does there, as far as it is known."""
        return trials(Judge(self.source, self.limit), self)

    def observed(self, cases: Sequence[Case], later: Sequence[Case] = ()) -> Generator[object, None, None]:
        """A fork may be ahead of what is judged. Another process may not, as there may be more to ask of it."""
        return self._observed(cases, later, self.limit)

    def pictured(self, case: Case) -> object:
        with closing(self._observed((case,), (), PICTURE_SECONDS)) as seen:
            return next(seen, None)

    def diagnosis(self, case: Case, _known: Trial) -> Diagnosis | None:
        if self._unchanged:
            return _diagnosed(self._ask, self.source, case)
        with children.prepared(self.output) as another:  # what the script has changed would mislead the search
            return _diagnosed(partial(_asked_of, another), self.source, case)

    def limits(self) -> list[Limit]:
        """Not where `other_size` is not looked for."""
        found = _found(self._ask, send_limits, self.source) if self._unchanged else []
        return [each for each in found if isinstance(each, Limit)]

    def other_size(self) -> OtherSize | None:
        """Not if that took another process where none can be forked: it is no part of the verdict."""
        found = _searched(self._ask, send_other_size, self.source) if self._unchanged else None
        return found if isinstance(found, OtherSize) else None

    @property
    def _ask(self) -> Ask:
        return partial(call.fork, output=self.output) if self.prepared is None else partial(_asked_of, self.prepared)

    @property
    def _unchanged(self) -> bool:
        """Whether the process that is asked is as it was before the script ran in it."""
        return self.prepared is None or (not self.prepared.has_ended() and self.source.keeps_to_itself)

    def _observed(self, cases: Sequence[Case], later: Sequence[Case], limit: float) -> Generator[object, None, None]:
        ahead = cases if self.prepared is None else ()
        with self._ask(observe_script, self.source, limit=TimeLimit(limit, self.source.file)) as script:
            seen = map(_observation, observations(script))
            try:
                for case in ahead:
                    script.send(case.name)
                yield from islice(seen, len(ahead))
                for case in (*cases[len(ahead) :], *later):
                    script.send(case.name)
                    yield from islice(seen, 1)
            finally:
                script.send(None)


def _observation(message: object) -> Observation:
    """What the script's process has sent, unless that is something of the script's own."""
    if isinstance(message, Observation):
        return message
    return Observation(failure=Failure("Garbled", "what the script's process sent is no observation of it", None))


@contextmanager
def _asked_of(script: Call, function: Function, *arguments: object, limit: TimeLimit) -> Iterator[Call]:
    script.ask(function, *arguments, limit=limit)
    yield script


def _diagnosed(ask: Ask, source: Source, case: Case) -> Diagnosis | None:
    diagnosis = _searched(ask, send_diagnosis, source, case.name)
    return diagnosis if isinstance(diagnosis, Diagnosis) else None


def _searched(ask: Ask, search: Function, *arguments: object) -> object:
    """The last that a search has found; None if that is nothing."""
    found = _found(ask, search, *arguments)
    return found[-1] if found else None


def _found(ask: Ask, search: Function, *arguments: object) -> list[object]:
    """All that a search has found, even if one of its tries does not end."""
    with ask(search, *arguments, limit=TimeLimit(tries.longest_seconds(), Path(tries.TRIED_FILE))) as searching:
        found = list(observations(searching))
    return [each for each in found if not isinstance(each, Observation)]


def run_full_size(source: Source, limit: float, output: int) -> Trial:
    """Run the script at full size on the GPU, and judge it there."""
    within = TimeLimit(limit, source.file)
    with children.on_the_gpu(judge_on_the_gpu, source, limit, output=output, limit=within) as judging:
        outcome = next(observations(judging))
    if isinstance(outcome, Trial):
        return outcome
    return judged(Judge(source, limit), source.exercise.gpu_cases, [outcome])


def observations(script: Call) -> Iterator[object]:
    """Yield what a script's process sends, and last an Observation of its end if that was not normal."""
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
