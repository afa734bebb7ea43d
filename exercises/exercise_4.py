"""Exercise 4: multiply two matrices, C = A @ B.

A is (M, K), B is (K, N), both float32: 2 M N K operations, 4 (M K + K N + M N)
bytes. For large matrices arithmetic is the limit, once every element that was
loaded is used for a whole row or column of a tile: that is what blocks are for.
"""

# First: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv

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
    # Which tile of C is mine? (int64: int32 is too small for a large C.)
    pid_m = tl.program_id(axis=0).to(tl.int64)
    pid_n = tl.program_id(axis=1).to(tl.int64)

    offs_m = ...  # TODO 1: the rows of A that this tile needs, a vector
    offs_n = ...  # TODO 2: the columns of B that this tile needs, a vector
    offs_k = ...  # TODO 3: the first BLOCK_SIZE_K positions along K, a vector
    a_ptrs = ...  # TODO 4: pointers to A's first tile, (BLOCK_SIZE_M, _K)
    b_ptrs = ...  # TODO 5: pointers to B's first tile, (BLOCK_SIZE_K, _N)
    accumulator = ...  # TODO 6: zeros for the sums, float32 in any case
    for k in range(0, K, BLOCK_SIZE_K):
        a = ...  # TODO 7: load A's tile, zeros outside: K has an edge too
        b = ...  # TODO 8: load B's tile, zeros outside
        accumulator = ...  # TODO 9: add their product, in float32, not TF32
        ...  # TODO 10: move both tiles one step along K
    ...  # TODO 11: store the tile of C


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

    grid = ...  # TODO 12: the grid, a tuple: tiles of C along M, along N
    ...  # TODO 13: launch matmul_kernel on that grid, strides included

    return c


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise=4)
