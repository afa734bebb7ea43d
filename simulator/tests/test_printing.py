"""What a kernel prints on the simulator: a scalar is a number, as it is on slides; a block has brackets."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from triton.runtime.errors import InterpreterError

from triton_simulator import record

WIDE = tl.constexpr(7)


def launch_two_programs(kernel: Any, *arguments: Any, **named: Any) -> None:
    kernel[(2,)](*arguments, **named)


@triton.jit
def prints(look: tl.constexpr, x_ptr, half_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    if pid == 1:
        x = tl.load(x_ptr + pid * BLOCK + tl.arange(0, BLOCK))
        print(look(pid, x, tl.load(half_ptr), n, BLOCK))


LOOKS: tuple[tuple[Callable[..., object], str], ...] = (
    (lambda pid, x, half, n, block: pid, "1"),
    (lambda pid, x, half, n, block: f"program {pid}", "program 1"),
    (lambda pid, x, half, n, block: f"{pid:3}|{pid:02d}", "  1|01"),
    (lambda pid, x, half, n, block: (str(pid), repr(pid), int(pid)), "('1', '1', 1)"),
    (lambda pid, x, half, n, block: [pid, n], "[1, 8]"),
    (lambda pid, x, half, n, block: f"{pid == 0} {pid + 1 > n}", "False False"),
    (lambda pid, x, half, n, block: tl.num_programs(0), "2"),
    (lambda pid, x, half, n, block: f"{block} {WIDE} {WIDE:3}", "4 7   7"),
    (lambda pid, x, half, n, block: x, "[4.5 5.5 6.5 7.5]"),
    (lambda pid, x, half, n, block: f"{tl.sum(x)} {tl.sum(x):.3f}", "24.0 24.000"),
    (lambda pid, x, half, n, block: half, "0.5"),
    (lambda pid, x, half, n, block: half + tl.zeros((2,), tl.bfloat16), "[0.5 0.5]"),
    (lambda pid, x, half, n, block: pid + tl.arange(0, 1), "[1]"),
    (lambda pid, x, half, n, block: pid + tl.zeros((2, 2), tl.int32), "[[1 1]\n [1 1]]"),
)


@pytest.mark.parametrize(("look", "printed"), LOOKS)
def test_a_scalar_prints_as_a_number_and_a_block_in_brackets(
    look: Callable[..., object], printed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    launch_two_programs(prints, look, torch.arange(8.0) + 0.5, torch.full((1,), 0.5, dtype=torch.bfloat16), 8, BLOCK=4)
    assert capsys.readouterr().out == f"{printed}\n"


@triton.jit
def counts(n):
    for step in range(n - 1):
        print(f"step {step}")


def test_a_loops_counter_prints_as_a_number(capsys: pytest.CaptureFixture[str]) -> None:
    counts[(1,)](3)
    assert capsys.readouterr().out == "step 0\nstep 1\n"


@triton.jit
def prints_on_the_device(hexadecimal: tl.constexpr):
    pid = tl.program_id(0)
    tl.device_print("of", pid, pid * 4 + tl.arange(0, 4), hex=hexadecimal)


@pytest.mark.parametrize(
    ("hexadecimal", "scalar", "block"),
    [(False, "1", "[4 5 6 7]"), (True, "0x00000001", "[0x00000004 0x00000005 0x00000006 0x00000007]")],
)
def test_device_print_names_the_program(
    hexadecimal: bool, scalar: str, block: str, capsys: pytest.CaptureFixture[str]
) -> None:
    launch_two_programs(prints_on_the_device, hexadecimal)
    assert capsys.readouterr().out.splitlines()[2:] == [f"(1, 0, 0)  of:  {scalar}", f"(1, 0, 0)  of:  {block}"]


@triton.jit
def adds_the_next_in_place(x_ptr, counter_ptr):
    at = tl.arange(0, 256)
    print(tl.program_id(0))
    tl.store(x_ptr + at, tl.load(x_ptr + at) + tl.load(x_ptr + at + 1) + 1)


@triton.jit
def adds_in_turns(x_ptr, counter_ptr):
    print(tl.program_id(0))
    while tl.atomic_add(counter_ptr, 0) < tl.program_id(0):
        pass
    tl.store(x_ptr, tl.load(x_ptr) + 1)
    tl.debug_barrier()
    tl.atomic_add(counter_ptr, 1)


@triton.jit
def stores_an_undefined_sum(x_ptr, counter_ptr):
    print(tl.program_id(0))
    at = tl.arange(0, 256)
    tl.store(x_ptr, tl.sum(tl.load(x_ptr + at, mask=at < 3)))


@pytest.mark.parametrize("kernel", [adds_the_next_in_place, adds_in_turns, stores_an_undefined_sum])
def test_each_program_prints_once_whatever_has_to_be_found_out(kernel: Any, capsys: pytest.CaptureFixture[str]) -> None:
    with record():
        launch_two_programs(kernel, torch.zeros(300), torch.zeros(1, dtype=torch.int32))
    assert capsys.readouterr().out == "0\n1\n"


def test_other_threads_print_during_a_launch_that_starts_again(capsys: pytest.CaptureFixture[str]) -> None:
    """A progress bar's output is neither left out nor counted."""
    stop = threading.Event()

    def report() -> None:
        while not stop.is_set():
            print("working")
            stop.wait(0.001)

    reporter = threading.Thread(target=report)
    reporter.start()
    with record():
        for _ in range(20):
            launch_two_programs(adds_in_turns, torch.zeros(300), torch.zeros(1, dtype=torch.int32))
    stop.set()
    reporter.join()
    lines = re.findall("[01]", capsys.readouterr().out)
    assert lines == ["0", "1"] * 20


@triton.jit
def formats_a_block():
    print(f"{tl.arange(0, 4):3}")


def test_a_format_for_numbers_is_refused_for_a_block() -> None:
    with pytest.raises(InterpreterError, match=r"`:3` formats a number, but this is a block of shape \(4,\)"):
        formats_a_block[(1,)]()


@triton.jit
def fails_in_a_corner(x_ptr):
    row, column = tl.program_id(0), tl.program_id(1)
    tl.device_assert(row + column < 2, "outside")
    tl.store(x_ptr + row * 2 + column, 1.0)


def test_a_program_of_two_axes_is_named_by_both() -> None:
    with pytest.raises(InterpreterError, match=r"outside, in program \(1, 1\)"):
        fails_in_a_corner[(2, 2)](torch.zeros(4))


@triton.jit
def stores_outside(x_ptr):
    tl.store(x_ptr + tl.program_id(0) * 2 + tl.program_id(1), 1.0)


@pytest.mark.parametrize(("grid", "program"), [((4,), "program 1 "), ((2, 2), "program (1, 0) ")])
def test_a_fault_names_a_program_as_the_course_does(grid: tuple[int, ...], program: str) -> None:
    with record() as launches:
        stores_outside[grid](torch.zeros(2))
    assert launches[0].faults[0].summary.startswith(program)


@triton.jit
def prints_in_hexadecimal():
    print("pid", tl.program_id(0) + 10, hex=True)


def test_print_takes_what_device_print_takes(capsys: pytest.CaptureFixture[str]) -> None:
    launch_two_programs(prints_in_hexadecimal)
    assert capsys.readouterr().out.splitlines() == ["(0, 0, 0)  pid:  0x0000000a", "(1, 0, 0)  pid:  0x0000000b"]
