"""Exercise 6b: attention to the keys up to a query's own position."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from triton_workshop.exercises.attention import EXERCISE as ATTENTION
from triton_workshop.exercises.attention import (
    attention_roundings,
    equal_scores,
    extreme_values,
    falling_keys,
    low_scores,
    random_heads,
    rising_keys,
    scaled_scores,
    spread_scores,
    values_around_one,
)
from triton_workshop.exercises.cases import Case, narrow_int32_case, pluralize, vary_case
from triton_workshop.exercises.exercise import Axis

if TYPE_CHECKING:
    import torch


def _case(heads: int, length: int, size: int, dtype: str = "float16", suffix: str = "") -> Case:
    name = f"{pluralize(heads, 'head')}, {pluralize(length, 'query')} and keys of {size}{suffix}"
    return random_heads(name, heads, length, length, size, dtype)


def causal_scores(q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
    """Return the scaled scores, -inf for the keys after a query's own."""
    import torch

    scores = scaled_scores(q, k)
    length = scores.shape[1]
    positions = torch.arange(length, device=q.device)
    ahead = positions > positions[:, None]
    return scores.masked_fill_(ahead, -float("inf"))


def _reference(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return causal_scores(q, k).softmax(2) @ v


def _unmasked_operations(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> int:
    """Return the operations of both products without a mask."""
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
        vary_case(_case(2, 130, 64, "bfloat16", ", other values"), "large and tiny", extreme_values),
        vary_case(_case(1, 200, 64), "rising", rising_keys),
        vary_case(_case(1, 70, 64, "bfloat16"), "all equal to -200", equal_scores),
        vary_case(_case(1, 14, 64), "all equal to -200,000", low_scores),
        vary_case(_case(1, 200, 128), "falling", falling_keys),
        vary_case(_case(2, 96, 128), "scores far apart", spread_scores),
        # Heads in groups, of which the last is cut.
        _case(5, 65, 128),
        _case(3, 150, 64),
        # Long enough to see whether a loop stops at the diagonal.
        _case(1, 720, 64),
    ),
    long_cases=(
        vary_case(_case(1, 2081, 64), "values around 1", values_around_one),
        # More heads than a GPU has multiprocessors: a program of a fixed grid has to take a second one.
        _case(163, 2, 64),
        # Tiles of queries in groups, of which the last is cut: 10 of them, or 19 of 32 queries.
        _case(2, 577, 64),
    ),
    larger_cases=(_case(300, 3, 64), _case(1, 4097, 64)),
    int64_case=narrow_int32_case(_case(65, 64, 128)),
    gpu_cases=(
        _case(2, 130, 64),
        _case(4, 4096, 128, "bfloat16"),
        _case(3, 4097, 64),
    ),
    reference=_reference,
    roundings=lambda q, k, v: attention_roundings(causal_scores(q, k), q, k, v),
    rounded_terms=lambda q, k, v: causal_scores(q, k).softmax(2) @ v.abs(),
    tiling=(Axis(1, "BLOCK_SIZE_M", 64), Axis(0, None)),
    operations=lambda q, k, v: 2 * q.numel() * (q.shape[1] + 1),
    unmasked_operations=_unmasked_operations,
)
