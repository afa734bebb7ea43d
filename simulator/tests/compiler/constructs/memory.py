"""Memory: pointers, masks, loads and stores, block pointers, descriptors, atomics."""

import triton
import triton.language as tl


@triton.jit
def load_of_offsets_alone(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, tl.load(offsets, mask=mask), mask=mask)


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
def load_with_a_wider_mask(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, tl.load(x_ptr + tl.program_id(0), mask=mask, other=0.0), mask=mask)


@triton.jit
def load_with_a_python_mask(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets % n, mask=True, other=0.0), mask=mask)


@triton.jit
def load_with_unknown_cache_modifier(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets, mask=mask, cache_modifier=".fast"), mask=mask)


@triton.jit
def indirect_load_of_float_indices(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.load(y_ptr + x, mask=mask), mask=mask)


@triton.jit
def store_of_a_block_to_a_scalar_pointer(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr, x)


@triton.jit
def store_of_another_shape(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + tl.arange(0, 32), x)


@triton.jit
def store_with_other(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x, mask=mask, other=0.0)


@triton.jit
def store_of_an_integer_to_floats(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, offsets, mask=mask)


@triton.jit
def pointer_plus_pointer(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, tl.load(x_ptr + y_ptr), mask=mask)


@triton.jit
def program_id_without_an_axis(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id() * BLOCK + tl.arange(0, BLOCK)
    tl.store(output_ptr + offsets, 1.0, mask=offsets < n)


@triton.jit
def program_id_of_a_fourth_axis(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(3) * BLOCK + tl.arange(0, BLOCK)
    tl.store(output_ptr + offsets, 1.0, mask=offsets < n)


@triton.jit
def num_programs_without_an_axis(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, tl.num_programs(), mask=mask)


@triton.jit
def block_pointer(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    pointer = tl.make_block_ptr(x_ptr, (n,), (1,), (tl.program_id(0) * BLOCK,), (BLOCK,), (0,))
    to = tl.make_block_ptr(output_ptr, (n,), (1,), (tl.program_id(0) * BLOCK,), (BLOCK,), (0,))
    x = tl.load(pointer, boundary_check=(0,), padding_option="zero")
    tl.store(to, x * 2, boundary_check=(0,))


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
def boundary_check_of_a_plain_pointer(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets, boundary_check=(0,)), mask=mask)


@triton.jit
def descriptor_with_a_last_stride_argument_of_one(x_ptr, y_ptr, output_ptr, n, one, BLOCK: tl.constexpr):
    rows = tl.make_tensor_descriptor(x_ptr, shape=[12, 16], strides=[16, one], block_shape=[4, 16])
    tl.store(output_ptr, tl.sum(rows.load([0, 0])))


@triton.jit
def descriptor_of_too_narrow_blocks(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    rows = tl.make_tensor_descriptor(x_ptr, shape=[50, 4], strides=[4, 1], block_shape=[4, 2])
    tl.store(output_ptr, tl.sum(rows.load([0, 0])))


@triton.jit
def atomic_add_of_bytes(x_ptr, y_ptr, output_ptr, n, byte_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.atomic_add(byte_ptr + offsets, 1, mask=mask)


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
def atomic_cas_with_a_mask(x_ptr, y_ptr, output_ptr, n, lock_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.atomic_cas(lock_ptr + offsets, 0, 1, mask=mask)


@triton.jit
def atomic_add_with_unknown_semantics(x_ptr, y_ptr, output_ptr, n, lock_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.atomic_add(lock_ptr, 1, sem="strict")


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
def clock_of_the_gpu(x_ptr, y_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    start = tl.extra.cuda.globaltimer()
    tl.store(output_ptr + offsets, x + (start * 0).to(tl.float32), mask=mask)
