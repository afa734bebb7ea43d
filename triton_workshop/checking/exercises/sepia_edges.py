"""Exercise 3b: sepia and convolution in one kernel."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from triton_workshop.checking.exercises.conv2d import EXERCISE as CONV2D
from triton_workshop.checking.exercises.exercise import Axis, Case, Showing, normal, seeded, uniform
from triton_workshop.checking.exercises.sepia import EXERCISE as SEPIA

if TYPE_CHECKING:
    import torch


def _case(height: int, width: int, size: int, again: str = "") -> Case:
    def arguments(device: str) -> tuple[torch.Tensor, ...]:
        generator = seeded("edges", height, width, size, again)
        image = uniform(3, height, width, device=device, generator=generator)
        return image, normal(size, size, device=device, generator=generator)

    return Case(f"{height:,} × {width:,} pixels, filter {size} × {size}{again}", arguments)


def _reference(image: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return CONV2D.reference(SEPIA.reference(image), weight)


assert CONV2D.showing is not None

EXERCISE = replace(
    CONV2D,
    number="3b",
    title="sepia and filter in one",
    launcher="sepia_edges",
    kernel="sepia_edges_kernel",
    # 1 × 1 tests the colours alone; an image smaller than its filter tests the zeros around it.
    cases=(
        _case(5, 3, 1),
        _case(5, 3, 3),
        _case(2, 1, 5),
        _case(16, 16, 3),
        _case(15, 17, 3),
        _case(17, 33, 3),
        _case(17, 33, 3, ", other values"),
        _case(33, 19, 5),
    ),
    gpu_cases=(_case(17, 33, 3), _case(2160, 3840, 3), _case(2160, 3840, 5)),
    reference=_reference,
    reduction_length=lambda image, weight: 3 * weight.numel(),
    tiling=(Axis(1, "BLOCK_SIZE_H", 16), Axis(2, "BLOCK_SIZE_W", 16)),
    operations=lambda image, weight: (6 + 2) * image.numel() * weight.numel(),
    showing=Showing("the image, the edges of its sepia along y, along x", CONV2D.showing.make),
)
