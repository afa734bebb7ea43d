"""Blocks: making, indexing, broadcasting, reshaping, reducing, scanning, sorting and multiplying them."""

import triton
import triton.language as tl


@triton.jit
def add(a, b):
    return a + b


@triton.jit
def larger(a, b):
    return tl.where(a > b, a, b)


@triton.jit
def pairs(a, b, c, d):
    return a * c, b * c + d


@triton.jit
def returns_one_of_two(a, b, c, d):
    return a + c


def plain_add(a, b):
    return a + b


@triton.jit
def arange_of_a_runtime_value(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, n)
    tl.store(output_ptr + offsets, 1.0)


@triton.jit
def arange_not_a_power_of_two(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, 100)
    tl.store(output_ptr + offsets, 1.0)


@triton.jit
def arange_from_one(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(1, 5)
    tl.store(output_ptr + offsets, 1.0)


@triton.jit
def arange_from_one_to_six(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(1, 6)
    tl.store(output_ptr + offsets, 1.0)


@triton.jit
def arange_of_one_argument(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(BLOCK)
    tl.store(output_ptr + offsets, 1.0)


@triton.jit
def arange_with_a_step(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK, 2)
    tl.store(output_ptr + offsets, 1.0)


@triton.jit
def arange_empty(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(4, 4)
    tl.store(output_ptr + offsets, 1.0)


@triton.jit
def arange_downwards(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(4, 0)
    tl.store(output_ptr + offsets, 1.0)


@triton.jit
def arange_of_floats(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0.0, 4.0)
    tl.store(output_ptr, tl.sum(offsets, axis=0))


@triton.jit
def arange_starting_at_program_id(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offsets = tl.arange(pid * BLOCK, (pid + 1) * BLOCK)
    tl.store(output_ptr + offsets, 1.0, mask=offsets < n)


@triton.jit
def arange_half_of_a_constexpr(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK // 2)
    tl.store(output_ptr + offsets, 1.0)


@triton.jit
def arange_divided_constexpr(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK / 2)
    tl.store(output_ptr + offsets, 1.0)


@triton.jit
def zeros_of_a_tuple(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + tl.zeros((BLOCK,), dtype=tl.float32), mask=mask)


@triton.jit
def zeros_of_a_list(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + tl.zeros([BLOCK], dtype=tl.float32), mask=mask)


@triton.jit
def zeros_of_a_number(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + tl.zeros(BLOCK, dtype=tl.float32), mask=mask)


@triton.jit
def zeros_without_a_type(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + tl.zeros((BLOCK,)), mask=mask)


@triton.jit
def zeros_of_a_runtime_value(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + tl.zeros((n,), dtype=tl.float32), mask=mask)


@triton.jit
def zeros_not_a_power_of_two(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    total = tl.zeros((3,), dtype=tl.float32)
    tl.store(output_ptr + offsets, x + tl.sum(total, axis=0), mask=mask)


@triton.jit
def zeros_like(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + tl.zeros_like(x), mask=mask)


@triton.jit
def ones_do_not_exist(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + tl.ones((BLOCK,), dtype=tl.float32), mask=mask)


@triton.jit
def full_of_a_scalar(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + tl.full((BLOCK,), tl.program_id(0), tl.int32), mask=mask)


@triton.jit
def full_of_a_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + tl.full((BLOCK,), x, tl.float32), mask=mask)


@triton.jit
def full_without_a_type(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + tl.full((BLOCK,), 1.0), mask=mask)


@triton.jit
def full_of_infinity(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.maximum(x, tl.full((BLOCK,), -float("inf"), tl.float32)), mask=mask)


@triton.jit
def full_of_a_shape_argument(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, SHAPE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + tl.sum(tl.sum(tl.full(SHAPE, 1.0, tl.float32), axis=1), axis=0), mask=mask)


@triton.jit
def index_with_none(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    rows = tl.arange(0, 8)
    cols = tl.arange(0, 8)
    at = rows[:, None] * 8 + cols[None, :]
    tl.store(output_ptr + at, at * 1.0)


@triton.jit
def index_with_none_in_one_dimension_only(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x[:], mask=mask)


@triton.jit
def index_with_a_number(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * x[0], mask=mask)


@triton.jit
def index_with_a_negative_number(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * x[-1], mask=mask)


@triton.jit
def index_with_a_slice(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + tl.arange(0, 32), x[0:32])


@triton.jit
def index_with_a_step(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + tl.arange(0, 32), x[::2])


@triton.jit
def index_with_an_ellipsis(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x[...], mask=mask)


@triton.jit
def index_with_a_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x[tl.arange(0, BLOCK)], mask=mask)


@triton.jit
def index_with_a_mask(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x[x > 0], mask=mask)


@triton.jit
def index_with_a_runtime_value(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * x[tl.program_id(0)], mask=mask)


@triton.jit
def index_a_row_of_a_matrix(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    block = tl.reshape(x, (8, 8))
    tl.store(output_ptr + tl.arange(0, 8), block[0, :])


@triton.jit
def index_with_too_many_dimensions(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.sum(x[:, :, None], axis=0), mask=mask)


@triton.jit
def index_a_scalar_with_none(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + tl.program_id(0)[None], mask=mask)


@triton.jit
def index_three_dimensions(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    cube = tl.arange(0, 4)[:, None, None] * 16 + tl.arange(0, 4)[None, :, None] * 4 + tl.arange(0, 4)[None, None, :]
    tl.store(output_ptr + cube, cube * 1.0)


@triton.jit
def broadcasting_different_lengths(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + tl.arange(0, 32), mask=mask)


@triton.jit
def broadcasting_with_a_block_of_one(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    one = tl.load(y_ptr + tl.arange(0, 1))
    tl.store(output_ptr + offsets, x + one, mask=mask)


@triton.jit
def broadcasting_a_row_and_a_vector(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    rows = tl.arange(0, 8)
    block = rows[:, None] * 8 + rows
    tl.store(output_ptr + block, block * 1.0)


@triton.jit
def broadcasting_a_row_and_another_length(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    rows = tl.arange(0, 8)
    block = rows[:, None] * 8 + tl.arange(0, 4)[None, :]
    tl.store(output_ptr + block, block * 1.0)


@triton.jit
def broadcasting_mismatched_matrices(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    a = tl.zeros((8, 8), tl.float32)
    b = tl.zeros((8, 4), tl.float32)
    tl.store(output_ptr, tl.sum(a + b))


@triton.jit
def broadcast_to(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    wide = tl.broadcast_to(x[None, :], (4, BLOCK))
    tl.store(output_ptr + offsets, tl.sum(wide, axis=0), mask=mask)


@triton.jit
def broadcast_to_a_wrong_shape(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    wide = tl.broadcast_to(x, (4, 32))
    tl.store(output_ptr + offsets, tl.sum(tl.sum(wide, axis=0), axis=0), mask=mask)


@triton.jit
def broadcast_to_fewer_elements(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr, tl.broadcast_to(x, (1,)))


@triton.jit
def broadcast_two(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    a, b = tl.broadcast(x, 2.0)
    tl.store(output_ptr + offsets, a * b, mask=mask)


@triton.jit
def expand_dims(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.sum(tl.expand_dims(x, 0), axis=0), mask=mask)


@triton.jit
def expand_dims_out_of_range(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.sum(tl.expand_dims(x, 3), axis=0), mask=mask)


@triton.jit
def reshape_to_a_matrix(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.sum(tl.reshape(x, (4, 16)), axis=1).sum(axis=0) + x, mask=mask)


@triton.jit
def reshape_with_separate_numbers(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.reshape(tl.reshape(x, 4, 16), BLOCK), mask=mask)


@triton.jit
def reshape_method(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x.reshape(4, 16).reshape(BLOCK), mask=mask)


@triton.jit
def reshape_to_another_size(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.sum(tl.reshape(x, (4, 8)), axis=0), mask=mask)


@triton.jit
def reshape_with_minus_one(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.reshape(tl.reshape(x, (4, -1)), (BLOCK,)), mask=mask)


@triton.jit
def view_of_a_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.view(tl.view(x, (4, 16)), (BLOCK,)), mask=mask)


@triton.jit
def ravel_of_a_matrix(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.ravel(tl.reshape(x, (4, 16))), mask=mask)


@triton.jit
def trans_of_a_matrix(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.reshape(tl.trans(tl.reshape(x, (4, 16))), (BLOCK,)), mask=mask)


@triton.jit
def trans_of_a_vector(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.trans(x), mask=mask)


@triton.jit
def permute_of_a_cube(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.reshape(tl.permute(tl.reshape(x, (4, 4, 4)), (2, 0, 1)), (BLOCK,)), mask=mask)


@triton.jit
def permute_with_repeated_axes(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.reshape(tl.permute(tl.reshape(x, (4, 4, 4)), (2, 0, 0)), (BLOCK,)), mask=mask)


@triton.jit
def cat_of_two_blocks(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    both = tl.cat(x, y, can_reorder=True)
    tl.store(output_ptr + offsets, x + tl.sum(both, axis=0), mask=mask)


@triton.jit
def cat_without_reordering(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    both = tl.cat(x, y)
    tl.store(output_ptr + offsets, x + tl.sum(both, axis=0), mask=mask)


@triton.jit
def join_and_split(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    a, b = tl.split(tl.join(x, y))
    tl.store(output_ptr + offsets, a - b, mask=mask)


@triton.jit
def join_of_different_shapes(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    both = tl.join(x, tl.arange(0, 32))
    tl.store(output_ptr + offsets, x + tl.sum(tl.sum(both, axis=0), axis=0), mask=mask)


@triton.jit
def split_of_a_vector(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    a, b = tl.split(x)
    tl.store(output_ptr + tl.arange(0, 32), a + b)


@triton.jit
def interleave(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    both = tl.interleave(x, y)
    if tl.program_id(0) == 1:
        tl.store(output_ptr + tl.arange(0, 2 * BLOCK), both)


@triton.jit
def flip(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.flip(x), mask=mask)


@triton.jit
def flip_of_an_unknown_axis(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.flip(x, 2), mask=mask)


@triton.jit
def gather(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.gather(x, tl.arange(0, BLOCK) // 2, axis=0), mask=mask)


@triton.jit
def gather_with_float_indices(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.gather(x, x, axis=0), mask=mask)


@triton.jit
def sum_without_an_axis(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x - tl.sum(x), mask=mask)


@triton.jit
def sum_over_an_axis(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x - tl.sum(x, axis=0), mask=mask)


@triton.jit
def sum_over_a_negative_axis(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x - tl.sum(x, axis=-1), mask=mask)


@triton.jit
def sum_over_a_missing_axis(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x - tl.sum(x, axis=1), mask=mask)


@triton.jit
def sum_over_a_runtime_axis(x_ptr, y_ptr, output_ptr, n, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x - tl.sum(x, axis=count), mask=mask)


@triton.jit
def sum_with_keep_dims(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x - tl.sum(x, axis=0, keep_dims=True), mask=mask)


@triton.jit
def sum_of_a_scalar(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x - tl.sum(tl.program_id(0), axis=0), mask=mask)


@triton.jit
def sum_of_booleans(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x - tl.sum(x > 0, axis=0), mask=mask)


@triton.jit
def sum_of_a_mask_as_integers(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x - tl.sum((x > 0).to(tl.int32), axis=0), mask=mask)


@triton.jit
def sum_of_bytes(x_ptr, y_ptr, output_ptr, n, byte_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.sum(tl.load(byte_ptr + offsets, mask=mask, other=0), axis=0), mask=mask)


@triton.jit
def sum_with_a_type(x_ptr, y_ptr, output_ptr, n, half_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.sum(tl.load(half_ptr + offsets, mask=mask, other=0), axis=0, dtype=tl.float32), mask=mask)


@triton.jit
def sum_with_dim_keyword(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x - tl.sum(x, dim=0), mask=mask)


@triton.jit
def max_with_indices(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    value, place = tl.max(x, axis=0, return_indices=True)
    tl.store(output_ptr + offsets, value + place, mask=mask)


@triton.jit
def argmax_of_a_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x - tl.argmax(x, axis=0), mask=mask)


@triton.jit
def argmax_without_an_axis(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x - tl.argmax(x), mask=mask)


@triton.jit
def max_as_a_method(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x - x.max(axis=0), mask=mask)


@triton.jit
def mean_does_not_exist(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x - tl.mean(x, axis=0), mask=mask)


@triton.jit
def xor_sum(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.xor_sum(offsets, axis=0), mask=mask)


@triton.jit
def xor_sum_of_floats(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.xor_sum(x, axis=0), mask=mask)


@triton.jit
def reduce_with_a_jit_function(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x - tl.reduce(x, 0, add), mask=mask)


@triton.jit
def reduce_with_a_custom_maximum(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x - tl.reduce(x, axis=0, combine_fn=larger), mask=mask)


@triton.jit
def reduce_with_a_plain_function(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x - tl.reduce(x, 0, plain_add), mask=mask)


@triton.jit
def reduce_with_a_lambda(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x - tl.reduce(x, 0, lambda a, b: a + b), mask=mask)


@triton.jit
def reduce_a_tuple(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    a, b = tl.reduce((x * 0.01, y), 0, pairs)
    tl.store(output_ptr + offsets, a + b, mask=mask)


@triton.jit
def reduce_a_tuple_with_one_result(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    a, b = tl.reduce((x, y), 0, returns_one_of_two)
    tl.store(output_ptr + offsets, a + b, mask=mask)


@triton.jit
def cumsum_of_a_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.cumsum(x, axis=0), mask=mask)


@triton.jit
def cumsum_in_reverse(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.cumsum(x, axis=0, reverse=True), mask=mask)


@triton.jit
def cumsum_over_a_missing_axis(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.cumsum(x, axis=1), mask=mask)


@triton.jit
def cumprod_of_a_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.cumprod(x * 0.01, axis=0), mask=mask)


@triton.jit
def associative_scan_with_a_jit_function(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.associative_scan(x, 0, larger), mask=mask)


@triton.jit
def associative_scan_of_a_tuple(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    a, b = tl.associative_scan((x * 0.01, y), 0, pairs)
    tl.store(output_ptr + offsets, a + b, mask=mask)


@triton.jit
def sort_of_a_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.sort(x), mask=mask)


@triton.jit
def sort_descending(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.sort(x, descending=True), mask=mask)


@triton.jit
def sort_along_the_first_axis_of_a_matrix(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.reshape(tl.sort(tl.reshape(x, (8, 8)), dim=0), (BLOCK,)), mask=mask)


@triton.jit
def topk_of_a_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + tl.program_id(0) * 8 + tl.arange(0, 8), tl.topk(x, 8))


@triton.jit
def histogram(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + tl.arange(0, 16), tl.histogram(offsets % 16, 16))


@triton.jit
def histogram_of_floats(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + tl.arange(0, 16), tl.histogram(x, 16))


@triton.jit
def softmax_of_the_language(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.softmax(x * 0.01), mask=mask)


@triton.jit
def sigmoid_of_the_language(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.sigmoid(x * 0.01), mask=mask)


@triton.jit
def where_with_three_blocks(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    tl.store(output_ptr + offsets, tl.where(x > y, x, y), mask=mask)


@triton.jit
def where_with_a_float_condition(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    tl.store(output_ptr + offsets, tl.where(x, x, y), mask=mask)


@triton.jit
def where_with_one_argument(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.where(x > 0), mask=mask)


@triton.jit
def where_with_a_python_condition(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FLAG: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    tl.store(output_ptr + offsets, tl.where(FLAG, x, y), mask=mask)


@triton.jit
def where_with_int_and_float(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.where(x > 0, 1, 0.5), mask=mask)


@triton.jit
def where_of_different_shapes(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.where(x > 0, x, tl.arange(0, 32)), mask=mask)


@triton.jit
def where_with_a_scalar_condition(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    tl.store(output_ptr + offsets, tl.where(tl.program_id(0) > 1, x, y), mask=mask)


@triton.jit
def dot_of_square_blocks(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    a = tl.load(x_ptr + at % n)
    tl.store(output_ptr + at, tl.dot(a, a), mask=at < n)


@triton.jit
def dot_with_an_accumulator(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    a = tl.load(x_ptr + at % n)
    total = tl.zeros((16, 16), tl.float32)
    for i in range(3):
        total = tl.dot(a, a, total)
    tl.store(output_ptr + at, total * 1e-3, mask=at < n)


@triton.jit
def dot_too_small(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, 8)[:, None] * 8 + tl.arange(0, 8)[None, :]
    a = tl.load(x_ptr + at)
    tl.store(output_ptr + at, tl.dot(a, a))


@triton.jit
def dot_too_small_in_k(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    a = tl.load(x_ptr + tl.arange(0, 16)[:, None] * 4 + tl.arange(0, 4)[None, :])
    b = tl.load(y_ptr + tl.arange(0, 4)[:, None] * 16 + tl.arange(0, 16)[None, :])
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    tl.store(output_ptr + at, tl.dot(a, b), mask=at < n)


@triton.jit
def dot_of_wrong_shapes(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, 16)[:, None] * 32 + tl.arange(0, 32)[None, :]
    a = tl.load(x_ptr + at % n)
    tl.store(output_ptr + at % n, tl.dot(a, a))


@triton.jit
def dot_of_different_types(x_ptr, y_ptr, output_ptr, n, half_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    a = tl.load(x_ptr + at % n)
    b = tl.load(half_ptr + at % n)
    tl.store(output_ptr + at, tl.dot(a, b), mask=at < n)


@triton.jit
def dot_of_halves_with_half_accumulator(x_ptr, y_ptr, output_ptr, n, half_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    a = tl.load(half_ptr + at % n)
    total = tl.zeros((16, 16), tl.float16)
    tl.store(output_ptr + at, tl.dot(a, a, total), mask=at < n)


@triton.jit
def dot_of_integers(x_ptr, y_ptr, output_ptr, n, index_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    a = tl.load(index_ptr + at % n)
    tl.store(output_ptr + at, tl.dot(a, a), mask=at < n)


@triton.jit
def dot_of_bytes(x_ptr, y_ptr, output_ptr, n, byte_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    a = tl.load(byte_ptr + at % n)
    tl.store(output_ptr + at, tl.dot(a, a), mask=at < n)


@triton.jit
def dot_of_vectors(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    tl.store(output_ptr + offsets, x + tl.dot(x, y), mask=mask)


@triton.jit
def dot_with_input_precision(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    a = tl.load(y_ptr + at % n)
    tl.store(output_ptr + at, tl.dot(a, a, input_precision="ieee"), mask=at < n)


@triton.jit
def dot_with_unknown_precision(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    a = tl.load(y_ptr + at % n)
    tl.store(output_ptr + at, tl.dot(a, a, input_precision="exact"), mask=at < n)


@triton.jit
def dot_with_allow_tf32(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    a = tl.load(y_ptr + at % n)
    tl.store(output_ptr + at, tl.dot(a, a, allow_tf32=False), mask=at < n)


@triton.jit
def dot_of_transposed(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    a = tl.load(y_ptr + at % n)
    tl.store(output_ptr + at, tl.dot(a, tl.trans(a)), mask=at < n)


@triton.jit
def dot_by_hand(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, 8)[:, None] * 8 + tl.arange(0, 8)[None, :]
    a = tl.load(x_ptr + at)
    tl.store(output_ptr + at, tl.sum(a[:, :, None] * a[None, :, :], axis=1))


@triton.jit
def multiple_of_hints(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.multiple_of(tl.program_id(0) * BLOCK, BLOCK) + tl.max_contiguous(tl.arange(0, BLOCK), BLOCK)
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)


@triton.jit
def swizzle2d(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    a, b = tl.swizzle2d(tl.program_id(0), tl.program_id(1), 2, 2, 2)
    tl.store(output_ptr + tl.program_id(0), a * 10 + b)


@triton.jit
def random_numbers(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.rand(42, offsets), mask=mask)


@triton.jit
def random_numbers_of_floats(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.rand(42, x), mask=mask)
