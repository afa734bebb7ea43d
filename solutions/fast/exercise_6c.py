"""Exercise 6c closer to the limit of the hardware: a linear layer with 4-bit weights.

What the plain kernel wastes: instructions. While an H200 reads one byte for each of
its threads, it has time for about seven, and turning two halves of a byte into
numbers, subtracting 8 and multiplying takes more.

The ideas:

- No conversion. A float whose exponent bits are zero is a subnormal number: its
  lower bits, times a power of two. So four bits of a word are a float16 as soon as
  the others are masked away, and where they lie only adds a power of two. One
  multiply-add takes that back and subtracts 8.
- Two weights at a time. A register holds two float16, so a mask for a word of 32
  bits makes two weights of it, four nibbles apart, and one multiply-add works on
  both. x is multiplied in the same order.
- Tensor cores, even for one row of x: a kernel of multiply-adds took 1.5 times as
  long for one row, on an H100.
- Each warp has a group of its own, and their sums meet at the end.
- Little of x. Every program needs all of its rows, from the L2 cache and then from
  shared memory: with 32 rows of weights in a program and 16 of x, that is twice as
  much as the weights. So a program has 64 rows of weights, and up to eight rows of x
  have a tile of eight, which is as small as the tensor cores' can be.
- Two programs for the same rows, each with half of K. Otherwise there would be fewer
  programs than multiprocessors. A second kernel adds up what they found.
- num_stages at the loop. Triton loads ahead what a product needs; asked by name, it
  also loads the scale ahead, for which every step waited.

On an H200, 8192 × 28,672 weights (benchmarks/results/h200-second-half.md): plain
0.151 ms for one row of x, fast 0.039 ms, 0.051 ms for 16 rows, reading the weights
0.029 ms, cuBLAS with float16 weights 0.115 ms. What is left for 16 rows is x: together,
the programs read as many bytes of it as of weights, and 8 warps are too few to hide
that. Two tiles of weights for the same x needed all 255 registers, three programs on
a multiprocessor spilled, and eight groups at a time, without a second kernel, waited
longer: 1.8 to 2.3 times as long as reading the weights. Programs of 128 rows whose
warps share the x of each group move half as much of it. But their warps then wait for
each other at every group, and that took 1.3 times as long as the warps with groups of
their own. It would take warps that only copy, and that Gluon can say, and CUDA.
"""

# Import this first: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready

import torch
import triton
import triton.language as tl

LARGE = 2**25  # bytes of weights: more than fill a GPU with programs of 32 rows


@triton.jit
def weights_of(words, MASK: tl.constexpr, FACTOR: tl.constexpr):
    """(n - 8) 2^-12 for the nibbles under the mask, two of each word: (..., 2) float16.

    The factor makes 2^-12 n of them, which are subnormal before.
    """
    pair = words & MASK
    low = pair.to(tl.int16).to(tl.float16, bitcast=True)
    high = (pair >> 16).to(tl.int16).to(tl.float16, bitcast=True)
    return tl.join(low, high) * FACTOR - 8 * 2.0**-12


@triton.jit
def product(words, x, sums, MASK: tl.constexpr, FACTOR: tl.constexpr):
    """Add two weights of each word, times their x."""
    weights = weights_of(words, MASK, FACTOR).reshape(words.shape[0], words.shape[1], 32)
    x = x.reshape(x.shape[0], x.shape[1], 32)
    return tl.dot(weights, x.permute(0, 2, 1), sums)


@triton.jit
def int4_linear_kernel(
    x_ptr, words_ptr, scale_ptr, output_ptr, B, N, groups, groups_each,
    BLOCK_B: tl.constexpr, BLOCK_N: tl.constexpr, SLICES: tl.constexpr,
):
    rows = tl.program_id(axis=0).to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    # This program's groups, and the matrix of sums that is for them.
    split = tl.program_id(axis=1)
    start = split * groups_each
    end = tl.minimum(start + groups_each, groups)
    output_ptr += split * B * N
    batch, slices = tl.arange(0, BLOCK_B), tl.arange(0, SLICES)
    in_n, in_b = (rows < N)[None, :, None], (batch < B)[None, :, None]
    sums = tl.zeros((SLICES, BLOCK_N, BLOCK_B), dtype=tl.float32)
    word = slices[:, None, None] * 16 + tl.arange(0, 16)[None, None, :]
    words_ptrs = words_ptr + rows[None, :, None] * groups * 16 + word
    k = slices[:, None, None] * 128 + tl.arange(0, 128)[None, None, :]
    x_ptrs = x_ptr + batch[None, :, None] * groups * 128 + k
    scale_ptrs = scale_ptr + rows[None, :] * groups + slices[:, None]
    # SLICES groups at a time, each multiplied by warps of its own.
    for first in tl.range(start, end, SLICES, num_stages=3):
        inside = (slices < end - first)[:, None, None]
        words = tl.load(words_ptrs + first * 16, mask=in_n & inside, other=0)
        x = tl.load(x_ptrs + first * 128, mask=in_b & inside, other=0.0)
        mask = (rows < N)[None, :] & (slices < end - first)[:, None]
        scale = tl.load(scale_ptrs + first, mask=mask, other=0.0).to(tl.float32)
        # A word's eight x as two halves of four: x0 has the first of both.
        x02, x13 = tl.split(x.reshape(SLICES, BLOCK_B, 16, 2, 2, 2))
        x0, x2 = tl.split(x02)
        x1, x3 = tl.split(x13)
        upper = words >> 8
        products = tl.zeros((SLICES, BLOCK_N, BLOCK_B), dtype=tl.float32)
        products = product(words, x0, products, 0x000F000F, 2.0**12)
        products = product(words, x1, products, 0x00F000F0, 2.0**8)
        products = product(upper, x2, products, 0x000F000F, 2.0**12)
        products = product(upper, x3, products, 0x00F000F0, 2.0**8)
        sums += products * (scale * 2.0**12)[:, :, None]
    mask = (batch < B)[None, :] & (rows < N)[:, None]
    output_ptrs = output_ptr + batch[None, :] * N + rows[:, None]
    tl.store(output_ptrs, tl.sum(sums, axis=0), mask=mask)


@triton.jit
def add_up_kernel(
    sums_ptr, output_ptr, n, SPLITS: tl.constexpr, BLOCK_SIZE: tl.constexpr
):
    offsets = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    total = tl.zeros((BLOCK_SIZE,), dtype=tl.float32)
    for split in tl.static_range(SPLITS):
        total += tl.load(sums_ptr + split * n + offsets, mask=offsets < n, other=0.0)
    tl.store(output_ptr + offsets, total, mask=offsets < n)


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
    B, N = len(x), len(weight)
    output = torch.empty((B, N), dtype=x.dtype, device=x.device)
    packed = weight.flatten()
    if packed.data_ptr() % 4:  # words begin at a multiple of their size
        packed = packed.clone()
    BLOCK_N, SPLITS = (64, 2) if weight.numel() >= LARGE else (32, 1)
    BLOCK_B, SLICES = 8 if B <= 8 else 16, 4
    sums = output
    if SPLITS > 1:
        sums = torch.empty((SPLITS, B, N), dtype=torch.float32, device=x.device)
    groups_each = cdiv(groups, SPLITS * SLICES) * SLICES
    int4_linear_kernel[(cdiv(N, BLOCK_N), SPLITS)](
        x, packed.view(torch.int32), scale, sums, B, N, groups, groups_each,
        BLOCK_B, BLOCK_N, SLICES, num_warps=4,
    )
    if SPLITS > 1:
        add_up_kernel[(cdiv(B * N, 1024),)](sums, output, B * N, SPLITS, 1024)
    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="6c")
