# expect: passed on Triton 3.6; crash block-pointers-gone later

# First: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    start = tl.program_id(0) * BLOCK_SIZE
    x_block = tl.make_block_ptr(  # HERE
        x_ptr, (n_elements,), (1,), (start,), (BLOCK_SIZE,), (0,)
    )
    y_block = tl.make_block_ptr(
        y_ptr, (n_elements,), (1,), (start,), (BLOCK_SIZE,), (0,)
    )
    output_block = tl.make_block_ptr(
        output_ptr, (n_elements,), (1,), (start,), (BLOCK_SIZE,), (0,)
    )
    x = tl.load(x_block, boundary_check=(0,))
    y = tl.load(y_block, boundary_check=(0,))
    tl.store(output_block, x + y, boundary_check=(0,))


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
    add_kernel[(cdiv(n_elements, 1024),)](x, y, output, n_elements, BLOCK_SIZE=1024)
    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise=1)
