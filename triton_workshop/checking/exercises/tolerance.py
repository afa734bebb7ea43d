"""How far a right kernel may be from the exact result."""

from __future__ import annotations

import torch

from triton_workshop.checking.exercises.exercise import Exercise

EXTRA_ROUNDINGS = 2
"""Beyond the sum: a constant rounded to the dtype, and the result rounded when it is stored."""


def tolerance(exercise: Exercise, arguments: tuple[torch.Tensor, ...]) -> torch.Tensor:
    """Return the largest admissible error of each output element, as float64 in the output's shape.

    A sum of n products, in any order, is off by at most n·u / (1 - n·u) times the sum of the products' absolute
    values, u being half the distance from 1 to the next number (Higham, Accuracy and Stability of Numerical
    Algorithms, 2nd ed., section 3.1). The sum of absolute values is the reference itself, given absolute values.
    """
    magnitude = exercise.reference(*(argument.double().abs() for argument in arguments))
    return magnitude * relative_tolerance(exercise, arguments)


def relative_tolerance(exercise: Exercise, arguments: tuple[torch.Tensor, ...]) -> float:
    """The same for each unit of the sum of absolute values."""
    unit_roundoff = torch.finfo(arguments[0].dtype).eps / 2
    roundings = (exercise.reduction_length(*arguments) + EXTRA_ROUNDINGS) * unit_roundoff
    return roundings / (1 - roundings)


def in_words(exercise: Exercise, arguments: tuple[torch.Tensor, ...]) -> str:
    """What a verdict says about the tolerance."""
    terms = exercise.reduction_length(*arguments)
    dtype = str(arguments[0].dtype).removeprefix("torch.")
    relative = relative_tolerance(exercise, arguments)
    of = "its absolute value" if terms == 1 else f"the sum of the absolute values of its {terms:,} terms"
    return f"{dtype}: an element may be off by {relative:.1g} of {of}"
