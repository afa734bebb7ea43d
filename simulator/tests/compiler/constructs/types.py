"""Types: casts, promotion, and functions that want a type."""

import triton
import triton.language as tl


@triton.jit
def cast_to_a_python_type(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x.to(float), mask=mask)


@triton.jit
def cast_to_a_dtype_argument(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, DTYPE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x.to(DTYPE), mask=mask)


@triton.jit
def cast_to_the_output_pointer_type(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x.to(output_ptr.dtype), mask=mask)


@triton.jit
def cast_to_type_element_ty(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x.to(output_ptr.type.element_ty), mask=mask)


@triton.jit
def cast_to_unsigned(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, offsets.to(tl.uint32) - 100, mask=mask)


@triton.jit
def cast_to_fp8e4(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, (x * 0.1).to(tl.float8e4nv).to(tl.float32), mask=mask)


@triton.jit
def cast_with_unknown_rounding(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x.to(tl.bfloat16, fp_downcast_rounding="up"), mask=mask)


@triton.jit
def cast_of_a_pointer(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    pointer = x_ptr.to(tl.pointer_type(tl.int32))
    tl.store(output_ptr + offsets, tl.load(pointer + offsets, mask=mask, other=0), mask=mask)


@triton.jit
def bitcast_to_another_width(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x.to(tl.int16, bitcast=True), mask=mask)


@triton.jit
def to_tensor_of_a_literal(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * tl.to_tensor(2.0), mask=mask)


@triton.jit
def tl_tensor_by_hand(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + tl.tensor(2.0, tl.float32), mask=mask)


@triton.jit
def half_plus_float(x_ptr, y_ptr, output_ptr, n, half_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + tl.load(half_ptr + offsets, mask=mask), mask=mask)


@triton.jit
def unsigned_divided_by_signed(x_ptr, y_ptr, output_ptr, n, ubyte_ptr, byte_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.load(ubyte_ptr + offsets, mask=mask) // (tl.load(byte_ptr + offsets, mask=mask) | 1), mask=mask)


@triton.jit
def long_plus_int(x_ptr, y_ptr, output_ptr, n, long_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.load(long_ptr + offsets, mask=mask) + offsets, mask=mask)


@triton.jit
def fp8e4_loaded(x_ptr, y_ptr, output_ptr, n, e4_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.load(e4_ptr + offsets, mask=mask).to(tl.float32), mask=mask)


@triton.jit
def exp_as_a_method(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, (x * 0.01).exp(), mask=mask)


@triton.jit
def sqrt_of_a_runtime_scalar(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * tl.sqrt(n.to(tl.float32)), mask=mask)


@triton.jit
def sqrt_of_an_int_argument(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * tl.sqrt(n), mask=mask)


@triton.jit
def relu_of_the_language(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.relu(x), mask=mask)


@triton.jit
def clamp(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.clamp(x, -1.0, 1.0), mask=mask)


@triton.jit
def cdiv_of_blocks(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.cdiv(offsets, 7), mask=mask)


@triton.jit
def dtype_is_floating(x_ptr, y_ptr, output_ptr, n, half_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if half_ptr.dtype.element_ty.is_floating():
        x = x + 1
    tl.store(output_ptr + offsets, x, mask=mask)


@triton.jit
def dtype_value_of_a_constexpr(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr, DTYPE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x.to(DTYPE.value), mask=mask)


@triton.jit
def int_argument_that_is_one_as_a_shape(x_ptr, y_ptr, output_ptr, n, one, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x + tl.zeros((one,), tl.float32), mask=mask)


@triton.jit
def comparison_of_int_and_float(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x, mask=mask & (offsets > 3.5))
