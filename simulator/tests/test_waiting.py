"""Programs that wait for each other, whichever of them comes first: right values, and no fault."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import triton
import triton.language as tl

from triton_simulator import record

P = 6


def flags(size: int = 1) -> torch.Tensor:
    return torch.zeros(size, dtype=torch.int32)


def zeros(size: int) -> torch.Tensor:
    return torch.zeros(size)


Case = tuple[Any, Callable[[], tuple[Any, ...]], list[float]]
CASES: list[Case] = []


def gives(arguments: Callable[[], tuple[Any, ...]], *expected: float) -> Callable[[Any], Any]:
    """The kernel's first argument holds these values in the end."""
    return lambda kernel: CASES.append((kernel, arguments, list(expected))) or kernel


@gives(lambda: (zeros(P), zeros(P), flags()), 15, 15, 15, 15, 15, 15)
@triton.jit
def a_grid_barrier_by_an_atomic(out_ptr, x_ptr, counter_ptr):
    pid = tl.program_id(0)
    tl.store(x_ptr + pid, pid)
    tl.atomic_add(counter_ptr, 1)
    while tl.atomic_add(counter_ptr, 0) < tl.num_programs(0):
        pass
    at = tl.arange(0, 8)
    tl.store(out_ptr + pid, tl.sum(tl.load(x_ptr + at, mask=at < 6, other=0.0)))


@gives(lambda: (zeros(P), zeros(P), flags()), 15, 16, 15, 16, 15, 16)
@triton.jit
def a_grid_barrier_by_a_volatile_load_and_then_a_branch(out_ptr, x_ptr, counter_ptr):
    pid = tl.program_id(0)
    tl.store(x_ptr + pid, pid)
    tl.debug_barrier()
    tl.atomic_add(counter_ptr, 1)
    while tl.load(counter_ptr, volatile=True) < tl.num_programs(0):
        pass
    tl.debug_barrier()
    at = tl.arange(0, 8)
    total = tl.sum(tl.load(x_ptr + at, mask=at < 6, other=0.0))
    if pid % 2 == 1:
        total += 1.0
    tl.store(out_ptr + pid, total)


@gives(lambda: (zeros(P), flags(2)), 3, 3, 3, 3, 3, 3)
@triton.jit
def three_rounds_with_a_barrier_after_each(x_ptr, counter_ptr):
    pid = tl.program_id(0)
    programs = tl.num_programs(0)
    for turn in range(3):
        left = tl.load(x_ptr + (pid + programs - 1) % programs)
        tl.atomic_add(counter_ptr, 1)
        while tl.atomic_add(counter_ptr, 0) < programs * (2 * turn + 1):
            pass
        tl.store(x_ptr + pid, left + 1)
        tl.atomic_add(counter_ptr, 1)
        while tl.atomic_add(counter_ptr, 0) < programs * (2 * turn + 2):
            pass


@gives(lambda: (zeros(P), flags(P)), 15, 15, 14, 12, 9, 5)
@triton.jit
def each_waits_for_the_next(x_ptr, flag_ptr):
    pid = tl.program_id(0)
    after = 0.0
    if pid < tl.num_programs(0) - 1:
        while tl.atomic_cas(flag_ptr + pid + 1, 1, 1) != 1:
            pass
        after = tl.load(x_ptr + pid + 1)
    tl.store(x_ptr + pid, after + pid)
    tl.debug_barrier()
    tl.atomic_xchg(flag_ptr + pid, 1)


@gives(lambda: (zeros(P), flags(P)), 15, 15, 14, 12, 9, 5)
@triton.jit
def a_plain_store_raises_the_flag(x_ptr, flag_ptr):
    pid = tl.program_id(0)
    after = 0.0
    if pid < tl.num_programs(0) - 1:
        while tl.load(flag_ptr + pid + 1, volatile=True) == 0:
            pass
        after = tl.load(x_ptr + pid + 1)
    tl.store(x_ptr + pid, after + pid)
    tl.debug_barrier()
    tl.store(flag_ptr + pid, 1)


@gives(lambda: (zeros(P), flags(P)), 15, 15, 14, 12, 9, 5)
@triton.jit
def the_flag_is_taken_down_by_whoever_waited(x_ptr, flag_ptr):
    pid = tl.program_id(0)
    after = 0.0
    if pid < tl.num_programs(0) - 1:
        while tl.atomic_cas(flag_ptr + pid + 1, 1, 0) != 1:
            pass
        after = tl.load(x_ptr + pid + 1)
    tl.store(x_ptr + pid, after + pid)
    tl.debug_barrier()
    tl.store(flag_ptr + pid, 1)


@gives(lambda: (zeros(P), zeros(P), flags(P)), 0, 1, 3, 6, 10, 15)
@triton.jit
def decoupled_look_back(prefix_ptr, sum_ptr, state_ptr):
    pid = tl.program_id(0)
    own = pid * 1.0
    tl.store(sum_ptr + pid, own)
    tl.atomic_xchg(state_ptr + pid, 1, sem="release")
    total = own
    before = pid - 1
    while before >= 0:
        state = tl.atomic_add(state_ptr + before, 0, sem="acquire")
        while state == 0:
            state = tl.atomic_add(state_ptr + before, 0, sem="acquire")
        if state == 2:
            total += tl.load(prefix_ptr + before)
            before = -1
        else:
            total += tl.load(sum_ptr + before)
            before -= 1
    tl.store(prefix_ptr + pid, total)
    tl.atomic_xchg(state_ptr + pid, 2, sem="release")


def _lock(release: str, sem: str | None = None) -> Case:
    def arguments() -> tuple[Any, ...]:
        return zeros(2), flags(), release, sem

    return a_lock, arguments, [15, 6]


@triton.jit
def a_lock(x_ptr, lock_ptr, RELEASE: tl.constexpr, SEM: tl.constexpr):
    while tl.atomic_cas(lock_ptr, 0, 1, sem=SEM) == 1:
        pass
    tl.store(x_ptr, tl.load(x_ptr) + tl.program_id(0))
    tl.store(x_ptr + 1, tl.load(x_ptr + 1) + 1)
    tl.debug_barrier()
    if RELEASE == "exchange":
        tl.atomic_xchg(lock_ptr, 0)
    elif RELEASE == "compare":
        tl.atomic_cas(lock_ptr, 1, 0)
    elif RELEASE == "add":
        tl.atomic_add(lock_ptr, -1)
    else:
        tl.store(lock_ptr, 0)


CASES += [_lock(release) for release in ("exchange", "compare", "add", "store")]
CASES += [_lock("exchange", sem) for sem in ("acquire", "release", "acq_rel", "relaxed")]


@gives(lambda: (zeros(1), flags()), 15)
@triton.jit
def a_lock_by_an_exchange(x_ptr, lock_ptr):
    while tl.atomic_xchg(lock_ptr, 1) == 1:
        pass
    tl.store(x_ptr, tl.load(x_ptr) + tl.program_id(0))
    tl.debug_barrier()
    tl.store(lock_ptr, 0)


@gives(lambda: (zeros(1), zeros(P), flags()), 15)
@triton.jit
def the_last_program_adds_up(out_ptr, partial_ptr, counter_ptr):
    pid = tl.program_id(0)
    tl.store(partial_ptr + pid, pid)
    tl.debug_barrier()
    if tl.atomic_add(counter_ptr, 1) == tl.num_programs(0) - 1:
        at = tl.arange(0, 8)
        tl.store(out_ptr, tl.sum(tl.load(partial_ptr + at, mask=at < 6, other=0.0)))


@gives(lambda: (zeros(1), zeros(P), flags(P)), 15)
@triton.jit
def the_first_program_waits_for_all_flags_at_once(out_ptr, partial_ptr, flag_ptr):
    pid = tl.program_id(0)
    if pid == 0:
        at = tl.arange(0, 8)
        while tl.sum(tl.load(flag_ptr + at, mask=at < 6, other=0, volatile=True)) < tl.num_programs(0) - 1:
            pass
        tl.store(out_ptr, tl.sum(tl.load(partial_ptr + at, mask=at < 6, other=0.0)))
    else:
        tl.store(partial_ptr + pid, pid)
        tl.debug_barrier()
        tl.atomic_xchg(flag_ptr + pid, 1, sem="release")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].fn.__name__)
def test_programs_that_wait_for_each_other_are_right(case: Case) -> None:
    kernel, make, expected = case
    arguments = make()
    with record() as launches:
        kernel[(P,)](*arguments)
    assert launches[0].faults == (), str(launches[0].faults[0])
    assert arguments[0].tolist()[: len(expected)] == expected


@triton.jit
def prints_and_waits(x_ptr, flag_ptr):
    pid = tl.program_id(0)
    print("start", pid)
    if pid == 0:
        while tl.atomic_add(flag_ptr, 0, sem="relaxed") == 0:
            pass
    else:
        tl.atomic_xchg(flag_ptr, 1, sem="relaxed")
    print("end", pid)


def test_a_program_that_waits_prints_once(capsys: pytest.CaptureFixture[str]) -> None:
    prints_and_waits[(2,)](zeros(1), flags())
    assert capsys.readouterr().out.splitlines() == ["start 0", "start 1", "end 1", "end 0"]


@triton.jit
def waits_for_nobody(flag_ptr):
    while tl.atomic_add(flag_ptr + tl.program_id(0), 0) == 0:  # HERE
        pass


@pytest.mark.parametrize("programs", [1, 5])
def test_a_wait_that_nobody_ends_is_a_fault(programs: int) -> None:
    with record() as launches:
        waits_for_nobody[(programs,)](flags(programs))
    (fault,) = launches[0].faults
    assert fault.kind == "endless-wait"
    assert "# HERE" in fault.line.text


@triton.jit
def fails_while_another_one_waits(flag_ptr):
    if tl.program_id(0) < 2:
        while tl.atomic_add(flag_ptr, 0) == 0:
            pass
    else:
        raise ValueError("the kernel's own mistake")


def test_an_error_ends_the_programs_that_wait() -> None:
    with pytest.raises(Exception, match="own mistake"):
        fails_while_another_one_waits[(4,)](flags())
