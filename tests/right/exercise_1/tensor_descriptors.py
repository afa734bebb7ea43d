# expect: passed

# First: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready

import torch
import triton
import triton.language as tl

def workspace(size: int, alignment: int, stream: int | None) -> torch.Tensor:
    """Where Triton keeps tensor descriptors on a GPU."""
    return torch.empty(size, dtype=torch.int8, device=DEVICE)


triton.set_allocator(workspace)


@triton.jit
def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    # A descriptor knows the size: it loads zeros outside, and stores nothing there.
    x = tl.make_tensor_descriptor(x_ptr, [n_elements], [1], [BLOCK_SIZE])
    y = tl.make_tensor_descriptor(y_ptr, [n_elements], [1], [BLOCK_SIZE])
    output = tl.make_tensor_descriptor(output_ptr, [n_elements], [1], [BLOCK_SIZE])
    start = tl.program_id(0) * BLOCK_SIZE
    output.store([start], x.load([start]) + y.load([start]))


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """x + y, for contiguous floats of one shape and dtype."""
    check_tensors_gpu_ready(x, y)
    alike = x.shape == y.shape and x.dtype == y.dtype
    if not (alike and x.is_floating_point()):
        expected = "floats of one shape and dtype"
        got = (tuple(x.shape), x.dtype, tuple(y.shape), y.dtype)
        raise ValueError(f"add expects {expected}, got {got}")
    # A descriptor's base is 16-byte aligned: a copy of a view is.
    x, y = (t if t.data_ptr() % 16 == 0 else t.clone() for t in (x, y))
    output = torch.empty_like(x)
    n_elements = output.numel()
    add_kernel[(cdiv(n_elements, 256),)](x, y, output, n_elements, BLOCK_SIZE=256)
    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise=1)
