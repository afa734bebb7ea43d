"""Loops: `for` over ranges and other things, `while`, ways out of them, and what changes from one turn to the next."""

import triton
import triton.language as tl


@triton.jit
def for_range_down(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(4, 0, -1):
        x = x * 2 + i
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
def for_range_index_after_the_loop(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(4):
        x = x + i
    tl.store(output_ptr + offsets, x + i, mask=mask)


@triton.jit
def while_on_a_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    while x > 1:
        x = x / 2
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
def loop_carries_a_literal(x_ptr, y_ptr, output_ptr, n, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    factor = 1
    for i in range(count):
        factor = factor * 2
    tl.store(output_ptr + offsets, x * factor, mask=mask)


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
def nested_loops(x_ptr, y_ptr, output_ptr, n, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    for i in range(count):
        for j in range(i, count):
            x = x + i * j
    tl.store(output_ptr + offsets, x, mask=mask)
