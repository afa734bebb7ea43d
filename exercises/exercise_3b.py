"""Exercise 3b: sepia and a filter in one kernel.

The result is conv2d(sepia(image), weight), but no sepia image is ever stored:
each program computes the sepia of the pixels that it needs, in registers. For
a filter of size 3 × 3 that means more arithmetic, but half the bytes. As in
exercise 2, each sepia colour is at most 1.0:
    red'   = 0.393 red + 0.769 green + 0.189 blue
    green' = 0.349 red + 0.686 green + 0.168 blue
    blue'  = 0.272 red + 0.534 green + 0.131 blue
"""

# Import this first: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready  # not found? Start this file with: uv run

import torch
import triton
import triton.language as tl


@triton.jit
def sepia_edges_kernel(
    image_ptr, output_ptr, weight_ptr, height, width,
    SIZE: tl.constexpr,
    BLOCK_SIZE_H: tl.constexpr, BLOCK_SIZE_W: tl.constexpr,
):
    ...  # TODO 1: the rows and columns of this program's tile; three sums

    for i in tl.static_range(SIZE):
        for j in tl.static_range(SIZE):
            ...  # TODO 2: load three channels under weight (i, j), or zeros
            ...  # TODO 3: add the share of their sepia colours to the sums

    ...  # TODO 4: store the three tiles of the output


def sepia_edges(image: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Return conv2d(sepia(image), weight) in one launch.

    The image (3, height, width), 0 to 1, and the weight (k, k), k odd, are
    contiguous float32 tensors.
    """
    check_tensors_gpu_ready(
        image, weight, shapes="3 height width, k k", dtype=torch.float32
    )
    output = torch.empty_like(image)
    _, height, width = image.shape
    BLOCK_SIZE_H, BLOCK_SIZE_W = 8, 32

    ...  # TODO 5: launch one program per tile

    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="3b")
