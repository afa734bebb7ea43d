"""The one description of each exercise."""

from triton_workshop.checking.exercises import add, conv2d, matmul, sepia
from triton_workshop.checking.exercises.exercise import Exercise

EXERCISES: dict[int, Exercise] = {
    exercise.number: exercise for exercise in (add.EXERCISE, sepia.EXERCISE, conv2d.EXERCISE, matmul.EXERCISE)
}

__all__ = ["EXERCISES"]
