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
    # 1: this program's row, in int64; its columns, and a mask
    row = tl.program_id(axis=0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < N

    # 2: load the row, as float32; outside, what changes no sum
    x = tl.load(x_ptr + row * stride + cols, mask=mask, other=0.0)
    x = x.to(tl.float32)

    # 3: how far each number is from the mean; outside the row, 0
    mean = tl.sum(x, axis=0) / N
    centred = tl.where(mask, x - mean, 0.0)

    # 4: the variance, and one over the root of variance + eps
    variance = tl.sum(centred * centred, axis=0) / N
    scale = tl.rsqrt(variance + eps)

    # 5: scale, then weight and bias of each column; store
    weight = tl.load(weight_ptr + cols, mask=mask)
    bias = tl.load(bias_ptr + cols, mask=mask)
    normalized = centred * scale * weight + bias
    tl.store(output_ptr + row * N + cols, normalized, mask=mask)


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

    # 6: a block that holds a row; launch one program per row
    BLOCK_SIZE = triton.next_power_of_2(N)
    layer_norm_kernel[(M,)](
        x, weight, bias, output, N, x.stride(0), eps, BLOCK_SIZE,
    )

    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="5c")
