"""Exercise 6: attention."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from triton_workshop.exercises.cases import (
    Case,
    cast_case,
    extreme_factors,
    narrow_int32_case,
    pluralize,
    random_case,
    vary_case,
)
from triton_workshop.exercises.exercise import Axis, Exercise

if TYPE_CHECKING:
    import torch


def attention_case(
    heads: int, q_length: int, k_length: int, size: int, dtype: str = "float16", suffix: str = ""
) -> Case:
    """Return queries, keys and values with a deviation of 1.

    Scores have that deviation, too.
    """
    name = f"{pluralize(heads, 'head')}, {pluralize(q_length, 'query')}, {pluralize(k_length, 'key')} of {size}{suffix}"
    return random_heads(name, heads, q_length, k_length, size, dtype)


def random_heads(name: str, heads: int, q_length: int, k_length: int, size: int, dtype: str) -> Case:
    """Return q of q_length rows, k and v of k_length rows.

    A row has `size` numbers.
    """
    q_shape, k_shape = (heads, q_length, size), (heads, k_length, size)
    return cast_case(random_case(name, ("attention", name), q_shape, k_shape, k_shape, pictures=False), dtype)


def _alternating(q: torch.Tensor) -> torch.Tensor:
    """Return 1 or -1 for each dimension of a head, half of them of each sign.

    All queries get that sign there, and by it keys rise or fall.
    """
    middle = q[0, 0].sort(0).values[(q.shape[2] - 1) // 2]
    return 1 - 2 * (q[0, 0] > middle).to(q.dtype)


def rising_keys(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Give each block of keys a larger maximum than the last one.

    This holds for every query.
    """
    signs = _alternating(q)
    return signs * q.abs() / 2, signs * k.sort(1).values, v


def falling_keys(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Make each block's maximum so much lower that exponentials may overflow.

    They do relative to the next block's maximum.
    """
    signs = _alternating(q)
    return 6 * signs * q.abs(), signs * k.sort(1, descending=True).values, v


def spread_scores(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Return scores from about -30 to 30.

    A score that is rounded to 16 bits before the exponential shows.
    """
    return 8 * q, k, v


def equal_scores(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Return scores of -200, for 64 elements; their exponentials are 0."""
    return q * 0 + 5, k * 0 - 5, v


def low_scores(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Return scores lower than a stand-in for -inf: -200,000 for 64 elements."""
    return q * 0 + 125, k * 0 - 200, v


def values_around_one(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Return values whose sums grow, until sums in 16 bits lose what is added.

    The last value is so large that it shows if it is left out.
    """
    values = v / 4 + 1
    values[:, -1] = 60
    return q, k, values


def extreme_values(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Return numbers that float16 cannot hold, with the same scores.

    Nor can it hold some dimensions of the output.
    """
    factors = extreme_factors(q.shape[2], q)
    return q * factors, k / factors, v * factors


def scaled_scores(q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
    """Return the scaled scores, (heads, q_length, k_length)."""
    return (q @ k.mT) / math.sqrt(q.shape[2])


def _reference(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return scaled_scores(q, k).softmax(2) @ v


def attention_roundings(scores: torch.Tensor, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Return the roundings of float32 in a weighted mean of values.

    The scores are float64, and -inf where a query does not see a key.

    A score is a sum of D products, scaled. A weight is off by as much as its exponent, which is rounded again when the
    maximum is subtracted; rescaling takes it to the last maximum in steps that add up to the same. Both the values'
    sum and the weights' sum, by which it is divided, have as many terms as there are keys. A weight below the normal
    numbers of float16 is off by half of its least one. Scores in the hundred thousands only come all equal: they are
    off by the same, which the division takes away.
    """
    weights = scores.softmax(2)
    below = (scores.amax(2, keepdim=True) - scores).clamp_(max=1e3)
    exponents = scaled_scores(q.abs(), k.abs()).mul_(q.shape[2] + 8).add_(below, alpha=4).clamp_(max=1e5)
    terms = exponents.add_(k.shape[1] + 16).mul_(weights)
    in_sums = terms @ v.abs() + terms.sum(2, keepdim=True) * (weights @ v).abs()
    return in_sums + v.abs().sum(1, keepdim=True) / 2


def bytes_moved(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> int:
    """Return the bytes of all four tensors; the output is as large as q."""
    return (2 * q.numel() + k.numel() + v.numel()) * q.element_size()


EXERCISE = Exercise(
    number="6",
    package=__name__,
    title="attention",
    launcher="attention",
    # Keys that do not fill a tile come first, and then several tiles: only those need the running values. With 128
    # elements, all sides of the solution's tiles differ: a forgotten [:, None] stops the kernel.
    cases=(
        attention_case(2, 20, 40, 128),
        attention_case(2, 64, 64, 64),
        attention_case(2, 65, 130, 64, "bfloat16"),
        vary_case(attention_case(2, 65, 130, 64, "bfloat16", ", other values"), "large and tiny", extreme_values),
        # One query has special kernels, so it has several tiles of keys.
        attention_case(2, 1, 270, 64),
        vary_case(attention_case(1, 70, 192, 64), "rising", rising_keys),
        vary_case(attention_case(1, 5, 70, 64, "bfloat16"), "all equal to -200", equal_scores),
        # One key has all of the weight, if those that the tile has room for have none.
        vary_case(attention_case(2, 70, 1, 64), "all equal to -200,000", low_scores),
        vary_case(attention_case(1, 17, 200, 128), "falling", falling_keys),
        vary_case(attention_case(2, 33, 90, 128), "scores far apart", spread_scores),
        # Heads in groups, of which the last is cut.
        attention_case(5, 128, 17, 64),
        attention_case(3, 70, 144, 64),
    ),
    long_cases=(
        # More tiles than a GPU has multiprocessors: a program of a fixed grid has to take a second one. 67 or 34 along
        # the queries: of groups of tiles, the last is cut.
        attention_case(2, 4225, 3, 64),
        attention_case(163, 1, 2, 64),
        vary_case(attention_case(1, 60, 4161, 64), "values around 1", values_around_one),
    ),
    larger_cases=(
        attention_case(2, 20_000, 5, 64),
        attention_case(300, 3, 5, 64),
        attention_case(2, 1, 20_000, 64),
    ),
    int64_case=narrow_int32_case(attention_case(65, 64, 64, 128)),
    gpu_cases=(
        attention_case(2, 65, 130, 64),
        attention_case(4, 4096, 4096, 128, "bfloat16"),
        attention_case(3, 1000, 4097, 64),
    ),
    reference=_reference,
    reduction_length=lambda q, k, v: int(k.shape[1]),
    roundings=lambda q, k, v: attention_roundings(scaled_scores(q, k), q, k, v),
    rounded_terms=lambda q, k, v: scaled_scores(q, k).softmax(2) @ v.abs(),
    tiling=(Axis(1, "BLOCK_SIZE_M", 64), Axis(0, None)),
    bytes_moved=bytes_moved,
    operations=lambda q, k, v: 4 * q.numel() * k.shape[1],
    session=2,
)
