# expect: passed

# First: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready

import torch
import triton
import triton.language as tl


RED = tl.constexpr((0.393, 0.769, 0.189))
GREEN = tl.constexpr((0.349, 0.686, 0.168))
BLUE = tl.constexpr((0.272, 0.534, 0.131))


@triton.jit
def store_mix(pointers, red, green, blue, weights: tl.constexpr, mask):
    mixed = weights[0] * red + weights[1] * green + weights[2] * blue
    tl.store(pointers, tl.minimum(mixed, 1.0), mask=mask)


@triton.jit
def sepia_kernel(x_ptr, output_ptr, height, width, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0)
    plane = height * width
    for start in range(0, width, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        mask = cols < width
        offsets = row * width + cols
        red = tl.load(x_ptr + offsets, mask=mask)
        green = tl.load(x_ptr + plane + offsets, mask=mask)
        blue = tl.load(x_ptr + 2 * plane + offsets, mask=mask)
        store_mix(output_ptr + offsets, red, green, blue, RED, mask)
        store_mix(output_ptr + plane + offsets, red, green, blue, GREEN, mask)
        store_mix(output_ptr + 2 * plane + offsets, red, green, blue, BLUE, mask)


def sepia(image: torch.Tensor) -> torch.Tensor:
    """A contiguous float32 image (3, height, width), values 0 to 1, in sepia."""
    check_tensors_gpu_ready(image)
    if image.ndim != 3 or image.shape[0] != 3 or image.dtype != torch.float32:
        got = f"{tuple(image.shape)} {image.dtype}"
        raise ValueError(f"sepia expects a float32 image (3, height, width), got {got}")
    output = torch.empty_like(image)
    _, height, width = image.shape
    sepia_kernel[(height,)](image, output, height, width, BLOCK_SIZE=32)
    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise=2)
