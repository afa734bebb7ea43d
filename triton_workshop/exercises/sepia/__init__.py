"""Exercise 2: the sepia filter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triton_workshop.exercises.cases import (
    Case,
    random_case,
    small_picture,
    transform_case,
)
from triton_workshop.exercises.exercise import Axis, Demo, Exercise

if TYPE_CHECKING:
    import torch

WEIGHTS = ((0.393, 0.769, 0.189), (0.349, 0.686, 0.168), (0.272, 0.534, 0.131))
"""Row: output channel; column: input channel; both red, green, blue.

The matrix in common use, as in Microsoft's "Image Processing" column of MSDN Magazine, January 2005.
"""

LONG_HEIGHT, LONG_WIDTH = 17, 5185
"""More tiles of 16 × 64 than a GPU has multiprocessors.

There are some along both axes, and a program of a fixed grid has to take a second one.
"""


def _case(height: int, width: int) -> Case:
    return random_case(f"{height:,} × {width:,} pixels", ("sepia", height, width), (3, height, width))


def _reference(image: torch.Tensor) -> torch.Tensor:
    return (image.new_tensor(WEIGHTS) @ image.flatten(1)).view_as(image).clamp(max=1.0)


def _darker(image: torch.Tensor) -> torch.Tensor:
    """Return a picture with black tiles, and others without red."""
    image = 0.8 * image
    image[:, :33, :70] = image[0, 33:] = 0
    return image


EXERCISE = Exercise(
    number="2",
    package=__name__,
    title="an image in sepia",
    launcher="sepia",
    # Height and width differ, so that swapping them shows; a tile, one more, one row, a square, and primes. Whole tiles
    # along one axis only, as 320 or 48 make them, are where a kernel may do without a mask, and must not.
    cases=(
        *(_case(h, w) for h, w in ((5, 3), (1, 1), (16, 64), (17, 65))),
        # Some of its values are 0 and 1.
        transform_case(_case(17, 65), "17 × 65 pixels, other values", lambda image: ((1.2 - 1.4 * image).clamp(0, 1),)),
        *(_case(h, w) for h, w in ((1, 320), (64, 64), (48, 70))),
        # No value is above 0.8, and some sums are above 1 all the same.
        transform_case(_case(61, 97), "61 × 97 pixels, darker, a corner black", lambda image: (_darker(image),)),
    ),
    # Several whole tiles along both axes, of up to 128 columns.
    long_cases=(_case(LONG_HEIGHT, LONG_WIDTH), _case(2063, 1), _case(128, 128)),
    larger_cases=(_case(2, 140_000), _case(70_000, 2)),
    gpu_cases=tuple(_case(h, w) for h, w in ((1, 1), (61, 97), (2160, 3840))),
    reference=_reference,
    reduction_length=lambda image: 3,
    tiling=(Axis(1, "BLOCK_SIZE_H", 16), Axis(2, "BLOCK_SIZE_W", 64)),
    bytes_moved=lambda image: 2 * image.numel() * image.element_size(),
    operations=lambda image: 6 * image.numel(),
    picture=Case("the image", lambda device: (small_picture(device),)),
    demo=Demo("the image, and in sepia", lambda launcher, image: (launcher(image),)),
)
