"""Exercise 5: the cross-entropy of logits, in one read of them.

For each row, loss = log(sum(exp(logits))) - logits[target]. To keep exp from
overflowing, subtract the row's maximum m first, and add it back to the logarithm:
    loss = m + log(sum(exp(logits - m))) - logits[target]
A row need not fit on the chip, so it comes in blocks, with a running pair: the
maximum so far, and the sum of exponentials relative to that maximum.
Each logit is read once, for few operations, so memory should be the limit.
"""

# Import this first: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready  # not found? Start this file with: uv run

import torch
import triton
import triton.language as tl


@triton.jit
def cross_entropy_kernel(
    logits_ptr, target_ptr, loss_ptr, V, stride,
    BLOCK_SIZE: tl.constexpr,
):
    # 1: this program's row, and a pointer to it, in int64
    row = tl.program_id(axis=0).to(tl.int64)
    row_ptr = logits_ptr + row * stride

    # 2: the lowest float32, -3.4028234e38; an empty sum
    running_max = -3.4028234e38
    running_sum = 0.0

    for start in range(0, V, BLOCK_SIZE):
        # 3: load a block as float32; -inf outside the row
        cols = start + tl.arange(0, BLOCK_SIZE)
        block = tl.load(row_ptr + cols, mask=cols < V, other=-float("inf"))
        block = block.to(tl.float32)

        # 4: a new maximum; rescale the sum; add the block
        new_max = tl.maximum(running_max, tl.max(block, axis=0))
        running_sum *= tl.exp(running_max - new_max)
        running_sum += tl.sum(tl.exp(block - new_max), axis=0)
        running_max = new_max

    # 5: the target's logit, in float32; store the loss
    target = tl.load(target_ptr + row)
    logit = tl.load(row_ptr + target).to(tl.float32)
    tl.store(loss_ptr + row, running_max + tl.log(running_sum) - logit)


def cross_entropy(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Return the loss of each row, (M,) float32.

    logits: (M, V) float32, float16 or bfloat16, each row contiguous.
    target: (M,) int64, from 0 to V - 1.
    """
    check_tensors_gpu_ready(
        logits, target, shapes="M V, M", dtype=(float, torch.int64),
        contiguous=False,
    )
    check_tensors_gpu_ready(logits[:1], target)  # contiguous rows
    M, V = logits.shape
    loss = torch.empty(M, dtype=torch.float32, device=logits.device)
    BLOCK_SIZE = 1024

    # 6: one program per row; rows lie stride(0) apart
    cross_entropy_kernel[(M,)](
        logits, target, loss, V, logits.stride(0), BLOCK_SIZE,
    )

    return loss


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="5")
