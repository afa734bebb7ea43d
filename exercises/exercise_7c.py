"""Exercise 7c, correct but slow: a scale for each row of a matrix.

To keep a row in 8 bits, divide it by its scale, so that all of it lies between
-127 and 127:
    scale = largest magnitude of the row / 127
Each number is read once, so memory is the limit. A row may be long, so it comes
in blocks; a program has 8 warps, to keep many loads in flight.

The kernel is correct, but its warps wait more often than they have to. The
check says on which line. A few lines are enough to repair it.
"""

# Import this first: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready  # not found? Start this file with: uv run

import torch
import triton
import triton.language as tl


@triton.jit
def row_scales_kernel(
    x_ptr, scale_ptr, N, stride,
    BLOCK_SIZE: tl.constexpr,
):
    # This program's row
    row = tl.program_id(axis=0).to(tl.int64)
    row_ptr = x_ptr + row * stride
    largest = 0.0

    for start in range(0, N, BLOCK_SIZE):
        # The largest magnitude so far
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(row_ptr + cols, mask=cols < N, other=0.0)
        magnitudes = tl.abs(x.to(tl.float32))
        largest = tl.maximum(largest, tl.max(magnitudes, axis=0))

    tl.store(scale_ptr + row, largest / 127)


def row_scales(x: torch.Tensor) -> torch.Tensor:
    """Return each row's largest magnitude divided by 127, (M,) float32.

    x: (M, N) float32, float16 or bfloat16; rows may lie apart, a row's
    numbers may not.
    """
    check_tensors_gpu_ready(x, shapes="M N", dtype=float, contiguous=False)
    check_tensors_gpu_ready(x[:1])  # each row is contiguous
    M, N = x.shape
    scales = torch.empty(M, dtype=torch.float32, device=x.device)
    BLOCK_SIZE = 1024
    row_scales_kernel[(M,)](
        x, scales, N, x.stride(0), BLOCK_SIZE, num_warps=8,
    )
    return scales


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="7c")
