"""Exercise 7a, correct but slow: stronger colours.

A pixel's colours move away from its grey, by an amount above 1:
    grey = 0.299 red + 0.587 green + 0.114 blue
    colour' = grey + amount * (colour - grey)
Each number is read once and written once, so memory is the limit.

The kernel is correct, and fast for usual widths. Where 16 does not divide the
width, its rows begin anywhere in memory, and that costs too much. The check
says where. A line or two are enough to repair it.
"""

# Import this first: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready  # not found? Start this file with: uv run

import torch
import triton
import triton.language as tl


@triton.jit
def saturate_kernel(
    image_ptr, output_ptr, height, width, amount,
    BLOCK_SIZE_H: tl.constexpr, BLOCK_SIZE_W: tl.constexpr,
):
    # The pixels of this program's tile, in each of three planes
    rows = tl.program_id(axis=1) * BLOCK_SIZE_H + tl.arange(0, BLOCK_SIZE_H)
    cols = tl.program_id(axis=0) * BLOCK_SIZE_W + tl.arange(0, BLOCK_SIZE_W)
    mask = (rows[:, None] < height) & (cols[None, :] < width)
    offsets = rows[:, None] * width + cols[None, :]
    plane = height * width

    red = tl.load(image_ptr + offsets, mask=mask)
    green = tl.load(image_ptr + plane + offsets, mask=mask)
    blue = tl.load(image_ptr + 2 * plane + offsets, mask=mask)

    grey = 0.299 * red + 0.587 * green + 0.114 * blue
    red = grey + amount * (red - grey)
    green = grey + amount * (green - grey)
    blue = grey + amount * (blue - grey)

    tl.store(output_ptr + offsets, red, mask=mask)
    tl.store(output_ptr + plane + offsets, green, mask=mask)
    tl.store(output_ptr + 2 * plane + offsets, blue, mask=mask)


def saturate(image: torch.Tensor, amount: float) -> torch.Tensor:
    """Return a float32 image (3, height, width) with stronger colours."""
    check_tensors_gpu_ready(
        image, shapes="3 height width", dtype=torch.float32
    )
    output = torch.empty_like(image)
    _, height, width = image.shape
    BLOCK_SIZE_H, BLOCK_SIZE_W = 16, 64
    grid = (cdiv(width, BLOCK_SIZE_W), cdiv(height, BLOCK_SIZE_H))
    saturate_kernel[grid](
        image, output, height, width, amount, BLOCK_SIZE_H, BLOCK_SIZE_W
    )
    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="7a")
