"""Exercise 2b: sepia for an image that is not contiguous.

A crop, a transposed image and every second pixel are views: the same memory
with other strides. Pixel (channel, row, column) lies at
    channel * stride_c + row * stride_h + column * stride_w
from the image's first element. As in exercise 2, each colour is at most 1.0:
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
def sepia_kernel(
    image_ptr, output_ptr, height, width,
    image_stride_c, image_stride_h, image_stride_w,
    output_stride_c, output_stride_h, output_stride_w,
    BLOCK_SIZE_H: tl.constexpr, BLOCK_SIZE_W: tl.constexpr,
):
    # 1: the rows and columns of this program's tile, and its mask
    rows = tl.program_id(axis=0) * BLOCK_SIZE_H + tl.arange(0, BLOCK_SIZE_H)
    cols = tl.program_id(axis=1) * BLOCK_SIZE_W + tl.arange(0, BLOCK_SIZE_W)
    mask = (rows[:, None] < height) & (cols[None, :] < width)

    # 2: load the channels by the image's strides
    offsets = rows[:, None] * image_stride_h + cols[None, :] * image_stride_w
    image_ptrs = image_ptr + offsets
    red = tl.load(image_ptrs, mask=mask)
    green = tl.load(image_ptrs + image_stride_c, mask=mask)
    blue = tl.load(image_ptrs + 2 * image_stride_c, mask=mask)

    # 3: store the sepia channels by the output's strides
    sepia_red = tl.minimum(0.393 * red + 0.769 * green + 0.189 * blue, 1.0)
    sepia_green = tl.minimum(0.349 * red + 0.686 * green + 0.168 * blue, 1.0)
    sepia_blue = tl.minimum(0.272 * red + 0.534 * green + 0.131 * blue, 1.0)
    offsets = rows[:, None] * output_stride_h + cols[None, :] * output_stride_w
    output_ptrs = output_ptr + offsets
    tl.store(output_ptrs, sepia_red, mask=mask)
    tl.store(output_ptrs + output_stride_c, sepia_green, mask=mask)
    tl.store(output_ptrs + 2 * output_stride_c, sepia_blue, mask=mask)


def sepia(image: torch.Tensor) -> torch.Tensor:
    """Return a float32 image (3, height, width) of any strides in sepia."""
    check_tensors_gpu_ready(
        image, shapes="3 height width", dtype=torch.float32, contiguous=False
    )
    _, height, width = image.shape
    output = torch.empty(3, height, width, device=image.device)
    BLOCK_SIZE_H, BLOCK_SIZE_W = 16, 64

    # 4: launch one program per tile, with the strides of both tensors
    grid = (cdiv(height, BLOCK_SIZE_H), cdiv(width, BLOCK_SIZE_W))
    sepia_kernel[grid](
        image, output, height, width, *image.stride(), *output.stride(),
        BLOCK_SIZE_H, BLOCK_SIZE_W,
    )

    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="2b")
