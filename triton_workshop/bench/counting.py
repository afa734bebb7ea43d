"""Counts of a script on the simulator, in a short-lived child.

Needs torch.
"""

from __future__ import annotations

from dataclasses import dataclass

from triton_simulator import record
from triton_simulator.compiler.jobs import PickledKernel
from triton_workshop.checking import children
from triton_workshop.checking.judging.judge import Judge
from triton_workshop.checking.judging.trial import judge_cases
from triton_workshop.checking.judging.verdict import Finding
from triton_workshop.checking.observing.child import observer_of, prepare
from triton_workshop.checking.observing.observe import Observation
from triton_workshop.checking.observing.source import Source
from triton_workshop.checking.subprocess_runner import observations
from triton_workshop.costs.cost import Cost, cost_of
from triton_workshop.exercises.workloads import WORKLOADS
from triton_workshop.processes.call import TimeLimit
from triton_workshop.processes.process import CAN_FORK
from triton_workshop.processes.wire import Connection

LIMIT_SECONDS = 60.0
"""Seconds that a launcher may take for the case that is counted."""


@dataclass(frozen=True)
class Counting:
    """Cost of one call of a script's launcher, or what is wrong with it.

    It has what the call launched, too.
    """

    cost: Cost | None
    findings: tuple[Finding, ...]
    kernels: tuple[PickledKernel, ...] = ()


def count(source: Source, output: int, limit: float = LIMIT_SECONDS) -> Counting:
    """Count what one call of the script's launcher does.

    `output` is the file descriptor for what the script prints.
    """
    prepare()
    within = TimeLimit(limit, source.file)
    with children.call_on_the_simulator(count_script, source, output=output, limit=within, fork=CAN_FORK) as script:
        observation, *rest = observations(script)
    outcome = judge_cases(Judge(source, limit), (WORKLOADS[source.exercise.number].traffic_case,), [observation])
    cost = next((message for message in rest if isinstance(message, Cost)), None)
    return Counting(None if outcome.findings else cost, outcome.findings, outcome.kernels)


def count_script(connection: Connection, source: Source) -> None:
    """Load the script in the child, and call its launcher once.

    It sends the observation, and the Cost if the launcher finished.
    """
    prepare()
    observer = observer_of(source)
    if isinstance(observer, Observation):
        connection.send(observer)
        return
    with record(coalescing=True) as launches:
        observation = observer.observe(WORKLOADS[source.exercise.number].traffic_case.arguments("cpu"))
    connection.send(observation)
    # Counts of a launch that broke off would look like those of a cheap kernel.
    if observation.failure is None:
        connection.send(cost_of(launches))
