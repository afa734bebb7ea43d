"""Runs a script on the simulator, in a child that is gone afterwards, and counts what it does. Needs torch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import torch

from triton_workshop.bench.cost import Cost, cost_of
from triton_workshop.checking.child import Channel, load
from triton_workshop.checking.exercise import Case, Exercise
from triton_workshop.checking.integrity import Integrity
from triton_workshop.checking.judge import Judge
from triton_workshop.checking.observe import Failure, Observation, Observer, failure_of
from triton_workshop.checking.processes import CAN_FORK, GRACE, START, Child, Forked, Started, reports
from triton_workshop.checking.source import Source
from triton_workshop.checking.trial import judged, prepare
from triton_workshop.checking.verdict import Finding
from triton_workshop.checking.watchdog import watchdog
from triton_workshop.simulator import record

LIMIT = 60.0
"""Seconds that a launcher may take for the case that is counted."""


@dataclass(frozen=True)
class Counted:
    """What the child saw: the call as the checker sees it, and its cost where it came to its end."""

    seen: Observation
    cost: Cost | None


def count(
    exercise: Exercise, source: Source, case: Case, output: int, limit: float = LIMIT
) -> tuple[Cost | None, tuple[Finding, ...]]:
    """The cost of one call of the script's launcher, or what is wrong with its result.

    `output` is the file descriptor for what the script prints.
    """
    prepare()
    torch.set_num_threads(1)  # OpenMP's threads in this process would hang forked children
    child: Child
    if CAN_FORK:
        child = Forked(partial(count_script, exercise, source, case, limit=limit), output)
        patience = limit + GRACE
    else:
        child = Started(exercise, source, limit, output, module="triton_workshop.bench.child")
        patience = limit + GRACE + START
    with reports(child, patience) as received:
        report = next(iter(received))
    counted = report if isinstance(report, Counted) else Counted(_as_observation(report), None)
    outcome = judged(Judge(exercise, source, limit), (case,), [counted.seen])
    return (None if outcome.findings else counted.cost), outcome.findings


def _as_observation(report: object) -> Observation:
    assert isinstance(report, Observation)
    return report


def count_script(exercise: Exercise, source: Source, case: Case, channel: Channel, *, limit: float) -> None:
    """In the child: load the script, call its launcher once, send what was seen."""
    torch.set_num_threads(1)
    integrity = Integrity()

    def last_words(line: int | None) -> None:
        channel.send(Observation(timed_out=True, failure=Failure("Timeout", "", line)))

    with watchdog(limit, source.file, last_words):
        try:
            launcher = load(source, exercise.launcher)
        except BaseException as error:
            channel.send(Observation(failure=failure_of(error, source.file), loading=True))
        else:
            observer = Observer(launcher, source.file, simulated=True)
            with record(layout=True) as launches:
                seen = observer.observe(case.arguments("cpu"))
            # Where the checker doubts where a result comes from it calls again: the first call counts.
            cost = cost_of(launches[: len(seen.launches)]) if seen.failure is None else None
            channel.send(Counted(replace(seen, tampered=integrity.broken()), cost))
    channel.done()
