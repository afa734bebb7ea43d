"""Exercise 2: give an image the brown tone of old photographs.

Colours are 0 to 1. Each output channel is a sum of all three, at most 1.0:
    red'   = 0.393 red + 0.769 green + 0.189 blue
    green' = 0.349 red + 0.686 green + 0.168 blue
    blue'  = 0.272 red + 0.534 green + 0.131 blue
Each pixel costs 24 bytes (three float32 values read, three written) and
18 operations, so memory is the limit.
"""

# Import this first: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready  # not found? Start this file with: uv run

import torch
import triton
import triton.language as tl


@triton.jit
def sepia_kernel(
    image_ptr, output_ptr, height, width,
    BLOCK_SIZE_H: tl.constexpr, BLOCK_SIZE_W: tl.constexpr,
):
    # 1: the pixels of this program's tile, and which exist
    rows = tl.program_id(axis=0) * BLOCK_SIZE_H + tl.arange(0, BLOCK_SIZE_H)
    cols = tl.program_id(axis=1) * BLOCK_SIZE_W + tl.arange(0, BLOCK_SIZE_W)
    offsets = rows[:, None] * width + cols[None, :]
    mask = (rows[:, None] < height) & (cols[None, :] < width)

    # 2: their red, green and blue
    plane = height * width
    red = tl.load(image_ptr + offsets, mask=mask)
    green = tl.load(image_ptr + plane + offsets, mask=mask)
    blue = tl.load(image_ptr + 2 * plane + offsets, mask=mask)

    # 3: three sums, clipped to 1.0, each in its own plane
    sepia_red = tl.minimum(0.393 * red + 0.769 * green + 0.189 * blue, 1.0)
    sepia_green = tl.minimum(0.349 * red + 0.686 * green + 0.168 * blue, 1.0)
    sepia_blue = tl.minimum(0.272 * red + 0.534 * green + 0.131 * blue, 1.0)
    tl.store(output_ptr + offsets, sepia_red, mask=mask)
    tl.store(output_ptr + plane + offsets, sepia_green, mask=mask)
    tl.store(output_ptr + 2 * plane + offsets, sepia_blue, mask=mask)


def sepia(image: torch.Tensor) -> torch.Tensor:
    """Return a contiguous float32 image (3, height, width) in sepia."""
    check_tensors_gpu_ready(image, shapes="3 height width", dtype=torch.float32)
    output = torch.empty_like(image)
    _, height, width = image.shape
    BLOCK_SIZE_H, BLOCK_SIZE_W = 16, 64

    # 4: launch enough programs to reach both edges
    grid = (cdiv(height, BLOCK_SIZE_H), cdiv(width, BLOCK_SIZE_W))
    sepia_kernel[grid](
        image, output, height, width, BLOCK_SIZE_H, BLOCK_SIZE_W
    )

    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="2")
