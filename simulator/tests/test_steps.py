"""Steps of a launch: what each line computed, for every program."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import torch
import triton
import triton.language as tl

from triton_simulator import Launch, ProgramStep, StepOptions, record


@triton.jit
def add_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + 1, mask=mask)


@triton.jit
def helper(x, factor):
    doubled = factor * x
    return doubled + 1


@triton.jit
def loop_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    total = 0.0
    for row in range(n):
        for half in tl.static_range(2):
            block = tl.load(
                x_ptr + (2 * row + half) * BLOCK + tl.arange(0, BLOCK),
            )
            total += tl.sum(helper(block, 2))
    tl.store(out_ptr, total)


@triton.jit
def branch_kernel(x_ptr, out_ptr):
    pid = tl.program_id(0)
    before = pid + 10
    if tl.load(x_ptr + pid) > 0:  # noqa: SIM108  # two branches
        side = before + 1
    else:
        side = before - 1
    tl.store(out_ptr + pid, side)


@triton.jit
def print_kernel(out_ptr):
    pid = tl.program_id(0)
    print("program", pid)
    square = pid * pid
    tl.store(out_ptr + pid, square)


@triton.jit
def count_kernel(out_ptr):
    old = tl.atomic_add(out_ptr, 1)
    tl.atomic_max(out_ptr + 1, old)


def steps_of(launches: list[Launch], program: int) -> list[ProgramStep]:
    assert launches[0].steps is not None
    return launches[0].steps.of(program)


def named(steps: list[ProgramStep]) -> list[tuple[str, tuple[int, ...]]]:
    return [(each.step.name or each.step.operation, each.step.iteration) for each in steps]


def step_named(steps: list[ProgramStep], name: str, occurrence: int = 0) -> ProgramStep:
    return [each for each in steps if each.step.name == name][occurrence]


def record_add(n: int = 6, size: int = 8) -> list[Launch]:
    with record(steps=True) as launches:
        add_kernel[(2,)](torch.arange(float(size)), torch.zeros(size), n, BLOCK=4)
    return launches


def test_each_line_has_its_names_with_the_values_of_a_program() -> None:
    steps = steps_of(record_add(), 1)
    arguments, lines = steps[:4], steps[4:]
    assert [each.step.name for each in arguments] == ["x_ptr", "out_ptr", "n", "BLOCK"]
    assert [each.step.name for each in lines] == ["offsets", "mask", "x", ""]
    first = add_kernel.fn.__code__.co_firstlineno + 1
    assert [each.step.line.number - first for each in lines] == [1, 2, 3, 4]
    assert step_named(steps, "offsets").value.numbers.tolist() == [4, 5, 6, 7]
    assert step_named(steps, "offsets").value.dtype == "int32"
    assert step_named(steps, "mask").value.numbers.tolist() == [True, True, False, False]


def test_a_load_says_where_and_which_elements_nothing_defines() -> None:
    x = step_named(steps_of(record_add(), 1), "x")
    assert (x.step.operation, x.value.shape) == ("load", (4,))
    assert x.pointer is not None
    assert (x.pointer.argument, x.pointer.numbers.tolist()) == ("x_ptr", [4, 5, 6, 7])
    assert x.mask is not None
    assert x.value.undefined is not None
    assert x.value.undefined.tolist() == [False, False, True, True]
    assert x.value.numbers[:2].tolist() == [4.0, 5.0]


def test_a_store_is_a_step_without_a_name() -> None:
    store = steps_of(record_add(), 0)[-1]
    assert (store.step.name, store.step.operation) == ("", "store")
    assert store.pointer is not None
    assert store.pointer.argument == "out_ptr"
    assert store.value.numbers.tolist() == [1.0, 2.0, 3.0, 4.0]


def test_a_view_counts_from_its_own_first_element() -> None:
    with record(steps=True) as launches:
        add_kernel[(1,)](torch.arange(10.0)[3:], torch.zeros(4), 4, BLOCK=4)
    x = step_named(steps_of(launches, 0), "x")
    assert x.pointer is not None
    assert x.pointer.numbers.tolist() == [0, 1, 2, 3]
    assert x.value.numbers.tolist() == [3.0, 4.0, 5.0, 6.0]


def test_loops_count_their_iterations_and_functions_their_depth() -> None:
    with record(steps=True) as launches:
        loop_kernel[(1,)](torch.ones(16), torch.zeros(1), 2, BLOCK=4)
    steps = [each for each in steps_of(launches, 0) if each.step.operation != "argument"]
    assert [each.step.iteration for each in steps if each.step.name == "row"] == [(0,), (1,)]
    blocks = [each.step.iteration for each in steps if each.step.name == "block"]
    assert blocks == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert {(each.step.function, each.step.depth) for each in steps} == {("loop_kernel", 0), ("helper", 1)}
    assert [each.value.numbers.item() for each in steps if each.step.name == "total"] == [0.0, 12.0, 24.0, 36.0, 48.0]
    assert [each.value.numbers.item() for each in steps if each.step.operation == "sum"] == [12.0] * 4
    assert [each.step.depth for each in steps if each.step.operation == "return"] == [1] * 4


# fmt: off
@triton.jit
def one_line_loops_kernel(x_ptr, out_ptr, n):
    total, count = 0.0, 0
    for _ in range(2):
        for i in range(3): total = total + tl.load(x_ptr + i)  # noqa: E701
    while count < n: count = count + 1  # noqa: E701
    tl.store(out_ptr, total + count)
# fmt: on


def test_a_loop_on_one_line_has_all_its_iterations() -> None:
    with record(steps=True) as launches:
        one_line_loops_kernel[(1,)](torch.tensor([1.0, 2.0, 3.0]), torch.zeros(1), 2)
    steps = steps_of(launches, 0)
    inner = [(row, number) for row in range(2) for number in range(3)]
    for name, values in {"total": [0.0, 1.0, 3.0, 6.0, 7.0, 9.0, 12.0], "count": [0, 1, 2]}.items():
        assert [each.value.numbers.item() for each in steps if each.step.name == name] == values
    assert [each.step.iteration for each in steps if each.step.name == "i"] == inner
    assert [each.step.iteration for each in steps if each.step.operation == "load"] == inner
    assert [each.step.iteration for each in steps if each.step.name == "count"] == [(), (0,), (1,)]


def test_programs_that_part_have_the_steps_of_their_own_branch() -> None:
    x = torch.tensor([1.0, -1.0, 1.0, -1.0])
    with record(steps=True) as launches:
        branch_kernel[(4,)](x, torch.zeros(4, dtype=torch.int32))
    for program in range(4):
        steps = [each for each in steps_of(launches, program) if each.step.operation != "argument"]
        assert [name for name, _ in named(steps)] == ["pid", "before", "load", "side", "store"]
        side = step_named(steps, "side")
        assert side.value.numbers.item() == program + 10 + (1 if program % 2 == 0 else -1)


def test_programs_that_run_one_by_one_have_their_steps(capsys: pytest.CaptureFixture[str]) -> None:
    with record(steps=True) as launches:
        print_kernel[(3,)](torch.zeros(3, dtype=torch.int32))
    assert launches[0].one_by_one
    assert capsys.readouterr().out
    assert [step_named(steps_of(launches, each), "square").value.numbers.item() for each in range(3)] == [0, 1, 4]


def test_atomics_are_steps() -> None:
    with record(steps=True) as launches:
        count_kernel[(3,)](torch.zeros(2, dtype=torch.int32))
    steps = steps_of(launches, 2)
    assert [(each.step.name, each.step.operation) for each in steps[1:]] == [("old", "atomic_add"), ("", "atomic_max")]
    assert steps[1].value.numbers.item() == 2


@triton.jit
def both(x):
    return x + 1, x * 2


@triton.jit
def pairs_kernel(x_ptr, out_ptr, sizes, N: tl.constexpr):
    offsets = tl.arange(0, N)
    x = tl.load(x_ptr + offsets)
    up, twice = both(x)
    pair = (up, offsets)
    ordered = tl.sort(x)
    tl.atomic_add(out_ptr + offsets, twice + sizes[0] + ordered + pair[0])


def test_tuples_have_their_parts_and_atomics_what_they_add() -> None:
    with record(steps=True) as launches:
        pairs_kernel[(1,)](torch.arange(4.0), torch.ones(4), (2, 3), N=4)
    steps = steps_of(launches, 0)
    returned = next(each for each in steps if each.step.operation == "return")
    assert [part.numbers.tolist() for _, part in returned.value.parts] == [[1, 2, 3, 4], [0, 2, 4, 6]]
    pair = step_named(steps, "pair")
    assert [part.dtype for _, part in pair.value.parts] == ["fp32", "int32"]
    atomic = steps[-1]
    assert atomic.operand is not None
    assert (atomic.step.operation, atomic.value.numbers.tolist()) == ("atomic_add", [1, 1, 1, 1])
    assert atomic.operand.numbers.tolist() == [3, 7, 11, 15]
    assert not [each for each in steps if each.step.operation in ("xor", "max", "min")]  # the insides of tl.sort
    text = launches[0].text()
    assert "return: (fp32[4] 1 … 4, fp32[4] 0 … 6)" in text
    assert "up: fp32[4]  1 … 4" in text
    assert "twice: fp32[4]  0 … 6" in text
    assert "3 … 15  ⇄ out_ptr[0 … 3], before all 1" in text
    assert "both, test_steps.py:" in text


def test_only_some_launches_are_kept_if_asked() -> None:
    with record(steps=StepOptions(launches=(1,))) as launches:
        for _ in range(3):
            add_kernel[(1,)](torch.ones(4), torch.zeros(4), 4, BLOCK=4)
    assert [launch.steps is not None for launch in launches] == [False, True, False]


def test_a_launch_that_ends_in_a_fault_keeps_its_steps() -> None:
    launches = record_add(n=100, size=6)
    assert launches[0].faults
    assert step_named(steps_of(launches, 1), "mask").value.numbers.all()


def test_a_kernel_that_raises_keeps_the_steps_before() -> None:
    @triton.jit
    def wrong_kernel(x_ptr):
        first = tl.arange(0, 4)
        second = first + tl.arange(0, 8)
        tl.store(x_ptr + second, second)

    with record(steps=True) as launches, pytest.raises(Exception, match="incompatible dimensions"):
        wrong_kernel[(1,)](torch.zeros(8))
    names = [each.step.name for each in steps_of(launches, 0)]
    assert "first" in names
    assert "second" not in names


def test_only_some_programs_are_kept_if_asked() -> None:
    with record(steps=StepOptions(programs=(1,))) as launches:
        add_kernel[(2,)](torch.arange(8.0), torch.zeros(8), 8, BLOCK=4)
    assert steps_of(launches, 0) == []
    assert step_named(steps_of(launches, 1), "x").value.numbers.tolist() == [4.0, 5.0, 6.0, 7.0]
    assert [each.step.name for each in steps_of(launches, 1)][4:] == ["offsets", "mask", "x", ""]


def test_memory_is_bounded_and_the_record_says_what_is_missing() -> None:
    most = 100_000
    with record(steps=StepOptions(max_bytes=most)) as launches:
        add_kernel[(4096,)](torch.zeros(4096 * 64), torch.zeros(4096 * 64), 4096 * 64, BLOCK=64)
    steps = launches[0].steps
    assert steps is not None
    assert 1 <= steps.programs < 4096
    assert steps.omitted == (
        f"Only programs 0 to {steps.programs - 1} of 4,096 are recorded, as all take more than 97 kB."
    )
    last = steps.programs - 1
    assert step_named(steps.of(last), "offsets").value.numbers[0] == 64 * last
    assert not steps.of(steps.programs)
    assert all(len(step.programs) for step in steps.all)
    arrays = {
        id(array): array.nbytes
        for step in steps.all
        for value in (step.value, step.pointer, step.mask)
        if value is not None
        for array in value.arrays()
    }
    assert sum(arrays.values()) <= most


def test_too_many_steps_end_the_record() -> None:
    with record(steps=StepOptions(max_bytes=6 * 1024)) as launches:
        add_kernel[(1,)](torch.ones(4), torch.zeros(4), 4, BLOCK=4)
    assert launches[0].steps is not None
    assert 0 < len(launches[0].steps.all) < 8
    assert launches[0].steps.omitted == "The last steps are missing, as all take more than 6 kB."


def test_all_launches_of_a_record_share_its_memory() -> None:
    with record(steps=StepOptions(max_bytes=60_000)) as launches:
        for _ in range(40):
            add_kernel[(1,)](torch.ones(4), torch.zeros(4), 4, BLOCK=4)
    steps = [launch.steps for launch in launches if launch.steps is not None]
    assert len(steps) == 40
    assert len(steps[0].all) > len(steps[-1].all) == 0
    assert steps[-1].omitted
    assert sum(each.nbytes for each in steps) <= 60_000


def test_without_asking_there_are_no_steps_and_no_tracing() -> None:
    seen = []
    with record() as launches:
        add_kernel[(1,)](torch.ones(4), torch.zeros(4), 4, BLOCK=4)
        seen.append(sys.gettrace())
    assert launches[0].steps is None
    assert seen == [sys.gettrace()]


def test_tracing_of_others_comes_back() -> None:
    def trace(*_: object) -> None: ...

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        record_add()
        assert sys.gettrace() is trace
    finally:
        sys.settrace(before)


def test_the_values_are_those_of_the_moment() -> None:
    out = torch.zeros(4)
    with record(steps=True) as launches:
        add_kernel[(1,)](out, out, 4, BLOCK=4)
    np.testing.assert_array_equal(step_named(steps_of(launches, 0), "x").value.numbers, np.zeros(4))
    assert out.tolist() == [1.0] * 4
