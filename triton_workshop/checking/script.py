"""Lets a script check itself when it is run, in its own process, which has imported all that the check needs."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from rich.console import Console

from triton_workshop.checking.check import LIMIT, source_or_verdict, verdict_of
from triton_workshop.checking.compiling import compiled
from triton_workshop.checking.exercises import EXERCISES
from triton_workshop.checking.exercises.exercise import PICTURE, Exercise
from triton_workshop.checking.judging.judge import Judge
from triton_workshop.checking.judging.trial import Outcome, judged, located, wants_a_picture, with_picture
from triton_workshop.checking.judging.verdict import CaseResult, Verdict
from triton_workshop.checking.observing import repair
from triton_workshop.checking.observing.child import diagnosis_of
from triton_workshop.checking.observing.observe import Observer
from triton_workshop.checking.observing.source import Source
from triton_workshop.checking.passes import simulate, standard_output
from triton_workshop.checking.reporting.progress import remember
from triton_workshop.checking.reporting.report import print_verdicts
from triton_workshop.compiler.compilation import new_process
from triton_workshop.device import resolve_device
from triton_workshop.images import load_image, show_image
from triton_workshop.missing_check import forget_the_check
from triton_workshop.processes.call import Limit, limited
from triton_workshop.streams import speak_utf8

if TYPE_CHECKING:
    from triton_workshop.checking.exercises.exercise import Launcher

SIMULATED_WIDTH = 640
"""Pixels. Half the picture's width: a quarter of the work, and still more than a terminal can show."""


def check_this_script(exercise: str) -> None:
    """Check the running script as a solution of this exercise, report the verdict, and exit: 0 if right, 1 if not."""
    forget_the_check()
    speak_utf8()
    description = EXERCISES[str(exercise)]  # in older files it is a whole number
    main = sys.modules["__main__"]
    file = Path(str(main.__file__)).resolve()
    started = time.perf_counter()
    source = source_or_verdict(description, file, started)
    if isinstance(source, Verdict):
        _tell([source], description)
        raise SystemExit(1)
    launcher: Launcher | None = getattr(main, description.launcher, None)
    assert launcher is not None, "its name stands in the source"
    if not _tell(_verdicts(description, source, launcher, started), description).passed:
        raise SystemExit(1)
    if description.showing is not None:
        _show(description, launcher, resolve_device())
    raise SystemExit(0)


def _tell(verdicts: Iterable[Verdict], exercise: Exercise) -> Verdict:
    verdict = print_verdicts(verdicts, exercise, Console())
    remember(verdict, hints_shown=1)
    return verdict


def _verdicts(exercise: Exercise, source: Source, launcher: Launcher, started: float) -> Iterator[Verdict]:
    """Check on the simulator, then with Triton's compiler, and then, if there is a GPU, at full size."""
    on_a_gpu = resolve_device() == "cuda"
    if on_a_gpu:
        outcome = simulate(exercise, source, LIMIT, standard_output(), fork=False)
    else:
        outcome = _simulated_here(exercise, source, launcher, started)
    verdict = verdict_of(exercise, source.file, started, outcome)
    yield verdict
    if verdict.passed:
        verdict = compiled(verdict, new_process)
        yield verdict
    if on_a_gpu and verdict.passed:
        from triton_workshop.checking.full_size import run_on_the_gpu

        done = list(outcome.cases)
        with _limited(exercise, source, started, done):
            full = run_on_the_gpu(exercise, source, launcher, LIMIT, done.append)
        yield replace(verdict_of(exercise, source.file, started, outcome, full), compiler=verdict.compiler)


def _simulated_here(exercise: Exercise, source: Source, launcher: Launcher, started: float) -> Outcome:
    done: list[CaseResult] = []
    judge = Judge(exercise, source, LIMIT)
    with _limited(exercise, source, started, done):
        observer = Observer(launcher, source.file, simulated=True)
        observations = (observer.observe(case.arguments("cpu")) for case in exercise.cases)
        outcome = judged(judge, exercise.cases, observations, done.append)
        if wants_a_picture(exercise, outcome) and exercise.picture:
            outcome = with_picture(exercise, outcome, observer.observe(exercise.picture.arguments("cpu")))
    known, screen = verdict_of(exercise, source.file, started, outcome), sys.stdout

    def last_words(_line: int | None) -> None:
        """Report the verdict that is known when a try does not end."""
        sys.stdout = screen
        _tell([known], exercise)

    with limited(Limit(repair.LIMIT + repair.GRACE, source.file), last_words):
        return located(judge, outcome, partial(diagnosis_of, exercise, source))


def _limited(
    exercise: Exercise, source: Source, started: float, done: list[CaseResult]
) -> AbstractContextManager[None]:
    """Set the time limit; none for somebody who steps through a kernel. `done` is what was checked by then."""
    if "breakpoint(" in source.text or "set_trace(" in source.text:
        return nullcontext()

    def last_words(line: int | None) -> None:
        finding = Judge(exercise, source, LIMIT).timeout(line)
        verdict = verdict_of(exercise, source.file, started, findings=(finding,))
        _tell([replace(verdict, cases=tuple(done))], exercise)

    return limited(Limit(LIMIT, source.file), last_words)


def _show(exercise: Exercise, launcher: Launcher, device: str) -> None:
    assert exercise.showing is not None
    image = load_image(PICTURE, width=SIMULATED_WIDTH if device == "cpu" else None)
    results = exercise.showing.make(launcher, image)
    print(f"{exercise.showing.caption}:", flush=True)
    show_image(torch.cat((image, *results), dim=2))
