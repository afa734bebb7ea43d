"""Exercise 7e, correct but slow: how similar are all pairs of rows?

The rows of x are embeddings, and the similarity of two is their dot product:
    output = x @ x.T
That is 2 N N D operations for N rows of D numbers, on tensor cores: arithmetic
is the limit, once it is done by their fastest instruction.

The kernel is correct, but a slower instruction multiplies. The check says which
one, and on which line. A line is enough to repair it.
"""

# Import this first: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready  # not found? Start this file with: uv run

import torch
import triton
import triton.language as tl


@triton.jit
def similarities_kernel(
    x_ptr, output_ptr, N, D,
    BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr,
    BLOCK_SIZE_K: tl.constexpr,
):
    # The rows and columns of this program's tile
    rows = tl.program_id(axis=0) * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    cols = tl.program_id(axis=1) * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    row_mask, col_mask = rows[:, None] < N, cols[None, :] < N
    row_start = rows.to(tl.int64)[:, None]
    col_start = cols.to(tl.int64)[None, :]
    sums = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)

    for start in range(0, D, BLOCK_SIZE_K):
        # A tile of x, and one of its transpose
        k = start + tl.arange(0, BLOCK_SIZE_K)
        a_ptrs = x_ptr + row_start * D + k[None, :]
        a = tl.load(a_ptrs, mask=row_mask & (k[None, :] < D), other=0.0)
        b_ptrs = x_ptr + col_start * D + k[:, None]
        b = tl.load(b_ptrs, mask=col_mask & (k[:, None] < D), other=0.0)
        sums = tl.dot(a, b, sums)

    output_ptrs = output_ptr + row_start * N + cols[None, :]
    products = sums.to(output_ptr.dtype.element_ty)
    tl.store(output_ptrs, products, mask=row_mask & col_mask)


def similarities(x: torch.Tensor) -> torch.Tensor:
    """Return x @ x.T, (N, N), in the dtype of x.

    x: (N, D) float16 or bfloat16, contiguous.
    """
    check_tensors_gpu_ready(x, shapes="N D", dtype=float)
    N, D = x.shape
    output = torch.empty((N, N), dtype=x.dtype, device=x.device)
    BLOCK_SIZE_M, BLOCK_SIZE_N, BLOCK_SIZE_K = 32, 64, 64
    grid = (cdiv(N, BLOCK_SIZE_M), cdiv(N, BLOCK_SIZE_N))
    similarities_kernel[grid](
        x, output, N, D, BLOCK_SIZE_M, BLOCK_SIZE_N, BLOCK_SIZE_K,
    )
    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="7e")
