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
def halves(k):
    return k // 2


@triton.jit
def as_float(k):
    return k.to(tl.float32)


@triton.jit
def assigned_then_halved(k):
    half = k
    return half // 2


@triton.jit
def remainder(k, by: tl.constexpr = 4):
    return k % by


@triton.jit
def with_default(x, k=-7):
    return x + k // 2


@triton.jit
def returns_a_tuple():
    return -7, 5


@triton.jit
def returns_none_or_block(x, use: tl.constexpr):
    if use:
        return x
    return None


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
def same_index_in_two_loops(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(2):
        x = x + i
    for i in range(3):
        x = x * 2 + i
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def index_changed_inside_the_loop(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(4):
        x = x + i
        i += 10
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def static_index_of_an_outer_loop(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in tl.static_range(2):
        for j in tl.static_range(i + 1):
            x = x + i * j + 1
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
def static_loop_that_returns(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in tl.static_range(4):
        tl.store(output_ptr + offsets, x + i, mask=mask)
        if i == 2:
            return


@triton.jit
def loop_that_returns_on_constexpr(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FLAG: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(4):
        tl.store(output_ptr + offsets, x + i, mask=mask)
        if FLAG:
            return


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
def dtype_in_both_branches(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if n > 100:
        kind = tl.float32
    else:
        kind = tl.float16
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
def none_is_replaced_in_a_loop(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    last = None
    for i in range(3):
        if last is not None:
            x = x + last
        last = i
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def block_becomes_none_in_a_branch(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    extra = x
    if n > 100:
        extra = None
    if extra is None:
        x = x + 1
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
def constexpr_argument_changes_in_a_branch(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FIVE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if n > 100:
        FIVE = 6
    tl.store(output_ptr + offsets, x * FIVE, mask=mask)


@triton.jit
def constexpr_changes_in_a_constexpr_branch(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FIVE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if FIVE > 4:
        FIVE = 6
    tl.store(output_ptr + offsets, x * FIVE, mask=mask)


@triton.jit
def same_condition_twice(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if n > 100:
        factor = 2.0
    if n > 100:
        x = x * factor
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def defined_in_a_branch_of_the_loop(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(3):
        if i == 0:
            factor = 2.0
        x = x * factor
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def defined_in_an_earlier_turn(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(3):
        if i > 0:
            x = x + last
        last = i
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def defined_in_nested_branches(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if n > 100:
        if n > 150:
            factor = 2.0
        else:
            factor = 3.0
    else:
        factor = 4.0
    tl.store(output_ptr + offsets, x * factor, mask=mask)


@triton.jit
def defined_before_a_return_in_a_branch(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if n < 100:
        return
    else:
        factor = 2.0
    tl.store(output_ptr + offsets, x * factor, mask=mask)


@triton.jit
def defined_where_the_other_branch_returns(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if n > 100:
        factor = 2.0
    else:
        return
    tl.store(output_ptr + offsets, x * factor, mask=mask)


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
def annotated_float_that_is_an_int(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    k: tl.float32 = 7
    tl.store(output_ptr + offsets, x + k // 2, mask=mask)


@triton.jit
def assigned_int_halved(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    k = -7
    tl.store(output_ptr + offsets, x + k // 2 + k % 4, mask=mask)


@triton.jit
def constexpr_int_halved(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    k: tl.constexpr = -7
    tl.store(output_ptr + offsets, x + k // 2 + k % 4, mask=mask)


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
def tuple_of_ints_halved(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    parts = (1, -7)
    tl.store(output_ptr + offsets, x + parts[1] // 2, mask=mask)


@triton.jit
def tuple_literal_halved(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + (1, -7)[1] // 2, mask=mask)


@triton.jit
def unpacked_ints_halved(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    a, b = 1, -7
    tl.store(output_ptr + offsets, x + b // 2, mask=mask)


@triton.jit
def comprehension_of_ints_halved(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    parts = [k // 2 for k in (1, -7)]
    tl.store(output_ptr + offsets, x + parts[1], mask=mask)


@triton.jit
def constexpr_pair_halved(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, NUMBERS: tl.constexpr = (1, -7)):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + NUMBERS[1] // 2, mask=mask)


@triton.jit
def ternary_of_ints_halved(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + (-7 if n > 100 else 5) // 2, mask=mask)


@triton.jit
def ternary_on_constexpr_halved(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FLAG: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + (-7 if FLAG else 5) // 2, mask=mask)


@triton.jit
def minimum_of_ints_halved(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + min(-7, 5) // 2, mask=mask)


@triton.jit
def minimum_of_the_language_halved(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + tl.minimum(-7, 5) // 2, mask=mask)


@triton.jit
def maximum_of_int_and_float_scalars(x_ptr, y_ptr, output_ptr, n, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + max(count, 2.5) / 2, mask=mask)


@triton.jit
def maximum_of_int_and_float_halved(x_ptr, y_ptr, output_ptr, n, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + max(count, 2.5) // 2, mask=mask)


@triton.jit
def function_returns_a_literal_halved(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + literal() // 2, mask=mask)


@triton.jit
def function_returns_literals_in_branches_halved(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + literal_in_branches(n) // 2, mask=mask)


@triton.jit
def function_returns_literals_in_branches_cast(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + literal_in_branches(n).to(tl.float32), mask=mask)


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
def function_halves_a_literal(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + halves(-7), mask=mask)


@triton.jit
def function_halves_an_assigned_literal(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + assigned_then_halved(-7), mask=mask)


@triton.jit
def function_casts_a_literal(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + as_float(7), mask=mask)


@triton.jit
def function_casts_an_argument(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + as_float(n), mask=mask)


@triton.jit
def function_takes_the_remainder(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + remainder(-7) + remainder(tl.program_id(0) - 7), mask=mask)


@triton.jit
def function_default_is_halved(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, with_default(x), mask=mask)


@triton.jit
def function_returns_a_tuple_of_literals(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    a, b = returns_a_tuple()
    tl.store(output_ptr + offsets, x + a // 2 + b, mask=mask)


@triton.jit
def function_returns_a_tuple_of_literals_indexed(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + returns_a_tuple()[0] // 2, mask=mask)


@triton.jit
def function_returns_none_or_a_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, OFF: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    extra = returns_none_or_block(x, OFF)
    if extra is not None:
        x = x + extra
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def shape_halved(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + -x.shape[0] // 7, mask=mask)


@triton.jit
def program_id_halved(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + (tl.program_id(0) - 7) // 2 + (tl.program_id(0) - 7) % 4, mask=mask)


@triton.jit
def loop_index_halved(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(-7, -4):
        x = x + i // 2 + i % 4
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def static_index_halved(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in tl.static_range(-7, -4):
        x = x + i // 2 + i % 4
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def argument_halved(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + (n - 207) // 2 + (n - 207) % 4, mask=mask)


@triton.jit
def and_of_constexprs(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FIVE: tl.constexpr, FOUR: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * (FIVE and FOUR), mask=mask)


@triton.jit
def or_of_constexprs(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, ZERO: tl.constexpr, FOUR: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * (ZERO or FOUR), mask=mask)


@triton.jit
def or_as_a_default(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, NONE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * (NONE or 2.0), mask=mask)


@triton.jit
def not_of_an_integer_constexpr(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FIVE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + (not FIVE), mask=mask)


@triton.jit
def invert_of_a_boolean_constexpr(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FLAG: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x, mask=mask & ~FLAG)


@triton.jit
def not_of_a_boolean_constexpr_in_a_mask(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FLAG: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x, mask=mask & (not FLAG))


@triton.jit
def and_of_integers(x_ptr, y_ptr, output_ptr, n, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + (n and count), mask=mask)


@triton.jit
def or_of_integers(x_ptr, y_ptr, output_ptr, n, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + (count or n), mask=mask)


@triton.jit
def not_of_an_integer_argument(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + (not n), mask=mask)


@triton.jit
def not_of_an_integer_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + (not offsets), mask=mask)


@triton.jit
def condition_with_a_side_effect_on_the_right(x_ptr, y_ptr, output_ptr, n, lock_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if n < 0 and tl.atomic_add(lock_ptr + tl.program_id(0), 1) == 0:
        x = x + 1
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def ternary_with_loads_on_both_sides(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask) if n > 100 else tl.load(y_ptr + offsets, mask=mask)
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def ternary_with_out_of_range_load(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    extra = tl.load(y_ptr + tl.program_id(0)) if tl.program_id(0) < 3 else 0.0
    tl.store(output_ptr + offsets, x + extra, mask=mask)


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
def integer_overflow(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, (offsets + 2000000000) * 2, mask=mask)


@triton.jit
def integer_overflow_in_a_loop(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    total = 1
    for i in range(40):
        total = total * 31 + i
    tl.store(output_ptr + offsets, x + total % 1000, mask=mask)


@triton.jit
def integer_overflow_of_an_argument(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + (n * 100000000) % 1000, mask=mask)


@triton.jit
def literal_that_does_not_fit_in_32_bits(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    k = 2147483648
    tl.store(output_ptr + offsets, x + k % 1000, mask=mask)


@triton.jit
def literal_product_that_does_not_fit(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + (65536 * 65536) % 1000, mask=mask)


@triton.jit
def assigned_product_that_does_not_fit(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    k = 65536
    tl.store(output_ptr + offsets, x + (k * k) % 1000, mask=mask)


@triton.jit
def byte_overflow(x_ptr, y_ptr, output_ptr, n, byte_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    b = tl.load(byte_ptr + offsets, mask=mask, other=0)
    b += 120
    tl.store(output_ptr + offsets, b, mask=mask)


@triton.jit
def half_overflow(x_ptr, y_ptr, output_ptr, n, half_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    h = tl.load(half_ptr + offsets, mask=mask, other=0)
    tl.store(output_ptr + offsets, h * 10000, mask=mask)


@triton.jit
def float_to_integer_out_of_range(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, (x * 1e10).to(tl.int32), mask=mask)


@triton.jit
def float_to_byte_out_of_range(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, (x * 10).to(tl.int8), mask=mask)


@triton.jit
def negative_float_to_unsigned(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, (x - 100).to(tl.uint32), mask=mask)


@triton.jit
def float_literal_in_a_half_expression(x_ptr, y_ptr, output_ptr, n, half_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    h = tl.load(half_ptr + offsets, mask=mask, other=0)
    tl.store(output_ptr + offsets, h + 2049.0, mask=mask)


@triton.jit
def float_variable_in_a_half_expression(x_ptr, y_ptr, output_ptr, n, half_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    h = tl.load(half_ptr + offsets, mask=mask, other=0)
    k = 2049.0
    tl.store(output_ptr + offsets, h + k, mask=mask)


@triton.jit
def float_literal_precision(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * 0 + (0.1 + 0.2) * 1e8, mask=mask)


@triton.jit
def float_variable_precision(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    a = 16777216.0
    tl.store(output_ptr + offsets, x * 0 + (a + 1.0), mask=mask)


@triton.jit
def float_constexpr_precision(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * 0 + (16777216.0 + 1.0 - 16777216.0), mask=mask)


@triton.jit
def int_argument_times_float_precision(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * 0 + n * 0.1, mask=mask)


@triton.jit
def mean_of_an_integer_sum(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + tl.sum(offsets, axis=0) / BLOCK, mask=mask)


@triton.jit
def tuple_assigned_in_a_branch(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    pair = (1, 2)
    if n > 100:
        pair = (3, 4)
    tl.store(output_ptr + offsets, x * pair[0] + pair[1], mask=mask)


@triton.jit
def tuple_of_other_length_in_a_branch(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    pair = (1, 2)
    if n > 100:
        pair = (3, 4, 5)
    tl.store(output_ptr + offsets, x * pair[0], mask=mask)


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
def function_changes_in_a_branch(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if n > 100:
        f = tl.exp
    else:
        f = tl.log
    tl.store(output_ptr + offsets, f(x * 0.01), mask=mask)


@triton.jit
def pointer_changes_in_a_branch(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    pointer = x_ptr
    if tl.program_id(0) == 1:
        pointer = y_ptr
    tl.store(output_ptr + offsets, tl.load(pointer + offsets, mask=mask), mask=mask)


@triton.jit
def pointer_of_another_type_in_a_branch(x_ptr, y_ptr, output_ptr, n, half_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    pointer = x_ptr
    if tl.program_id(0) == 1:
        pointer = half_ptr
    tl.store(output_ptr + offsets, tl.load(pointer + offsets, mask=mask), mask=mask)


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


@triton.jit
def unreachable_after_constexpr_return(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FLAG: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x, mask=mask)
    if FLAG:
        return
    undefined_function(x)


@triton.jit
def unreachable_with_a_wrong_type(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, OFF: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if OFF:
        x = x + "text"
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def unreachable_with_an_unsupported_statement(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, OFF: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if OFF:
        for part in [1, 2]:
            break
    tl.store(output_ptr + offsets, x, mask=mask)
