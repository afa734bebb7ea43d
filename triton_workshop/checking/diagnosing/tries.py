"""Runs variants of a script on the simulator, to see which of them are right. Needs torch."""

from __future__ import annotations

import time
from pathlib import Path

from triton_workshop.checking.exercises.exercise import Case, Exercise, result_dtype
from triton_workshop.checking.observing.child import observer_of
from triton_workshop.checking.observing.comparison import Comparison
from triton_workshop.checking.observing.observe import Observation, Observer, Provenance
from triton_workshop.checking.observing.source import Source

SEARCH_SECONDS = 0.7
"""Of processor time, for all tries together: the verdict should come within a second of the save."""
SLIP_SECONDS = 1.5
"""Of processor time, for a script in a style of its own, of which the others have shown nothing."""
GRACE_SECONDS = 2.0
"""For a try that began within those."""
TRIED_FILE = "repaired.py"
"""What the texts that are tried are called: they are not in any folder."""


def longest_seconds() -> float:
    """After so many seconds, a try does not end."""
    return SEARCH_SECONDS + SLIP_SECONDS + GRACE_SECONDS


class Tries:
    """Runs variants of a script on the simulator, until the time is up."""

    def __init__(self, exercise: Exercise, seconds: float | None = None) -> None:
        self._exercise = exercise
        self._observers: dict[str, Observer | Observation] = {}
        self._seen: dict[tuple[str, str], Observation] = {}
        # Processor time: on a busy machine a hint may come later, but it says as much.
        self._end = time.process_time() + (SEARCH_SECONDS if seconds is None else seconds)

    def observe(self, text: str, case: Case) -> Observation | None:
        """Observe what a script with this text does in a case; None when the time is up."""
        key = text, case.name
        if key not in self._seen:
            if time.process_time() > self._end:
                return None
            self._seen[key] = self._observe(text, case)
        return self._seen[key]

    def right(self, text: str, case: Case) -> bool:
        """Whether it passes the case; false when the time is up."""
        seen = self.observe(text, case)
        return seen is not None and _is_right(self._exercise, case, seen)

    def _observe(self, text: str, case: Case) -> Observation:
        if text not in self._observers:
            # Each has its own name, because Triton finds a kernel's source by its file.
            file = Path(f"{len(self._observers)}-{TRIED_FILE}").resolve()
            self._observers[text] = observer_of(Source(file, text, self._exercise))
        observer = self._observers[text]
        return observer if isinstance(observer, Observation) else observer.observe(case.arguments("cpu"))


def _is_right(exercise: Exercise, case: Case, seen: Observation) -> bool:
    arguments = case.arguments("cpu")
    if seen.provenance not in (Provenance.KERNEL, Provenance.COPY) or seen.changed_inputs or seen.faults:
        return False
    assert seen.output is not None, "a kernel has stored it"
    return seen.output.dtype == result_dtype(arguments) and Comparison(exercise, arguments, seen).right
