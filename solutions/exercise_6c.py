"""Exercise 6c: a linear layer whose weights have 4 bits each, x @ weight.T.

A language model that generates one token at a time reads all its weights each
time: 4 bits in place of 16 are a quarter of the bytes. But unpacking takes
instructions. For 8192×28,672 weights on an H200, cuBLAS with float16 weights
takes 0.115 ms, our plain kernel 0.151 ms, and the one in solutions/fast, which
unpacks in a cheaper way, 0.039 ms. A byte holds two weights, neighbours along
K, the first in its low half: a number n from 0 to 15, which stands for n - 8.
Each 128 weights along K share a scale: multiply them by it.
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
    # 1: all rows of x, and this program's rows of weight, in int64
    batch = tl.arange(0, BLOCK_SIZE_B)
    rows = tl.program_id(axis=0) * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    rows = rows.to(tl.int64)

    # 2: a sum in float32 for each row of x and each row of weight
    accumulator = tl.zeros((BLOCK_SIZE_B, BLOCK_SIZE_N), dtype=tl.float32)

    for group in range(0, K // GROUP_SIZE):
        # 3: load this group's columns of x, for the rows that it has
        cols = group * GROUP_SIZE + tl.arange(0, GROUP_SIZE)
        x_offsets = batch[:, None] * K + cols[None, :]
        x = tl.load(x_ptr + x_offsets, mask=batch[:, None] < B, other=0.0)

        # 4: load this group's bytes of weight: half as many as it has weights
        half = tl.arange(0, GROUP_SIZE // 2) + group * (GROUP_SIZE // 2)
        offsets = rows[:, None] * (K // 2) + half[None, :]
        packed = tl.load(weight_ptr + offsets, mask=rows[:, None] < N, other=0)

        # 5: unpack: tl.interleave(low, high); then n - 8, in float16
        weights = tl.interleave(packed & 0xF, packed >> 4)
        weights = weights.to(tl.float16) - 8

        # 6: multiply, scale each row's product, add it to the sums
        scale_offsets = rows * (K // GROUP_SIZE) + group
        scale = tl.load(scale_ptr + scale_offsets, mask=rows < N, other=0.0)
        accumulator += tl.dot(x, tl.trans(weights)) * scale[None, :]

    # 7: store the sums that the output has room for
    output_offsets = batch[:, None] * N + rows[None, :]
    mask = (batch[:, None] < B) & (rows[None, :] < N)
    tl.store(output_ptr + output_offsets, accumulator, mask=mask)


def int4_linear(
    x: torch.Tensor, weight: torch.Tensor, scale: torch.Tensor
) -> torch.Tensor:
    """Return x @ weight.T, (B, N) float16, for weights (N, K) of 4 bits.

    x is (B, K) float16, with B from 1 to 16; weight is (N, K / 2) uint8; scale
    is (N, K / 128) float16; all are contiguous, and K is a multiple of 128.
    Sums are float32. A weight times its scale may be rounded to float16.
    """
    groups = scale.shape[-1]
    check_tensors_gpu_ready(
        x, weight, scale, shapes=f"B {128 * groups}, N {64 * groups}, N groups",
        dtype=(torch.float16, torch.uint8, torch.float16),
    )
    (B, K), (N, _) = x.shape, weight.shape
    output = torch.empty((B, N), dtype=x.dtype, device=x.device)
    BLOCK_SIZE_B, BLOCK_SIZE_N, GROUP_SIZE = 16, 32, 128

    # 8: launch one program for each block of rows of weight
    grid = (cdiv(N, BLOCK_SIZE_N),)
    int4_linear_kernel[grid](
        x, weight, scale, output, B, N, K,
        BLOCK_SIZE_B, BLOCK_SIZE_N, GROUP_SIZE,
    )

    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="6c")
