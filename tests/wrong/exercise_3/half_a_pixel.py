# expect: crash; hint: float-offset

# First: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready

import torch
import triton
import triton.language as tl


@triton.jit
def conv2d_kernel(
    input_ptr, output_ptr, conv_kernel_ptr,
    height, width, kernel_size: tl.constexpr,
    BLOCK_SIZE_H: tl.constexpr, BLOCK_SIZE_W: tl.constexpr,
):
    # Which channel, which tile? (int64: int32 cannot count a large picture's pixels.)
    channel = tl.program_id(axis=0).to(tl.int64)
    pid_h = tl.program_id(axis=1).to(tl.int64)
    pid_w = tl.program_id(axis=2).to(tl.int64)

    # 1: the rows of this program's tile, a vector
    rows = pid_h * BLOCK_SIZE_H + tl.arange(0, BLOCK_SIZE_H)

    # 2: the columns of this program's tile, a vector
    cols = pid_w * BLOCK_SIZE_W + tl.arange(0, BLOCK_SIZE_W)

    # 3: the offset of this channel's first pixel
    channel_start = channel * height * width

    accumulator = tl.zeros((BLOCK_SIZE_H, BLOCK_SIZE_W), dtype=tl.float32)
    for i in tl.static_range(kernel_size):
        for j in tl.static_range(kernel_size):
            # 4: the rows under weight (i, j): centred
            input_rows = rows + i - kernel_size / 2  # HERE

            # 5: their columns
            input_cols = cols + j - kernel_size / 2

            # 6: the mask: true inside the picture
            row_mask = (input_rows >= 0) & (input_rows < height)
            col_mask = (input_cols >= 0) & (input_cols < width)
            mask = row_mask[:, None] & col_mask[None, :]

            # 7: load the pixels, zeros outside
            offsets = channel_start + input_rows[:, None] * width + input_cols[None, :]
            pixels = tl.load(input_ptr + offsets, mask=mask, other=0.0)

            # 8: load weight (i, j) and add its share
            weight = tl.load(conv_kernel_ptr + i * kernel_size + j)
            accumulator += pixels * weight

    output_offsets = channel_start + rows[:, None] * width + cols[None, :]
    output_mask = (rows[:, None] < height) & (cols[None, :] < width)

    # 9: store the tile
    tl.store(output_ptr + output_offsets, accumulator, mask=output_mask)


def conv2d(image: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Each channel of an image (channels, height, width) under one filter (k, k), k odd.

    Both are float32. Centred, zeros outside; the filter is not flipped.
    """
    check_tensors_gpu_ready(image, weight)
    if image.ndim != 3 or image.dtype != torch.float32:
        got = f"{tuple(image.shape)} {image.dtype}"
        raise ValueError(f"conv2d expects float32 (channels, height, width), got {got}")
    size = weight.shape[0] if weight.ndim == 2 else 0
    if weight.shape != (size, size) or size % 2 == 0 or weight.dtype != torch.float32:
        got = f"{tuple(weight.shape)} {weight.dtype}"
        raise ValueError(f"conv2d expects a float32 filter (k, k), k odd, got {got}")
    output = torch.empty_like(image)
    channels, height, width = image.shape
    BLOCK_SIZE_H, BLOCK_SIZE_W = 16, 16

    # 10: the grid, a tuple: channels, tiles along height, along width
    grid = (channels, cdiv(height, BLOCK_SIZE_H), cdiv(width, BLOCK_SIZE_W))

    # 11: launch conv2d_kernel on that grid
    conv2d_kernel[grid](
        image, output, weight, height, width, size, BLOCK_SIZE_H, BLOCK_SIZE_W
    )

    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise=3)
