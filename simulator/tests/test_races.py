"""Programs that meet at an element: atomics that order them make it right, nothing else does."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import triton
import triton.language as tl

from triton_simulator import Fault, record
from triton_simulator.races.names import Names

P = 8


def zeros(*shape: int) -> torch.Tensor:
    return torch.zeros(*shape)


def flags(size: int = 1) -> torch.Tensor:
    return torch.zeros(size, dtype=torch.int32)


def faults(kernel: Any, grid: tuple[int, ...], *arguments: object) -> tuple[Fault, ...]:
    with record() as launches:
        kernel[grid](*arguments)
    return launches[0].faults


Case = tuple[Any, Callable[[], tuple[object, ...]]]
RIGHT: list[Case] = []
WRONG: list[Case] = []


def right(arguments: Callable[[], tuple[object, ...]]) -> Callable[[Any], Any]:
    return lambda kernel: RIGHT.append((kernel, arguments)) or kernel


def wrong(arguments: Callable[[], tuple[object, ...]]) -> Callable[[Any], Any]:
    """Races, one of them on the line marked `# HERE`."""
    return lambda kernel: WRONG.append((kernel, arguments)) or kernel


@right(lambda: (zeros(P), flags()))
@triton.jit
def the_last_program_overwrites_what_all_have_loaded(x_ptr, counter_ptr):
    total = tl.sum(tl.load(x_ptr + tl.arange(0, 8)))
    if tl.atomic_add(counter_ptr, 1) == tl.num_programs(0) - 1:
        tl.store(x_ptr + tl.arange(0, 8), total + tl.arange(0, 8))


@right(lambda: (zeros(4), zeros(1), flags()))
@triton.jit
def relaxed_atomics_and_a_counter_that_orders(bins_ptr, out_ptr, counter_ptr):
    tl.atomic_add(bins_ptr + tl.arange(0, 4), 1.0, sem="relaxed")
    if tl.atomic_add(counter_ptr, 1) == tl.num_programs(0) - 1:
        tl.store(out_ptr, tl.sum(tl.load(bins_ptr + tl.arange(0, 4))))


@right(lambda: (zeros(1), zeros(1), flags()))
@triton.jit
def one_releases_and_the_others_acquire(data_ptr, out_ptr, flag_ptr):
    if tl.program_id(0) == 0:
        tl.store(data_ptr, 42.0)
        tl.atomic_xchg(flag_ptr, 1, sem="release")
    elif tl.atomic_add(flag_ptr, 0, sem="acquire") == 1:
        tl.atomic_add(out_ptr, tl.load(data_ptr))


@right(lambda: (zeros(P), flags(P)))
@triton.jit
def each_waits_for_the_one_before(x_ptr, flag_ptr):
    pid = tl.program_id(0)
    sum_before = 0.0
    if pid > 0:
        while tl.atomic_add(flag_ptr + pid - 1, 0) == 0:
            pass
        sum_before = tl.load(x_ptr + pid - 1)
    tl.store(x_ptr + pid, sum_before + pid)
    tl.atomic_xchg(flag_ptr + pid, 1)


@right(lambda: (zeros(1), flags()))
@triton.jit
def a_lock_held_until_the_store(total_ptr, lock_ptr):
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(total_ptr, tl.load(total_ptr) + tl.program_id(0))
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


@right(lambda: (zeros(1), zeros(P)))
@triton.jit
def a_volatile_load_only_wants_to_know_how_far_it_got(sum_ptr, out_ptr):
    tl.atomic_add(sum_ptr, 1.0)
    tl.store(out_ptr + tl.program_id(0), tl.load(sum_ptr, volatile=True) * 0.0)


@right(lambda: (zeros(1), zeros(P)))
@triton.jit
def an_atomic_may_replace_the_programs_own_store(x_ptr, out_ptr):
    pid = tl.program_id(0)
    tl.store(out_ptr + pid, 1.0)
    tl.atomic_add(out_ptr + pid, 1.0)
    tl.store(out_ptr + pid, tl.load(out_ptr + pid) * 2.0)


@right(lambda: (zeros(2), flags()))
@triton.jit
def a_one_element_block_orders_too(x_ptr, counter_ptr):
    pid = tl.program_id(0)
    if pid == 0:
        tl.store(x_ptr, 3.0)
    one = tl.arange(0, 1)
    before = tl.atomic_add(counter_ptr + one, 1)
    if tl.sum(before) == tl.num_programs(0) - 1:
        tl.store(x_ptr + 1, tl.load(x_ptr))


@right(lambda: (torch.ones(P), zeros(P)))
@triton.jit
def what_is_stored_was_there_already(x_ptr, out_ptr):
    pid = tl.program_id(0)
    tl.store(x_ptr + pid, 1.0)
    tl.store(out_ptr + pid, tl.sum(tl.load(x_ptr + tl.arange(0, 8))))


@right(lambda: (zeros(1), zeros(P)))
@triton.jit
def all_store_the_same_and_load_it(x_ptr, out_ptr):
    tl.store(x_ptr, 7.0)
    tl.store(out_ptr + tl.program_id(0), tl.load(x_ptr))


@right(lambda: (zeros(8), zeros(P)))
@triton.jit
def all_store_the_same_row_and_load_it(x_ptr, out_ptr):
    pid = tl.program_id(0)
    at = tl.arange(0, 8)
    tl.store(x_ptr + (at + pid) % 8, 7.0)
    tl.store(out_ptr + pid, tl.sum(tl.load(x_ptr + at)))


@wrong(lambda: (zeros(1), zeros(P)))
@triton.jit
def one_stores_what_was_there_and_another_one_something_else(x_ptr, out_ptr):
    pid = tl.program_id(0)
    tl.store(out_ptr + pid, tl.load(out_ptr + pid) + 1)
    tl.store(x_ptr, pid)  # HERE
    tl.store(out_ptr + pid, tl.load(x_ptr) * 0)


@wrong(lambda: (zeros(P), zeros(P)))
@triton.jit
def some_stores_are_what_was_there_already(x_ptr, out_ptr):
    pid = tl.program_id(0)
    tl.store(x_ptr + pid, pid // 4)
    tl.store(out_ptr + pid, tl.sum(tl.load(x_ptr + tl.arange(0, 8))))  # HERE


@wrong(lambda: (zeros(1), flags()))
@triton.jit
def a_lock_released_before_the_store(total_ptr, lock_ptr):
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    total = tl.load(total_ptr)  # HERE
    tl.atomic_xchg(lock_ptr, 0)
    tl.store(total_ptr, total + tl.program_id(0) + 1)


@wrong(lambda: (zeros(P), zeros(1), flags()))
@triton.jit
def stores_after_it_has_counted(partial_ptr, out_ptr, counter_ptr):
    pid = tl.program_id(0)
    done = tl.atomic_add(counter_ptr, 1)
    tl.store(partial_ptr + pid, pid + 1.0)
    if done == tl.num_programs(0) - 1:
        tl.store(out_ptr, tl.sum(tl.load(partial_ptr + tl.arange(0, 8))))  # HERE


@wrong(lambda: (zeros(P), zeros(1), flags()))
@triton.jit
def a_relaxed_counter_orders_nothing(partial_ptr, out_ptr, counter_ptr):
    pid = tl.program_id(0)
    tl.store(partial_ptr + pid, pid + 1.0)
    if tl.atomic_add(counter_ptr, 1, sem="relaxed") == tl.num_programs(0) - 1:
        tl.store(out_ptr, tl.sum(tl.load(partial_ptr + tl.arange(0, 8))))  # HERE


@wrong(lambda: (zeros(P), zeros(1), flags()))
@triton.jit
def a_counter_that_only_releases(partial_ptr, out_ptr, counter_ptr):
    pid = tl.program_id(0)
    tl.store(partial_ptr + pid, pid + 1.0)
    if tl.atomic_add(counter_ptr, 1, sem="release") == tl.num_programs(0) - 1:
        tl.store(out_ptr, tl.sum(tl.load(partial_ptr + tl.arange(0, 8))))  # HERE


@wrong(lambda: (zeros(P), zeros(1), flags()))
@triton.jit
def a_counter_that_only_acquires(partial_ptr, out_ptr, counter_ptr):
    pid = tl.program_id(0)
    tl.store(partial_ptr + pid, pid + 1.0)
    if tl.atomic_add(counter_ptr, 1, sem="acquire") == tl.num_programs(0) - 1:
        tl.store(out_ptr, tl.sum(tl.load(partial_ptr + tl.arange(0, 8))))  # HERE


@wrong(lambda: (zeros(P), zeros(1), flags(P)))
@triton.jit
def counts_at_an_address_of_its_own(partial_ptr, out_ptr, counter_ptr):
    pid = tl.program_id(0)
    tl.store(partial_ptr + pid, pid + 1.0)
    tl.atomic_add(counter_ptr + pid, 1)
    if pid == tl.num_programs(0) - 1:
        tl.store(out_ptr, tl.sum(tl.load(partial_ptr + tl.arange(0, 8))))  # HERE


@wrong(lambda: (zeros(1),))
@triton.jit
def the_first_program_clears_what_the_others_add_to(out_ptr):
    if tl.program_id(0) == 0:
        tl.store(out_ptr, 0.0)
    tl.atomic_add(out_ptr, 1.0)  # HERE


@wrong(lambda: (torch.ones(1),))
@triton.jit
def the_last_program_halves_what_the_others_add_to(out_ptr):
    tl.atomic_add(out_ptr, 1.0, sem="relaxed")
    if tl.program_id(0) == tl.num_programs(0) - 1:
        tl.store(out_ptr, 0.5)  # HERE


@wrong(lambda: (zeros(1), zeros(P)))
@triton.jit
def loads_a_sum_that_others_still_add_to(sum_ptr, out_ptr):
    pid = tl.program_id(0)
    tl.atomic_add(sum_ptr, pid + 1.0, sem="relaxed")
    tl.store(out_ptr + pid, tl.load(sum_ptr))  # HERE


def named(case: Case) -> str:
    return str(case[0].fn.__name__)


@right(lambda: (flags(4), flags(4), flags()))
@triton.jit
def claims_in_either_of_two(left_ptr, right_ptr, count_ptr):
    """A compare-and-swap waits for the value that it finds, wherever its pointer comes from."""
    pid = tl.program_id(0)
    pointer = tl.where(pid % 2 == 0, left_ptr, right_ptr)
    if pid < 2:
        tl.store(pointer, 1)
        tl.atomic_add(count_ptr, 1)
    else:
        while tl.atomic_cas(pointer, 1, 2) == 0:
            pass


@pytest.mark.parametrize("case", RIGHT, ids=named)
def test_what_an_atomic_orders_is_no_race(case: Case) -> None:
    kernel, arguments = case
    assert faults(kernel, (P,), *arguments()) == ()


@pytest.mark.parametrize("case", WRONG, ids=named)
def test_what_no_atomic_orders_is_a_race(case: Case) -> None:
    kernel, arguments = case
    found = faults(kernel, (P,), *arguments())
    assert {fault.kind for fault in found} == {"race"}
    assert any("# HERE" in fault.line.text for fault in found)


@triton.jit
def many_events_and_a_counter(partial_ptr, out_ptr, counter_ptr, ORDERED: tl.constexpr):
    pid = tl.program_id(0)
    for _ in range(20):
        tl.atomic_add(counter_ptr + 1, 1)
    tl.store(partial_ptr + pid, pid + 1.0)
    done = pid
    if ORDERED:
        done = tl.atomic_add(counter_ptr, 1)
    if done == tl.num_programs(0) - 1:
        tl.store(out_ptr, tl.sum(tl.load(partial_ptr + tl.arange(0, 8))))


@pytest.mark.parametrize(("ordered", "kinds"), [(True, []), (False, ["race"])])
def test_more_events_than_there_was_room_for_are_still_known(
    monkeypatch: pytest.MonkeyPatch, ordered: bool, kinds: list[str]
) -> None:
    monkeypatch.setattr("triton_simulator.races.races.MIN_EVENTS", 1)
    found = faults(many_events_and_a_counter, (P,), zeros(P), zeros(1), flags(2), ordered)
    assert [fault.kind for fault in found] == kinds


@triton.jit
def in_place(x_ptr, BLOCK: tl.constexpr, SHIFT: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + (at + SHIFT) % (tl.num_programs(0) * BLOCK))
    tl.store(x_ptr + at, x + 1)


@pytest.mark.parametrize(("shift", "kinds"), [(0, []), (1, ["race"])])
def test_races_are_found_where_memory_is_too_short_for_all_programs_names(
    monkeypatch: pytest.MonkeyPatch, shift: int, kinds: list[str]
) -> None:
    monkeypatch.setattr("triton_simulator.races.races.SLACK_BYTES", 0)
    x = torch.zeros(4096, dtype=torch.float16)
    with record() as launches:
        in_place[(1024,)](x, BLOCK=4, SHIFT=shift)
    assert sorted({fault.kind for fault in launches[0].faults}) == kinds


def test_a_shadow_without_room_never_takes_one_program_for_two() -> None:
    kind = Names(np.dtype("u1"), exact=False)
    owners = np.arange(100_000)
    names = kind.encode(owners, owners, atomic=False)
    assert names.min() >= 2
    assert names.max() < kind.several
    assert (names == kind.encode(owners, owners + 7, atomic=False)).all()


BLOCK = 256


def block() -> torch.Tensor:
    return torch.zeros(BLOCK)


@triton.jit
def counts_and_loads(counter_ptr, out_ptr):
    tl.atomic_add(counter_ptr, 1)  # LINE
    tl.store(out_ptr + tl.program_id(0), tl.load(counter_ptr))  # PEER


@triton.jit
def clears_and_adds(out_ptr):
    if tl.program_id(0) == 0:
        tl.store(out_ptr, 1.0)  # PEER
    tl.atomic_add(out_ptr, 1.0)  # LINE


@triton.jit
def shifts(x_ptr):
    at = tl.program_id(0) * 4 + tl.arange(0, 4)
    x = tl.load(x_ptr + at)  # LINE
    tl.store(x_ptr + at + 1, x + 2)  # PEER


@triton.jit
def store_different_values(x_ptr):
    if tl.program_id(0) == 0:
        tl.store(x_ptr, 1.0)  # PEER
    else:
        tl.store(x_ptr, 2.0)  # LINE


@triton.jit
def stores_in_two_places(x_ptr, out_ptr):
    pid = tl.program_id(0)
    total = tl.sum(tl.load(x_ptr + tl.arange(0, 4)))  # LINE
    if pid == 0:
        tl.store(x_ptr + 4, 1.0)
        tl.store(x_ptr + 3, 1.0)  # PEER
        tl.store(x_ptr + 5, 1.0)
    tl.store(out_ptr + pid, total)


@triton.jit
def hands_on(data_ptr, out_ptr, flag_ptr, HOW: tl.constexpr, WAIT: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    if tl.program_id(0) == 0:
        tl.store(data_ptr + at, at + 1.0)  # PEER
        if HOW == "barrier":
            tl.debug_barrier()
        if HOW == "relaxed":
            tl.atomic_xchg(flag_ptr, 1, sem="relaxed")  # RELAXED
        else:
            tl.store(flag_ptr, 1)  # EARLY
    else:
        if WAIT == "volatile":
            while tl.load(flag_ptr, volatile=True) == 0:
                pass
        else:
            while tl.atomic_add(flag_ptr, 0) == 0:
                pass
        tl.store(out_ptr + at, tl.load(data_ptr + at))  # LINE


@triton.jit
def adds_the_next(x_ptr):
    at = tl.program_id(0) * 4 + tl.arange(0, 4)
    following = tl.load(x_ptr + at + 1)  # PEER
    x = tl.load(x_ptr + at)
    tl.store(x_ptr + at, x + following + 1)  # LINE


@triton.jit
def adds_the_next_after_a_branch(x_ptr):
    pid = tl.program_id(0)
    at = pid * 4 + tl.arange(0, 4)
    tl.store(x_ptr + 100 + at, 1.0)
    x = tl.load(x_ptr + at)
    following = tl.load(x_ptr + at + 1)  # PEER
    x += tl.load(x_ptr + at)
    if pid % 2 == 1:
        x += 1
    tl.store(x_ptr + at, x + following + 1)  # LINE


@triton.jit
def adds_to_the_next(x_ptr, out_ptr):
    at = tl.program_id(0) * 4 + tl.arange(0, 4)
    tl.atomic_add(x_ptr + at + 1, 1.0)  # PEER
    tl.atomic_add(x_ptr + at, 1.0)
    tl.store(out_ptr + at, tl.load(x_ptr + at))  # LINE


@triton.jit
def writes_to_the_next_what_is_there(x_ptr):
    pid = tl.program_id(0)
    at = pid * 4 + tl.arange(0, 4)
    tl.store(x_ptr + at + 1, 0.0)  # PEER
    tl.store(x_ptr + at, 0.0)
    if pid == 1:
        tl.store(x_ptr + at, 1.0)  # LINE


def marked(kernel: Any, mark: str) -> int:
    source, first = inspect.getsourcelines(kernel.fn)
    return first + next(number for number, line in enumerate(source) if f"# {mark}" in line)


@pytest.mark.parametrize(
    ("kernel", "arguments", "actions", "advice"),
    [
        (counts_and_loads, (flags(), flags(P)), ("updates it by an atomic", "loads it"), "use what the atomic returns"),
        (clears_and_adds, (zeros(1),), ("updates it by an atomic", "stores to it"), "store by an atomic too"),
        (shifts, (torch.arange(9.0),), ("loads it", "stores to it"), "Programs run in any order"),
        (stores_in_two_places, (zeros(8), zeros(P)), ("loads it", "stores to it"), "Programs run in any order"),
    ],
    ids=lambda value: value.fn.__name__ if hasattr(value, "fn") else "",
)
def test_both_lines_of_a_race_are_told(
    kernel: Any, arguments: tuple[Any, ...], actions: tuple[str, str], advice: str
) -> None:
    fault = faults(kernel, (2,), *arguments)[0]
    line, peer = marked(kernel, "LINE"), marked(kernel, "PEER")
    assert (fault.line.number, fault.peer_line and fault.peer_line.number) == (line, peer)
    assert f"program 1 {actions[0]} on line {line}, program 0 {actions[1]} on line {peer}, and" in fault.summary
    assert "# LINE" in fault.description
    assert "# PEER" not in fault.description
    assert advice in fault.advice


@pytest.mark.parametrize("programs", [2, P])
@pytest.mark.parametrize(
    ("kernel", "arguments"),
    [
        (adds_the_next, (torch.zeros(200),)),
        (adds_the_next_after_a_branch, (torch.zeros(200),)),
        (adds_to_the_next, (torch.zeros(200), torch.zeros(200))),
        (writes_to_the_next_what_is_there, (torch.zeros(200),)),
    ],
    ids=lambda value: value.fn.__name__ if hasattr(value, "fn") else "",
)
def test_the_other_program_is_told_where_a_program_has_come_itself_too(
    kernel: Any, arguments: tuple[torch.Tensor, ...], programs: int
) -> None:
    fault = faults(kernel, (programs,), *(tensor.zero_() for tensor in arguments))[0]
    assert (fault.program, fault.peer) == ((1,), (0,))
    assert (fault.line.number, fault.peer_line and fault.peer_line.number) == (
        marked(kernel, "LINE"),
        marked(kernel, "PEER"),
    )


def test_two_lines_that_store_are_told() -> None:
    [fault] = faults(store_different_values, (2,), zeros(1))
    line, peer = (marked(store_different_values, mark) for mark in ("LINE", "PEER"))
    assert fault.summary == (
        f"program 1 and program 0 store different values to x_ptr[0], on line {line} and on line {peer}"
    )


@pytest.mark.parametrize("wait", ["volatile", "atomic"])
@pytest.mark.parametrize(
    ("how", "size", "mark"),
    [
        ("relaxed", BLOCK, "RELAXED"),
        ("plain", BLOCK, "EARLY"),
        ("plain", 16, None),  # one warp, whose threads run in step
        ("barrier", BLOCK, None),
    ],
)
def test_what_orders_nothing_is_told(how: str, size: int, mark: str | None, wait: str) -> None:
    found = faults(hands_on, (2,), block(), block(), flags(), how, wait, size)
    assert bool(found) == bool(mark)
    for fault in found:
        assert fault.line.number == marked(hands_on, "LINE")
        assert f"# {mark}" in fault.advice
        assert ("relaxed" if mark == "RELAXED" else "debug_barrier") in fault.advice


@triton.jit
def a_lock_of_many_threads(lock_ptr, x_ptr, BARRIER: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(x_ptr + at, tl.load(x_ptr + at) + 1.0)
    if BARRIER:
        tl.debug_barrier()
    tl.store(lock_ptr, 0)


@pytest.mark.parametrize("barrier", [True, False])
def test_a_plain_store_releases_a_lock_after_a_barrier_only(barrier: bool) -> None:
    found = faults(a_lock_of_many_threads, (P,), flags(), block(), barrier, BLOCK)
    assert bool(found) != barrier
    assert all("debug_barrier" in fault.advice for fault in found)
