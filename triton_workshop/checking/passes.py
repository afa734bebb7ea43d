"""The two passes of a check, each in its own process: on the simulator, and at full size on a GPU. Needs torch."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from functools import partial
from itertools import islice
from pathlib import Path

from triton_workshop.checking import children
from triton_workshop.checking.exercises.exercise import Case
from triton_workshop.checking.full_size import judge_on_the_gpu
from triton_workshop.checking.judging.judge import Judge
from triton_workshop.checking.judging.trial import Trial, judged, located, wanted_picture, with_other_size, with_picture
from triton_workshop.checking.observing import repair
from triton_workshop.checking.observing.child import observe_script, send_diagnosis, send_other_size
from triton_workshop.checking.observing.observe import Failure, Observation
from triton_workshop.checking.observing.recognise import Diagnosis
from triton_workshop.checking.observing.source import Source
from triton_workshop.checking.observing.tile_sizes import OtherSize
from triton_workshop.processes import call
from triton_workshop.processes.call import Call, EndedError, Function, TimeIsUpError, TimeLimit

PICTURE_LIMIT = 5.0
"""Seconds. A picture that takes longer is not worth the wait."""
Ask = Callable[..., AbstractContextManager[Call]]
"""Has another process call a function with these arguments, within a `limit`; at the end, it need not go on."""


def simulate(source: Source, limit: float, output: int, prepared: Call | None) -> Trial:
    """Run the script's cases, and if one fails, look for the mistake, and draw what it does.

    All that is in one `children.prepared` process, or without it, in forks of this one, which then is prepared itself.
    """
    exercise, ask = source.exercise, _ask(output, prepared)
    outcome = run_cases(source, limit, output, prepared)
    # The picture before the search, which may have to be ended with its process.
    if picture := wanted_picture(exercise, outcome):
        with closing(_observed(ask, source, (picture,), PICTURE_LIMIT)) as seen:
            outcome = with_picture(exercise, picture, outcome, next(seen, None))

    def search(case: Case) -> Diagnosis | None:
        if _unchanged(source, prepared):
            return _diagnosed(ask, source, case)
        with children.prepared(output) as another:  # what the script has changed would mislead the search
            return _diagnosed(partial(_asked_of, another), source, case)

    return located(Judge(source, limit), outcome, search)


def run_cases(source: Source, limit: float, output: int, prepared: Call | None) -> Trial:
    """Run the script on the simulator in another process, and judge in this one what it does."""
    cases = source.exercise.simulated_cases
    with closing(_observed(_ask(output, prepared), source, cases, limit)) as seen:
        return judged(Judge(source, limit), cases, seen)


def remark_on_sizes(source: Source, limit: float, output: int, prepared: Call | None, outcome: Trial) -> Trial:
    """Run a right script with other tile sizes, and remark on one that it depends on.

    Not if that took another process where none can be forked: it is no part of the verdict.
    """
    if not _unchanged(source, prepared):
        return outcome
    found = _searched(_ask(output, prepared), send_other_size, source)
    return with_other_size(Judge(source, limit), outcome, found if isinstance(found, OtherSize) else None)


def _ask(output: int, prepared: Call | None) -> Ask:
    return partial(call.fork, output=output) if prepared is None else partial(_asked_of, prepared)


def _unchanged(source: Source, prepared: Call | None) -> bool:
    """Whether the process that is asked is as it was before the script ran in it."""
    return prepared is None or (not prepared.has_ended() and source.keeps_to_itself)


@contextmanager
def _asked_of(script: Call, function: Function, *arguments: object, limit: TimeLimit) -> Iterator[Call]:
    script.ask(function, *arguments, limit=limit)
    yield script


def _observed(ask: Ask, source: Source, cases: Sequence[Case], limit: float) -> Generator[object, None, None]:
    """Observe case after case, each when the one before has been judged: a process that is ahead may not come back."""
    with ask(observe_script, source, limit=TimeLimit(limit, source.file)) as script:
        seen = observations(script)
        try:
            for case in cases:
                script.send(case.name)
                yield from islice(seen, 1)
        finally:
            script.send(None)


def _diagnosed(ask: Ask, source: Source, case: Case) -> Diagnosis | None:
    diagnosis = _searched(ask, send_diagnosis, source, case.name)
    return diagnosis if isinstance(diagnosis, Diagnosis) else None


def _searched(ask: Ask, search: Function, *arguments: object) -> object:
    with ask(search, *arguments, limit=TimeLimit(repair.LIMIT + repair.GRACE, Path(repair.NAME))) as searching:
        return next(observations(searching), None)


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
