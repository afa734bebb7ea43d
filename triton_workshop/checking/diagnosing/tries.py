"""Runs variants of a script on the simulator, and judges them.

This module needs torch.
"""

from __future__ import annotations

import ast
import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from triton_simulator import hooks, record
from triton_workshop.checking.diagnosing.change import Change
from triton_workshop.checking.diagnosing.sight import Watched
from triton_workshop.checking.diagnosing.values import lines_of
from triton_workshop.checking.diagnosing.variants import VARIANT, text_with_variants
from triton_workshop.checking.observing.child import observer_of
from triton_workshop.checking.observing.comparison import Comparison
from triton_workshop.checking.observing.observe import Observation, Observer
from triton_workshop.checking.observing.provenance import Provenance
from triton_workshop.checking.observing.source import Source, names_loaded, names_stored, nodes_of
from triton_workshop.exercises.cases import Case
from triton_workshop.exercises.exercise import Exercise

if TYPE_CHECKING:
    from triton_simulator import Launch

SEARCH_SECONDS = 0.7
"""Processor time for all tries together.

The verdict should come within a second of the save.
"""
SIGHT_SECONDS = 0.8
"""Processor time to look at the numbers of a script in a style of its own, and to recognise its mistake by them."""
SLIP_SECONDS = 4.0
"""Processor time for a script in a style of its own.

The other searches have shown nothing of it. What is wrong has been said before; with a quarter of this, a third fewer
of such scripts get the line and a hint.
"""
LIMIT_SECONDS = 4.0
"""Processor time to run a right script on larger inputs.

The remark comes after the verdict.
"""
CONFIRM_SECONDS = 2.0
"""Processor time to confirm a repair in every case, the long ones too."""
GRACE_SECONDS = 2.0
"""For a try that began within those."""
VARIANTS = 64
"""Changes of a script that are loaded together."""
WATCHED_BYTES = 64 * 2**20
"""Bytes of what all lines of a try compute."""
SLOW = 5
"""Factor by which a variant may be slower than the script's own text.

If it is slower still, it does something else, or is of no use.
"""
SLOW_SECONDS = 1.0
"""Processor time that a variant may take in addition.

A first call takes longer, and so does a garbage collection.
"""
TRIED_FILE = "repaired.py"
"""Name for the texts that are tried: they are in no folder."""


def longest_seconds(seconds: float | None = None) -> float:
    """Return the time after which a try is taken for endless.

    `seconds` are for the search, as in `search.diagnoses_of`: one share each for a repair, for the sight of its values,
    for a known mistake, for a slip and to confirm one, and half a share for each of two searches that go on.
    """
    longest = max(SEARCH_SECONDS + 3 * SIGHT_SECONDS + SLIP_SECONDS + CONFIRM_SECONDS, 2 * LIMIT_SECONDS)
    searched = longest if seconds is None else 6 * seconds
    return searched + GRACE_SECONDS


class TakesTooLong(BaseException):
    """Not an Exception, as no script's `except Exception` may stop it."""


class Tries:
    """Runs variants of a script on the simulator, until the time is up.

    The script itself may take the `longest`, and so may a variant, but only `slow` times as long as the script. Whether
    a variant is `compiled` is whether anybody asks for its kernels.
    """

    def __init__(
        self,
        source: Source,
        seconds: float | None = None,
        slow: float = SLOW,
        longest: float = math.inf,
        *,
        compiled: bool = False,
    ) -> None:
        self._compiled = compiled
        self._source, self._exercise, self._slow, self._longest = source, source.exercise, slow, longest
        self._observers: dict[str, Observer | Observation] = {}
        self._observations: dict[tuple[str, str], Observation] = {}
        self._references: dict[str, Comparison] = {}
        self._loaded = 0
        self._screened = 0
        self._confirms = False
        self._seconds_to_confirm = CONFIRM_SECONDS if seconds is None else seconds
        # Processor time: on a busy machine a hint may come later, but it says as much.
        self._end = time.process_time() + (SEARCH_SECONDS if seconds is None else seconds)

    def extend(self, seconds: float) -> None:
        """From now on there is as much time."""
        self._end = time.process_time() + seconds

    @property
    def remaining(self) -> float:
        """The seconds that are left."""
        return max(self._end - time.process_time(), 0.0)

    def observe(self, text: str, case: Case) -> Observation | None:
        """Observe a script with this text in a case; None when time is up."""
        key = text, case.name
        if key not in self._observations:
            is_baseline = text == self._source.text or math.isinf(self._slow)
            needs_baseline = not (is_baseline or self._confirms)
            baseline = self.observe(self._source.text, case) if needs_baseline else None
            # Only now: the script's own run may have used up the time.
            if time.process_time() > self._end:
                return None
            longest = min(self._longest, self.remaining + SLOW_SECONDS) if self._confirms else self._longest
            with limit_time(
                longest if baseline is None else min(longest, self._slow * baseline.seconds + SLOW_SECONDS)
            ):
                self._observations[key] = self._observe(text, case)
        return self._observations[key]

    def watch(self, text: str, case: Case) -> Watched | None:
        """Observe a text in a case, with what its lines compute.

        Return None when time is up.
        """
        if time.process_time() > self._end:
            return None
        launches = self.record(text, case)
        files = {launch.file for launch in launches}
        return Watched(tuple(launches), lines_of(launches, *files)) if len(files) == 1 else None

    def record(self, text: str, case: Case) -> list[Launch]:
        """Observe a text in a case, and return its launches with their steps."""
        from triton_simulator.steps.recorder import StepOptions  # which imports Triton

        with limit_time(self._longest), record(steps=StepOptions(max_bytes=WATCHED_BYTES)) as launches:
            self._run(text, case)
        return [launch for launch in launches if launch.file.endswith(TRIED_FILE)]

    def is_right(self, text: str, case: Case) -> bool:
        """Return whether a text passes the case; false when time is up."""
        observation = self.observe(text, case)
        return observation is not None and _shows_right_result(self._exercise, case, observation, self._references)

    def passing(self, changes: Sequence[Change], case: Case) -> Iterator[Change]:
        """Yield the changes with which the script passes a case.

        Those that fit together in one text are loaded together; the others are yielded untried, as all are if that text
        cannot be loaded. Once time is up, a
        second call goes on behind those that were tried.
        """
        while self._screened < len(changes):
            if time.process_time() > self._end:
                return
            first = self._screened
            some = changes[first : first + VARIANTS]
            text, fitting = text_with_variants(self._source, some)
            observer = self._observer(text)
            for number, change in enumerate(some, 1):
                if time.process_time() > self._end:
                    return
                # Before the `yield`, as whoever asks may stop there for good.
                self._screened = first + number
                if (
                    number not in fitting
                    or isinstance(observer, Observation)
                    or self._passes_with(observer, number, case)
                ):
                    yield change

    def _passes_with(self, observer: Observer, number: int, case: Case) -> bool:
        import triton.language as tl

        observer.launcher_globals[VARIANT] = tl.constexpr(number)
        baseline = self.observe(self._source.text, case)
        seconds = self._slow * (baseline.seconds if baseline else 0.0) + SLOW_SECONDS
        try:
            with limit_time(min(self._longest, seconds)):
                observation = observer.observe(case.arguments("cpu"), case.integer_bits)
        except TakesTooLong:
            return False
        return _shows_right_result(self._exercise, case, observation, self._references)

    def is_repair(self, text: str, case: Case) -> bool:
        """Return whether a text passes the case with no more work than the script.

        If the script itself has written every element, it has to do so with the same tiles and in no more programs:
        with others, a mistake may only not show. Nor does one show that programs make together if there is only one.
        """
        baseline, observation = self.observe(self._source.text, case), self.observe(text, case)
        if baseline is None or observation is None:
            return False
        if not self.is_right(text, case):
            return False
        if _largest_grid(observation) == 1 < _largest_grid(baseline):  # one program alone does not meet the others
            return False
        if not _is_complete(baseline):
            return True
        if _programs(observation) > _programs(baseline):
            return False
        return _tiles(observation) <= _tiles(baseline)

    def is_right_in_all(self, text: str) -> bool:
        """Return whether a text passes every case, and wastes no work.

        False if time is up before the long cases.
        """
        started, end = time.process_time(), self._end
        self._end, self._confirms = started + self._seconds_to_confirm, True
        try:
            # The last cases tell the most mistakes apart.
            usual, long = reversed(self._exercise.cases), self._exercise.long_cases
            is_right = all(self._is_confirmed(text, case) for case in usual)
            if not is_right:
                return False
            return all(self._is_confirmed_or_late(text, case) for case in long)
        finally:
            self._seconds_to_confirm -= time.process_time() - started
            # To confirm a repair takes none of the search's time.
            self._end, self._confirms = end + time.process_time() - started, False

    def _is_confirmed(self, text: str, case: Case) -> bool:
        return self.is_right(text, case) and not self._wastes(text, case)

    def _is_confirmed_or_late(self, text: str, case: Case) -> bool:
        return self._is_confirmed(text, case) or self._is_late(text, case)

    def _is_late(self, text: str, case: Case) -> bool:
        """Return whether time was up before a text had passed or failed a case."""
        observation = self._observations.get((text, case.name))
        return observation is None or observation.timed_out

    def _wastes(self, text: str, case: Case) -> bool:
        """Return whether programs do nothing, or do what others have done.

        As many as the script has, where that was run in this case, may do nothing.
        """
        observation, baseline = self.observe(text, case), self._observations.get((self._source.text, case.name))
        if observation is None:
            return True
        programs = _programs(baseline or observation)
        is_empty = any(launch.programs == 0 for launch in observation.launches)
        if is_empty:  # what does nothing is not wrong
            return True
        stores_again = any(launch.stored_again for launch in observation.launches)
        is_idle = any(launch.idle > max(programs, 1) for launch in observation.launches)
        return stores_again or is_idle

    def _observe(self, text: str, case: Case) -> Observation:
        return self._run(text, case)

    def _run(self, text: str, case: Case) -> Observation:
        # Only a loop that loads anything can be ended: see `limit_time`.
        if "while" in text and _never_ends(text):
            return Observation(timed_out=True)
        observer = self._observers.pop(text, None) or self._observer(text)
        if not case.is_large:  # an observer keeps the last arguments: some tries of those, and no process can be forked
            self._observers[text] = observer
        if isinstance(observer, Observation):
            return observer
        try:
            return observer.observe(case.arguments("cpu"), case.integer_bits)
        except TakesTooLong:
            return Observation(timed_out=True)

    def _observer(self, text: str) -> Observer | Observation:
        # Each has its own name, because Triton finds a kernel's source by its file.
        self._loaded += 1
        file = Path(f"{self._loaded}-{TRIED_FILE}").resolve()
        return observer_of(Source(file, text, self._exercise), compiled=self._compiled)


def _largest_grid(observation: Observation) -> int:
    return max((launch.programs for launch in observation.launches), default=0)


def _is_complete(observation: Observation) -> bool:
    """Return whether a call is known to write every element, without a fault."""
    unwritten = None if observation.output is None else observation.output.unwritten
    if unwritten is None:
        return False
    return not unwritten.any() and not observation.faults


def _programs(observation: Observation) -> int:
    return sum(launch.programs for launch in observation.launches)


def _tiles(observation: Observation) -> set[tuple[str, str, int | float]]:
    """The sizes of blocks in its launches."""
    found = set[tuple[str, str, int | float]]()
    for launch in observation.launches:
        sizes = ((launch.kernel, name, size) for name, size in launch.numbers.items())
        found.update(block for block in sizes if "BLOCK" in block[1].upper())
    return found


@contextmanager
def limit_time(seconds: float) -> Iterator[None]:
    """End the launches of a try after so many seconds of processor time."""
    end = time.process_time() + seconds

    def check() -> None:
        if time.process_time() > end:
            raise TakesTooLong

    hooks.load_hooks.append(check)
    try:
        yield
    finally:
        hooks.load_hooks.remove(check)


def _never_ends(text: str) -> bool:
    """Return whether a `while` loop has lost what changes its condition.

    It would take all the time there is.
    """
    with suppress(SyntaxError):
        loops = nodes_of(ast.parse(text), ast.While)
        without_change = (loop for loop in loops if names_stored(loop).isdisjoint(names_loaded(loop.test)))
        return not all(map(_has_exit, without_change))
    return False


def _has_exit(loop: ast.While) -> bool:
    return any(isinstance(node, ast.Break | ast.Return) for node in ast.walk(loop))


def _shows_right_result(
    exercise: Exercise, case: Case, observation: Observation, references: dict[str, Comparison]
) -> bool:
    """Return whether a call gave the right result.

    `references` keeps what is right in each case.
    """
    output = observation.output
    if output is None or output.provenance not in (Provenance.KERNEL, Provenance.COPY):
        return False
    if observation.changed_inputs:
        return False
    if observation.faults:
        return False
    if case.name not in references:
        references[case.name] = Comparison(exercise, case.arguments("cpu"), observation)
    reference = references[case.name]
    if output.values.dtype != exercise.result_dtype(*reference.arguments):
        return False
    return reference.of_call(observation).right
