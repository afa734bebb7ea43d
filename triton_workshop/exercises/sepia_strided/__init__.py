"""Exercise 2b: the sepia filter for an image of any strides."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from triton_workshop.exercises.cases import (
    Case,
    random_case,
    small_picture,
    transform_case,
)
from triton_workshop.exercises.exercise import Demo
from triton_workshop.exercises.sepia import EXERCISE as SEPIA
from triton_workshop.exercises.sepia import LONG_HEIGHT, LONG_WIDTH

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch


def _upright(view: torch.Tensor) -> torch.Tensor:
    """Negate a view of a negative, around which all stays negative."""
    return view.mul_(-1)


VIEWS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "contiguous": lambda image: image,
    "transposed": lambda image: image.mT.contiguous().mT,
    "cut out of a larger image": lambda image: _upright(
        (-image.repeat(1, 2, 2))[:, image.shape[1] :, image.shape[2] :]
    ),
    "every second pixel": lambda image: _upright((-image.repeat_interleave(2, 1).repeat_interleave(2, 2))[:, ::2, ::2]),
    "channels last in memory": lambda image: image.permute(1, 2, 0).contiguous().permute(2, 0, 1),
    "three of four channels, last in memory": lambda image: _upright(
        (-image.repeat(2, 1, 1))[:4].permute(1, 2, 0).contiguous().permute(2, 0, 1)[:3]
    ),
    "cut out of wider rows": lambda image: _upright((-image.repeat(1, 1, 2))[:, :, image.shape[2] :]),
    "cut out of a taller image": lambda image: _upright((-image.repeat(1, 2, 1))[:, image.shape[1] :]),
    "one channel three times": lambda image: image[:1].expand(3, -1, -1),
}
"""An image of the same shape with another layout in memory."""


def _case(height: int, width: int, view: str, suffix: str = "") -> Case:
    name = f"{height:,} × {width:,} pixels, {view}{suffix}"
    image = random_case(name, ("strided", height, width, view, suffix), (3, height, width))
    return transform_case(image, name, lambda image: (VIEWS[view](image),))


def _middle(picture: torch.Tensor) -> torch.Tensor:
    """Return a view of the middle half, as high as the image."""
    width = picture.shape[2]
    return picture[:, :, width // 4 : 3 * width // 4]


EXERCISE = replace(
    SEPIA,
    number="2b",
    package=__name__,
    title="sepia for any strides",
    cases=(
        _case(5, 3, "contiguous"),
        _case(5, 3, "transposed"),
        _case(1, 1, "cut out of a larger image"),
        _case(17, 65, "cut out of a larger image"),
        _case(17, 65, "cut out of a larger image", ", other values"),
        _case(16, 64, "every second pixel"),
        _case(64, 64, "channels last in memory"),
        _case(1, 320, "one channel three times"),
        _case(9, 70, "cut out of wider rows"),
        _case(9, 70, "cut out of a taller image"),
        _case(9, 70, "three of four channels, last in memory"),
        _case(64, 16, "transposed"),
        _case(61, 97, "cut out of a larger image"),
    ),
    long_cases=(
        _case(LONG_HEIGHT, LONG_WIDTH, "contiguous"),
        _case(2063, 1, "contiguous"),
        _case(128, 128, "contiguous"),
    ),
    larger_cases=(_case(2, 140_000, "contiguous"), _case(70_000, 2, "contiguous")),
    gpu_cases=(
        _case(61, 97, "every second pixel"),
        _case(2160, 3840, "transposed"),
        _case(2160, 3840, "channels last in memory"),
    ),
    picture=Case("the image", lambda device: (_middle(small_picture(device)),)),
    demo=Demo("the image, and its middle in sepia", lambda launcher, image: (launcher(_middle(image)),)),
)
