"""Exercise 1 as it is used in a project of your own, without this package."""

import sys

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
RUN = "from triton_workshop import DEVICE; import runpy; runpy.run_path('solutions/standalone.py')"


@triton.jit
def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(output_ptr + offsets, x + y, mask=mask)


if DEVICE == "cpu" and "triton_workshop" not in sys.modules:
    sys.exit(f"This needs a GPU that Triton supports. On the simulator:\nuv run python -c \"{RUN}\"")
x, y = torch.rand(2, 1_000_003, device=DEVICE)
output = torch.empty_like(x)
add_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, output, x.numel(), BLOCK_SIZE=1024)
print("as torch:", torch.equal(output, x + y))
