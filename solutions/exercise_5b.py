"""Exercise 5b: the gradient of cross-entropy, in two passes over the logits.

Training asks how each logit changes the loss of its row: by the row's softmax,
less 1 at the target, all times grad, which says how much that loss matters.
    gradient = (softmax(logits) - (1 at the target, else 0)) * grad
A softmax needs the maximum and the sum of its row before its first number. So
a first pass finds both, and a second one reads the logits again and stores.
"""

# Import this first: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready  # not found? Start this file with: uv run

import torch
import triton
import triton.language as tl


@triton.jit
def cross_entropy_backward_kernel(
    logits_ptr, target_ptr, grad_ptr, output_ptr, V, stride,
    BLOCK_SIZE: tl.constexpr,
):
    # 1: this program's row, in int64, and a pointer to it
    row = tl.program_id(axis=0).to(tl.int64)
    row_ptr = logits_ptr + row * stride

    # 2: a first pass: the row's maximum and sum, as in exercise 5
    running_max = -3.4028234e38
    running_sum = 0.0
    for start in range(0, V, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        block = tl.load(row_ptr + cols, mask=cols < V, other=-float("inf"))
        block = block.to(tl.float32)
        new_max = tl.maximum(running_max, tl.max(block, axis=0))
        running_sum *= tl.exp(running_max - new_max)
        running_sum += tl.sum(tl.exp(block - new_max), axis=0)
        running_max = new_max

    # 3: the row's target, and its grad
    target = tl.load(target_ptr + row)
    grad = tl.load(grad_ptr + row)

    for start in range(0, V, BLOCK_SIZE):
        # 4: the second pass: load a block again; its softmax
        columns = start + tl.arange(0, BLOCK_SIZE)
        mask = columns < V
        logits = tl.load(row_ptr + columns, mask=mask).to(tl.float32)
        softmax = tl.exp(logits - running_max) / running_sum

        # 5: subtract 1 at the target, multiply by grad, and store
        hit = tl.where(columns == target, 1.0, 0.0)
        gradient = (softmax - hit) * grad
        tl.store(output_ptr + row * V + columns, gradient, mask=mask)


def cross_entropy_backward(
    logits: torch.Tensor, target: torch.Tensor, grad: torch.Tensor
) -> torch.Tensor:
    """Return the gradient of the losses, (M, V), in the dtype of the logits.

    logits: (M, V) float32, float16 or bfloat16; rows may lie apart, a row's
    logits may not. target: (M,) int64, from 0 to V - 1. grad: (M,) float32.
    """
    check_tensors_gpu_ready(
        logits, target, grad, shapes="M V, M, M",
        dtype=(float, torch.int64, torch.float32), contiguous=False,
    )
    check_tensors_gpu_ready(logits[:1], target, grad)  # each row is contiguous
    M, V = logits.shape
    output = torch.empty((M, V), dtype=logits.dtype, device=logits.device)
    BLOCK_SIZE = 1024

    # 6: launch one program per row
    cross_entropy_backward_kernel[(M,)](
        logits, target, grad, output, V, logits.stride(0), BLOCK_SIZE,
    )

    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="5b")
