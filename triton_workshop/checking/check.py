"""A script in, a verdict out.

What can be told from its text is told at once. Otherwise it runs in a process of its own, on the simulator; and, where
there is a GPU, once more at full size. This module needs no torch: it is imported when a script is to be run.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from triton_workshop.checking.exercise import Exercise
from triton_workshop.checking.source import Source
from triton_workshop.checking.statics import static_finding, unreadable
from triton_workshop.checking.verdict import Finding, Verdict

if TYPE_CHECKING:
    from triton_workshop.checking.processes import Child
    from triton_workshop.checking.trial import Outcome

LIMIT = 20.0
"""Seconds that a script may take, all cases together."""


def check(
    exercise: Exercise,
    file: Path,
    *,
    gpu: bool = False,
    limit: float = LIMIT,
    output: int | None = None,
    started: Callable[[Child], None] | None = None,
) -> Verdict:
    """Check a script, in a child of this process that is gone when this returns.

    This process is put on the simulator and stays warm: a second check forks at once. `gpu` adds the full-size cases.
    `output` is the file descriptor for what the script prints, standard output unless given. `started` is told of each
    child: who kills it, from another thread, stops the check, whose verdict is worth nothing then.
    """
    beginning = time.perf_counter()
    file = file.resolve()
    source, finding = read(exercise, file)
    if source is None or finding is not None:
        return verdict_of(exercise, file, beginning, findings=(finding,) if finding else ())
    from triton_workshop.checking import trial

    trial.prepare()
    where = trial.standard_output() if output is None else output
    outcome = trial.simulate(exercise, source, limit, where, fork=True, started=started)
    if outcome.findings or not gpu:
        return verdict_of(exercise, file, beginning, outcome)
    full = trial.run_full_size(exercise, source, limit, where, started=started)
    return verdict_of(exercise, file, beginning, outcome, full)


def read(exercise: Exercise, file: Path) -> tuple[Source | None, Finding | None]:
    """A script's text, and what is wrong with it as a text."""
    try:
        source = Source.read(file, exercise.kernel, exercise.launcher)
    except (OSError, SyntaxError, UnicodeDecodeError) as error:
        return None, unreadable(error)
    return source, static_finding(exercise, source)


def verdict_of(
    exercise: Exercise, file: Path, started: float, *outcomes: Outcome, findings: tuple[Finding, ...] = ()
) -> Verdict:
    """The verdict on a script, from what was found in its text or from the passes on the simulator and the GPU."""
    return Verdict(
        exercise=exercise.number,
        file=file,
        device="cuda" if len(outcomes) > 1 else "simulator",
        seconds=time.perf_counter() - started,
        cases=tuple(case for outcome in outcomes for case in outcome.cases),
        findings=findings or tuple(finding for outcome in outcomes for finding in outcome.findings),
        tolerance=outcomes[-1].tolerance if outcomes else "",
        remark=outcomes[0].remark if outcomes else "",
    )
