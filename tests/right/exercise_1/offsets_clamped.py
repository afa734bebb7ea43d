# expect: passed

# First: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    # No masked load: what lies outside is read from the last element instead.
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    safe = tl.minimum(offsets, n_elements - 1)
    total = tl.load(x_ptr + safe) + tl.load(y_ptr + safe)
    tl.store(output_ptr + offsets, total, mask=offsets < n_elements)


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
