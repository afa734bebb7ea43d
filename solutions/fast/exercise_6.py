"""Exercise 6 at the limit of the hardware: attention, and causal attention.

What the plain kernel wastes: every load computes a tile of addresses and masks,
and threads carry it to shared memory; every tile of scores is masked, although
only the last one has keys that do not exist; and each exponential is preceded by
a product that turns exp into exp2.

The ideas:

- Descriptors. On Hopper, a tensor descriptor lets one thread ask the copy engine
  for a whole tile of (heads, length, D), which lands in shared memory while the
  tensor cores work on the one before. Rows after the last arrive as zeros, and
  are not stored.
- exp2. The scale and log2(e) become one factor, so that a score becomes a weight by
  one multiply-add and one exp2, the instruction that exp is made of.
- Masks only where they matter: a loop over whole tiles without one, then the rest.
  Causal, the rest is the diagonal.
- Two programs at a time on each multiprocessor: while one waits for its
  exponentials, the tensor cores multiply for the other. That is why tiles are
  not as large as they could be. Autotuning chooses among the best three.
- Causal, the longest rows first: programs start in the order of their numbers,
  and those that are left at the end are short.
"""

# Import this first: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

LOG2_E = 1.4426950408889634


def describe_tiles(arguments: dict) -> None:
    """Give the descriptors the tiles of the configuration that is about to run."""
    q_tile = [1, arguments["BLOCK_M"], arguments["D"]]
    k_tile = [1, arguments["BLOCK_N"], arguments["D"]]
    arguments["q_desc"].block_shape = arguments["output_desc"].block_shape = q_tile
    arguments["k_desc"].block_shape = arguments["v_desc"].block_shape = k_tile


CONFIGS = [
    triton.Config(
        {"BLOCK_M": m, "BLOCK_N": n},
        num_warps=warps, num_stages=stages, pre_hook=describe_tiles,
    )
    for m, n, warps, stages in (
        (64, 64, 4, 3),  # the first is the simulator's
        (64, 128, 4, 2),
        (128, 128, 8, 3),
    )
]


@triton.jit
def over_tiles(
    q, k_desc, v_desc, row_max, row_sum, accumulator,
    head, rows, begin, end, k_length, scale,
    D: tl.constexpr, BLOCK_N: tl.constexpr,
    MASKED: tl.constexpr, CAUSAL: tl.constexpr,
):
    """Add the tiles of k and v from begin to end to a tile's running values."""
    for start in range(begin, end, BLOCK_N):
        k = k_desc.load([head, start, 0]).reshape(BLOCK_N, D)
        scores = tl.dot(q, tl.trans(k))
        if MASKED:
            cols = start + tl.arange(0, BLOCK_N)
            last = rows if CAUSAL else tl.full(rows.shape, k_length - 1, tl.int32)
            scores = tl.where(cols[None, :] <= last[:, None], scores, -float("inf"))

        # The maximum is that of the scaled scores, which are never stored.
        new_max = tl.maximum(row_max, tl.max(scores, axis=1) * scale)
        p = tl.exp2(scores * scale - new_max[:, None])
        shrink = tl.exp2(row_max - new_max)
        row_sum = row_sum * shrink + tl.sum(p, axis=1)
        accumulator = accumulator * shrink[:, None]
        v = v_desc.load([head, start, 0]).reshape(BLOCK_N, D)
        accumulator = tl.dot(p.to(v.dtype), v, accumulator)
        row_max = new_max
    return row_max, row_sum, accumulator


@triton.autotune(configs=CONFIGS, key=["q_length", "k_length", "D", "CAUSAL"])
@triton.jit
def attention_kernel(
    q_desc, k_desc, v_desc, output_desc, q_length, k_length, scale,  # noqa: ARG001 - the tuner's key
    D: tl.constexpr, CAUSAL: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):
    tile, head = tl.program_id(axis=0), tl.program_id(axis=1)
    if CAUSAL:
        tile = tl.num_programs(axis=0) - 1 - tile
    first = tile * BLOCK_M
    rows = first + tl.arange(0, BLOCK_M)
    q = q_desc.load([head, first, 0]).reshape(BLOCK_M, D)
    row_max = tl.full((BLOCK_M,), -float("inf"), dtype=tl.float32)
    row_sum = tl.zeros((BLOCK_M,), dtype=tl.float32)
    accumulator = tl.zeros((BLOCK_M, D), dtype=tl.float32)

    # All rows see every key of the tiles before whole; end is after the last key.
    end = tl.minimum(first + BLOCK_M, k_length) if CAUSAL else k_length
    whole = (first if CAUSAL else k_length) // BLOCK_N * BLOCK_N
    row_max, row_sum, accumulator = over_tiles(
        q, k_desc, v_desc, row_max, row_sum, accumulator,
        head, rows, 0, whole, k_length, scale, D, BLOCK_N, False, CAUSAL,
    )
    row_max, row_sum, accumulator = over_tiles(
        q, k_desc, v_desc, row_max, row_sum, accumulator,
        head, rows, whole, end, k_length, scale, D, BLOCK_N, True, CAUSAL,
    )

    output = (accumulator / row_sum[:, None]).to(output_desc.dtype)
    output_desc.store([head, first, 0], output.reshape(1, BLOCK_M, D))


def attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor
) -> torch.Tensor:
    """Return softmax(q @ k.T / sqrt(D)) @ v for each head.

    q is (heads, q_length, D), k and v are (heads, k_length, D), contiguous,
    and all float16 or all bfloat16, as is the output. D is 64 or 128.
    """
    check_tensors_gpu_ready(
        q, k, v, shapes="heads M D, heads N D, heads N D", dtype=float
    )
    return launch(q, k, v, causal=False)


def causal_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor
) -> torch.Tensor:
    """Return attention for each head, where row i sees keys 0 to i."""
    check_tensors_gpu_ready(
        q, k, v, shapes="heads N D, heads N D, heads N D", dtype=float
    )
    return launch(q, k, v, causal=True)


def launch(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool
) -> torch.Tensor:
    heads, q_length, D = q.shape
    output = torch.empty_like(q)
    # The hook of each configuration puts its own tiles in the place of these.
    descriptors = (TensorDescriptor.from_tensor(x, [1, 64, D]) for x in (q, k, v, output))
    attention_kernel[lambda meta: (cdiv(q_length, meta["BLOCK_M"]), heads)](
        *descriptors, q_length, k.shape[1], D**-0.5 * LOG2_E, D, causal
    )
    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="6")
