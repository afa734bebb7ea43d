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
    # 1: the rows and columns of this program's tile of C
    offs_m = tl.program_id(axis=0) * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    offs_n = tl.program_id(axis=1) * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)

    # 2: pointers to A's and B's first tile; zeros for sums
    offs_k = tl.arange(0, BLOCK_SIZE_K)
    a_ptrs = a_ptr + offs_m[:, None] * stride_am + offs_k[None, :] * stride_ak
    b_ptrs = b_ptr + offs_k[:, None] * stride_bk + offs_n[None, :] * stride_bn
    accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)

    for k in range(0, K, BLOCK_SIZE_K):
        # 3: load both, zeros outside: K has an edge too
        a_mask = (offs_m[:, None] < M) & (offs_k[None, :] < K - k)
        a = tl.load(a_ptrs, mask=a_mask, other=0.0)
        b_mask = (offs_k[:, None] < K - k) & (offs_n[None, :] < N)
        b = tl.load(b_ptrs, mask=b_mask, other=0.0)

        # 4: add their product, in float32 rather than TF32
        accumulator = tl.dot(a, b, accumulator, input_precision="ieee")

        # 5: move both tiles one step along K
        a_ptrs += BLOCK_SIZE_K * stride_ak
        b_ptrs += BLOCK_SIZE_K * stride_bk

    # 6: store the tile of C
    c_ptrs = c_ptr + offs_m[:, None] * stride_cm + offs_n[None, :] * stride_cn
    c_mask = (offs_m[:, None] < M) & (offs_n[None, :] < N)
    tl.store(c_ptrs, accumulator, mask=c_mask)


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

    # 7: launch one program per tile of C; pass the strides
    grid = (cdiv(M, BLOCK_SIZE_M), cdiv(N, BLOCK_SIZE_N))
    matmul_kernel[grid](
        a, b, c, M, N, K, *a.stride(), *b.stride(), *c.stride(),
        BLOCK_SIZE_M, BLOCK_SIZE_N, BLOCK_SIZE_K,
    )

    return c


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="4")
