"""All solutions are launched and compiled once, for three GPUs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial

import pytest

from triton_workshop.asm.asked import Launching
from triton_workshop.asm.making import COMPILING_SECONDS, compiled, launches_of
from triton_workshop.asm.summary import Summary, summaries_of
from triton_workshop.checking.exercises import EXERCISES
from triton_workshop.compiler.compilation import answers
from triton_workshop.compiler.jobs import Answer, Assembly, CompileJob
from triton_workshop.compiler.targets import TARGETS, Target
from triton_workshop.processes.compilers import warm
from triton_workshop.processes.modes import Mode
from triton_workshop.processes.runner import Runner

EMPTY: Mapping[str, str] = {}
Answers = dict[tuple[str, int], Answer]
"""What the compiler says of an exercise's plain solution, by the exercise's number and the compute capability."""
FastAnswers = Callable[[str], list[Assembly]]


class Compile:
    """Compiles a plain solution at a size, with pieces of its text replaced by others."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self.assembly: Assembly | None = None
        """The last one."""

    def __call__(
        self, number: str, size: tuple[int, ...] = (), edits: Mapping[str, str] = EMPTY, target: Target = TARGETS[0]
    ) -> Summary:
        file = EXERCISES[number].solution_file
        text = file.read_text(encoding="utf-8")
        for old, new in edits.items():
            assert old in text
            text = text.replace(old, new)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        launched = launches_of(Launching(file, text, number, size), self._runner, nowhere)
        os.close(nowhere)
        [answer] = compiled(launched.kernels, target, warm(self._runner))
        self.assembly = answer.assembly
        [summary] = summaries_of([answer], text.splitlines())
        return summary


@pytest.fixture(scope="session")
def compile_at(runner: Runner) -> Compile:
    return Compile(runner)


@pytest.fixture(scope="session")
def runner() -> Iterator[Runner]:
    with Runner() as runner:
        runner.warm_up(Mode.SIMULATOR)
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


@pytest.fixture(scope="session")
def fast(runner: Runner) -> FastAnswers:
    """Compiles all kernels of an exercise's fast solution, for the newest GPU."""

    def compile_fast(number: str) -> list[Assembly]:
        file = EXERCISES[number].solution_file.parent / "fast" / f"exercise_{number}.py"
        nowhere = os.open(os.devnull, os.O_WRONLY)
        launched = launches_of(Launching(file, file.read_text(encoding="utf-8"), number), runner, nowhere)
        os.close(nowhere)
        made = [answer.assembly for answer in compiled(launched.kernels, TARGETS[0], warm(runner))]
        assert made
        return [assembly for assembly in made if assembly is not None or pytest.fail("a kernel does not compile")]

    return compile_fast
