"""Smaller cases for a page, which has little memory.

They stand in for the cases whose tensors lie so far apart that even mapping them takes gigabytes.
"""

from __future__ import annotations

import sys
from dataclasses import replace

from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.cases import Case
from triton_workshop.exercises.exercise import Exercise

MAPPED_BYTES = 10 << 30
"""Memory of such a case: tensors, and marks of reads and stores."""
PIECE_BYTES = 2 << 30


def fit_to_memory(exercise: Exercise) -> Exercise:
    """The exercise, with cases that this process has memory for."""
    has_large_cases = any(case.scaled_down for case in exercise.simulated_cases)
    if not has_large_cases:
        return exercise
    if _can_map():
        return exercise
    cases = tuple(map(_scaled_down, exercise.cases))
    long_cases = tuple(map(_scaled_down, exercise.long_cases))
    return replace(exercise, cases=cases, long_cases=long_cases)


def _scaled_down(case: Case) -> Case:
    return case.scaled_down or case


def substitution_notes(exercise: Exercise) -> tuple[str, ...]:
    """Return a sentence on each case that stands in for another one."""
    originals = EXERCISES[exercise.number].simulated_cases
    return tuple(
        f"{original.name}: this takes {MAPPED_BYTES >> 30} GiB of memory, so it was tried with rows closer to each "
        f"other and an int32 of {case.integer_bits} bits."
        for case, original in zip(exercise.simulated_cases, originals, strict=True)
        if case is original.scaled_down
    )


def _can_map() -> bool:
    import numpy as np

    # WebAssembly has addresses of 32 bits.
    if sys.maxsize < MAPPED_BYTES:
        return False
    # In pieces, as the cases map several tensors: one block of this size may be refused where those are not.
    try:
        _ = [np.empty(PIECE_BYTES, np.uint8) for _ in range(MAPPED_BYTES // PIECE_BYTES)]
    except MemoryError:
        return False
    return True
