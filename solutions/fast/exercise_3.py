"""Exercise 3 at the limit of the hardware: a filter over a picture.

What the plain kernel wastes: it loads every pixel k^2 times. The cache next to
the multiprocessor serves nearly all of those loads, but 4 bytes at a time: a
row that is shifted by one column does not start at a multiple of 16 bytes. So
that cache, not memory, is the limit.

Two ideas:

- Quads. A thread owns 4 neighbouring columns. It loads its own quad and the
  ones to the left and to the right, 16 bytes each, always aligned. Split into
  columns these are 12 values by name, and the pixel j columns further is no
  load: it is another name.
- Rows. A program computes ROWS rows of output at once. An input row, once
  loaded, serves each output row whose filter covers it, up to k of them.

So a quad costs 3 loads of 16 bytes for each of (ROWS + k - 1) / ROWS rows,
where the plain kernel makes 4 k^2 loads of 4 bytes. With 7 × 7 weights the
multiplications are what is left: the limit is no longer memory at all.

On an H200, 8192 × 8192 pixels, where a copy takes 0.384 ms
(benchmarks/results/h200.md):

    3 × 3   plain 1.005 ms   fast 0.394 ms
    5 × 5   plain 2.203 ms   fast 0.404 ms
    7 × 7   plain 5.201 ms   fast 0.540 ms
"""

# First: it chooses the GPU, or the simulator where there is none.
from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready

import torch
import triton
import triton.language as tl

LARGEST_BY_NAME = 5
LARGEST_BY_QUADS = 9  # a quad's neighbours reach 4 columns to either side
ENOUGH_PROGRAMS = 500  # to fill a large GPU with programs that walk far


@triton.jit
def split_quads(pixels, QUADS: tl.constexpr):
    """Columns 0 1 2 3 of a quad are 2 × 2 values: a split leaves 0 2 and 1 3."""
    even, odd = tl.split(tl.reshape(pixels, (QUADS, 2, 2)))
    column_0, column_2 = tl.split(even)
    column_1, column_3 = tl.split(odd)
    return column_0, column_1, column_2, column_3


@triton.jit
def join_quads(column_0, column_1, column_2, column_3, QUADS: tl.constexpr):
    """split_quads, backwards."""
    even, odd = tl.join(column_0, column_2), tl.join(column_1, column_3)
    return tl.reshape(tl.join(even, odd), (4 * QUADS,))


# Up to 5 × 5 weights memory is the limit: everything by name, nothing in a loop.


@triton.jit
def load_quads(
    row_ptr, first_column, limit,
    QUADS: tl.constexpr, ALIGNED: tl.constexpr,
):
    """QUADS quads of a row as four blocks: their columns 0, 1, 2 and 3.

    Columns from limit on are zeros, and so are those before the picture: as
    unsigned numbers they are large, so one comparison does for both.
    """
    if ALIGNED:
        # 16 bytes a thread.
        columns = first_column + tl.arange(0, 4 * QUADS)
        mask = columns.to(tl.uint32) < limit
        quads = split_quads(tl.load(row_ptr + columns, mask=mask, other=0.0), QUADS)
    else:
        # A row may start anywhere: 4 bytes a thread, each column on its own,
        # so that threads need not hand pixels to each other.
        quads = ()
        for column in tl.static_range(4):
            columns = first_column + 4 * tl.arange(0, QUADS) + column
            mask = columns.to(tl.uint32) < limit
            quads += (tl.load(row_ptr + columns, mask=mask, other=0.0),)
    return quads


@triton.jit
def conv2d_kernel(
    input_ptr, output_ptr, conv_kernel_ptr,
    height, width_in_units, kernel_size: tl.constexpr,
    UNIT: tl.constexpr, ROWS: tl.constexpr, QUADS: tl.constexpr,
):
    # A width of 4 times something shows Triton that every row is aligned.
    width = width_in_units * UNIT
    ALIGNED: tl.constexpr = UNIT % 4 == 0
    RADIUS: tl.constexpr = kernel_size // 2

    # Which columns, which rows, which channel? Neighbours along a row first:
    # programs that run at the same time then share input rows in the L2 cache.
    pid = tl.program_id(axis=0)
    across = tl.cdiv(width, 4 * QUADS)
    down = tl.cdiv(height, ROWS)
    first_column = pid % across * (4 * QUADS)
    first_row = pid // across % down * ROWS
    first_line = (pid // across // down).to(tl.int64) * height + first_row

    # Four sums for each row of output: one for each column of a quad.
    sums = ()
    for _ in tl.static_range(4 * ROWS):
        sums += (tl.zeros((QUADS,), dtype=tl.float32),)

    for i in tl.static_range(ROWS + kernel_size - 1):
        row = first_row + i - RADIUS
        limit = tl.where((row >= 0) & (row < height), width, 0).to(tl.uint32)
        row_ptr = input_ptr + (first_line + i - RADIUS) * width
        left = load_quads(row_ptr, first_column - 4, limit, QUADS, ALIGNED)
        own = load_quads(row_ptr, first_column, limit, QUADS, ALIGNED)
        right = load_quads(row_ptr, first_column + 4, limit, QUADS, ALIGNED)
        pixels = left + own + right

        # Output row r sees this input row through row i - r of the filter.
        new_sums = ()
        for r in tl.static_range(ROWS):
            for column in tl.static_range(4):
                total = sums[4 * r + column]
                if i - r >= 0 and i - r < kernel_size:
                    for j in tl.static_range(kernel_size):
                        weight = tl.load(conv_kernel_ptr + (i - r) * kernel_size + j)
                        pixel = pixels[4 + column + j - RADIUS]
                        total = tl.fma(pixel, weight, total)
                new_sums += (total,)
        sums = new_sums

    columns = first_column + tl.arange(0, 4 * QUADS)
    for r in tl.static_range(ROWS):
        first, second, third, fourth = sums[4 * r : 4 * r + 4]
        line = join_quads(first, second, third, fourth, QUADS)
        row_ptr = output_ptr + (first_line + r) * width
        mask = (first_row + r < height) & (columns < width)
        tl.store(row_ptr + columns, line, mask=mask)


# From 7 × 7 on multiplications are the limit, and so many of them, one after the
# other, that a multiprocessor waits for its instructions. So a loop, whose few
# instructions stay close by: a program walks down the picture, row by row.


@triton.jit
def load_row(
    row_ptr, first_column, row_inside, width,
    RADIUS: tl.constexpr, QUADS: tl.constexpr, ALIGNED: tl.constexpr,
):
    """The pixels that a quad's sums need: from RADIUS before it to RADIUS after."""
    pixels = ()
    if ALIGNED:
        quads = ()
        for neighbour in tl.static_range(3):
            columns = first_column + 4 * (neighbour - 1) + tl.arange(0, 4 * QUADS)
            mask = row_inside & (columns >= 0) & (columns < width)
            line = tl.load(row_ptr + columns, mask=mask, other=0.0)
            quads += split_quads(line, QUADS)
        for n in tl.static_range(4 + 2 * RADIUS):
            pixels += (quads[4 - RADIUS + n],)
    else:
        for n in tl.static_range(4 + 2 * RADIUS):
            columns = first_column + 4 * tl.arange(0, QUADS) + n - RADIUS
            mask = row_inside & (columns >= 0) & (columns < width)
            pixels += (tl.load(row_ptr + columns, mask=mask, other=0.0),)
    return pixels


@triton.jit
def conv2d_walking_kernel(
    input_ptr, output_ptr, conv_kernel_ptr,
    height, width_in_units, kernel_size: tl.constexpr,
    UNIT: tl.constexpr, ROWS: tl.constexpr, QUADS: tl.constexpr,
):
    width = width_in_units * UNIT
    ALIGNED: tl.constexpr = UNIT % 4 == 0
    RADIUS: tl.constexpr = kernel_size // 2
    LAST: tl.constexpr = kernel_size - 1
    pid = tl.program_id(axis=0)
    across = tl.cdiv(width, 4 * QUADS)
    down = tl.cdiv(height, ROWS)
    first_column = pid % across * (4 * QUADS)
    first_row = pid // across % down * ROWS
    channel_start = (pid // across // down).to(tl.int64) * height * width
    input_ptr += channel_start
    output_ptr += channel_start
    columns = first_column + tl.arange(0, 4 * QUADS)

    weights = ()
    for n in tl.static_range(kernel_size * kernel_size):
        weights += (tl.load(conv_kernel_ptr + n),)

    # Under way are LAST rows of output, the oldest first, four sums for each.
    sums = ()
    for _ in tl.static_range(4 * LAST):
        sums += (tl.zeros((QUADS,), dtype=tl.float32),)

    # One row ahead: its loads are under way while this row is multiplied.
    row = first_row - RADIUS
    row_ptr = input_ptr + row.to(tl.int64) * width
    row_inside = (row >= 0) & (row < height)
    pixels = load_row(
        row_ptr, first_column, row_inside, width, RADIUS, QUADS, ALIGNED
    )
    for row in range(first_row - RADIUS, first_row + ROWS + RADIUS):
        next_row = row + 1
        row_ptr = input_ptr + next_row.to(tl.int64) * width
        row_inside = (next_row >= 0) & (next_row < height)
        next_pixels = load_row(
            row_ptr, first_column, row_inside, width, RADIUS, QUADS, ALIGNED
        )

        # The oldest row of output sees this row through the filter's last.
        new_sums = ()
        for age in tl.static_range(kernel_size):
            for column in tl.static_range(4):
                if age == LAST:
                    total = pixels[column] * weights[0]
                else:
                    weight = weights[(LAST - age) * kernel_size]
                    total = tl.fma(pixels[column], weight, sums[4 * age + column])
                for j in tl.static_range(1, kernel_size):
                    weight = weights[(LAST - age) * kernel_size + j]
                    total = tl.fma(pixels[column + j], weight, total)
                new_sums += (total,)

        # The oldest is complete; the others grow older.
        first, second, third, fourth = new_sums[:4]
        line = join_quads(first, second, third, fourth, QUADS)
        output_row = row - RADIUS
        row_ptr = output_ptr + output_row.to(tl.int64) * width
        row_inside = (output_row >= first_row) & (output_row < height)
        tl.store(row_ptr + columns, line, mask=row_inside & (columns < width))
        sums = new_sums[4:]
        pixels = next_pixels


# Beyond 9 × 9 the quads beside a quad hold too few columns.


@triton.jit
def conv2d_large_filter_kernel(
    input_ptr, output_ptr, conv_kernel_ptr, height, width, kernel_size,
    BLOCK_SIZE_H: tl.constexpr, BLOCK_SIZE_W: tl.constexpr,
):
    """The plain kernel, in loops: 31 × 31 weights still compile at once."""
    pid = tl.program_id(axis=0)
    across, down = tl.cdiv(width, BLOCK_SIZE_W), tl.cdiv(height, BLOCK_SIZE_H)
    rows = pid // across % down * BLOCK_SIZE_H + tl.arange(0, BLOCK_SIZE_H)
    cols = pid % across * BLOCK_SIZE_W + tl.arange(0, BLOCK_SIZE_W)
    channel_start = (pid // across // down).to(tl.int64) * height * width
    channel_ptr = input_ptr + channel_start
    accumulator = tl.zeros((BLOCK_SIZE_H, BLOCK_SIZE_W), dtype=tl.float32)
    for i in range(kernel_size):
        input_rows = rows + i - kernel_size // 2
        row_mask = (input_rows >= 0) & (input_rows < height)
        row_offsets = input_rows.to(tl.int64) * width
        for j in range(kernel_size):
            input_cols = cols + j - kernel_size // 2
            col_mask = (input_cols >= 0) & (input_cols < width)
            mask = row_mask[:, None] & col_mask[None, :]
            offsets = row_offsets[:, None] + input_cols[None, :]
            pixels = tl.load(channel_ptr + offsets, mask=mask, other=0.0)
            accumulator += pixels * tl.load(conv_kernel_ptr + i * kernel_size + j)
    offsets = channel_start + rows.to(tl.int64)[:, None] * width + cols[None, :]
    mask = (rows[:, None] < height) & (cols[None, :] < width)
    tl.store(output_ptr + offsets, accumulator, mask=mask)


def conv2d(image: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Each channel of image (c, height, width) under a filter (k, k), k odd.

    Both are float32. Centred, zeros outside; the filter is not flipped.
    """
    check_tensors_gpu_ready(image, weight)
    if image.ndim != 3 or image.dtype != torch.float32:
        got = f"{tuple(image.shape)} {image.dtype}"
        raise ValueError(f"images are float32 (c, height, width); got {got}")
    size = weight.shape[0] if weight.ndim == 2 else 0
    square = weight.shape == (size, size) and size % 2 == 1
    if not square or weight.dtype != torch.float32:
        got = f"{tuple(weight.shape)} {weight.dtype}"
        raise ValueError(f"filters are float32 (k, k), k odd; got {got}")
    output = torch.empty_like(image)
    channels, height, width = image.shape
    if size > LARGEST_BY_QUADS:
        BLOCK_SIZE_H, BLOCK_SIZE_W = 4, 128
        down, across = cdiv(height, BLOCK_SIZE_H), cdiv(width, BLOCK_SIZE_W)
        conv2d_large_filter_kernel[(channels * down * across,)](
            image, output, weight, height, width, size, BLOCK_SIZE_H, BLOCK_SIZE_W
        )
        return output
    UNIT = 4 if width % 4 == 0 else 1
    kernel, QUADS, ROWS = conv2d_kernel, 128, 4 if size <= 3 else 8
    if size > LARGEST_BY_NAME:
        kernel, QUADS, ROWS = conv2d_walking_kernel, 256, 128
        if channels * cdiv(height, ROWS) * cdiv(width, 4 * QUADS) < ENOUGH_PROGRAMS:
            QUADS, ROWS = 128, 16
    down, across = cdiv(height, ROWS), cdiv(width, 4 * QUADS)
    kernel[(channels * down * across,)](
        image, output, weight, height, width // UNIT, size, UNIT, ROWS, QUADS
    )
    return output


if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise=3)
