"""Exercise 7b: the symmetric part of a matrix, correct but slow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triton_workshop.exercises.cases import Case, random_case, vary_case
from triton_workshop.exercises.exercise import Axis, Exercise

if TYPE_CHECKING:
    import torch


def _case(size: int, suffix: str = "") -> Case:
    return random_case(f"{size:,} × {size:,}{suffix}", ("symmetrize", size, suffix), (size, size))


def _lower(x: torch.Tensor) -> tuple[torch.Tensor]:
    """Return a matrix that is 0 above the diagonal."""
    import torch

    positions = torch.arange(x.shape[0], device=x.device)
    return (x * (positions <= positions[:, None]).to(x.dtype),)


EXERCISE = Exercise(
    number="7b",
    package=__name__,
    title="mirror a matrix",
    launcher="symmetrize",
    # Sizes that no tile divides, whole tiles, and a triangle, whose two halves differ most.
    cases=(
        _case(5),
        _case(1),
        _case(64),
        _case(70),
        _case(70, ", other values"),
        vary_case(_case(97), "lower triangle", _lower),
        _case(130),
        _case(320),
    ),
    # More tiles than a GPU has multiprocessors.
    long_cases=(_case(1031),),
    larger_cases=(_case(4097),),
    gpu_cases=(_case(97), _case(1024), _case(4099)),
    reference=lambda x: (x + x.T) / 2,
    reduction_length=lambda x: 2,
    tiling=(Axis(0, "BLOCK_SIZE_M", 64), Axis(1, "BLOCK_SIZE_N", 64)),
    bytes_moved=lambda x: 2 * x.numel() * x.element_size(),
    operations=lambda x: 2 * x.numel(),
    session=2,
)
