"""What depends on a value that nothing defined shows as NaN, or as an absurd number; what does not, is what it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import triton
import triton.language as tl

from triton_simulator import Fault, KernelFaults, UndefinedResult, record

from .executors import upstream

pytestmark = pytest.mark.filterwarnings("ignore::triton_simulator.UndefinedResult")

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


@triton.jit
def stores_what_an_undefined_value_chooses(x_ptr, index_ptr, out_ptr, n):
    offsets = tl.arange(0, 16)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(out_ptr + offsets, tl.sqrt(tl.where(x > 0.0, 1.0, 4.0)))


@triton.jit
def adds_what_an_undefined_value_chooses(x_ptr, index_ptr, out_ptr, n):
    offsets = tl.arange(0, 16)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.atomic_add(out_ptr + offsets, tl.where(x > 0.0, 1.0, 4.0))


UNDEFINED = (
    total, maximum, relu, stores_where_an_undefined_value_is_positive,
    stores_a_constant_where_an_undefined_value_is_positive, adds_where_an_undefined_value_is_positive,
    loads_at_an_undefined_index, loads_where_an_undefined_value_says_so, stores_at_an_undefined_index,
    or_with_an_undefined_value, stores_what_an_undefined_value_chooses, adds_what_an_undefined_value_chooses,
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
    with pytest.raises(KernelFaults, match=r"x_ptr"):
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


# What is said about it


@triton.jit
def dot_product(x_ptr, y_ptr, out_ptr, n):
    at = tl.program_id(0) * 8 + tl.arange(0, 8)
    x = tl.load(x_ptr + at, mask=at < n)  # LEFT OUT
    y = tl.load(y_ptr + at, mask=at < n, other=0.0)
    tl.store(out_ptr + tl.program_id(0), tl.sum(x * y))


@triton.jit
def matrix_product(x_ptr, y_ptr, out_ptr, n):
    rows = tl.arange(0, 16)
    inside = rows < n
    x = tl.load(x_ptr + rows[:, None] * 16 + rows[None, :], mask=inside[None, :])  # LEFT OUT
    y = tl.load(y_ptr + rows[:, None] * 16 + rows[None, :], mask=inside[:, None], other=0.0)
    tl.store(out_ptr + rows[:, None] * 16 + rows[None, :], tl.dot(x, y))


@triton.jit
def running_sum_from_the_end(x_ptr, y_ptr, out_ptr, n):
    at = tl.arange(0, 16)
    x = tl.load(x_ptr + at, mask=at < n)  # LEFT OUT
    tl.store(out_ptr + at, tl.cumsum(x, 0, reverse=True), mask=at < n)


@triton.jit
def largest_of_integers(x_ptr, y_ptr, out_ptr, n):
    at = tl.arange(0, 16)
    x = tl.load(x_ptr + at, mask=at < n).to(tl.int32)  # LEFT OUT
    tl.store(out_ptr, tl.max(x, 0))


@triton.jit
def a_sum_that_is_added_atomically(x_ptr, y_ptr, out_ptr, n):
    at = tl.program_id(0) * 8 + tl.arange(0, 8)
    x = tl.load(x_ptr + at, mask=at < n)  # LEFT OUT
    tl.atomic_add(out_ptr, tl.sum(x))


COMBINED = (
    dot_product, matrix_product, running_sum_from_the_end, largest_of_integers, a_sum_that_is_added_atomically
)  # fmt: skip


def launch(kernel: Any, n: int = N) -> torch.Tensor:
    out = torch.zeros(16, 16)
    kernel[(2,)](torch.ones(16, 16), torch.ones(16, 16), out, n)
    return out


@pytest.mark.parametrize("kernel", COMBINED, ids=lambda kernel: kernel.fn.__name__)
def test_the_load_is_named_that_a_stored_result_comes_from(kernel: Any) -> None:
    with record() as launches:
        launch(kernel)
    (told,) = {fault.load: fault for fault in launches[0].undefined}.values()
    assert launches[0].faults == ()
    assert told.load is not None
    assert told.load.text.endswith("# LEFT OUT")
    assert (told.kind, told.argument, told.loaded) == ("undefined-result", "out_ptr", "x_ptr")
    with pytest.warns(UndefinedResult, match=r"undefined elements of x_ptr"):
        launch(kernel)


@pytest.mark.parametrize("kernel", COMBINED, ids=lambda kernel: kernel.fn.__name__)
def test_nothing_is_said_where_nothing_is_left_out(kernel: Any) -> None:
    with record(writes=True) as launches:
        launch(kernel, 16)
    assert launches[0].undefined == ()


@pytest.mark.parametrize("kernel", COMBINED, ids=lambda kernel: kernel.fn.__name__)
def test_the_switch_makes_it_zero(kernel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_SIMULATOR_UNDEFINED", "zero")
    with record(writes=True) as launches:
        ours = launch(kernel)
    assert launches[0].undefined == ()
    monkeypatch.delenv("TRITON_SIMULATOR_UNDEFINED")
    with upstream():  # which takes 0 too
        theirs = launch(kernel)
    torch.testing.assert_close(ours, theirs)


@triton.jit
def pads_with_what_nobody_reads(x_ptr, y_ptr, out_ptr, n):
    at = tl.arange(0, 16)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(out_ptr + at, x * 2 - tl.max(tl.where(at < n, x, 0.0), 0))


def test_padding_is_told_to_the_checker_only() -> None:
    with record() as launches:
        launch(pads_with_what_nobody_reads)
    assert launches[0].undefined == ()
    with record(writes=True) as launches:
        launch(pads_with_what_nobody_reads)
    assert [(told.index, told.last_index) for told in launches[0].undefined] == [(10, 15)]


@triton.jit
def branches_on_one_of_two(x_ptr, y_ptr, out_ptr, n):
    at = tl.arange(0, 16)
    y = tl.load(y_ptr + at, mask=at < 16)
    x = tl.load(x_ptr + at, mask=at < n)  # LEFT OUT
    if tl.sum(x * 2) > 3:
        tl.store(out_ptr + at, y)


def test_a_branch_names_the_load_too() -> None:
    with record() as launches:
        launch(branches_on_one_of_two)
    (fault,) = launches[0].faults
    assert fault.load is not None
    assert fault.load.text in fault.advice
    assert fault.load.text.endswith("# LEFT OUT")


@triton.jit
def sum_of_neighbours(x_ptr, y_ptr, out_ptr, n):
    at = tl.arange(0, 16)
    total = tl.load(x_ptr + at, mask=at < n, other=0.0)
    total += tl.load(x_ptr + at + 1, mask=at + 1 < n)  # LEFT OUT
    tl.store(out_ptr + at, total, mask=at < n)


def test_what_is_stored_under_a_mask_is_meant() -> None:
    with record() as launches:
        launch(sum_of_neighbours)
    (told,) = launches[0].undefined
    assert told.load is not None
    assert (told.index, told.last_index, told.load.text[-10:]) == (9, 9, "# LEFT OUT")


@triton.jit
def chooses_one_of_two(x_ptr, y_ptr, out_ptr, n):
    at = tl.arange(0, 16)
    x = tl.load(x_ptr + at, mask=at < n)
    y = tl.load(y_ptr + at, mask=at < n)  # LEFT OUT
    tl.store(out_ptr + at, tl.where(at < n, x, y), mask=at < 16)


@triton.jit
def stores_a_part_of_two(x_ptr, y_ptr, out_ptr, n):
    at = tl.arange(0, 16)
    x = tl.load(x_ptr + at, mask=at >= 2)
    y = tl.load(y_ptr + at, mask=at < n)  # LEFT OUT
    total = tl.reshape(x + y, (4, 4))
    tl.store(out_ptr + tl.reshape(at, (4, 4)), total, mask=tl.reshape(at, (4, 4)) >= 8)


@triton.jit
def sums_what_is_left_of_two(x_ptr, y_ptr, out_ptr, n):
    at = tl.arange(0, 16)
    x = tl.load(x_ptr + at, mask=at < n)
    y = tl.load(y_ptr + at, mask=at < n)  # LEFT OUT
    tl.store(out_ptr + at, tl.sum(tl.where(at < n, x, 0.0) + y) + at)


@pytest.mark.parametrize(
    "kernel",
    [chooses_one_of_two, stores_a_part_of_two, sums_what_is_left_of_two],
    ids=lambda kernel: kernel.fn.__name__,
)
def test_of_two_loads_the_one_is_named_whose_elements_are_stored(kernel: Any) -> None:
    with record() as launches:
        launch(kernel)
    loads = {told.load for told in launches[0].undefined}
    assert [load.text[-10:] for load in loads if load is not None] == ["# LEFT OUT"]


# Whatever its type


@triton.jit
def bins(x_ptr, out_ptr, n):
    x = tl.load(x_ptr + tl.arange(0, 16), mask=tl.arange(0, 16) < n).to(tl.int32)  # LEFT OUT
    tl.store(out_ptr + tl.arange(0, 4), tl.histogram(x, 4))


@triton.jit
def gathers(x_ptr, out_ptr, n):
    at = tl.arange(0, 16)
    x = tl.load(x_ptr + at, mask=at < n)  # LEFT OUT
    tl.store(out_ptr + at, tl.gather(x, 15 - at, 0), mask=at < n)


@triton.jit
def transposes(x_ptr, out_ptr, n):
    at = tl.arange(0, 16)
    x = tl.load(x_ptr + at, mask=at < n)  # LEFT OUT
    tl.store(out_ptr + at, tl.reshape(tl.trans(tl.reshape(x, (4, 4))), (16,)), mask=at < n)


@triton.jit
def joins(x_ptr, out_ptr, n):
    at = tl.arange(0, 16)
    x = tl.load(x_ptr + at, mask=at < n)  # LEFT OUT
    first, _ = tl.split(tl.join(x, x))
    tl.store(out_ptr + at, first, mask=at < 16)


@triton.jit
def adds_under_an_undefined_mask(x_ptr, out_ptr, n):
    at = tl.arange(0, 16)
    x = tl.load(x_ptr + at, mask=at < n)  # LEFT OUT
    tl.atomic_add(out_ptr + at % 2, 1, mask=x == 0)


@triton.jit
def stores_under_an_undefined_mask(x_ptr, out_ptr, n):
    at = tl.arange(0, 16)
    x = tl.load(x_ptr + at, mask=at < n)  # LEFT OUT
    tl.store(out_ptr + at, 1, mask=x == 0)


@triton.jit
def stores_at_an_undefined_place(x_ptr, out_ptr, n):
    at = tl.arange(0, 16)
    x = tl.load(x_ptr + at, mask=at < n).to(tl.int32)  # LEFT OUT
    tl.store(out_ptr + (x & 7), 1)


@triton.jit
def sums_as_floats(x_ptr, out_ptr, n):
    at = tl.arange(0, 16)
    x = tl.load(x_ptr + at, mask=at < n)  # LEFT OUT
    tl.store(out_ptr, tl.sum(x.to(tl.float32)))


@triton.jit
def chooses_by_an_undefined_condition(x_ptr, out_ptr, n):
    at = tl.arange(0, 16)
    x = tl.load(x_ptr + at, mask=at < n)  # LEFT OUT
    tl.store(out_ptr + at, tl.where(x == 0, 1, 2), mask=at < 16)


@triton.jit
def counts_zeros(x_ptr, out_ptr, n):
    at = tl.arange(0, 16)
    x = tl.load(x_ptr + at, mask=at < n)  # LEFT OUT
    tl.store(out_ptr, tl.sum((x == 0).to(tl.int32)))


@triton.jit
def smallest_place(x_ptr, out_ptr, n):
    at = tl.arange(0, 16)
    x = tl.load(x_ptr + at, mask=at < n)  # LEFT OUT
    tl.store(out_ptr, tl.argmin(x.to(tl.int32), 0))


ANY_TYPE = (
    bins, gathers, transposes, joins, adds_under_an_undefined_mask, stores_under_an_undefined_mask,
    stores_at_an_undefined_place, sums_as_floats, chooses_by_an_undefined_condition, counts_zeros, smallest_place,
)  # fmt: skip
TYPES = [
    torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64, torch.bool,
    torch.float16, torch.bfloat16, torch.float32, torch.float64,
]  # fmt: skip


def small_numbers(dtype: torch.dtype) -> torch.Tensor:
    return (torch.arange(16) % 3).to(dtype)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("kernel", ANY_TYPE, ids=lambda kernel: kernel.fn.__name__)
def test_an_undefined_element_is_known_whatever_its_type(kernel: Any, dtype: torch.dtype) -> None:
    with record() as launches:
        kernel[(1,)](small_numbers(dtype), torch.zeros(16, dtype=torch.int32), N)
        kernel[(1,)](small_numbers(dtype), torch.zeros(16, dtype=torch.int32), 16)
    loads = {told.load for told in launches[0].undefined}
    assert [load.text[-10:] for load in loads if load is not None] == ["# LEFT OUT"]
    assert launches[1].undefined == ()


@triton.jit
def product_of_bytes(x_ptr, out_ptr, n, OTHER: tl.constexpr):
    at, inner = tl.arange(0, 16), tl.arange(0, 16)
    a = tl.load(x_ptr + at[:, None] * 16 + inner[None, :], mask=inner[None, :] < n)  # LEFT OUT
    b = tl.load(x_ptr + inner[:, None] * 16 + at[None, :], mask=inner[:, None] < n, other=OTHER)
    tl.store(out_ptr + at[:, None] * 16 + at[None, :], tl.dot(a, b))


@pytest.mark.parametrize(("other", "warns"), [(0, False), (1, True)])
def test_an_integer_times_zero_is_zero_in_a_product_too(other: int, warns: bool) -> None:
    x, out = torch.ones(16, 16, dtype=torch.int8), torch.zeros(16, 16, dtype=torch.int32)
    with record() as launches:
        product_of_bytes[(1,)](x, out, N, other)
    assert bool(launches[0].undefined) == warns
    assert warns or (out == N).all()


@triton.jit
def anded_with_the_mask(x_ptr, out_ptr, n):
    at = tl.arange(0, 16)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.atomic_add(out_ptr + at % 2, 1, mask=(x == 0) & (at < n))


@triton.jit
def times_the_mask(x_ptr, out_ptr, n):
    at = tl.arange(0, 16)
    x = tl.load(x_ptr + at, mask=at < n).to(tl.int32)
    tl.store(out_ptr, tl.sum(x * (at < n)))


@triton.jit
def anded_with_zeros(x_ptr, out_ptr, n):
    at = tl.arange(0, 16)
    x = tl.load(x_ptr + at, mask=at < n).to(tl.int32)
    tl.store(out_ptr, tl.sum((x & tl.where(at < n, -1, 0)) + (x | tl.where(at < n, 0, -1)) + tl.where(at < n, 0, 1)))


@triton.jit
def replaced_before_the_sum(x_ptr, out_ptr, n):
    at = tl.arange(0, 16)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(out_ptr, tl.sum(tl.where(at < n, x, x * 0 if x.dtype.is_int() else 0.0).to(tl.int32), 0))


@triton.jit
def bins_of_what_is_masked(x_ptr, out_ptr, n):
    at = tl.arange(0, 16)
    x = tl.load(x_ptr + at, mask=at < n).to(tl.int32)
    tl.store(out_ptr + tl.arange(0, 4), tl.histogram(x, 4, mask=at < n))


@triton.jit
def looks_up_and_stores_under_the_mask(x_ptr, out_ptr, n):
    at = tl.arange(0, 16)
    x = tl.load(x_ptr + at, mask=at < n).to(tl.int32)
    tl.store(out_ptr + at, tl.gather(at + 1, x, 0), mask=at < n)


@triton.jit
def pads_a_store(x_ptr, out_ptr, n):
    at = tl.arange(0, 16)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(out_ptr + at, tl.flip(tl.flip(x)) if n == 16 else x.to(tl.int32) + 1)


ANY_TYPE_DEFINED = (
    anded_with_the_mask, times_the_mask, anded_with_zeros, replaced_before_the_sum, bins_of_what_is_masked,
    looks_up_and_stores_under_the_mask, pads_a_store,
)  # fmt: skip


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int32, torch.int64, torch.float16, torch.float32], ids=str)
@pytest.mark.parametrize("kernel", ANY_TYPE_DEFINED, ids=lambda kernel: kernel.fn.__name__)
def test_nothing_is_said_of_what_another_operand_decides(kernel: Any, dtype: torch.dtype) -> None:
    out = torch.zeros(16, dtype=torch.int32)
    with record() as launches:
        kernel[(1,)](small_numbers(dtype), out, N)
    assert launches[0].undefined == ()
    assert launches[0].faults == ()
    assert out[0] > 0


# Operations that leave their result undefined


@triton.jit
def quotient(x_ptr, y_ptr, out_ptr, n):
    at = tl.arange(0, 16)
    tl.store(out_ptr + at, tl.load(x_ptr + at) // tl.load(y_ptr + at), mask=at < n)


@triton.jit
def remainder(x_ptr, y_ptr, out_ptr, n):
    at = tl.arange(0, 16)
    tl.store(out_ptr + at, tl.load(x_ptr + at) % tl.load(y_ptr + at), mask=at < n)


@triton.jit
def to_the_left(x_ptr, y_ptr, out_ptr, n):
    at = tl.arange(0, 16)
    tl.store(out_ptr + at, tl.load(x_ptr + at) << tl.load(y_ptr + at), mask=at < n)


@triton.jit
def to_the_right(x_ptr, y_ptr, out_ptr, n):
    at = tl.arange(0, 16)
    tl.store(out_ptr + at, tl.load(x_ptr + at) >> tl.load(y_ptr + at), mask=at < n)


@triton.jit
def quotient_by_scalars(x_ptr, y_ptr, out_ptr, n):
    for place in range(n):
        tl.store(out_ptr + place, tl.load(x_ptr + place) // tl.load(y_ptr + place))


OPERATIONS = [
    (quotient, 9, 0, r"an integer division by zero gives no particular number.*Line \d+.*tl\.where\(divisor == 0"),
    (quotient_by_scalars, 9, 0, r"an integer division by zero"),
    (remainder, 9, 0, r"an integer division by zero"),
    (quotient, "least", -1, r"an integer division whose result its type cannot hold"),
    (to_the_left, 1, "bits", r"a shift by a negative number, or by all bits or more"),
    (to_the_left, 1, -1, r"a shift by a negative number"),
    (to_the_right, 1, "bits", r"a shift by a negative number"),
]
INTEGERS = [torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8]


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize(("kernel", "left", "right", "message"), OPERATIONS)
def test_a_result_that_a_gpu_does_not_define_is_named(
    kernel: Any, left: Any, right: Any, message: str, dtype: torch.dtype
) -> None:
    numbers = {"least": torch.iinfo(dtype).min, "bits": torch.iinfo(dtype).bits}
    left, right = numbers.get(left, left), numbers.get(right, right)
    if min(left, right) < 0 and not dtype.is_signed:
        return
    x, y, out = torch.ones(16, dtype=dtype), torch.ones(16, dtype=dtype), torch.zeros(16, dtype=dtype)
    x[5], y[5] = left, right
    with pytest.warns(UndefinedResult, match=message):
        kernel[(1,)](x, y, out, N)
    with record() as launches:
        kernel[(1,)](x, y, out, N)
        kernel[(1,)](x, y, out, 5)  # what is masked off is nobody's business
        y[5] = 3
        kernel[(1,)](x, y, out, N)
    assert [(told.index, told.elements) for told in launches[0].undefined] == [(5, 1)]
    assert launches[1].undefined == launches[2].undefined == ()
    assert not any(launch.faults for launch in launches)


@triton.jit
def chooses_another_divisor(x_ptr, y_ptr, out_ptr, n):
    at = tl.arange(0, 16)
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    tl.store(out_ptr + at, tl.where(y == 0, 7, x // y) + x % tl.where(y == 0, 1, y))


@triton.jit
def branches_on_a_quotient(x_ptr, y_ptr, out_ptr, n):
    if tl.load(x_ptr) // tl.load(y_ptr) > 0:
        tl.store(out_ptr, 1)


def test_a_quotient_that_is_not_chosen_is_nobodys_business() -> None:
    x, y, out = torch.full((16,), 9), torch.arange(16), torch.zeros(16, dtype=torch.int64)
    with record() as launches:
        chooses_another_divisor[(1,)](x, y, out, 16)
    assert launches[0].undefined == ()
    assert out.tolist()[:3] == [7, 9, 5]


def test_a_branch_on_such_a_result_ends_the_launch() -> None:
    with pytest.raises(KernelFaults, match=r"branches on an undefined value.*\n.*an integer division by zero"):
        branches_on_a_quotient[(1,)](torch.ones(1).int(), torch.zeros(1).int(), torch.zeros(1), 1)


@triton.jit
def searches_with_undefined_values(x_ptr, sorted_ptr, out_ptr, n):
    offsets = tl.arange(0, 16)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    low = tl.where(x > tl.load(sorted_ptr + 1), 2, 0)
    low = tl.where(x > tl.load(sorted_ptr + low), low + 1, low)
    tl.store(out_ptr + offsets, low, mask=offsets < n)


def test_an_index_between_two_known_ones_stays_inside() -> None:
    """A binary search, as Inductor's, has undefined elements where its block extends too far."""
    x, steps, found = torch.arange(N) / 4, torch.tensor([0.0, 1.0, 2.0]), torch.zeros(N, dtype=torch.int32)
    searches_with_undefined_values[(1,)](x, steps, found, N)
    assert found.tolist() == torch.bucketize(x, steps).tolist()


@triton.jit
def counts_by_undefined_values(x_ptr, out_ptr, n):
    offsets = tl.arange(0, 16)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(out_ptr + offsets, tl.where(x > 0, 1, 0))
    tl.device_print("", tl.where(x > 0, 1, 0))


def test_an_undefined_choice_is_stored_and_printed_as_an_absurd_integer(capsys: pytest.CaptureFixture[str]) -> None:
    out = torch.zeros(16, dtype=torch.int32)
    counts_by_undefined_values[(1,)](torch.ones(N), out, N)
    assert out.tolist() == [1] * N + [-559038737] * (16 - N)
    assert "-559038737" in capsys.readouterr().out


@triton.jit
def reverses_rows(x_ptr, out_ptr, n):
    row, column = tl.arange(0, 4)[:, None], tl.arange(0, 16)[None, :]
    x = tl.load(x_ptr + row * n + column, mask=column < n)
    tl.store(out_ptr + row * n + n - 16 + column, tl.flip(x, 1), mask=column >= 16 - n)
    tl.store(out_ptr + row * n + n - 16 + column, x.flip(), mask=column >= 16 - n)
    downwards = tl.flip(tl.flip(x, 0), dim=-2)
    tl.store(out_ptr + 4 * n + row * n + column, downwards, mask=column < n)


def test_a_reversed_block_has_its_undefined_elements_at_the_other_end() -> None:
    x, out = torch.rand(4, N), torch.zeros(8, N)
    with record() as launches:
        reverses_rows[(1,)](x, out, N)
    assert launches[0].undefined == launches[0].faults == ()
    assert torch.equal(out, torch.cat([x.flip(1), x]))


@triton.jit
def gathers(index_ptr, real_ptr, x_ptr, out_ptr, n, place: tl.constexpr):
    offsets = tl.arange(0, 16)
    index = tl.load(index_ptr + offsets, mask=offsets < n)
    real = tl.load(real_ptr + offsets, mask=offsets < n)
    tl.store(out_ptr + offsets, tl.load(x_ptr + place(index, real)), mask=offsets < n)  # HERE


def gather(place: Callable[[Any, Any], Any]) -> tuple[Fault, ...]:
    index, real = torch.arange(N, dtype=torch.int32) % 4, torch.rand(N)
    with record() as launches:
        gathers[(1,)](index, real, torch.rand(16), torch.zeros(16), N, place)
    return launches[0].faults


INSIDE: tuple[Callable[[Any, Any], Any], ...] = (
    lambda index, real: tl.minimum(tl.maximum(index, 0), 15),
    lambda index, real: tl.clamp(real, 0.0, 15.0).to(tl.int32),
    lambda index, real: tl.clamp(index.to(tl.float32), 0.0, 15.0).to(tl.int32),
    lambda index, real: tl.clamp(tl.floor(real), 0.0, 15.0).to(tl.int32),
    lambda index, real: (tl.sigmoid(real) * 15).to(tl.int32),
    lambda index, real: (index & 0x7FFFFFFF) % 16,
    lambda index, real: (index % 16 + 16) % 16,
    lambda index, real: (index >> 28) & 15,
    lambda index, real: tl.where(index > 8, 8, tl.where(index < 0, 0, index)),
    lambda index, real: (index > 3).to(tl.int32),
    lambda index, real: tl.argmax(index, 0) + 0 * index,
    lambda index, real: tl.max(tl.minimum(tl.maximum(index, 0), 15), 0) + 0 * index,
)
OUTSIDE: tuple[Callable[[Any, Any], Any], ...] = (
    lambda index, real: index,
    lambda index, real: 15 - index,
    lambda index, real: index * 2 + 1,
    lambda index, real: index % 16,
    lambda index, real: tl.abs(index),
    lambda index, real: tl.maximum(index, 0),
    lambda index, real: tl.minimum(index, 15),
    lambda index, real: tl.where(index > 8, 8, index),
    lambda index, real: tl.where(index < 0, 0, index),
    lambda index, real: tl.max(index, 0) + 0 * index,
    lambda index, real: tl.min(index, 0) + 0 * index,
    lambda index, real: tl.sum(index, 0) + 0 * index,
    lambda index, real: real.to(tl.int32),
    lambda index, real: tl.maximum(real, 0.0).to(tl.int32),
    lambda index, real: tl.minimum(real, 15.0).to(tl.int32),
)


@pytest.mark.parametrize("place", INSIDE)
def test_an_undefined_index_that_cannot_leave_the_tensor_is_right(place: Callable[[Any, Any], Any]) -> None:
    assert gather(place) == ()


@pytest.mark.parametrize("place", OUTSIDE)
def test_an_undefined_index_names_the_load_that_it_comes_from(place: Callable[[Any, Any], Any]) -> None:
    [fault] = gather(place)
    assert fault.summary == "program 0 read x_ptr through an undefined index"
    assert fault.line.text.endswith("# HERE")
    assert fault.load is not None
    assert fault.elements in (16 - N, 16)


@triton.jit
def gathers_rows_outside(index_ptr, x_ptr, out_ptr, n):
    offsets = tl.arange(0, 16)
    row = tl.load(index_ptr + offsets, mask=offsets < n) * 1000
    tl.store(out_ptr + offsets, tl.load(x_ptr + row * 4), mask=offsets < n)


def test_an_index_outside_and_an_undefined_one_are_told_apart() -> None:
    with record() as launches:
        gathers_rows_outside[(1,)](torch.ones(N, dtype=torch.int32), torch.rand(16), torch.zeros(16), N)
    assert sorted(fault.summary for fault in launches[0].faults) == [
        "program 0 read x_ptr through an undefined index",
        "program 0 read x_ptr[4000], but x_ptr has 16 elements",
    ]


@triton.jit
def chooses_one_of_two(x_ptr, out_ptr, n):
    offsets = tl.arange(0, 16)
    low = tl.load(x_ptr + offsets, mask=offsets >= 8)
    high = tl.load(x_ptr + offsets, mask=offsets < 8)
    tl.store(out_ptr + offsets, tl.where(offsets < 4, high, tl.where(offsets < 8, low, 0)), mask=offsets < 16)
    tl.store(out_ptr + offsets, tl.where(offsets < 8, low, high), mask=offsets >= n)


@pytest.mark.parametrize(("n", "loaded"), [(6, "offsets >= 8"), (9, "offsets < 8")])
def test_the_load_of_the_first_element_is_named(n: int, loaded: str) -> None:
    with record() as launches:
        chooses_one_of_two[(1,)](torch.rand(16), torch.zeros(16), n)
    told = launches[0].undefined[-1]
    assert told.index == n
    assert told.load is not None
    assert loaded in told.load.text


@triton.jit
def asserts_and_looks_up(index_ptr, x_ptr, out_ptr, n):
    offsets = tl.arange(0, 16)
    index = tl.load(index_ptr + offsets, mask=offsets < n)
    tl.device_assert(index < 16)
    tl.store(out_ptr + offsets, tl.load(x_ptr + (index & 15)), mask=offsets < n)


@triton.jit
def guards_its_store(index_ptr, x_ptr, out_ptr, n):
    offsets = tl.arange(0, 16)
    index = tl.load(index_ptr + offsets, mask=offsets < n)
    tl.store(out_ptr + index, 1.0, mask=(index >= 0) & (index < 16))


@pytest.mark.parametrize("kernel", [asserts_and_looks_up, guards_its_store])
def test_what_cannot_leave_the_tensor_is_no_fault(kernel: Any) -> None:
    with record() as launches:
        kernel[(1,)](torch.arange(N, dtype=torch.int32), torch.rand(16), torch.zeros(16), N)
    assert launches[0].faults == ()
    assert launches[0].failure is None


@triton.jit
def guards_one_side(index_ptr, x_ptr, out_ptr, n):
    offsets = tl.arange(0, 16)
    index = tl.load(index_ptr + offsets, mask=offsets < n)
    tl.store(out_ptr + offsets, tl.load(x_ptr + index, mask=index >= 0), mask=offsets < n)


@triton.jit
def prints_an_index(index_ptr, x_ptr, out_ptr, n):
    offsets = tl.arange(0, 16)
    index = tl.maximum(tl.load(index_ptr + offsets, mask=offsets < n), 0)
    print(tl.program_id(0))
    tl.store(out_ptr + offsets, tl.load(x_ptr + index), mask=offsets < n)


@triton.jit
def divides_by_zero(index_ptr, x_ptr, out_ptr, n):
    tl.store(out_ptr, tl.load(x_ptr + tl.maximum(5 // tl.load(index_ptr), 0)), mask=n > 0)


@pytest.mark.parametrize("kernel", [guards_one_side, prints_an_index, divides_by_zero])
def test_an_undefined_index_is_tried_from_end_to_end(kernel: Any, capsys: pytest.CaptureFixture[str]) -> None:
    with record() as launches:
        kernel[(1,)](torch.zeros(N * 4, dtype=torch.int32), torch.rand(16), torch.zeros(16), N)
    [fault] = launches[0].faults
    assert fault.undefined
    assert capsys.readouterr().out in ("", "0\n")


@triton.jit
def chooses_by_an_undefined_flag(flag_ptr, x_ptr, out_ptr, n):
    offsets = tl.arange(0, 16)
    flag = tl.load(flag_ptr + offsets, mask=offsets < n)
    tl.store(out_ptr + offsets, tl.load(x_ptr + tl.where(flag, 0, 1000)), mask=offsets < n)


def test_an_undefined_flag_may_be_false() -> None:
    with record() as launches:
        chooses_by_an_undefined_flag[(1,)](torch.ones(N, dtype=torch.bool), torch.rand(16), torch.zeros(16), N)
    assert [fault.undefined for fault in launches[0].faults] == [True]


def test_a_block_is_flipped_by_arguments_with_names() -> None:
    with record() as launches:
        flips_by_name[(1,)](torch.rand(N), torch.zeros(16), N)
    assert launches[0].failure is None


@triton.jit
def flips_by_name(x_ptr, out_ptr, n):
    offsets = tl.arange(0, 16)
    tl.store(out_ptr + offsets, tl.flip(x=tl.load(x_ptr + offsets, mask=offsets < n), dim=0), mask=offsets >= 16 - n)
