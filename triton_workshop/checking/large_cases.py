"""Scales down the cases whose tensors lie far apart, where there is too little memory even to map them: in a page."""

from __future__ import annotations

import sys
from dataclasses import replace

from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.exercise import Exercise

MAPPED_BYTES = 10 << 30
"""What such a case takes in all: tensors, and marks of the elements that were read and stored to."""
PIECE_BYTES = 2 << 30


def that_fit(exercise: Exercise) -> Exercise:
    """The exercise, with cases that this process has memory for."""
    if not any(case.scaled_down for case in exercise.simulated_cases) or _can_map():
        return exercise
    cases, long_cases = (
        tuple(case.scaled_down or case for case in some) for some in (exercise.cases, exercise.long_cases)
    )
    return replace(exercise, cases=cases, long_cases=long_cases)


def what_stands_in(exercise: Exercise) -> tuple[str, ...]:
    """A sentence on each case that stands in for another one."""
    given = EXERCISES[exercise.number].simulated_cases
    return tuple(
        f"{instead_of.name}: this takes {MAPPED_BYTES >> 30} GiB of memory, so it was tried with rows closer to each "
        f"other and an int32 of {case.integer_bits} bits."
        for case, instead_of in zip(exercise.simulated_cases, given, strict=True)
        if case is instead_of.scaled_down
    )


def _can_map() -> bool:
    import numpy as np

    if sys.maxsize < MAPPED_BYTES:
        return False
    try:
        _ = [np.empty(PIECE_BYTES, np.uint8) for _ in range(MAPPED_BYTES // PIECE_BYTES)]
    except MemoryError:
        return False
    return True
