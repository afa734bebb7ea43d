"""Branches: on constants, on scalars and on blocks, and what they leave behind."""

import triton
import triton.language as tl


@triton.jit
def if_on_runtime_scalar(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if n > 100:
        x = x * 2
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def if_on_program_id(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if tl.program_id(0) == 0:
        x = x + 1
    elif tl.program_id(0) == 1:
        x = x + 2
    else:
        x = x + 3
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def if_on_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if x > 0:
        tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def if_on_block_else(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if x > 0:
        y = x
    else:
        y = -x
    tl.store(output_ptr + offsets, y, mask=mask)


@triton.jit
def if_on_block_of_one_element(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    first = tl.load(x_ptr + tl.arange(0, 1))
    if first < 0:
        tl.store(output_ptr + tl.arange(0, 1), first)


@triton.jit
def ternary_on_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = x if x > 0 else 0.0
    tl.store(output_ptr + offsets, y, mask=mask)


@triton.jit
def ternary_on_scalar(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    pid = tl.program_id(0)
    factor = 2.0 if pid > 1 else 3.0
    tl.store(output_ptr + offsets, x * factor, mask=mask)


@triton.jit
def ternary_of_int_and_float(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    pid = tl.program_id(0)
    factor = 1 if pid == 0 else 2.5
    tl.store(output_ptr + offsets, x * factor, mask=mask)


@triton.jit
def ternary_of_block_and_scalar(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    pid = tl.program_id(0)
    value = x if pid == 0 else 2.5
    tl.store(output_ptr + offsets, value, mask=mask)


@triton.jit
def ternary_on_constexpr_of_different_types(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FLAG: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    value = x if FLAG else None
    tl.store(output_ptr + offsets, value, mask=mask)


@triton.jit
def defined_in_one_branch(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if n > 100:
        factor = 2.0
    tl.store(output_ptr + offsets, x * factor, mask=mask)


@triton.jit
def defined_in_one_constexpr_branch(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FLAG: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if FLAG:
        factor = 2.0
    tl.store(output_ptr + offsets, x * factor, mask=mask)


@triton.jit
def defined_in_the_constexpr_branch_not_taken(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, OFF: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if OFF:
        factor = 2.0
    tl.store(output_ptr + offsets, x * factor, mask=mask)


@triton.jit
def defined_in_one_branch_and_used_there(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if n > 100:
        factor = 2.0
        x = x * factor
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def different_types_in_branches(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if tl.program_id(0) == 0:
        factor = 1
    else:
        factor = 2.5
    tl.store(output_ptr + offsets, x * factor, mask=mask)


@triton.jit
def different_shapes_in_branches(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if tl.program_id(0) == 0:
        value = tl.zeros((BLOCK,), tl.float32)
    else:
        value = 1.0
    tl.store(output_ptr + offsets, x + value, mask=mask)


@triton.jit
def type_changes_in_a_branch(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if n > 100:
        x = x.to(tl.float16)
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def type_changes_in_a_constexpr_branch(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FLAG: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if FLAG:
        x = x.to(tl.float16)
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def int_becomes_float_in_a_branch(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    factor = 1
    if n > 100:
        factor = 1.5
    tl.store(output_ptr + offsets, x * factor, mask=mask)


@triton.jit
def mask_becomes_narrower_in_a_branch(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if n > 100:
        mask = mask & (x > 0)
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def int_mask_in_a_branch(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    keep = mask
    if n > 100:
        keep = 1
    tl.store(output_ptr + offsets, x, mask=mask & keep)


@triton.jit
def early_return(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if tl.program_id(0) > 1:
        return
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def early_return_in_else(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if tl.program_id(0) > 1:
        tl.store(output_ptr + offsets, x, mask=mask)
    else:
        return
    tl.store(output_ptr + offsets, x + 1, mask=mask)


@triton.jit
def early_return_in_a_nested_if(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if n > 10:
        if tl.program_id(0) == 1:
            return
        x = x + 1
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
def return_of_a_value_from_a_kernel(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x, mask=mask)
    return x


@triton.jit
def return_none_from_a_kernel(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x, mask=mask)
    return None


@triton.jit
def code_after_return(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x, mask=mask)
    return
    tl.store(output_ptr + offsets, x + 1, mask=mask)


@triton.jit
def nested_ifs_on_scalars(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    pid = tl.program_id(0)
    if pid > 0:
        if pid > 1:
            if pid > 2:
                x = x * 4
            else:
                x = x * 3
        else:
            x = x * 2
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def if_and_of_scalars(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    pid = tl.program_id(0)
    if pid > 0 and pid < 3:
        x = x * 2
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def if_or_not_of_scalars(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    pid = tl.program_id(0)
    if pid == 0 or not pid < 3:
        x = x * 2
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def and_of_blocks(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    keep = mask and (x > 0)
    tl.store(output_ptr + offsets, x, mask=keep)


@triton.jit
def or_of_blocks(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    keep = (x > 10) or (x < -10)
    tl.store(output_ptr + offsets, x, mask=mask & keep)


@triton.jit
def and_of_floats(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    tl.store(output_ptr + offsets, x and y, mask=mask)


@triton.jit
def not_of_a_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x, mask=mask & (not (x > 0)))


@triton.jit
def three_parts_of_and(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x, mask=mask and x > 0 and x < 20)


@triton.jit
def mixed_and_or(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x, mask=mask and (x > 0 or x < -5))


@triton.jit
def mixed_and_or_without_brackets(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x, mask=mask and x > 0 or offsets == 3)


@triton.jit
def chained_comparison_of_blocks(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x, mask=0 <= offsets < n)


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
def chained_comparison_of_constants(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FIVE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if 0 < FIVE < 10:
        x = x * 2
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def bitwise_and_without_brackets(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x, mask=offsets < n & x > 0)


@triton.jit
def is_none(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, NONE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if NONE is None:
        x = x + 1
    if NONE is not None:
        x = x + NONE
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
def pointer_is_not_none(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if y_ptr is not None:
        x += tl.load(y_ptr + offsets, mask=mask)
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
def pointer_equals_none(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if y_ptr == None:
        x = x + 1
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def in_a_tuple(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, NAME: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if NAME in ("add", "mul"):
        x = x * 2
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def not_in_a_list(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, NAME: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if NAME not in ["add", "sub"]:
        x = x * 2
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def string_equals(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, NAME: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    if NAME == "add":
        x = x + y
    elif NAME == "mul":
        x = x * y
    else:
        tl.static_assert(False, "unknown operation")
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def match_statement(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FIVE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    match FIVE:
        case 5:
            x = x * 2
        case _:
            x = x * 3
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def try_statement(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    try:
        y = tl.load(y_ptr + offsets, mask=mask)
    except Exception:
        y = x
    tl.store(output_ptr + offsets, y, mask=mask)


@triton.jit
def raise_statement(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, OFF: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if OFF:
        raise ValueError("never")
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def raise_statement_on_scalar(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if n < 0:
        raise ValueError("n is negative")
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def assert_on_scalar(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    assert n > 0, "n must be positive"
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def assert_on_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    assert offsets >= 0
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def assert_on_constexpr(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FIVE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    assert FIVE == 5
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
def static_assert_that_fails(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.static_assert(BLOCK >= 128, "too small")
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def static_assert_on_runtime_value(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.static_assert(n > 0)
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def device_assert_with_mask(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.device_assert(x < 1000, "too large", mask=mask)
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def assume_before_use(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    tl.assume(n > 0)
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def pass_in_branches(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if n > 5:
        pass
    else:
        x = x + 1
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def ellipsis_in_a_branch(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if n > 5:
        ...
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def float_as_condition(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    first = tl.load(x_ptr)
    if first:
        x = x + 1
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def int_as_condition(x_ptr, y_ptr, output_ptr, n, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if count:
        x = x + count
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


@triton.jit
def constexpr_is_true(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FLAG: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if FLAG is True:
        x = x + 1
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def constexpr_equals_true(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FLAG: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if FLAG == True:
        x = x + 1
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def only_a_branch_stores(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if tl.program_id(0) % 2 == 0:
        tl.store(output_ptr + offsets, x, mask=mask)
    else:
        tl.store(output_ptr + offsets, -x, mask=mask)


@triton.jit
def swap_in_a_branch(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    if tl.program_id(0) == 1:
        x, y = y, x
    tl.store(output_ptr + offsets, x - y, mask=mask)


@triton.jit
def none_becomes_a_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    result = None
    if n > 5:
        result = x
    tl.store(output_ptr + offsets, result, mask=mask)


@triton.jit
def none_becomes_a_block_on_constexpr(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FLAG: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    result = None
    if FLAG:
        result = x
    tl.store(output_ptr + offsets, result, mask=mask)


@triton.jit
def tuple_in_branches(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=1.0)
    if tl.program_id(0) == 1:
        both = (x, y)
    else:
        both = (y, x)
    tl.store(output_ptr + offsets, both[0] - both[1], mask=mask)


@triton.jit
def mixed_condition_constexpr_and_scalar(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, FLAG: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if FLAG and tl.program_id(0) == 1:
        x = x + 1
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def mixed_condition_false_constexpr_first(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, OFF: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if OFF and undefined_name > 1:
        x = x + 1
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def reduced_condition(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if tl.sum(x, axis=0) > 0:
        x = x * 2
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def any_of_a_block(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if tl.max((x > 70).to(tl.int32), axis=0):
        x = x * 2
    tl.store(output_ptr + offsets, x, mask=mask)
