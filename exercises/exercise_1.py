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
    pid = ...  # TODO 1: which program is this?
    offsets = ...  # TODO 2: the elements that it owns
    mask = ...  # TODO 3: which of them exist?
    x = ...  # TODO 4: their values in x
    y = ...  # TODO 5: their values in y
    output = ...  # TODO 6: the values to store
    ...  # TODO 7: store them


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return x + y for two contiguous vectors of equal length and dtype."""
    check_tensors_gpu_ready(x, y, shapes="n, n", dtype=float)
    output = torch.empty_like(x)
    n_elements = output.numel()
    BLOCK_SIZE = 1024

    grid = ...  # TODO 8: as many programs as the vectors need
    ...  # TODO 9: launch them

    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="1")
