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
    # All channels at once: 4 along the first axis, as a block's size is a power of 2.
    out = tl.program_id(2)
    channels = tl.arange(0, 4)
    rows = tl.program_id(0) * BLOCK_SIZE_H + tl.arange(0, BLOCK_SIZE_H)
    cols = tl.program_id(1) * BLOCK_SIZE_W + tl.arange(0, BLOCK_SIZE_W)
    offsets = rows[:, None] * width + cols[None, :]
    mask = (rows[:, None] < height) & (cols[None, :] < width)
    picture_mask = (channels < 3)[:, None, None] & mask[None, :, :]
    planes = channels[:, None, None] * height * width + offsets[None, :, :]
    picture = tl.load(x_ptr + planes, mask=picture_mask, other=0.0)
    weights = tl.load(weights_ptr + 3 * out + channels, mask=channels < 3, other=0.0)
    mixed = tl.sum(picture * weights[:, None, None], axis=0)
    output_offsets = out * height * width + offsets
    tl.store(output_ptr + output_offsets, tl.minimum(mixed, 1.0), mask=mask)


def sepia(image: torch.Tensor) -> torch.Tensor:
    """A contiguous float32 image (3, height, width), values 0 to 1, in sepia."""
    check_tensors_gpu_ready(image)
    if image.ndim != 3 or image.shape[0] != 3 or image.dtype != torch.float32:
        got = f"{tuple(image.shape)} {image.dtype}"
        raise ValueError(f"sepia expects a float32 image (3, height, width), got {got}")
    weights = torch.tensor(
        [0.393, 0.769, 0.189, 0.349, 0.686, 0.168, 0.272, 0.534, 0.131],
        dtype=image.dtype, device=image.device,
    )
    output = torch.empty_like(image)
    _, height, width = image.shape
    grid = (cdiv(height, 16), cdiv(width, 16), 3)
    sepia_kernel[grid](image, weights, output, height, width, 16, 16)
    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise=2)
