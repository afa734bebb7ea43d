"""The one description of each exercise, in a folder found by listing."""

from importlib import import_module
from pkgutil import iter_modules

from triton_workshop.errors import MisuseError
from triton_workshop.exercises.exercise import Exercise

__all__ = ["EXERCISES", "REQUIRED", "get_exercise", "variations_of"]


def _list_exercises() -> list[Exercise]:
    folders = (f"{__name__}.{module.name}" for module in iter_modules(__path__) if module.ispkg)
    exercises: list[Exercise] = [import_module(folder).EXERCISE for folder in folders]
    return sorted(exercises, key=lambda exercise: exercise.position)


EXERCISES = {exercise.number: exercise for exercise in _list_exercises()}
"""In the order in which they are done.

A warm-up comes first, then its exercise, then the variations of that.
"""
REQUIRED = {number: exercise for number, exercise in EXERCISES.items() if not exercise.is_optional}
"""The exercises that everybody does, without warm-ups and variations."""


def get_exercise(number: str) -> Exercise:
    """Return the exercise with this number.

    Raises MisuseError if there is none.
    """
    if number not in EXERCISES:
        raise MisuseError(f"there is no exercise {number}; the exercises are {', '.join(EXERCISES)}")
    return EXERCISES[number]


def variations_of(exercise: Exercise) -> tuple[Exercise, ...]:
    """Return the later variations of an exercise, for those who finish early."""
    if exercise.is_warm_up:
        return ()
    family = (other for other in EXERCISES.values() if other.position[0] == exercise.position[0])
    return tuple(other for other in family if other.position > exercise.position)
