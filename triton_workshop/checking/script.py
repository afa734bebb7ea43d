"""Lets a script check itself when it is run, in its own process, which has imported all that the check needs."""

from __future__ import annotations

import sys
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import torch
from rich.console import Console

from triton_workshop.check_reminder import forget_the_check
from triton_workshop.checking import children
from triton_workshop.checking.check import LIMIT_SECONDS, source_or_verdict, steps, verdict_of
from triton_workshop.checking.diagnosing import tries
from triton_workshop.checking.diagnosing.limits import Limit
from triton_workshop.checking.diagnosing.recognise import Diagnosis
from triton_workshop.checking.diagnosing.search import diagnosis_of, limits, other_size
from triton_workshop.checking.diagnosing.tile_sizes import OtherSize
from triton_workshop.checking.judging.judge import Judge
from triton_workshop.checking.judging.trial import Trial, trials
from triton_workshop.checking.judging.verdict import CaseResult, Verdict
from triton_workshop.checking.observing.child import launcher_of, observations_of
from triton_workshop.checking.observing.observe import Observation, Observer
from triton_workshop.checking.observing.source import Source
from triton_workshop.checking.passes import Simulation
from triton_workshop.checking.reporting.progress import remember
from triton_workshop.checking.reporting.report import print_verdicts
from triton_workshop.device import resolve_device
from triton_workshop.errors import written_output
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.cases import PICTURE, Case
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.images import load_image, show_image
from triton_workshop.interruption import INTERRUPTED
from triton_workshop.printing import speak_utf8
from triton_workshop.processes.call import TimeLimit, limited
from triton_workshop.processes.compilers import new_process

if TYPE_CHECKING:
    from triton_workshop.exercises.exercise import Launcher

SIMULATED_WIDTH = 640
"""Pixels. Half the picture's width: a quarter of the work, and still more than a terminal can show."""


def check_this_script(exercise: str) -> None:
    """Check the running script as a solution of this exercise, report the verdict, and exit: 0 if right, 1 if not."""
    try:
        passed = _check(exercise)
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
    raise SystemExit(0 if passed else 1)


def _check(exercise: str) -> bool:
    """Whether the running script passed."""
    forget_the_check()
    speak_utf8()
    description = EXERCISES[str(exercise)]  # in older files it is a whole number
    main = sys.modules["__main__"]
    file = Path(str(main.__file__)).resolve()
    started = time.perf_counter()
    source = source_or_verdict(description, file, started)
    verdicts = [source] if isinstance(source, Verdict) else SelfCheck(source, main, started).verdicts()
    passed = _tell(verdicts, description).passed
    if passed and description.demo is not None:
        _show(description, launcher_of(main, description), resolve_device())
    return passed


def _tell(verdicts: Iterable[Verdict], exercise: Exercise) -> Verdict:
    with written_output():
        verdict = print_verdicts(verdicts, exercise, Console())
    remember(verdict, hints_shown=1)
    return verdict


@dataclass(frozen=True)
class SelfCheck:
    """A check of the running script, which runs on the simulator in this process if it does so at all."""

    source: Source
    script: ModuleType
    started: float
    done: list[CaseResult] = field(default_factory=list)
    """The cases that have been checked by now."""

    def verdicts(self) -> Iterator[Verdict]:
        """As `check.verdicts`, with as much as possible in this process."""
        if resolve_device() == "cuda":
            return steps(self.source, self.started, self._simulated_elsewhere(), new_process, self._full_size)
        here = trials(self._judge, self, self.done.append)
        return steps(self.source, self.started, here, new_process, None)

    def _simulated_elsewhere(self) -> Iterator[Trial]:
        """With a GPU, kernels of this process do not run on the simulator."""
        with children.prepared(output := children.standard_output()) as script:
            yield from trials(self._judge, Simulation(self.source, LIMIT_SECONDS, output, script), self.done.append)

    def observed(self, cases: Sequence[Case], later: Sequence[Case] = ()) -> Generator[Observation, None, None]:
        with self._limited():
            yield from observations_of(self.source, [case.name for case in (*cases, *later)], self._launcher)

    def pictured(self, case: Case) -> Observation:
        with closing(self.observed((case,))) as seen:
            return next(seen)

    def diagnosis(self, case: Case, known: Trial) -> Diagnosis:
        exercise = self.source.exercise
        verdict, screen = verdict_of(exercise, self.source.file, self.started, known, text=self.source.text), sys.stdout

        def tell_what_is_known(_line: int | None) -> None:
            """When a try does not end."""
            sys.stdout = screen
            _tell([verdict], exercise)

        with limited(TimeLimit(tries.longest_seconds(), self.source.file), tell_what_is_known):
            return diagnosis_of(self.source, case)

    def limits(self) -> list[Limit]:
        with self._limited():
            return list(limits(self.source))

    def other_size(self) -> OtherSize | None:
        with self._limited():
            return other_size(self.source)

    def _launcher(self, source: Source) -> Launcher:
        return launcher_of(self.script, source.exercise)

    def _full_size(self) -> Trial:
        from triton_workshop.checking.full_size import run_on_the_gpu

        observer = Observer(self._launcher(self.source), self.source.file, simulated=False)
        with self._limited():
            return run_on_the_gpu(self.source, observer, LIMIT_SECONDS, self.done.append)

    @property
    def _judge(self) -> Judge:
        return Judge(self.source, LIMIT_SECONDS)

    def _limited(self) -> AbstractContextManager[None]:
        """Set the time limit; none for somebody who steps through a kernel."""
        if "breakpoint(" in self.source.text or "set_trace(" in self.source.text:
            return nullcontext()

        def tell_of_the_timeout(line: int | None) -> None:
            exercise, findings = self.source.exercise, (self._judge.timeout(line),)
            verdict = verdict_of(exercise, self.source.file, self.started, findings=findings, text=self.source.text)
            _tell([replace(verdict, cases=tuple(self.done))], exercise)

        return limited(TimeLimit(LIMIT_SECONDS, self.source.file), tell_of_the_timeout)


def _show(exercise: Exercise, launcher: Launcher, device: str) -> None:
    assert exercise.demo is not None
    image = load_image(PICTURE, width=SIMULATED_WIDTH if device == "cpu" else None)
    results = exercise.demo.render(launcher, image)
    print(f"{exercise.demo.caption}:", flush=True)
    show_image(torch.cat((image, *results), dim=2))
