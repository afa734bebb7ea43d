"""Exercise 1: add two vectors, output[i] = x[i] + y[i].

Each element costs 12 bytes (two float32 values read, one written) and
1 addition, so memory is the limit.
"""

# Import this first: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready  # not found? Start this file with: uv run

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(
    x_ptr, y_ptr, output_ptr, n_elements,
    BLOCK_SIZE: tl.constexpr,
):
    pid = ...  # TODO 1: this program's number, from tl.program_id
    offsets = ...  # TODO 2: BLOCK_SIZE offsets, starting at pid * BLOCK_SIZE
    mask = ...  # TODO 3: true where an offset is below n_elements
    x = ...  # TODO 4: load the block at x_ptr + offsets, masked
    y = ...  # TODO 5: load the block of y the same way
    output = ...  # TODO 6: compute the sum of the two blocks
    ...  # TODO 7: store it at output_ptr + offsets, masked


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return x + y for two contiguous vectors of equal length and dtype."""
    check_tensors_gpu_ready(x, y, shapes="n, n", dtype=float)
    output = torch.empty_like(x)
    n_elements = output.numel()
    BLOCK_SIZE = 1024

    grid = ...  # TODO 8: a tuple: as many programs as blocks; cdiv rounds up
    ...  # TODO 9: launch: add_kernel[grid], then its five arguments

    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="1")
