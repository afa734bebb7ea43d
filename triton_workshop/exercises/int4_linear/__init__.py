"""Exercise 6c: a linear layer whose weights have 4 bits each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triton_workshop.exercises.cases import (
    Case,
    cast_case,
    narrow_int32_case,
    random_case,
    seeded_generator,
    transform_case,
    vary_case,
)
from triton_workshop.exercises.exercise import Axis, Exercise

if TYPE_CHECKING:
    import torch

GROUP = 128
"""The number of weights along K that share a scale."""


def _case(batch: int, n: int, k: int, suffix: str = "") -> Case:
    """Return weights of any bits, and scales of both signs around 0.02."""
    name = f"({batch} × {k:,}) @ ({n:,} × {k:,}).T{suffix}"
    seed = ("int4", batch, n, k, suffix)
    floats = cast_case(random_case(name, seed, (batch, k), (n, k // GROUP)), "float16")
    return transform_case(floats, name, lambda x, scale: (x, _random_bytes(scale, seed), scale / 50))


def _random_bytes(scale: torch.Tensor, seed: tuple[int | str, ...]) -> torch.Tensor:
    """Return random weights (N, K / 2), two in each byte.

    The scales are (N, K / 128).
    """
    import torch

    n, groups = scale.shape
    weights = torch.randint(256, (n, groups * GROUP // 2), generator=seeded_generator((*seed, "w")))
    return weights.to(torch.uint8).to(scale.device)


def _all_zero(x: torch.Tensor, weight: torch.Tensor, scale: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Make all weights 0: both halves of each byte are 8."""
    return x, weight * 0 + 0x88, scale


def _some_scales_zero(x: torch.Tensor, weight: torch.Tensor, scale: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Make scales 0: of each row's second group, and of all groups in row 1."""
    scale[:, 1] = scale[1] = 0
    return x, weight, scale


def _large(x: torch.Tensor, weight: torch.Tensor, scale: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Return sums that float16 cannot hold until they are scaled."""
    return x.abs() * 1000, weight | 0x88, scale.abs() / 10


def _cancelling(x: torch.Tensor, weight: torch.Tensor, scale: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Make each group's share too large for float16, with changing signs."""
    scale = scale.abs() + 0.4
    scale[:, ::2] *= -1
    return x.abs() * 600, weight | 0x88, scale


def _growing_sums(x: torch.Tensor, weight: torch.Tensor, scale: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Return sums that grow, until those in float16 lose what is added."""
    return x / 4 + 1, weight | 0x99, scale / 4 + 0.02


def unpack_weights(weight: torch.Tensor) -> torch.Tensor:
    """Return the numbers 0 to 15 in bytes (N, K / 2).

    They come in groups, (N, K / 128, 128).
    """
    import torch

    pairs = torch.stack((weight & 0xF, weight >> 4), 2)
    return pairs.reshape(weight.shape[0], -1, GROUP)


def _products(x: torch.Tensor, values: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """Return the product of x and the scaled values, which come in groups."""
    return x @ (values * scale[:, :, None]).reshape(scale.shape[0], x.shape[1]).t()


def _reference(x: torch.Tensor, weight: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    return _products(x, unpack_weights(weight).to(scale.dtype) - 8, scale)


def _rounded_terms(x: torch.Tensor, weight: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """Return the sums of terms with a weight that may become float16.

    It does once it is scaled.
    """
    return _products(x.abs(), (unpack_weights(weight).to(scale.dtype) - 8).abs(), scale.abs())


def _roundings(x: torch.Tensor, weight: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """Return the roundings of float32 in sums of K terms and in their scales.

    A sum is as good as its longest chain of additions. Blocks along K follow each other; they have 16 columns at least,
    as tl.dot needs, or 128 that meet in a chain of their own. n x and 8 x may be added up apart from each other: a sum
    of (n - 8) x is then the difference of two larger ones. A product of weight and scale that is below the normal
    numbers of float16 is off by half of its least one.
    """
    chain = min(x.shape[1], x.shape[1] // 16 + GROUP)
    terms = _products(x.abs(), unpack_weights(weight).to(scale.dtype) + 8, scale.abs())
    return (chain + 8) * terms + x.abs().sum(1, keepdim=True) / 2


def _bytes_moved(x: torch.Tensor, weight: torch.Tensor, scale: torch.Tensor) -> int:
    halves = x.numel() + scale.numel() + x.shape[0] * weight.shape[0]
    return weight.numel() + 2 * halves


EXERCISE = Exercise(
    number="6c",
    package=__name__,
    title="4-bit linear layer",
    launcher="int4_linear",
    # Several groups come first: with one group, a scale for each row is as right as one for each group.
    cases=(
        _case(3, 40, 256),
        _case(3, 1, 384),
        _case(16, 128, 256),
        _case(5, 33, 640),
        _case(5, 33, 640, ", other values"),
        vary_case(_case(4, 20, 256), "all of them zero", _all_zero),
        vary_case(_case(2, 35, 384), "some scales zero", _some_scales_zero),
        vary_case(_case(3, 48, 384), "large values", _large),
        # One row has special kernels, so it has several groups.
        vary_case(_case(1, 96, 640), "large values", _large),
        vary_case(_case(2, 24, 768), "groups that cancel", _cancelling),
        _case(16, 50, 1152),
        _case(7, 130, 896),
    ),
    long_cases=(
        # More blocks, of up to 64 rows, than a GPU has multiprocessors: a fixed grid has to take a second one.
        _case(2, 10_305, 128),
        vary_case(_case(2, 24, 129 * 128), "values around 1", _growing_sums),
    ),
    larger_cases=(_case(2, 70_000, 128), _case(1, 20, 547 * 128)),
    int64_case=narrow_int32_case(_case(2, 1100, 1024)),
    gpu_cases=(
        _case(3, 40, 256),
        _case(1, 4097, 14_336),
        _case(16, 8192, 8192),
    ),
    reference=_reference,
    reduction_length=lambda x, weight, scale: int(x.shape[1]),
    roundings=_roundings,
    rounded_terms=_rounded_terms,
    result_dtype=lambda x, weight, scale: x.dtype,
    tiling=(Axis(1, "BLOCK_SIZE_N", 32),),
    bytes_moved=_bytes_moved,
    operations=lambda x, weight, scale: 2 * x.numel() * weight.shape[0],
    fixed_sizes=(GROUP, GROUP // 2),
    session=2,
)
