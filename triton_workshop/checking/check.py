"""A script in, a verdict out.

What its text alone shows is reported at once. Otherwise the script runs in its own process, on the simulator, and if
there is a GPU, once more at full size. This module does not need torch, which is imported only to run a script.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from triton_simulator.compiler.compilation import READY, Start
from triton_workshop.checking import children
from triton_workshop.checking.children import Forks, PreparedProcess
from triton_workshop.checking.compiling import check_compilation, retract_unconfirmed_todos
from triton_workshop.checking.diagnosing.completion import complete
from triton_workshop.checking.judging.goals import describe_costs, judged_goals
from triton_workshop.checking.judging.statics import checker_failure, static_finding, unreadable_finding
from triton_workshop.checking.judging.verdict import Finding, FindingKind, TriedTodos, Verdict
from triton_workshop.checking.large_cases import fit_to_memory, substitution_notes
from triton_workshop.checking.observing.source import Source
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.exercises.todos import open_todos
from triton_workshop.hints import sentence
from triton_workshop.processes.compilers import new_process

if TYPE_CHECKING:
    from triton_workshop.checking.judging.trial import Trial
    from triton_workshop.processes.wire import Connection

LIMIT_SECONDS = 20.0
"""The time that a script may take, all cases together."""
Host = Forks | PreparedProcess
"""The processes in which a script runs."""


@dataclass(frozen=True)
class CheckRequest:
    """A check to be made."""

    exercise: Exercise
    file: Path
    full_size: bool = False
    """Adds the cases on the GPU."""
    compiler: Start | None = new_process
    """Starts processes for Triton's compiler; None to do without it."""
    limit_seconds: float = LIMIT_SECONDS
    output: int | None = None
    """File descriptor for the script's prints; None for standard output."""
    todos: bool = True
    """Tries the TODOs that are filled in while others are open."""
    costs: bool = False
    """Says what a right script costs, whether it has goals or not."""


def check(request: CheckRequest) -> Verdict:
    """Check a script, and return the last of its `verdicts`."""
    *_, last = verdicts(request)
    return last


def verdicts(request: CheckRequest, host: Host | None = None) -> Iterator[Verdict]:
    """Check a script on the simulator, and if it is right there, further.

    The processes in which it runs have ended when this ends. This process is put on the simulator and stays warm: a
    second check forks at once. `host` is opened for the script unless it is given.
    """
    started = time.perf_counter()
    read = source_or_verdict(request.exercise, request.file.resolve(), started)
    source: Source | None
    if isinstance(read, Verdict):
        yield read
        source = begun_script(read, request.exercise) if request.todos else None
        if source is None:
            return
    else:
        source = read
    limit_seconds, output = request.limit_seconds, request.output
    output = children.standard_output() if output is None else output
    has_ended = isinstance(host, PreparedProcess) and host.process.has_ended()
    if has_ended:  # something killed it while it waited
        host = None
    with children.open_host(output) if host is None else nullcontext(host) as host:
        # Only now, while the script's own process does the same: imports of torch take seconds.
        load()
        from triton_workshop.checking import subprocess_runner
        from triton_workshop.checking.judging.judge import Judge
        from triton_workshop.checking.judging.trial import trials

        runner = subprocess_runner.SubprocessRunner(source, host, limit_seconds)
        if isinstance(read, Verdict):
            yield from with_todos(read, runner.try_todos(), started, request.compiler)
            return
        outcomes = trials(Judge(source, limit_seconds, shows_costs=request.costs), runner)
        full_size = partial(subprocess_runner.run_full_size, source, limit_seconds, output)
        full_size_if_asked = full_size if request.full_size else None
        yield from steps(source, started, outcomes, request.compiler, full_size_if_asked, shows_costs=request.costs)


def load() -> None:
    """Import what judges a script, and put this process on the simulator.

    Ctrl+C meanwhile ends the program at once. An exception would leave numpy or torch half imported, and the script
    would be blamed for it.
    """
    from triton_workshop.startup_interrupts import exit_on_interrupt, raise_on_interrupt

    exit_on_interrupt()
    try:
        from triton_workshop.checking import subprocess_runner  # noqa: F401
        from triton_workshop.checking.observing.child import prepare

        prepare()
    finally:
        raise_on_interrupt()


def steps(
    source: Source,
    started: float,
    trials: Iterable[Trial],
    compiler: Start | None,
    full_size: Callable[[], Trial] | None,
    *,
    shows_costs: bool = False,
) -> Iterator[Verdict]:
    """Yield a verdict whenever more is known, while all is right.

    First come the trials on the simulator, then Triton's compiler, then full size.
    """
    exercise = source.exercise
    try:
        for outcome in trials:
            verdict = verdict_of(exercise, source.file, started, outcome, text=source.text)
            yield verdict
        if not verdict.passed:
            return
        if compiler:
            verdict = check_compilation(verdict, compiler, shows_costs=shows_costs)
            yield verdict
        # The compiler's refusal is a finding too: then there is no need for the GPU.
        if not verdict.passed:
            return
        if shows_costs:
            verdict = replace(verdict, costs=tuple(describe_costs(exercise, verdict.figures)))
            yield verdict
        if full_size:
            both = verdict_of(exercise, source.file, started, outcome, full_size(), text=source.text)
            known = replace(both, compiler=verdict.compiler, goals=verdict.goals)
            yield replace(known, costs=(*verdict.costs, *both.costs))
    except Exception as error:
        yield verdict_of(exercise, source.file, started, findings=(checker_failure(error),), text=source.text)


def serve_check(connection: Connection) -> None:
    """Prepare for a check, say so, and send the verdicts on request."""
    with children.open_host(children.standard_output()) as host:
        from triton_workshop.checking import subprocess_runner  # noqa: F401 (later it would take its time out of the verdict's)
        from triton_workshop.checking.observing.child import prepare, warm_up

        prepare()
        warm_up()
        connection.send(READY)
        try:
            request = connection.receive()
        except EOFError:  # no request will come any more
            return
        assert isinstance(request, CheckRequest)
        for verdict in verdicts(request, host):
            connection.send(verdict)


def source_or_verdict(exercise: Exercise, file: Path, started: float) -> Source | Verdict:
    """Read a script, or return the verdict that its text alone allows."""
    try:
        source = Source.read(file, fit_to_memory(exercise))
    except (OSError, SyntaxError, UnicodeDecodeError, LookupError) as error:
        return verdict_of(exercise, file, started, findings=(unreadable_finding(error),))
    try:
        finding = static_finding(source)
    except Exception as error:  # ours, which must not end the check without a verdict
        finding = checker_failure(error)
    return source if finding is None else verdict_of(exercise, file, started, findings=(finding,), text=source.text)


def begun_script(verdict: Verdict, exercise: Exercise) -> Source | None:
    """Return an unfinished script that the solution's code can complete.

    It can run with that code in its open TODOs. None for any other script, and if no TODO is filled in.
    """
    script = Source(verdict.file, verdict.text, exercise)
    is_unfinished = [finding.kind for finding in verdict.findings] == [FindingKind.UNFINISHED]
    if not is_unfinished:
        return None
    return script if complete(script) else None


def with_todos(verdict: Verdict, tried: TriedTodos, started: float, compiler: Start | None) -> Iterator[Verdict]:
    """Yield the verdict on an unfinished script with its tried TODOs.

    Yield nothing if nothing is known of them.
    """
    if tried.todos:
        verdict = replace(verdict, todos=tried.todos, kernels=tried.kernels, seconds=time.perf_counter() - started)
        verdict = retract_unconfirmed_todos(verdict, compiler) if compiler else verdict
        yield replace(verdict, findings=tuple(map(partial(_with_hints_of_filled, verdict), verdict.findings)))


def _with_hints_of_filled(verdict: Verdict, finding: Finding) -> Finding:
    """Return a finding with the hints of a filled TODO that is not right.

    They come before those of the next open one, and are about its error if it stops at one. Where it makes no values,
    nothing is known of it.
    """
    todo = next((todo for todo in verdict.todos if todo.is_known_wrong), None)
    if todo is None:
        return finding
    if not finding.hints:
        return finding
    following = next(iter(open_todos(verdict.text)))
    hints = EXERCISES[verdict.exercise].todo_hints(todo.number)
    # What is known of its error is more to the point than what the task asks.
    question, *ideas = (*todo.error_hints, *hints[-1:]) if todo.error_hints else hints
    first = sentence("todos.hint-of-filled", number=todo.number, hint=question)
    next_question, *next_ideas = finding.hints
    # Only a script whose open TODOs all have numbers is tried.
    next_question = sentence("todos.hint", number=following.number, hint=next_question)
    return replace(finding, hints=(first, *ideas, next_question, *next_ideas))


def verdict_of(
    exercise: Exercise,
    file: Path,
    started: float,
    *outcomes: Trial,
    findings: tuple[Finding, ...] = (),
    text: str = "",
) -> Verdict:
    """Return the verdict on a script, from its text or from its trials.

    The trials are `outcomes`: the first on the simulator, the second on the GPU. `text` is what was judged.
    """
    if not findings:
        findings = tuple(itertools.chain.from_iterable(outcome.findings for outcome in outcomes))
    cases = itertools.chain.from_iterable(outcome.cases for outcome in outcomes)
    remarks = outcomes[0].remarks if outcomes else ()
    return Verdict(
        exercise=exercise.number,
        file=file,
        device="cuda" if len(outcomes) > 1 else "simulator",
        seconds=time.perf_counter() - started,
        cases=tuple(cases),
        findings=findings,
        tolerance=outcomes[-1].tolerance if outcomes else "",
        traffic=outcomes[0].traffic if outcomes else "",
        remarks=remarks if findings else (*remarks, *substitution_notes(exercise)),
        kernels=outcomes[0].kernels if outcomes else (),
        # Only the simulator counts; the trial on a GPU adds times.
        goals=judged_goals(exercise, outcomes[0].figures) if outcomes else (),
        figures=outcomes[0].figures if outcomes else {},
        launched=outcomes[0].launched if outcomes else (),
        costs=tuple(filter(None, (outcome.times for outcome in outcomes))),
        to_come=len(outcomes[-1].pending_cases) if outcomes else 0,
        is_preliminary=outcomes[-1].is_preliminary if outcomes else False,
        text=text,
    )
