"""Exercise 4: multiply two matrices, C = A @ B.

A is (M, K) and B is (K, N): 2 M N K operations and, in float32,
4 (M K + K N + M N) bytes. For large matrices arithmetic is the limit, provided
that every element loaded is reused across a whole row or column of the tile.
"""

# Import this first: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready  # not found? Start this file with: uv run

import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr,
    BLOCK_SIZE_K: tl.constexpr,
):
    ...  # TODO 1: the rows and columns of this program's tile of C
    ...  # TODO 2: pointers to A's and B's first tile; zeros for sums

    for k in range(0, K, BLOCK_SIZE_K):
        ...  # TODO 3: load both, zeros outside: K has an edge too
        ...  # TODO 4: add their product, in float32 rather than TF32
        ...  # TODO 5: move both tiles one step along K

    ...  # TODO 6: store the tile of C


def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return a @ b for matrices (M, K) and (K, N) of any strides.

    Both are float32, float16 or bfloat16, and so is the product; sums are
    float32.
    """
    check_tensors_gpu_ready(
        a, b, shapes="M K, K N", dtype=float, contiguous=False
    )
    (M, K), (_, N) = a.shape, b.shape
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    BLOCK_SIZE_M, BLOCK_SIZE_N, BLOCK_SIZE_K = 64, 128, 16

    ...  # TODO 7: launch one program per tile of C; pass the strides

    return c


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="4")
