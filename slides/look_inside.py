"""A launch of `add` to look into; it needs no GPU. Change a number, predict, and look again:

uv run workshop asm slides/look_inside.py
"""

from triton_workshop import DEVICE, cdiv

import torch
import triton
import triton.language as tl

N = 1_048_576  # elements
BLOCK_SIZE = 1024  # elements of a program: a power of two
WARPS = 4  # of a program, with 32 threads each


@triton.jit
def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(output_ptr + offsets, x + y, mask=mask)


x, y, output = (torch.zeros(N, device=DEVICE) for _ in range(3))
grid = (cdiv(N, BLOCK_SIZE),)
add_kernel[grid](x, y, output, N, BLOCK_SIZE=BLOCK_SIZE, num_warps=WARPS)
