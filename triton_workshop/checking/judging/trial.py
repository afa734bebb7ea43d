"""Tries an exercise's cases one after the other, until one fails. Needs torch; `check.py` does not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from triton_workshop.checking.exercises.exercise import Case, Exercise
from triton_workshop.checking.exercises.tolerance import in_words
from triton_workshop.checking.judging.judge import Judge
from triton_workshop.checking.judging.picture import pictures_of
from triton_workshop.checking.judging.verdict import CaseResult, Finding, Kind
from triton_workshop.checking.observing.observe import Observation
from triton_workshop.checking.observing.recognise import Diagnosis

if TYPE_CHECKING:
    from triton_workshop.compiler.jobs import PickledKernel

OnCase = Callable[[CaseResult], None]
Search = Callable[[Case], Diagnosis | None]
"""Looks for the mistake that makes a case fail."""


@dataclass(frozen=True)
class Trial:
    """What the cases have shown."""

    cases: tuple[CaseResult, ...]
    findings: tuple[Finding, ...]
    tolerance: str = ""
    remark: str = ""
    failed: Failed | None = None
    kernels: tuple[PickledKernel, ...] = ()


@dataclass(frozen=True)
class Failed:
    """The call that failed."""

    case: Case
    seen: Observation


def judged(
    judge: Judge,
    cases: tuple[Case, ...],
    observations: Iterable[object],
    progress: OnCase = lambda case: None,
    device: str = "cpu",
) -> Trial:
    """Judge each observation as it comes, on the device that has its tensors, and stop at the first case that fails."""
    results: list[CaseResult] = []
    words, remark = "", ""
    kernels: tuple[PickledKernel, ...] = ()
    for case, seen in zip(cases, observations, strict=False):
        assert isinstance(seen, Observation)
        arguments = case.arguments(device)
        words = in_words(judge.exercise, arguments)
        findings = judge.findings("" if seen.loading else case.name, arguments, seen)
        if not seen.loading:
            results.append(CaseResult(case.name, passed=not findings))
            progress(results[-1])
        if findings:
            return Trial(tuple(results), findings, words, failed=Failed(case, seen))
        remark = judge.remark(case.name, seen)  # the last case is the largest
        kernels = seen.kernels
    return Trial(tuple(results), (), words, remark, kernels=kernels)


def located(judge: Judge, outcome: Trial, search: Search) -> Trial:
    """Return the outcome with its findings on the line where the mistake was made, if `search` finds it."""
    failed = outcome.failed
    if failed is None or not judge.can_be_diagnosed(failed.seen, outcome.findings[0]):
        return outcome
    judge = replace(judge, diagnosis=search(failed.case) or Diagnosis())
    first, *others = judge.findings(failed.case.name, failed.case.arguments("cpu"), failed.seen)
    first = replace(first, pictures=outcome.findings[0].pictures)
    return replace(outcome, findings=(first, *others))


def wants_a_picture(exercise: Exercise, outcome: Trial) -> bool:
    """Whether a look at a whole picture would help: only the values of the result are wrong."""
    kinds = [finding.kind for finding in outcome.findings]
    return exercise.picture is not None and kinds == [Kind.WRONG_VALUES]


def with_picture(exercise: Exercise, outcome: Trial, seen: object) -> Trial:
    """Return the outcome, with pictures of the right and the actual result in its finding."""
    if exercise.picture is None or not isinstance(seen, Observation) or seen.output is None:
        return outcome
    arguments = exercise.picture.arguments("cpu")
    expected = exercise.reference(*(argument.double() for argument in arguments))
    if seen.output.shape != expected.shape:
        return outcome
    finding = replace(outcome.findings[0], pictures=pictures_of(expected, seen.output))
    return replace(outcome, findings=(finding,))
