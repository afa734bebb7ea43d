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
- Two halves. A program has two tiles of q, which share the tiles of k and v. While
  its threads turn scores of the lower half into weights, the tensor cores multiply
  those of the upper half by v. The lower scores come only after the upper weights,
  which take half their room: otherwise a thread's 255 registers would not suffice.
- Two programs at a time on each multiprocessor: while one waits for its scores, the
  other has weights to compute. That is why tiles are not as large as they could be.
  Autotuning chooses among the best three.
- Causal, the longest rows first: programs start in the order of their numbers,
  and those that are left at the end are short.

On an H200, float16, 16,384 queries and keys (benchmarks/results/h200-second-half.md):

    heads, D           plain       fast        cuDNN
    32, 64             7.870 ms    4.990 ms    5.111 ms
    32, 64, causal     4.650 ms    2.523 ms    2.619 ms
    16, 128            6.575 ms    4.153 ms    3.782 ms
    16, 128, causal    3.483 ms    2.208 ms    2.113 ms

At D = 128, cuDNN is ahead. The tensor cores then work 58% of the time. What Triton
leaves to its compiler is the order: it waits for a product whose result the same step
needs as soon as it has asked for it, so nothing runs beside the scores. Moving them to
the end of the step before, the product with v to the next step, or one tile of q
instead of two halves took 1.3 to 1.6 times as long as cuDNN. With warp_specialize=True
some warps only copy: that was 0.89 times as fast as cuDNN at best, and with Triton 3.6
other tiles gave NaN. It would take waiting for one product while another is in flight,
as FlashAttention-3 does: Gluon can say that, and CUDA.
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
    q_tile = [1, arguments["BLOCK_M"] // 2, arguments["D"]]
    k_tile = [1, arguments["BLOCK_N"], arguments["D"]]
    arguments["q_desc"].block_shape = arguments["output_desc"].block_shape = q_tile
    arguments["k_desc"].block_shape = arguments["v_desc"].block_shape = k_tile


CONFIGS = [
    triton.Config(
        {"BLOCK_M": m, "BLOCK_N": n},
        num_warps=warps, num_stages=stages, pre_hook=describe_tiles,
    )
    for m, n, warps, stages in (
        (128, 32, 8, 2),  # the first: the simulator's, and for GPUs before Hopper
        (128, 128, 4, 3),
        (128, 64, 4, 2),
        (256, 64, 8, 3),
    )
]


@triton.jit
def weights_of(scores, row_max, row_sum, accumulator, scale):
    """The weights of a tile of scores, and the running values that are ready for them."""
    # The maximum is that of the scaled scores, which are never stored.
    new_max = tl.maximum(row_max, tl.max(scores, axis=1) * scale)
    p = tl.exp2(scores * scale - new_max[:, None])
    shrink = tl.exp2(row_max - new_max)
    return p, new_max, row_sum * shrink + tl.sum(p, axis=1), accumulator * shrink[:, None]


@triton.jit
def seen(scores, start, rows, k_length, CAUSAL: tl.constexpr):
    """The scores of the keys that each row sees, and -inf for the others."""
    cols = start + tl.arange(0, scores.shape[1])
    last = rows if CAUSAL else tl.full(rows.shape, k_length - 1, tl.int32)
    return tl.where(cols[None, :] <= last[:, None], scores, -float("inf"))


@triton.autotune(configs=CONFIGS, key=["q_length", "k_length", "D", "CAUSAL"])
@triton.jit
def attention_kernel(
    q_desc, k_desc, v_desc, output_desc, q_length, k_length, scale,  # noqa: ARG001 - the tuner's key
    D: tl.constexpr, CAUSAL: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):
    HALF: tl.constexpr = BLOCK_M // 2
    tile, head = tl.program_id(axis=0), tl.program_id(axis=1)
    if CAUSAL:
        tile = tl.num_programs(axis=0) - 1 - tile
    first = tile * BLOCK_M
    rows = first + tl.arange(0, HALF)
    upper_q = q_desc.load([head, first, 0]).reshape(HALF, D)
    lower_q = q_desc.load([head, first + HALF, 0]).reshape(HALF, D)
    upper_max = tl.full((HALF,), -float("inf"), dtype=tl.float32)
    upper_sum = tl.zeros((HALF,), dtype=tl.float32)
    upper = tl.zeros((HALF, D), dtype=tl.float32)
    lower_max, lower_sum, lower = upper_max, upper_sum, upper

    # All rows see every key of the tiles before whole; end is after the last key.
    end = tl.minimum(first + BLOCK_M, k_length) if CAUSAL else k_length
    whole = (first if CAUSAL else k_length) // BLOCK_N * BLOCK_N
    for MASKED in tl.static_range(2):
        for start in range(whole if MASKED else 0, end if MASKED else whole, BLOCK_N):
            k = k_desc.load([head, start, 0]).reshape(BLOCK_N, D)
            scores = tl.dot(upper_q, tl.trans(k))
            if MASKED:
                scores = seen(scores, start, rows, k_length, CAUSAL)
            upper_p, upper_max, upper_sum, upper = weights_of(
                scores, upper_max, upper_sum, upper, scale
            )

            scores = tl.dot(lower_q, tl.trans(k))
            if MASKED:
                scores = seen(scores, start, rows + HALF, k_length, CAUSAL)
            # The tensor cores do this one during the exponentials that follow.
            v = v_desc.load([head, start, 0]).reshape(BLOCK_N, D)
            upper = tl.dot(upper_p.to(v.dtype), v, upper)
            lower_p, lower_max, lower_sum, lower = weights_of(
                scores, lower_max, lower_sum, lower, scale
            )
            lower = tl.dot(lower_p.to(v.dtype), v, lower)

    output = (upper / upper_sum[:, None]).to(output_desc.dtype)
    output_desc.store([head, first, 0], output.reshape(1, HALF, D))
    output = (lower / lower_sum[:, None]).to(output_desc.dtype)
    output_desc.store([head, first + HALF, 0], output.reshape(1, HALF, D))


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
