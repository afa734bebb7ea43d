"""Where blocks of descriptors may start: as TMA takes them on an H100, by Triton 3.6."""

from __future__ import annotations

import pytest
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

SIZE, BLOCK = 32, 16


@triton.jit
def loads(tile, block_ptr, row, column, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(block_ptr + at[:, None] * BLOCK + at[None, :], tile.load([row, column]))


@triton.jit
def stores(tile, block_ptr, row, column, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tile.store([row, column], tl.load(block_ptr + at[:, None] * BLOCK + at[None, :]))


@triton.jit
def adds(tile, block_ptr, row, column, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tile.atomic_add([row, column], tl.load(block_ptr + at[:, None] * BLOCK + at[None, :]))


def _run(kernel: triton.JITFunction, row: int, column: int, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    """The matrix and the block afterwards, and whether what is outside the matrix was left alone."""
    matrix = torch.arange(SIZE * SIZE).reshape(SIZE, SIZE).to(dtype)
    block = torch.full((BLOCK, BLOCK), -9, dtype=dtype)
    kernel[(1,)](TensorDescriptor.from_tensor(matrix, [BLOCK, BLOCK]), block, row, column, BLOCK)
    return matrix, block


def _padded(row: int, column: int, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    """The matrix, and its block that starts here, a view: zeros outside."""
    padded = torch.zeros(3 * SIZE, 3 * SIZE, dtype=dtype)
    padded[SIZE : 2 * SIZE, SIZE : 2 * SIZE] = torch.arange(SIZE * SIZE).reshape(SIZE, SIZE)
    matrix = padded[SIZE : 2 * SIZE, SIZE : 2 * SIZE]
    return matrix, padded[SIZE + row : SIZE + row + BLOCK, SIZE + column : SIZE + column + BLOCK]


EITHER = [(0, 0), (1, 0), (17, 0), (27, 0), (27, 24), (0, 8), (0, 40), (40, 0)]
NEGATIVE = [(-1, 0), (-16, 0), (0, -8), (0, -16), (-3, -8)]
UNALIGNED = [(0, 1), (0, -1), (-3, -3), (27, 30), (0, -17)]
DTYPES = [torch.float32, torch.float16]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("start", [*EITHER, *NEGATIVE], ids=str)
def test_a_load_gives_zeros_outside_the_tensor(start: tuple[int, int], dtype: torch.dtype) -> None:
    _, block = _run(loads, *start, dtype)
    assert torch.equal(block, _padded(*start, dtype)[1])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("start", EITHER, ids=str)
def test_a_store_leaves_out_what_is_outside_the_tensor(start: tuple[int, int], dtype: torch.dtype) -> None:
    for kernel, before in ((stores, 0), (adds, 1)):
        expected, part = _padded(*start, dtype)
        part *= before
        part -= 9
        matrix, _ = _run(kernel, *start, dtype)
        assert torch.equal(matrix, expected)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("start", UNALIGNED, ids=str)
@pytest.mark.parametrize("kernel", [loads, stores, adds])
def test_a_start_that_is_no_multiple_of_16_bytes_is_refused(
    kernel: triton.JITFunction, start: tuple[int, int], dtype: torch.dtype
) -> None:
    with pytest.raises(Exception, match="multiple of 16 bytes along its last axis"):
        _run(kernel, *start, dtype)


@pytest.mark.parametrize("start", NEGATIVE, ids=str)
@pytest.mark.parametrize("kernel", [stores, adds])
def test_a_store_with_a_negative_start_is_refused(kernel: triton.JITFunction, start: tuple[int, int]) -> None:
    with pytest.raises(Exception, match="cannot store to a block with a negative start"):
        _run(kernel, *start, torch.float32)


OPERATIONS = {
    "add": torch.add,
    "min": torch.minimum,
    "max": torch.maximum,
    "and": torch.bitwise_and,
    "or": torch.bitwise_or,
    "xor": torch.bitwise_xor,
}
INTEGERS = (torch.int32, torch.int64)
REDUCED = {
    "add": (torch.int32, torch.float32, torch.float16, torch.bfloat16),
    **dict.fromkeys(("min", "max"), (*INTEGERS, torch.float16, torch.bfloat16)),
    **dict.fromkeys(("and", "or", "xor"), INTEGERS),
}
"""Types that a GPU of compute capability 9.0 reduces; torch computes with few unsigned ones."""


@triton.jit
def reduces(tile, block_ptr, KIND: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    block = tl.load(block_ptr + at[:, None] * BLOCK + at[None, :])
    if KIND == "add":
        tile.atomic_add([0, 0], block)
    elif KIND == "min":
        tile.atomic_min([0, 0], block)
    elif KIND == "max":
        tile.atomic_max([0, 0], block)
    elif KIND == "and":
        tile.atomic_and([0, 0], block)
    elif KIND == "or":
        tile.atomic_or([0, 0], block)
    else:
        tile.atomic_xor([0, 0], block)


@pytest.mark.parametrize(("kind", "dtype"), [(kind, dtype) for kind in REDUCED for dtype in REDUCED[kind]], ids=str)
def test_a_descriptor_reduces_its_block(kind: str, dtype: torch.dtype) -> None:
    matrix = (torch.arange(BLOCK * BLOCK).reshape(BLOCK, BLOCK) % 37 - 18).to(dtype)
    block = (torch.arange(BLOCK * BLOCK).reshape(BLOCK, BLOCK) % 23 - 11).to(dtype)
    expected = OPERATIONS[kind](matrix, block)
    reduces[(1,)](TensorDescriptor.from_tensor(matrix, [BLOCK, BLOCK]), block, kind, BLOCK)
    assert torch.equal(matrix, expected)
