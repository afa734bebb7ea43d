"""Exercise 5: cross-entropy."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from triton_workshop.exercises.exercise import (
    Axis,
    Case,
    Exercise,
    changed,
    counted,
    generator_of,
    in_dtype,
    in_few_bits,
    random_case,
    with_first,
)

if TYPE_CHECKING:
    import torch

LARGE = 10_000.0
"""Its exponential overflows in any format."""
LOW = -1e38
"""Below any number that somebody may have taken for -inf; twice as much is still finite in float32."""


def _case(rows: int, columns: int, again: str = "") -> Case:
    """Logits with a deviation of 3, as a model has them when it begins to know something, and targets."""
    name = f"{counted(rows, 'row')} of {columns:,}{again}"
    seed = ("cross-entropy", rows, columns, again)
    logits = random_case(name, seed, (rows, columns))
    return changed(logits, name, lambda values: (3 * values, _targets(values, seed)))


def _with_targets(case: Case, *targets: int) -> Case:
    """Given targets, such as the first and the last place of blocks."""
    return changed(case, case.name, lambda logits, target: (logits, target.new_tensor(targets)))


def _sure(case: Case) -> Case:
    """Every second row's target has nearly all of the weight, in steps: what 1 less such a weight loses is seen."""

    def change(logits: torch.Tensor, target: torch.Tensor) -> tuple[torch.Tensor, ...]:
        rows = range(0, len(target), 2)
        for row in rows:
            logits[row, target[row]] = logits[row].logsumexp(0) + 3 + row / 2
        return logits, target

    return changed(case, f"{case.name}, nearly sure", change)


def _last_large(logits: torch.Tensor) -> torch.Tensor:
    """The last row's logits are too large for float16."""
    logits[-1] *= 2.0**15
    return logits


def _last_high(logits: torch.Tensor) -> torch.Tensor:
    logits[:, -1] = 12
    return logits


def _rising(logits: torch.Tensor) -> torch.Tensor:
    """By 95 in each block of 1,024, 512 or 256: the exponential of that is more than float32 holds."""
    places = (logits[:1] * 0).add(1).cumsum(1)
    slopes = 95 / logits.new_tensor((1024, 512, 256))
    return logits + slopes[:, None] * places


def _one_high(logits: torch.Tensor) -> torch.Tensor:
    """The second row's exponentials overflow."""
    logits[1] += 100
    return logits


def rows_far_apart(logits: torch.Tensor) -> torch.Tensor:
    """So far that rows which share a program, and there a maximum, have no exponentials left."""
    return logits + 100 * (logits[:, :1] * 0).add(1).cumsum(0)


def _targets(logits: torch.Tensor, seed: tuple[int | str, ...]) -> torch.Tensor:
    import torch

    rows, columns = logits.shape
    return torch.randint(columns, (rows,), generator=generator_of(("targets", *seed))).to(logits.device)


def cut_out(logits: torch.Tensor) -> torch.Tensor:
    """From rows twice as wide, whose other halves have the opposite numbers."""
    return (-logits.repeat(1, 2))[:, logits.shape[1] :].mul_(-1)


def all_equal(logits: torch.Tensor) -> torch.Tensor:
    """The rows are one, with a stride of 0."""
    return (logits[:1] * 0 - 200).expand(len(logits), -1)


def all_low(logits: torch.Tensor) -> torch.Tensor:
    """So far apart that one has all of the weight: the logarithm of a sum would be lost beside such a maximum."""
    return LOW * (1 + logits.abs() / 30)


def _with_minus_infinity(case: Case) -> Case:
    """In every third column, among them row 1's target, and in all of row 0 but the last, which is its target."""

    def change(logits: torch.Tensor, target: torch.Tensor) -> tuple[torch.Tensor, ...]:
        logits[:, :-1:3] = logits[0, :-1] = -float("inf")
        target[:2] = target.new_tensor((logits.shape[1] - 1, 0))
        return logits, target

    return changed(case, f"{case.name}, many of them -inf", change)


def far_apart(case: Case) -> Case:
    """The third row begins beyond 2³¹ elements; or beyond 2²³, for an int32 of 24 bits."""

    def apart(first: torch.Tensor, step: int) -> torch.Tensor:
        rows, columns = first.shape
        memory = first.new_empty((rows - 1) * step + columns)
        return memory.as_strided((rows, columns), (step, 1)).copy_(first)

    scaled = with_first(case, "2²² elements apart", lambda first: apart(first, 2**22 + 64))
    return replace(
        with_first(case, "2³⁰ elements apart", lambda first: apart(first, 2**30 + 64)),
        scaled_down=replace(scaled, integer_bits=24),
    )


def _reference(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return logits.logsumexp(1) - logits.gather(1, target[:, None])[:, 0]


def _roundings(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """A sum of V exponentials, rescaled now and then, whose logarithm is added to numbers as large as these.

    An exponential is off by as much as its argument is, x - m, which is rounded, and multiplied to become a power of 2.
    """
    columns = logits.shape[1]
    below = (logits - logits.amax(1, keepdim=True)).clamp(min=-1e6)
    exponents = (logits.softmax(1) * -below).sum(1)
    largest = logits.amax(1).abs() + _reference(logits, target).abs()
    chosen = logits.gather(1, target[:, None])[:, 0].abs().clamp(max=1e6)
    return 2 * columns + 16 + 3 * exponents + 2 * (largest + chosen)


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
        with_first(_case(33, 20), "rows far apart", rows_far_apart),
        with_first(
            in_dtype(
                with_first(_sure(_with_targets(_case(5, 1024), 0, 511, 1023, 512, 700)), "one row large", _last_large),
                "bfloat16",
            ),
            "cut out of wider rows",
            cut_out,
        ),
        # Each block has a larger maximum than the one before: relative to the first, the last would overflow.
        with_first(_case(3, 2576), "rising", _rising),
        _with_targets(_case(4, 1025), 0, 511, 1024, 512),
        _with_targets(_case(4, 1025, ", other values"), 1023, 1024, 255, 256),
        with_first(_case(4, 1025), "cut out of wider rows", cut_out),
        with_first(
            in_dtype(_sure(_with_targets(_case(8, 130), 15, 16, 31, 32, 63, 64, 127, 128)), "float16"),
            "one row high, cut out of wider rows",
            lambda logits: cut_out(_one_high(logits)),
        ),
        with_first(_case(3, 640), "±10,000", lambda logits: logits.sign() * LARGE + logits),
        # Relative to the maximum of a later block, the exponentials of the first would overflow.
        with_first(
            _case(3, 2600), "±10,000, falling", lambda logits: (logits.sign() * LARGE + logits).sort(1).values.flip(1)
        ),
        with_first(_case(2, 2100), "all equal to -200, one row twice", all_equal),
        with_first(_case(2, 130), "below -1e38", all_low),
        _with_minus_infinity(_case(3, 2300)),
        # The last place of blocks of any size, and the first of the next one. No number of parts divides the row, and
        # what is left out shows.
        with_first(_with_targets(_case(3, 8209), 0, 8191, 8192), "the last one high", _last_high),
        with_first(
            in_dtype(_sure(_with_targets(_case(7, 3001), 0, 1023, 2047, 1024, 2048, 2999, 3000)), "bfloat16"),
            "cut out of wider rows",
            cut_out,
        ),
    ),
    long_cases=(
        with_first(_case(4161, 3), "cut out of wider rows", cut_out),
        # A multiple of 256 that is none of 512.
        _case(2, 33_024),
        # A row alone may be divided among programs; its target is the last of a block of any size. It is far below 0.
        with_first(_with_targets(_case(1, 65_537), 65_535), "around -200", lambda logits: logits - 200),
        far_apart(in_dtype(_case(3, 50), "bfloat16")),
    ),
    larger_cases=(_case(70_000, 2), _case(2, 140_000)),
    wide_case=in_few_bits(_case(1100, 520)),
    gpu_cases=(
        _case(5, 1025),
        in_dtype(_case(1000, 128_256), "bfloat16"),
        with_first(in_dtype(_case(2000, 5003), "float16"), "cut out of wider rows", cut_out),
    ),
    reference=_reference,
    reduction_length=lambda logits, target: int(logits.shape[1]),
    roundings=_roundings,
    result_dtype=lambda logits, target: _float32(),
    tiling=(Axis(0, None),),
    bytes_moved=lambda logits, target: logits.numel() * logits.element_size() + 12 * target.numel(),
    operations=lambda logits, target: 3 * logits.numel(),
    half=2,
)


def _float32() -> torch.dtype:
    import torch

    return torch.float32
