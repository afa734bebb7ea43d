"""Runs a script on the simulator, in a short-lived child, and counts what it does. Needs torch."""

from __future__ import annotations

from dataclasses import dataclass

from triton_workshop.bench.cost import Cost, cost_of
from triton_workshop.bench.workloads import WORKLOADS
from triton_workshop.checking.exercises.exercise import Case, Exercise
from triton_workshop.checking.judging.judge import Judge
from triton_workshop.checking.judging.trial import judged
from triton_workshop.checking.judging.verdict import Finding
from triton_workshop.checking.observing.child import load, prepare
from triton_workshop.checking.observing.observe import Observation, Observer, failure_of
from triton_workshop.checking.observing.source import Source
from triton_workshop.checking.passes import observations, simulated
from triton_workshop.processes.call import Limit
from triton_workshop.processes.process import CAN_FORK
from triton_workshop.processes.wire import Connection
from triton_workshop.simulator import record

LIMIT = 60.0
"""Seconds that a launcher may take for the case that is counted."""


@dataclass(frozen=True)
class Counted:
    """What the child saw: the call as the checker sees it, and its cost if it finished."""

    seen: Observation
    cost: Cost | None


def count(
    exercise: Exercise, source: Source, case: Case, output: int, limit: float = LIMIT
) -> tuple[Cost | None, tuple[Finding, ...]]:
    """The cost of one call of the script's launcher, or what is wrong with its result.

    `output` is the file descriptor for what the script prints.
    """
    prepare()
    within = Limit(limit, source.file)
    function, arguments = (count_script, (case,)) if CAN_FORK else (count_workload, ())
    with simulated(function, exercise, source, *arguments, output=output, limit=within, fork=CAN_FORK) as script:
        report = next(observations(script))
    counted = report if isinstance(report, Counted) else Counted(_as_observation(report), None)
    outcome = judged(Judge(exercise, source, limit), (case,), [counted.seen])
    return (None if outcome.findings else counted.cost), outcome.findings


def _as_observation(report: object) -> Observation:
    assert isinstance(report, Observation)
    return report


def count_workload(connection: Connection, exercise: Exercise, source: Source) -> None:
    """In a new process, count the exercise's own case."""
    prepare()
    count_script(connection, exercise, source, WORKLOADS[exercise.number].counted)


def count_script(connection: Connection, exercise: Exercise, source: Source, case: Case) -> None:
    """In the child, load the script, call its launcher once, and send what was seen."""
    try:
        launcher = load(source, exercise.launcher)
    except BaseException as error:
        connection.send(Observation(failure=failure_of(error, source.file), loading=True))
        return
    observer = Observer(launcher, source.file, simulated=True)
    with record(layout=True) as launches:
        seen = observer.observe(case.arguments("cpu"))
    connection.send(Counted(seen, cost_of(launches) if seen.failure is None else None))
