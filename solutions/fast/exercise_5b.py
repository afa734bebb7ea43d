"""Exercise 5b closer to the limit of the hardware: the gradient of cross-entropy.

The limit is one read of the logits and one write. The plain kernel reads them twice,
and both times from memory: so many programs run at once that their rows, together,
are larger than the L2 cache. What a program read first is gone when it comes back.

Four ideas:

- Lanes, as in the fast exercise 5. In the first pass each lane keeps a running pair
  of its own, and no thread waits for another before the row is over.
- Few rows at a time. The larger a program, the fewer run at once. With 16 warps each,
  an H200 works on about 500 rows: of 64 KiB, the L2 cache holds as many. Rows of
  128 KiB get 32 warps, and half as many are in progress; above 192 KiB, each thread has
  four lanes instead of two, and 132 rows are. The first pass asks the cache to
  keep what it reads; the second one says that nobody comes back for it.
- Backwards. The second pass begins at the end of the row, with what was read last.
  If the cache has lost a part of the row, it is the part that was read first, and
  until the second pass arrives there, it has made room for other rows.
- A branch. One block of the row has the target. Where each thread has four lanes, the
  compiler packs the results of 32 comparisons into bits and takes them out again, six
  instructions for each logit, so all other blocks skip them.

A row of 64 KiB would also fit into the registers of 32 warps, and be read once. That
was slower: the program fills a multiprocessor, and while it computes, nothing is read.

On an H200, bfloat16 (benchmarks/results/h200-second-half.md):

    rows, columns     plain       fast        a copy
    8192, 32,768      0.439 ms    0.274 ms    0.254 ms
    4096, 128,256     0.888 ms    0.601 ms    0.493 ms
    4096, 131,072     0.901 ms    0.601 ms    0.503 ms

Rows of 32,768 take 1.08 times as long as a copy, and the long ones 1.22 and 1.20 times.
Their second read does come from the L2 cache: Nsight Compute counts one read and one
write of memory. What is left is waiting: one program fills a multiprocessor, and for
about half of the time, its warps wait for loads. Loading a block ahead, or two, or one
number of each 32 bytes, to bring the others along, took longer, and so did two programs.
"""

# Import this first: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready

import torch
import triton
import triton.language as tl

LOG2_E = tl.constexpr(1.4426950408889634)
LOWEST = tl.constexpr(-3.4028234663852886e38)
LONG = 192 * 1024  # bytes in a row


@triton.jit
def with_block(lane_max, lane_sum, block):
    """Add a block of logits (LANES, LANE) to each lane's maximum and its sum of exponentials."""
    block = block.to(tl.float32)
    new_max = tl.maximum(lane_max, tl.max(block, axis=1))
    new_sum = lane_sum * tl.exp2((lane_max - new_max) * LOG2_E)
    new_sum += tl.sum(tl.exp2((block - new_max[:, None]) * LOG2_E), axis=1)
    return new_max, new_sum


@triton.jit
def gradient_of(block, start, offsets, row_max, factor, target, grad, BRANCH: tl.constexpr):
    """The gradient of a block of logits: softmax times grad, less grad at the target."""
    gradient = tl.exp2((block.to(tl.float32) - row_max) * LOG2_E) * factor
    inside = True
    if BRANCH:
        inside = (target >= start) & (target < start + block.shape[0] * block.shape[1])
    if inside:
        gradient = tl.where(start + offsets == target, gradient - grad, gradient)
    return gradient


@triton.jit
def cross_entropy_backward_kernel(
    logits_ptr, target_ptr, grad_ptr, output_ptr, V, stride,
    LANES: tl.constexpr, LANE: tl.constexpr, ALIGNED: tl.constexpr, BRANCH: tl.constexpr,
):
    row = tl.program_id(axis=0).to(tl.int64)
    row_ptr = logits_ptr + row * stride
    output_row_ptr = output_ptr + row * V
    lanes, numbers = tl.arange(0, LANES)[:, None], tl.arange(0, LANE)[None, :]
    offsets = lanes * LANE + numbers if ALIGNED else numbers * LANES + lanes
    lane_max = tl.full((LANES,), LOWEST, dtype=tl.float32)
    lane_sum = tl.zeros((LANES,), dtype=tl.float32)

    # The first pass: whole blocks, then what is left of the row.
    BLOCK_SIZE: tl.constexpr = LANES * LANE
    whole = V // BLOCK_SIZE * BLOCK_SIZE
    mask = offsets < V - whole
    for start in range(0, whole, BLOCK_SIZE):
        block = tl.load(row_ptr + start + offsets, eviction_policy="evict_last")
        lane_max, lane_sum = with_block(lane_max, lane_sum, block)
    if whole < V:
        block = tl.load(row_ptr + whole + offsets, mask=mask, other=-float("inf"))
        lane_max, lane_sum = with_block(lane_max, lane_sum, block)

    target = tl.load(target_ptr + row).to(tl.int32)  # as columns are
    grad = tl.load(grad_ptr + row)
    row_max = tl.max(lane_max, axis=0)
    row_sum = tl.sum(lane_sum * tl.exp2((lane_max - row_max) * LOG2_E), axis=0)
    factor = grad / row_sum

    # The second pass, from the end to the beginning.
    if whole < V:
        block = tl.load(row_ptr + whole + offsets, mask=mask)
        gradient = gradient_of(block, whole, offsets, row_max, factor, target, grad, BRANCH)
        output_ptrs = output_row_ptr + whole + offsets
        tl.store(output_ptrs, gradient, mask=mask, eviction_policy="evict_first")
    for done in range(0, whole, BLOCK_SIZE):
        start = whole - BLOCK_SIZE - done
        block = tl.load(row_ptr + start + offsets, eviction_policy="evict_first")
        gradient = gradient_of(block, start, offsets, row_max, factor, target, grad, BRANCH)
        tl.store(output_row_ptr + start + offsets, gradient, eviction_policy="evict_first")


def cross_entropy_backward(
    logits: torch.Tensor, target: torch.Tensor, grad: torch.Tensor
) -> torch.Tensor:
    """Return the gradient of the losses, (M, V), in the dtype of the logits.

    logits: (M, V) float32, float16 or bfloat16, each row contiguous. target: (M,)
    int64, from 0 to V - 1. grad: (M,) float32.
    """
    check_tensors_gpu_ready(
        logits, target, grad, shapes="M V, M, M",
        dtype=(float, torch.int64, torch.float32), contiguous=False,
    )
    check_tensors_gpu_ready(logits[:1], target, grad)  # each row is contiguous
    M, V = logits.shape
    output = torch.empty((M, V), dtype=logits.dtype, device=logits.device)
    # Where 16 divides all of these, a thread loads the 16 bytes of a lane at once. Else
    # a lane's logits lie apart, so that neighbouring threads load neighbouring logits.
    aligned = all(each % 16 == 0 for each in (V, logits.stride(0), logits.data_ptr()))
    LANE = 16 // logits.element_size()
    LANES, num_warps = lanes_for(V, V * logits.element_size(), LANE, aligned)
    BRANCH = 128 * num_warps == LANES  # four lanes in a thread
    cross_entropy_backward_kernel[(M,)](
        logits, target, grad, output, V, logits.stride(0), LANES, LANE, aligned, BRANCH,
        num_warps=num_warps,
    )
    return output


def lanes_for(V: int, row_bytes: int, LANE: int, aligned: bool) -> tuple[int, int]:
    """Return lanes and warps, which were the fastest on an H200.

    The longer the rows, the larger the programs, and the fewer are there at a time.
    """
    if row_bytes <= 2**14:
        num_warps = max(4, triton.next_power_of_2(row_bytes) // 2**11)
    else:
        num_warps = 16 if row_bytes <= LONG // 2 else 32
    lanes_each = 2 if row_bytes <= LONG else 4
    if not aligned:
        lanes_each = 1  # addresses need registers too
    LANES = min(32 * num_warps * lanes_each, triton.next_power_of_2(cdiv(V, LANE)))
    return LANES, num_warps


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="5b")
