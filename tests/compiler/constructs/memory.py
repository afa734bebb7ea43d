"""Memory: pointers, masks, loads and stores, block pointers, descriptors, atomics."""

import triton
import triton.language as tl


@triton.jit
def forgotten_mask(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets) + tl.load(y_ptr + offsets))


@triton.jit
def forgotten_offsets(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    x = tl.load(x_ptr)
    tl.store(output_ptr, x)


@triton.jit
def load_of_offsets_alone(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, tl.load(offsets, mask=mask), mask=mask)


@triton.jit
def load_of_a_pointer_list(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, tl.load([x_ptr + offsets], mask=mask), mask=mask)


@triton.jit
def load_with_positional_mask(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets, mask, 0.0), mask=mask)


@triton.jit
def load_with_other_without_mask(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets % n, other=0.0), mask=mask)


@triton.jit
def load_with_integer_other(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets, mask=mask, other=0), mask=mask)


@triton.jit
def load_with_block_other(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.load(y_ptr + offsets, mask=x > 0, other=x), mask=mask)


@triton.jit
def load_with_string_other(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets, mask=mask, other="zero"), mask=mask)


@triton.jit
def load_with_an_integer_mask(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets, other=0.0), mask=mask)


@triton.jit
def load_with_an_int_cast_mask(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets, mask=mask.to(tl.int32), other=0.0), mask=mask)


@triton.jit
def load_with_a_float_mask(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.load(y_ptr + offsets, mask=x, other=0.0), mask=mask)


@triton.jit
def load_with_a_mask_of_another_shape(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets, mask=tl.arange(0, 32) < n, other=0.0), mask=mask)


@triton.jit
def load_with_a_wider_mask(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, tl.load(x_ptr + tl.program_id(0), mask=mask, other=0.0), mask=mask)


@triton.jit
def load_with_a_scalar_mask(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets % n, mask=n > 5, other=0.0), mask=mask)


@triton.jit
def load_with_a_python_mask(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets % n, mask=True, other=0.0), mask=mask)


@triton.jit
def load_with_no_mask_by_none(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets % n, mask=None), mask=mask)


@triton.jit
def load_with_unknown_keyword(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets, mask=mask, default=0.0), mask=mask)


@triton.jit
def load_with_cache_modifier(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets, mask=mask, cache_modifier=".cg", eviction_policy="evict_last", volatile=True), mask=mask)


@triton.jit
def load_with_unknown_cache_modifier(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets, mask=mask, cache_modifier=".fast"), mask=mask)


@triton.jit
def load_with_float_offsets(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets * 1.0, mask=mask), mask=mask)


@triton.jit
def load_with_divided_offsets(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets / 2, mask=mask), mask=mask)


@triton.jit
def load_with_floor_divided_offsets(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets // 2, mask=mask), mask=mask)


@triton.jit
def load_of_a_matrix(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * 4 + tl.arange(0, 4)
    cols = tl.arange(0, 16)
    at = rows[:, None] * 16 + cols[None, :]
    mask = (rows[:, None] < 12) & (cols[None, :] < 10)
    tl.store(output_ptr + at, tl.load(x_ptr + at, mask=mask, other=0.0), mask=mask)


@triton.jit
def load_of_a_matrix_with_a_row_mask(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * 4 + tl.arange(0, 4)
    at = rows[:, None] * 16 + tl.arange(0, 16)[None, :]
    mask = rows[:, None] < 12
    tl.store(output_ptr + at, tl.load(x_ptr + at, mask=mask, other=0.0), mask=mask)


@triton.jit
def load_of_a_matrix_with_a_flat_mask(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * 4 + tl.arange(0, 4)
    at = rows[:, None] * 16 + tl.arange(0, 16)[None, :]
    mask = rows < 12
    tl.store(output_ptr + at, tl.load(x_ptr + at, mask=mask, other=0.0), mask=mask)


@triton.jit
def indirect_load(x_ptr, y_ptr, output_ptr, n, index_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    at = tl.load(index_ptr + offsets, mask=mask, other=0)
    tl.store(output_ptr + offsets, tl.load(x_ptr + at, mask=mask), mask=mask)


@triton.jit
def indirect_load_of_float_indices(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.load(y_ptr + x, mask=mask), mask=mask)


@triton.jit
def store_of_a_scalar(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    tl.store(output_ptr + tl.program_id(0), 1.0)


@triton.jit
def store_of_a_block_to_a_scalar_pointer(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr, x)


@triton.jit
def store_of_a_scalar_to_a_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, 1.0, mask=mask)


@triton.jit
def store_of_another_shape(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + tl.arange(0, 32), x)


@triton.jit
def store_of_a_row_vector_to_a_matrix(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    rows = tl.arange(0, 8)
    at = rows[:, None] * 8 + rows[None, :]
    tl.store(output_ptr + at, rows[None, :] * 1.0)


@triton.jit
def store_of_a_vector_to_a_matrix(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    rows = tl.arange(0, 8)
    at = rows[:, None] * 8 + rows[None, :]
    tl.store(output_ptr + at, rows * 1.0)


@triton.jit
def store_with_a_mask_of_another_shape(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x, mask=tl.arange(0, 32) < n)


@triton.jit
def store_with_a_scalar_mask_for_a_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x, mask=tl.program_id(0) < 3)


@triton.jit
def store_with_an_integer_mask(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x, mask=1)


@triton.jit
def store_with_an_integer_block_mask(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x, mask=(x > 0).to(tl.int32))


@triton.jit
def store_with_a_python_mask(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if tl.program_id(0) == 0:
        tl.store(output_ptr + offsets, x, mask=True)


@triton.jit
def store_with_other(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x, mask=mask, other=0.0)


@triton.jit
def store_result_is_used(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    result = tl.store(output_ptr + offsets, x, mask=mask)
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def store_of_a_float_to_integers(x_ptr, y_ptr, output_ptr, n, index_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(index_ptr + offsets, x, mask=mask)


@triton.jit
def store_of_an_integer_to_floats(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, offsets, mask=mask)


@triton.jit
def store_to_a_half_pointer(x_ptr, y_ptr, output_ptr, n, half_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(half_ptr + offsets, x, mask=mask)


@triton.jit
def store_of_a_bool(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x > 0, mask=mask)


@triton.jit
def store_to_a_bool_pointer(x_ptr, y_ptr, output_ptr, n, bool_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(bool_ptr + offsets, x > 0, mask=mask)


@triton.jit
def store_of_floats_to_a_bool_pointer(x_ptr, y_ptr, output_ptr, n, bool_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(bool_ptr + offsets, x, mask=mask)


@triton.jit
def store_swapped_arguments(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(x, output_ptr + offsets, mask=mask)


@triton.jit
def store_keyword_value(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(pointer=output_ptr + offsets, value=x, mask=mask)


@triton.jit
def store_of_a_tuple(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    tl.store(output_ptr + offsets, (x, y), mask=mask)


@triton.jit
def pointer_plus_pointer(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.load(x_ptr + y_ptr), mask=mask)


@triton.jit
def pointer_minus_pointer(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + (output_ptr - x_ptr), mask=mask)


@triton.jit
def pointer_minus_offset(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, tl.load(x_ptr + BLOCK + offsets - BLOCK, mask=mask), mask=mask)


@triton.jit
def pointer_minus_integer(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    pointers = x_ptr + offsets + 1
    tl.store(output_ptr + offsets, tl.load(pointers - 1, mask=mask), mask=mask)


@triton.jit
def integer_plus_pointer(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, tl.load(offsets + x_ptr, mask=mask), mask=mask)


@triton.jit
def integer_minus_pointer(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, tl.load(offsets - x_ptr, mask=mask), mask=mask)


@triton.jit
def pointer_times_integer(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, tl.load(x_ptr * 2 + offsets, mask=mask), mask=mask)


@triton.jit
def pointer_comparison(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if x_ptr == y_ptr:
        x = x + 1
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def pointer_less_than(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    end = x_ptr + n
    pointers = x_ptr + offsets
    tl.store(output_ptr + offsets, tl.load(pointers, mask=pointers < end), mask=mask)


@triton.jit
def pointer_chosen_by_ternary(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    pointer = x_ptr if tl.program_id(0) > 1 else y_ptr
    tl.store(output_ptr + offsets, tl.load(pointer + offsets, mask=mask), mask=mask)


@triton.jit
def pointer_chosen_by_where(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    pointers = tl.where(offsets % 2 == 0, x_ptr + offsets, y_ptr + offsets)
    tl.store(output_ptr + offsets, tl.load(pointers, mask=mask), mask=mask)


@triton.jit
def pointer_augmented(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    pointers = x_ptr + offsets
    pointers += 0
    tl.store(output_ptr + offsets, tl.load(pointers, mask=mask), mask=mask)


@triton.jit
def pointer_stored_as_a_float(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, x_ptr + offsets, mask=mask)


@triton.jit
def pointers_in_a_tuple(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = tl.zeros((BLOCK,), tl.float32)
    for pointer in tl.static_range(2):
        total += tl.load((x_ptr, y_ptr)[pointer] + offsets, mask=mask)
    tl.store(output_ptr + offsets, total, mask=mask)


@triton.jit
def pointer_range_loop(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    for i in range(n):
        tl.store(output_ptr + i, tl.load(x_ptr + i) * 2)


@triton.jit
def program_id_without_an_axis(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id() * BLOCK + tl.arange(0, BLOCK)
    tl.store(output_ptr + offsets, 1.0, mask=offsets < n)


@triton.jit
def program_id_with_keyword(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(output_ptr + offsets, 1.0, mask=offsets < n)


@triton.jit
def program_id_of_a_fourth_axis(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(3) * BLOCK + tl.arange(0, BLOCK)
    tl.store(output_ptr + offsets, 1.0, mask=offsets < n)


@triton.jit
def program_id_of_a_runtime_axis(x_ptr, y_ptr, output_ptr, n, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(count) * BLOCK + tl.arange(0, BLOCK)
    tl.store(output_ptr + offsets, 1.0, mask=offsets < n)


@triton.jit
def num_programs_without_an_axis(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, tl.num_programs(), mask=mask)


@triton.jit
def num_programs_times(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, tl.num_programs(0) * 1.0, mask=mask)


@triton.jit
def block_pointer(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    pointer = tl.make_block_ptr(x_ptr, (n,), (1,), (tl.program_id(0) * BLOCK,), (BLOCK,), (0,))
    to = tl.make_block_ptr(output_ptr, (n,), (1,), (tl.program_id(0) * BLOCK,), (BLOCK,), (0,))
    x = tl.load(pointer, boundary_check=(0,), padding_option="zero")
    tl.store(to, x * 2, boundary_check=(0,))


@triton.jit
def block_pointer_with_a_mask(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    pointer = tl.make_block_ptr(x_ptr, (n,), (1,), (tl.program_id(0) * BLOCK,), (BLOCK,), (0,))
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, tl.load(pointer, mask=mask), mask=mask)


@triton.jit
def block_pointer_with_other(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    pointer = tl.make_block_ptr(x_ptr, (n,), (1,), (tl.program_id(0) * BLOCK,), (BLOCK,), (0,))
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, tl.load(pointer, boundary_check=(0,), other=0.0), mask=mask)


@triton.jit
def block_pointer_advanced(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    pointer = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (16,), (0,))
    total = tl.zeros((16,), tl.float32)
    for i in range(0, n, 16):
        total += tl.load(pointer, boundary_check=(0,), padding_option="zero")
        pointer = tl.advance(pointer, (16,))
    tl.store(output_ptr + tl.arange(0, 16), total)


@triton.jit
def block_pointer_plus_an_integer(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    pointer = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (16,), (0,))
    tl.store(output_ptr + tl.arange(0, 16), tl.load(pointer + 16))


@triton.jit
def block_pointer_of_wrong_rank(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    pointer = tl.make_block_ptr(x_ptr, (n,), (1,), (0, 0), (16,), (0,))
    tl.store(output_ptr + tl.arange(0, 16), tl.load(pointer))


@triton.jit
def block_pointer_with_runtime_block_shape(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    pointer = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (n,), (0,))
    tl.store(output_ptr, tl.sum(tl.load(pointer), axis=0))


@triton.jit
def boundary_check_of_a_plain_pointer(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets, boundary_check=(0,)), mask=mask)


@triton.jit
def descriptor_made_in_the_kernel(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    rows = tl.make_tensor_descriptor(x_ptr, shape=[12, 16], strides=[16, 1], block_shape=[4, 16])
    to = tl.make_tensor_descriptor(output_ptr, shape=[12, 16], strides=[16, 1], block_shape=[4, 16])
    to.store([tl.program_id(0) * 4, 0], rows.load([tl.program_id(0) * 4, 0]) * 2)


@triton.jit
def descriptor_of_one_dimension(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    rows = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, rows.load([tl.program_id(0) * BLOCK]), mask=mask)


@triton.jit
def descriptor_with_a_runtime_last_stride(x_ptr, y_ptr, output_ptr, n, count, BLOCK: tl.constexpr):
    rows = tl.make_tensor_descriptor(x_ptr, shape=[12, 16], strides=[16, count], block_shape=[4, 16])
    tl.store(output_ptr, tl.sum(rows.load([0, 0])))


@triton.jit
def descriptor_with_a_last_stride_argument_of_one(x_ptr, y_ptr, output_ptr, n, one, BLOCK: tl.constexpr):
    rows = tl.make_tensor_descriptor(x_ptr, shape=[12, 16], strides=[16, one], block_shape=[4, 16])
    tl.store(output_ptr, tl.sum(rows.load([0, 0])))


@triton.jit
def descriptor_of_too_narrow_blocks(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    rows = tl.make_tensor_descriptor(x_ptr, shape=[50, 4], strides=[4, 1], block_shape=[4, 2])
    tl.store(output_ptr, tl.sum(rows.load([0, 0])))


@triton.jit
def descriptor_with_offsets_missing(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    rows = tl.make_tensor_descriptor(x_ptr, shape=[12, 16], strides=[16, 1], block_shape=[4, 16])
    tl.store(output_ptr, tl.sum(rows.load([0])))


@triton.jit
def load_of_a_descriptor_by_tl_load(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    rows = tl.make_tensor_descriptor(x_ptr, shape=[12, 16], strides=[16, 1], block_shape=[4, 16])
    tl.store(output_ptr, tl.sum(tl.load(rows)))


@triton.jit
def atomic_add_of_floats(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.atomic_add(output_ptr + offsets, x, mask=mask)


@triton.jit
def atomic_add_of_a_sum(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.atomic_add(output_ptr, tl.sum(x, axis=0))


@triton.jit
def atomic_add_result(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    old = tl.atomic_add(output_ptr + offsets, x, mask=mask)
    tl.store(output_ptr + offsets, old * 2, mask=mask)


@triton.jit
def atomic_add_of_an_integer_to_floats(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.atomic_add(output_ptr + offsets, offsets, mask=mask)


@triton.jit
def atomic_add_of_a_literal(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.atomic_add(output_ptr + offsets, 1, mask=mask)


@triton.jit
def atomic_add_of_bytes(x_ptr, y_ptr, output_ptr, n, byte_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.atomic_add(byte_ptr + offsets, 1, mask=mask)


@triton.jit
def atomic_add_of_halves(x_ptr, y_ptr, output_ptr, n, half_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.atomic_add(half_ptr + offsets, 1.0, mask=mask)


@triton.jit
def atomic_add_of_bf16(x_ptr, y_ptr, output_ptr, n, bf16_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.atomic_add(bf16_ptr + offsets, 1.0, mask=mask)


@triton.jit
def atomic_add_of_bools(x_ptr, y_ptr, output_ptr, n, bool_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.atomic_add(bool_ptr + offsets, 1, mask=mask)


@triton.jit
def atomic_add_of_shorts(x_ptr, y_ptr, output_ptr, n, short_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.atomic_add(short_ptr + offsets, 1, mask=mask)


@triton.jit
def atomic_max_of_floats(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.atomic_max(output_ptr + offsets, x, mask=mask)


@triton.jit
def atomic_max_of_integers(x_ptr, y_ptr, output_ptr, n, index_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.atomic_max(index_ptr + offsets, 50, mask=mask)


@triton.jit
def atomic_max_of_halves(x_ptr, y_ptr, output_ptr, n, half_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.atomic_max(half_ptr + offsets, 1.0, mask=mask)


@triton.jit
def atomic_and_of_floats(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.atomic_and(output_ptr + offsets, x, mask=mask)


@triton.jit
def atomic_xor_of_integers(x_ptr, y_ptr, output_ptr, n, index_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.atomic_xor(index_ptr + offsets, 1, mask=mask)


@triton.jit
def atomic_cas_of_integers(x_ptr, y_ptr, output_ptr, n, lock_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    old = tl.atomic_cas(lock_ptr + tl.program_id(0), 0, 1)
    tl.store(output_ptr + offsets, old, mask=mask)


@triton.jit
def atomic_cas_of_floats(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    old = tl.atomic_cas(output_ptr + tl.program_id(0), -7.0, 1.0)


@triton.jit
def atomic_cas_with_a_mask(x_ptr, y_ptr, output_ptr, n, lock_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.atomic_cas(lock_ptr + offsets, 0, 1, mask=mask)


@triton.jit
def atomic_xchg_of_floats(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.atomic_xchg(output_ptr + offsets, x, mask=mask)


@triton.jit
def atomic_add_with_semantics(x_ptr, y_ptr, output_ptr, n, lock_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.atomic_add(lock_ptr, 1, sem="relaxed", scope="cta")


@triton.jit
def atomic_add_with_unknown_semantics(x_ptr, y_ptr, output_ptr, n, lock_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.atomic_add(lock_ptr, 1, sem="strict")


@triton.jit
def atomic_sub_does_not_exist(x_ptr, y_ptr, output_ptr, n, lock_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.atomic_sub(lock_ptr, 1)


@triton.jit
def lock_and_unlock(x_ptr, y_ptr, output_ptr, n, lock_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    total = tl.load(output_ptr)
    tl.store(output_ptr, total + 1)
    tl.atomic_xchg(lock_ptr, 0)


@triton.jit
def inline_assembly(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    z = tl.inline_asm_elementwise(
        "add.f32 $0, $1, $1;", "=f,f", [x], dtype=tl.float32, is_pure=True, pack=1
    )
    tl.store(output_ptr + offsets, z, mask=mask)


@triton.jit
def extern_elementwise_missing_library(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.extra.cuda.libdevice.rsqrt(x * x + 1), mask=mask)


@triton.jit
def clock_of_the_gpu(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    start = tl.extra.cuda.globaltimer()
    tl.store(output_ptr + offsets, x + (start * 0).to(tl.float32), mask=mask)


@triton.jit
def load_then_select(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(output_ptr + offsets, tl.where(mask, x, 0.0), mask=mask)


@triton.jit
def masked_load_without_other_into_a_sum(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(output_ptr + offsets, tl.sum(x, axis=0), mask=mask)


@triton.jit
def pointer_to_pointers_by_cast(x_ptr, y_ptr, output_ptr, n, long_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    pointer = tl.load(long_ptr).to(tl.pointer_type(tl.float32))
    if n < 0:
        tl.store(output_ptr + offsets, tl.load(pointer), mask=mask)


@triton.jit
def scalar_load_as_a_bound(x_ptr, y_ptr, output_ptr, n, index_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    stop = tl.load(index_ptr + 1)
    for i in range(stop):
        x = x + 1
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def scalar_load_as_a_condition(x_ptr, y_ptr, output_ptr, n, index_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if tl.load(index_ptr + tl.program_id(0)) > 5:
        x = x + 1
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def block_load_as_a_bound(x_ptr, y_ptr, output_ptr, n, index_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    stop = tl.load(index_ptr + offsets)
    for i in range(stop):
        x = x + 1
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def float_load_as_a_bound(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    stop = tl.load(y_ptr)
    for i in range(stop):
        x = x + 1
    tl.store(output_ptr + offsets, x, mask=mask)
