"""Exercise 3: slide a filter over each channel of an image (convolution).

The filter is centred and not flipped; pixels outside the image are zero. For a
weight of size k × k,
    output[c, y, x] = sum over i, j of
        image[c, y + i - k // 2, x + j - k // 2] * weight[i, j]
Each pixel costs 8 bytes (one float32 value read, one written) and 2 k^2
operations. For small filters memory is the limit, provided that a cache serves
all but one of the k^2 reads.
"""

# Import this first: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready  # not found? Start this file with: uv run

import torch
import triton
import triton.language as tl


@triton.jit
def conv2d_kernel(
    image_ptr, output_ptr, weight_ptr, height, width,
    SIZE: tl.constexpr,
    BLOCK_SIZE_H: tl.constexpr, BLOCK_SIZE_W: tl.constexpr,
):
    ...  # TODO 1: this program's channel, and its rows and columns

    accumulator = tl.zeros((BLOCK_SIZE_H, BLOCK_SIZE_W), dtype=tl.float32)
    for i in tl.static_range(SIZE):
        for j in tl.static_range(SIZE):
            pixels = ...  # TODO 2: under weight (i, j), 0 outside
            accumulator += ...  # TODO 3: pixels times weight (i, j)

    ...  # TODO 4: store the tile of the output


def conv2d(image: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Filter image (c, height, width) per channel with weight (k, k), k odd.

    Both are contiguous float32 tensors.
    """
    check_tensors_gpu_ready(
        image, weight, shapes="c height width, k k", dtype=torch.float32
    )
    output = torch.empty_like(image)
    channels, height, width = image.shape
    BLOCK_SIZE_H, BLOCK_SIZE_W = 8, 32

    ...  # TODO 5: one program per tile per channel, channels first

    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="3")
