"""Exercise 7d, correct but slow: RMS norm of long rows.

Each row is divided by the root of the mean of its squares, then each column
gets a weight of its own:
    y = x / sqrt(mean(x²) + eps) * weight
A program holds its row on the chip, so each number is read once and written
once, and memory is the limit.

The kernel is correct, but long rows cost too much. The check says of what there
is too little. A line or two are enough to repair it.
"""

# Import this first: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready  # not found? Start this file with: uv run

import torch
import triton
import triton.language as tl


@triton.jit
def rms_norm_kernel(
    x_ptr, weight_ptr, output_ptr, N, stride, eps,
    BLOCK_SIZE: tl.constexpr,
):
    # This program's row, all of it
    row = tl.program_id(axis=0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < N
    x = tl.load(x_ptr + row * stride + cols, mask=mask, other=0.0)
    x = x.to(tl.float32)

    # Scale it by one number, then each column by its weight
    mean_square = tl.sum(x * x, axis=0) / N
    scale = 1 / tl.sqrt(mean_square + eps)
    weight = tl.load(weight_ptr + cols, mask=mask)
    tl.store(output_ptr + row * N + cols, x * scale * weight, mask=mask)


def rms_norm(
    x: torch.Tensor, weight: torch.Tensor, eps: float
) -> torch.Tensor:
    """Return the RMS norm of each row of x, (M, N), in the dtype of x.

    x: (M, N) float32, float16 or bfloat16, N from 1 to 32,768; rows may lie
    apart, a row's numbers may not. weight: (N,), of the same dtype.
    """
    check_tensors_gpu_ready(
        x, weight, shapes="M N, N", dtype=float, contiguous=False,
    )
    check_tensors_gpu_ready(x[:1], weight)  # each row is contiguous
    M, N = x.shape
    output = torch.empty((M, N), dtype=x.dtype, device=x.device)
    BLOCK_SIZE = triton.next_power_of_2(N)
    num_warps = min(32, max(4, BLOCK_SIZE // 1024))
    rms_norm_kernel[(M,)](
        x, weight, output, N, x.stride(0), eps, BLOCK_SIZE,
        num_warps=num_warps,
    )
    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="7d")
