"""Exercise 6b: causal attention: row i sees keys 0 to i and no others.

A language model must not look ahead. Half of all scores are masked, so do not
compute them: the loop over k and v stops at the last tile that the diagonal
crosses. Only where it does, rows and columns decide which scores remain.
"""

# Import this first: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready  # not found? Start this file with: uv run

import torch
import triton
import triton.language as tl


@triton.jit
def causal_attention_kernel(
    q_ptr, k_ptr, v_ptr, output_ptr, length, scale,
    D: tl.constexpr, BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr,
):
    # 1: rows, head, tile of q, running values: as in exercise 6
    rows = tl.program_id(axis=0) * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    head = tl.program_id(axis=1).to(tl.int64)
    dims = tl.arange(0, D)
    q_offsets = (head * length + rows)[:, None] * D + dims[None, :]
    q_mask = rows[:, None] < length
    q = tl.load(q_ptr + q_offsets, mask=q_mask, other=0.0)
    running_max = tl.full((BLOCK_SIZE_M,), -float("inf"), dtype=tl.float32)
    running_sum = tl.zeros((BLOCK_SIZE_M,), dtype=tl.float32)
    accumulator = tl.zeros((BLOCK_SIZE_M, D), dtype=tl.float32)

    # 2: past the diagonal, but not past the last key
    end = tl.minimum((tl.program_id(axis=0) + 1) * BLOCK_SIZE_M, length)

    for start in range(0, end, BLOCK_SIZE_N):
        # 3: load the tiles of k and v, as in exercise 6
        cols = start + tl.arange(0, BLOCK_SIZE_N)
        kv_offsets = (head * length + cols)[:, None] * D + dims[None, :]
        kv_mask = cols[:, None] < length
        k = tl.load(k_ptr + kv_offsets, mask=kv_mask, other=0.0)
        v = tl.load(v_ptr + kv_offsets, mask=kv_mask, other=0.0)

        # 4: the scaled scores; -inf for the keys after a row
        scores = tl.dot(q, tl.trans(k)) * scale
        seen = cols[None, :] <= rows[:, None]
        scores = tl.where(seen, scores, -float("inf"))

        # 5: the rest of the loop, as in exercise 6
        new_max = tl.maximum(running_max, tl.max(scores, axis=1))
        shrink = tl.exp(running_max - new_max)
        p = tl.exp(scores - new_max[:, None])
        running_max = new_max
        running_sum = running_sum * shrink + tl.sum(p, axis=1)
        accumulator = accumulator * shrink[:, None]
        accumulator = tl.dot(p.to(v.dtype), v, accumulator)

    # 6: divide by the sum, and store, as in exercise 6
    output = accumulator / running_sum[:, None]
    tl.store(output_ptr + q_offsets, output, mask=q_mask)


def causal_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor
) -> torch.Tensor:
    """Return attention for each head, where row i sees keys 0 to i.

    q, k and v are (heads, length, D), contiguous, and all float16 or all
    bfloat16, as is the output. D is 64 or 128.
    """
    check_tensors_gpu_ready(
        q, k, v, shapes="heads N D, heads N D, heads N D", dtype=float
    )
    heads, length, D = q.shape
    output = torch.empty_like(q)
    BLOCK_SIZE_M, BLOCK_SIZE_N = 64, 32

    # 7: launch one program per tile of q and head, as in exercise 6
    grid = (cdiv(length, BLOCK_SIZE_M), heads)
    causal_attention_kernel[grid](
        q, k, v, output, length, D**-0.5, D, BLOCK_SIZE_M, BLOCK_SIZE_N,
    )

    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="6b")
