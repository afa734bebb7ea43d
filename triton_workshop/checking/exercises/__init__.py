"""The one description of each exercise."""

from triton_workshop.checking.exercises import add, conv2d, matmul, sepia
from triton_workshop.checking.exercises.exercise import Exercise

EXERCISES: dict[str, Exercise] = {
    exercise.number: exercise for exercise in (add.EXERCISE, sepia.EXERCISE, conv2d.EXERCISE, matmul.EXERCISE)
}
REQUIRED: dict[str, Exercise] = {number: exercise for number, exercise in EXERCISES.items() if not exercise.optional}
"""Without the variations: what everybody does."""


def variation_of(exercise: Exercise) -> Exercise | None:
    """More of the same, for those who are done early."""
    return EXERCISES.get(f"{exercise.number}b")


__all__ = ["EXERCISES", "REQUIRED", "variation_of"]
