# expect: passed

# First: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv

import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config(
            {"BLOCK_SIZE_M": size, "BLOCK_SIZE_N": size, "BLOCK_SIZE_K": 32},
            num_warps=4,
        )
        for size in (32, 64)
    ],
    key=["M", "N", "K"],
)
@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr,
):
    tiles_n = tl.cdiv(N, BLOCK_SIZE_N)
    tiles = tl.cdiv(M, BLOCK_SIZE_M) * tiles_n
    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
        rows = tile // tiles_n * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)[:, None]
        cols = tile % tiles_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)[None, :]
        total = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
        for start in range(0, K, BLOCK_SIZE_K):
            k = start + tl.arange(0, BLOCK_SIZE_K)
            a_ptrs = a_ptr + rows * stride_am + k[None, :] * stride_ak
            a = tl.load(a_ptrs, mask=(rows < M) & (k[None, :] < K), other=0.0)
            b_ptrs = b_ptr + k[:, None] * stride_bk + cols * stride_bn
            b = tl.load(b_ptrs, mask=(k[:, None] < K) & (cols < N), other=0.0)
            total = tl.dot(a, b, total, input_precision="ieee")
        c_ptrs = c_ptr + rows * stride_cm + cols * stride_cn
        tl.store(c_ptrs, total, mask=(rows < M) & (cols < N))


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
    matmul_kernel[(8,)](a, b, c, M, N, K, *a.stride(), *b.stride(), *c.stride())
    return c


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise=4)
