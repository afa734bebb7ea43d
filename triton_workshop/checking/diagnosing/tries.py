"""Runs variants of a script on the simulator, to see which of them are right. Needs torch."""

from __future__ import annotations

import ast
import math
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from triton_simulator import hooks
from triton_workshop.checking.observing.child import observer_of
from triton_workshop.checking.observing.comparison import Comparison
from triton_workshop.checking.observing.observe import Observation, Observer
from triton_workshop.checking.observing.provenance import Provenance
from triton_workshop.checking.observing.source import Source, names_loaded, names_stored
from triton_workshop.exercises.cases import Case
from triton_workshop.exercises.exercise import Exercise

SEARCH_SECONDS = 0.7
"""Of processor time, for all tries together: the verdict should come within a second of the save."""
SLIP_SECONDS = 2.5
"""Of processor time, for a script in a style of its own, of which the others have shown nothing."""
LIMIT_SECONDS = 4.0
"""Of processor time, to run a right script on larger inputs, for a remark that comes after the verdict."""
CONFIRM_SECONDS = 4.0
"""Of processor time, to try in every case, the long ones too, what seems to make such a script right."""
GRACE_SECONDS = 2.0
"""For a try that began within those."""
SLOW = 5
"""A variant may take so many times as long as the script's own text: then it does something else, or is of no use."""
SLOW_SECONDS = 1.0
"""And this in addition, of processor time: a first time takes longer, and so does a garbage collection."""
TRIED_FILE = "repaired.py"
"""What the texts that are tried are called: they are not in any folder."""


def longest_seconds(seconds: float | None = None) -> float:
    """After so many seconds, a try does not end; `seconds` are for the search, as in `search.diagnoses_of`."""
    longest = max(SEARCH_SECONDS + SLIP_SECONDS + CONFIRM_SECONDS, 2 * LIMIT_SECONDS)
    searched = longest if seconds is None else 2.5 * seconds
    return searched + GRACE_SECONDS


class _TakesTooLong(BaseException):
    """Not an Exception, as no script's `except Exception` may stop it."""


class Tries:
    """Runs variants of a script on the simulator, until the time is up.

    The script itself may take the `longest`, and so may a variant, but only `slow` times as long as the script.
    """

    def __init__(
        self, source: Source, seconds: float | None = None, slow: float = SLOW, longest: float = math.inf
    ) -> None:
        self._source, self._exercise, self._slow, self._longest = source, source.exercise, slow, longest
        self._observers: dict[str, Observer | Observation] = {}
        self._seen: dict[tuple[str, str], Observation] = {}
        # Processor time: on a busy machine a hint may come later, but it says as much.
        self._end = time.process_time() + (SEARCH_SECONDS if seconds is None else seconds)

    def extend(self, seconds: float) -> None:
        """From now on there is as much time."""
        self._end = time.process_time() + seconds

    def observe(self, text: str, case: Case) -> Observation | None:
        """Observe what a script with this text does in a case; None when the time is up."""
        key = text, case.name
        if key not in self._seen:
            own = None if text == self._source.text else self.observe(self._source.text, case)
            if time.process_time() > self._end:
                return None
            with _limited(
                self._longest if own is None else min(self._longest, self._slow * own.seconds + SLOW_SECONDS)
            ):
                self._seen[key] = self._observe(text, case)
        return self._seen[key]

    def right(self, text: str, case: Case) -> bool:
        """Whether it passes the case; false when the time is up."""
        seen = self.observe(text, case)
        return seen is not None and _is_right(self._exercise, case, seen)

    def repaired(self, text: str, case: Case) -> bool:
        """Whether it passes the case.

        If the script itself has written every element, it has to do so with the same tiles and in no more programs:
        with others, a mistake may only not show.
        """
        own, seen = self.observe(self._source.text, case), self.observe(text, case)
        if own is None or seen is None or not self.right(text, case):
            return False
        complete = own.unwritten is not None and not own.unwritten.any() and not own.faults
        return not complete or (_programs(seen) <= _programs(own) and _tiles(seen) <= _tiles(own))

    def right_in_all(self, text: str) -> bool:
        """Whether it passes every case, and does no work twice or for nothing; false if time is up."""
        cases = self._exercise.simulated_cases
        return all(self.repaired(text, case) and not self._wastes(text, case) for case in cases)

    def _wastes(self, text: str, case: Case) -> bool:
        seen, earlier = self.observe(text, case), self.observe(self._source.text, case)
        if seen is None or earlier is None:
            return True
        programs = _programs(earlier)
        if any(launch.programs == 0 for launch in seen.launches):  # what does nothing is not wrong
            return True
        return any(launch.stored_again or launch.idle > max(programs, 1) for launch in seen.launches)

    def _observe(self, text: str, case: Case) -> Observation:
        if "while" in text and _never_ends(text):
            return Observation(timed_out=True)
        observer = self._observers.pop(text, None)
        if observer is None:
            # Each has its own name, because Triton finds a kernel's source by its file.
            file = Path(f"{len(self._seen)}-{TRIED_FILE}").resolve()
            observer = observer_of(Source(file, text, self._exercise), compiled=False)
        if not case.is_large:  # an observer keeps the last arguments: some tries of those, and no process can be forked
            self._observers[text] = observer
        if isinstance(observer, Observation):
            return observer
        try:
            return observer.observe(case.arguments("cpu"), case.integer_bits)
        except _TakesTooLong:
            return Observation(timed_out=True)


def _programs(seen: Observation) -> int:
    return sum(launch.programs for launch in seen.launches)


def _tiles(seen: Observation) -> set[tuple[str, str, int | float]]:
    """The sizes of blocks in its launches."""
    sizes = ((launch.kernel, name, size) for launch in seen.launches for name, size in launch.numbers.items())
    return {each for each in sizes if "BLOCK" in each[1].upper()}


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """End the launches of a try after so many seconds of processor time."""
    end = time.process_time() + seconds

    def check() -> None:
        if time.process_time() > end:
            raise _TakesTooLong

    hooks.load_hooks.append(check)
    try:
        yield
    finally:
        hooks.load_hooks.remove(check)


def _never_ends(text: str) -> bool:
    """Whether a `while` loop of a variant has lost what changes its condition: it would take all the time there is."""
    with suppress(SyntaxError):
        loops = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.While))
        return any(names_stored(loop).isdisjoint(names_loaded(loop.test)) and not _is_left(loop) for loop in loops)
    return False


def _is_left(loop: ast.While) -> bool:
    return any(isinstance(node, ast.Break | ast.Return) for node in ast.walk(loop))


def _is_right(exercise: Exercise, case: Case, seen: Observation) -> bool:
    arguments = case.arguments("cpu")
    if seen.provenance not in (Provenance.KERNEL, Provenance.COPY) or seen.changed_inputs or seen.faults:
        return False
    assert seen.output is not None, "a kernel has stored it"
    return seen.output.dtype == exercise.result_dtype(*arguments) and Comparison(exercise, arguments, seen).right
