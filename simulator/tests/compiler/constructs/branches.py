"""Branches: on constants, on scalars and on blocks, and what they leave behind."""

import triton
import triton.language as tl


@triton.jit
def defined_in_one_constexpr_branch(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FLAG: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if FLAG:
        factor = 2.0
    tl.store(output_ptr + offsets, x * factor, mask=mask)


@triton.jit
def type_changes_in_a_constexpr_branch(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FLAG: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if FLAG:
        x = x.to(tl.float16)
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def early_return_on_constexpr(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FLAG: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x, mask=mask)
    if FLAG:
        return
    tl.store(output_ptr + offsets, x + 1, mask=mask)


@triton.jit
def return_on_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if mask.to(tl.int1):
        return
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def chained_comparison_of_scalars(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    pid = tl.program_id(0)
    if 0 < pid < 3:
        x = x * 2
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def none_argument_is_none(x_ptr, y_ptr, output_ptr, n, none, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if none is None:
        x = x + 1
    else:
        x += tl.load(none + offsets, mask=mask)
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def pointer_as_condition(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if y_ptr:
        x += tl.load(y_ptr + offsets, mask=mask)
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def assert_on_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    assert offsets >= 0
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def assert_on_wrong_constexpr(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FIVE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    assert FIVE == 4, "must be four"
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def static_assert_that_holds(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FIVE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.static_assert(FIVE > 4, "too small")
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def bool_argument_as_condition(x_ptr, y_ptr, output_ptr, n, flag, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if flag:
        x = x + 1
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def bool_argument_is_true(x_ptr, y_ptr, output_ptr, n, flag, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if flag is True:
        x = x + 1
    tl.store(output_ptr + offsets, x, mask=mask)
