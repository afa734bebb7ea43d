# expect: passed

# First: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready

import torch
import triton
import triton.language as tl


@triton.jit
def conv2d_kernel(
    input_ptr, output_ptr, weight_ptr, height, width, size,
    TAPS: tl.constexpr, BLOCK_SIZE: tl.constexpr,
):
    # Blocks of (pixels, taps): the filter is loaded once and summed over.
    channel = tl.program_id(1)
    pixels = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    taps = tl.arange(0, TAPS)
    weights = tl.load(weight_ptr + taps, mask=taps < size * size, other=0.0)

    rows = (pixels // width)[:, None] + (taps // size)[None, :] - size // 2
    cols = (pixels % width)[:, None] + (taps % size)[None, :] - size // 2
    mask = (rows >= 0) & (rows < height) & (cols >= 0) & (cols < width)
    offsets = (channel * height + rows) * width + cols
    values = tl.load(input_ptr + offsets, mask=mask, other=0.0)
    total = tl.sum(values * weights[None, :], axis=1)

    output_offsets = channel * height * width + pixels
    tl.store(output_ptr + output_offsets, total, mask=pixels < height * width)


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
    grid = (cdiv(height * width, 128), channels)
    taps = triton.next_power_of_2(size * size)
    conv2d_kernel[grid](image, output, weight, height, width, size, taps, 128)
    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise=3)
