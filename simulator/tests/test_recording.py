"""Recordings get every launch until they end, and say whether faults raise."""

from __future__ import annotations

import pickle

import pytest
import torch
import triton
import triton.language as tl

from triton_simulator import KernelFaults, SimulatorError, UndefinedResult, record
from triton_simulator.lines import error_line


@triton.jit
def reads(x_ptr, out_ptr, n, B: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, B), mask=tl.arange(0, B) < n)
    tl.store(out_ptr, tl.sum(x))


def launch(n: int, size: int = 4) -> None:
    reads[(1,)](torch.ones(4), torch.empty(1), n, size)


def test_a_recording_keeps_faults_unless_it_is_to_raise() -> None:
    with record() as kept:
        launch(8, 8)
    with record(raises=True) as raised, pytest.raises(KernelFaults, match=r"x_ptr\[4\.\.7\]"):
        launch(8, 8)
    assert [len(each.faults) for each in (*kept, *raised)] == [1, 1]


def test_of_nested_recordings_the_inner_one_says_whether_faults_raise_and_both_get_the_launch() -> None:
    with record() as outer, record(raises=True) as inner, pytest.raises(KernelFaults):
        launch(8, 8)
    with record(raises=True) as strict, record() as lenient:
        launch(8, 8)
    assert [len(each) for each in (outer, inner, strict, lenient)] == [1, 1, 1, 1]


def test_recordings_end_their_own_in_any_order() -> None:
    first, second = record(), record()
    of_first, of_second = first.__enter__(), second.__enter__()
    first.__exit__(None, None, None)
    launch(4)
    second.__exit__(None, None, None)
    assert (len(of_first), len(of_second)) == (0, 1)
    with pytest.raises(KernelFaults):
        launch(8, 8)


def test_what_was_not_asked_for_is_none() -> None:
    with record() as plain:
        launch(4)
    with record(writes=True, coalescing=True) as asked:
        launch(4)
    assert (plain[0].writes, plain[0].counts.coalescing) == (None, None)
    assert asked[0].writes
    assert asked[0].counts.coalescing is not None


def test_undefined_results_warn_where_faults_raise() -> None:
    with record() as launches:
        launch(2)
    assert launches[0].undefined
    with record(raises=True), pytest.warns(UndefinedResult):
        launch(2)


def test_faults_travel_between_processes() -> None:
    with pytest.raises(KernelFaults) as caught:
        launch(8, 8)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (str(copy), copy.faults, copy.kernel) == (str(caught.value), caught.value.faults, "reads")


def test_a_grid_of_four_axes_is_misuse() -> None:
    with pytest.raises(SimulatorError, match=r"expected a grid of 1 to 3 dimensions, got 4: \(1, 1, 1, 1\)"):
        reads[(1, 1, 1, 1)](torch.ones(4), torch.empty(1), 4, 4)


@triton.jit
def threads_and_programs_race(out_ptr, last_ptr, N: tl.constexpr):
    own = out_ptr + tl.program_id(0) * N
    tl.store(own + tl.arange(0, N), tl.arange(0, N) + 1)
    backwards = tl.load(own + N - 1 - tl.arange(0, N))
    tl.store(last_ptr, tl.program_id(0) + tl.sum(backwards))


def test_a_race_between_programs_comes_before_one_between_threads() -> None:
    arguments = torch.zeros(4 * 512, dtype=torch.int32), torch.zeros(1, dtype=torch.int32)
    with record(steps=True) as launches:
        threads_and_programs_race[(4,)](*arguments, N=512)
    threads, programs = launches[0].faults
    assert (threads.earlier is None, programs.earlier is None) == (False, True)
    message = str(KernelFaults("kernel", launches[0].faults))
    assert message.startswith(f"kernel: {programs.summary}")
    assert (threads.program, programs.program) == ((0,), (1,))
    assert launches[0].text().startswith("threads_and_programs_race: program 1,")


@pytest.mark.parametrize("length", [1, 2, 3])
def test_the_line_of_an_error_is_found_in_a_circle_of_causes(length: int) -> None:
    errors = [ValueError(number) for number in range(length)]
    for error, cause in zip(errors, [*errors[1:], errors[0]], strict=True):
        error.__cause__ = cause
    assert error_line(errors[0]) is None
