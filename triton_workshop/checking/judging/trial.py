"""Tries an exercise's cases one after the other, until one fails. Needs torch; `check.py` does not."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from triton_workshop.checking.exercises.exercise import Case, Exercise
from triton_workshop.checking.exercises.tolerance import in_words
from triton_workshop.checking.judging.judge import Judge
from triton_workshop.checking.judging.picture import pictures_of
from triton_workshop.checking.judging.remarks import remark_on_size, remarks, remarks_on_growth
from triton_workshop.checking.judging.verdict import CaseResult, Finding, Kind
from triton_workshop.checking.observing.comparison import compare
from triton_workshop.checking.observing.observe import Observation
from triton_workshop.checking.observing.recognise import Diagnosis
from triton_workshop.checking.observing.tile_sizes import OtherSize

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
    remarks: tuple[str, ...] = ()
    failed: tuple[Case, Observation] | None = None
    """The call that failed."""
    kernels: tuple[PickledKernel, ...] = ()


def judged(
    judge: Judge,
    cases: tuple[Case, ...],
    observations: Iterable[object],
    progress: OnCase = lambda case: None,
    device: str = "cpu",
) -> Trial:
    """Judge each observation as it comes, on the device that has its tensors, and stop at the first case that fails.

    A grid that grows with the input to a program for each element gets no long case: a million programs take seconds.
    """
    results: list[CaseResult] = []
    words, remarked = "", tuple[str, ...]()
    kernels: tuple[PickledKernel, ...] = ()
    many, grids, coming, ordinary = False, [tuple[int, ...]()], iter(observations), Observation()
    for case in cases:
        if many and case in judge.exercise.long_cases:
            continue
        seen = next(coming, None)
        if seen is None:
            break
        assert isinstance(seen, Observation)
        arguments = case.arguments(device)
        findings = judge.findings("" if seen.loading else case.name, arguments, seen)
        if not seen.loading:
            results.append(CaseResult(case.name, passed=not findings))
            progress(results[-1])
        if findings or case not in judge.exercise.long_cases:  # what those sum up would say little
            words = in_words(judge.exercise, arguments)
        if findings:
            return Trial(tuple(results), findings, words, failed=(case, seen))
        if case is judge.exercise.cases[-1]:
            comparison = compare(judge.exercise, arguments, seen)
            remarked = remarks(judge.source, case.name, comparison)
            many = math.prod(comparison.grid) >= comparison.expected.numel() and comparison.grid != grids[-1]
            ordinary = seen
        if case in judge.exercise.long_cases and not remarked:
            remarked = remarks_on_growth(case.name, ordinary, seen)
        kernels = seen.kernels
        grids += [launch.grid for launch in seen.launches]
    return Trial(tuple(results), (), words, remarked, kernels=kernels)


def located(judge: Judge, outcome: Trial, search: Search) -> Trial:
    """Return the outcome with its findings on the line where the mistake was made, if `search` finds it."""
    if outcome.failed is None or not judge.can_be_diagnosed(outcome.failed[1], outcome.findings[0]):
        return outcome
    case, seen = outcome.failed
    judge = replace(judge, diagnosis=search(case) or Diagnosis())
    first, *others = judge.findings(case.name, case.arguments("cpu"), seen)
    first = replace(first, pictures=outcome.findings[0].pictures)
    return replace(outcome, findings=(first, *others))


def with_other_size(judge: Judge, outcome: Trial, found: OtherSize | None) -> Trial:
    """Return the outcome of a right script, with a remark on a tile size that it depends on, if one was found."""
    if found is None:
        return outcome
    case = judge.exercise.case_named(found.case)
    findings = judge.findings(case.name, case.arguments("cpu"), found.seen)
    remark = remark_on_size(found, findings[0].message if findings else "the result is wrong")
    return replace(outcome, remarks=(*outcome.remarks, remark))


def wanted_picture(exercise: Exercise, outcome: Trial) -> Case | None:
    """The picture to look at, if the exercise has one and only the values of the result are wrong."""
    return exercise.picture if [finding.kind for finding in outcome.findings] == [Kind.WRONG_VALUES] else None


def with_picture(exercise: Exercise, picture: Case, outcome: Trial, seen: object) -> Trial:
    """Return the outcome, with pictures of the right and the actual result in its finding."""
    expected = exercise.reference(*(argument.double() for argument in picture.arguments("cpu")))
    if not isinstance(seen, Observation) or seen.output is None or seen.output.shape != expected.shape:
        return outcome
    finding = replace(outcome.findings[0], pictures=pictures_of(expected, seen.output))
    return replace(outcome, findings=(finding,))
