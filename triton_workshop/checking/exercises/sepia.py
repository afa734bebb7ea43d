"""Exercise 2: the sepia filter."""

import torch

from triton_workshop.checking.exercise import Case, Exercise, Launcher, Showing, seeded

WEIGHTS = ((0.393, 0.769, 0.189), (0.349, 0.686, 0.168), (0.272, 0.534, 0.131))
"""Row: output channel; column: input channel; both red, green, blue. The matrix in common use, as in Microsoft's
"Image Processing" column of MSDN Magazine, January 2005."""


def _case(height: int, width: int) -> Case:
    def arguments(device: str) -> tuple[torch.Tensor, ...]:
        return (torch.rand(3, height, width, generator=seeded("sepia", height, width)).to(device),)

    return Case(f"{height} × {width} pixels", arguments)


def _reference(image: torch.Tensor) -> torch.Tensor:
    weights = torch.tensor(WEIGHTS, dtype=image.dtype, device=image.device)
    return torch.einsum("oc,chw->ohw", weights, image).clamp(max=1.0)


def _show(launcher: Launcher, image: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return (launcher(image),)


EXERCISE = Exercise(
    number=2,
    title="a picture in sepia",
    launcher="sepia",
    # Height and width differ, so that swapping them shows; smaller than a tile, a tile, one more, and primes.
    cases=tuple(_case(h, w) for h, w in ((1, 1), (5, 3), (16, 64), (17, 65), (64, 16), (61, 97))),
    reference=_reference,
    reduction_length=lambda image: 3,
    hints=(
        "As in exercise 1, along the height: pid_h * BLOCK_SIZE_H plus tl.arange(0, BLOCK_SIZE_H).",
        "The same along the width, from pid_w.",
        "A row is width elements long, so pixel (row, col) lies at row * width + col. rows[:, None] is a column and "
        "cols[None, :] a row: broadcasting makes the 2-D block.",
        "Both have to hold: the row is less than height, and (&, in parentheses) the column is less than width.",
        "Red is the first plane of height * width elements, green the next, blue the third. Load each at x_ptr plus "
        "its plane's start plus the offsets, with the mask.",
        "The weights stand at the top of the file, one row for each output channel. tl.minimum(value, 1.0) clips.",
        "The three planes lie in output_ptr as they do in x_ptr. Each store needs the mask.",
        "Two axes, so a tuple of two: cdiv(height, BLOCK_SIZE_H) first, because axis 0 is pid_h.",
        "sepia_kernel[grid](image, output, height, width, BLOCK_SIZE_H, BLOCK_SIZE_W)",
    ),
    showing=Showing("the picture, and in sepia", _show),
)
