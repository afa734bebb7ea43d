"""The two passes of a check, each in its own process: on the simulator, and at full size on a GPU. Needs torch."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from triton_workshop.checking.exercises.exercise import Case
from triton_workshop.checking.full_size import judge_on_the_gpu
from triton_workshop.checking.judging.judge import Judge
from triton_workshop.checking.judging.trial import Trial, judged, located, wanted_picture, with_picture
from triton_workshop.checking.observing import repair
from triton_workshop.checking.observing.child import observe_script, send_diagnosis
from triton_workshop.checking.observing.observe import Failure, Observation
from triton_workshop.checking.observing.recognise import Diagnosis
from triton_workshop.checking.observing.source import Source
from triton_workshop.processes import call
from triton_workshop.processes.call import Call, EndedError, Function, TimeIsUpError, TimeLimit
from triton_workshop.processes.process import CAN_FORK

PICTURE_LIMIT = 5.0
"""Seconds. A picture that takes longer is not worth the wait."""


def simulate(source: Source, limit: float, output: int, *, fork: bool) -> Trial:
    """Run the script on the simulator in another process, and judge in this one what it does.

    `fork`: this process is prepared for scripts (`child.prepare`), and may be forked if the system can do that. Then
    there is time for a picture too; without forks, that of another new process.
    """
    draws, fork = fork, fork and CAN_FORK
    exercise, judge = source.exercise, Judge(source, limit)
    names = tuple(case.name for case in exercise.simulated_cases)
    within = TimeLimit(limit, source.file)
    with simulated(observe_script, source, names, output=output, limit=within, fork=fork) as script:
        outcome = judged(judge, exercise.simulated_cases, observations(script))
    outcome = located(judge, outcome, partial(_diagnosed_elsewhere, source, fork))
    if draws and (picture := wanted_picture(exercise, outcome)):
        names, within = (picture.name,), TimeLimit(PICTURE_LIMIT, source.file)
        with simulated(observe_script, source, names, output=output, limit=within, fork=fork) as script:
            return with_picture(exercise, picture, outcome, next(observations(script), None))
    return outcome


def _diagnosed_elsewhere(source: Source, fork: bool, case: Case) -> Diagnosis | None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    within = TimeLimit(repair.LIMIT + repair.GRACE, Path(repair.NAME))
    try:
        with simulated(send_diagnosis, source, case.name, output=nowhere, limit=within, fork=fork) as search:
            diagnosis = next(observations(search), None)
    finally:
        os.close(nowhere)
    return diagnosis if isinstance(diagnosis, Diagnosis) else None


def run_full_size(source: Source, limit: float, output: int) -> Trial:
    """Run the script at full size on the GPU, and judge it there."""
    within = TimeLimit(limit, source.file)
    with on_the_gpu(judge_on_the_gpu, source, limit, output=output, limit=within) as judging:
        outcome = next(observations(judging))
    if isinstance(outcome, Trial):
        return outcome
    return judged(Judge(source, limit), source.exercise.gpu_cases, [outcome])


def simulated(function: Function, *arguments: object, output: int, limit: TimeLimit, fork: bool) -> Call:
    """Calls a function where kernels run on the simulator."""
    if fork:
        return call.fork(function, *arguments, output=output, limit=limit)
    return call.start(function, *arguments, output=output, limit=limit, variables=_variables(TRITON_INTERPRET="1"))


def on_the_gpu(function: Function, *arguments: object, output: int, limit: TimeLimit) -> Call:
    """Calls a function where kernels run on the GPU."""
    return call.start(function, *arguments, output=output, limit=limit, variables=_variables())


def _variables(**others: str) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"} | others


def observations(script: Call) -> Iterator[object]:
    """Yield what a script's process sends, and last an Observation of its end if that was not normal."""
    try:
        yield from script.messages()
    except TimeIsUpError as error:
        yield Observation(timed_out=True, failure=Failure("Timeout", "", error.line))
    except EndedError as error:
        if error.code < 0:
            failure = Failure("Killed", f"the script's process was {error}", None)
        else:
            failure = Failure("SystemExit", f"the script ended itself, exit status {error.code}", None)
        yield Observation(failure=failure)


def standard_output() -> int:
    """The file descriptor that gets a script's own output."""
    try:
        return sys.stdout.fileno()
    except (OSError, ValueError):
        return os.open(os.devnull, os.O_WRONLY)
