# expect: passed on Triton 3.6; crash block-pointers-gone later

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
    row = tl.program_id(0) * BLOCK_SIZE_M
    col = tl.program_id(1) * BLOCK_SIZE_N
    a_block = tl.make_block_ptr(  # HERE
        a_ptr, (M, K), (stride_am, stride_ak), (row, 0),
        (BLOCK_SIZE_M, BLOCK_SIZE_K), (1, 0),
    )
    b_block = tl.make_block_ptr(
        b_ptr, (K, N), (stride_bk, stride_bn), (0, col),
        (BLOCK_SIZE_K, BLOCK_SIZE_N), (1, 0),
    )
    total = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for _ in range(0, K, BLOCK_SIZE_K):
        a = tl.load(a_block, boundary_check=(0, 1), padding_option="zero")
        b = tl.load(b_block, boundary_check=(0, 1), padding_option="zero")
        total = tl.dot(a, b, total, input_precision="ieee")
        a_block = tl.advance(a_block, (0, BLOCK_SIZE_K))
        b_block = tl.advance(b_block, (BLOCK_SIZE_K, 0))
    c_block = tl.make_block_ptr(
        c_ptr, (M, N), (stride_cm, stride_cn), (row, col),
        (BLOCK_SIZE_M, BLOCK_SIZE_N), (1, 0),
    )
    tl.store(c_block, total.to(c_ptr.dtype.element_ty), boundary_check=(0, 1))


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
    BLOCK_SIZE_M, BLOCK_SIZE_N, BLOCK_SIZE_K = 64, 64, 32

    # 12: the grid, a tuple: tiles of C along M, along N
    grid = (cdiv(M, BLOCK_SIZE_M), cdiv(N, BLOCK_SIZE_N))

    # 13: launch matmul_kernel on that grid, strides included
    matmul_kernel[grid](
        a, b, c, M, N, K, *a.stride(), *b.stride(), *c.stride(),
        BLOCK_SIZE_M, BLOCK_SIZE_N, BLOCK_SIZE_K,
    )

    return c


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise=4)
