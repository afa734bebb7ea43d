"""Judges a script in this process, by the steps of `check`, which has children do them: forks for each would be slow.

The findings are those that `check` comes to, as long as a script leaves nothing behind here. `OWN_PROCESS` says which
scripts would; one that does, although it is not among them, is an error.
"""

from __future__ import annotations

import contextlib
import contextvars
import io
import linecache
import os
import pickle
import random
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar
from unittest import mock

import numpy as np
import torch

from triton_workshop.checking.check import CheckRequest, check, source_or_verdict, verdict_of
from triton_workshop.checking.compiling import check_compilation
from triton_workshop.checking.diagnosing import tries
from triton_workshop.checking.diagnosing.limits import Limit
from triton_workshop.checking.diagnosing.tries import Tries
from triton_workshop.checking.in_process_runner import InProcessRunner
from triton_workshop.checking.judging.judge import Judge
from triton_workshop.checking.judging.trial import Trial, trials
from triton_workshop.checking.judging.unfinished import try_todos
from triton_workshop.checking.judging.verdict import Verdict
from triton_workshop.checking.observing.child import prepare
from triton_workshop.checking.observing.observe import Observation
from triton_workshop.checking.observing.source import Source
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.cases import Case
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.processes.call import TimeLimit, limited
from triton_workshop.processes.compilers import new_process

T = TypeVar("T")
LIMIT_SECONDS = 600.0
"""Seconds for one script, which ends this process: more than it takes on a machine with much else to do."""
SEARCH_SECONDS = 4.0
"""Seconds of the processor for the search for a mistake: many times what it takes to find one that is known."""
CRASH_SEARCH_SECONDS = 2.0
"""For its line only. What an error means is known by its message, but the search goes on through all mistakes."""
OWN_PROCESS = {
    "timeout": "only a process can be ended",
    "exits": "it ends its process",
    "waits": "it reads standard input, and a debugger stays in the process",
    "patches": "it puts something of its own in the place of what is PyTorch's",
    "imported-reference": "it has the checker's own modules in its hands",
}
"""By the kind of a finding, the name of its hints, or what a table says: why a script has a process of its own.

What is expected of a script decides; what comes out never does.
"""


def needs_its_own_process(*expected: str | None) -> bool:
    """Whether a script does, of which a finding of this kind, with hints of this name, is expected."""
    return not OWN_PROCESS.keys().isdisjoint(expected)


def verdict_on(exercise: Exercise, file: Path, *expected: str | None, limit: float = LIMIT_SECONDS) -> Verdict:
    """The verdict on a script of which this finding is expected: from a process of its own where it needs one."""
    if needs_its_own_process(*expected):
        return check(CheckRequest(exercise, file, limit_seconds=limit))
    verdict = judge_here(exercise, file, search=CRASH_SEARCH_SECONDS if "crash" in expected else SEARCH_SECONDS)
    asks = verdict.passed and not {"does-not-compile", "does-not-fit"}.isdisjoint(expected)
    return check_compilation(verdict, new_process) if asks else verdict


def judge_here(
    exercise: Exercise, file: Path, *, search: float = SEARCH_SECONDS, looks_further: bool = False
) -> Verdict:
    """The verdict on a script that leaves nothing behind. No picture comes with it.

    `looks_further`: a right script is tried on larger inputs and with other tile sizes too, which takes long.
    """
    beginning = time.perf_counter()
    file = file.resolve()
    source = source_or_verdict(exercise, file, beginning)
    if isinstance(source, Verdict):
        return source
    prepare()
    runner = InProcessRunner if looks_further else _Quick
    limit = limited(TimeLimit(LIMIT_SECONDS, file), partial(_give_up, file))
    with unhurried(search), _edits_seen_once(), _nothing_left_behind(file), limit:
        # A script's allocator for Triton is a context variable: in a copy it stays the script's own.
        outcome = contextvars.copy_context().run(_judged, runner(source, _Silent(), LIMIT_SECONDS))
    return verdict_of(exercise, file, beginning, outcome, text=source.text)


def right_todos(source: Source) -> list[int]:
    """The TODOs of an unfinished script that are right, of those that are filled in."""
    file = source.file.resolve()
    prepare()
    limit = limited(TimeLimit(LIMIT_SECONDS, file), partial(_give_up, file))
    with _edits_seen_once(), _nothing_left_behind(file), limit:
        tried = contextvars.copy_context().run(try_todos, source, LIMIT_SECONDS)
    return [todo.number for todo in tried.todos if todo.right]


def unhurried(search: float = SEARCH_SECONDS) -> AbstractContextManager[object]:
    """The search for a mistake takes its time: how fast a machine is must not change what is found."""
    unhurried = contextlib.ExitStack()
    unhurried.enter_context(mock.patch.object(tries, "SEARCH_SECONDS", search))
    unhurried.enter_context(mock.patch.object(tries, "SIGHT_SECONDS", search))
    unhurried.enter_context(mock.patch.object(tries, "SLIP_SECONDS", 3 * search))
    unhurried.enter_context(mock.patch.object(tries, "CONFIRM_SECONDS", search))
    unhurried.enter_context(mock.patch.object(tries, "LIMIT_SECONDS", 3 * search))
    unhurried.enter_context(mock.patch.object(tries, "GRACE_SECONDS", LIMIT_SECONDS))
    return unhurried


_SEEN: dict[tuple[str, str, str], Observation] = {}
"""What the edits of the solutions do, by exercise, text and case."""


@cache
def _edits(number: str) -> frozenset[str]:
    exercise = EXERCISES[number]
    edits = [edit for mistake in exercise.mistakes for edit in mistake.edits if edit.applies_to(exercise.solution)]
    return frozenset(edit.apply(exercise.solution) for edit in edits)


def _edits_seen_once() -> AbstractContextManager[object]:
    """Every search tries edits of the same solution, and they do the same every time: half of the time of a search."""
    observe = Tries._observe

    def observe_once(tried: Tries, text: str, case: Case) -> Observation:
        number = tried._exercise.number
        if text not in _edits(number):
            return observe(tried, text, case)
        key = number, text, case.name
        if key in _SEEN:
            return _SEEN[key]
        seen = observe(tried, text, case)
        if not seen.timed_out:  # another script may take longer
            _SEEN[key] = seen
        return seen

    return mock.patch.object(Tries, "_observe", observe_once)


def told(verdict: Verdict) -> str:
    """All that a verdict says but for the seconds, and for pictures, which only `check` makes."""
    findings = tuple(replace(finding, pictures=()) for finding in verdict.findings)
    return repr(replace(verdict, seconds=0, findings=findings))  # as text: an element that is NaN is equal to itself


def _judged(runner: InProcessRunner) -> Trial:
    *_, last = trials(Judge(runner.source, runner.limit_seconds), runner)
    return last


class _Quick(InProcessRunner):
    """It leaves out what takes long: pictures, larger inputs and other sizes."""

    def observe_picture(self, _case: Case) -> None:
        return None

    def find_limits(self) -> list[Limit]:
        return []

    def find_other_size(self) -> None:
        return None


class _Silent:
    """Sets no time limit, and lets no script print."""

    def observe(self, observations: Iterator[Observation], _seconds: float) -> Generator[Observation, None, None]:
        with _unheard():
            yield from observations

    def search(self, function: Callable[[], T], _trial: Trial | None = None) -> T:
        return function()


@contextlib.contextmanager
def _unheard() -> Iterator[None]:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


def _give_up(file: Path, line: int | None) -> None:
    """The last words of this process: pytest tells which test it was at."""
    os.write(2, f"\n{file}, line {line}: not done after {LIMIT_SECONDS:g} s, in the process of the tests\n".encode())


@contextlib.contextmanager
def _nothing_left_behind(file: Path) -> Iterator[None]:
    """Undo what loading a script does to this process, and make sure that the script itself has done nothing more."""
    before = _state()
    packages, lines, threads = _packages(), dict(linecache.cache), _threads()
    arguments, path = sys.argv, sys.path[:]
    try:
        yield
    finally:
        sys.argv, sys.path[:] = arguments, path
        sys.modules.pop("script_being_checked", None)
        linecache.cache.clear()
        linecache.cache.update(lines)
    after = _state()
    left = [name for name in before if before[name] != after[name]]
    left += ["threads"] if _threads() - threads else []
    left += sorted(_packages() - packages - sys.stdlib_module_names)
    assert not left, f"{file} changes {', '.join(left)}: it needs a process of its own, see OWN_PROCESS"


def _packages() -> set[str]:
    """What is imported. Libraries import more of themselves when they need it."""
    return {name.partition(".")[0] for name in sys.modules}


def _names(owner: object) -> dict[str, object]:
    """Without the names that Triton's first launch adds: modules, and Python's own."""
    items = vars(owner).items()
    return {name: value for name, value in items if name[:2] != "__" and not isinstance(value, ModuleType)}


def _threads() -> set[threading.Thread]:
    """Without timers that have nothing more to do, such as that of a limit, and are about to end."""
    every = threading.enumerate()
    return {thread for thread in every if not (isinstance(thread, threading.Timer) and thread.finished.is_set())}


def _state() -> dict[str, Any]:
    """What else scripts may change in a process."""
    import triton
    import triton.language as tl

    names = (torch, triton, tl, tl.core, tl.math, tl.tensor, tl.dtype)
    return {
        "the environment": dict(os.environ),
        "the current folder": Path.cwd(),
        "signals": [signal.getsignal(number) for number in signal.valid_signals()],
        "the tracing of calls": (sys.gettrace(), sys.getprofile(), sys.excepthook, sys.breakpointhook),
        "standard input and output": (sys.stdin, sys.stdout, sys.stderr),
        "warnings": list(warnings.filters),
        "random numbers": (
            random.getstate(),
            pickle.dumps(np.random.get_state()),
            bytes(torch.get_rng_state().numpy()),
        ),
        "PyTorch's settings": (
            torch.get_default_dtype(),
            torch.get_default_device(),
            torch.get_num_threads(),
            torch.is_grad_enabled(),
            torch.get_deterministic_debug_mode(),
            torch.get_float32_matmul_precision(),
        ),
        **{f"names of {owner.__name__}": _names(owner) for owner in names},
    }
