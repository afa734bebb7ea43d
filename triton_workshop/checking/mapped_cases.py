"""Leaves out the cases whose tensors lie far apart, where there is too little memory even to map them: in a page."""

from __future__ import annotations

import sys
from dataclasses import replace

from triton_workshop.checking.exercises import EXERCISES
from triton_workshop.checking.exercises.exercise import Exercise

MAPPED_BYTES = 10 << 30
"""What such a case takes in all: tensors, and marks of the elements that were read and stored to."""
PIECE_BYTES = 2 << 30


def that_fit(exercise: Exercise) -> Exercise:
    """The exercise, with the cases that this process has memory for."""
    if not any(case.mapped for case in exercise.simulated_cases) or _can_map():
        return exercise
    cases, long_cases = (
        tuple(case for case in some if not case.mapped) for some in (exercise.cases, exercise.long_cases)
    )
    return replace(exercise, cases=cases, long_cases=long_cases)


def left_out(exercise: Exercise) -> tuple[str, ...]:
    """A sentence on the cases that do not fit; none if all do."""
    tried = exercise.simulated_cases
    names = [case.name for case in EXERCISES[exercise.number].simulated_cases if case not in tried]
    needs = f"It needs {MAPPED_BYTES >> 30} GiB of memory, most of it only mapped."
    return (f"Left out: {', '.join(names)}. {needs}",) if names else ()


def _can_map() -> bool:
    import numpy as np

    if sys.maxsize < MAPPED_BYTES:
        return False
    try:
        _ = [np.empty(PIECE_BYTES, np.uint8) for _ in range(MAPPED_BYTES // PIECE_BYTES)]
    except MemoryError:
        return False
    return True
