"""Where names live and what numbers are: in the compiler often other than in Python."""

import triton
import triton.language as tl

SEVEN = tl.constexpr(7)


@triton.jit
def literal():
    return -7


@triton.jit
def literal_in_branches(k):
    if k > 1:
        return -7
    else:
        return 5


@triton.jit
def index_defined_before_the_loop(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    i = 10
    for i in range(4):
        x = x + i
    tl.store(output_ptr + offsets, x + i, mask=mask)


@triton.jit
def index_after_a_runtime_loop(x_ptr, y_ptr, output_ptr, n, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(count):
        x = x + 1
    tl.store(output_ptr + offsets, x + i, mask=mask)


@triton.jit
def index_defined_before_a_loop_that_never_runs(x_ptr, y_ptr, output_ptr, n, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    i = 10
    for i in range(count, 0):
        x = x + 1
    tl.store(output_ptr + offsets, x + i, mask=mask)


@triton.jit
def argument_after_the_loop_that_shadows_it(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for n in range(4):
        x = x + 1
    tl.store(output_ptr + offsets, x + n, mask=mask)


@triton.jit
def same_index_in_nested_loops(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(2):
        for i in range(3):
            x = x + i
        x = x + 10 * i
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def static_loop_with_else(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in tl.static_range(3):
        x = x + i
    else:
        x = x * 2
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def while_with_a_walrus(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    k = 0
    while (k := k + 1) < 5:
        x = x + 1
    tl.store(output_ptr + offsets, x + k, mask=mask)


@triton.jit
def negative_step_in_a_variable(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    step = -1
    for i in range(4, 0, step):
        x = x * 2 + i
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def negative_step_of_an_argument(x_ptr, y_ptr, output_ptr, n, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(10, 0, -count):
        x = x * 2 + i
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def step_of_zero(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, ZERO: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(0, 4, ZERO):
        x = x + i
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def bound_changes_inside_the_loop(x_ptr, y_ptr, output_ptr, n, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(count):
        count = count + 1
        x = x + 1
    tl.store(output_ptr + offsets, x + count, mask=mask)


@triton.jit
def dtype_changes_in_a_branch(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    kind = tl.float16
    if n > 100:
        kind = tl.float32
    tl.store(output_ptr + offsets, (x * 1000.123).to(kind), mask=mask)


@triton.jit
def none_is_replaced_in_a_branch(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    extra = None
    if n > 100:
        extra = x
    if extra is not None:
        x = x + extra
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def global_constexpr_is_shadowed_in_a_branch(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if n > 100:
        SEVEN = 5
    tl.store(output_ptr + offsets, x * SEVEN, mask=mask)


@triton.jit
def builtin_is_shadowed_in_a_branch(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if n > 100:
        max = 5
    tl.store(output_ptr + offsets, x + max(n, 3), mask=mask)


@triton.jit
def annotated_int_as_a_shape(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    half: int = 16
    tl.store(output_ptr + offsets, x + tl.sum(tl.full((half,), 1.0, tl.float32), axis=0), mask=mask)


@triton.jit
def annotated_int_halved(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    k: int = -7
    tl.store(output_ptr + offsets, x + k // 2, mask=mask)


@triton.jit
def literal_halved(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + -7 // 2 + -7 % 4, mask=mask)


@triton.jit
def walrus_int_halved(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + (k := -7) // 2 + k % 4, mask=mask)


@triton.jit
def walrus_int_halved_after(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if (k := -7) < 0:
        x = x + k // 2
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def augmented_constexpr_halved(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FIVE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    FIVE -= 12
    tl.store(output_ptr + offsets, x + FIVE // 2 + FIVE % 4, mask=mask)


@triton.jit
def augmented_annotated_int_halved(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    k: tl.constexpr = 5
    k -= 12
    tl.store(output_ptr + offsets, x + k // 2, mask=mask)


@triton.jit
def list_of_ints_halved(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    parts = [1, -7]
    tl.store(output_ptr + offsets, x + parts[1] // 2, mask=mask)


@triton.jit
def ternary_of_ints_halved(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + (-7 if n > 100 else 5) // 2, mask=mask)


@triton.jit
def function_returns_literals_in_branches_halved(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + literal_in_branches(n) // 2, mask=mask)


@triton.jit
def function_returns_a_literal_cast(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + literal().to(tl.float32), mask=mask)


@triton.jit
def function_returns_a_literal_as_a_shape(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + tl.sum(tl.full((-literal() + 1,), 1.0, tl.float32), axis=0), mask=mask)


@triton.jit
def shape_halved(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + -x.shape[0] // 7, mask=mask)


@triton.jit
def invert_of_a_boolean_constexpr(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FLAG: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x, mask=mask & ~FLAG)


@triton.jit
def assert_on_scalar_that_fails(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    assert n < 0, "n is not negative"
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def device_assert_that_fails(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.device_assert(n < 0, "n is not negative")
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def assume_that_fails(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.assume(n < 0)
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def float_to_integer_out_of_range(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, (x * 1e10).to(tl.int32), mask=mask)


@triton.jit
def negative_float_to_unsigned(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, (x - 100).to(tl.uint32), mask=mask)


@triton.jit
def string_changes_in_a_branch(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    name = tl.constexpr("add")
    if n > 100:
        name = tl.constexpr("mul")
    if name == "add":
        x = x + 1
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def int_and_program_id_in_branches(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if n > 100:
        k = tl.program_id(0)
    else:
        k = 0
    tl.store(output_ptr + offsets, x + k, mask=mask)


@triton.jit
def mask_true_and_block_in_branches(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if n > 100:
        keep = offsets < 50
    else:
        keep = True
    tl.store(output_ptr + offsets, x, mask=mask & keep)


@triton.jit
def store_inside_a_condition_of_the_program(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if tl.program_id(0) == 0:
        tl.store(output_ptr, tl.sum(x, axis=0))
