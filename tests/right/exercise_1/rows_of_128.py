# expect: passed

# First: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready

import torch
import triton
import triton.language as tl


@triton.jit
def block_offsets(start, ROWS: tl.constexpr, COLS: tl.constexpr):
    rows = tl.arange(0, ROWS)
    cols = tl.arange(0, COLS)
    return start + rows[:, None] * COLS + cols[None, :]


@triton.jit
def add_kernel(
    x_ptr, y_ptr, output_ptr, n_elements, ROWS: tl.constexpr, COLS: tl.constexpr
):
    offsets = block_offsets(tl.program_id(0) * ROWS * COLS, ROWS, COLS)
    inside = offsets < n_elements
    total = tl.load(x_ptr + offsets, inside, 0.0)
    total += tl.load(y_ptr + offsets, inside, 0.0)
    tl.store(output_ptr + offsets, total, inside)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """x + y, for contiguous floats of one shape and dtype."""
    check_tensors_gpu_ready(x, y)
    alike = x.shape == y.shape and x.dtype == y.dtype
    if not (alike and x.is_floating_point()):
        expected = "floats of one shape and dtype"
        got = (tuple(x.shape), x.dtype, tuple(y.shape), y.dtype)
        raise ValueError(f"add expects {expected}, got {got}")
    output = torch.empty_like(x)
    n_elements = output.numel()
    add_kernel[(cdiv(n_elements, 8 * 128),)](x, y, output, n_elements, 8, 128)
    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise=1)
