"""Exercise 5: cross-entropy."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from triton_workshop.exercises.cases import (
    Case,
    cast_case,
    narrow_int32_case,
    pluralize,
    random_case,
    seeded_generator,
    transform_case,
    vary_first,
)
from triton_workshop.exercises.exercise import Axis, Exercise

if TYPE_CHECKING:
    import torch

LARGE = 10_000.0
"""Its exponential overflows in any format."""
LOW = -1e38
"""Lower than any stand-in for -inf; its double is finite in float32."""


def _case(rows: int, columns: int, suffix: str = "") -> Case:
    """Return targets, and logits with a deviation of 3, as early in training."""
    name = f"{pluralize(rows, 'row')} of {columns:,}{suffix}"
    seed = ("cross-entropy", rows, columns, suffix)
    logits = random_case(name, seed, (rows, columns))
    return transform_case(logits, name, lambda values: (3 * values, _targets(values, seed)))


def _with_targets(case: Case, *targets: int) -> Case:
    """Return a case with these targets, such as the ends of blocks."""
    return transform_case(case, case.name, lambda logits, target: (logits, target.new_tensor(targets)))


def _confident(case: Case) -> Case:
    """Give every second row's target nearly all of the weight.

    The weights differ, so that a loss of digits in 1 less a weight shows.
    """

    def change(logits: torch.Tensor, target: torch.Tensor) -> tuple[torch.Tensor, ...]:
        rows = range(0, len(target), 2)
        for row in rows:
            logits[row, target[row]] = logits[row].logsumexp(0) + 3 + row / 2
        return logits, target

    return transform_case(case, f"{case.name}, nearly sure", change)


def _scale_last_row(logits: torch.Tensor) -> torch.Tensor:
    """Make the last row too large for float16."""
    logits[-1] *= 2.0**15
    return logits


def _raise_last_column(logits: torch.Tensor) -> torch.Tensor:
    logits[:, -1] = 12
    return logits


def _rising_blocks(logits: torch.Tensor) -> torch.Tensor:
    """Return rows that rise by 95 in each block of 1,024, 512 or 256.

    The exponential of that is more than float32 holds.
    """
    columns = (logits[:1] * 0).add(1).cumsum(1)
    slopes = 95 / logits.new_tensor((1024, 512, 256))
    return logits + slopes[:, None] * columns


def _raise_second_row(logits: torch.Tensor) -> torch.Tensor:
    """Make the second row's exponentials overflow."""
    logits[1] += 100
    return logits


def spread_rows(logits: torch.Tensor) -> torch.Tensor:
    """Return rows so different that they cannot share a maximum.

    Relative to another row's, all of their exponentials vanish.
    """
    return logits + 100 * (logits[:, :1] * 0).add(1).cumsum(0)


def _targets(logits: torch.Tensor, seed: tuple[int | str, ...]) -> torch.Tensor:
    import torch

    rows, columns = logits.shape
    return torch.randint(columns, (rows,), generator=seeded_generator(("targets", *seed))).to(logits.device)


def slice_wider_rows(logits: torch.Tensor) -> torch.Tensor:
    """Return a view of rows twice as wide.

    Their other halves have the opposite numbers.
    """
    return (-logits.repeat(1, 2))[:, logits.shape[1] :].mul_(-1)


def equal_rows(logits: torch.Tensor) -> torch.Tensor:
    """Return one row several times, with a stride of 0."""
    return (logits[:1] * 0 - 200).expand(len(logits), -1)


def low_rows(logits: torch.Tensor) -> torch.Tensor:
    """Return logits below -1e38.

    They differ so much that one has all of the weight: the logarithm of a sum would be lost beside their maximum.
    """
    return LOW * (1 + logits.abs() / 30)


def _with_minus_infinity(case: Case) -> Case:
    """Put -inf into every third column, and into row 0 up to its target.

    Row 0's target is its last column, and row 1's is among those that are -inf.
    """

    def change(logits: torch.Tensor, target: torch.Tensor) -> tuple[torch.Tensor, ...]:
        logits[:, :-1:3] = logits[0, :-1] = -float("inf")
        target[:2] = target.new_tensor((logits.shape[1] - 1, 0))
        return logits, target

    return transform_case(case, f"{case.name}, many of them -inf", change)


def with_large_stride(case: Case) -> Case:
    """Return a case whose third row begins beyond 2³¹ elements.

    Its substitute does so beyond 2²³, for an int32 of 24 bits.
    """

    def spread(first: torch.Tensor, step: int) -> torch.Tensor:
        rows, columns = first.shape
        memory = first.new_empty((rows - 1) * step + columns)
        return memory.as_strided((rows, columns), (step, 1)).copy_(first)

    scaled = vary_first(case, "2²² elements apart", lambda first: spread(first, 2**22 + 64))
    return replace(
        vary_first(case, "2³⁰ elements apart", lambda first: spread(first, 2**30 + 64)),
        scaled_down=replace(scaled, integer_bits=24),
    )


def _reference(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return logits.logsumexp(1) - logits.gather(1, target[:, None])[:, 0]


def _roundings(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Return the roundings in the logarithm of a sum of V exponentials.

    The sum is rescaled now and then, and its logarithm is added to numbers as large as the logits.
    An exponential is off by as much as its argument is, x - m, which is rounded, and multiplied to become a power of 2.
    """
    columns = logits.shape[1]
    below = (logits - logits.amax(1, keepdim=True)).clamp(min=-1e6)
    exponents = (logits.softmax(1) * -below).sum(1)
    largest = logits.amax(1).abs() + _reference(logits, target).abs()
    target_logit = logits.gather(1, target[:, None])[:, 0].abs().clamp(max=1e6)
    return 2 * columns + 16 + 3 * exponents + 2 * (largest + target_logit)


EXERCISE = Exercise(
    number="5",
    package=__name__,
    title="cross-entropy of logits",
    launcher="cross_entropy",
    # One block, then several: only those need the running pair. Rows of a wider matrix, and what breaks a careless exp.
    # Multiples of 16 or of 128 and of no larger power of 2, where a kernel may do without a mask too early.
    cases=(
        _case(3, 700),
        _case(130, 1),
        vary_first(_case(33, 20), "rows far apart", spread_rows),
        vary_first(
            cast_case(
                vary_first(
                    _confident(_with_targets(_case(5, 1024), 0, 511, 1023, 512, 700)), "one row large", _scale_last_row
                ),
                "bfloat16",
            ),
            "cut out of wider rows",
            slice_wider_rows,
        ),
        # Each block has a larger maximum than the one before: relative to the first, the last would overflow.
        vary_first(_case(3, 2576), "rising", _rising_blocks),
        _with_targets(_case(4, 1025), 0, 511, 1024, 512),
        _with_targets(_case(4, 1025, ", other values"), 1023, 1024, 255, 256),
        vary_first(_case(4, 1025), "cut out of wider rows", slice_wider_rows),
        vary_first(
            cast_case(_confident(_with_targets(_case(8, 130), 15, 16, 31, 32, 63, 64, 127, 128)), "float16"),
            "one row high, cut out of wider rows",
            lambda logits: slice_wider_rows(_raise_second_row(logits)),
        ),
        vary_first(_case(3, 640), "±10,000", lambda logits: logits.sign() * LARGE + logits),
        # Relative to the maximum of a later block, the exponentials of the first would overflow.
        vary_first(
            _case(3, 2600), "±10,000, falling", lambda logits: (logits.sign() * LARGE + logits).sort(1).values.flip(1)
        ),
        vary_first(_case(2, 2100), "all equal to -200, one row twice", equal_rows),
        vary_first(_case(2, 130), "below -1e38", low_rows),
        _with_minus_infinity(_case(3, 2300)),
        # The last place of blocks of any size, and the first of the next one. No number of parts divides the row, and
        # what is left out shows.
        vary_first(_with_targets(_case(3, 8209), 0, 8191, 8192), "the last one high", _raise_last_column),
        vary_first(
            cast_case(_confident(_with_targets(_case(7, 3001), 0, 1023, 2047, 1024, 2048, 2999, 3000)), "bfloat16"),
            "cut out of wider rows",
            slice_wider_rows,
        ),
    ),
    long_cases=(
        vary_first(_case(4161, 3), "cut out of wider rows", slice_wider_rows),
        # A multiple of 256 that is none of 512.
        _case(2, 33_024),
        # A row alone may be divided among programs; its target is the last of a block of any size. It is far below 0.
        vary_first(_with_targets(_case(1, 65_537), 65_535), "around -200", lambda logits: logits - 200),
        with_large_stride(cast_case(_case(3, 50), "bfloat16")),
    ),
    larger_cases=(_case(70_000, 2), _case(2, 140_000)),
    int64_case=narrow_int32_case(_case(1100, 520)),
    gpu_cases=(
        _case(5, 1025),
        cast_case(_case(1000, 128_256), "bfloat16"),
        vary_first(cast_case(_case(2000, 5003), "float16"), "cut out of wider rows", slice_wider_rows),
    ),
    reference=_reference,
    reduction_length=lambda logits, target: int(logits.shape[1]),
    roundings=_roundings,
    result_dtype=lambda logits, target: _float32(),
    tiling=(Axis(0, None),),
    bytes_moved=lambda logits, target: logits.numel() * logits.element_size() + 12 * target.numel(),
    operations=lambda logits, target: 3 * logits.numel(),
    session=2,
)


def _float32() -> torch.dtype:
    import torch

    return torch.float32
