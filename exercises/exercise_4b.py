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
    ...  # TODO 1: the sums of this program's tile, as in exercise 4
    ...  # TODO 2: load the bias of this tile's columns, and add it to every row
    ...  # TODO 3: apply the ReLU, max(x, 0), and store the tile


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

    ...  # TODO 4: launch one program per tile of C

    return c


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="4b")
