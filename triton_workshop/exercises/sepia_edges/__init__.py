"""Exercise 3b: sepia and convolution in one kernel."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from triton_workshop.exercises.cases import Case, random_case, transform_case
from triton_workshop.exercises.conv2d import EXERCISE as CONV2D
from triton_workshop.exercises.exercise import Axis, Demo
from triton_workshop.exercises.sepia import EXERCISE as SEPIA

if TYPE_CHECKING:
    import torch


def _case(height: int, width: int, size: int, suffix: str = "") -> Case:
    name = f"{height:,} × {width:,} pixels, filter {size} × {size}{suffix}"
    return random_case(name, ("edges", height, width, size, suffix), (3, height, width), (size, size))


def _darker(image: torch.Tensor) -> torch.Tensor:
    """Return a picture with black tiles."""
    image = 0.8 * image
    image[:, :9] = 0
    return image


assert CONV2D.demo is not None

EXERCISE = replace(
    CONV2D,
    number="3b",
    package=__name__,
    title="sepia and filter in one",
    launcher="sepia_edges",
    # 1 × 1 tests the colours alone; an image smaller than its filter tests the zeros around it.
    cases=(
        _case(5, 3, 1),
        _case(5, 3, 3),
        _case(4, 3, 7),
        _case(16, 16, 3),
        # Whole tiles along one axis only.
        _case(15, 64, 3),
        _case(17, 33, 3),
        # No value is above 0.8, and some sums are above 1 all the same.
        transform_case(
            _case(17, 33, 3, ", other values"),
            "17 × 33 pixels, filter 3 × 3, other values, darker, a part black",
            lambda image, weight: (_darker(image), weight),
        ),
        _case(48, 19, 5),
    ),
    # More tiles, of up to 64 columns, than a GPU has multiprocessors: a fixed grid has to take a second one. And whole
    # tiles along both axes, so many that there are some whose neighbours on all sides are whole too.
    long_cases=(_case(9, 10_305, 1), _case(1033, 1, 1), _case(96, 96, 3)),
    larger_cases=(_case(20, 40, 19), _case(2, 140_000, 3), _case(70_000, 2, 3)),
    gpu_cases=(_case(17, 33, 3), _case(2160, 3840, 3), _case(2160, 3840, 5)),
    reference=lambda image, weight: CONV2D.reference(SEPIA.reference(image), weight),
    reduction_length=lambda image, weight: 3 * weight.numel(),
    tiling=(Axis(1, "BLOCK_SIZE_H", 8), Axis(2, "BLOCK_SIZE_W", 32)),
    operations=lambda image, weight: (6 + 2) * image.numel() * weight.numel(),
    demo=Demo("the image, the edges of its sepia along y, along x", CONV2D.demo.render),
)
