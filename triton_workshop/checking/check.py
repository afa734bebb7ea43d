"""A script in, a verdict out.

What its text alone shows is reported at once. Otherwise the script runs in its own process, on the simulator, and if
there is a GPU, once more at full size. This module does not need torch, which is imported only to run a script.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from triton_simulator.compiler.compilation import READY, Start
from triton_workshop.checking import children
from triton_workshop.checking.compiling import compiled
from triton_workshop.checking.judging.statics import own_error, static_finding, unreadable
from triton_workshop.checking.judging.verdict import Finding, Verdict
from triton_workshop.checking.large_cases import that_fit, what_stands_in
from triton_workshop.checking.observing.source import Source
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.processes.compilers import new_process
from triton_workshop.processes.process import CAN_FORK

if TYPE_CHECKING:
    from triton_workshop.checking.judging.trial import Trial
    from triton_workshop.processes.call import Call
    from triton_workshop.processes.wire import Connection

LIMIT_SECONDS = 20.0
"""Seconds that a script may take, all cases together."""


def check(
    exercise: Exercise,
    file: Path,
    *,
    gpu: bool = False,
    compiler: Start | None = new_process,
    limit: float = LIMIT_SECONDS,
    output: int | None = None,
    prepared: Call | None = None,
) -> Verdict:
    """Check a script, and return the last of its `verdicts`."""
    *_, last = verdicts(exercise, file, gpu=gpu, compiler=compiler, limit=limit, output=output, prepared=prepared)
    return last


def verdicts(
    exercise: Exercise,
    file: Path,
    *,
    gpu: bool = False,
    compiler: Start | None = new_process,
    limit: float = LIMIT_SECONDS,
    output: int | None = None,
    prepared: Call | None = None,
) -> Iterator[Verdict]:
    """Check a script in processes that have ended when this ends: on the simulator, and if it is right there, more.

    This process is put on the simulator and stays warm: a second check forks at once. `compiler` starts processes for
    Triton's compiler, None to do without it, and `gpu` adds the full-size cases. `output` is the file descriptor for
    what the script prints, standard output unless given. `prepared` is the script's process, where none can be forked.
    """
    started = time.perf_counter()
    source = source_or_verdict(exercise, file.resolve(), started)
    if isinstance(source, Verdict):
        yield source
        return
    where = children.standard_output() if output is None else output
    if prepared is not None and prepared.has_ended():  # something killed it while it waited
        prepared = None
    with prepared or _ahead(where) as script:
        load()
        from triton_workshop.checking import passes

        trials = passes.Simulation(source, limit, where, script).trials()
        full_size = partial(passes.run_full_size, source, limit, where)
        yield from steps(source, started, trials, compiler, full_size if gpu else None)


def load() -> None:
    """Import what judges a script, and put this process on the simulator. Ctrl+C meanwhile ends the program at once.

    An exception would leave numpy or torch half imported, and the script would be blamed for it.
    """
    from triton_workshop.loading import loaded, loading

    loading()
    try:
        from triton_workshop.checking import passes  # noqa: F401
        from triton_workshop.checking.observing.child import prepare

        prepare()
    finally:
        loaded()


def steps(
    source: Source,
    started: float,
    trials: Iterable[Trial],
    compiler: Start | None,
    full_size: Callable[[], Trial] | None,
) -> Iterator[Verdict]:
    """A verdict whenever more is known, while all is right: on the simulator, from Triton's compiler, at full size."""
    try:
        yield from _steps(source, started, trials, compiler, full_size)
    except Exception as error:
        yield verdict_of(source.exercise, source.file, started, findings=(own_error(error),), text=source.text)


def _steps(
    source: Source,
    started: float,
    trials: Iterable[Trial],
    compiler: Start | None,
    full_size: Callable[[], Trial] | None,
) -> Iterator[Verdict]:
    exercise = source.exercise
    for outcome in trials:
        verdict = verdict_of(exercise, source.file, started, outcome, text=source.text)
        yield verdict
    if compiler and verdict.passed:
        verdict = compiled(verdict, compiler)
        yield verdict
    if full_size and verdict.passed:
        both = verdict_of(exercise, source.file, started, outcome, full_size(), text=source.text)
        yield replace(both, compiler=verdict.compiler)


def _ahead(output: int) -> AbstractContextManager[Call | None]:
    """The script's process, where it cannot be forked: it imports torch while this process does."""
    return nullcontext() if CAN_FORK else children.prepared(output)


@dataclass(frozen=True)
class CheckRequest:
    """A check that is asked of another process. `full_size` adds the cases on the GPU."""

    exercise: Exercise
    file: Path
    full_size: bool


def check_when_asked(connection: Connection) -> None:
    """Prepare for a check, say so, wait until one is requested, and send its verdicts."""
    with _ahead(children.standard_output()) as script:
        from triton_workshop.checking import passes  # noqa: F401 (later it would take its time out of the verdict's)
        from triton_workshop.checking.observing.child import prepare, warm_up

        prepare()
        warm_up()
        connection.send(READY)
        try:
            request = connection.receive()
        except EOFError:  # no request will come any more
            return
        assert isinstance(request, CheckRequest)
        # Triton's compiler is asked by the other process, which has one warm.
        exercise, file, gpu = request.exercise, request.file, request.full_size
        for verdict in verdicts(exercise, file, gpu=gpu, compiler=None, prepared=script):
            connection.send(verdict)


def source_or_verdict(exercise: Exercise, file: Path, started: float) -> Source | Verdict:
    """Read a script's text, or return the verdict on it if the text alone shows what is wrong."""
    try:
        source = Source.read(file, that_fit(exercise))
    except (OSError, SyntaxError, UnicodeDecodeError, LookupError) as error:
        return verdict_of(exercise, file, started, findings=(unreadable(error),))
    try:
        finding = static_finding(source)
    except Exception as error:
        finding = own_error(error)
    return source if finding is None else verdict_of(exercise, file, started, findings=(finding,), text=source.text)


def verdict_of(
    exercise: Exercise,
    file: Path,
    started: float,
    *outcomes: Trial,
    findings: tuple[Finding, ...] = (),
    text: str = "",
) -> Verdict:
    """The verdict on a script, from what was found in its text or from the passes on the simulator and the GPU.

    `text` is what was judged.
    """
    findings = findings or tuple(finding for outcome in outcomes for finding in outcome.findings)
    remarks = outcomes[0].remarks if outcomes else ()
    return Verdict(
        exercise=exercise.number,
        file=file,
        device="cuda" if len(outcomes) > 1 else "simulator",
        seconds=time.perf_counter() - started,
        cases=tuple(case for outcome in outcomes for case in outcome.cases),
        findings=findings,
        tolerance=outcomes[-1].tolerance if outcomes else "",
        remarks=remarks if findings else (*remarks, *what_stands_in(exercise)),
        kernels=outcomes[0].kernels if outcomes else (),
        to_come=len(outcomes[-1].to_come) if outcomes else 0,
        text=text,
    )
