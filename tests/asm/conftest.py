"""All solutions are launched and compiled once, for three GPUs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial

import pytest

from triton_workshop.asm.asked import Launching
from triton_workshop.asm.making import COMPILING_SECONDS, launches_of
from triton_workshop.checking.exercises import EXERCISES
from triton_workshop.compiler.compilation import answers
from triton_workshop.compiler.jobs import Answer, CompileJob
from triton_workshop.compiler.targets import TARGETS
from triton_workshop.processes.compilers import warm
from triton_workshop.processes.modes import Mode
from triton_workshop.processes.runner import Runner

Answers = dict[tuple[str, int], Answer]
"""What the compiler says of an exercise's plain solution, by the exercise's number and the compute capability."""


@pytest.fixture(scope="session")
def runner() -> Iterator[Runner]:
    with Runner() as runner:
        runner.warm_up(Mode.COMPILER)
        yield runner


@pytest.fixture(scope="session")
def solutions(runner: Runner) -> Answers:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    launches = partial(launches_of, runner=runner, output=nowhere)
    asked = {
        number: Launching(each.solution_file, each.solution_file.read_text(encoding="utf-8"), number)
        for number, each in EXERCISES.items()
    }
    jobs = {
        (number, target.capability): CompileJob(launches(each).kernels[0], target, shown=True)
        for number, each in asked.items()
        for target in TARGETS
    }
    told = {answer.job: answer for answer in answers(list(jobs.values()), warm(runner), COMPILING_SECONDS)}
    os.close(nowhere)
    return {key: told[job] for key, job in jobs.items()}
