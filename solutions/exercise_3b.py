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
    # 1: the rows and columns of this program's tile; three sums
    rows = tl.program_id(axis=0) * BLOCK_SIZE_H + tl.arange(0, BLOCK_SIZE_H)
    cols = tl.program_id(axis=1) * BLOCK_SIZE_W + tl.arange(0, BLOCK_SIZE_W)
    plane = height * width
    sum_red = tl.zeros((BLOCK_SIZE_H, BLOCK_SIZE_W), dtype=tl.float32)
    sum_green = tl.zeros((BLOCK_SIZE_H, BLOCK_SIZE_W), dtype=tl.float32)
    sum_blue = tl.zeros((BLOCK_SIZE_H, BLOCK_SIZE_W), dtype=tl.float32)

    for i in tl.static_range(SIZE):
        for j in tl.static_range(SIZE):
            # 2: load three channels under weight (i, j), or zeros
            input_rows = rows[:, None] + i - SIZE // 2
            input_cols = cols[None, :] + j - SIZE // 2
            row_mask = (input_rows >= 0) & (input_rows < height)
            col_mask = (input_cols >= 0) & (input_cols < width)
            mask = row_mask & col_mask
            pixel_ptrs = image_ptr + input_rows * width + input_cols
            red = tl.load(pixel_ptrs, mask=mask, other=0.0)
            green = tl.load(pixel_ptrs + plane, mask=mask, other=0.0)
            blue = tl.load(pixel_ptrs + 2 * plane, mask=mask, other=0.0)

            # 3: add the share of their sepia colours to the sums
            sepia_red = 0.393 * red + 0.769 * green + 0.189 * blue
            sepia_green = 0.349 * red + 0.686 * green + 0.168 * blue
            sepia_blue = 0.272 * red + 0.534 * green + 0.131 * blue
            weight = tl.load(weight_ptr + i * SIZE + j)
            sum_red += tl.minimum(sepia_red, 1.0) * weight
            sum_green += tl.minimum(sepia_green, 1.0) * weight
            sum_blue += tl.minimum(sepia_blue, 1.0) * weight

    # 4: store the three tiles of the output
    output_ptrs = output_ptr + rows[:, None] * width + cols[None, :]
    output_mask = (rows[:, None] < height) & (cols[None, :] < width)
    tl.store(output_ptrs, sum_red, mask=output_mask)
    tl.store(output_ptrs + plane, sum_green, mask=output_mask)
    tl.store(output_ptrs + 2 * plane, sum_blue, mask=output_mask)


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

    # 5: launch one program per tile
    grid = (cdiv(height, BLOCK_SIZE_H), cdiv(width, BLOCK_SIZE_W))
    sepia_edges_kernel[grid](
        image, output, weight, height, width, len(weight),
        BLOCK_SIZE_H, BLOCK_SIZE_W,
    )

    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="3b")
