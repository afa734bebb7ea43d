# expect: passed

# First: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready

import torch
import triton
import triton.language as tl


@triton.jit
def conv2d_kernel(
    padded_ptr, output_ptr, weight_ptr, height, width, size: tl.constexpr,
    BLOCK_SIZE_H: tl.constexpr, BLOCK_SIZE_W: tl.constexpr,
):
    # The picture comes with its border of zeros: no pixel lies outside.
    channel = tl.program_id(0)
    rows = tl.program_id(1) * BLOCK_SIZE_H + tl.arange(0, BLOCK_SIZE_H)[:, None]
    cols = tl.program_id(2) * BLOCK_SIZE_W + tl.arange(0, BLOCK_SIZE_W)[None, :]
    mask = (rows < height) & (cols < width)
    padded_width = width + size - 1
    padded_ptr += channel * (height + size - 1) * padded_width
    total = tl.zeros((BLOCK_SIZE_H, BLOCK_SIZE_W), tl.float32)
    for i in range(size):
        for j in range(size):
            offsets = (rows + i) * padded_width + cols + j
            pixels = tl.load(padded_ptr + offsets, mask=mask)
            total += tl.load(weight_ptr + i * size + j) * pixels
    tl.store(output_ptr + (channel * height + rows) * width + cols, total, mask)


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
    border = size // 2
    padded = torch.nn.functional.pad(image, (border, border, border, border))
    channels, height, width = image.shape
    output = torch.empty_like(image)
    grid = (channels, cdiv(height, 16), cdiv(width, 16))
    conv2d_kernel[grid](padded, output, weight, height, width, size, 16, 16)
    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise=3)
