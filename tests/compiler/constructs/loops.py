"""Loops: `for` over ranges and other things, `while`, ways out of them, and what changes from one turn to the next."""

import triton
import triton.language as tl

STEPS = tl.constexpr(3)


@triton.jit
def for_range_constant(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(4):
        x = x + i
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def for_range_runtime(x_ptr, y_ptr, output_ptr, n, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(count):
        x = x + i
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def for_range_two_bounds_and_step(x_ptr, y_ptr, output_ptr, n, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(count, n, 50):
        x = x + i
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def for_range_down(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(4, 0, -1):
        x = x * 2 + i
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def for_range_down_to_a_runtime_bound(x_ptr, y_ptr, output_ptr, n, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(10, count, -2):
        x = x * 2 + i
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def for_range_with_float_bound(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(0, 4.0):
        x = x + i
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def for_range_with_divided_bound(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(n / BLOCK):
        x = x + i
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def for_range_over_a_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(offsets):
        x = x + i
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def for_range_keyword(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(0, 4, step=2):
        x = x + i
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def for_tl_range(x_ptr, y_ptr, output_ptr, n, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in tl.range(count):
        x = x + i
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def for_tl_range_with_options(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in tl.range(0, n, BLOCK, num_stages=3):
        x += tl.load(y_ptr + i + tl.arange(0, BLOCK), mask=i + tl.arange(0, BLOCK) < n, other=0.0)
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def for_tl_range_unrolled(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in tl.range(0, 4, loop_unroll_factor=2):
        x = x + i
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def for_tl_range_flattened(x_ptr, y_ptr, output_ptr, n, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in tl.range(0, count, flatten=True):
        for j in range(2):
            x = x + i * j
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def for_tl_range_unknown_option(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in tl.range(0, 4, unroll=2):
        x = x + i
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def for_static_range(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in tl.static_range(3):
        x = x + i
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def for_static_range_runtime_bound(x_ptr, y_ptr, output_ptr, n, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in tl.static_range(count):
        x = x + i
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def for_static_range_constexpr_use(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in tl.static_range(1, 4):
        x = x + tl.sum(tl.full((2 ** i,), 1.0, tl.float32), axis=0)
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def for_range_index_as_constexpr(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(1, 4):
        x = x + tl.sum(tl.full((2 ** i,), 1.0, tl.float32), axis=0)
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def for_range_global_constexpr(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(STEPS):
        x = x + i
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def for_range_index_after_the_loop(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(4):
        x = x + i
    tl.store(output_ptr + offsets, x + i, mask=mask)


@triton.jit
def for_static_range_index_after_the_loop(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in tl.static_range(4):
        x = x + i
    tl.store(output_ptr + offsets, x + i, mask=mask)


@triton.jit
def for_else(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(4):
        x = x + i
    else:
        x = x * 2
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def for_over_a_tuple(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for factor in (1.0, 2.0, 3.0):
        x = x * factor
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def for_over_a_list(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for factor in [1, 2, 3]:
        x = x * factor
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def for_over_a_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    total = 0.0
    for value in x:
        total += value
    tl.store(output_ptr + offsets, x + total, mask=mask)


@triton.jit
def for_over_enumerate(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    for i, value in enumerate((x, y)):
        x = x + value * i
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def for_over_zip(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    for a, b in zip((x, y), (1.0, 2.0)):
        x = x + a * b
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def for_over_reversed(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in reversed(range(4)):
        x = x * 2 + i
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def for_over_static_range_of_a_tuple(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    both = (x, y)
    total = tl.zeros((BLOCK,), tl.float32)
    for i in tl.static_range(len(both)):
        total += both[i]
    tl.store(output_ptr + offsets, total, mask=mask)


@triton.jit
def for_break(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(4):
        if i == 2:
            break
        x = x + i
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def for_break_on_data(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(4):
        if tl.sum(x, axis=0) > 1000:
            break
        x = x * 2
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def for_continue(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(4):
        if i % 2 == 0:
            continue
        x = x + i
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def for_static_range_break(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in tl.static_range(4):
        if i == 2:
            break
        x = x + i
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def for_static_range_continue(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in tl.static_range(4):
        if i == 2:
            continue
        x = x + i
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def while_break(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    i = 0
    while True:
        if i >= 4:
            break
        x = x + i
        i += 1
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def while_continue(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    i = 0
    while i < 4:
        i += 1
        if i == 2:
            continue
        x = x + i
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def while_on_runtime_scalar(x_ptr, y_ptr, output_ptr, n, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    i = 0
    while i < count:
        x = x + i
        i += 1
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def while_on_program_id(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    i = tl.program_id(0)
    while i > 0:
        x = x * 2
        i -= 1
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def while_on_two_conditions(x_ptr, y_ptr, output_ptr, n, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    i = 0
    while i < count and tl.sum(x, axis=0) < 1e6:
        x = x + 100
        i += 1
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def while_on_a_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    while x > 1:
        x = x / 2
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def while_on_a_sum(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    while tl.max(x, axis=0) > 4.0:
        x = x / 2
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def while_else(x_ptr, y_ptr, output_ptr, n, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    i = 0
    while i < count:
        x = x + i
        i += 1
    else:
        x = x * 2
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def while_true_without_an_end(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x, mask=mask)
    while False:
        x = x + 1


@triton.jit
def while_never(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    i = 5
    while i < 4:
        x = x + 1
        i += 1
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def return_in_a_for(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(4):
        if i == 2:
            return
        tl.store(output_ptr + offsets, x + i, mask=mask)


@triton.jit
def return_in_a_while(x_ptr, y_ptr, output_ptr, n, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    i = 0
    while i < count:
        tl.store(output_ptr + offsets, x + i, mask=mask)
        if i == 1:
            return
        i += 1


@triton.jit
def loop_changes_int_to_float(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    total = 0
    for i in range(4):
        total += 0.5
    tl.store(output_ptr + offsets, x + total, mask=mask)


@triton.jit
def loop_changes_scalar_to_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    total = 0.0
    for i in range(4):
        total += x
    tl.store(output_ptr + offsets, total, mask=mask)


@triton.jit
def loop_changes_block_to_wider(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    total = tl.zeros((1,), tl.float32)
    for i in range(4):
        total = total + x
    tl.store(output_ptr + offsets, total, mask=mask)


@triton.jit
def loop_changes_half_to_float(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    total = tl.zeros((BLOCK,), tl.float16)
    for i in range(4):
        total += x
    tl.store(output_ptr + offsets, total, mask=mask)


@triton.jit
def loop_changes_float_to_half(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(4):
        x = (x * 0.5).to(tl.float16)
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def loop_changes_int32_to_int64(x_ptr, y_ptr, output_ptr, n, big, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    total = 0
    for i in range(4):
        total += big
    tl.store(output_ptr + offsets, x + total % 7, mask=mask)


@triton.jit
def loop_changes_none_to_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    total = None
    for i in range(4):
        total = x + i
    tl.store(output_ptr + offsets, total, mask=mask)


@triton.jit
def static_loop_changes_type(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    total = 0
    for i in tl.static_range(4):
        total = total + x
    tl.store(output_ptr + offsets, total, mask=mask)


@triton.jit
def loop_carries_a_literal(x_ptr, y_ptr, output_ptr, n, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    factor = 1
    for i in range(count):
        factor = factor * 2
    tl.store(output_ptr + offsets, x * factor, mask=mask)


@triton.jit
def loop_carries_a_float_literal(x_ptr, y_ptr, output_ptr, n, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    best = -float("inf")
    for i in range(count):
        best = tl.maximum(best, tl.max(x, axis=0) - i)
    tl.store(output_ptr + offsets, x - best, mask=mask)


@triton.jit
def loop_carries_infinity(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    best = float("-inf")
    for i in range(4):
        best = tl.maximum(best, x)
    tl.store(output_ptr + offsets, best, mask=mask)


@triton.jit
def loop_carries_constexpr_argument(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FIVE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(4):
        FIVE = FIVE + 1
    tl.store(output_ptr + offsets, x * FIVE, mask=mask)


@triton.jit
def loop_carries_annotated_constexpr(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    factor: tl.constexpr = 1
    for i in range(4):
        factor = factor + 1
    tl.store(output_ptr + offsets, x * factor, mask=mask)


@triton.jit
def loop_carries_annotated_constexpr_again(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(4):
        factor: tl.constexpr = 2
        x = x * factor
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def static_loop_with_annotated_constexpr(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in tl.static_range(4):
        factor: tl.constexpr = i + 1
        x = x * factor
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def loop_carries_pointers(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    pointers = y_ptr + tl.arange(0, BLOCK)
    for i in range(3):
        x += tl.load(pointers)
        pointers += BLOCK
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def loop_carries_a_scalar_pointer(x_ptr, y_ptr, output_ptr, n, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    pointer = y_ptr
    for i in range(count):
        x += tl.load(pointer)
        pointer += 1
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def loop_carries_a_mask(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    keep = mask
    for i in range(3):
        keep = keep & (x > i)
    tl.store(output_ptr + offsets, x, mask=keep)


@triton.jit
def loop_carries_true(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    keep = True
    for i in range(3):
        keep = keep & (i < 5)
    tl.store(output_ptr + offsets, x, mask=mask & keep)


@triton.jit
def loop_carries_a_tuple(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    both = (x, y)
    for i in range(3):
        both = (both[1], both[0] + 1)
    tl.store(output_ptr + offsets, both[0] - both[1], mask=mask)


@triton.jit
def loop_carries_a_list(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    both = [x, y]
    for i in tl.static_range(2):
        both[i] = both[i] + 1
    tl.store(output_ptr + offsets, both[0] - both[1], mask=mask)


@triton.jit
def loop_appends_to_a_list(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    parts = []
    for i in tl.static_range(2):
        parts.append(x + i)
    tl.store(output_ptr + offsets, parts[0] + parts[1], mask=mask)


@triton.jit
def loop_swaps(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    for i in range(3):
        x, y = y, x
    tl.store(output_ptr + offsets, x - y, mask=mask)


@triton.jit
def defined_in_a_loop_and_used_after(x_ptr, y_ptr, output_ptr, n, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(count):
        last = x + i
    tl.store(output_ptr + offsets, last, mask=mask)


@triton.jit
def defined_in_a_constant_loop_and_used_after(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(3):
        last = x + i
    tl.store(output_ptr + offsets, last, mask=mask)


@triton.jit
def defined_in_a_static_loop_and_used_after(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in tl.static_range(3):
        last = x + i
    tl.store(output_ptr + offsets, last, mask=mask)


@triton.jit
def defined_in_a_while_and_used_after(x_ptr, y_ptr, output_ptr, n, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    i = 0
    while i < count:
        last = x + i
        i += 1
    tl.store(output_ptr + offsets, last, mask=mask)


@triton.jit
def loop_index_is_assigned(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(4):
        i = i * 2
        x = x + i
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def loop_index_shadows_an_argument(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for n in range(4):
        x = x + n
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def loop_index_is_an_underscore(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for _ in range(4):
        x = x * 0.5
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def loop_index_is_cast(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(4):
        x = x + i.to(tl.float32) * 0.5
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def loop_index_divided(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(4):
        x = x + i / 2 + (i - 3) // 2 + (i - 3) % 2
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def nested_loops(x_ptr, y_ptr, output_ptr, n, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(count):
        for j in range(i, count):
            x = x + i * j
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def loop_with_scalar_loads(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    for i in range(BLOCK):
        if start + i < n:
            tl.store(output_ptr + start + i, tl.load(x_ptr + start + i) + tl.load(y_ptr + start + i))


@triton.jit
def grid_stride_loop(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    for start in range(tl.program_id(0) * BLOCK, n, tl.num_programs(0) * BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        mask = offsets < n
        x = tl.load(x_ptr + offsets, mask=mask)
        tl.store(output_ptr + offsets, x * 2, mask=mask)


@triton.jit
def loop_with_constexpr_condition(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FLAG: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(4):
        if FLAG:
            x = x + i
        else:
            y = x
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def loop_with_num_stages_keyword(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(0, 4, num_stages=2):
        x = x + i
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def loop_assigns_a_type(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, DTYPE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(2):
        kind = DTYPE
        x = x + x.to(kind)
    tl.store(output_ptr + offsets, x, mask=mask)
