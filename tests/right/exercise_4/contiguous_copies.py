# expect: passed

# First: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv

import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K,
    BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr,
):
    rows = tl.program_id(1) * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)[:, None]
    cols = tl.program_id(0) * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)[None, :]
    total = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), tl.float32)
    for step in tl.range(0, tl.cdiv(K, BLOCK_SIZE_K), num_stages=2):
        k = step * BLOCK_SIZE_K + tl.arange(0, BLOCK_SIZE_K)
        k_col, k_row = k[None, :], k[:, None]
        a = tl.load(a_ptr + rows * K + k_col, (rows < M) & (k_col < K), 0.0)
        b = tl.load(b_ptr + k_row * N + cols, (k_row < K) & (cols < N), 0.0)
        total = tl.dot(a, b, total, input_precision="ieee")
    total = total.to(c_ptr.dtype.element_ty)
    tl.store(c_ptr + rows * N + cols, total, (rows < M) & (cols < N))


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
    a, b = a.contiguous(), b.contiguous()
    (M, K), (_, N) = a.shape, b.shape
    c = torch.full((M, N), float("nan"), dtype=a.dtype, device=a.device)
    matmul_kernel[(cdiv(N, 32), cdiv(M, 64))](a, b, c, M, N, K, 64, 32, 32)
    return c


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise=4)
