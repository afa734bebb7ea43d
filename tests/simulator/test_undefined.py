"""What depends on a value that nothing defined shows as NaN, or as an absurd number; what does not, is what it is."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import triton
import triton.language as tl

from triton_workshop.simulator import MemoryFaults

N = 10  # of 16


def run(kernel: Any, n: int = N) -> torch.Tensor:
    out = torch.zeros(16)
    kernel[(1,)](torch.arange(1, 17, dtype=torch.float32), torch.arange(16, dtype=torch.int32), out, n)
    return out


@triton.jit
def total(x_ptr, index_ptr, out_ptr, n):
    offsets = tl.arange(0, 16)
    tl.store(out_ptr, tl.sum(tl.load(x_ptr + offsets, mask=offsets < n)))


@triton.jit
def maximum(x_ptr, index_ptr, out_ptr, n):
    offsets = tl.arange(0, 16)
    tl.store(out_ptr, tl.max(tl.load(x_ptr + offsets, mask=offsets < n), 0))


@triton.jit
def relu(x_ptr, index_ptr, out_ptr, n):
    offsets = tl.arange(0, 16)
    tl.store(out_ptr + offsets, tl.maximum(tl.load(x_ptr + offsets, mask=offsets < n), 0))


@triton.jit
def stores_where_an_undefined_value_is_positive(x_ptr, index_ptr, out_ptr, n):
    offsets = tl.arange(0, 16)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(out_ptr + offsets, x, mask=x > 100.0)


@triton.jit
def stores_a_constant_where_an_undefined_value_is_positive(x_ptr, index_ptr, out_ptr, n):
    offsets = tl.arange(0, 16)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(out_ptr + offsets, 1.0, mask=x > 100.0)


@triton.jit
def adds_where_an_undefined_value_is_positive(x_ptr, index_ptr, out_ptr, n):
    offsets = tl.arange(0, 16)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.atomic_add(out_ptr + offsets, 1.0, mask=x > 100.0)


@triton.jit
def loads_at_an_undefined_index(x_ptr, index_ptr, out_ptr, n):
    offsets = tl.arange(0, 16)
    index = tl.load(index_ptr + offsets, mask=offsets < n)
    tl.store(out_ptr + offsets, tl.load(x_ptr + (index & 15)))


@triton.jit
def loads_where_an_undefined_value_says_so(x_ptr, index_ptr, out_ptr, n):
    offsets = tl.arange(0, 16)
    index = tl.load(index_ptr + offsets, mask=offsets < n)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=index > 1000, other=0.0))


@triton.jit
def stores_at_an_undefined_index(x_ptr, index_ptr, out_ptr, n):
    offsets = tl.arange(0, 16)
    index = tl.load(index_ptr + offsets, mask=offsets < n)
    tl.store(out_ptr + (index & 15), 1.0, mask=offsets >= n)


@triton.jit
def or_with_an_undefined_value(x_ptr, index_ptr, out_ptr, n):
    offsets = tl.arange(0, 16)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(out_ptr + offsets, 1.0, mask=(x > 0.0) | (offsets < n))


UNDEFINED = (
    total, maximum, relu, stores_where_an_undefined_value_is_positive,
    stores_a_constant_where_an_undefined_value_is_positive, adds_where_an_undefined_value_is_positive,
    loads_at_an_undefined_index, loads_where_an_undefined_value_says_so, stores_at_an_undefined_index,
    or_with_an_undefined_value,
)  # fmt: skip


@pytest.mark.parametrize("kernel", UNDEFINED, ids=lambda kernel: kernel.fn.__name__)
def test_what_depends_on_an_undefined_value_shows_as_nan(kernel: Any) -> None:
    assert run(kernel).isnan().any()


@pytest.mark.parametrize("kernel", UNDEFINED, ids=lambda kernel: kernel.fn.__name__)
def test_with_all_elements_loaded_nothing_is_undefined(kernel: Any) -> None:
    assert not run(kernel, 16).isnan().any()


@triton.jit
def a_mask_that_decides_alone(x_ptr, index_ptr, out_ptr, n):
    offsets = tl.arange(0, 16)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(out_ptr + offsets, x, mask=(x > 0.0) & (offsets < n))


@triton.jit
def an_alternative_that_decides_alone(x_ptr, index_ptr, out_ptr, n):
    offsets = tl.arange(0, 16)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(out_ptr + offsets, 1.0, mask=(x <= 0.0) | (offsets < n) | (offsets >= n))


@triton.jit
def an_index_used_under_the_mask_that_it_was_loaded_with(x_ptr, index_ptr, out_ptr, n):
    offsets = tl.arange(0, 16)
    index = tl.load(index_ptr + offsets, mask=offsets < n)
    x = tl.load(x_ptr + index, mask=offsets < n, other=0.0)
    tl.store(out_ptr + index, x, mask=offsets < n)
    tl.atomic_add(out_ptr + index, tl.sum(x) * 0.0, mask=offsets < n)


@triton.jit
def a_choice_that_leaves_it_out(x_ptr, index_ptr, out_ptr, n):
    offsets = tl.arange(0, 16)
    x = tl.where(offsets < n, tl.load(x_ptr + offsets, mask=offsets < n), 0.0)
    tl.store(out_ptr + offsets, tl.maximum(x, tl.max(x, 0)), mask=x >= 0.0)


DEFINED = (
    a_mask_that_decides_alone,
    an_alternative_that_decides_alone,
    an_index_used_under_the_mask_that_it_was_loaded_with,
    a_choice_that_leaves_it_out,
)


@pytest.mark.parametrize("kernel", DEFINED, ids=lambda kernel: kernel.fn.__name__)
def test_what_does_not_depend_on_one_is_what_it_is(kernel: Any) -> None:
    out = run(kernel)
    assert not out.isnan().any()
    assert (out != 0).sum() >= N


@triton.jit
def looks_up_without_a_mask(x_ptr, index_ptr, out_ptr, n):
    offsets = tl.arange(0, 16)
    index = tl.load(index_ptr + offsets, mask=offsets < n)
    tl.store(out_ptr + offsets, tl.load(x_ptr + index))


def test_an_undefined_index_is_outside() -> None:
    with pytest.raises(MemoryFaults, match=r"x_ptr"):
        run(looks_up_without_a_mask)


@triton.jit
def whole_total(x_ptr, out_ptr, n):
    tl.store(out_ptr, tl.sum(tl.load(x_ptr + tl.arange(0, 16), mask=tl.arange(0, 16) < n)))


def test_an_undefined_integer_is_absurd() -> None:
    out = torch.zeros(1, dtype=torch.int32)
    whole_total[(1,)](torch.arange(16, dtype=torch.int32), out, 15)
    assert abs(int(out)) > 10**6


@triton.jit
def product_of_two_undefined_blocks(x_ptr, out_ptr, n):
    rows, inner = tl.arange(0, 16), tl.arange(0, 32)
    a = tl.load(x_ptr + rows[:, None] + inner[None, :], mask=rows[:, None] < n)
    b = tl.load(x_ptr + inner[:, None] + rows[None, :], mask=rows[None, :] < n)
    tl.store(out_ptr + rows[:, None] * 16 + rows[None, :], tl.dot(a, b))


def test_an_undefined_element_spoils_its_row_and_its_column_of_a_product() -> None:
    out = torch.zeros(16, 16)
    product_of_two_undefined_blocks[(1,)](torch.rand(64), out, N)
    defined = out.isfinite() & (out.abs() < 1e6)
    assert defined[:N, :N].all()
    assert not defined[N:].any()
    assert not defined[:, N:].any()
