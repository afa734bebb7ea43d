"""Solutions are launched and compiled once, for three GPUs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import cache

import pytest

from triton_simulator.compiler.compilation import answers
from triton_simulator.compiler.jobs import Answer, Assembly, CompileJob, PickledKernel
from triton_simulator.gpus import DEFAULT_TARGET, TARGETS, Target
from triton_workshop.asm.build import LIMIT_SECONDS, compile_kernels, run_script
from triton_workshop.asm.requests import Request
from triton_workshop.costs.summary import Summary, summaries_of
from triton_workshop.exercises import EXERCISES
from triton_workshop.processes.compilers import warm
from triton_workshop.processes.modes import Mode
from triton_workshop.processes.runner import Runner

EMPTY: Mapping[str, str] = {}
Answers = Callable[[str, int], Answer]
"""What the compiler says of an exercise's plain solution, by the exercise's number and the compute capability."""
FastAnswers = Callable[[str], list[Assembly]]


def assembly_of(solutions: Answers, number: str, capability: int) -> Assembly:
    assembly = solutions(number, capability).assembly
    assert assembly is not None
    return assembly


def summary_of_solution(solutions: Answers, number: str, capability: int) -> Summary:
    exercise = EXERCISES[number]
    [summary] = summaries_of([solutions(number, capability)], exercise.solution_file, exercise.solution)
    return summary


class Compile:
    """Compiles a plain solution at a size, with pieces of its text replaced by others."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self.assembly: Assembly | None = None
        """The last one."""

    def __call__(
        self, number: str, size: tuple[int, ...] = (), edits: Mapping[str, str] = EMPTY, target: Target = DEFAULT_TARGET
    ) -> Summary:
        file = EXERCISES[number].solution_file
        text = file.read_text(encoding="utf-8")
        for old, new in edits.items():
            assert old in text
            text = text.replace(old, new)
        kernels = launched_by(Request(file, text, number, size), self._runner)
        [answer] = compile_kernels(kernels, target, warm(self._runner))
        self.assembly = answer.assembly
        [summary] = summaries_of([answer], file, text)
        return summary


def launched_by(request: Request, runner: Runner) -> tuple[PickledKernel, ...]:
    """The kernels of a script, whose output is thrown away."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        return run_script(request, runner, nowhere).kernels
    finally:
        os.close(nowhere)


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
    """Each is compiled when it is asked for, as another process of these tests may have done that before."""

    @cache
    def kernel(number: str) -> PickledKernel:
        exercise = EXERCISES[number]
        return launched_by(Request(exercise.solution_file, exercise.solution, number), runner)[0]

    @cache
    def answer(number: str, capability: int) -> Answer:
        job = CompileJob(kernel(number), TARGETS[f"sm_{capability}"], with_assembly=True)
        [told] = answers([job], warm(runner), LIMIT_SECONDS)
        return told

    return answer


@pytest.fixture(scope="session")
def fast(runner: Runner) -> FastAnswers:
    """Compiles all kernels of an exercise's fast solution, for the default target."""

    def compile_fast(number: str) -> list[Assembly]:
        file = EXERCISES[number].fast_file
        assert file is not None
        kernels = launched_by(Request(file, file.read_text(encoding="utf-8"), number), runner)
        made = [answer.assembly for answer in compile_kernels(kernels, DEFAULT_TARGET, warm(runner))]
        assert made
        return [assembly for assembly in made if assembly is not None or pytest.fail("a kernel does not compile")]

    return compile_fast
