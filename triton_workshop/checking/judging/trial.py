"""Tries an exercise's cases one after the other, until one fails. Needs torch; `check.py` does not."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from triton_simulator.branches import Branch
from triton_workshop.checking.diagnosing.limits import Bound, Limit, Reached
from triton_workshop.checking.diagnosing.recognise import Diagnosis
from triton_workshop.checking.diagnosing.tile_sizes import OtherSize
from triton_workshop.checking.diagnosing.untested import untested
from triton_workshop.checking.judging.judge import Judge
from triton_workshop.checking.judging.picture import pictures_of
from triton_workshop.checking.judging.remarks import (
    keeps_programs_busy,
    remark_on_axes,
    remark_on_idle_programs,
    remark_on_limit,
    remark_on_size,
    remark_on_untested,
    remarks,
    remarks_on_growth,
)
from triton_workshop.checking.judging.verdict import CaseResult, Finding, FindingKind
from triton_workshop.checking.observing.comparison import Comparison
from triton_workshop.checking.observing.observe import Observation
from triton_workshop.checking.own_errors import dispensable
from triton_workshop.exercises.cases import Case, to_float64
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.exercises.tolerance import describe_tolerance

if TYPE_CHECKING:
    from triton_simulator.compiler.jobs import PickledKernel

OnCase = Callable[[CaseResult], None]
MANY_PROGRAMS = 1_000
"""More than any case needs, the long ones excepted."""


@dataclass(frozen=True)
class Trial:
    """What the cases have shown."""

    cases: tuple[CaseResult, ...] = ()
    findings: tuple[Finding, ...] = ()
    tolerance: str = ""
    remarks: tuple[str, ...] = ()
    last: tuple[Case, Observation] | None = None
    """The last call, which is the only one that may have failed."""
    kernels: tuple[PickledKernel, ...] = ()
    to_come: tuple[Case, ...] = ()
    """The long cases, until they have been tried."""
    unless_busy: tuple[str, ...] = ()
    """The remark that most programs of a fixed grid are idle, unless a long case has work for them: a persistent kernel
    is launched like that."""
    branches: frozenset[Branch] = frozenset()
    """Which way the script's conditions went."""
    bounded: bool = False
    """Whether it is wrong with a larger input: then another tile size says nothing new."""


class Runs(Protocol):
    """What runs a script on the simulator: other processes, or the one in which it stands."""

    def observed(self, cases: Sequence[Case], later: Sequence[Case] = ()) -> Generator[object, None, None]:
        """Observe case after case; those for later, each when it is asked for."""

    def pictured(self, case: Case, /) -> object:
        """Observe the case whose result is drawn; anything but an Observation if it is not to be had."""

    def diagnosis(self, case: Case, known: Trial, /) -> Diagnosis | None:
        """Look for the mistake that makes a case fail, of which this is known so far."""

    def limits(self) -> Sequence[Limit]:
        """Look for sizes up to which a right script is right."""

    def other_size(self) -> OtherSize | None:
        """Look for a tile size that a right script depends on."""


def trials(judge: Judge, runs: Runs, progress: OnCase = lambda case: None) -> Iterator[Trial]:
    """What the ordinary cases show, then the long ones, then remarks on what no case has shown.

    If a case fails, that is the last, with the mistake that makes it fail, and pictures of what it does.
    """
    outcome = Trial()
    for outcome in case_trials(judge, runs, progress):
        yield _explained(judge, runs, outcome) if outcome.findings else outcome
    if not outcome.findings:
        yield from further_trials(judge, runs, outcome)


def further_trials(judge: Judge, runs: Runs, outcome: Trial) -> Iterator[Trial]:
    """Look for what no case has shown of a right script, and yield the trial with each new remark."""
    for look_further in (_with_its_limits, _with_untested_code, _with_another_size):
        before = outcome
        with dispensable():
            outcome = look_further(judge, runs, outcome)
        if outcome is not before:
            yield outcome


def _with_its_limits(judge: Judge, runs: Runs, outcome: Trial) -> Trial:
    limits = runs.limits()
    return with_limits(judge, outcome, limits) if limits else outcome


def _with_untested_code(judge: Judge, _runs: Runs, outcome: Trial) -> Trial:
    found = list(untested(judge.source, outcome.branches))
    return replace(outcome, remarks=(*outcome.remarks, remark_on_untested(found))) if found else outcome


def _with_another_size(judge: Judge, runs: Runs, outcome: Trial) -> Trial:
    found = None if outcome.bounded else runs.other_size()
    return outcome if found is None else with_other_size(judge, outcome, found)


def case_trials(judge: Judge, runs: Runs, progress: OnCase = lambda case: None) -> Iterator[Trial]:
    """What the ordinary cases show, and then the long ones, which may take as long as all others."""
    exercise = judge.exercise
    if judge.source.fixed_programs() >= MANY_PROGRAMS:
        # Each ordinary case takes seconds then. Whether such a grid is too small, a long case shows in one.
        with closing(runs.observed(exercise.long_cases)) as seen:
            outcome = judged(judge, exercise.long_cases, seen)
        if outcome.findings:
            yield outcome
            return
    with closing(runs.observed(exercise.cases, exercise.long_cases)) as seen:
        outcome = judged(judge, exercise.cases, seen, progress)
        if outcome.to_come:
            yield outcome
            outcome = with_long_cases(judge, outcome, seen, progress)
    yield outcome


def _explained(judge: Judge, runs: Runs, outcome: Trial) -> Trial:
    # The picture before the search, which may have to be ended with its process.
    if picture := wanted_picture(judge.exercise, outcome):
        with dispensable():
            outcome = with_picture(judge.exercise, picture, outcome, runs.pictured(picture))
    return located(judge, outcome, runs)


def judged(
    judge: Judge,
    cases: Sequence[Case],
    observations: Iterable[object],
    progress: OnCase = lambda case: None,
    device: str = "cpu",
) -> Trial:
    """Judge each observation as it comes, on the device that has its tensors, and stop at the first case that fails."""
    results: list[CaseResult] = []
    comparison, grids = None, [tuple[int, ...]()]
    outcome, branches = Trial(), frozenset[Branch]()
    for case, seen in zip(cases, observations, strict=False):
        assert isinstance(seen, Observation), "whoever observes sees to it"
        grids += [comparison.grid] if comparison else []
        comparison = Comparison(judge.exercise, case.arguments(device), seen)
        findings = judge.findings("" if seen.loading else case.name, comparison)
        if not seen.loading:
            results.append(CaseResult(case.name, passed=not findings))
            progress(results[-1])
        branches |= seen.branches
        outcome = Trial(tuple(results), findings, last=(case, seen), kernels=seen.kernels, branches=branches)
        if findings:
            break
    if comparison is None:
        return outcome
    outcome = replace(outcome, tolerance=describe_tolerance(judge.exercise, comparison.arguments))
    if outcome.findings or case is not judge.exercise.cases[-1]:
        return outcome
    # A grid that grows with the input to a program for each element gets no long case: a million take seconds.
    elements, tiles = comparison.expected.numel(), math.prod(comparison.wanted_grid)
    many = math.prod(comparison.grid) >= elements > tiles and comparison.grid != grids[-1]
    fixed = set(grids[1:]) == {comparison.grid} and math.prod(comparison.grid) < MANY_PROGRAMS
    idle, remarked = remark_on_idle_programs(case.name, comparison.seen), remarks(judge.source, case.name, comparison)
    known = replace(outcome, to_come=() if many else judge.exercise.long_cases)
    return replace(known, remarks=remarked, unless_busy=idle) if fixed else replace(known, remarks=(*idle, *remarked))


def with_long_cases(
    judge: Judge, outcome: Trial, observations: Iterable[object], progress: OnCase = lambda case: None
) -> Trial:
    """Return the outcome of a script that is right so far, with its long cases.

    What they sum up would say little about the tolerance, and the compiler need not see their sizes.
    """
    known, coming = replace(outcome, to_come=(), unless_busy=()), iter(observations)
    busy, axes = False, tuple[str, ...]()
    for case in outcome.to_come:
        long = judged(judge, [case], coming, progress)
        known = replace(known, cases=known.cases + long.cases, branches=known.branches | long.branches)
        if long.findings:
            return replace(known, findings=long.findings, tolerance=long.tolerance, remarks=(), last=long.last)
        axes = axes or (remark_on_axes(case.name, long.last[1]) if long.last else ())
        busy = busy or (long.last is not None and keeps_programs_busy(long.last[1]))
        if not known.remarks and outcome.last and long.last:
            known = replace(known, remarks=remarks_on_growth(case.name, outcome.last[1], long.last[1]))
    unless_busy = () if busy else outcome.unless_busy
    return replace(known, remarks=(*unless_busy, *known.remarks) or axes)


def located(judge: Judge, outcome: Trial, runs: Runs) -> Trial:
    """Return the outcome with its findings on the line where the mistake was made, if that is found."""
    if outcome.last is None or not outcome.findings:
        return outcome
    case, seen = outcome.last
    if not judge.can_be_diagnosed(seen, outcome.findings[0]):
        return outcome
    with dispensable():
        judge = replace(judge, diagnosis=runs.diagnosis(case, outcome) or Diagnosis())
        first, *others = judge.findings(case.name, Comparison(judge.exercise, case.arguments("cpu"), seen))
        first = replace(first, pictures=outcome.findings[0].pictures)
        return replace(outcome, findings=(first, *others))
    return outcome


def with_limits(judge: Judge, outcome: Trial, found: Sequence[Limit]) -> Trial:
    """Return the outcome of a right script, with a remark on each limit that it has."""
    remarked = tuple(
        remark_on_limit(limit, _what_is_wrong(judge, limit.case, limit.seen) if isinstance(limit, Bound) else "")
        for limit in found
        if not isinstance(limit, Reached)
    )
    branches = outcome.branches.union(*(limit.branches for limit in found if isinstance(limit, Reached)))
    bounded = any(isinstance(limit, Bound) for limit in found)
    return replace(outcome, remarks=(*outcome.remarks, *remarked), branches=branches, bounded=bounded)


def _what_is_wrong(judge: Judge, name: str, seen: Observation) -> str:
    case = judge.exercise.find_case(name)
    findings = judge.findings(name, Comparison(judge.exercise, case.arguments("cpu"), seen))
    return findings[0].message if findings else "the result is wrong"


def with_other_size(judge: Judge, outcome: Trial, found: OtherSize) -> Trial:
    """Return the outcome of a right script, with a remark on the tile size that it depends on."""
    remark = remark_on_size(found, _what_is_wrong(judge, found.case, found.seen))
    return replace(outcome, remarks=(*outcome.remarks, remark))


def wanted_picture(exercise: Exercise, outcome: Trial) -> Case | None:
    """The picture to look at, if the exercise has one and only the values of the result are wrong."""
    return exercise.picture if [finding.kind for finding in outcome.findings] == [FindingKind.WRONG_VALUES] else None


def with_picture(exercise: Exercise, picture: Case, outcome: Trial, seen: object) -> Trial:
    """Return the outcome, with pictures of the right and the actual result in its finding."""
    if not isinstance(seen, Observation) or seen.output is None:
        return outcome
    expected = exercise.reference(*to_float64(picture.arguments("cpu")))
    if seen.output.shape != expected.shape:
        return outcome
    finding = replace(outcome.findings[0], pictures=pictures_of(expected, seen.output))
    return replace(outcome, findings=(finding,))
