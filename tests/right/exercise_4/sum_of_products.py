# expect: passed

# First: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv

import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, N, K,
    stride_am, stride_ak, stride_bk, stride_bn,
    BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr,
):
    # No tl.dot: a row of A against columns of B, multiplied and summed.
    row = tl.program_id(0)
    cols = tl.program_id(1) * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    total = tl.zeros((BLOCK_SIZE_N,), dtype=tl.float32)
    for start in range(0, K, BLOCK_SIZE_K):
        k = start + tl.arange(0, BLOCK_SIZE_K)
        a = tl.load(a_ptr + row * stride_am + k * stride_ak, mask=k < K, other=0.0)
        b_ptrs = b_ptr + k[:, None] * stride_bk + cols[None, :] * stride_bn
        b_mask = (k[:, None] < K) & (cols[None, :] < N)
        b = tl.load(b_ptrs, mask=b_mask, other=0.0)
        total += tl.sum(a[:, None].to(tl.float32) * b.to(tl.float32), axis=0)
    tl.store(c_ptr + row * N + cols, total, mask=cols < N)


def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """A @ B for matrices (M, K) and (K, N) of any strides, summed in float32.

    Both are float32, float16 or bfloat16, and so is the product.
    """
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[0]:
        got = f"{tuple(a.shape)} and {tuple(b.shape)}"
        raise ValueError(f"matmul expects shapes (M, K) and (K, N), got {got}")
    dtypes = (torch.float32, torch.float16, torch.bfloat16)
    if a.dtype != b.dtype or a.dtype not in dtypes:
        got = f"{a.dtype} and {b.dtype}"
        raise ValueError(f"matmul expects one dtype of {dtypes}, got {got}")
    if a.device != b.device or a.device.type != DEVICE:
        got = f"{a.device} and {b.device}"
        raise ValueError(f"matmul expects matrices on {DEVICE}, got {got}")
    (M, K), (_, N) = a.shape, b.shape
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    matmul_kernel[(M, cdiv(N, 64))](a, b, c, N, K, *a.stride(), *b.stride(), 64, 32)
    return c


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise=4)
