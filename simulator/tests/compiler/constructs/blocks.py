"""Blocks: making, indexing, broadcasting, reshaping, reducing, scanning, sorting and multiplying them."""

import triton
import triton.language as tl


@triton.jit
def returns_one_of_two(a, b, c, d):
    return a + c


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
def arange_divided_constexpr(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK / 2)
    tl.store(output_ptr + offsets, 1.0)


@triton.jit
def zeros_of_a_number(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + tl.zeros(BLOCK, dtype=tl.float32), mask=mask)


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
def index_with_a_negative_number(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * x[-1], mask=mask)


@triton.jit
def index_with_a_mask(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x[x > 0], mask=mask)


@triton.jit
def index_with_too_many_dimensions(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.sum(x[:, :, None], axis=0), mask=mask)


@triton.jit
def broadcasting_different_lengths(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + tl.arange(0, 32), mask=mask)


@triton.jit
def broadcast_to_fewer_elements(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr, tl.broadcast_to(x, (1,)))


@triton.jit
def expand_dims_out_of_range(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.sum(tl.expand_dims(x, 3), axis=0), mask=mask)


@triton.jit
def reshape_to_another_size(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.sum(tl.reshape(x, (4, 8)), axis=0), mask=mask)


@triton.jit
def ravel_of_a_matrix(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.ravel(tl.reshape(x, (4, 16))), mask=mask)


@triton.jit
def trans_of_a_vector(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.trans(x), mask=mask)


@triton.jit
def permute_with_repeated_axes(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.reshape(tl.permute(tl.reshape(x, (4, 4, 4)), (2, 0, 0)), (BLOCK,)), mask=mask)


@triton.jit
def split_of_a_vector(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    a, b = tl.split(x)
    tl.store(output_ptr + tl.arange(0, 32), a + b)


@triton.jit
def flip(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.flip(x), mask=mask)


@triton.jit
def gather_with_float_indices(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.gather(x, x, axis=0), mask=mask)


@triton.jit
def sum_with_keep_dims(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x - tl.sum(x, axis=0, keep_dims=True), mask=mask)


@triton.jit
def xor_sum_of_floats(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.xor_sum(x, axis=0), mask=mask)


@triton.jit
def reduce_a_tuple_with_one_result(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    a, b = tl.reduce((x, y), 0, returns_one_of_two)
    tl.store(output_ptr + offsets, a + b, mask=mask)


@triton.jit
def histogram_of_floats(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + tl.arange(0, 16), tl.histogram(x, 16))


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
def dot_of_integers(x_ptr, y_ptr, output_ptr, n, index_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    a = tl.load(index_ptr + at % n)
    tl.store(output_ptr + at, tl.dot(a, a), mask=at < n)


@triton.jit
def dot_with_unknown_precision(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    a = tl.load(y_ptr + at % n)
    tl.store(output_ptr + at, tl.dot(a, a, input_precision="exact"), mask=at < n)
