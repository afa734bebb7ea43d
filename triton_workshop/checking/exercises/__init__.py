"""The one description of each exercise."""

from triton_workshop.checking.exercises import (
    add,
    attention,
    axpy,
    causal_attention,
    conv2d,
    cross_entropy,
    cross_entropy_backward,
    int4_linear,
    layer_norm,
    linear_relu,
    matmul,
    sepia,
    sepia_edges,
    sepia_strided,
    softmax,
)
from triton_workshop.checking.exercises.exercise import Exercise
from triton_workshop.errors import MisuseError

_MODULES = (
    *(add, axpy, sepia, sepia_strided, conv2d, sepia_edges, matmul, linear_relu),
    *(softmax, cross_entropy, cross_entropy_backward, layer_norm, attention, causal_attention, int4_linear),
)
EXERCISES: dict[str, Exercise] = {module.EXERCISE.number: module.EXERCISE for module in _MODULES}
"""In the order in which they are done: a warm-up, its exercise, and the variations of that."""
REQUIRED: dict[str, Exercise] = {number: exercise for number, exercise in EXERCISES.items() if not exercise.optional}
"""The exercises that everybody does, without warm-ups and variations."""


def variations_of(exercise: Exercise) -> tuple[Exercise, ...]:
    """More of the same, for those who finish early: of a variation, those that follow it."""
    if exercise.warm_up:
        return ()
    numbers = (f"{exercise.number.rstrip('bcd')}{letter}" for letter in "bcd")
    return tuple(EXERCISES[number] for number in numbers if number in EXERCISES and number > exercise.number)


__all__ = ["EXERCISES", "REQUIRED", "variations_of"]


def exercise_numbered(number: str) -> Exercise:
    """Return the exercise with this number. Raises MisuseError if there is none."""
    if number not in EXERCISES:
        raise MisuseError(f"there is no exercise {number}; the exercises are {', '.join(EXERCISES)}")
    return EXERCISES[number]
