"""Statements and expressions mean what Triton's compiler takes them for, where that is not what Python does.

The numbers expected here are those of the compiler's own output for these kernels (its TTIR under 3.9). `-7 // 2` tells
a tensor (-3, as in C) from a number that the compiler knows (-4, as in Python).
"""

from __future__ import annotations

from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from triton.compiler.code_generator import CodeGenerator

from triton_simulator import UndefinedResult, record

SEVEN = tl.constexpr(7)
NOTHING = tl.constexpr(None)
FLOAT = tl.constexpr(tl.float32)
RETURNS_CONSTANTS = hasattr(CodeGenerator, "decide_return_type")


@triton.jit
def annotated(out_ptr, n, MINUS_SEVEN: tl.constexpr):
    number: int = -7
    constant: tl.constexpr = -7
    tl.store(out_ptr, number // 2)
    tl.store(out_ptr + 1, constant // 2)


@triton.jit
def assigned_in_an_expression(out_ptr, n, MINUS_SEVEN: tl.constexpr):
    tl.store(out_ptr, (number := -7) // 2)
    if n > 1 and (other := -7) < n:
        tl.store(out_ptr + 1, other // 2 + number - number)


@triton.jit
def augmented(out_ptr, n, MINUS_SEVEN: tl.constexpr):
    tl.store(out_ptr + 1, MINUS_SEVEN // 2)
    MINUS_SEVEN += 0
    tl.store(out_ptr, MINUS_SEVEN // 2)


@triton.jit
def listed(out_ptr, n, MINUS_SEVEN: tl.constexpr):
    parts = [1, [2, (-7,)]]
    tl.store(out_ptr, parts[1][1][0] // 2)
    tl.store(out_ptr + 1, (1, -7)[1] // 2)


@triton.jit
def chosen(out_ptr, n, MINUS_SEVEN: tl.constexpr):
    tl.store(out_ptr, (-7 if n > 2 else 1) // 2)
    tl.store(out_ptr + 1, (-7 if MINUS_SEVEN < 0 else 1) // 2)


@triton.jit
def chosen_in_choices(out_ptr, n, MINUS_SEVEN: tl.constexpr):
    tl.store(out_ptr, ((1 if n > 4 else -7) if (2 if n > 3 else 0) else (3 if n > 5 else 4)) // 2)
    tl.store(out_ptr + 1, ((1 if n > 4 else -8) if (MINUS_SEVEN and n) > 3 or n > 4 else -3) // 2)


@triton.jit
def by_its_sign(n):
    if n > 2:
        return -7
    else:
        return 1


@triton.jit
def by_a_constant(n, FIRST: tl.constexpr):
    if FIRST:
        return -7
    else:
        return n


@triton.jit
def by_a_constant_first(n, FIRST: tl.constexpr):
    if FIRST:
        return -7
    if n > 5:
        return 3
    return 1


@triton.jit
def a_pair(n):
    if n > 2:
        return -7, -7
    return 1, -7


@triton.jit
def taken_from_a_comprehension(out_ptr, n, MINUS_SEVEN: tl.constexpr):
    number, other = 10, 20
    parts = [number // 2 for number in (5, -7)]
    pairs = [number + other for number, other in ((1, 2), (-7, 1))]
    tl.store(out_ptr, parts[1] + other)
    tl.store(out_ptr + 1, number + pairs[0])


@triton.jit
def taken_from_a_shape(out_ptr, n, MINUS_SEVEN: tl.constexpr):
    block = tl.zeros((n, 8), tl.float32) if MINUS_SEVEN == 0 else tl.zeros((4, 8), tl.float32)
    rows, columns = block.shape
    tl.store(out_ptr, (rows - 11 + columns.to(tl.int32) - 8) // 2)
    tl.store(out_ptr + 1, (block.shape[0] - 11) // 2 * (block.shape[1] // n) // 2)


@triton.jit
def called(out_ptr, n, MINUS_SEVEN: tl.constexpr):
    tl.store(out_ptr, by_its_sign(n) // 2)
    tl.store(out_ptr + 1, by_a_constant(n, True) // 2)
    tl.store(out_ptr + 2, by_a_constant_first(n, True) // 2)  # the compiler goes on after the `if`


@triton.jit
def called_for_a_pair(out_ptr, n, MINUS_SEVEN: tl.constexpr):
    tl.store(out_ptr, a_pair(n)[0] // 2)
    tl.store(out_ptr + 1, a_pair(n)[1] // 2)
    tl.store(out_ptr + 2, by_its_sign(n).to(tl.float32) + 4)


KERNELS = (
    annotated, assigned_in_an_expression, augmented, listed, chosen, chosen_in_choices, called, called_for_a_pair,
    taken_from_a_comprehension, taken_from_a_shape,
)  # fmt: skip
ON_THE_WAY = {assigned_in_an_expression: -3, chosen_in_choices: -4}
"""What else the second number is than -4."""


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.fn.__name__)
def test_a_number_is_a_tensor_where_it_is_one_for_the_compiler(kernel: Any) -> None:
    out = torch.full((3,), -3, dtype=torch.int32)
    kernel[(1,)](out, 4, MINUS_SEVEN=-7)
    constant = -4 if RETURNS_CONSTANTS or kernel not in (called, called_for_a_pair) else -3
    assert out.tolist() == [-3, ON_THE_WAY.get(kernel, constant), -3]


@triton.jit
def adds_the_index(x_ptr, out_ptr, n):
    last = 0
    for i in range(n):  # LOOP
        last = i
    x = tl.load(x_ptr + tl.arange(0, 4))
    tl.store(out_ptr + tl.arange(0, 4), x + last)
    tl.store(out_ptr + 4, i)


@triton.jit
def overwrites_its_argument(x_ptr, out_ptr, n):
    for n in tl.range(3):  # LOOP
        tl.store(out_ptr, n)
    tl.store(out_ptr + 4, n * 2)


@triton.jit
def counts_twice_with_one_name(x_ptr, out_ptr, n):
    for i in range(2):
        for i in range(3):  # LOOP
            tl.store(out_ptr, i)
        tl.store(out_ptr + 4, i)


@triton.jit
def branches_on_the_index(x_ptr, out_ptr, n):
    for i in range(n):  # LOOP
        tl.store(out_ptr + i, i)
    if i > 2:
        tl.store(out_ptr + 4, 1)


@triton.jit
def loads_from_the_index(x_ptr, out_ptr, n):
    for i in range(n):  # LOOP
        tl.store(out_ptr + i, i)
    tl.store(out_ptr + 4, tl.load(x_ptr + i))


@triton.jit
def masks_by_the_index(x_ptr, out_ptr, n):
    for i in range(n):  # LOOP
        tl.store(out_ptr + i, i)
    tl.store(out_ptr + 4 + tl.arange(0, 1), 1, mask=tl.arange(0, 1) < i)


@triton.jit
def keeps_the_index(x_ptr, out_ptr, n):
    last = 0
    for i in range(n):
        last = i
    for i in range(n):
        tl.store(out_ptr + i, last + i)
    for j in tl.static_range(4):
        tl.store(out_ptr, j)
    tl.store(out_ptr + 4, j)


INDEXED = (adds_the_index, overwrites_its_argument, counts_twice_with_one_name, masks_by_the_index)


@pytest.mark.parametrize("kernel", INDEXED, ids=lambda kernel: kernel.fn.__name__)
@pytest.mark.parametrize("n", [0, 3])
def test_an_index_has_no_value_after_its_loop(kernel: Any, n: int) -> None:
    with record() as launches:
        kernel[(2,)](torch.zeros(4), torch.zeros(8), n)
    (told,) = launches[0].undefined
    assert (told.kind, told.argument, told.index, told.last_index) == ("undefined-result", "out_ptr", 4, 4)
    assert (told.load, told.loaded) == (None, None)
    assert told.source is not None
    assert "# LOOP" in told.source.line.text
    assert f"`{told.source.name}`, whose loop has ended" in told.summary
    assert f"`last = {told.source.name}`" in told.advice
    with pytest.warns(UndefinedResult, match="On a GPU `.` has no value after its loop"):
        kernel[(2,)](torch.zeros(4), torch.zeros(8), n)


@pytest.mark.parametrize(
    ("kernel", "kind"),
    [(branches_on_the_index, "undefined-branch"), (loads_from_the_index, "out-of-bounds-load")],
    ids=lambda given: getattr(given, "__name__", given),
)
def test_an_index_after_its_loop_decides_nothing(kernel: Any, kind: str) -> None:
    with record() as launches:
        kernel[(2,)](torch.zeros(4), torch.zeros(8), 3)
    (fault,) = launches[0].faults
    assert fault.kind == kind
    assert "On a GPU `i` has no value after its loop" in fault.advice


def test_the_index_may_be_kept() -> None:
    out = torch.zeros(8)
    with record(writes=True) as launches:
        keeps_the_index[(1,)](torch.zeros(4), out, 4)
    assert launches[0].undefined == ()
    assert out.tolist() == [3, 4, 5, 6, 3, 0, 0, 0]


@triton.jit
def counts_down(x_ptr, out_ptr, n):
    step = -1
    for i in range(n, 0, step):
        tl.store(out_ptr + i, i)


@triton.jit
def counts_down_by_a_constant(x_ptr, out_ptr, n):
    for i in range(n, 0, -1):
        tl.store(out_ptr + i, i)


@triton.jit
def counts_far(x_ptr, out_ptr, n):
    for i in range(0, 5000000000, 2500000000):
        tl.store(out_ptr, i + 2000000000 + 2000000000)


@triton.jit
def counts_beyond_int32(x_ptr, out_ptr, n):
    for _ in range(n, 3000000000, 2000000000):  # these are uint32, and the loop compares them as int32
        tl.store(out_ptr, 1)
    for _ in range(0, 3000000000, 2000000000):
        tl.store(out_ptr, 1)
    for i in range(0, 3):
        tl.store(out_ptr, i)


def test_a_loop_compares_signed_numbers() -> None:
    out = torch.full((1,), -1)
    counts_beyond_int32[(1,)](out, out, 4)
    assert out.item() == 2


@triton.jit
def steps_by_name(x_ptr, out_ptr, n):
    total = 0
    for i in range(0, n, step=2):
        total += i
    tl.store(out_ptr, total)


def test_a_step_that_is_given_by_name_is_ignored() -> None:
    out = torch.zeros(1)
    steps_by_name[(1,)](out, out, 4)
    assert out.item() == 6  # as measured on an H200


def test_only_a_constant_step_counts_down() -> None:
    out = torch.zeros(5)
    with pytest.warns(UserWarning, match=r"is -1 at run time.*`tl\.constexpr`.*; this loop does not run"):
        counts_down[(1,)](out, out, 4)
    assert out.tolist() == [0, 0, 0, 0, 0]
    counts_down_by_a_constant[(1,)](out, out, 4)
    assert out.tolist() == [0, 1, 2, 3, 4]


@triton.jit
def gives_hints(x_ptr, out_ptr, n):
    for i in range(n, num_stages=2):  # which the compiler takes, and does not look at
        tl.store(out_ptr + i, (tl.load(x_ptr + i) * 2).exp())


def test_a_range_takes_hints_and_a_function_may_be_a_method() -> None:
    x, out = torch.rand(4), torch.zeros(4)
    gives_hints[(1,)](x, out, 4)
    torch.testing.assert_close(out, (x * 2).exp())


def test_all_numbers_of_a_loop_have_the_type_that_its_ends_need() -> None:
    out = torch.zeros(1, dtype=torch.int64)
    counts_far[(1,)](out, out, 4)
    assert out.item() == 2500000000 + 4000000000


@triton.jit
def replaces_none(x_ptr, out_ptr, n):
    extra = None
    if n > 2:
        extra = 1
    tl.store(out_ptr, 5 if extra is None else 6)


@triton.jit
def replaces_a_type(x_ptr, out_ptr, n):
    kind = tl.int32
    if n > 2:
        kind = tl.float32
    tl.store(out_ptr, tl.load(x_ptr).to(kind) * 2 + 4)


@triton.jit
def replaces_none_in_both(x_ptr, out_ptr, n):
    extra = None
    if n > 2:  # noqa: SIM108
        extra = 5
    else:
        extra = 6
    tl.store(out_ptr, extra)


@triton.jit
def replaces_none_by_a_constant(x_ptr, out_ptr, n, FIVE: tl.constexpr = 5):
    extra = None
    if FIVE == 5:
        extra = FIVE
    tl.store(out_ptr, extra)


@triton.jit
def shadows_a_global(x_ptr, out_ptr, n):
    if n > 2:
        SEVEN = 9
    tl.store(out_ptr, SEVEN - 2)


@triton.jit
def shadows_a_builtin(x_ptr, out_ptr, n):
    if n > 2:
        max = n
    tl.store(out_ptr, max(n, 5))


@triton.jit
def takes_the_name_of_what_it_calls(x_ptr, out_ptr, n):
    by_its_sign = by_its_sign(n) + 12  # noqa: F823
    tl.store(out_ptr, by_its_sign)


@triton.jit
def asks_for_globals(x_ptr, out_ptr, n):
    if NOTHING is None and FLOAT is tl.float32 and isinstance(SEVEN, int) and SEVEN is not None:
        tl.store(out_ptr, (SEVEN * n // SEVEN + SEVEN // n).to(FLOAT))


LOSING = (
    asks_for_globals,
    replaces_none,
    replaces_a_type,
    replaces_none_in_both,
    replaces_none_by_a_constant,
    shadows_a_global,
    shadows_a_builtin,
    takes_the_name_of_what_it_calls,
)


@pytest.mark.parametrize("kernel", LOSING, ids=lambda kernel: kernel.fn.__name__)
def test_a_branch_at_run_time_replaces_tensors_only(kernel: Any) -> None:
    out = torch.zeros(1)
    kernel[(1,)](torch.full((1,), 0.75), out, 4)
    assert out.item() == 5 - (kernel is replaces_a_type)
