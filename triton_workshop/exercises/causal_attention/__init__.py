"""Exercise 6b: attention in which a query sees the keys up to its own position."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from triton_workshop.exercises.attention import EXERCISE as ATTENTION
from triton_workshop.exercises.attention import (
    all_equal,
    all_low,
    around_one,
    falling,
    far_apart,
    large_and_tiny,
    random_heads,
    rising,
    roundings_of,
    scores_of,
    with_change,
)
from triton_workshop.exercises.exercise import Axis, Case, counted, in_few_bits

if TYPE_CHECKING:
    import torch


def _case(heads: int, length: int, size: int, dtype: str = "float16", again: str = "") -> Case:
    name = f"{counted(heads, 'head')}, {counted(length, 'query')} and keys of {size}{again}"
    return random_heads(name, heads, length, length, size, dtype)


def causal_scores_of(q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
    """The scaled scores, -inf for the keys after a query's own."""
    import torch

    scores = scores_of(q, k)
    length = scores.shape[1]
    places = torch.arange(length, device=q.device)
    ahead = places > places[:, None]
    return scores.masked_fill_(ahead, -float("inf"))


def _reference(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return causal_scores_of(q, k).softmax(2) @ v


def _all_pairs(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> int:
    """The operations of both products without a mask."""
    return ATTENTION.operations(q, k, v)


EXERCISE = replace(
    ATTENTION,
    number="6b",
    package=__name__,
    title="causal attention",
    launcher="causal_attention",
    cases=(
        _case(2, 20, 128),
        _case(1, 1, 64, "bfloat16"),
        _case(2, 64, 64),
        _case(2, 130, 64, "bfloat16"),
        with_change(_case(2, 130, 64, "bfloat16", ", other values"), "large and tiny", large_and_tiny),
        with_change(_case(1, 200, 64), "rising", rising),
        with_change(_case(1, 70, 64, "bfloat16"), "all equal to -200", all_equal),
        with_change(_case(1, 14, 64), "all equal to -200,000", all_low),
        with_change(_case(1, 200, 128), "falling", falling),
        with_change(_case(2, 96, 128), "scores far apart", far_apart),
        # Heads in groups, of which the last is cut.
        _case(5, 65, 128),
        _case(3, 150, 64),
        # Long enough to see whether a loop stops at the diagonal.
        _case(1, 720, 64),
    ),
    long_cases=(
        with_change(_case(1, 2081, 64), "values around 1", around_one),
        # More heads than a GPU has multiprocessors: a program of a fixed grid has to take a second one.
        _case(163, 2, 64),
        # Tiles of queries in groups, of which the last is cut: 10 or 19 of them.
        _case(2, 577, 64),
    ),
    larger_cases=(_case(300, 3, 64), _case(1, 4200, 64)),
    wide_case=in_few_bits(_case(65, 64, 128)),
    gpu_cases=(
        _case(2, 130, 64),
        _case(4, 4096, 128, "bfloat16"),
        _case(3, 4097, 64),
    ),
    reference=_reference,
    roundings=lambda q, k, v: roundings_of(causal_scores_of(q, k), q, k, v),
    rounded_terms=lambda q, k, v: causal_scores_of(q, k).softmax(2) @ v.abs(),
    tiling=(Axis(1, "BLOCK_SIZE_M", 32), Axis(0, None)),
    operations=lambda q, k, v: 2 * q.numel() * (q.shape[1] + 1),
    too_many_products=_all_pairs,
)
