# expect: passed

# First: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv

import torch
import triton
import triton.language as tl

def workspace(size: int, alignment: int, stream: int | None) -> torch.Tensor:
    """Where Triton keeps tensor descriptors on a GPU."""
    return torch.empty(size, dtype=torch.int8, device=DEVICE)


triton.set_allocator(workspace)


def padded(matrix: torch.Tensor) -> torch.Tensor:
    """The matrix in memory of its own, each side a multiple of 8, zeros added."""
    rows, cols = (cdiv(size, 8) * 8 for size in matrix.shape)
    copy = torch.zeros((rows, cols), dtype=matrix.dtype, device=matrix.device)
    copy[: matrix.shape[0], : matrix.shape[1]] = matrix
    return copy


@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K,
    BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr,
):
    # Descriptors load zeros outside the matrix: no masks.
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BLOCK_SIZE_M, BLOCK_SIZE_K])
    b = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [BLOCK_SIZE_K, BLOCK_SIZE_N])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BLOCK_SIZE_M, BLOCK_SIZE_N])
    row = tl.program_id(0) * BLOCK_SIZE_M
    col = tl.program_id(1) * BLOCK_SIZE_N
    total = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_SIZE_K):
        product = tl.dot(a.load([row, k]), b.load([k, col]), input_precision="ieee")
        total += product
    c.store([row, col], total.to(c_ptr.dtype.element_ty))


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
    # Rows of a descriptor begin at multiples of 16 bytes: pad to 8 elements, then cut.
    rows, cols = a.shape[0], b.shape[1]
    a, b = padded(a), padded(b)
    (M, K), (_, N) = a.shape, b.shape
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    matmul_kernel[(cdiv(M, 64), cdiv(N, 64))](a, b, c, M, N, K, 64, 64, 32)
    return c[:rows, :cols]


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise=4)
