"""A checker that answers as it is told."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from triton_workshop.checking.check import source_or_verdict
from triton_workshop.checking.judging.verdict import (
    CaseResult,
    Element,
    Finding,
    FindingKind,
    TileMap,
    TileState,
    Verdict,
)
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.scripts import read_text
from triton_workshop.watch.checker import StoppedError

SOLUTIONS = {number: exercise.solution_file.read_text(encoding="utf-8") for number, exercise in EXERCISES.items()}
Answer = Callable[[Exercise, Path], Verdict]


class Told:
    """A check whose answer a test gives."""

    def __init__(self, checker: FakeChecker, exercise: Exercise, file: Path, full_size: bool) -> None:
        self.checker = checker
        self.exercise = exercise
        self.file = file
        self.full_size = full_size
        self.stopped = threading.Event()
        self.finished = False
        self.started: float | None = None

    def verdicts(self) -> Iterator[Verdict]:
        while self.checker.holding.is_set():
            if self.stopped.wait(0.005):
                raise StoppedError
        yield self.checker.answer(self.exercise, self.file)

    def printed(self) -> bytes:
        return self.checker.printed

    def finish(self) -> None:
        self.finished = True

    def stop(self) -> None:
        self.stopped.set()


class FakeChecker:
    """Answers with `answer`; not before `holding` is cleared."""

    def __init__(self) -> None:
        self.answer: Answer = by_text
        self.holding = threading.Event()
        self.printed = b""
        self.asked: list[Told] = []

    def check(self, exercise: Exercise, file: Path, *, full_size: bool = False) -> Told:
        self.asked.append(Told(self, exercise, file, full_size))
        return self.asked[-1]

    def close(self) -> None:
        self.holding.clear()


@pytest.fixture
def checker() -> FakeChecker:
    return FakeChecker()


def by_text(exercise: Exercise, file: Path) -> Verdict:
    """What can be told without running anything; a complete script passes."""
    read = source_or_verdict(exercise, file, 0)
    findings = read.findings if isinstance(read, Verdict) else ()
    cases = () if findings else tuple(CaseResult(case.name, True) for case in exercise.simulated_cases)
    tolerance = "float32: an element may be off by 2e-07 of its absolute value"
    return Verdict(exercise.number, file.resolve(), "simulator", 0.25, cases, findings, tolerance, text=read.text)


def fails(exercise: Exercise, file: Path) -> Verdict:
    """As if the program's number had been forgotten."""
    names = [case.name for case in exercise.cases][:3]
    finding = Finding(
        FindingKind.UNWRITTEN,
        "1,024 of 3,000 elements are never written, starting with [1024]; program 1 should have written them",
        (
            "Which block does program 1 work on?",
            "Its own starts at its program id times the block size.",
            "offsets = …",
        ),
        line=21,
        source="offsets = tl.arange(0, BLOCK_SIZE)",
        case=names[-1],
        hint_name="forgotten-pid",
        element=Element((1024,), -1.583156, None, 1e-7, (1,), 1024),
        tiles=TileMap("a program's tile", (((TileState.RIGHT, TileState.UNWRITTEN, TileState.WRONG),),)),
    )
    cases = tuple(CaseResult(name, name != names[-1]) for name in names)
    return Verdict(
        exercise.number, file.resolve(), "simulator", 0.25, cases, (finding,), "float32", text=read_text(file)
    )
