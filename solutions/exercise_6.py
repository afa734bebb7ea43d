"""Exercise 6: attention, softmax(q @ k.T / sqrt(D)) @ v, no scores stored.

A head has q_length × k_length scores: for long sequences, many more than q, k,
v and the output have numbers. So they are never stored: a program holds a tile
of q, and meets the tiles of k and v one after the other. It needs the running
maximum and sum of exercise 5 for each row, and a running row of the output.
This costs 4 q_length k_length D operations per head: arithmetic is the limit.
"""

# Import this first: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready  # not found? Start this file with: uv run

import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, output_ptr, q_length, k_length, scale,
    D: tl.constexpr, BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr,
):
    # 1: this program's rows of q, and its head, in int64
    rows = tl.program_id(axis=0) * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    head = tl.program_id(axis=1).to(tl.int64)

    # 2: load the tile of q, D numbers for each row
    dims = tl.arange(0, D)
    q_offsets = (head * q_length + rows)[:, None] * D + dims[None, :]
    q_mask = rows[:, None] < q_length
    q = tl.load(q_ptr + q_offsets, mask=q_mask, other=0.0)

    # 3: per row of q: a running maximum, sum and output
    running_max = tl.full((BLOCK_SIZE_M,), -float("inf"), dtype=tl.float32)
    running_sum = tl.zeros((BLOCK_SIZE_M,), dtype=tl.float32)
    accumulator = tl.zeros((BLOCK_SIZE_M, D), dtype=tl.float32)

    for start in range(0, k_length, BLOCK_SIZE_N):
        # 4: load a tile of k and one of v, zeros outside
        cols = start + tl.arange(0, BLOCK_SIZE_N)
        kv_offsets = (head * k_length + cols)[:, None] * D + dims[None, :]
        kv_mask = cols[:, None] < k_length
        k = tl.load(k_ptr + kv_offsets, mask=kv_mask, other=0.0)
        v = tl.load(v_ptr + kv_offsets, mask=kv_mask, other=0.0)

        # 5: the scaled scores; -inf where there is no key
        scores = tl.dot(q, tl.trans(k)) * scale
        scores = tl.where(cols[None, :] < k_length, scores, -float("inf"))

        # 6: the new maximum, the old values' factor, and p
        new_max = tl.maximum(running_max, tl.max(scores, axis=1))
        shrink = tl.exp(running_max - new_max)
        p = tl.exp(scores - new_max[:, None])
        running_max = new_max

        # 7: rescale sum and output; add this tile to both
        running_sum = running_sum * shrink + tl.sum(p, axis=1)
        accumulator = accumulator * shrink[:, None]
        accumulator = tl.dot(p.to(v.dtype), v, accumulator)

    # 8: divide by the sum, and store
    output = accumulator / running_sum[:, None]
    tl.store(output_ptr + q_offsets, output, mask=q_mask)


def attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor
) -> torch.Tensor:
    """Return softmax(q @ k.T / sqrt(D)) @ v for each head.

    q: (heads, q_length, D); k and v: (heads, k_length, D).
    D: 64 or 128. All contiguous, and all float16 or all bfloat16.
    """
    check_tensors_gpu_ready(
        q, k, v, dtype=float,
        shapes="heads M D, heads N D, heads N D",
    )
    (heads, q_length, D), k_length = q.shape, k.shape[1]
    output = torch.empty_like(q)
    BLOCK_SIZE_M, BLOCK_SIZE_N = 64, 32

    # 9: one program per tile of q and head, scale included
    grid = (cdiv(q_length, BLOCK_SIZE_M), heads)
    attention_kernel[grid](
        q, k, v, output, q_length, k_length, D**-0.5,
        D, BLOCK_SIZE_M, BLOCK_SIZE_N,
    )

    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="6")
