"""Exercise 4b: a layer of a neural network, relu(A @ B + bias), in one kernel.

The code after the loop of a matrix product is called its epilogue. There the
sums are still in registers, so a bias per column and a ReLU cost no extra trip
to memory: this saves two kernels, and 16 bytes per element of C.
"""

# Import this first: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready  # not found? Start this file with: uv run

import torch
import triton
import triton.language as tl


@triton.jit
def linear_relu_kernel(
    a_ptr, b_ptr, bias_ptr, c_ptr, M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn,
    stride_bias, stride_cm, stride_cn,
    BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr,
    BLOCK_SIZE_K: tl.constexpr,
):
    # 1: the sums of this program's tile, as in exercise 4
    offs_m = tl.program_id(axis=0) * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    offs_n = tl.program_id(axis=1) * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    offs_k = tl.arange(0, BLOCK_SIZE_K)
    a_ptrs = a_ptr + offs_m[:, None] * stride_am + offs_k[None, :] * stride_ak
    b_ptrs = b_ptr + offs_k[:, None] * stride_bk + offs_n[None, :] * stride_bn
    accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_SIZE_K):
        a_mask = (offs_m[:, None] < M) & (offs_k[None, :] < K - k)
        a = tl.load(a_ptrs, mask=a_mask, other=0.0)
        b_mask = (offs_k[:, None] < K - k) & (offs_n[None, :] < N)
        b = tl.load(b_ptrs, mask=b_mask, other=0.0)
        accumulator = tl.dot(a, b, accumulator, input_precision="ieee")
        a_ptrs += BLOCK_SIZE_K * stride_ak
        b_ptrs += BLOCK_SIZE_K * stride_bk

    # 2: load the bias of this tile's columns, and add it to every row
    bias = tl.load(bias_ptr + offs_n * stride_bias, mask=offs_n < N)
    accumulator += bias[None, :]

    # 3: apply the ReLU, max(x, 0), and store the tile
    c_ptrs = c_ptr + offs_m[:, None] * stride_cm + offs_n[None, :] * stride_cn
    c_mask = (offs_m[:, None] < M) & (offs_n[None, :] < N)
    tl.store(c_ptrs, tl.maximum(accumulator, 0.0), mask=c_mask)


def linear_relu(
    a: torch.Tensor, b: torch.Tensor, bias: torch.Tensor
) -> torch.Tensor:
    """Return relu(a @ b + bias) for a (M, K), b (K, N) and bias (N,).

    All are of one dtype, float32, float16 or bfloat16, and of any strides; sums
    are float32.
    """
    check_tensors_gpu_ready(
        a, b, bias, shapes="M K, K N, N", dtype=float, contiguous=False
    )
    (M, K), (_, N) = a.shape, b.shape
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    BLOCK_SIZE_M, BLOCK_SIZE_N, BLOCK_SIZE_K = 64, 128, 16

    # 4: launch one program per tile of C
    grid = (cdiv(M, BLOCK_SIZE_M), cdiv(N, BLOCK_SIZE_N))
    linear_relu_kernel[grid](
        a, b, bias, c, M, N, K,
        *a.stride(), *b.stride(), *bias.stride(), *c.stride(),
        BLOCK_SIZE_M, BLOCK_SIZE_N, BLOCK_SIZE_K,
    )

    return c


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="4b")
