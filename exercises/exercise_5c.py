"""Exercise 5c: layer norm, with a variance free of cancellation.

Each row is moved and scaled to mean 0 and variance 1, then each column gets a
weight and a bias of its own:
    y = (x - mean) / sqrt(variance + eps) * weight + bias
The variance is the mean of (x - mean)².
A row fits on the chip, so each number is read once and written once.
"""

# Import this first: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready  # not found? Start this file with: uv run

import torch
import triton
import triton.language as tl


@triton.jit
def layer_norm_kernel(
    x_ptr, weight_ptr, bias_ptr, output_ptr, N, stride, eps,
    BLOCK_SIZE: tl.constexpr,
):
    ...  # TODO 1: this program's row, in int64; its columns, and a mask
    ...  # TODO 2: load the row, as float32; outside, what changes no sum
    ...  # TODO 3: how far each number is from the mean; outside the row, 0
    ...  # TODO 4: the variance, and one over the root of variance + eps
    ...  # TODO 5: scale, then weight and bias of each column; store


def layer_norm(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float
) -> torch.Tensor:
    """Return the layer norm of each row of x, (M, N), in the dtype of x.

    x: (M, N) float32, float16 or bfloat16, N from 1 to 16,384; rows may lie
    apart, a row's numbers may not. weight and bias: (N,), of the same dtype.
    """
    check_tensors_gpu_ready(
        x, weight, bias, shapes="M N, N, N", dtype=float, contiguous=False,
    )
    check_tensors_gpu_ready(x[:1], weight, bias)  # each row is contiguous
    M, N = x.shape
    output = torch.empty((M, N), dtype=x.dtype, device=x.device)

    ...  # TODO 6: a block that holds a row; launch one program per row

    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="5c")
