"""Exercise 5a, a repair: softmax over the rows of a matrix.

Softmax turns the numbers of a row into positive numbers that add up to 1:
    softmax(x) = exp(x) / sum(exp(x))
A program takes a whole row: its block has the next power of two of elements.
Each number is read once and written once, so memory is the limit.

The exercise is written already, and each of the parts 1 to 3 has one bug.
The check says which one shows first. Repair it, and look again.
"""

# Import this first: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready  # not found? Start this file with: uv run

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, output_ptr, N, stride, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(axis=0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < N
    # 1: load this program's row
    row_ptr = x_ptr + row * stride
    x = tl.load(row_ptr + cols, mask=mask, other=0.0)  # one block

    # 2: the exponentials, of any numbers
    numerator = tl.exp(x)

    # 3: divide by their sum, and store this row of the result
    total = tl.sum(numerator, axis=0)
    tl.store(output_ptr + row * stride + cols, numerator / total, mask=mask)


def softmax(x: torch.Tensor) -> torch.Tensor:
    """Return the softmax of each row, (M, N) float32.

    x: (M, N) float32, N at least 1; rows may lie apart, a row's numbers may
    not.
    """
    check_tensors_gpu_ready(
        x, shapes="M N", dtype=torch.float32, contiguous=False
    )
    check_tensors_gpu_ready(x[:1])  # each row is contiguous
    M, N = x.shape
    output = torch.empty((M, N), dtype=torch.float32, device=x.device)
    BLOCK_SIZE = triton.next_power_of_2(N)
    softmax_kernel[(M,)](x, output, N, x.stride(0), BLOCK_SIZE)
    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="5a")
