"""Exercise 1b: multiply and add in one kernel, output[i] = a * x[i] + y[i].

PyTorch's a * x + y runs two kernels, which move 20 bytes per element: the first
reads x and writes a * x; the second reads that and y, and writes the sum. One
kernel moves 12 bytes, so it can be 1.7 times as fast.
"""

# Import this first: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready  # not found? Start this file with: uv run

import torch
import triton
import triton.language as tl


@triton.jit
def axpy_kernel(
    a, x_ptr, y_ptr, output_ptr, n_elements,
    BLOCK_SIZE: tl.constexpr,
):
    ...  # TODO 1: the offsets and the mask of this program's block
    ...  # TODO 2: load both blocks, compute a * x + y, store it


def axpy(a: float, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return a * x + y for a number and two contiguous vectors of floats."""
    check_tensors_gpu_ready(x, y, shapes="n, n", dtype=float)
    output = torch.empty_like(x)

    ...  # TODO 3: choose a block size, and launch one program per block

    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="1b")
