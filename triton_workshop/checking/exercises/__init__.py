"""The one description of each exercise."""

from triton_workshop.checking.exercises import (
    add,
    axpy,
    conv2d,
    linear_relu,
    matmul,
    sepia,
    sepia_edges,
    sepia_strided,
)
from triton_workshop.checking.exercises.exercise import Exercise
from triton_workshop.errors import MisuseError

_MODULES = (add, axpy, sepia, sepia_strided, conv2d, sepia_edges, matmul, linear_relu)
EXERCISES: dict[str, Exercise] = {module.EXERCISE.number: module.EXERCISE for module in _MODULES}
REQUIRED: dict[str, Exercise] = {number: exercise for number, exercise in EXERCISES.items() if not exercise.optional}
"""The exercises that everybody does, without the variations."""


def variation_of(exercise: Exercise) -> Exercise | None:
    """More of the same, for those who finish early."""
    return EXERCISES.get(f"{exercise.number}b")


__all__ = ["EXERCISES", "REQUIRED", "variation_of"]


def exercise_numbered(number: str) -> Exercise:
    """Return the exercise with this number. Raises MisuseError if there is none."""
    if number not in EXERCISES:
        raise MisuseError(f"there is no exercise {number}; the exercises are {', '.join(EXERCISES)}")
    return EXERCISES[number]
