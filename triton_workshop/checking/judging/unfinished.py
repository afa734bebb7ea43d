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
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

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
from triton_workshop.checking.own_errors import dispensable
from triton_workshop.exercises.cases import Case, launcher_args
from triton_workshop.exercises.exercise import todo_lines
from triton_workshop.exercises.grids import case_with_several_programs
from triton_workshop.hints import sentence
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
    with silence_output(), dispensable():
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
        right, kernels = _right_todos(renamed, LIMIT_SECONDS if seconds is None else seconds)
        values = _values_by_todo(completion, renamed.lines_by_todo())
    return TriedTodos(tuple(replace(values[number], right=number in right) for number in completion.filled), kernels)


def _right_todos(completion: Completion, seconds: float) -> tuple[tuple[int, ...], tuple[PickledKernel, ...]]:
    """Return the filled TODOs that are right, and the kernels with them.

    With these TODOs, and the solution's others, every case passes.
    """
    trial = _Trial(completion.whole.source, seconds)
    cases = fit_to_memory(completion.script.exercise).simulated_cases
    right, failing = completion.filled, list[Case]()
    # Each case that fails shows which TODOs cannot all be right. Those that are left have to pass every case.
    while right:
        text = completion.whole.source.text if right == completion.filled else completion.keep_only(right)
        failed = next((case for case in cases if not trial.passes(text, case)), None)
        if failed is None:
            return right, trial.kernels
        failing.append(failed)
        right = ()
        for number in completion.filled:
            text = completion.keep_only((*right, number))
            if all(trial.passes(text, case) for case in failing):
                right = (*right, number)
    return (), ()


class _Trial:
    """Judges variants of a script, each in one case at a time."""

    def __init__(self, source: Source, seconds: float) -> None:
        self._source = source
        self._tries = Tries(source, seconds, slow=math.inf, longest=seconds / 2, compiled=True)
        self.kernels: tuple[PickledKernel, ...] = ()
        """Those of the last script in the cases up to the last one."""

    def passes(self, text: str | None, case: Case) -> bool:
        """Return whether a script is right in a case; false when time is up."""
        if text is None:
            return False
        exercise, source = self._source.exercise, Source(self._source.file, text, self._source.exercise)
        if static_finding(source) is not None:
            return False
        observation = self._tries.observe(text, case)
        if observation is None or observation.failure is not None or observation.timed_out:
            return False
        self.kernels = observation.kernels
        comparison = Comparison(exercise, case.arguments("cpu"), observation)
        return not Judge(source, LIMIT_SECONDS).findings(case.name, comparison)


def _with_our_names(completion: Completion) -> Completion:
    """Return a script with the solution's names for the solution's values.

    The solution's code in open TODOs uses these names.
    """
    solution = replace(completion.script, text=completion.script.exercise.solution)
    todos = todo_lines(solution.text)
    ours: tuple[Step, ...] = ()
    while missing := completion.missing_names():
        ours = ours or _run(solution).steps  # the same in each round
        theirs = _run(completion.launched.source).steps
        names = dict[str, str]()
        for name, todo in missing.items():
            steps = [step for step in ours if step.name == name and todos.get(step.line.number) == todo]
            others = (other for other in completion.own_names() if other not in names)
            same = (other for other in others if any(_is_same(steps[0], step) for step in theirs if step.name == other))
            if steps and (other := next(same, None)):
                names[other] = name
        renamed = complete(rename(completion.script, names)) if names else None
        if renamed is None:
            break
        completion = renamed
    return completion


def _is_same(ours: Step, theirs: Step) -> bool:
    """Return whether two steps have the same values in all programs.

    They have to be of the same iteration.
    """
    one, other = ours.value, theirs.value
    return (
        ours.iteration == theirs.iteration
        and one.shape == other.shape
        and one.arguments == other.arguments
        and np.array_equal(ours.programs, theirs.programs)
        and np.array_equal(_of_all(ours), _of_all(theirs))
    )


def _of_all(step: Step) -> np.ndarray:
    return np.broadcast_to(step.value.data, (len(step.programs), *step.value.shape))


def _values_by_todo(completion: Completion, lines_by_todo: dict[int, frozenset[int]]) -> dict[int, FilledTodo]:
    """Return the filled TODOs with values that they make.

    They are those of one program, and of the first iterations.
    """
    launcher, variant = completion.script.launcher, completion.whole
    run = _run(variant.source)
    error = _own_error(run, variant)
    if not run.finished:  # the solution's code may use other names
        variant = completion.launched
        run = _run(variant.source)
    todos = {}
    for number, lines in lines_by_todo.items():
        is_launchers = any(completion.script.function_at(line) is launcher for line in lines)
        values = {"grid": str(run.grid)} if is_launchers and run.grid else {}
        for step in run.steps_of_sample():
            at = step.step
            is_own = variant.origin(at.line.number) in lines and at.depth == 0
            if is_own and not any(at.iteration) and (at.name or step.pointer):
                values.pop(at.name, None)  # the last value, in its place
                values[at.name] = step_text(step, with_type=False)
        texts = [f"{name} {text}".strip() for name, text in values.items()]
        texts[MAX_VALUES:] = ["…"] if len(texts) > MAX_VALUES else []
        if error is not None and error.line in lines:
            texts = [sentence("todos.stops", error=classify_error(completion.script, error).finding.message)]
        todos[number] = FilledTodo(number, False, ", ".join(texts), run.sample_program, run.case)
    return todos


def _own_error(run: _Run, variant: Variant) -> Failure | None:
    """Return the error that one of the learner's own lines raised, if one did."""
    failure = run.failure
    if failure is None or failure.line is None or failure.type == "NameError":  # the solution's code has other names
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
        """The program whose ids differ most from each other and from 0."""
        programs = itertools.product(*(range(min(size, 3)) for size in self.grid))
        return max(programs, key=lambda ids: (len(set(ids)), sum(map(bool, ids))))

    def steps_of_sample(self) -> list[ProgramStep]:
        """Return the steps of that program."""
        return Steps(self.steps, self.grid).of(self.sample_program)


def _run(source: Source) -> _Run:
    """Run a script in the case that tells most, as far as it goes."""
    case = case_with_several_programs(source.exercise)
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
    if not launches or launches[0].steps is None:
        return _Run(case.name, failure, finished)
    return _Run(case.name, failure, finished, launches[0].grid, launches[0].steps.all)
