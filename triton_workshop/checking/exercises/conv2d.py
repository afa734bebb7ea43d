"""Exercise 3: convolution."""

import torch

from triton_workshop.checking.exercise import Case, Exercise, Launcher, Showing, seeded

SOBEL_Y = ((1.0, 2.0, 1.0), (0.0, 0.0, 0.0), (-1.0, -2.0, -1.0))
SOBEL_X = ((-1.0, 0.0, 1.0), (-2.0, 0.0, 2.0), (-1.0, 0.0, 1.0))


def _case(channels: int, height: int, width: int, size: int) -> Case:
    def arguments(device: str) -> tuple[torch.Tensor, ...]:
        generator = seeded("conv2d", channels, height, width, size)
        image = torch.rand(channels, height, width, generator=generator)
        return image.to(device), torch.randn(size, size, generator=generator).to(device)

    return Case(f"{channels} × {height} × {width}, filter {size} × {size}", arguments)


def _reference(image: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    padding = weight.shape[0] // 2
    return torch.nn.functional.conv2d(image[:, None], weight[None, None], padding=padding)[:, 0]


def _show(launcher: Launcher, image: torch.Tensor) -> tuple[torch.Tensor, ...]:
    filters = (torch.tensor(weights, device=image.device) for weights in (SOBEL_Y, SOBEL_X))
    return tuple(launcher(image, weight).abs() for weight in filters)


EXERCISE = Exercise(
    number=3,
    title="a filter over a picture",
    launcher="conv2d",
    # 1 × 1 tests the indices alone; a picture smaller than its filter tests the zeros around it.
    cases=(
        _case(3, 5, 3, 1),
        _case(3, 2, 1, 5),
        _case(1, 16, 16, 3),
        _case(3, 17, 33, 3),
        _case(3, 33, 17, 5),
        _case(2, 19, 41, 7),
    ),
    reference=_reference,
    reduction_length=lambda image, weight: weight.numel(),
    hints=(
        "pid_h * BLOCK_SIZE_H plus tl.arange(0, BLOCK_SIZE_H), as in exercise 2.",
        "The same along the width, from pid_w.",
        "Each channel before this one took height * width elements.",
        "Weight (i, j) belongs to the pixel i - kernel_size // 2 rows below the output pixel: for a 3 × 3 filter -1, "
        "0 and 1.",
        "As for the rows, with j.",
        "Rows and columns can now be negative too: four comparisons, joined with &. rows[:, None] and cols[None, :] "
        "make the mask 2-D.",
        "tl.load at channel_start + row * width + column, with the mask, and other=0.0 for what lies outside.",
        "The filter is kernel_size values a row: weight (i, j) lies at i * kernel_size + j. Multiply the pixels by it.",
        "output_offsets and output_mask are given; the accumulator holds the values.",
        "Three axes, the channel first: (channels, tiles along the height, tiles along the width), by cdiv.",
        "conv2d_kernel[grid](image, output, weight, height, width, size, BLOCK_SIZE_H, BLOCK_SIZE_W)",
    ),
    showing=Showing("the picture, Sobel along y, Sobel along x", _show),
)
