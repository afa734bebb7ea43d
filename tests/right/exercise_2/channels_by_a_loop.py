# expect: passed

# First: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready

import torch
import triton
import triton.language as tl


@triton.jit
def sepia_kernel(
    x_ptr, weights_ptr, output_ptr, height, width,
    BLOCK_SIZE_H: tl.constexpr, BLOCK_SIZE_W: tl.constexpr,
):
    rows = tl.program_id(0) * BLOCK_SIZE_H + tl.arange(0, BLOCK_SIZE_H)[:, None]
    cols = tl.program_id(1) * BLOCK_SIZE_W + tl.arange(0, BLOCK_SIZE_W)[None, :]
    offsets = rows * width + cols
    mask = (rows < height) & (cols < width)
    plane = height * width
    for out in tl.static_range(3):
        mixed = tl.zeros((BLOCK_SIZE_H, BLOCK_SIZE_W), dtype=tl.float32)
        for channel in tl.static_range(3):
            weight = tl.load(weights_ptr + 3 * out + channel)
            mixed += weight * tl.load(x_ptr + channel * plane + offsets, mask=mask)
        tl.store(output_ptr + out * plane + offsets, tl.minimum(mixed, 1.0), mask=mask)


def sepia(image: torch.Tensor) -> torch.Tensor:
    """A contiguous float32 image (3, height, width), values 0 to 1, in sepia."""
    check_tensors_gpu_ready(image)
    if image.ndim != 3 or image.shape[0] != 3 or image.dtype != torch.float32:
        got = f"{tuple(image.shape)} {image.dtype}"
        raise ValueError(f"sepia expects a float32 image (3, height, width), got {got}")
    weights = torch.tensor(
        [[0.393, 0.769, 0.189], [0.349, 0.686, 0.168], [0.272, 0.534, 0.131]],
        device=image.device,
    )
    output = torch.empty_like(image)
    _, height, width = image.shape
    grid = (cdiv(height, 32), cdiv(width, 32))
    sepia_kernel[grid](image, weights, output, height, width, 32, 32)
    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise=2)
