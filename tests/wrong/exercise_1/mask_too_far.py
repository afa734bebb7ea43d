# expect: out-of-bounds-load; hint: mask-too-far

# First: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(
    x_ptr, y_ptr, output_ptr, n_elements,
    BLOCK_SIZE: tl.constexpr,
):
    # Which block is mine? (int64: beyond 2^31 int32 overflows.)
    pid = tl.program_id(axis=0).to(tl.int64)

    # 1: the offsets of this program's block
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)

    # 2: true where an offset is inside the vectors
    mask = offsets <= n_elements  # HERE

    # 3: load the block of x
    x = tl.load(x_ptr + offsets, mask=mask)

    # 4: load the block of y
    y = tl.load(y_ptr + offsets, mask=mask)

    # 5: store their sum
    tl.store(output_ptr + offsets, x + y, mask=mask)


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
    BLOCK_SIZE = 1024

    # 6: a tuple: enough programs for n_elements
    grid = (cdiv(n_elements, BLOCK_SIZE),)

    # 7: launch add_kernel on that grid
    add_kernel[grid](x, y, output, n_elements, BLOCK_SIZE=BLOCK_SIZE)

    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise=1)
