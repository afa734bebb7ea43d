"""Exercise 6: attention."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from triton_workshop.exercises.exercise import (
    Axis,
    Case,
    Exercise,
    beyond_float16,
    changed,
    counted,
    in_dtype,
    in_few_bits,
    random_case,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch


def attention_case(
    heads: int, q_length: int, k_length: int, size: int, dtype: str = "float16", again: str = ""
) -> Case:
    """Queries, keys and values of which each has a deviation of 1, as scores have then, too."""
    name = f"{counted(heads, 'head')}, {counted(q_length, 'query')}, {counted(k_length, 'key')} of {size}{again}"
    return random_heads(name, heads, q_length, k_length, size, dtype)


def random_heads(name: str, heads: int, q_length: int, k_length: int, size: int, dtype: str) -> Case:
    of_q, of_k = (heads, q_length, size), (heads, k_length, size)
    return in_dtype(random_case(name, ("attention", name), of_q, of_k, of_k, pictures=False), dtype)


def with_change(case: Case, how: str, change: Callable[..., tuple[torch.Tensor, ...]]) -> Case:
    return changed(case, f"{case.name}, {how}", change)


def _alternating(q: torch.Tensor) -> torch.Tensor:
    """For each dimension of a head, 1 or -1: the sign that all queries have there, by which keys rise or fall."""
    middle = q[0, 0].sort(0).values[(q.shape[2] - 1) // 2]
    return 1 - 2 * (q[0, 0] > middle).to(q.dtype)


def rising(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Every block of keys has a larger maximum than the one before, for each query."""
    signs = _alternating(q)
    return signs * q.abs() / 2, signs * k.sort(1).values, v


def falling(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """So much lower is each block's maximum that its exponential, relative to the next one's, may overflow."""
    signs = _alternating(q)
    return 6 * signs * q.abs(), signs * k.sort(1, descending=True).values, v


def far_apart(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Scores from about -30 to 30: what is rounded to 16 bits before the exponential shows."""
    return 8 * q, k, v


def all_equal(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Scores of -200 where a query has 64 elements. The exponential of such a score is 0."""
    return q * 0 + 5, k * 0 - 5, v


def all_low(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Scores of -200,000 where a query has 64 elements: below what somebody may have taken for -inf."""
    return q * 0 + 125, k * 0 - 200, v


def around_one(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Values of which few cancel each other: sums grow, and those in 16 bits lose what is added to them.

    The last one is so large that it shows if it is left out.
    """
    values = v / 4 + 1
    values[:, -1] = 60
    return q, k, values


def large_and_tiny(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """The same scores by numbers that float16 has not, and dimensions of the output that it has not, either."""
    factors = beyond_float16(q.shape[2], q)
    return q * factors, k / factors, v * factors


def scores_of(q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
    """The scaled scores, (heads, q_length, k_length)."""
    return (q @ k.mT) / math.sqrt(q.shape[2])


def _reference(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return scores_of(q, k).softmax(2) @ v


def roundings_of(scores: torch.Tensor, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """The roundings of float32 in a weighted mean of values, given the float64 scores, -inf where a key is not seen.

    A score is a sum of D products, scaled. A weight is off by as much as its exponent, which is rounded again when the
    maximum is subtracted; rescaling takes it to the last maximum in steps that add up to the same. Both the values'
    sum and the weights' sum, by which it is divided, have as many terms as there are keys. A weight below the normal
    numbers of float16 is off by half of its least one. Scores in the hundred thousands only come all equal: they are
    off by the same, which the division takes away.
    """
    weights = scores.softmax(2)
    below = (scores.amax(2, keepdim=True) - scores).clamp_(max=1e3)
    exponents = scores_of(q.abs(), k.abs()).mul_(q.shape[2] + 8).add_(below, alpha=4).clamp_(max=1e5)
    terms = exponents.add_(k.shape[1] + 16).mul_(weights)
    in_sums = terms @ v.abs() + terms.sum(2, keepdim=True) * (weights @ v).abs()
    return in_sums + v.abs().sum(1, keepdim=True) / 2


def bytes_moved(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> int:
    """All four tensors once. The output is as large as q."""
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
        with_change(attention_case(2, 65, 130, 64, "bfloat16", ", other values"), "large and tiny", large_and_tiny),
        # One query has special kernels, so it has several tiles of keys.
        attention_case(2, 1, 270, 64),
        with_change(attention_case(1, 70, 192, 64), "rising", rising),
        with_change(attention_case(1, 5, 70, 64, "bfloat16"), "all equal to -200", all_equal),
        # One key has all of the weight, if those that the tile has room for have none.
        with_change(attention_case(2, 70, 1, 64), "all equal to -200,000", all_low),
        with_change(attention_case(1, 17, 200, 128), "falling", falling),
        with_change(attention_case(2, 33, 90, 128), "scores far apart", far_apart),
        # Heads in groups, of which the last is cut.
        attention_case(5, 128, 17, 64),
        attention_case(3, 70, 144, 64),
    ),
    long_cases=(
        # More tiles than a GPU has multiprocessors: a program of a fixed grid has to take a second one. 67 or 34 along
        # the queries: of groups of tiles, the last is cut.
        attention_case(2, 4225, 3, 64),
        attention_case(163, 1, 2, 64),
        with_change(attention_case(1, 60, 4161, 64), "values around 1", around_one),
    ),
    larger_cases=(
        attention_case(2, 20_000, 5, 64),
        attention_case(300, 3, 5, 64),
        attention_case(2, 1, 20_000, 64),
    ),
    wide_case=in_few_bits(attention_case(65, 64, 64, 128)),
    gpu_cases=(
        attention_case(2, 65, 130, 64),
        attention_case(4, 4096, 4096, 128, "bfloat16"),
        attention_case(3, 1000, 4097, 64),
    ),
    reference=_reference,
    reduction_length=lambda q, k, v: int(k.shape[1]),
    roundings=lambda q, k, v: roundings_of(scores_of(q, k), q, k, v),
    rounded_terms=lambda q, k, v: scores_of(q, k).softmax(2) @ v.abs(),
    tiling=(Axis(1, "BLOCK_SIZE_M", 64), Axis(0, None)),
    bytes_moved=bytes_moved,
    operations=lambda q, k, v: 4 * q.numel() * k.shape[1],
    half=2,
)
