"""Exercise 4 at the limit of the hardware: multiply two matrices, C = A @ B.

What the plain kernel wastes: the tensor cores, which multiply 16-bit numbers
many times faster than anything multiplies float32. For float32 it never uses
them, and for 16 bits its tiles are too small to keep them busy.

Four ideas:

- Descriptors. A tensor descriptor (base, shape, strides, block) describes a
  matrix in tiles. On Hopper, one thread passes it to a copy engine, and the
  tile lands in shared memory while the tensor cores work on the previous one.
  Elements outside the matrix arrive as zeros, without a mask.
- Persistent programs, for 16 bits. There is at most one per multiprocessor. It
  takes tile after tile, and asks for the next tile's numbers before the current
  one is done. Tiles are taken in groups of GROUP_M rows of tiles, so those that
  are computed at the same time share rows of A and columns of B in the L2 cache.
- Bytes that need not move, for 16 bits. With these, an H200 reaches its power
  limit and lowers its clock: moving less leaves power for multiplying. So 8
  consecutive programs take 4 × 2 tiles, which share more than 8 × 1, and Nsight
  Compute counts fewer reads of L2: it seems that neighbours fetch together. A
  program's next tile often needs the same rows of A. It goes through K in the
  other direction, and begins with the part of them that the L2 cache still
  holds. And there are no more programs than the rounds need: for 512 tiles and
  132 multiprocessors that is 4 rounds of 128, not 3 of 132 and one of 116.
- Parts. A float32 has 24 significant bits and a bfloat16 has 8, so three of
  them hold it: a = a0 + a1 + a2, each about 2^-8 of the one before. Of the nine
  products of parts, the three smallest are left out, which are about as small as
  what float32 rounds away. Six remain. For two float16 parts, of 11 bits each,
  three products are enough, if a power of two brings each row of A and each
  column of B into float16's range. Hopper's tensor cores cut off low bits as they
  add, so each step along K starts from zero, and the steps are added up in
  float32, which rounds.

On an H200, 4096 × 4096 times 4096 × 4096 (benchmarks/results/h200.md):

    float32   plain 3.547 ms   cuBLAS 2.695 ms   bf16x6 1.575 ms   fp16x3 0.848 ms
    float16   plain 0.424 ms   cuBLAS 0.198 ms   fast 0.196 ms

For 16 bits, that is a tie. Warps that only copy (warp_specialize), groups of 8 rows of
tiles, and storing C in halves changed less than the next run does. At the power limit,
being faster takes fewer bytes for each product: multiprocessors that share tiles as
they arrive, as clusters can. Triton makes clusters (num_ctas=2), but each of their
multiprocessors fetches its own tiles: that took 1.04 times as long at best.

For float32 this is as accurate as float32 sums, but is not IEEE 754 arithmetic:

- precision="bf16x6", the default, holds for rows and columns of any magnitude.
  Below 1e-33 the parts run out of exponents: an input is then accurate to about
  2^-134, not to 24 bits.
- precision="fp16x3" is faster. Its parts hold 22 bits, which shows in a sum of a
  few products but not in a long one. In a row of A, or a column of B, that mixes
  magnitudes, elements are accurate only to 2^-39 of the largest.
- An Inf or a NaN turns its whole row of C (its column, if it is in B) into NaN,
  where IEEE 754 would keep some Inf. Where C overflows, it is Inf or NaN.

For 16 bits, whether a sum runs up or down K depends on its tile and on how many
multiprocessors there are. So the last bit of C may differ from GPU to GPU, and
between two rows of C for which the rows of A are equal.

On the simulator these kernels run as they are. On a GPU, small products use the
plain kernel with smaller tiles, and float32 is not split where the product or K is
small: making parts and descriptors would take longer. On a GPU that is not Hopper,
and for matrices that no descriptor can describe, an autotuned kernel works with
pointers. For float32 it also splits into six products; on GPUs before Ampere, which
have no bfloat16, it multiplies float32 without splitting.
"""

# Import this first: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

HOPPER, AMPERE, TURING = 9, 8, (7, 5)
PARTS = {"bf16x6": (3, torch.bfloat16), "fp16x3": (2, torch.float16)}
LARGEST_BFLOAT16 = tl.constexpr(3.3895313892515355e38)
STEP_K = 64  # along K, in elements; parts are padded to it
LONGEST_SECOND_AXIS = 2**16 - 1  # of a grid on a GPU; the first may have 2^31 - 1
# Up to this many products of elements do not fill a large GPU. The simulator has
# nothing that could be idle.
SMALL = 2**29 if DEVICE == "cuda" else 0
# Up to this K, in float32, it takes longer to make parts than to multiply.
SHORT_K = 64 if DEVICE == "cuda" else 0


# Which tile does a program compute? Every kernel below uses this.


@triton.jit
def tile_position(
    tile, M, N,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP_M: tl.constexpr,
):
    """Return a tile's row and column in C: down GROUP_M tiles, then one right."""
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_in_group = GROUP_M * tl.cdiv(N, BLOCK_N)
    first_m = tile // tiles_in_group * GROUP_M
    group_m = tl.minimum(tiles_m - first_m, GROUP_M)
    within = tile % tiles_in_group
    return first_m + within % group_m, within // group_m


@triton.jit
def numbered_in_blocks(tile, tiles):
    """Renumber the tiles: 8 consecutive ones are 4 × 2 tiles, and 16 are 8 × 2.

    In a group of 16 rows, 32 tiles are two columns of four fours each. Renumbered,
    the columns take turns: a four on the left, the one beside it on the right, the
    next one on the left. With a last group of fewer rows, or an odd number of
    columns, the blocks have other shapes; the tiles after the last full 32 keep
    their numbers. Every tile still occurs once.
    """
    four = tile // 4 % 8
    moved = tile + (four % 2 * 4 + four // 2 - four) * 4
    return tl.where(tile // 32 < tiles // 32, moved, tile)


@triton.jit
def load_tile(desc, row, k, K_IS_LAST: tl.constexpr):
    """Load the tile (rows, k) at (row, k) of a matrix stored in either order.

    A's rows are rows of C and B's columns are columns of C: both count as rows.
    """
    return desc.load([row, k]) if K_IS_LAST else tl.trans(desc.load([k, row]))


# 16 bits: descriptors and persistent programs.


@triton.jit
def matmul_kernel(
    a_desc, b_desc, c_desc, M, N, K, programs,
    A_K_IS_LAST: tl.constexpr, B_K_IS_LAST: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
):
    pid = tl.program_id(axis=0)
    tiles = tl.cdiv(M, BLOCK_M) * tl.cdiv(N, BLOCK_N)
    steps = tl.cdiv(K, BLOCK_K)
    # Flattened into one loop, the next tile's loads start before this one ends.
    for tile in tl.range(pid, tiles, programs, flatten=True):
        number = numbered_in_blocks(tile, tiles)
        pid_m, pid_n = tile_position(number, M, N, BLOCK_M, BLOCK_N, GROUP_M)
        m, n = pid_m * BLOCK_M, pid_n * BLOCK_N
        # Begin where the previous tile ended: the L2 cache still holds what both need.
        backwards = tile // programs % 2 == 1
        accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for step in range(steps):
            k = tl.where(backwards, steps - 1 - step, step) * BLOCK_K
            a = load_tile(a_desc, m, k, A_K_IS_LAST)
            b = load_tile(b_desc, n, k, B_K_IS_LAST)
            accumulator = tl.dot(a, tl.trans(b), accumulator)

        c_desc.store([m, n], accumulator.to(c_desc.dtype))


# float32, first step: split A and B into parts.


@triton.jit
def fitting_exponent(largest_bits):
    """Return the exponent of the power of two that brings a row into float16.

    The row's largest element, whose bits are given, is then at least 2^14 and
    below 2^15.
    """
    exponent = (largest_bits >> 23) - 127
    return tl.minimum(14 - exponent, 126)


@triton.jit
def power_of_two(exponent):
    """Return 2^exponent, exactly, from the exponent field of a float32: -126 to 127."""
    return ((exponent + 127) << 23).to(tl.float32, bitcast=True)


@triton.jit
def largest_kernel(
    x_ptr, largest_ptr, rows, K, stride_row, stride_k,
    K_AXIS: tl.constexpr,
    BLOCK_ROWS: tl.constexpr, BLOCK_K: tl.constexpr, STEPS: tl.constexpr,
):
    """Store the bits of each row's largest |x|, which compare as integers."""
    pid_row, pid_k = tl.program_id(1 - K_AXIS), tl.program_id(K_AXIS)
    row = pid_row.to(tl.int64) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    first_k = pid_k.to(tl.int64) * (BLOCK_K * STEPS)
    largest = tl.zeros((BLOCK_ROWS, BLOCK_K), dtype=tl.int32)
    for step in tl.static_range(STEPS):
        k = first_k + step * BLOCK_K + tl.arange(0, BLOCK_K)
        offsets = row[:, None] * stride_row + k[None, :] * stride_k
        mask = (row[:, None] < rows) & (k[None, :] < K)
        x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
        largest = tl.maximum(largest, tl.abs(x).to(tl.int32, bitcast=True))
    row_largest = tl.max(largest, axis=1)
    tl.atomic_max(largest_ptr + row, row_largest, mask=row < rows, sem="relaxed")


@triton.jit
def split_kernel(
    x_ptr, parts_ptr, largest_ptr, rows, K, padded_K,
    stride_row, stride_k, part_stride, part_stride_row, part_stride_k,
    PARTS: tl.constexpr, K_AXIS: tl.constexpr,
    BLOCK_ROWS: tl.constexpr, BLOCK_K: tl.constexpr,
):
    """Split x = part 0 + part 1 (+ part 2), with zeros from K to padded_K."""
    pid_row, pid_k = tl.program_id(1 - K_AXIS), tl.program_id(K_AXIS)
    row = pid_row.to(tl.int64) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    k = pid_k.to(tl.int64) * BLOCK_K + tl.arange(0, BLOCK_K)
    offsets = row[:, None] * stride_row + k[None, :] * stride_k
    mask = (row[:, None] < rows) & (k[None, :] < K)
    rest = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if PARTS == 2:
        largest = tl.load(largest_ptr + row, mask=row < rows, other=0)
        rest *= power_of_two(fitting_exponent(largest))[:, None]

    offsets = row[:, None] * part_stride_row + k[None, :] * part_stride_k
    mask = (row[:, None] < rows) & (k[None, :] < padded_K)
    for number in tl.static_range(PARTS):
        part = rest
        if PARTS == 3 and number == 0:
            # The largest float32 would round up to Inf.
            part = tl.minimum(tl.maximum(rest, -LARGEST_BFLOAT16), LARGEST_BFLOAT16)
        part = part.to(parts_ptr.dtype.element_ty)
        # A large matrix's third part starts beyond 2^31.
        part_ptr = parts_ptr + number * tl.cast(part_stride, tl.int64)
        tl.store(part_ptr + offsets, part, mask=mask)
        rest -= part.to(tl.float32)  # exact: what rounding took from the part


# float32, second step: multiply the parts.


@triton.jit
def load_part(desc, number, part_height, row, k, K_IS_LAST: tl.constexpr):
    """Load a tile of one part; the parts lie one below the other."""
    down = number * part_height
    if K_IS_LAST:
        row += down
    else:
        k += down
    return load_tile(desc, row, k, K_IS_LAST)


@triton.jit
def matmul_parts_kernel(
    a_desc, b_desc, c_ptr, a_largest_ptr, b_largest_ptr,
    M, N, K, a_part_height, b_part_height, programs,
    PARTS: tl.constexpr,
    A_K_IS_LAST: tl.constexpr, B_K_IS_LAST: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
):
    pid = tl.program_id(axis=0)
    tiles = tl.cdiv(M, BLOCK_M) * tl.cdiv(N, BLOCK_N)
    for tile in tl.range(pid, tiles, programs):
        pid_m, pid_n = tile_position(tile, M, N, BLOCK_M, BLOCK_N, GROUP_M)
        m, n = pid_m * BLOCK_M, pid_n * BLOCK_N
        accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for step in range(tl.cdiv(K, BLOCK_K)):
            k = step * BLOCK_K
            a0 = load_part(a_desc, 0, a_part_height, m, k, A_K_IS_LAST)
            a1 = load_part(a_desc, 1, a_part_height, m, k, A_K_IS_LAST)
            b0 = tl.trans(load_part(b_desc, 0, b_part_height, n, k, B_K_IS_LAST))
            b1 = tl.trans(load_part(b_desc, 1, b_part_height, n, k, B_K_IS_LAST))

            # Start from zero, with the smallest products first.
            if PARTS == 3:
                a2 = load_part(a_desc, 2, a_part_height, m, k, A_K_IS_LAST)
                b2 = tl.trans(load_part(b_desc, 2, b_part_height, n, k, B_K_IS_LAST))
                products = tl.dot(a2, b0)
                products = tl.dot(a0, b2, products)
                products = tl.dot(a1, b1, products)
                products = tl.dot(a1, b0, products)
            else:
                products = tl.dot(a1, b0)
            products = tl.dot(a0, b1, products)
            products = tl.dot(a0, b0, products)
            accumulator += products

        row = m + tl.arange(0, BLOCK_M)
        col = n + tl.arange(0, BLOCK_N)
        if PARTS == 2:
            # Undo both scalings, in two steps: one might leave float32.
            a_largest = tl.load(a_largest_ptr + row, mask=row < M, other=0)
            b_largest = tl.load(b_largest_ptr + col, mask=col < N, other=0)
            a_exponent = fitting_exponent(a_largest)
            exponent = -(a_exponent[:, None] + fitting_exponent(b_largest)[None, :])
            half = exponent >> 1
            accumulator *= power_of_two(half)
            accumulator *= power_of_two(exponent - half)
        offsets = row.to(tl.int64)[:, None] * N + col[None, :]
        mask = (row[:, None] < M) & (col[None, :] < N)
        tl.store(c_ptr + offsets, accumulator, mask=mask)


# Small matrices, GPUs other than Hopper, or rows that are not aligned to 16
# bytes: the plain kernel, with better tiles.

POINTER_CONFIGS = [
    triton.Config(
        {"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k}, num_warps=warps, num_stages=stages
    )
    for m, n, k, warps, stages in (
        (64, 64, 32, 4, 3),  # the first is the simulator's
        (32, 32, 32, 4, 2),
        (128, 64, 32, 4, 3),
        (128, 128, 32, 4, 3),
        (128, 128, 32, 8, 3),
        (128, 256, 32, 8, 3),
        (128, 128, 64, 8, 3),
    )
]


@triton.jit
def matmul_pointer_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    PRECISION: tl.constexpr, GROUP_M: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    pid = tl.program_id(axis=0)
    pid_m, pid_n = tile_position(pid, M, N, BLOCK_M, BLOCK_N, GROUP_M)
    offs_m = pid_m.to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = pid_n.to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + offs_m[:, None] * stride_am + offs_k[None, :] * stride_ak
    b_ptrs = b_ptr + offs_k[:, None] * stride_bk + offs_n[None, :] * stride_bn
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        a_mask = (offs_m[:, None] < M) & (offs_k[None, :] < K - k)
        b_mask = (offs_k[:, None] < K - k) & (offs_n[None, :] < N)
        a = tl.load(a_ptrs, mask=a_mask, other=0.0)
        b = tl.load(b_ptrs, mask=b_mask, other=0.0)
        # Each product starts from zero: float32 may run on tensor cores.
        accumulator += tl.dot(a, b, input_precision=PRECISION)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    c_ptrs = c_ptr + offs_m[:, None] * stride_cm + offs_n[None, :] * stride_cn
    c_mask = (offs_m[:, None] < M) & (offs_n[None, :] < N)
    tl.store(c_ptrs, accumulator, mask=c_mask)


tuned_pointer_kernel = triton.autotune(
    configs=POINTER_CONFIGS, key=["M", "N", "K", "PRECISION"]
)(matmul_pointer_kernel)


# Which kernel runs? There is one launcher for all of them.


def matmul(
    a: torch.Tensor, b: torch.Tensor, precision: str = "bf16x6"
) -> torch.Tensor:
    """Return a @ b for matrices (M, K) and (K, N) of any strides.

    Both are float32, float16 or bfloat16, and so is the product; sums are
    float32. precision, for float32 only, is "bf16x6" or "fp16x3": see the top of
    this file.
    """
    check_tensors_gpu_ready(
        a, b, shapes="M K, K N", dtype=float, contiguous=False
    )
    if precision not in PARTS:
        expected = " or ".join(map(repr, PARTS))
        raise ValueError(f"precision is {expected}, got {precision!r}")
    capability = compute_capability(a)
    if a.dtype == torch.bfloat16 and capability[0] < AMPERE:
        expected = "a GPU of compute capability 8.0 or more"
        raise RuntimeError(f"bfloat16 needs {expected}, this one has {capability}")
    if 0 in (*a.shape, *b.shape):
        return torch.zeros((a.shape[0], b.shape[1]), dtype=a.dtype, device=a.device)
    if a.shape[0] * a.shape[1] * b.shape[1] <= SMALL:
        # Small tiles, so that there are many of them and each is done soon.
        block_sizes = (32, 64, 32) if a.dtype == torch.float32 else (32, 32, 64)
        return matmul_plain(a, b, block_sizes)
    if a.dtype == torch.float32 and a.shape[1] <= SHORT_K:
        return matmul_plain(a, b, (64, 64, 16))
    on_hopper = capability[0] == HOPPER
    if on_hopper and a.dtype == torch.float32:
        return matmul_in_parts(a, b, *PARTS[precision])
    if on_hopper and describable(a) and describable(b) and b.shape[1] % 8 == 0:
        return matmul_by_descriptors(a, b)
    return matmul_by_pointers(a, b, capability[0])


def compute_capability(matrix: torch.Tensor) -> tuple[int, int]:
    """Return the GPU's compute capability; the simulator counts as Hopper."""
    if DEVICE == "cpu":
        return HOPPER, 0
    capability = torch.cuda.get_device_capability(matrix.device)
    if capability < TURING:
        expected = "a GPU of compute capability 7.5 or more"
        raise RuntimeError(f"Triton needs {expected}, this one has {capability}")
    return capability


def persistent_programs(matrix: torch.Tensor, tiles: int) -> int:
    """Return the number of persistent programs for this many tiles.

    It is the smallest that needs no more rounds than one program for each
    multiprocessor would: more would take power without finishing sooner. On the
    simulator it is small, so that some programs take several tiles.
    """
    if DEVICE == "cpu":
        multiprocessors = 2
    else:
        properties = torch.cuda.get_device_properties(matrix.device)
        multiprocessors = properties.multi_processor_count
    rounds = cdiv(tiles, multiprocessors)
    return cdiv(tiles, rounds)


def describable(matrix: torch.Tensor) -> bool:
    """Return whether it and its rows, or columns, start at multiples of 16 bytes."""
    strides = sorted(matrix.stride())
    aligned = strides[1] * matrix.element_size() % 16 == 0 and strides[1] > 0
    return strides[0] == 1 and aligned and matrix.data_ptr() % 16 == 0


def describe(
    matrix: torch.Tensor, block_rows: int, block_k: int
) -> tuple[TensorDescriptor, bool]:
    """Return a descriptor of a matrix (rows, K), and whether K is last in memory."""
    if matrix.stride(1) == 1:
        return TensorDescriptor.from_tensor(matrix, [block_rows, block_k]), True
    return TensorDescriptor.from_tensor(matrix.t(), [block_k, block_rows]), False


def matmul_by_descriptors(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    (M, K), (_, N) = a.shape, b.shape
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    BLOCK_M, BLOCK_N, BLOCK_K, GROUP_M = 128, 256, 64, 16
    a_desc, a_k_is_last = describe(a, BLOCK_M, BLOCK_K)
    b_desc, b_k_is_last = describe(b.t(), BLOCK_N, BLOCK_K)
    c_desc = TensorDescriptor.from_tensor(c, [BLOCK_M, BLOCK_N])
    programs = persistent_programs(a, cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N))
    matmul_kernel[(programs,)](
        a_desc, b_desc, c_desc, M, N, K, programs, a_k_is_last, b_k_is_last,
        BLOCK_M, BLOCK_N, BLOCK_K, GROUP_M,
        num_warps=8, num_stages=3,
    )
    return c


def matmul_in_parts(
    a: torch.Tensor, b: torch.Tensor, n_parts: int, dtype: torch.dtype
) -> torch.Tensor:
    (M, K), (_, N) = a.shape, b.shape
    c = torch.empty((M, N), dtype=torch.float32, device=a.device)
    BLOCK_M, BLOCK_N, GROUP_M = 128, 128, 8
    # The steps, and how many of them to load ahead: as much as shared memory holds.
    BLOCK_K, num_stages = (64, 3) if n_parts == 2 else (32, 4)
    a_parts, a_largest = split(a, n_parts, dtype)
    b_parts, b_largest = split(b.t(), n_parts, dtype)
    a_desc, a_k_is_last = describe_parts(a_parts, BLOCK_M, BLOCK_K)
    b_desc, b_k_is_last = describe_parts(b_parts, BLOCK_N, BLOCK_K)
    # One program for each tile: with two parts, persistent ones were no faster.
    programs = cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)
    matmul_parts_kernel[(programs,)](
        a_desc, b_desc, c, a_largest, b_largest, M, N, K,
        a_desc.shape[0] // n_parts, b_desc.shape[0] // n_parts, programs,
        n_parts, a_k_is_last, b_k_is_last,
        BLOCK_M, BLOCK_N, BLOCK_K, GROUP_M,
        num_warps=8, num_stages=num_stages,
    )
    return c


def split(
    x: torch.Tensor, n_parts: int, dtype: torch.dtype
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the parts (n_parts, rows, padded K) of x (rows, K), and the bits of each
    row's largest element, which only two parts need.

    The parts lie in memory in the same order as x, so that both reads and writes
    are coalesced. Their K is padded to whole steps.
    """
    rows, K = x.shape
    padded_K = cdiv(K, STEP_K) * STEP_K
    k_is_last = x.stride(1) <= x.stride(0)
    if k_is_last:
        parts = torch.empty((n_parts, rows, padded_K), dtype=dtype, device=x.device)
        BLOCK_ROWS, BLOCK_K = 16, 128
    else:
        # Pad the rows, so that every line starts at a multiple of 16 bytes.
        lines = (n_parts, padded_K, cdiv(rows, 8) * 8)
        parts = torch.empty(lines, dtype=dtype, device=x.device)
        parts = parts[:, :, :rows].transpose(1, 2)
        BLOCK_ROWS, BLOCK_K = 128, 16
    largest = torch.zeros(rows, dtype=torch.int32, device=x.device)
    if n_parts == 2:
        STEPS = 8
        grid, K_AXIS = split_grid(cdiv(rows, BLOCK_ROWS), cdiv(K, BLOCK_K * STEPS))
        largest_kernel[grid](
            x, largest, rows, K, *x.stride(), K_AXIS, BLOCK_ROWS, BLOCK_K, STEPS
        )
    grid, K_AXIS = split_grid(cdiv(rows, BLOCK_ROWS), cdiv(padded_K, BLOCK_K))
    split_kernel[grid](
        x, parts, largest, rows, K, padded_K, *x.stride(), *parts.stride(),
        n_parts, K_AXIS, BLOCK_ROWS, BLOCK_K,
    )
    return parts, largest


def split_grid(row_blocks: int, k_blocks: int) -> tuple[tuple[int, int], int]:
    """Return a grid, and which axis is K: the second, unless K is too long for it."""
    if k_blocks <= LONGEST_SECOND_AXIS:
        return (row_blocks, k_blocks), 1
    return (k_blocks, row_blocks), 0


def describe_parts(
    parts: torch.Tensor, block_rows: int, block_k: int
) -> tuple[TensorDescriptor, bool]:
    """Do the same as describe for all parts, one below the other."""
    if parts.stride(2) == 1:
        stacked = parts.flatten(0, 1)
        return TensorDescriptor.from_tensor(stacked, [block_rows, block_k]), True
    stacked = parts.transpose(1, 2).flatten(0, 1)
    return TensorDescriptor.from_tensor(stacked, [block_k, block_rows]), False


def matmul_plain(
    a: torch.Tensor, b: torch.Tensor, block_sizes: tuple[int, int, int]
) -> torch.Tensor:
    (M, K), (_, N) = a.shape, b.shape
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    BLOCK_M, BLOCK_N, BLOCK_K = block_sizes
    programs = cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)
    matmul_pointer_kernel[(programs,)](
        a, b, c, M, N, K, *a.stride(), *b.stride(), *c.stride(),
        PRECISION="ieee", GROUP_M=8,
        BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, BLOCK_K=BLOCK_K, num_warps=4, num_stages=3,
    )
    return c


def matmul_by_pointers(
    a: torch.Tensor, b: torch.Tensor, capability: int
) -> torch.Tensor:
    (M, K), (_, N) = a.shape, b.shape
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    splits = a.dtype == torch.float32 and capability >= AMPERE
    tuned_pointer_kernel[
        lambda meta: (cdiv(M, meta["BLOCK_M"]) * cdiv(N, meta["BLOCK_N"]),)
    ](
        a, b, c, M, N, K, *a.stride(), *b.stride(), *c.stride(),
        PRECISION="bf16x6" if splits else "ieee", GROUP_M=8,
    )
    return c


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="4")
