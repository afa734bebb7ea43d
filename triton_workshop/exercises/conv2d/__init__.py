"""Exercise 3: convolution."""

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

    from triton_workshop.exercises.exercise import Launcher

SOBEL_Y = ((1.0, 2.0, 1.0), (0.0, 0.0, 0.0), (-1.0, -2.0, -1.0))
SOBEL_X = ((-1.0, 0.0, 1.0), (-2.0, 0.0, 2.0), (-1.0, 0.0, 1.0))


def _case(channels: int, height: int, width: int, size: int, suffix: str = "") -> Case:
    name = f"{channels} × {height:,} × {width:,}, filter {size} × {size}{suffix}"
    seed = ("conv2d", channels, height, width, size, suffix)
    return random_case(name, seed, (channels, height, width), (size, size))


def _reference(image: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    import torch

    padding = weight.shape[0] // 2
    return torch.nn.functional.conv2d(image[:, None], weight[None, None], padding=padding)[:, 0]


def _show(launcher: Launcher, image: torch.Tensor) -> tuple[torch.Tensor, ...]:
    filters = (image.new_tensor(weights) for weights in (SOBEL_Y, SOBEL_X))
    return tuple(launcher(image, weight).abs() for weight in filters)


EXERCISE = Exercise(
    number="3",
    package=__name__,
    title="a filter over an image",
    launcher="conv2d",
    # 1 × 1 tests the indices alone; an image smaller than its filter tests the zeros around it.
    # Not every image has three planes.
    cases=(
        _case(3, 5, 3, 3),
        _case(3, 5, 3, 1),
        _case(5, 4, 3, 7),
        _case(2, 16, 16, 3),
        # Whole tiles along one axis only.
        _case(1, 15, 64, 3),
        _case(3, 17, 33, 3),
        # Filters for which there are special kernels.
        transform_case(
            _case(3, 17, 33, 3, ", other values"),
            "3 × 17 × 33, filter 3 × 3, other values, symmetric",
            lambda image, weight: (image, weight + weight.t()),
        ),
        transform_case(
            _case(2, 48, 19, 5),
            "2 × 48 × 19, filter 5 × 5, separable",
            lambda image, weight: (image, weight[:1] * weight[:, :1]),
        ),
    ),
    # More tiles, of up to 128 columns, than a GPU has multiprocessors: a program of a fixed grid has to take a second
    # one, at another place of another channel.
    # And whole tiles along both axes, so many that there are some whose neighbours on all sides are whole too.
    long_cases=(_case(8, 9, 2561, 3), _case(1, 1033, 1, 3), _case(2, 96, 96, 3), _case(4161, 2, 3, 1)),
    larger_cases=(_case(2, 20, 40, 19), _case(1, 2, 140_000, 3), _case(1, 70_000, 2, 3), _case(5000, 2, 3, 3)),
    gpu_cases=(_case(3, 17, 33, 3), _case(3, 2160, 3840, 3), _case(3, 2160, 3840, 5)),
    reference=_reference,
    reduction_length=lambda image, weight: weight.numel(),
    tiling=(Axis(0, None), Axis(1, "BLOCK_SIZE_H", 8), Axis(2, "BLOCK_SIZE_W", 32)),
    bytes_moved=lambda image, weight: (2 * image.numel() + weight.numel()) * image.element_size(),
    operations=lambda image, weight: 2 * image.numel() * weight.numel(),
    picture=Case("the image", lambda device: (image := small_picture(device), image.new_tensor(SOBEL_X))),
    demo=Demo("the image, Sobel along y, Sobel along x", _show),
)
