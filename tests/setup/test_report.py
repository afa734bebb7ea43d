"""The report shows how to fix what failed, in commands that can be copied, and fits the slide that runs it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from triton_workshop.device import Driver
from triton_workshop.setup.checks import check_machine
from triton_workshop.setup.machine import MachineFacts

from .machines import (
    LAPTOP,
    LONG_GPU,
    UNPREPARED_MAC,
    WITHOUT_CUDA,
    WORDY,
    WORDY_GPU,
    failed,
    report,
    verdict,
    without,
)


def test_how_to_fix_a_row_stands_under_it() -> None:
    assert re.search(r"✗  Triton            not installed\n   Check the network\n·  GPU ", report(UNPREPARED_MAC))


def test_square_brackets_in_an_error_are_shown_as_they_are() -> None:
    assert "[Errno 13]" in report(replace(LAPTOP, simulator_run=failed("OSError: [Errno 13] no")))


def test_what_is_indented_stays_as_it_is() -> None:
    said = "uv says:\nerror: it failed\n  Caused by: " + "a reason of many words " * 9
    assert said.splitlines()[-1] in report(replace(UNPREPARED_MAC, triton_error=said))


@pytest.mark.parametrize("columns", [40, 76, 120])
def test_a_command_is_never_broken_over_two_lines(columns: int) -> None:
    command = "`curl -LsSf https://astral.sh/uv/install.sh | sh`"
    assert command in report(replace(LAPTOP, uv=None), columns)


def test_packages_that_are_well_stand_beside_torch() -> None:
    assert "✓  torch             2.15.0+cu132, torchvision 0.29.2, Pillow 13.0.0\n" in report(LAPTOP)
    broken = report(without("torchvision"))
    assert "✓  torch             2.15.0, Pillow 13.0.0\n✗  torchvision       not installed" in broken
    assert "✓  torchvision       0.29.2" in report(without("torch"))


# ---- Machines that work --------------------------------------------------------------------------------------

TOO_OLD = "RuntimeError: The NVIDIA driver on your system is too old (found version 11040). Please update your driver."
UNKNOWN = f"RuntimeError: {'something quite new, '.strip() * 20}"

READY = {
    "no GPU": WORDY,
    "8 GPUs": WORDY_GPU,
    "8 GPUs, simulator asked for": replace(WORDY_GPU, environ={"TRITON_INTERPRET": "1"}),
}
READY_WITH_TROUBLE = {
    "GPU hidden": replace(WORDY_GPU, environ={"CUDA_VISIBLE_DEVICES": "-1"}, gpu_run=None),
    "GPU too old": replace(WORDY_GPU, gpus=(replace(LONG_GPU, compute_capability=(6, 1)),), gpu_run=None),
    "driver does not answer": replace(WORDY, nvidia_on_the_bus=True),
    "driver too old": replace(WORDY_GPU, driver=Driver("470.256.02", (11, 4)), gpu_run=failed(TOO_OLD)),
    "torch without CUDA": replace(WORDY_GPU, gpu_run=WITHOUT_CUDA.gpu_run, simulator_run=WITHOUT_CUDA.simulator_run),
    "no compiler": replace(WORDY_GPU, gpu_run=failed("RuntimeError: Failed to find C compiler. Please specify via CC")),
    "no headers": replace(WORDY_GPU, gpu_run=failed("main.c:7:10: fatal error: Python.h: No such file or directory")),
    "an error nobody knows": replace(WORDY_GPU, gpu_run=failed(UNKNOWN)),
    "cache not writable": replace(WORDY_GPU, gpu_run=failed("OSError: [Errno 30] Read-only file system")),
    "variable misspelt": replace(WORDY_GPU, environ={"TRITON_INTERPRETER": "1"}),
    "simulator broken": replace(WORDY_GPU, simulator_run=failed(UNKNOWN)),
}
BESIDE_TORCH = {"torchvision", "Pillow"}


@pytest.mark.parametrize("columns", [80, 100])
@pytest.mark.parametrize("machine", READY.values(), ids=READY)
def test_where_all_is_well_each_check_has_its_row(machine: MachineFacts, columns: int) -> None:
    names_take_two = 1 if machine.visible_gpus else 0
    rows = len(check_machine(machine)) - len(BESIDE_TORCH) + 2 + names_take_two
    assert len(report(machine, columns).splitlines()) <= rows
    assert len(report(replace(machine, uv=None), columns).splitlines()) <= rows + 1


WORKING = READY | READY_WITH_TROUBLE


@pytest.mark.parametrize("uv", ["0.13.9", None], ids=["uv", "no uv"])
@pytest.mark.parametrize("machine", WORKING.values(), ids=WORKING)
def test_trouble_with_a_gpu_leaves_a_machine_ready(machine: MachineFacts, uv: str | None) -> None:
    assert verdict(replace(machine, uv=uv)).ok
