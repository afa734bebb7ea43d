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
def dtype_of_a_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, (x * 2).to(x.dtype), mask=mask)


@triton.jit
def assignment_to_a_slice(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    x[0:2] = 1.0
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def tuple_with_a_runtime_index(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    both = (x, y)
    tl.store(output_ptr + offsets, both[tl.program_id(0)], mask=mask)


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
def list_comprehension_with_condition(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    parts = [x * i for i in (1, 2, 3) if i != 2]
    tl.store(output_ptr + offsets, parts[0] + parts[1], mask=mask)


@triton.jit
def dict_comprehension(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    parts = {i: x * i for i in (1, 2)}
    tl.store(output_ptr + offsets, parts[1] + parts[2], mask=mask)


@triton.jit
def walrus_in_a_condition(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if (total := tl.sum(x, axis=0)) > 0:
        x = x - total
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def docstring_first(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    """Doubles what it is given."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * 2, mask=mask)


@triton.jit
def expression_statement(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    x + 1
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def number_as_a_statement(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    42
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def annotated_int(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    factor: int = 2
    tl.store(output_ptr + offsets, x * factor, mask=mask)


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
def literal_divided_by_zero(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + 1 // 0, mask=mask)


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
def invert_of_a_float(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, ~x, mask=mask)


@triton.jit
def shift_of_a_float(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x << 1, mask=mask)


@triton.jit
def floor_division_of_floats(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    tl.store(output_ptr + offsets, x // y, mask=mask)
