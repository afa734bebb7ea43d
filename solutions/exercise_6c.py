"""Exercise 6c: a linear layer whose weights have 4 bits, x @ weight.T.

A language model that writes one word after the other reads all of its weights
for each word, so memory is the limit: with 4 bits instead of 16 it moves a
quarter of the bytes. A byte holds two weights, n - 8 for n from 0 to 15, the
first of them in its low half. Each 128 weights along K share a scale.
"""

# Import this first: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready  # not found? Start this file with: uv run

import torch
import triton
import triton.language as tl


@triton.jit
def int4_linear_kernel(
    x_ptr, weight_ptr, scale_ptr, output_ptr, B, N, K,
    BLOCK_SIZE_B: tl.constexpr, BLOCK_SIZE_N: tl.constexpr,
    GROUP_SIZE: tl.constexpr,
):
    # 1: the rows of x, all in one tile, and this program's rows of the weights
    batch = tl.arange(0, BLOCK_SIZE_B)
    rows = tl.program_id(axis=0) * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    rows = rows.to(tl.int64)
    accumulator = tl.zeros((BLOCK_SIZE_B, BLOCK_SIZE_N), dtype=tl.float32)

    for group in range(0, K // GROUP_SIZE):
        # 2: load this group's columns of x, zeros below the last row
        cols = group * GROUP_SIZE + tl.arange(0, GROUP_SIZE)
        x_offsets = batch[:, None] * K + cols[None, :]
        x = tl.load(x_ptr + x_offsets, mask=batch[:, None] < B, other=0.0)

        # 3: load its bytes, half as many as it has weights
        bytes_ = tl.arange(0, GROUP_SIZE // 2) + group * (GROUP_SIZE // 2)
        offsets = rows[:, None] * (K // 2) + bytes_[None, :]
        packed = tl.load(weight_ptr + offsets, mask=rows[:, None] < N, other=0)

        # 4: take the low and the high halves, and let them alternate
        weights = tl.interleave(packed & 0xF, packed >> 4)
        weights = weights.to(tl.float16) - 8

        # 5: multiply, scale each row of the weights, and add in float32
        scale_offsets = rows * (K // GROUP_SIZE) + group
        scale = tl.load(scale_ptr + scale_offsets, mask=rows < N, other=0.0)
        accumulator += tl.dot(x, tl.trans(weights)) * scale[None, :]

    # 6: store the tile of the output
    output_offsets = batch[:, None] * N + rows[None, :]
    mask = (batch[:, None] < B) & (rows[None, :] < N)
    tl.store(output_ptr + output_offsets, accumulator, mask=mask)


def int4_linear(
    x: torch.Tensor, weight: torch.Tensor, scale: torch.Tensor
) -> torch.Tensor:
    """Return x @ w.T, (B, N) float16, for the weights w (N, K) in 4 bits.

    x is (B, K) float16, and B is 1 to 16; weight is (N, K / 2) uint8; scale is
    (N, K / 128) float16. All are contiguous, and K is a multiple of 128.
    """
    check_tensors_gpu_ready(x, weight, scale, shapes="B K, N J, N G")
    (B, K), (N, _) = x.shape, weight.shape
    output = torch.empty((B, N), dtype=x.dtype, device=x.device)
    BLOCK_SIZE_B, BLOCK_SIZE_N, GROUP_SIZE = 16, 32, 128

    # 7: launch one program per tile of the weights' rows
    grid = (cdiv(N, BLOCK_SIZE_N),)
    int4_linear_kernel[grid](
        x, weight, scale, output, B, N, K,
        BLOCK_SIZE_B, BLOCK_SIZE_N, GROUP_SIZE,
    )

    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="6c")
