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
    ...  # TODO 1: the pixels of this program's tile, and which exist
    ...  # TODO 2: their red, green and blue
    ...  # TODO 3: three sums, clipped to 1.0, each in its own plane


def sepia(image: torch.Tensor) -> torch.Tensor:
    """Return a contiguous float32 image (3, height, width) in sepia."""
    check_tensors_gpu_ready(image, shapes="3 height width", dtype=torch.float32)
    output = torch.empty_like(image)
    _, height, width = image.shape
    BLOCK_SIZE_H, BLOCK_SIZE_W = 16, 64

    ...  # TODO 4: launch enough programs to reach both edges

    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="2")
