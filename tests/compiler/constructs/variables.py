"""Names: assignment in all its forms, annotations, tuples, constexpr values that are made and changed."""

import triton
import triton.language as tl


@triton.jit
def reassigned_with_another_type(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    x = x.to(tl.int32)
    x = x + 0.5
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def reassigned_with_another_shape(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    total = x
    total = tl.sum(total, axis=0)
    tl.store(output_ptr + offsets, x - total, mask=mask)


@triton.jit
def augmented_assignments(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    x += 1
    x -= 2
    x *= 3
    x /= 4
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def augmented_integer_assignments(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    at = offsets
    at //= 2
    at %= 7
    at <<= 3
    at >>= 1
    at |= 1
    at &= 29
    at ^= 2
    tl.store(output_ptr + offsets, at, mask=mask)


@triton.jit
def augmented_power(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    x **= 2
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def augmented_matmul(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    block = tl.reshape(x, (8, 8))
    block @= block
    tl.store(output_ptr + offsets, tl.reshape(block, (64,)), mask=mask)


@triton.jit
def augmented_assignment_of_an_undefined_name(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    total += x
    tl.store(output_ptr + offsets, total, mask=mask)


@triton.jit
def undefined_name(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * factor, mask=mask)


@triton.jit
def misspelled_function(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.exponent(x), mask=mask)


@triton.jit
def misspelled_method(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x.summ(axis=0), mask=mask)


@triton.jit
def missing_attribute_of_a_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * x.size, mask=mask)


@triton.jit
def shape_of_a_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * x.shape[0], mask=mask)


@triton.jit
def numel_of_a_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * x.numel, mask=mask)


@triton.jit
def dtype_of_a_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, (x * 2).to(x.dtype), mask=mask)


@triton.jit
def dtype_of_a_pointer(x_ptr, y_ptr, output_ptr, n, half_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(half_ptr + offsets, x.to(half_ptr.dtype.element_ty), mask=mask)


@triton.jit
def type_of_a_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x.to(x.type.scalar), mask=mask)


@triton.jit
def T_of_a_matrix(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.reshape(tl.reshape(x, (8, 8)).T, (64,)), mask=mask)


@triton.jit
def assignment_to_a_subscript(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    x[0] = 1.0
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def assignment_to_a_slice(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    x[0:2] = 1.0
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def assignment_to_an_attribute(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    x.scale = 2.0
    tl.store(output_ptr + offsets, x * x.scale, mask=mask)


@triton.jit
def assignment_through_a_pointer(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    output_ptr[offsets] = x


@triton.jit
def read_through_a_pointer(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x_ptr[offsets], mask=mask)


@triton.jit
def multiple_targets(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    a = b = x + 1
    tl.store(output_ptr + offsets, a + b, mask=mask)


@triton.jit
def tuple_unpacking(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    a, b = x, y
    tl.store(output_ptr + offsets, a - b, mask=mask)


@triton.jit
def list_unpacking(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    [a, b] = x, y
    tl.store(output_ptr + offsets, a - b, mask=mask)


@triton.jit
def nested_unpacking(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    (a, (b, c)) = (x, (y, 2.0))
    tl.store(output_ptr + offsets, a - b * c, mask=mask)


@triton.jit
def starred_unpacking(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    a, *rest = (x, y, x)
    tl.store(output_ptr + offsets, a - rest[0], mask=mask)


@triton.jit
def unpacking_too_few(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    a, b, c = x, y
    tl.store(output_ptr + offsets, a - b, mask=mask)


@triton.jit
def unpacking_a_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    a, b = x
    tl.store(output_ptr + offsets, a - b, mask=mask)


@triton.jit
def unpacking_a_pair_argument(x_ptr, y_ptr, output_ptr, n, pair, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    a, b = pair
    tl.store(output_ptr + offsets, x * a + b, mask=mask)


@triton.jit
def index_of_a_pair_argument(x_ptr, y_ptr, output_ptr, n, pair, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * pair[0] + pair[1], mask=mask)


@triton.jit
def unpacking_a_shape(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    rows, cols = tl.reshape(x, (4, 16)).shape
    tl.store(output_ptr + offsets, x * rows + cols, mask=mask)


@triton.jit
def tuple_of_blocks(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    both = (x, y)
    tl.store(output_ptr + offsets, both[0] + both[1], mask=mask)


@triton.jit
def tuple_with_a_negative_index(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    both = (x, y)
    tl.store(output_ptr + offsets, both[-1], mask=mask)


@triton.jit
def tuple_with_a_runtime_index(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    both = (x, y)
    tl.store(output_ptr + offsets, both[tl.program_id(0)], mask=mask)


@triton.jit
def tuple_slice(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    three = (x, y, x)
    a, b = three[1:]
    tl.store(output_ptr + offsets, a - b, mask=mask)


@triton.jit
def tuple_concatenation(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    three = (x, y) + (x,)
    tl.store(output_ptr + offsets, three[2], mask=mask)


@triton.jit
def tuple_repetition(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    three = (x,) * 3
    tl.store(output_ptr + offsets, three[2], mask=mask)


@triton.jit
def tuple_index_out_of_range(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    both = (x, y)
    tl.store(output_ptr + offsets, both[2], mask=mask)


@triton.jit
def tuple_comparison(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if (1, 2) == (1, 2):
        x = x + 1
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def tuple_comprehension_in_tuple_call(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    a, b = tuple(v * 2 for v in (x, y))
    tl.store(output_ptr + offsets, a - b, mask=mask)


@triton.jit
def list_of_blocks(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    both = [x, y]
    tl.store(output_ptr + offsets, both[0] + both[1], mask=mask)


@triton.jit
def list_comprehension(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    parts = [x * i for i in (1, 2, 3)]
    tl.store(output_ptr + offsets, parts[0] + parts[2], mask=mask)


@triton.jit
def list_comprehension_over_range(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    parts = [x * i for i in range(3)]
    tl.store(output_ptr + offsets, parts[0] + parts[2], mask=mask)


@triton.jit
def list_comprehension_with_condition(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    parts = [x * i for i in (1, 2, 3) if i != 2]
    tl.store(output_ptr + offsets, parts[0] + parts[1], mask=mask)


@triton.jit
def dict_literal(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    both = {"x": x, "y": y}
    tl.store(output_ptr + offsets, both["x"] + both["y"], mask=mask)


@triton.jit
def dict_comprehension(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    parts = {i: x * i for i in (1, 2)}
    tl.store(output_ptr + offsets, parts[1] + parts[2], mask=mask)


@triton.jit
def set_literal(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if 2 in {1, 2}:
        x = x + 1
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def sum_of_a_list(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    tl.store(output_ptr + offsets, sum([x, y]), mask=mask)


@triton.jit
def walrus_in_a_condition(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if (total := tl.sum(x, axis=0)) > 0:
        x = x - total
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def walrus_in_a_call(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, (z := x * 2), mask=mask)


@triton.jit
def walrus_used_after(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = (z := x * 2) + 1
    tl.store(output_ptr + offsets, y + z, mask=mask)


@triton.jit
def del_of_a_name(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    z = x * 2
    del z
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def del_then_use(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    z = x * 2
    del z
    tl.store(output_ptr + offsets, z, mask=mask)


@triton.jit
def unused_names(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    unused = x * 2
    also_unused = 7
    nothing = None
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def unused_block_with_a_mistake(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    unused = x + tl.arange(0, 32)
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def semicolons(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    a = x * 2; b = a + 1
    tl.store(output_ptr + offsets, b, mask=mask)


@triton.jit
def docstring_first(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    """Doubles what it is given."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * 2, mask=mask)


@triton.jit
def docstring_in_the_middle(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    """The result is stored next."""
    tl.store(output_ptr + offsets, x * 2, mask=mask)


@triton.jit
def ellipsis_statement(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    ...
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def expression_statement(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    x + 1
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def name_as_a_statement(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    x
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def number_as_a_statement(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    42
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def type_comment(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    factor = 2  # type: int
    tl.store(output_ptr + offsets, x * factor, mask=mask)


@triton.jit
def annotated_int(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    factor: int = 2
    tl.store(output_ptr + offsets, x * factor, mask=mask)


@triton.jit
def annotated_dtype(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    factor: tl.float32 = 2
    tl.store(output_ptr + offsets, x * factor, mask=mask)


@triton.jit
def annotation_without_a_value(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    factor: tl.constexpr
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def annotated_constexpr(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    half: tl.constexpr = BLOCK // 2
    tl.store(output_ptr + offsets, x + tl.sum(tl.full((half,), 1.0, tl.float32), axis=0), mask=mask)


@triton.jit
def annotated_constexpr_twice(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    half: tl.constexpr = BLOCK // 2
    half: tl.constexpr = BLOCK // 4
    tl.store(output_ptr + offsets, x * half, mask=mask)


@triton.jit
def annotated_constexpr_of_a_runtime_value(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    size: tl.constexpr = n // 2
    tl.store(output_ptr + offsets, x * size, mask=mask)


@triton.jit
def annotated_constexpr_of_a_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    size: tl.constexpr = x * 2
    tl.store(output_ptr + offsets, size, mask=mask)


@triton.jit
def unannotated_constant_as_a_shape(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    half = BLOCK // 2
    tl.store(output_ptr + offsets, x + tl.sum(tl.full((half,), 1.0, tl.float32), axis=0), mask=mask)


@triton.jit
def literal_as_a_shape(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    size = 16
    tl.store(output_ptr + offsets, x + tl.sum(tl.full((size,), 1.0, tl.float32), axis=0), mask=mask)


@triton.jit
def constexpr_reassigned(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    BLOCK = 32
    tl.store(output_ptr + offsets, x * BLOCK, mask=mask)


@triton.jit
def constexpr_augmented(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    BLOCK *= 2
    tl.store(output_ptr + offsets, x * BLOCK, mask=mask)


@triton.jit
def constexpr_augmented_then_a_shape(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FOUR: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    FOUR *= 2
    tl.store(output_ptr + offsets, x + tl.sum(tl.full((FOUR,), 1.0, tl.float32), axis=0), mask=mask)


@triton.jit
def constexpr_value(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FIVE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * FIVE.value, mask=mask)


@triton.jit
def constexpr_call(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    size = tl.constexpr(8)
    tl.store(output_ptr + offsets, x + tl.sum(tl.full((size,), 1.0, tl.float32), axis=0), mask=mask)


@triton.jit
def constexpr_arithmetic(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FIVE: tl.constexpr, FOUR: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * (FIVE // FOUR + FIVE % FOUR + FIVE ** 2 - FOUR / 8 + (FIVE << 1) + (FIVE & 1) + (FIVE | 8) + -FIVE), mask=mask)


@triton.jit
def constexpr_boolean_arithmetic(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FLAG: tl.constexpr, OFF: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * (FLAG + 1) + (not OFF) + (FLAG and not OFF), mask=mask)


@triton.jit
def constexpr_divided_by_zero(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FIVE: tl.constexpr, ZERO: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * (FIVE // ZERO), mask=mask)


@triton.jit
def literal_divided_by_zero(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + 1 // 0, mask=mask)


@triton.jit
def constexpr_float(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, HALF: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * HALF + offsets * HALF, mask=mask)


@triton.jit
def constexpr_in_a_string_annotation(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FACTOR: "tl.constexpr" = 3):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * FACTOR, mask=mask)


@triton.jit
def constexpr_string_from_ternary(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FLAG: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    name = "add" if FLAG else "mul"
    if name == "add":
        x = x + 1
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def argument_reassigned(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    n = n - 100
    tl.store(output_ptr + offsets, x, mask=offsets < n)


@triton.jit
def pointer_reassigned(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x_ptr += offsets
    output_ptr += offsets
    tl.store(output_ptr, tl.load(x_ptr, mask=mask), mask=mask)


@triton.jit
def shadowed_builtin(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    max = tl.max(x, axis=0)
    tl.store(output_ptr + offsets, x - max, mask=mask)


@triton.jit
def shadowed_range(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    range = tl.arange(0, BLOCK)
    tl.store(output_ptr + offsets, x + range, mask=mask)


@triton.jit
def shadowed_module(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl_ = tl
    tl.store(output_ptr + offsets, tl_.exp(x * 0.01), mask=mask)


@triton.jit
def name_with_two_underscores(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    __total = tl.sum(x, axis=0)
    tl.store(output_ptr + offsets, x - __total, mask=mask)


@triton.jit
def name_of_a_python_function(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    sum = tl.sum(x, axis=0)
    len = BLOCK
    tl.store(output_ptr + offsets, x - sum / len, mask=mask)


@triton.jit
def unicode_names(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    größe = x * 2
    tl.store(output_ptr + offsets, größe, mask=mask)


@triton.jit
def power_of_a_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x ** 2, mask=mask)


@triton.jit
def power_of_a_block_by_a_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    tl.store(output_ptr + offsets, x ** y, mask=mask)


@triton.jit
def matmul_operator(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    block = tl.reshape(x, (8, 8))
    tl.store(output_ptr + offsets, tl.reshape(block @ block, (64,)), mask=mask)


@triton.jit
def unary_operators(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, -x + +x - (~offsets), mask=mask)


@triton.jit
def invert_of_a_float(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, ~x, mask=mask)


@triton.jit
def invert_of_a_mask(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x, mask=mask & ~(x > 0))


@triton.jit
def shift_of_a_float(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x << 1, mask=mask)


@triton.jit
def modulo_of_floats(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    tl.store(output_ptr + offsets, x % y, mask=mask)


@triton.jit
def floor_division_of_floats(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    tl.store(output_ptr + offsets, x // y, mask=mask)


@triton.jit
def floor_division_of_negative_integers(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, (offsets - 100) // 7, mask=mask)


@triton.jit
def modulo_of_negative_integers(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, (offsets - 100) % 7, mask=mask)


@triton.jit
def reversed_operands(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, 1 - x + 2 / (x * x + 1) + 10 // (offsets + 1) + 10 % (offsets + 1), mask=mask)
