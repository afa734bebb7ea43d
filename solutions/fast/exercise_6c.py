"""Exercise 6c closer to the limit of the hardware: a linear layer with 4-bit weights.

What the plain kernel wastes: instructions. While an H200 reads one byte for each of
its threads, it has time for about seven, and turning two halves of a byte into
numbers, subtracting 8 and multiplying takes more.

The ideas:

- No conversion. A float whose exponent bits are zero is a subnormal number: its
  lower bits, times a power of two. So four bits of a word are a float16 as soon as
  the others are masked away, and where they lie only adds a power of two.
- Tensor cores, which take subnormal float16, even for one row of x: a kernel of
  multiply-adds took 1.5 times as long for one row, on an H100.
- Each warp has a group of its own, and their sums meet at the end. What limits this
  for 16 rows is x, of which each program reads all: twice as many bytes as it reads
  of weights.
"""

# Import this first: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready

import torch
import triton
import triton.language as tl

@triton.jit
def low_nibble(words):
    """(n - 8) 2^-24, as a subnormal float16, for the lower four bits of each word."""
    return (words & 0xF).to(tl.float16, bitcast=True) - 8 * 2.0**-24


@triton.jit
def high_nibble(words):
    """(n - 8) 2^-20, for the next four."""
    return (words & 0xF0).to(tl.float16, bitcast=True) - 8 * 2.0**-20


@triton.jit
def int4_linear_kernel(
    x_ptr, words_ptr, scale_ptr, output_ptr, B, N, K, row_words, groups,
    BLOCK_B: tl.constexpr, BLOCK_N: tl.constexpr, SLICES: tl.constexpr,
):
    rows = tl.program_id(axis=0).to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    batch, slices = tl.arange(0, BLOCK_B), tl.arange(0, SLICES)
    in_n, in_b = (rows < N)[None, :, None], (batch < B)[None, :, None]
    sums = tl.zeros((SLICES, BLOCK_N, BLOCK_B), dtype=tl.float32)
    word = slices[:, None, None] * 32 + tl.arange(0, 32)[None, None, :]
    words_ptrs = words_ptr + rows[None, :, None] * row_words + word
    k = slices[:, None, None] * 128 + tl.arange(0, 128)[None, None, :]
    x_ptrs = x_ptr + batch[None, :, None] * K + k
    scale_ptrs = scale_ptr + rows[None, :] * groups + slices[:, None]
    # SLICES groups at a time, each multiplied by warps of its own.
    for first in range(0, groups, SLICES):
        inside = (slices < groups - first)[:, None, None]
        words = tl.load(words_ptrs + first * 32, mask=in_n & inside, other=0)
        x = tl.load(x_ptrs + first * 128, mask=in_b & inside, other=0.0)
        mask = (rows < N)[None, :] & (slices < groups - first)[:, None]
        scale = tl.load(scale_ptrs + first, mask=mask, other=0.0).to(tl.float32)
        x02, x13 = tl.split(x.reshape(SLICES, BLOCK_B, 32, 2, 2))
        x0, x2 = tl.split(x02)
        x1, x3 = tl.split(x13)
        upper = words >> 8
        ones = tl.dot(low_nibble(words), x0.permute(0, 2, 1))
        ones = tl.dot(low_nibble(upper), x2.permute(0, 2, 1), ones)
        sixteens = tl.dot(high_nibble(words), x1.permute(0, 2, 1))
        sixteens = tl.dot(high_nibble(upper), x3.permute(0, 2, 1), sixteens)
        products = ones * 2.0**24 + sixteens * 2.0**20
        sums += products * scale[:, :, None]
    mask = (batch < B)[None, :] & (rows < N)[:, None]
    output_ptrs = output_ptr + batch[None, :] * N + rows[:, None]
    tl.store(output_ptrs, tl.sum(sums, axis=0), mask=mask)


def int4_linear(
    x: torch.Tensor, weight: torch.Tensor, scale: torch.Tensor
) -> torch.Tensor:
    """Return x @ weight.T, (B, N) float16, for weights (N, K) of 4 bits.

    x is (B, K) float16, with B from 1 to 16; weight is (N, K / 2) uint8; scale
    is (N, K / 128) float16; all are contiguous, and K is a multiple of 128.
    """
    groups = scale.shape[-1]
    check_tensors_gpu_ready(
        x, weight, scale, shapes=f"B {128 * groups}, N {64 * groups}, N groups",
        dtype=(torch.float16, torch.uint8, torch.float16),
    )
    (B, K), (N, _) = x.shape, weight.shape
    output = torch.empty((B, N), dtype=x.dtype, device=x.device)
    packed = weight.flatten()
    if packed.data_ptr() % 4:  # words begin at a multiple of their size
        packed = packed.clone()
    BLOCK_B, BLOCK_N, SLICES = 16, 32, 4
    int4_linear_kernel[(cdiv(N, BLOCK_N),)](
        x, packed.view(torch.int16), scale, output, B, N, K, K // 4, K // 128,
        BLOCK_B, BLOCK_N, SLICES, num_warps=4,
    )
    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="6c")
