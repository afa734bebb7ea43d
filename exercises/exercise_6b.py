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
    ...  # TODO 1: rows, head, tile of q, running values: as in exercise 6
    end = ...  # TODO 2: past the diagonal, but not past the last key

    for start in range(0, end, BLOCK_SIZE_N):
        ...  # TODO 3: load the tiles of k and v, as in exercise 6
        ...  # TODO 4: the scaled scores; -inf for the keys after a row
        ...  # TODO 5: the rest of the loop, as in exercise 6

    ...  # TODO 6: divide by the sum, and store, as in exercise 6


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

    ...  # TODO 7: launch one program per tile of q and head, as in exercise 6

    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="6b")
