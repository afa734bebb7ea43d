"""The cases of an exercise, one after the other, until one of them fails. Needs torch; `check.py` does not."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial

import torch

from triton_workshop.checking.child import observe_script
from triton_workshop.checking.exercise import Case, Exercise
from triton_workshop.checking.judge import Calls, Judge
from triton_workshop.checking.observe import Observation
from triton_workshop.checking.picture import pictures_of
from triton_workshop.checking.processes import (
    CAN_FORK,
    START,
    Child,
    Forked,
    Started,
    reports,
    start_search,
    start_simulated,
)
from triton_workshop.checking.repair import Culprit
from triton_workshop.checking.source import Source
from triton_workshop.checking.tolerance import in_words
from triton_workshop.checking.verdict import CaseResult, Finding, Kind

PICTURE_LIMIT = 5.0
"""Seconds. A picture that takes longer is not worth the wait."""
Progress = Callable[[CaseResult], None]
Search = Callable[[Case], Culprit | None]
"""Looks for the mistake by which a case fails."""


@dataclass(frozen=True)
class Outcome:
    """What the cases have shown."""

    cases: tuple[CaseResult, ...]
    findings: tuple[Finding, ...]
    tolerance: str = ""
    remark: str = ""
    failed: Failed | None = None


@dataclass(frozen=True)
class Failed:
    """The call that failed, and the arguments of those before it."""

    case: Case
    seen: Observation
    earlier: Calls


def judged(
    judge: Judge, cases: tuple[Case, ...], observations: Iterable[object], progress: Progress | None = None
) -> Outcome:
    """Judge each observation as it comes, and stop at the first case that fails."""
    results: list[CaseResult] = []
    earlier: Calls = ()
    words, remark = "", ""
    for case, seen in zip(cases, observations, strict=False):
        assert isinstance(seen, Observation)
        arguments = case.arguments("cpu")
        words = in_words(judge.exercise, arguments)
        findings = judge.findings("" if seen.loading else case.name, arguments, seen, earlier)
        if not seen.loading:
            results.append(CaseResult(case.name, passed=not findings))
            if progress is not None:
                progress(results[-1])
        if findings:
            return Outcome(tuple(results), findings, words, failed=Failed(case, seen, earlier))
        earlier = (*earlier, arguments)
        remark = judge.remark(case.name, seen)  # the last case is the largest
    return Outcome(tuple(results), (), words, remark)


def located(judge: Judge, outcome: Outcome, search: Search) -> Outcome:
    """The outcome with its findings on the line where the mistake was made, if `search` finds that."""
    failed = outcome.failed
    if failed is None or not judge.can_be_repaired(failed.seen, outcome.findings[0]):
        return outcome
    judge = replace(judge, culprit=search(failed.case))
    first, *others = judge.findings(failed.case.name, failed.case.arguments("cpu"), failed.seen, failed.earlier)
    first = replace(first, pictures=outcome.findings[0].pictures)
    return replace(outcome, findings=(first, *others))


def simulate(
    exercise: Exercise,
    source: Source,
    limit: float,
    output: int,
    *,
    fork: bool,
    started: Callable[[Child], None] | None = None,
) -> Outcome:
    """Run the script in a child on the simulator, and judge here what it does there. `started` is told of the child."""
    if fork:
        # Before anything is computed: threads of OpenMP in this process would hang its forked children.
        torch.set_num_threads(1)
    judge = Judge(exercise, source, limit)
    child, patience = start_simulated(exercise, source, limit, output, fork=fork)
    if started is not None:
        started(child)
    with reports(child, patience) as observations:
        outcome = judged(judge, exercise.cases, observations)
    outcome = located(judge, outcome, partial(_found_by_a_child, exercise, source, fork, started))
    if fork and CAN_FORK and exercise.picture and wants_a_picture(exercise, outcome):
        look = partial(observe_script, exercise, source, (exercise.picture,), limit=PICTURE_LIMIT)
        again = Forked(look, output)
        with reports(again, PICTURE_LIMIT) as observations:
            return with_picture(exercise, outcome, next(iter(observations), None))
    return outcome


def _found_by_a_child(
    exercise: Exercise, source: Source, fork: bool, started: Callable[[Child], None] | None, case: Case
) -> Culprit | None:
    child, patience = start_search(exercise, source, case, fork=fork)
    if started is not None:
        started(child)
    with reports(child, patience) as found:
        culprit = next(iter(found), None)
    return culprit if isinstance(culprit, Culprit) else None


def wants_a_picture(exercise: Exercise, outcome: Outcome) -> bool:
    """Whether a look at a whole picture would help: where all that is wrong is what came out."""
    kinds = [finding.kind for finding in outcome.findings]
    return exercise.picture is not None and kinds == [Kind.WRONG_VALUES]


def with_picture(exercise: Exercise, outcome: Outcome, seen: object) -> Outcome:
    """The outcome, its finding with pictures of what should have come out, and of what did."""
    if exercise.picture is None or not isinstance(seen, Observation) or seen.output is None:
        return outcome
    arguments = exercise.picture.arguments("cpu")
    expected = exercise.reference(*(argument.double() for argument in arguments))
    if seen.output.shape != expected.shape:
        return outcome
    finding = replace(outcome.findings[0], pictures=pictures_of(expected, seen.output))
    return replace(outcome, findings=(finding,))


def run_full_size(
    exercise: Exercise,
    source: Source,
    limit: float,
    output: int,
    *,
    started: Callable[[Child], None] | None = None,
) -> Outcome:
    """Run the script in a child on the GPU, full size."""
    child = Started(exercise, source, limit, output, "cuda")
    if started is not None:
        started(child)
    with reports(child, limit + START) as outcomes:
        for outcome in outcomes:
            if isinstance(outcome, Outcome):
                return outcome
            assert isinstance(outcome, Observation)
            return judged(Judge(exercise, source, limit), exercise.gpu_cases, [outcome])
    raise AssertionError("a child ends with an outcome, or with its death")


def prepare() -> None:
    """Import what a script needs, in this process, so that children start at once. Puts it on the simulator."""
    from triton_workshop.device import use_simulator
    from triton_workshop.import_order import check_triton_mode
    from triton_workshop.simulator import install

    use_simulator()
    check_triton_mode()
    install()
    import triton.language  # noqa: F401  # what every kernel imports


def standard_output() -> int:
    """Where a script's own output goes: a file descriptor."""
    try:
        return sys.stdout.fileno()
    except (OSError, ValueError):
        return os.open(os.devnull, os.O_WRONLY)
