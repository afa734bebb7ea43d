# expect: out-of-bounds-store; hint: wrong-shape

# First: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready

import torch
import triton
import triton.language as tl


@triton.jit
def sepia_kernel(
    x_ptr, output_ptr, height, width,
    BLOCK_SIZE_H: tl.constexpr, BLOCK_SIZE_W: tl.constexpr,
):
    # Which tile is mine? (int64: int32 cannot count a large picture's pixels.)
    pid_h = tl.program_id(axis=0).to(tl.int64)
    pid_w = tl.program_id(axis=1).to(tl.int64)

    # 1: the rows of this program's tile, a vector
    rows = pid_h * BLOCK_SIZE_H + tl.arange(0, BLOCK_SIZE_H)

    # 2: the columns of this program's tile, a vector
    cols = pid_w * BLOCK_SIZE_W + tl.arange(0, BLOCK_SIZE_W)

    # 3: the offsets of its pixels in one channel, a 2-D block
    offsets = rows[:, None] * width + cols[None, :]

    # 4: the mask: true inside the picture
    mask = (rows[:, None] < height) & (cols[None, :] < width)

    # 5: load the channels, height * width apart
    channel = tl.cast(height, tl.int64) * width
    red = tl.load(x_ptr + offsets, mask=mask)
    green = tl.load(x_ptr + channel + offsets, mask=mask)
    blue = tl.load(x_ptr + 2 * channel + offsets, mask=mask)

    # 6: the weighted sums, clipped at 1.0
    sepia_red = tl.minimum(0.393 * red + 0.769 * green + 0.189 * blue, 1.0)
    sepia_green = tl.minimum(0.349 * red + 0.686 * green + 0.168 * blue, 1.0)
    sepia_blue = tl.minimum(0.272 * red + 0.534 * green + 0.131 * blue, 1.0)

    # 7: store the three channels
    tl.store(output_ptr + offsets, sepia_red, mask=mask)
    tl.store(output_ptr + channel + offsets, sepia_green, mask=mask)
    tl.store(output_ptr + 2 * channel + offsets, sepia_blue, mask=mask)


def sepia(image: torch.Tensor) -> torch.Tensor:
    """A contiguous float32 image (3, height, width), values 0 to 1, in sepia."""
    check_tensors_gpu_ready(image)
    if image.ndim != 3 or image.shape[0] != 3 or image.dtype != torch.float32:
        got = f"{tuple(image.shape)} {image.dtype}"
        raise ValueError(f"sepia expects a float32 image (3, height, width), got {got}")
    output = torch.empty_like(image[0])  # HERE
    _, height, width = image.shape
    BLOCK_SIZE_H, BLOCK_SIZE_W = 16, 64

    # 8: the grid, a tuple: tiles along the height, along the width
    grid = (cdiv(height, BLOCK_SIZE_H), cdiv(width, BLOCK_SIZE_W))

    # 9: launch sepia_kernel on that grid
    sepia_kernel[grid](image, output, height, width, BLOCK_SIZE_H, BLOCK_SIZE_W)

    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise=2)
