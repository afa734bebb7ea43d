"""Kernels with one planted fault each: its kind, line (marked `# HERE`), argument and program are found."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
import triton
import triton.language as tl

from triton_simulator import Fault, KernelFaults, Kind, lines, record

LOAD, STORE, RACE = Kind.OUT_OF_BOUNDS_LOAD, Kind.OUT_OF_BOUNDS_STORE, Kind.RACE


@dataclass(frozen=True)
class Planted:
    kernel: Any
    launch: Callable[[Any], object]
    kind: Kind
    argument: str | None
    program: tuple[int, ...]
    index: int | None = None
    outside: int | None = None
    strict: bool = False
    """Whether it is a fault for the checker only: outside a view, but inside its storage."""


CASES: list[Planted] = []


def planted(
    launch: Callable[[Any], object],
    kind: Kind,
    argument: str | None,
    program: tuple[int, ...],
    index: int | None = None,
    outside: int | None = None,
    *,
    strict: bool = False,
) -> Callable[[Any], Any]:
    def add(kernel: Any) -> Any:
        CASES.append(Planted(kernel, launch, kind, argument, program, index, outside, strict))
        return kernel

    return add


def x(*shape: int) -> torch.Tensor:
    size = int(torch.Size(shape).numel())
    return torch.arange(size, dtype=torch.float32).reshape(shape)


def whole(*shape: int) -> torch.Tensor:
    return x(*shape).to(torch.int32)


# One dimension


@planted(lambda k: k[(4,)](x(1000), x(1024), 1000, BLOCK=256), LOAD, "x_ptr", (3,), 1000, 24)
@triton.jit
def no_mask_on_the_load(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x_ptr + at)  # HERE
    tl.store(out_ptr + at, value, mask=at < n)


@planted(lambda k: k[(4,)](x(1000), x(1000), 1000, BLOCK=256), STORE, "out_ptr", (3,), 1000, 24)
@triton.jit
def mask_on_the_load_only(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x_ptr + at, mask=at < n, other=0)
    tl.store(out_ptr + at, value)  # HERE


@planted(lambda k: k[(4,)](x(1000), x(1000), 1000, BLOCK=256), LOAD, "x_ptr", (3,), 1000, 1)
@triton.jit
def less_or_equal(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x_ptr + at, mask=at <= n)  # HERE
    tl.store(out_ptr + at, value, mask=at < n)


@planted(lambda k: k[(5,)](x(1000), x(1000), BLOCK=256), STORE, "out_ptr", (3,), 1000)
@triton.jit
def mask_of_the_grid_not_of_the_tensor(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < tl.num_programs(0) * BLOCK
    tl.store(out_ptr + at, at.to(tl.float32), mask=inside)  # HERE


@planted(lambda k: k[(8,)](x(512), x(512), BLOCK=128), LOAD, "x_ptr", (4,), 512, 128)
@triton.jit
def grid_too_large(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x_ptr + at)  # HERE
    tl.store(out_ptr + at % 512, value, mask=at < 512)


@planted(lambda k: k[(4,)](x(512), x(512), BLOCK=128), LOAD, "x_ptr", (0,), -1, -1)
@triton.jit
def negative_index(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    before = tl.load(x_ptr + at - 1)  # HERE
    tl.store(out_ptr + at, before)


@planted(lambda k: k[(4,)](x(512), x(512), BLOCK=128), LOAD, "x_ptr", (3,), 512, 1)
@triton.jit
def the_right_neighbour(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    after = tl.load(x_ptr + at + 1, mask=at < 512)  # HERE
    tl.store(out_ptr + at, after)


@planted(lambda k: k[(4,)](x(512), x(512), BLOCK=128), RACE, "out_ptr", (0,), 0)
@triton.jit
def forgotten_pid(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + tl.arange(0, BLOCK), tl.load(x_ptr + at))  # HERE


@planted(lambda k: k[(4,)](x(512), x(512), BLOCK=128), RACE, "out_ptr", (0,), 64)
@triton.jit
def overlapping_blocks(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * (BLOCK // 2) + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at) + tl.program_id(0))  # HERE


@planted(lambda k: k[(4,)](x(512), x(1)), RACE, "out_ptr", (0,), 0)
@triton.jit
def reduction_without_atomics(x_ptr, out_ptr):
    at = tl.program_id(0) * 128 + tl.arange(0, 128)
    total = tl.sum(tl.load(x_ptr + at))
    tl.store(out_ptr, total)  # HERE


@planted(lambda k: k[(4,)](x(512), torch.zeros(1)), RACE, "out_ptr", (1,), 0)
@triton.jit
def accumulation_without_atomics(x_ptr, out_ptr):
    at = tl.program_id(0) * 128 + tl.arange(0, 128)
    before = tl.load(out_ptr)  # HERE
    tl.store(out_ptr, before + tl.sum(tl.load(x_ptr + at)))


@planted(lambda k: k[(4,)](x(512), BLOCK=128), RACE, "x_ptr", (1,), 127)
@triton.jit
def in_place_stencil(x_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    left = tl.load(x_ptr + at - 1, mask=at > 0, other=0)  # HERE
    here = tl.load(x_ptr + at)
    tl.store(x_ptr + at, left + here)


@planted(lambda k: k[(4,)](x(8)[:4], x(8)[:4]), LOAD, "x_ptr", (0,), 4, 4, strict=True)
@triton.jit
def beyond_the_view_but_inside_its_storage(x_ptr, out_ptr):
    at = tl.arange(0, 8)
    value = tl.load(x_ptr + at)  # HERE
    tl.store(out_ptr + at, value, mask=at < 4)


@planted(lambda k: k[(1,)](x(16)[4:8], x(16)), LOAD, "x_ptr", (0,), -4, -4, strict=True)
@triton.jit
def before_the_view_but_inside_its_storage(x_ptr, out_ptr):
    at = tl.arange(0, 8)
    tl.store(out_ptr + at, tl.load(x_ptr + at - 4))  # HERE


@planted(lambda k: k[(1,)](x(16)[::2], x(16)), LOAD, "x_ptr", (0,), 1, 0, strict=True)
@triton.jit
def stride_of_a_view_ignored(x_ptr, out_ptr):
    at = tl.arange(0, 8)
    tl.store(out_ptr + at, tl.load(x_ptr + at))  # HERE


@planted(lambda k: k[(1,)](x(8).as_strided((2, 2, 2), (1, 1, 5)), x(8)), LOAD, "x_ptr", (0,), 3, 0, strict=True)
@triton.jit
def gap_of_a_view_that_overlaps_itself(x_ptr, out_ptr):
    at = tl.arange(0, 8)
    tl.store(out_ptr + at, tl.load(x_ptr + at))  # HERE


def _neighbours(k: Any) -> None:
    both = torch.arange(64, dtype=torch.float32)
    k[(1,)](both[:32], both[32:], x(64))


@planted(_neighbours, LOAD, "x_ptr", (0,), 32, 32, strict=True)
@triton.jit
def into_the_neighbour_tensor(x_ptr, y_ptr, out_ptr):
    at = tl.arange(0, 64)
    tl.store(out_ptr + at, tl.load(x_ptr + at))  # HERE


@planted(lambda k: k[(1,)](x(16).to(torch.float16), x(16)), LOAD, "x_ptr", (0,), 8, 8)
@triton.jit
def pointer_to_a_wider_type(x_ptr, out_ptr):
    wide = x_ptr.to(tl.pointer_type(tl.float32))
    at = tl.arange(0, 16)
    tl.store(out_ptr + at, tl.load(wide + at))  # HERE


@planted(lambda k: k[(1,)](12345678, x(16)), LOAD, None, (0,))
@triton.jit
def pointer_from_a_wrong_integer(address, out_ptr):
    at = tl.arange(0, 16)
    value = tl.load(address.to(tl.int64).to(tl.pointer_type(tl.float32)) + at)  # HERE
    tl.store(out_ptr + at, value)


def _by_address(k: Any) -> None:
    data = x(12)
    k[(1,)](data.data_ptr(), x(16))


@planted(_by_address, LOAD, "address", (0,), 12, 4)
@triton.jit
def beyond_a_tensor_given_as_an_integer(address, out_ptr):
    at = tl.arange(0, 16)
    value = tl.load(address.to(tl.pointer_type(tl.float32)) + at)  # HERE
    tl.store(out_ptr + at, value)


@planted(lambda k: k[(2,)](x(16), x(16), x(16)), LOAD, "y_ptr", (1,), 16)
@triton.jit
def one_of_two_mixed_pointers(x_ptr, y_ptr, out_ptr):
    at = tl.arange(0, 16)
    pointers = tl.where(at % 2 == 0, x_ptr + at, y_ptr + at + tl.program_id(0) * 15)
    value = tl.load(pointers)  # HERE
    tl.store(out_ptr + at, value, mask=tl.program_id(0) == 0)


@planted(
    lambda k: k[(4,)](torch.tensor([0, 5, 99, 2], dtype=torch.int32), x(16), x(4)), LOAD, "table_ptr", (2,), 99, 84
)
@triton.jit
def index_from_memory(index_ptr, table_ptr, out_ptr):
    pid = tl.program_id(0)
    index = tl.load(index_ptr + pid)
    value = tl.load(table_ptr + index)  # HERE
    tl.store(out_ptr + pid, value)


@planted(lambda k: k[(3,)](x(0), x(16)), LOAD, "x_ptr", (0,), 0)
@triton.jit
def empty_tensor(x_ptr, out_ptr):
    at = tl.arange(0, 4)
    value = tl.load(x_ptr + at)  # HERE
    tl.store(out_ptr + tl.program_id(0) * 4 + at, value)


# Two dimensions


@planted(lambda k: k[(2, 2)](x(20, 20), torch.zeros(20, 20), 20, 20), RACE, "out_ptr", (0, 0), 20)
@triton.jit
def no_column_mask_on_the_store(x_ptr, out_ptr, height, width):
    rows = tl.program_id(0) * 16 + tl.arange(0, 16)
    cols = tl.program_id(1) * 16 + tl.arange(0, 16)
    at = rows[:, None] * width + cols[None, :]
    inside = (rows < height)[:, None] & (at < height * width)
    value = tl.load(x_ptr + at, mask=inside & (cols < width)[None, :], other=-1.0)
    tl.store(out_ptr + at, value, mask=inside)  # HERE


@planted(lambda k: k[(1,)](x(64, 16).T, x(1024), *x(64, 16).T.stride()), LOAD, "x_ptr", (0,), 1024)
@triton.jit
def transposed_strides(x_ptr, out_ptr, stride_0, stride_1):
    rows, cols = tl.arange(0, 16), tl.arange(0, 64)
    value = tl.load(x_ptr + rows[:, None] * stride_1 + cols[None, :] * stride_0 * 32)  # HERE
    tl.store(out_ptr + rows[:, None] * 64 + cols[None, :], value)


@planted(lambda k: k[(2, 1, 3)](x(6, 8), x(48)), STORE, "out_ptr", (1, 0, 2), 48, 8)
@triton.jit
def three_dimensional_grid(x_ptr, out_ptr):
    number = tl.program_id(0) * 3 + tl.program_id(2)
    at = tl.arange(0, 8)
    tl.store(out_ptr + (number + 1) * 8 + at, tl.load(x_ptr + number * 8 + at))  # HERE


# Other ways to reach memory


@planted(lambda k: k[(4,)](torch.zeros(3), 1.0), STORE, "out_ptr", (3,), 3)
@triton.jit
def atomic_outside(out_ptr, value):
    tl.atomic_add(out_ptr + tl.program_id(0), value)  # HERE


@planted(lambda k: k[(1,)](x(8, 8), x(16, 16)), LOAD, "x_ptr", (0,), 64)
@triton.jit
def descriptor_of_a_larger_tensor(x_ptr, out_ptr):
    tile = tl.make_tensor_descriptor(x_ptr, [16, 16], [16, 1], [16, 16])
    value = tile.load([0, 0])  # HERE
    tl.store(out_ptr + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :], value)


@triton.jit
def _load_row(x_ptr, row, N: tl.constexpr):
    return tl.load(x_ptr + row * N + tl.arange(0, N))  # HERE


@planted(lambda k: k[(5,)](x(4, 16), x(5, 16)), LOAD, "x_ptr", (4,), 64)
@triton.jit
def in_a_function_that_the_kernel_calls(x_ptr, out_ptr):
    row = tl.program_id(0)
    tl.store(out_ptr + row * 16 + tl.arange(0, 16), _load_row(x_ptr, row, 16))


@planted(lambda k: k[(4,)](x(64), x(64)), LOAD, "x_ptr", (2,), 64)
@triton.jit
def in_some_programs_only(x_ptr, out_ptr):
    pid = tl.program_id(0)
    at = pid * 16 + tl.arange(0, 16)
    if pid == 2:
        at += 32
    tl.store(out_ptr + at % 64, tl.load(x_ptr + at), mask=at < 48)  # HERE


@planted(lambda k: k[(3,)](x(4), 1_000_000_000), Kind.WRAPPED_OFFSET, "x_ptr", (0,))
@triton.jit
def offset_that_wraps(x_ptr, stride):
    at = (tl.program_id(0) + tl.arange(0, 4)) * stride
    tl.store(x_ptr + at, 1.0, mask=at < 4)  # HERE


@planted(lambda k: k[(3,)](x(20), x(3), 20), Kind.UNDEFINED_BRANCH, None, (2,))
@triton.jit
def branch_on_a_masked_load(x_ptr, out_ptr, n):
    at = tl.program_id(0) * 8 + tl.arange(0, 8)
    total = tl.sum(tl.load(x_ptr + at, mask=at < n))
    if total > 10:  # HERE
        total = 10.0
    tl.store(out_ptr + tl.program_id(0), total)


@planted(lambda k: k[(2,)](whole(4), x(8), 1), Kind.UNDEFINED_BRANCH, None, (1,))
@triton.jit
def loop_bound_from_a_masked_load(count_ptr, out_ptr, n):
    pid = tl.program_id(0)
    count = tl.load(count_ptr + pid, mask=pid < n)
    for i in range(count):  # HERE
        tl.store(out_ptr + pid * 4 + i, 0.0)


def line_of(kernel: Any) -> int:
    """The line marked `# HERE` in the kernel's source, or in the function that it calls."""
    function = kernel.fn
    for candidate in (function, _load_row.fn):
        lines, start = inspect.getsourcelines(candidate)
        for number, line in enumerate(lines):
            if line.rstrip().endswith("# HERE"):
                return start + number
    raise AssertionError("no marked line")


def faults_of(case: Planted) -> tuple[Fault, ...]:
    with record(strict_views=case.strict) as launches:
        case.launch(case.kernel)
    return launches[0].faults


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.kernel.fn.__name__)
def test_a_planted_fault_is_found_and_raises_when_nobody_records(case: Planted) -> None:
    """In this order: of two programs that meet, a first launch of a kernel names the second; a later one need not."""
    faults = [fault for fault in faults_of(case) if fault.kind is case.kind]
    assert faults, "no fault of the right kind"
    fault = next((fault for fault in faults if fault.line.number == line_of(case.kernel)), faults[0])
    assert (fault.line.number, fault.argument, fault.program) == (line_of(case.kernel), case.argument, case.program)
    if case.index is not None:
        assert fault.index == case.index
    if case.outside is not None:
        assert fault.outside == case.outside
    if case.strict:
        case.launch(case.kernel)
        return
    with pytest.raises(KernelFaults, match=r"program"):
        case.launch(case.kernel)


def test_the_message_names_the_line_and_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "name_of_line", lines.default_line_name)  # the workshop names lines as its slides do
    with pytest.raises(KernelFaults) as caught:
        no_mask_on_the_load[(4,)](x(1000), x(1024), 1000, BLOCK=256)
    line = line_of(no_mask_on_the_load)
    assert str(caught.value) == (
        "no_mask_on_the_load: program 3 read x_ptr[1000..1023], but x_ptr has 1000 elements.\n"
        f"  Line {line} of {os.path.relpath(__file__)}: `value = tl.load(x_ptr + at)  # HERE`. Is a mask missing?"
    )


def test_a_mask_that_is_there_is_not_missed() -> None:
    [fault] = faults_of(next(case for case in CASES if case.kernel is less_or_equal))
    assert fault.masked
    assert fault.advice == "Is the mask or the stride wrong?"
    assert str(fault) == f"less_or_equal: {fault.description}"


def test_faults_alike_are_counted_together() -> None:
    with record() as launches:
        grid_too_large[(8,)](x(512), x(512), BLOCK=128)
    (fault,) = launches[0].faults
    assert (fault.programs, fault.elements) == (4, 512)


def test_a_refused_store_leaves_memory_alone() -> None:
    data = torch.zeros(64)
    with record(strict_views=True):
        mask_on_the_load_only[(4,)](x(10), data[:10], 10, BLOCK=8)
    assert torch.equal(data[10:], torch.zeros(54))


@planted(lambda k: k[(1,)](x(16)[4:8], x(16)), LOAD, "x_ptr", (0,), 12, 12)
@triton.jit
def beyond_a_view_and_its_storage(x_ptr, out_ptr):
    at = tl.arange(0, 16)
    tl.store(out_ptr + at, tl.load(x_ptr + at))  # HERE


@planted(lambda k: k[(1,)](x(16)[4:8], x(16)), LOAD, "x_ptr", (0,), -8, -8)
@triton.jit
def before_a_view_and_its_storage(x_ptr, out_ptr):
    at = tl.arange(0, 8)
    tl.store(out_ptr + at, tl.load(x_ptr + at - 8))  # HERE


@triton.jit
def copies(x_ptr, out_ptr, x_stride, out_stride, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at * out_stride, tl.load(x_ptr + at * x_stride, mask=at < n), mask=at < n)


@pytest.mark.parametrize(
    ("view", "stride", "expected"),
    [
        (lambda base: base[9:], -1, [9, 8, 7, 6, 5, 4, 3, 2]),  # flipped
        (lambda base: base[:2], 2, [0, 2, 4, 6, 8, 10, 12, 14]),  # gathered by other strides than the view's
        (lambda base: base.as_strided((2, 2), (4, 1)), 1, [0, 1, 2, 3, 4, 5, 6, 7]),  # between its elements
        (lambda base: base.view(torch.int32)[2:].view(torch.float32), 1, [2, 3, 4, 5, 6, 7, 8, 9]),
    ],
)
def test_a_kernel_may_touch_the_whole_storage_of_a_view(
    view: Callable[[torch.Tensor], torch.Tensor], stride: int, expected: list[float]
) -> None:
    out = torch.zeros(16)
    copies[(1,)](view(x(16)), out[8:], stride, -1, 8, BLOCK=8)
    assert out[1:9].tolist() == expected[::-1]


@triton.jit
def races_in_a_view(x_ptr):
    tl.store(x_ptr + 2, tl.program_id(0).to(tl.float32))


def test_an_index_counts_from_the_views_first_element() -> None:
    with record() as launches:
        races_in_a_view[(2,)](x(16)[4:8])
    assert [fault.index for fault in launches[0].faults] == [2]


@triton.jit
def fails_after_a_fault(x_ptr):
    tl.store(x_ptr + 100, 1.0)
    raise ValueError("the kernel's own mistake")


def test_a_fault_is_told_however_the_launch_ends() -> None:
    with pytest.raises(KernelFaults) as caught:
        fails_after_a_fault[(1,)](x(4))
    assert "the kernel's own mistake" in str(caught.value.__cause__)


@triton.jit
def gathers(x_ptr, index_ptr, out_ptr):
    at = tl.arange(0, 16)
    tl.store(out_ptr + at, tl.load(x_ptr + tl.load(index_ptr + at)))


@pytest.mark.parametrize(
    ("bad", "read"),
    [
        ((-3, 1_000_000), "x_ptr[-3] and x_ptr[1000000]"),
        ((-3, 200, 1_000_000), "3 elements from x_ptr[-3] to x_ptr[1000000]"),
        ((100, 101, 102), "x_ptr[100..102]"),
    ],
)
def test_a_gather_says_how_many_elements_are_outside(bad: tuple[int, ...], read: str) -> None:
    index = whole(16)
    index[: len(bad)] = torch.tensor(bad)
    with record() as launches:
        gathers[(1,)](x(100), index, x(16))
    [fault] = launches[0].faults
    assert fault.summary == f"program 0 read {read}, but x_ptr has 100 elements"


@triton.jit
def copies_by_a_table(from_ptr, to_ptr, n, N: tl.constexpr):
    source = tl.load(from_ptr).to(tl.pointer_type(tl.float32))
    target = tl.load(to_ptr).to(tl.pointer_type(tl.float32))
    at = tl.arange(0, N)
    tl.store(target + at, tl.load(source + at, mask=at < n))


def _table(address: int) -> torch.Tensor:
    return torch.tensor([address])


def test_beyond_a_tensor_of_a_table_of_pointers() -> None:
    source, target = x(50), x(48)
    with record() as launches:
        copies_by_a_table[(1,)](_table(source.data_ptr()), _table(target.data_ptr()), 64, N=64)
    load, store = launches[0].faults
    assert load.summary == "program 0 read memory 14 elements past a tensor of 50 fp32"
    assert load.advice == "Is the mask wrong, or was the pointer made from the wrong number?"
    assert store.summary == "program 0 wrote memory 16 elements past a tensor of 48 fp32"
    assert store.advice == "Is a mask missing, or was the pointer made from the wrong number?"


def test_a_pointer_from_a_wrong_number_belongs_to_no_tensor() -> None:
    with record() as launches:
        copies_by_a_table[(1,)](_table(16), _table(x(64).data_ptr()), 64, N=64)
    assert launches[0].faults[0].summary == "program 0 read memory that belongs to no tensor"


def test_a_pointer_just_before_a_tensor_is_told_by_it() -> None:
    source = x(1 << 20)
    with record() as launches:
        copies_by_a_table[(1,)](_table(source.data_ptr() - 8), _table(x(2).data_ptr()), 2, N=2)
    assert launches[0].faults[0].summary == "program 0 read memory 2 elements before a tensor of 1,048,576 fp32"


@triton.jit
def stores_over_several_lines(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(
        out_ptr + at,  # a comment
        2.0,
    )
    for _ in range(
        1,
    ):
        x_ptr += 0
    tl.store(
        x_ptr + at % 4,
        (tl.load(x_ptr + at % 4) + tl.load(x_ptr + (at + 1) % 4)) * 0.25
        + 0.5 * tl.sum(at, axis=0)
        + tl.load(x_ptr + at + 1),
    )


def test_a_statement_over_several_lines_is_quoted_on_one() -> None:
    with record() as launches:
        stores_over_several_lines[(1,)](x(4), x(4), N=8)
    assert [fault.line.text for fault in launches[0].faults if fault.kind is not RACE] == [
        "tl.store(out_ptr + at, 2.0)",
        "… tl.load(x_ptr + at + 1)",
    ]


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1, "x = 'a # b'  # c"),
        (3, "y = f(1, z)"),
        (6, "for i in range(3):"),
        (8, "p = 1  # of two lines' head"),
        (9, ""),
        (10, ""),
    ],
)
def test_the_text_of_a_line(number: int, text: str) -> None:
    source = ["x = 'a # b'  # c\n", "y = f(\n", "    1,  # one\n", "    z)\n", "for i in range(\n", "    3):\n"]
    source += ["    # a comment\n", "    p = 1  # of two lines' head\n"]
    assert lines.statement_text(source, number) == text


def test_a_line_of_no_python_is_quoted_as_it_is() -> None:
    assert lines.statement_text(["f(\n", "  1\n"], 2) == "1"
