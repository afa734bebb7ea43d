"""Exercise 7b, correct but slow: the symmetric part of a matrix.

Each element is the mean of two that mirror each other across the diagonal:
    output[i, j] = (x[i, j] + x[j, i]) / 2
Two numbers are read for each one that is written, so memory is the limit.

The kernel is correct, but one of its accesses costs too much. The check says
which one, and why. A line or two are enough to repair it.
"""

# Import this first: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready  # not found? Start this file with: uv run

import torch
import triton
import triton.language as tl


@triton.jit
def symmetrize_kernel(
    x_ptr, output_ptr, N,
    BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr,
):
    # The rows and columns of this program's tile
    rows = tl.program_id(axis=0) * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    cols = tl.program_id(axis=1) * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    mask = (rows[:, None] < N) & (cols[None, :] < N)

    # Its elements, and those on the other side of the diagonal
    offsets = rows[:, None] * N + cols[None, :]
    x = tl.load(x_ptr + offsets, mask=mask)
    mirrored_offsets = cols[None, :] * N + rows[:, None]
    mirrored = tl.load(x_ptr + mirrored_offsets, mask=mask)

    tl.store(output_ptr + offsets, (x + mirrored) / 2, mask=mask)


def symmetrize(x: torch.Tensor) -> torch.Tensor:
    """Return (x + x.T) / 2 of a contiguous float32 matrix (N, N)."""
    check_tensors_gpu_ready(x, shapes="N N", dtype=torch.float32)
    N = x.shape[0]
    output = torch.empty_like(x)
    BLOCK_SIZE_M, BLOCK_SIZE_N = 1, 1024
    grid = (cdiv(N, BLOCK_SIZE_M), cdiv(N, BLOCK_SIZE_N))
    symmetrize_kernel[grid](x, output, N, BLOCK_SIZE_M, BLOCK_SIZE_N)
    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="7b")
