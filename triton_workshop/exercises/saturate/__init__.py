"""Exercise 7a: stronger colours, correct but slow where a width is odd."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triton_workshop.exercises.cases import Case, random_case, small_picture, transform_case
from triton_workshop.exercises.exercise import Axis, Demo, Exercise
from triton_workshop.exercises.sepia import LONG_HEIGHT, LONG_WIDTH

if TYPE_CHECKING:
    import torch


def _case(height: int, width: int, amount: float = 1.5, suffix: str = "") -> Case:
    name = f"{height:,} × {width:,} pixels{suffix}"
    image = random_case(name, ("saturate", height, width, suffix), (3, height, width))
    return with_amount(image, amount)


def with_amount(case: Case, amount: float) -> Case:
    """Return a case of an image with an amount as its second argument."""
    return transform_case(case, case.name, lambda image: (image, image.new_tensor(amount)))


def _grey(image: torch.Tensor) -> torch.Tensor:
    return 0.299 * image[0] + 0.587 * image[1] + 0.114 * image[2]


def _reference(image: torch.Tensor, amount: torch.Tensor) -> torch.Tensor:
    grey = _grey(image)
    return grey + amount * (image - grey)


def _roundings(image: torch.Tensor, amount: torch.Tensor) -> torch.Tensor:
    """Return the roundings in grey, and in what is added to it."""
    image = image.abs()
    grey = _grey(image)
    return 8 * (grey + amount.abs() * (image + grey))


EXERCISE = Exercise(
    number="7a",
    package=__name__,
    title="stronger colours",
    launcher="saturate",
    # As of exercise 2: height and width differ; a tile, one more, one row, a square, and primes.
    cases=(
        *(_case(h, w) for h, w in ((5, 3), (1, 1), (16, 64), (17, 65))),
        _case(17, 65, suffix=", other values"),
        *(_case(h, w) for h, w in ((1, 320), (64, 64))),
        _case(48, 70, 3.25),
        _case(61, 97, 0.25),
    ),
    long_cases=(_case(LONG_HEIGHT, LONG_WIDTH), _case(2063, 1), _case(128, 128), _case(1, 65_601)),
    larger_cases=(_case(2, 140_000), _case(70_000, 2)),
    gpu_cases=tuple(_case(h, w) for h, w in ((1, 1), (61, 97), (2160, 3840))),
    reference=_reference,
    reduction_length=lambda image, amount: 3,
    roundings=_roundings,
    result_dtype=lambda image, amount: image.dtype,
    tiling=(Axis(2, "BLOCK_SIZE_W", 1024), Axis(1, "BLOCK_SIZE_H", 1)),
    bytes_moved=lambda image, amount: 2 * image.numel() * image.element_size(),
    operations=lambda image, amount: 5 * image.numel(),
    picture=with_amount(Case("the image", lambda device: (small_picture(device),)), 2.0),
    demo=Demo(
        "the image, and with stronger colours", lambda launcher, image: (launcher(image.contiguous(), 2.0).clamp(0, 1),)
    ),
    session=2,
)
