"""Tolerance of a right kernel's result."""

from __future__ import annotations

import torch

from triton_workshop.exercises.cases import to_float64
from triton_workshop.exercises.exercise import Exercise

EXTRA_ROUNDINGS = 2
"""Roundings beyond the sum: of a constant, and of the result."""

TF32_CUT = 2.0**-10
"""Relative error of TF32, which keeps 10 bits.

Tensor cores cut off the others, as an H200 shows bit by bit. A kernel may leave such terms in float32, and multiply
them by tl.dot.
"""


def tolerance(exercise: Exercise, arguments: tuple[torch.Tensor, ...], expected: torch.Tensor) -> torch.Tensor:
    """Return the largest admissible error of each output element, as float64.

    Its shape is that of `expected`, the right result.

    A sum of n products, in any order, is off by at most n·u / (1 - n·u) times the sum of the products' absolute
    values, u being half the distance from 1 to the next number (Higham, Accuracy and Stability of Numerical
    Algorithms, 2nd ed., section 3.1). The sum of absolute values is the reference itself, given absolute values.
    Where the result has fewer bits than the sums, it is then rounded once, which adds at most u times the result, or
    half the distance between two subnormal numbers. An exercise that does more than sum has its own bound.
    """
    error = _accumulation_error(exercise, arguments)
    dtype = exercise.result_dtype(*arguments)
    if _accumulator_dtype(exercise, dtype) is dtype:
        return error
    result = torch.finfo(dtype)
    return error + ((expected.abs() + error) * result.eps).clamp(min=result.smallest_normal * result.eps) / 2


def _accumulation_error(exercise: Exercise, arguments: tuple[torch.Tensor, ...]) -> torch.Tensor:
    """Return each element's largest error before its last rounding."""
    if exercise.roundings is not None:
        error = exercise.roundings(*to_float64(arguments)) * _unit_roundoff(exercise, arguments)
        if exercise.rounded_terms is None:
            return error
        cut = max(torch.finfo(arguments[0].dtype).eps / 2, TF32_CUT)
        return error + exercise.rounded_terms(*to_float64(arguments)) * cut
    error = exercise.reference(*to_float64(tuple(argument.abs() for argument in arguments)))
    return error.mul_(relative_tolerance(exercise, arguments))


def _unit_roundoff(exercise: Exercise, arguments: tuple[torch.Tensor, ...]) -> float:
    return torch.finfo(_accumulator_dtype(exercise, exercise.result_dtype(*arguments))).eps / 2


def relative_tolerance(exercise: Exercise, arguments: tuple[torch.Tensor, ...]) -> float:
    """Return a sum's largest error, relative to the sum of absolute values."""
    roundings = (exercise.reduction_length(*arguments) + EXTRA_ROUNDINGS) * _unit_roundoff(exercise, arguments)
    return roundings / (1 - roundings)


def _accumulator_dtype(exercise: Exercise, dtype: torch.dtype) -> torch.dtype:
    """Return the dtype in which tensors of a dtype are added and multiplied."""
    return torch.promote_types(dtype, torch.float32) if exercise.accumulates_in_float32 else dtype


def describe_tolerance(exercise: Exercise, arguments: tuple[torch.Tensor, ...]) -> str:
    """Return a verdict's words about the tolerance."""
    terms = exercise.reduction_length(*arguments)
    dtype = exercise.result_dtype(*arguments)
    accumulator = _accumulator_dtype(exercise, dtype)
    scale = "its absolute value" if terms == 1 else f"the sum of the absolute values of its {terms:,} terms"
    bound = f"{relative_tolerance(exercise, arguments):.1g} of {scale}"
    if exercise.roundings is not None:
        errors = _accumulation_error(exercise, arguments)
        finite = errors[errors.isfinite()]
        largest = float(finite.max()) if finite.numel() else 0.0
        rounded_terms = (
            "" if exercise.rounded_terms is None else f", each rounded to {_dtype_name(arguments[0].dtype)},"
        )
        bound = f"as much as {terms:,} terms{rounded_terms} in another order, here {largest:.1g} at most"
    rounded = "" if accumulator is dtype else f", before it is rounded to {_dtype_name(dtype)}"
    return f"{_dtype_name(accumulator)}: an element may be off by {bound}{rounded}"


def _dtype_name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
