"""Exercise 3 at the limit of the hardware: a filter over an image.

What the plain kernel wastes: it loads every pixel k^2 times. The cache next to
the multiprocessor serves nearly all of those loads, but 4 bytes at a time: a
row that is shifted by one column does not start at a multiple of 16 bytes. So
that cache, not memory, is the limit.

Three ideas:

- Quads. A thread owns 4 neighbouring columns. It loads its own quad and those
  to the left and to the right, 16 bytes each, always aligned. Split into
  columns, they are values with names of their own, so the pixel j columns
  further needs no load: it is another name.
- Rows. A program computes several rows of output at once. An input row, once
  loaded, serves each output row whose filter covers it, up to k of them.
- Walks. With 7 × 7 weights, arithmetic is the limit that remains. A program
  then walks down the image, so that the rows that it shares with the program
  below are few compared with those that it computes. It walks just far enough
  for all the work to be done by as many programs as the multiprocessors have
  room for. They begin together and end together.

So, up to 9 × 9, a quad costs 3 loads of 16 bytes for each of
(ROWS + k - 1) / ROWS rows; the plain kernel makes 4 k^2 loads of 4 bytes.

On an H200, 8192 × 8192 pixels, where a copy takes 0.381 ms
(benchmarks/results/h200.md):

    3 × 3   plain 0.739 ms   fast 0.392 ms
    5 × 5   plain 1.318 ms   fast 0.404 ms
    7 × 7   plain 3.052 ms   fast 0.506 ms

With 7 × 7 weights, that is a third more than a copy, although arithmetic alone would
take less than one: of the time that Nsight Compute samples, warps spend over half
waiting for loads. Asking sooner does not help: two rows ahead, or all loads before the
arithmetic, took longer. Narrow loads of just the columns needed gained 4% at most, and
inline assembly that brings a later row into the L2 cache 3% to 8%: it takes registers,
so fewer warps have room. It would take a row that the copy engine brings into shared
memory, and from which each thread reads its shifted columns. Triton has no loads from
there at an address.
"""

# Import this first: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready

import torch
import triton
import triton.language as tl

LARGEST_BY_NAME = 5  # up to 5 × 5 weights, memory is the limit
LARGEST_WALK = 9  # up to 9 × 9, registers hold all weights
# Images with no more pixels than this, all channels together, leave most of a
# GPU without work, so they are cut into small tiles. The simulator has nothing
# that could be idle.
SMALL, MEDIUM = (2**16, 2**20) if DEVICE == "cuda" else (0, 0)
FARTHEST = 512  # rows to walk: walking further would hardly save any loads
# (filter size, aligned) → the warps that a multiprocessor has registers for.
WALKING_WARPS = {(7, True): 16, (7, False): 12, (9, True): 8, (9, False): 8}


@triton.jit
def split_quads(pixels, QUADS: tl.constexpr):
    """Return the four columns of each quad, from two splits.

    Columns 0 1 2 3 are 2 × 2 values: the first split leaves 0 2 and 1 3.
    """
    even, odd = tl.split(tl.reshape(pixels, (QUADS, 2, 2)))
    column_0, column_2 = tl.split(even)
    column_1, column_3 = tl.split(odd)
    return column_0, column_1, column_2, column_3


@triton.jit
def join_quads(column_0, column_1, column_2, column_3, QUADS: tl.constexpr):
    """Undo split_quads."""
    even, odd = tl.join(column_0, column_2), tl.join(column_1, column_3)
    return tl.reshape(tl.join(even, odd), (4 * QUADS,))


@triton.jit
def load_row(
    row_ptr, first_column, limit,
    RADIUS: tl.constexpr, QUADS: tl.constexpr, ALIGNED: tl.constexpr,
):
    """Load the pixels that a quad's sums need, from RADIUS before to RADIUS after.

    Columns from limit on are zeros, and so are those before the image: as
    unsigned numbers these are large, so one comparison is enough for both.
    """
    pixels = ()
    if ALIGNED:
        # 16 bytes per thread.
        SIDE: tl.constexpr = (RADIUS + 3) // 4
        quads = ()
        for n in tl.static_range(2 * SIDE + 1):
            columns = first_column + 4 * (n - SIDE) + tl.arange(0, 4 * QUADS)
            mask = columns.to(tl.uint32) < limit
            line = tl.load(row_ptr + columns, mask=mask, other=0.0)
            quads += split_quads(line, QUADS)
        for n in tl.static_range(4 + 2 * RADIUS):
            pixels += (quads[4 * SIDE - RADIUS + n],)
    else:
        # A row may start anywhere: 4 bytes per thread, with a load for each
        # column, so that threads need not pass pixels to each other.
        for n in tl.static_range(4 + 2 * RADIUS):
            columns = first_column + 4 * tl.arange(0, QUADS) + n - RADIUS
            mask = columns.to(tl.uint32) < limit
            pixels += (tl.load(row_ptr + columns, mask=mask, other=0.0),)
    return pixels


@triton.jit
def store_rows(
    output_ptr, sums, first_line, first_row, first_column, height, width,
    ROWS: tl.constexpr, QUADS: tl.constexpr,
):
    """Store ROWS rows of output, with one sum for each of a quad's columns."""
    columns = first_column + tl.arange(0, 4 * QUADS)
    for r in tl.static_range(ROWS):
        line = join_quads(
            sums[4 * r], sums[4 * r + 1], sums[4 * r + 2], sums[4 * r + 3], QUADS
        )
        row_ptr = output_ptr + (first_line + r) * width
        mask = (first_row + r < height) & (columns < width)
        tl.store(row_ptr + columns, line, mask=mask)


@triton.jit
def position(height, width, rows, QUADS: tl.constexpr):
    """Return this program's first column, its first row, and its channel.

    Consecutive programs are neighbours along a row, so programs that run at the
    same time share input rows in the L2 cache.
    """
    pid = tl.program_id(axis=0)
    across = tl.cdiv(width, 4 * QUADS)
    down = tl.cdiv(height, rows)
    first_column = pid % across * (4 * QUADS)
    first_row = pid // across % down * rows
    return first_column, first_row, (pid // across // down).to(tl.int64)


# Where memory is the limit: every value has a name, and there is no loop.


@triton.jit
def conv2d_kernel(
    image_ptr, output_ptr, weight_ptr,
    height, width_in_units, SIZE: tl.constexpr,
    UNIT: tl.constexpr, ROWS: tl.constexpr, QUADS: tl.constexpr,
):
    # A width that is a product with 4 tells Triton that every row is aligned.
    width = width_in_units * UNIT
    ALIGNED: tl.constexpr = UNIT % 4 == 0
    RADIUS: tl.constexpr = SIZE // 2
    first_column, first_row, channel = position(height, width, ROWS, QUADS)
    first_line = channel * height + first_row

    sums = ()
    for _ in tl.static_range(4 * ROWS):
        sums += (tl.zeros((QUADS,), dtype=tl.float32),)

    for i in tl.static_range(ROWS + SIZE - 1):
        row = first_row + i - RADIUS
        limit = tl.where((row >= 0) & (row < height), width, 0).to(tl.uint32)
        row_ptr = image_ptr + (first_line + i - RADIUS) * width
        pixels = load_row(
            row_ptr, first_column, limit, RADIUS, QUADS, ALIGNED
        )

        # Output row r uses this input row with row i - r of the filter.
        new_sums = ()
        for r in tl.static_range(ROWS):
            for column in tl.static_range(4):
                total = sums[4 * r + column]
                if i - r >= 0 and i - r < SIZE:
                    for j in tl.static_range(SIZE):
                        weight = tl.load(weight_ptr + (i - r) * SIZE + j)
                        total = tl.fma(pixels[column + j], weight, total)
                new_sums += (total,)
        sums = new_sums

    store_rows(
        output_ptr, sums, first_line, first_row, first_column, height, width,
        ROWS, QUADS,
    )


# With 7 × 7 and 9 × 9 weights, arithmetic is the limit. Written out, it would be
# so many instructions that a multiprocessor would wait for them to arrive. The
# few instructions of a loop stay in the instruction cache, so a program walks
# down the image.


@triton.jit
def conv2d_walking_kernel(
    image_ptr, output_ptr, weight_ptr,
    height, width_in_units, SIZE: tl.constexpr,
    UNIT: tl.constexpr, rows, QUADS: tl.constexpr,
):
    width = width_in_units * UNIT
    ALIGNED: tl.constexpr = UNIT % 4 == 0
    RADIUS: tl.constexpr = SIZE // 2
    LAST: tl.constexpr = SIZE - 1
    first_column, first_row, channel = position(height, width, rows, QUADS)
    channel_start = channel * height * width
    image_ptr += channel_start
    output_ptr += channel_start
    columns = first_column + tl.arange(0, 4 * QUADS)

    weights = ()
    for n in tl.static_range(SIZE * SIZE):
        weights += (tl.load(weight_ptr + n),)

    # LAST rows of output are in progress, the oldest first, with four sums each.
    sums = ()
    for _ in tl.static_range(4 * LAST):
        sums += (tl.zeros((QUADS,), dtype=tl.float32),)

    # Load one row ahead, so that its loads run while this row is multiplied.
    row = first_row - RADIUS
    row_ptr = image_ptr + row.to(tl.int64) * width
    limit = tl.where((row >= 0) & (row < height), width, 0).to(tl.uint32)
    pixels = load_row(
        row_ptr, first_column, limit, RADIUS, QUADS, ALIGNED
    )
    # Two rows per iteration: from one row to the next, values change their names,
    # not their registers.
    for turn in range(first_row - RADIUS, first_row + rows + RADIUS, 2):
        for second in tl.static_range(2):
            row = turn + second
            next_row = row + 1
            row_ptr = image_ptr + next_row.to(tl.int64) * width
            row_inside = (next_row >= 0) & (next_row < height)
            limit = tl.where(row_inside, width, 0).to(tl.uint32)
            next_pixels = load_row(
                row_ptr, first_column, limit, RADIUS, QUADS, ALIGNED
            )

            # The oldest row of output uses this row with the filter's last row.
            new_sums = ()
            for age in tl.static_range(SIZE):
                for column in tl.static_range(4):
                    if age == LAST:
                        total = pixels[column] * weights[0]
                    else:
                        weight = weights[(LAST - age) * SIZE]
                        total = tl.fma(pixels[column], weight, sums[4 * age + column])
                    for j in tl.static_range(1, SIZE):
                        weight = weights[(LAST - age) * SIZE + j]
                        total = tl.fma(pixels[column + j], weight, total)
                    new_sums += (total,)

            # The oldest is complete; the others grow older.
            line = join_quads(
                new_sums[0], new_sums[1], new_sums[2], new_sums[3], QUADS
            )
            output_row = row - RADIUS
            row_ptr = output_ptr + output_row.to(tl.int64) * width
            row_inside = (output_row >= first_row) & (output_row < height)
            tl.store(row_ptr + columns, line, mask=row_inside & (columns < width))
            sums = new_sums[4:]
            pixels = next_pixels


# A larger filter has too many weights to keep in registers. They are loaded
# where they are needed, for one row of the image after another.


@triton.jit
def conv2d_large_filter_kernel(
    image_ptr, output_ptr, weight_ptr,
    height, width_in_units, SIZE: tl.constexpr,
    UNIT: tl.constexpr, ROWS: tl.constexpr, QUADS: tl.constexpr,
):
    width = width_in_units * UNIT
    ALIGNED: tl.constexpr = UNIT % 4 == 0
    RADIUS: tl.constexpr = SIZE // 2
    first_column, first_row, channel = position(height, width, ROWS, QUADS)
    first_line = channel * height + first_row

    sums = ()
    for _ in tl.static_range(4 * ROWS):
        sums += (tl.zeros((QUADS,), dtype=tl.float32),)
    for i in range(ROWS + SIZE - 1):
        row = first_row + i - RADIUS
        limit = tl.where((row >= 0) & (row < height), width, 0).to(tl.uint32)
        row_ptr = image_ptr + (first_line + i - RADIUS) * width
        pixels = load_row(
            row_ptr, first_column, limit, RADIUS, QUADS, ALIGNED
        )
        new_sums = ()
        for r in tl.static_range(ROWS):
            # Row i - r of the filter, if there is one.
            first, second, third, fourth = sums[4 * r : 4 * r + 4]
            if (i >= r) & (i < r + SIZE):
                weights_ptr = weight_ptr + (i - r) * SIZE
                for j in tl.static_range(SIZE):
                    weight = tl.load(weights_ptr + j)
                    first = tl.fma(pixels[j], weight, first)
                    second = tl.fma(pixels[j + 1], weight, second)
                    third = tl.fma(pixels[j + 2], weight, third)
                    fourth = tl.fma(pixels[j + 3], weight, fourth)
            new_sums += (first, second, third, fourth)
        sums = new_sums

    store_rows(
        output_ptr, sums, first_line, first_row, first_column, height, width,
        ROWS, QUADS,
    )


# Which kernel runs, and with which tiles?


def conv2d(image: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Filter image (c, height, width) per channel with weight (k, k), k odd.

    Both are contiguous float32 tensors.
    """
    check_tensors_gpu_ready(
        image, weight, shapes="c height width, k k", dtype=torch.float32
    )
    size = len(weight)
    output = torch.empty_like(image)
    channels, height, width = image.shape
    UNIT = 4 if width % 4 == 0 else 1
    kernel, ROWS, QUADS, num_warps = tile_for(image, size)
    down, across = cdiv(height, ROWS), cdiv(width, 4 * QUADS)
    kernel[(channels * down * across,)](
        image, output, weight, height, width // UNIT, size, UNIT, ROWS, QUADS,
        num_warps=num_warps,
    )
    return output


def tile_for(
    image: torch.Tensor, size: int
) -> tuple[triton.JITFunction, int, int, int]:
    """Return a kernel, a tile's rows and quads, and the warps that share it.

    The tiles are those that were the fastest on an H200.
    """
    by_name = size <= LARGEST_BY_NAME
    if image.numel() <= (MEDIUM if by_name else 4 * MEDIUM):
        kernel = conv2d_kernel if size <= LARGEST_WALK else conv2d_large_filter_kernel
        return kernel, 1 if image.numel() <= SMALL else 2, 32, 1
    if by_name:
        return conv2d_kernel, 4 if size <= 3 else 8, 128, 4
    if size <= LARGEST_WALK:
        return conv2d_walking_kernel, *walking_tile(image, size)
    return conv2d_large_filter_kernel, 4, 128, 2


def walking_tile(image: torch.Tensor, size: int) -> tuple[int, int, int]:
    """Return rows, quads and warps for which all programs start and end together.

    A tile is as wide as possible with at most an eighth of the image's width
    beyond the edge. It is so long that the programs of a large image fill all
    multiprocessors once, or a few times, with none left over.
    """
    channels, height, width = image.shape
    aligned = width % 4 == 0
    widths = [quads for quads in (512, 256) if aligned or quads < 512]
    beyond = {quads: -width % (4 * quads) for quads in widths}
    QUADS = next((quads for quads in widths if beyond[quads] <= width // 8), 128)
    num_warps = QUADS // 64

    at_once = multiprocessors(image) * WALKING_WARPS[size, aligned] // num_warps
    strips = channels * cdiv(width, 4 * QUADS)
    times = cdiv(strips * height, at_once * FARTHEST)
    pieces = max(1, times * at_once // strips)  # of each strip
    rows = max(16, cdiv(height, pieces))
    return rows + rows % 2, QUADS, num_warps


def multiprocessors(image: torch.Tensor) -> int:
    if DEVICE == "cpu":
        return 1
    return torch.cuda.get_device_properties(image.device).multi_processor_count


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="3")
