"""Programs that disagree go on in groups; what Python looks at runs program by program."""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language as tl

from triton_simulator import record

from .executors import launched, upstream
from .processes import RunPython


@triton.jit
def branches(out_ptr):
    pid = tl.program_id(0)
    if pid % 3 == 0:
        value = 10
    elif pid % 3 == 1:
        value = 20
    else:
        value = 30
    tl.store(out_ptr + pid, value)


@triton.jit
def returns_early(out_ptr):
    pid = tl.program_id(0)
    if pid >= 7:
        return
    tl.store(out_ptr + pid, 1)


@triton.jit
def loops_as_long_as_its_number(out_ptr):
    pid = tl.program_id(0)
    total = 0
    for i in range(pid):
        total += i
    tl.store(out_ptr + pid, total)


@triton.jit
def collatz(out_ptr):
    pid = tl.program_id(0)
    n = pid + 1
    steps = 0
    while n != 1:
        if n % 2 == 0:  # noqa: SIM108  # a branch is what is tested
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    tl.store(out_ptr + pid, steps)


@triton.jit
def persistent(out_ptr, tiles):
    for tile in tl.range(tl.program_id(0), tiles, tl.num_programs(0)):
        tl.store(out_ptr + tile, tile * tile)


@triton.jit
def persistent_with_pythons_range(out_ptr, tiles):
    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
        tl.store(out_ptr + tile, tile * tile)


@triton.jit
def counts_down(out_ptr):
    pid = tl.program_id(0)
    total = 0
    for i in range(pid + 3, pid, -1):
        total += i
    tl.store(out_ptr + pid, total)


@triton.jit
def diverges_after_a_store(out_ptr):
    pid = tl.program_id(0)
    before = tl.load(out_ptr + pid)
    tl.store(out_ptr + pid, before + 1)
    if pid % 2 == 0:
        tl.store(out_ptr + pid, before + 10)


@triton.jit
def diverges_after_an_atomic(out_ptr):
    ticket = tl.atomic_add(out_ptr, 1)
    if ticket == 4:
        tl.store(out_ptr + 1, 99)


@pytest.mark.parametrize(
    "kernel",
    [branches, returns_early, loops_as_long_as_its_number, collatz, counts_down, diverges_after_a_store,
     diverges_after_an_atomic],
)  # fmt: skip
def test_programs_that_disagree_go_on_in_groups(kernel: Any) -> None:
    ours, theirs = torch.zeros(12, dtype=torch.int32), torch.zeros(12, dtype=torch.int32)
    launch = launched(kernel, (11,), ours)
    with upstream():
        kernel[(11,)](theirs)
    assert torch.equal(ours, theirs)
    assert not launch.one_by_one


@pytest.mark.parametrize("kernel", [persistent, persistent_with_pythons_range])
@pytest.mark.parametrize("tiles", [5, 12, 100])
def test_a_persistent_loop_stays_batched(kernel: Any, tiles: int) -> None:
    out = torch.zeros(tiles, dtype=torch.int32)
    assert not launched(kernel, (7,), out, tiles).one_by_one
    assert torch.equal(out, torch.arange(tiles, dtype=torch.int32) ** 2)


@triton.jit
def last_program_reduces(x_ptr, partial_ptr, counter_ptr, out_ptr, N: tl.constexpr):
    pid = tl.program_id(0)
    tl.store(partial_ptr + pid, tl.sum(tl.load(x_ptr + pid * N + tl.arange(0, N))))
    done = tl.atomic_add(counter_ptr, 1)
    if done == tl.num_programs(0) - 1:
        tl.store(out_ptr, tl.sum(tl.load(partial_ptr + tl.arange(0, 8))))


def test_a_reduction_by_the_last_program_is_right() -> None:
    x, partial, out = torch.arange(128.0), torch.zeros(8), torch.zeros(1)
    launch = launched(last_program_reduces, (8,), x, partial, torch.zeros(1, dtype=torch.int32), out, N=16)
    assert out.item() == x.sum().item()
    assert not launch.one_by_one


@triton.jit
def reduces_without_counting(x_ptr, partial_ptr, out_ptr, N: tl.constexpr):
    pid = tl.program_id(0)
    tl.store(partial_ptr + pid, tl.sum(tl.load(x_ptr + pid * N + tl.arange(0, N))))
    if pid == tl.num_programs(0) - 1:
        tl.store(out_ptr, tl.sum(tl.load(partial_ptr + tl.arange(0, 8))))


def test_the_same_reduction_without_an_atomic_is_a_race() -> None:
    with record() as launches:
        reduces_without_counting[(8,)](torch.arange(128.0), torch.zeros(8), torch.zeros(1), N=16)
    assert [fault.kind for fault in launches[0].faults] == ["race"]


@triton.jit
def with_a_lock(lock_ptr, total_ptr):
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    total = tl.load(total_ptr)
    tl.store(total_ptr, total + tl.program_id(0))
    tl.atomic_xchg(lock_ptr, 0)


def test_a_lock_orders_what_programs_do_under_it() -> None:
    total = torch.zeros(1, dtype=torch.int32)
    launched(with_a_lock, (9,), torch.zeros(1, dtype=torch.int32), total)
    assert total.item() == sum(range(9))


def print_even(pid: Any) -> None:
    if int(pid) % 2 == 0:
        print("even", pid)


@triton.jit
def prints(x_ptr):
    pid = tl.program_id(0)
    print("program", pid)
    value = tl.load(x_ptr + pid * 4 + tl.arange(0, 4))
    print(f"{value} of {pid}")


@triton.jit
def prints_with_a_helper(x_ptr):
    pid = tl.program_id(0) * 2 + tl.program_id(1)
    tl.store(x_ptr + pid, tl.load(x_ptr + pid) + 1)
    print_even(pid)


@triton.jit
def prints_on_the_device(x_ptr):
    pid = tl.program_id(0)
    tl.device_print("x", tl.load(x_ptr + pid * 4 + tl.arange(0, 4)))
    tl.device_print("pid", pid)


@triton.jit
def prints_what_is_static(x_ptr):
    tl.static_print("blocks of", 4)
    tl.store(x_ptr + tl.program_id(0), 1)


@triton.jit
def prints_after_a_branch(x_ptr):
    pid = tl.program_id(0)
    if pid == 1:
        print("one", pid, tl.load(x_ptr + pid))
    if pid == 0:
        print("zero", pid)


@pytest.mark.parametrize(
    "kernel", [prints, prints_with_a_helper, prints_on_the_device, prints_what_is_static, prints_after_a_branch]
)
def test_debug_output_reads_as_upstream_but_that_a_scalar_is_a_number(
    kernel: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    launch = launched(kernel, (2, 2), torch.arange(16.0))
    ours = capsys.readouterr().out
    with upstream():
        kernel[(2, 2)](torch.arange(16.0))
    theirs = re.sub(r"\[(\d+)(\.?)\]", lambda scalar: scalar[1] + scalar[2].replace(".", ".0"), capsys.readouterr().out)
    assert ours == theirs != ""
    assert launch.one_by_one


WEIGHTS = [1, 2, 3]
SETTINGS = {"bias": 3}
SEEN: list[int] = []
LATEST = 0


def weighted(x: Any) -> Any:
    return x * WEIGHTS[1] + SETTINGS.get("bias", 0)


def remembered(x: Any) -> Any:
    SEEN.append(len(SEEN))
    return x


def counted(x: Any) -> Any:
    global LATEST
    LATEST += 1
    return x


@triton.jit
def reads_globals(out_ptr):
    pid = tl.program_id(0)
    tl.store(out_ptr + pid, weighted(pid) + WEIGHTS[0])


@triton.jit
def changes_a_global_list(out_ptr):
    pid = tl.program_id(0)
    tl.store(out_ptr + pid, remembered(pid))


@triton.jit
def changes_a_global(out_ptr):
    pid = tl.program_id(0)
    tl.store(out_ptr + pid, counted(pid))


@triton.jit
def uses_logical_operators(out_ptr):
    pid = tl.program_id(0)
    tl.store(out_ptr + pid, 1, mask=(pid > 1 and not pid > 4) or pid == 0)


@pytest.mark.parametrize("kernel", [reads_globals, uses_logical_operators])
def test_plain_functions_and_constant_globals_stay_batched(kernel: Any) -> None:
    assert not launched(kernel, (6,), torch.zeros(6)).one_by_one


def test_what_changes_a_global_happens_once_a_program() -> None:
    SEEN.clear()
    assert "reaches out" in launched(changes_a_global_list, (6,), torch.zeros(6)).one_by_one
    assert list(range(6)) == SEEN
    before = LATEST
    assert launched(changes_a_global, (6,), torch.zeros(6)).one_by_one
    assert before + 6 == LATEST


@triton.jit
def makes_text(x_ptr, N: tl.constexpr):
    pid = tl.program_id(0)
    tl.store(x_ptr + pid, tl.load(x_ptr + pid) + 1)
    text = f"{tl.load(x_ptr + pid * N + tl.arange(0, N))}"
    tl.store(x_ptr + pid, tl.load(x_ptr + pid) + len(text) * 0)


def test_looking_at_a_value_restores_memory_first(caplog: pytest.LogCaptureFixture) -> None:
    x = torch.zeros(8)
    with caplog.at_level(logging.DEBUG):
        assert launched(makes_text, (4,), x, N=1).one_by_one == "Python looks at a value"
    assert torch.equal(x, torch.tensor([1.0] * 4 + [0.0] * 4))
    assert len([line for line in caplog.messages if "program by program" in line]) == 1


def test_debug_output_is_guarded() -> None:
    with record() as launches:
        prints[(3,)](torch.arange(8.0))
    (fault,) = launches[0].faults
    assert (fault.kind, fault.program) == ("out-of-bounds-load", (2,))


@triton.jit
def fails_in_one_program(out_ptr):
    pid = tl.program_id(0)
    tl.store(out_ptr + pid, 1)
    if pid == 2:
        raise ValueError("not this one")


def test_a_kernels_own_error_is_raised_as_upstream() -> None:
    from triton.runtime.errors import InterpreterError

    out = torch.zeros(4, dtype=torch.int32)
    with pytest.raises(InterpreterError, match="not this one"):
        fails_in_one_program[(4,)](out)
    assert out.tolist() == [1, 1, 1, 0]


@triton.autotune([triton.Config({"N": 8}), triton.Config({"N": 16}, num_warps=8)], key=["size"])
@triton.heuristics({"EVEN": lambda args: args["size"] % args["N"] == 0})
@triton.jit
def tuned(out_ptr, size, N: tl.constexpr, EVEN: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out_ptr + at, N + EVEN, mask=at < size)


class Notes(list[int]):
    """A list that may be a constant: Triton looks up what it has compiled by those."""

    __hash__ = object.__hash__  # type: ignore[assignment]


def notes(arguments: dict[str, Any]) -> None:
    arguments["hooked"].append(arguments["N"])


@triton.autotune([triton.Config({"N": n}, pre_hook=notes) for n in (6, 8, 16)], ["LEAST"])
@triton.jit
def tuned_by_its_own_demands(out_ptr, hooked: tl.constexpr, LEAST: tl.constexpr, N: tl.constexpr):
    tl.store(out_ptr + tl.program_id(0), -1)
    tl.static_assert(N >= LEAST, "too small")
    tl.store(out_ptr + N, N)


def test_autotune_skips_what_fails_a_static_assert() -> None:
    """It would not have compiled: it stores nothing, and nobody hears of a launch."""
    out, hooked = torch.zeros(17, dtype=torch.int32), Notes()
    with record() as launches:
        tuned_by_its_own_demands[lambda meta: (17 if meta["N"] < 8 else 1,)](out, hooked, 8)
    assert (out.nonzero().flatten().tolist(), out[8]) == ([0, 8], 8)
    assert hooked == [6, 8]
    assert tuned_by_its_own_demands.best_config.kwargs == {"N": 8}
    assert [each.arguments["N"] for each in launches] == [8]


def test_autotune_without_a_configuration_that_compiles_says_why() -> None:
    from triton.runtime.errors import InterpreterError

    out = torch.zeros(32, dtype=torch.int32)
    with pytest.raises(InterpreterError, match="too small"):
        tuned_by_its_own_demands[(1,)](out, Notes(), 32)
    assert not out.any()


def test_autotune_takes_the_first_configuration() -> None:
    out = torch.zeros(24, dtype=torch.int32)
    tuned[lambda meta: (triton.cdiv(24, meta["N"]),)](out, 24)
    assert out.tolist() == [9] * 24


def test_a_launch_without_programs_does_nothing() -> None:
    out = torch.zeros(4, dtype=torch.int32)
    launched(branches, (0,), out)
    assert out.sum() == 0


@pytest.mark.library
def test_the_switch_leaves_tritons_own_interpreter(run_forked: RunPython, tmp_path: Path) -> None:
    script = tmp_path / "which.py"
    script.write_text(
        "from triton_simulator import install; install()\n"
        "from triton.runtime import interpreter\n"
        "print(interpreter.InterpretedFunction.run.__module__)\n"
    )
    for switch, module in (("0", "triton.runtime.interpreter"), ("1", "triton_simulator.launch.executor")):
        variables = {"TRITON_INTERPRET": "1", "TRITON_SIMULATOR": switch}
        assert run_forked(script, env=variables).stdout.strip() == module
