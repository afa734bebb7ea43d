# expect: passed

# First: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready

import torch
import triton
import triton.language as tl


@triton.jit
def mix(red, green, blue, of_red, of_green, of_blue):
    mixed = tl.fma(of_red, red, tl.fma(of_green, green, of_blue * blue))
    return tl.minimum(mixed, 1.0)


@triton.jit
def sepia_kernel(x_ptr, output_ptr, pixels, BLOCK_SIZE: tl.constexpr):
    # A pixel's neighbours do not matter: a plane is one long vector.
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < pixels
    red = tl.load(x_ptr + offsets, mask, other=0.0)
    green = tl.load(x_ptr + pixels + offsets, mask, other=0.0)
    blue = tl.load(x_ptr + 2 * pixels + offsets, mask, other=0.0)
    output_ptr += offsets
    tl.store(output_ptr, mix(red, green, blue, 0.393, 0.769, 0.189), mask)
    output_ptr += pixels
    tl.store(output_ptr, mix(red, green, blue, 0.349, 0.686, 0.168), mask)
    output_ptr += pixels
    tl.store(output_ptr, mix(red, green, blue, 0.272, 0.534, 0.131), mask)


def sepia(image: torch.Tensor) -> torch.Tensor:
    """A contiguous float32 image (3, height, width), values 0 to 1, in sepia."""
    check_tensors_gpu_ready(image)
    if image.ndim != 3 or image.shape[0] != 3 or image.dtype != torch.float32:
        got = f"{tuple(image.shape)} {image.dtype}"
        raise ValueError(f"sepia expects a float32 image (3, height, width), got {got}")
    output = torch.empty_like(image)
    pixels = image.shape[1] * image.shape[2]
    sepia_kernel[(cdiv(pixels, 512),)](image, output, pixels, BLOCK_SIZE=512)
    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise=2)
