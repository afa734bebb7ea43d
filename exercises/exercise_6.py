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
    ...  # TODO 1: this program's rows of q, and its head, in int64
    ...  # TODO 2: load the tile of q, D numbers for each row
    ...  # TODO 3: per row of q: a running maximum, sum and output

    for start in range(0, k_length, BLOCK_SIZE_N):
        ...  # TODO 4: load a tile of k and one of v, zeros outside
        ...  # TODO 5: the scaled scores; -inf where there is no key
        ...  # TODO 6: the new maximum, the old values' factor, and p
        ...  # TODO 7: rescale sum and output; add this tile to both

    ...  # TODO 8: divide by the sum, and store


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

    ...  # TODO 9: one program per tile of q and head, scale included

    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="6")
