"""How far a right kernel may be from the exact result."""

from __future__ import annotations

import torch

from triton_workshop.exercises.exercise import Exercise, in_float64

EXTRA_ROUNDINGS = 2
"""Beyond the sum: a constant rounded to the dtype of the arithmetic, and the result rounded to it."""

TF32_CUT = 2.0**-10
"""Relative: TF32 keeps 10 bits, and tensor cores cut off the others, as an H200 shows bit by bit. A kernel may leave
such terms in float32, and multiply them by tl.dot."""


def tolerance(exercise: Exercise, arguments: tuple[torch.Tensor, ...], expected: torch.Tensor) -> torch.Tensor:
    """Return the largest admissible error of each output element, as float64 in the shape of `expected`, the result.

    A sum of n products, in any order, is off by at most n·u / (1 - n·u) times the sum of the products' absolute
    values, u being half the distance from 1 to the next number (Higham, Accuracy and Stability of Numerical
    Algorithms, 2nd ed., section 3.1). The sum of absolute values is the reference itself, given absolute values.
    Where the result has fewer bits than the sums, it is then rounded once, which adds at most u times the result, or
    half the distance between two subnormal numbers. An exercise that does more than sum has its own bound.
    """
    error = _error_of_sums(exercise, arguments)
    dtype = exercise.result_dtype(*arguments)
    if _dtype_of_sums(exercise, dtype) is dtype:
        return error
    result = torch.finfo(dtype)
    return error + ((expected.abs() + error) * result.eps).clamp(min=result.smallest_normal * result.eps) / 2


def _error_of_sums(exercise: Exercise, arguments: tuple[torch.Tensor, ...]) -> torch.Tensor:
    """How far off each element may be, before it is rounded to the result's dtype."""
    if exercise.roundings is not None:
        error = exercise.roundings(*in_float64(arguments)) * _unit_roundoff(exercise, arguments)
        if exercise.rounded_terms is None:
            return error
        cut = max(torch.finfo(arguments[0].dtype).eps / 2, TF32_CUT)
        return error + exercise.rounded_terms(*in_float64(arguments)) * cut
    error = exercise.reference(*in_float64(tuple(argument.abs() for argument in arguments)))
    return error.mul_(relative_tolerance(exercise, arguments))


def _unit_roundoff(exercise: Exercise, arguments: tuple[torch.Tensor, ...]) -> float:
    return torch.finfo(_dtype_of_sums(exercise, exercise.result_dtype(*arguments))).eps / 2


def relative_tolerance(exercise: Exercise, arguments: tuple[torch.Tensor, ...]) -> float:
    """How far off a sum may be for each unit of the sum of absolute values."""
    roundings = (exercise.reduction_length(*arguments) + EXTRA_ROUNDINGS) * _unit_roundoff(exercise, arguments)
    return roundings / (1 - roundings)


def _dtype_of_sums(exercise: Exercise, dtype: torch.dtype) -> torch.dtype:
    """The dtype in which tensors of a dtype are added and multiplied."""
    return torch.promote_types(dtype, torch.float32) if exercise.sums_in_float32 else dtype


def in_words(exercise: Exercise, arguments: tuple[torch.Tensor, ...]) -> str:
    """What a verdict says about the tolerance."""
    terms = exercise.reduction_length(*arguments)
    dtype = exercise.result_dtype(*arguments)
    sums = _dtype_of_sums(exercise, dtype)
    of = "its absolute value" if terms == 1 else f"the sum of the absolute values of its {terms:,} terms"
    off = f"{relative_tolerance(exercise, arguments):.1g} of {of}"
    if exercise.roundings is not None:
        errors = _error_of_sums(exercise, arguments)
        most = max(errors[errors.isfinite()].flatten().tolist(), default=0.0)
        each = "" if exercise.rounded_terms is None else f", each rounded to {_name(arguments[0].dtype)},"
        off = f"as much as {terms:,} terms{each} in another order, here {most:.1g} at most"
    rounded = "" if sums is dtype else f", before it is rounded to {_name(dtype)}"
    return f"{_name(sums)}: an element may be off by {off}{rounded}"


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
