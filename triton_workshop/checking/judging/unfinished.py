"""What is known of TODOs that are filled in, while others are open.

Needs torch.

The solution's code takes the place of each `...`. If that script passes every case, what the learner has filled in is
right; else the solution's code takes the place of what does not. No value of a first case shows as much.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

import numpy as np

from triton_simulator import record
from triton_simulator.steps.steps import ProgramStep, Step, Steps
from triton_simulator.steps.text import step_text
from triton_workshop.checking.diagnosing.completion import Completion, Variant, complete, rename
from triton_workshop.checking.diagnosing.search import silence_output
from triton_workshop.checking.diagnosing.tries import TRIED_FILE, TakesTooLong, Tries, limit_time
from triton_workshop.checking.judging.classify_error import classify_error
from triton_workshop.checking.judging.judge import Judge
from triton_workshop.checking.judging.statics import static_finding
from triton_workshop.checking.judging.verdict import FilledTodo, TriedTodos
from triton_workshop.checking.large_cases import fit_to_memory
from triton_workshop.checking.observing.child import load, prepare
from triton_workshop.checking.observing.comparison import Comparison
from triton_workshop.checking.observing.failure import Failure, failure_of
from triton_workshop.checking.observing.source import Source
from triton_workshop.checking.own_errors import suppress_own_errors
from triton_workshop.exercises.cases import Case, launcher_args
from triton_workshop.exercises.exercise import todo_lines
from triton_workshop.exercises.grids import case_with_several_programs
from triton_workshop.processes.signal_scope import confine_signals
from triton_workshop.processes.wire import Connection

if TYPE_CHECKING:
    from triton_simulator.compiler.jobs import PickledKernel

LIMIT_SECONDS = 20.0
"""Processor time for all variants of a script together."""

VALUES_SECONDS = 3.0
"""Processor time for a run whose values are shown."""
MAX_VALUES = 4
"""Values of a TODO that are shown."""


def longest_seconds() -> float:
    """Return the time after which a script is taken for endless.

    Machines are busy, and nobody waits: what the script's text shows has been said.
    """
    return 2 * LIMIT_SECONDS


def send_filled_todos(connection: Connection, source: Source) -> None:
    """Send what is known of the TODOs that are filled in."""
    prepare()
    confine_signals()
    with silence_output(), suppress_own_errors():
        connection.send(try_todos(source))


def try_todos(source: Source, seconds: float | None = None) -> TriedTodos:
    """Try the TODOs that are filled in.

    What the script prints is thrown away.
    """
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        completion = complete(source)
        if completion is None:
            return TriedTodos()
        renamed = _with_our_names(completion)
        tried = _find_right_todos(renamed.completion, LIMIT_SECONDS if seconds is None else seconds)
        todos = _with_values(completion, renamed, tried)
    return TriedTodos(todos, tried.kernels)


@dataclass(frozen=True)
class _Failure:
    """Why a TODO is not right, as far as it is known."""

    variant: Variant
    """With the solution's code in all TODOs but this one and those that are right."""
    case: Case
    program: tuple[int, ...]
    """The program that a finding names; empty if none does."""


@dataclass(frozen=True)
class _Tried:
    """The TODOs that are right, and the kernels with them.

    With these TODOs, and the solution's others, every case passes.
    """

    right: tuple[int, ...] = ()
    kernels: tuple[PickledKernel, ...] = ()
    failures: Mapping[int, _Failure] = field(default_factory=dict)


def _find_right_todos(completion: Completion, seconds: float) -> _Tried:
    """Find the filled TODOs that are right.

    Of the others, find a case in which each fails.
    """
    trial = _Trial(completion.whole.source, seconds)
    cases = fit_to_memory(completion.script.exercise).simulated_cases
    right, failing, failures = completion.filled, list[Case](), dict[int, _Failure]()
    # Each case that fails shows which TODOs cannot all be right. Those that are left have to pass every case.
    while right:
        variant = completion.whole if right == completion.filled else completion.keep_only(right)
        failed = next((case for case in cases if not trial.passes(variant, case)), None)
        if failed is None:
            return _Tried(right, trial.kernels, failures)
        failing.append(failed)
        right = ()
        # Each beside those that are right so far: of two that only fail together, one stays.
        for number in completion.filled:
            variant = completion.keep_only((*right, number))
            failed = next((case for case in failing if not trial.passes(variant, case)), None)
            if failed is None:
                right = (*right, number)
            elif variant is not None:
                failures[number] = _Failure(variant, failed, trial.program)
    return _Tried(failures=failures)


class _Trial:
    """Judges variants of a script, each in one case at a time."""

    def __init__(self, source: Source, seconds: float) -> None:
        self._source = source
        self._tries = Tries(source, seconds, slow=math.inf, longest=seconds / 2, compiled=True)
        self.kernels: tuple[PickledKernel, ...] = ()
        """Those of the last script in the cases up to the last one."""
        self.program: tuple[int, ...] = ()
        """The program that the last finding names, if it names one."""

    def passes(self, variant: Variant | None, case: Case) -> bool:
        """Return whether a script is right in a case; false when time is up."""
        self.program = ()
        if variant is None:
            return False
        source = replace(variant.source, file=self._source.file)
        if static_finding(source) is not None:
            return False
        observation = self._tries.observe(source.text, case)
        if observation is None:
            return False
        if observation.timed_out or observation.failure is not None:
            return False
        self.kernels = observation.kernels
        comparison = Comparison(source.exercise, case.arguments("cpu"), observation)
        findings = Judge(source, LIMIT_SECONDS).findings(case.name, comparison)
        self.program = findings[0].program if findings else ()
        return not findings


@dataclass(frozen=True)
class _Renamed:
    """A script with the solution's names for the solution's values."""

    completion: Completion
    learner_names: Mapping[str, str] = field(default_factory=dict)
    """The learner's name of each that was renamed."""


def _with_our_names(completion: Completion) -> _Renamed:
    """Return a script with the solution's names for the solution's values.

    The solution's code in open TODOs uses these names.
    """
    solution = replace(completion.script, text=completion.script.exercise.solution)
    todos = todo_lines(solution.text)
    ours: tuple[Step, ...] = ()
    learner_names = dict[str, str]()
    # In rounds: with some names put right, more of the script runs, and shows values of other names.
    while missing := completion.missing_names():
        ours = ours or _run(solution).steps  # the same in each round
        theirs = _steps_without_errors(completion)
        names = dict[str, str]()
        for name, todo in missing.items():
            namesakes = [step for step in ours if step.name == name]
            steps = [step for step in namesakes if todos.get(step.line.number) == todo]
            if not steps:
                continue
            candidates = (candidate for candidate in completion.own_names() if candidate not in names)
            same = (
                candidate
                for candidate in candidates
                if any(_is_same(steps[0], step) for step in theirs if step.name == candidate)
            )
            if counterpart := next(same, None):
                names[counterpart] = name
        names = names or _names_by_order(completion)
        renamed = complete(rename(completion.script, names)) if names else None
        if renamed is None:
            break
        completion = renamed
        learner_names |= {new: old for old, new in names.items()}
    return _Renamed(completion, learner_names)


def _names_by_order(completion: Completion) -> dict[str, str]:
    """Return the solution's name for names of TODOs whose values are wrong.

    Such a TODO has to make as many names. A wrong guess makes no wrong script right.
    """
    missing, learner_defined = completion.missing_names(), completion.own_names()
    names = dict[str, str]()
    for number, lines in completion.lines_by_todo().items():
        theirs = [name for name in completion.names_of(lines) if name in learner_defined]
        ours = [name for name, todo in missing.items() if todo == number]
        names |= dict(zip(theirs, ours, strict=True)) if len(theirs) == len(ours) else {}
    return names


def _steps_without_errors(completion: Completion) -> tuple[Step, ...]:
    """Return the steps of what the learner has filled in.

    Where a line raises, the solution's code takes the place of its TODO, so that the lines after it run as well.
    """
    steps, filled = _run(completion.launched.source).steps, frozenset(completion.filled)
    lines_by_todo = completion.lines_by_todo()
    variant: Variant | None = completion.whole
    while variant is not None and filled:
        run = _run(variant.source)
        steps += run.steps
        failing_line = run.failure.line if run.failure else None
        line = variant.origin(failing_line) if failing_line else None
        raising = {number for number in filled if line in lines_by_todo[number]}
        filled -= raising
        # Without an error, or with one on another line, there is no TODO to leave out.
        variant = completion.keep_only(filled) if raising else None
    return steps


def _is_same(ours: Step, theirs: Step) -> bool:
    """Return whether two steps of an iteration have the same values.

    Programs that have not come so far, as another one has raised an error, do not count.
    """
    value, counterpart = ours.value, theirs.value
    return (
        ours.iteration == theirs.iteration
        and value.shape == counterpart.shape
        # The data of pointers are indices, which say nothing without their argument.
        and value.arguments == counterpart.arguments
        and bool(np.isin(theirs.programs, ours.programs).all())
        and not _differences(ours, theirs).any()
    )


def _differences(ours: Step, theirs: Step) -> np.ndarray:
    """Return which elements differ, for all programs of the second step.

    What a mask leaves undefined is NaN in both, and no difference.
    """
    one, other = (np.broadcast_to(step.value.data, (len(step.programs), *step.value.shape)) for step in (ours, theirs))
    one = one[np.isin(ours.programs, theirs.programs)]
    # Only NaN is not equal to itself.
    differences: np.ndarray = (one != other) & ((one == one) | (other == other))
    return differences


def _with_values(completion: Completion, renamed: _Renamed, tried: _Tried) -> tuple[FilledTodo, ...]:
    """Return the filled TODOs with values that they make.

    Those of a TODO that is not right come from a case that fails, and from a program in which they are not the
    solution's.
    """
    lines_by_todo = renamed.completion.lines_by_todo()
    run = _run(completion.whole.source)
    error = _learner_error(run, completion.whole)
    variant = completion.whole
    if not run.finished:  # the solution's code may use other names
        variant = completion.launched
        run = _run(variant.source)
    todos = []
    for number in completion.filled:
        lines, failure = lines_by_todo[number], tried.failures.get(number)
        todo = _filled_todo(number, _TodoSteps(run, variant, lines))
        if failure is not None and not _is_on(error, lines):
            # That variant has the solution's names: the learner's are put back.
            todo_steps = _TodoSteps(
                _run(failure.variant.source, failure.case), failure.variant, lines, renamed.learner_names
            )
            stops = _learner_error(todo_steps.run, failure.variant)
            if _is_on(stops, lines):
                error = stops
            # The variant may stop before these lines; the first run's values are better than none.
            if todo_steps.texts():
                todo = _filled_todo(number, todo_steps, *_difference(completion.script, failure, todo_steps))
        if _is_on(error, lines):
            finding = classify_error(completion.script, error).finding
            todo = replace(todo, values="", error=finding.message, error_hints=finding.hints, line=error.line)
        todos.append(replace(todo, right=number in tried.right))
    return tuple(todos)


def _is_on(error: Failure | None, lines: frozenset[int]) -> TypeGuard[Failure]:
    """Return whether there is an error, on one of these lines."""
    return error is not None and error.line in lines


@dataclass(frozen=True)
class _TodoSteps:
    """What the lines of a TODO did in a run."""

    run: _Run
    variant: Variant
    lines: frozenset[int]
    learner_names: Mapping[str, str] = field(default_factory=dict)

    def steps(self) -> list[Step]:
        """Return the steps of all programs."""
        return [step for step in self.run.steps if self._belongs(step)]

    def texts(self, program: tuple[int, ...] | None = None, first: str = "") -> list[str]:
        """Return values of a program, of the first iterations.

        That of the name `first` comes first.
        """
        run, launcher = self.run, self.variant.source.launcher
        # Only kernels have steps: of a launcher's TODO, the grid is shown.
        is_launchers = any(
            self.variant.source.function_at(line) is launcher
            for line, origin in enumerate(self.variant.origins, 1)
            if origin in self.lines
        )
        has_grid = is_launchers and bool(run.grid)
        values = {"grid": str(run.grid)} if has_grid else {}
        program = program or run.sample_program
        for step in filter(self._is_shown, run.steps_of(program)):
            name = step.step.name
            values.pop(name, None)  # the last value, in its place
            values[name] = step_text(step, with_type=False)
        names = sorted(values, key=lambda name: name != first) if first else values
        texts = [f"{self.learner_names.get(name, name)} {values[name]}".strip() for name in names]
        texts[MAX_VALUES:] = ["…"] if len(texts) > MAX_VALUES else []
        return texts

    def _is_shown(self, step: ProgramStep) -> bool:
        """Return whether a step has a name or a pointer, in a first iteration."""
        if not self._belongs(step.step):
            return False
        if any(step.step.iteration):
            return False
        return bool(step.step.name or step.pointer)

    def _belongs(self, step: Step) -> bool:
        return self.variant.origin(step.line.number) in self.lines and step.depth == 0


def _filled_todo(
    number: int, todo_steps: _TodoSteps, program: tuple[int, ...] | None = None, name: str = "", line: int | None = None
) -> FilledTodo:
    program = program or todo_steps.run.sample_program
    if line is None:
        origins = (todo_steps.variant.origin(step.line.number) for step in todo_steps.steps())
        line = max((at for at in origins if at is not None), default=None)
    return FilledTodo(number, False, ", ".join(todo_steps.texts(program, name)), program, todo_steps.run.case, line)


def _difference(
    script: Source, failure: _Failure, todo_steps: _TodoSteps
) -> tuple[tuple[int, ...] | None, str, int | None]:
    """Return program, name and line of the first value that differs.

    It differs from the solution's. Where that is not known, it is the program that the finding names.
    """
    ours = _run(replace(script, text=script.exercise.solution), failure.case).steps
    # Only the kernel's own names: people divide it into functions as they like.
    outer = [step for step in ours if step.depth == 0]
    counterparts = {(step.name, step.iteration): step for step in outer if step.name}
    for step in todo_steps.steps():
        counterpart = counterparts.get((step.name, step.iteration))
        if counterpart is None or _is_same(counterpart, step):
            continue
        line = todo_steps.variant.origin(step.line.number)
        return _program_of_difference(counterpart, step, todo_steps.run.grid), step.name, line
    named = failure.program[: len(todo_steps.run.grid)]
    # A finding may name a program that is missing because the grid is too small.
    exists = len(named) == len(todo_steps.run.grid) and all(map(int.__lt__, named, todo_steps.run.grid))
    is_program = bool(named) and exists
    return named if is_program else None, "", None


def _program_of_difference(ours: Step, theirs: Step, grid: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the first program in which two steps have other values."""
    if ours.value.shape != theirs.value.shape:
        return None
    if not np.isin(theirs.programs, ours.programs).all():
        return None
    differs = _differences(ours, theirs).reshape(len(theirs.programs), -1).any(axis=1)
    if not differs.any():
        return None
    return tuple(int(index) for index in np.unravel_index(int(theirs.programs[differs.argmax()]), grid))


def _learner_error(run: _Run, variant: Variant) -> Failure | None:
    """Return the error that one of the learner's own lines raised, if one did."""
    failure = run.failure
    if failure is None or failure.line is None:
        return None
    if failure.type == "NameError":  # the solution's code has other names
        return None
    line = variant.origin(failure.line)
    return None if line is None else replace(failure, line=line)


@dataclass(frozen=True)
class _Run:
    """What a script's first launch made."""

    case: str
    failure: Failure | None = None
    finished: bool = False
    grid: tuple[int, ...] = ()
    steps: tuple[Step, ...] = ()

    @property
    def sample_program(self) -> tuple[int, ...]:
        """The program whose ids differ most from each other and from 0.

        It is empty in a grid without programs.
        """
        programs = itertools.product(*(range(min(size, 3)) for size in self.grid))
        return max(programs, key=lambda ids: (len(set(ids)), sum(map(bool, ids))), default=())

    def steps_of(self, program: tuple[int, ...]) -> list[ProgramStep]:
        """Return the steps of a program, if the grid has any."""
        return Steps(self.steps, self.grid).of(program) if all(self.grid) else []


def _run(source: Source, case: Case | None = None) -> _Run:
    """Run a script in a case, as far as it goes.

    By default, it is the case that tells most.
    """
    case = case or case_with_several_programs(source.exercise)
    file, failure, finished = Path(f"values-{TRIED_FILE}").resolve(), None, False
    with (
        record(steps=True, strict_views=True) as launches,
        contextlib.suppress(SystemExit, TakesTooLong),
        limit_time(VALUES_SECONDS),
    ):
        try:
            launcher = load(replace(source, file=file))
            launcher(*launcher_args(case.arguments("cpu")))
            finished = True
        except Exception as error:
            failure = failure_of(error, file)
    steps = launches[0].steps if launches else None
    if steps is None:
        return _Run(case.name, failure, finished)
    return _Run(case.name, failure, finished, launches[0].grid, steps.all)
