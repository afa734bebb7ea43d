"""Trial of an exercise's cases, one after the other, until one fails.

Needs torch; `check.py` does not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from triton_simulator.branches import Branch
from triton_workshop.checking.diagnosing.limits import Bound, Limit, Reached
from triton_workshop.checking.diagnosing.recognise import Diagnosis
from triton_workshop.checking.diagnosing.tile_sizes import OtherSize
from triton_workshop.checking.diagnosing.untested import find_untested_code
from triton_workshop.checking.judging.goals import judged_goals, missed_goal
from triton_workshop.checking.judging.judge import Judge
from triton_workshop.checking.judging.picture import result_pictures
from triton_workshop.checking.judging.remarks import (
    describe_traffic,
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
from triton_workshop.checking.observing.counting import Counted
from triton_workshop.checking.observing.observe import Observation
from triton_workshop.checking.own_errors import suppress_own_errors
from triton_workshop.costs.figures import Figures
from triton_workshop.exercises.cases import Case, to_float64
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.exercises.tolerance import describe_tolerance
from triton_workshop.exercises.workloads import cost_case
from triton_workshop.hints import sentence

if TYPE_CHECKING:
    from triton_simulator.compiler.jobs import PickledKernel

OnCase = Callable[[CaseResult], None]
MANY_PROGRAMS = 1_000
"""More than any case needs, the long ones excepted."""
MAX_PROGRAMS_TRIED = 16
"""Of a fixed grid, along an axis: a long case leaves elements to so few."""


@dataclass(frozen=True)
class Trial:
    """Outcome of the cases so far."""

    cases: tuple[CaseResult, ...] = ()
    findings: tuple[Finding, ...] = ()
    tolerance: str = ""
    traffic: str = ""
    """What the kernels have moved, as a sentence, once all ordinary cases are right."""
    remarks: tuple[str, ...] = ()
    last_call: tuple[Case, Observation] | None = None
    """The last call, which is the only one that may have failed."""
    kernels: tuple[PickledKernel, ...] = ()
    pending_cases: tuple[Case, ...] = ()
    """The long cases, until they have been tried."""
    idle_remarks: tuple[str, ...] = ()
    """The remark that most programs of a fixed grid are idle.

    It is withdrawn if a long case has work for them: a persistent kernel is launched like that.
    """
    has_fixed_axis: bool = False
    """True if a grid has as many programs along an axis in every case."""
    branches: frozenset[Branch] = frozenset()
    """The conditions of the script, with the way that they went."""
    bounded: bool = False
    """True if a larger input is wrong: another tile size says nothing new."""
    is_preliminary: bool = False
    """True while the line of a finding is still looked for."""
    figures: Figures = field(default_factory=dict)
    """What the simulator has counted of a right script's costs."""
    launched: tuple[PickledKernel, ...] = ()
    """The kernels that it has launched meanwhile."""
    times: str = ""
    """Times on a GPU, before the repair and after it, as a sentence."""


class ScriptRunner(Protocol):
    """Runs a script on the simulator: in other processes, or where it stands."""

    def observe(self, cases: Sequence[Case], later: Sequence[Case] = ()) -> Generator[object, None, None]:
        """Observe case after case; those for later, each when it is asked for."""

    def observe_picture(self, case: Case, /) -> object:
        """Observe the case whose result is drawn.

        Return anything but an Observation if it is not to be had.
        """

    def count(self) -> Counted | None:
        """Count what a right script costs; None if that takes too long."""

    def diagnoses(self, case: Case, trial: Trial, /) -> Iterator[Diagnosis]:
        """Look for the mistake that makes a case fail, and yield what is known.

        `trial` is what is known of the case so far.
        """

    def find_limits(self) -> Sequence[Limit]:
        """Look for sizes up to which a right script is right."""

    def find_other_size(self) -> OtherSize | None:
        """Look for a tile size that a right script depends on."""


def trials(
    judge: Judge, runner: ScriptRunner, progress: OnCase = lambda case: None, *, is_slow: bool = False
) -> Iterator[Trial]:
    """Yield what all cases show, then remarks on what none has shown.

    The ordinary cases come first, then the long ones. If a case fails, that is the last, with the mistake that makes it
    fail, and pictures of what it does. Where these take seconds, as `is_slow` says, a failure without a line comes
    first. A line that is known already may become another one.
    """
    outcome = Trial()
    for outcome in case_trials(judge, runner, progress):
        if outcome.findings:
            if is_slow and outcome.findings[0].line is None:
                yield replace(outcome, is_preliminary=True)
            yield from _explained(judge, runner, outcome)
        else:
            yield outcome
    if not outcome.findings:
        yield from further_trials(judge, runner, outcome)


def further_trials(judge: Judge, runner: ScriptRunner, outcome: Trial) -> Iterator[Trial]:
    """Look for what no case has shown of a right script.

    Yield the trial with each new remark.
    """
    # In this order: larger inputs take branches that no case has, and where one is wrong, no other size is tried.
    for look_further in (_with_its_limits, _with_untested_code, _with_another_size):
        previous = outcome
        with suppress_own_errors():
            outcome = look_further(judge, runner, outcome)
        if outcome is not previous:
            yield outcome


def _with_its_limits(judge: Judge, runner: ScriptRunner, outcome: Trial) -> Trial:
    limits = runner.find_limits()
    return with_limits(judge, outcome, limits) if limits else outcome


def _with_untested_code(judge: Judge, _runner: ScriptRunner, outcome: Trial) -> Trial:
    found = list(find_untested_code(judge.source, outcome.branches))
    return replace(outcome, remarks=(*outcome.remarks, remark_on_untested(found))) if found else outcome


def _with_another_size(judge: Judge, runner: ScriptRunner, outcome: Trial) -> Trial:
    found = None if outcome.bounded else runner.find_other_size()
    return outcome if found is None else with_other_size(judge, outcome, found)


def case_trials(judge: Judge, runner: ScriptRunner, progress: OnCase = lambda case: None) -> Iterator[Trial]:
    """Yield what the ordinary cases show, and then the long ones.

    The long ones may take as long as all others.
    """
    exercise = judge.exercise
    if judge.source.fixed_programs() >= MANY_PROGRAMS:
        # Each ordinary case takes seconds then. Whether such a grid is too small, a long case shows in one.
        with closing(runner.observe(exercise.long_cases)) as observations:
            outcome = judge_cases(judge, exercise.long_cases, observations)
        if outcome.findings:
            yield outcome
            return
    with closing(runner.observe(exercise.cases, () if judge.counts else exercise.long_cases)) as observations:
        outcome = judge_cases(judge, exercise.cases, observations, progress)
        if outcome.pending_cases and not judge.counts:
            yield outcome
            outcome = with_long_cases(judge, outcome, observations, progress)
    if outcome.findings:
        yield outcome
        return
    # A prepared process runs one function at a time, so it counts between two observations.
    if judge.counts:
        yield replace(outcome, pending_cases=(*outcome.pending_cases, cost_case(exercise)))
        # Before the long cases, so that the compiler can begin meanwhile.
        outcome = with_costs(judge, outcome, runner.count())
        if outcome.pending_cases:
            yield outcome
            with closing(runner.observe(outcome.pending_cases)) as observations:
                outcome = with_long_cases(judge, outcome, observations, progress)
    if outcome.findings:
        yield outcome
        return
    if outcome.has_fixed_axis:
        outcome = _with_larger_cases(judge, runner, outcome)
    if not outcome.findings:
        outcome = replace(outcome, findings=missed_goal(judge.source, judged_goals(exercise, outcome.figures)))
    yield outcome


def with_costs(judge: Judge, outcome: Trial, counted: Counted | None) -> Trial:
    """Return the outcome of a script that is right so far, with what it costs.

    What is counted has to be right, too.
    """
    if counted is None:
        return outcome
    case = cost_case(judge.exercise)
    found = judge_cases(judge, [case], [counted.observation])
    if found.findings:
        return replace(found, cases=(*outcome.cases, *found.cases), last_call=None)
    return replace(outcome, figures=counted.figures, launched=counted.observation.kernels)


def _explained(judge: Judge, runner: ScriptRunner, outcome: Trial) -> Iterator[Trial]:
    # The picture before the search, which may have to be ended with its process.
    if picture := picture_to_show(judge.exercise, outcome):
        with suppress_own_errors():
            outcome = with_picture(judge.exercise, picture, outcome, runner.observe_picture(picture))
    yield from locate_mistake(judge, outcome, runner)


def judge_cases(
    judge: Judge,
    cases: Sequence[Case],
    observations: Iterable[object],
    progress: OnCase = lambda case: None,
    device: str = "cpu",
) -> Trial:
    """Judge each observation as it comes, until a case fails.

    `device` has the tensors of the observations.
    """
    results: list[CaseResult] = []
    comparison: Comparison | None = None
    grids: list[tuple[int, ...]] = []
    outcome, branches = Trial(), frozenset[Branch]()
    # `cases` first: zip then takes no observation of a case that comes after these.
    for case, observation in zip(cases, observations, strict=False):
        assert isinstance(observation, Observation), "whoever observes sees to it"
        comparison = Comparison(judge.exercise, case.arguments(device), observation)
        findings = judge.findings("" if observation.loading else case.name, comparison)
        # A script that ends while it is loaded has failed in no case.
        if not observation.loading:
            results.append(CaseResult(case.name, passed=not findings))
            progress(results[-1])
        branches |= observation.branches
        last_call, kernels = (case, observation), observation.kernels
        outcome = Trial(tuple(results), findings, last_call=last_call, kernels=kernels, branches=branches)
        if findings:
            break
        grids.append(comparison.grid)
    if comparison is None:
        return outcome
    outcome = replace(outcome, tolerance=describe_tolerance(judge.exercise, comparison.arguments))
    if outcome.findings:
        return outcome
    if case is not judge.exercise.cases[-1]:
        return outcome
    # A grid that grows with the input to a program for each element gets no long case: a million take seconds.
    long_cases = () if _grows_to_elements(comparison, grids) else judge.exercise.long_cases
    outcome = replace(outcome, pending_cases=long_cases, has_fixed_axis=_has_fixed_axis(grids))
    with suppress_own_errors():
        outcome = _with_remarks(judge, outcome, case, comparison, grids)
    return outcome


def _with_remarks(
    judge: Judge, outcome: Trial, case: Case, comparison: Comparison, grids: Sequence[tuple[int, ...]]
) -> Trial:
    """Return the outcome of a script, with remarks.

    The script's ordinary cases are right. `grids` are those of the cases, in order, and `comparison` is that of the
    last one.
    """
    outcome = replace(outcome, traffic=describe_traffic(case.name, comparison))
    idle = remark_on_idle_programs(case.name, comparison.seen)
    remarks_on_case = remarks(judge.source, case.name, comparison)
    has_one_grid = len(grids) > 1 and len(set(grids)) == 1
    is_fixed = has_one_grid and math.prod(comparison.grid) < MANY_PROGRAMS
    if is_fixed:
        return replace(outcome, remarks=remarks_on_case, idle_remarks=idle)
    return replace(outcome, remarks=(*idle, *remarks_on_case))


def _has_fixed_axis(grids: Sequence[tuple[int, ...]]) -> bool:
    """Return whether an axis has the same number of programs in all cases.

    It may be that of the largest case, or that of a persistent kernel, which is right for larger ones, too.
    """
    if len(grids) <= 1:
        return False
    fixed_sizes = [axis[0] for axis in zip(*grids, strict=False) if len(set(axis)) == 1]
    return max(fixed_sizes, default=0) > MAX_PROGRAMS_TRIED


def _grows_to_elements(comparison: Comparison, grids: Sequence[tuple[int, ...]]) -> bool:
    """Return whether a grid has grown to a program for each element.

    It has to have grown since the case before.
    """
    elements, tiles = comparison.expected.numel(), math.prod(comparison.wanted_grid)
    before_last = grids[-2] if len(grids) > 1 else ()
    return math.prod(comparison.grid) >= elements > tiles and comparison.grid != before_last


def with_long_cases(
    judge: Judge, outcome: Trial, observations: Iterable[object], progress: OnCase = lambda case: None
) -> Trial:
    """Return the outcome of a script that is right so far, with long cases.

    What they sum up would say little about the tolerance, and the compiler need not see their sizes.
    """
    total, remaining = replace(outcome, pending_cases=(), idle_remarks=()), iter(observations)
    busy, axes = False, tuple[str, ...]()
    for case in outcome.pending_cases:
        long = judge_cases(judge, [case], remaining, progress)
        total = replace(total, cases=total.cases + long.cases, branches=total.branches | long.branches)
        if long.findings:
            return replace(
                total, findings=long.findings, tolerance=long.tolerance, remarks=(), last_call=long.last_call
            )
        if long.last_call is None:
            continue
        observation = long.last_call[1]
        with suppress_own_errors():
            axes = axes or remark_on_axes(case.name, observation)
            busy = busy or keeps_programs_busy(observation)
            if outcome.last_call and not total.remarks:
                total = replace(total, remarks=remarks_on_growth(case.name, outcome.last_call[1], observation))
    idle_remarks = () if busy else outcome.idle_remarks
    return replace(total, remarks=(*idle_remarks, *total.remarks) or axes)


def _with_larger_cases(judge: Judge, runner: ScriptRunner, outcome: Trial) -> Trial:
    """Return the outcome of a right script, with cases too large for its grid.

    A case that takes too long, or too much memory, shows nothing.
    """
    for case in judge.exercise.larger_cases:
        with closing(runner.observe((case,))) as observations:
            larger = judge_cases(judge, [case], observations)
        if not larger.findings:
            continue
        is_certain = larger.last_call is not None and not larger.last_call[1].is_out_of_reach
        if is_certain:
            return replace(larger, cases=(*outcome.cases, *larger.cases))
    return outcome


def locate_mistake(judge: Judge, outcome: Trial, runner: ScriptRunner) -> Iterator[Trial]:
    """Yield the outcome with its findings where the mistake was made.

    They are on that line if it is found. A preliminary outcome comes first if that takes long.
    """
    case = _case_to_diagnose(judge, outcome)
    if case is None:
        yield outcome
        return
    diagnosis: Diagnosis | None = None
    with suppress_own_errors():
        for diagnosis in runner.diagnoses(case, outcome):
            yield _with_diagnosis(judge, outcome, diagnosis)
    if diagnosis is None or diagnosis.is_preliminary:  # its process has ended before the search
        yield _with_diagnosis(judge, outcome, replace(diagnosis or Diagnosis(), is_preliminary=False))


def _case_to_diagnose(judge: Judge, outcome: Trial) -> Case | None:
    """Return the case that failed, if it can be tried again."""
    if outcome.last_call is None:
        return None
    case, observation = outcome.last_call
    # A larger case takes too long to be tried again, and its missing programs say what is wrong.
    if case in judge.exercise.larger_cases:
        return None
    return case if judge.can_be_diagnosed(observation, outcome.findings[0]) else None


def _with_diagnosis(judge: Judge, outcome: Trial, diagnosis: Diagnosis) -> Trial:
    assert outcome.last_call is not None
    case, observation = outcome.last_call
    with suppress_own_errors():
        judge = replace(judge, diagnosis=diagnosis)
        first, *others = judge.findings(case.name, Comparison(judge.exercise, case.arguments("cpu"), observation))
        # Judging draws none: they were made before the search.
        first = replace(first, pictures=outcome.findings[0].pictures)
        outcome = replace(outcome, findings=(first, *others))
    return replace(outcome, is_preliminary=diagnosis.is_preliminary)


def with_limits(judge: Judge, outcome: Trial, limits: Sequence[Limit]) -> Trial:
    """Return the outcome of a right script, with remarks on its limits."""
    remarked = tuple(
        remark_on_limit(limit, _first_message(judge, limit.case, limit.seen) if isinstance(limit, Bound) else "")
        for limit in limits
        if not isinstance(limit, Reached)
    )
    # Code that larger inputs have run with a right result is not untested.
    branches = outcome.branches.union(*(limit.branches for limit in limits if isinstance(limit, Reached)))
    bounded = any(isinstance(limit, Bound) for limit in limits)
    return replace(outcome, remarks=(*outcome.remarks, *remarked), branches=branches, bounded=bounded)


def _first_message(judge: Judge, name: str, observation: Observation) -> str:
    """Return what is wrong with a case, as part of a sentence."""
    case = judge.exercise.find_case(name)
    findings = judge.findings(name, Comparison(judge.exercise, case.arguments("cpu"), observation))
    # An error of Triton's ends in a full stop.
    return findings[0].message.removesuffix(".") if findings else sentence("remarks.wrong-result")


def with_other_size(judge: Judge, outcome: Trial, size: OtherSize) -> Trial:
    """Return the outcome of a right script, with a remark on its tile size."""
    remark = remark_on_size(size, _first_message(judge, size.case, size.seen))
    return replace(outcome, remarks=(*outcome.remarks, remark))


def picture_to_show(exercise: Exercise, outcome: Trial) -> Case | None:
    """Return the exercise's picture, if only the values are wrong."""
    kinds = [finding.kind for finding in outcome.findings]
    return exercise.picture if kinds == [FindingKind.WRONG_VALUES] else None


def with_picture(exercise: Exercise, picture: Case, outcome: Trial, observation: object) -> Trial:
    """Return the outcome, with pictures of the results in its finding."""
    if not isinstance(observation, Observation):
        return outcome
    if observation.output is None:
        return outcome
    expected = exercise.reference(*to_float64(picture.arguments("cpu")))
    result = observation.output.values
    if result.shape != expected.shape:
        return outcome
    finding = replace(outcome.findings[0], pictures=result_pictures(expected, result))
    return replace(outcome, findings=(finding,))
