"""The check of a script by itself, when it is run.

It takes place in the script's own process, which has imported all that it needs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, TypeVar

import torch
from rich.console import Console

from triton_workshop.check_reminder import cancel_reminder
from triton_workshop.checking import children
from triton_workshop.checking.check import (
    LIMIT_SECONDS,
    begun_script,
    source_or_verdict,
    steps,
    verdict_of,
    with_todos,
)
from triton_workshop.checking.children import PreparedProcess
from triton_workshop.checking.diagnosing import tries
from triton_workshop.checking.in_process_runner import InProcessRunner
from triton_workshop.checking.judging.judge import Judge
from triton_workshop.checking.judging.trial import Trial, trials
from triton_workshop.checking.judging.unfinished import longest_seconds, try_todos
from triton_workshop.checking.judging.verdict import CaseResult, Verdict
from triton_workshop.checking.observing.child import launcher_of
from triton_workshop.checking.observing.observe import Observation, Observer
from triton_workshop.checking.observing.source import Source
from triton_workshop.checking.reporting.progress import record_check
from triton_workshop.checking.reporting.report import print_verdicts
from triton_workshop.checking.subprocess_runner import SubprocessRunner
from triton_workshop.device import resolve_device
from triton_workshop.errors import flushed_output
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.images import load_image, show_image
from triton_workshop.interruption import INTERRUPTED
from triton_workshop.printing import use_utf8
from triton_workshop.processes.call import TimeLimit, limited
from triton_workshop.processes.compilers import new_process
from triton_workshop.repository import PICTURE

if TYPE_CHECKING:
    from triton_workshop.exercises.exercise import Launcher

T = TypeVar("T")
SIMULATED_WIDTH = 640
"""Width in pixels of a picture on the simulator.

Half of the picture's own is a quarter of the work, and still more than a terminal can show.
"""


def check_this_script(exercise: str) -> None:
    """Check the running script as a solution of an exercise, and exit.

    The exit status is 0 if the script is right, else 1.
    """
    try:
        passed = _check(exercise)
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
    raise SystemExit(0 if passed else 1)


def _check(exercise: str) -> bool:
    """Check the running script, and return whether it passed."""
    cancel_reminder()
    use_utf8()
    description = EXERCISES[str(exercise)]  # in older files it is a whole number
    main = sys.modules["__main__"]
    file = Path(str(main.__file__)).resolve()
    started = time.perf_counter()
    source = source_or_verdict(description, file, started)
    if isinstance(source, Verdict):
        verdicts = _verdicts_by_text(source, description, main, started)
    else:
        verdicts = SelfCheck(source, main, started).verdicts()
    passed = _print_and_remember(verdicts, description).passed
    # Only a right script has a picture to show; a wrong one's is part of its verdict.
    if passed and description.demo is not None:
        _show_demo(description, launcher_of(main, description), resolve_device())
    return passed


def _verdicts_by_text(verdict: Verdict, exercise: Exercise, main: ModuleType, started: float) -> Iterator[Verdict]:
    """Yield the verdict that the text allows, then one with its TODOs.

    The second has what the TODOs that are filled in show.
    """
    yield verdict
    if script := begun_script(verdict, exercise):
        yield from SelfCheck(script, main, started).verdicts_with_todos(verdict)


def _print_and_remember(verdicts: Iterable[Verdict], exercise: Exercise) -> Verdict:
    with flushed_output():
        verdict = print_verdicts(verdicts, exercise, Console())
    record_check(verdict, hints_shown=1)
    return verdict


@dataclass(frozen=True)
class SelfCheck:
    """A check of the running script, in this process as far as possible."""

    source: Source
    script: ModuleType
    started: float
    results: list[CaseResult] = field(default_factory=list)
    """One for each case that has been checked by now."""

    def verdicts(self) -> Iterator[Verdict]:
        """As `check.verdicts`, with as much as possible in this process."""
        if resolve_device() == "cuda":
            return steps(self.source, self.started, self._trials_elsewhere(), new_process, self._full_size)
        runner = InProcessRunner(self.source, self, LIMIT_SECONDS, picture_seconds=LIMIT_SECONDS, load=self._launcher)
        outcomes = trials(self._judge, runner, self.results.append)
        return steps(self.source, self.started, outcomes, new_process, None)

    def verdicts_with_todos(self, verdict: Verdict) -> Iterator[Verdict]:
        """Yield an unfinished script's verdict with what is known of its TODOs.

        Yield nothing if nothing is known of them.
        """
        if resolve_device() == "cuda":
            with self._runner_elsewhere() as runner:
                tried = runner.try_todos()
        else:
            # At the limit this process ends while standard output is redirected: nobody would flush it.
            sys.stdout.flush()

            def remember(_line: int | None) -> None:
                record_check(verdict, hints_shown=1)

            limit = TimeLimit(longest_seconds(), self.source.file)
            with limited(limit, remember):
                tried = try_todos(self.source)
        yield from with_todos(verdict, tried, self.started, new_process)

    def observe(self, observations: Iterator[Observation], seconds: float) -> Generator[Observation, None, None]:
        """Yield observations, until the time is up.

        Then the verdict is printed, and this process ends.
        """
        with self._limited(seconds):
            yield from observations

    def search(self, function: Callable[[], T], trial: Trial | None = None) -> T:
        """Return the result of a search.

        If it does not end, the verdict is printed without it.
        """
        if trial is None:
            with self._limited():
                return function()
        exercise, screen = self.source.exercise, sys.stdout
        verdict = verdict_of(exercise, self.source.file, self.started, trial, text=self.source.text)

        def print_verdict(_line: int | None) -> None:
            # The search has redirected it, to throw away what the script prints.
            sys.stdout = screen
            _print_and_remember([verdict], exercise)

        with limited(TimeLimit(tries.longest_seconds(), self.source.file), print_verdict):
            return function()

    def _trials_elsewhere(self) -> Iterator[Trial]:
        """Run the script on the simulator in another process."""
        with self._runner_elsewhere() as runner:
            yield from trials(self._judge, runner, self.results.append)

    @contextmanager
    def _runner_elsewhere(self) -> Iterator[SubprocessRunner]:
        """Yield a runner on the simulator in another process.

        With a GPU, kernels of this process do not run there.
        """
        with children.start_prepared(output := children.standard_output()) as process:
            yield SubprocessRunner(self.source, PreparedProcess(process, output), LIMIT_SECONDS)

    def _launcher(self, source: Source) -> Launcher:
        return launcher_of(self.script, source.exercise)

    def _full_size(self) -> Trial:
        from triton_workshop.checking.full_size import run_on_the_gpu

        observer = Observer(self._launcher(self.source), self.source.file, simulated=False)
        with self._limited():
            return run_on_the_gpu(self.source, observer, LIMIT_SECONDS, self.results.append)

    @property
    def _judge(self) -> Judge:
        return Judge(self.source, LIMIT_SECONDS)

    def _limited(self, seconds: float = LIMIT_SECONDS) -> AbstractContextManager[None]:
        """Set the time limit; none for somebody who steps through a kernel."""
        has_breakpoint = "breakpoint(" in self.source.text or "set_trace(" in self.source.text
        if has_breakpoint:
            return nullcontext()

        def print_timeout(line: int | None) -> None:
            exercise, findings = self.source.exercise, (self._judge.timeout(line),)
            verdict = verdict_of(exercise, self.source.file, self.started, findings=findings, text=self.source.text)
            _print_and_remember([replace(verdict, cases=tuple(self.results))], exercise)

        return limited(TimeLimit(seconds, self.source.file), print_timeout)


def _show_demo(exercise: Exercise, launcher: Launcher, device: str) -> None:
    assert exercise.demo is not None
    image = load_image(PICTURE, width=SIMULATED_WIDTH if device == "cpu" else None)
    results = exercise.demo.render(launcher, image)
    print(f"{exercise.demo.caption}:", flush=True)
    show_image(torch.cat((image, *results), dim=2))
