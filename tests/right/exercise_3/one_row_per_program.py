# expect: passed

# First: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready

import torch
import triton
import triton.language as tl


@triton.jit
def conv2d_kernel(
    input_ptr, output_ptr, weight_ptr, height, width, size: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
):
    # A program for each row of each channel; a row comes in pieces.
    channel = tl.program_id(0) // height
    row = tl.program_id(0) % height
    for start in range(0, width, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        total = tl.full((BLOCK_SIZE,), 0.0, tl.float32)
        for i in tl.static_range(size):
            input_row = row + i - size // 2
            if (input_row >= 0) & (input_row < height):
                input_ptrs = input_ptr + (channel * height + input_row) * width
                for j in tl.static_range(size):
                    input_cols = cols + j - size // 2
                    mask = (input_cols >= 0) & (input_cols < width)
                    pixels = tl.load(input_ptrs + input_cols, mask=mask, other=0.0)
                    total += pixels * tl.load(weight_ptr + i * size + j)
        output_ptrs = output_ptr + (channel * height + row) * width
        tl.store(output_ptrs + cols, total, mask=cols < width)


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
    output = torch.empty(image.shape, device=image.device)
    channels, height, width = image.shape
    conv2d_kernel[(channels * height,)](image, output, weight, height, width, size, 32)
    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise=3)
