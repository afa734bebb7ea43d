"""Machines as setup-check may find them, and what it says about one."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import replace

from rich.console import Console

from triton_workshop.device import Driver, Gpu
from triton_workshop.setup.checks import Check, Readiness, check_machine, judge
from triton_workshop.setup.machine import NO_GRAPHICS, KernelRun, MachineFacts
from triton_workshop.setup.report import print_report

H200 = Gpu(0, "NVIDIA H200", 141 * 2**30, (9, 0), "GPU-1")
PASCAL = Gpu(0, "Tesla P40", 24 * 2**30, (6, 1), "GPU-2")
LONG_GPU = Gpu(0, "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", 96 * 2**30, (12, 0), "GPU-4")

IMPORTED = {"torch": "2.15.0+cu132", "torch_cuda": "13.2", "triton": "3.9.0"}
WORKED = KernelRun({**IMPORTED, "correct": True, "seconds": 0.4})
CRASHED = KernelRun(IMPORTED, "crashed (SIGSEGV)")

LAPTOP = MachineFacts(
    system="linux", processor="x86_64", python="3.12.3",
    packages={"torch": "2.15.0", "torchvision": "0.29.2", "triton": "3.9.0", "pillow": "13.0.0"}, triton_error=None,
    uv="0.13.8", environ={}, gpus=(), driver=None, nvidia_on_the_bus=False, pictures="kitty",
    gpu_run=None, simulator_run=WORKED,
)  # fmt: skip
GPU_MACHINE = replace(
    LAPTOP, gpus=(H200,), driver=Driver("580.159.04", (13, 0)), nvidia_on_the_bus=True, gpu_run=WORKED
)
HIDDEN_GPU = replace(GPU_MACHINE, environ={"CUDA_VISIBLE_DEVICES": "-1"}, gpu_run=None)
MAC = replace(
    LAPTOP,
    system="darwin",
    processor="arm64",
    packages={"torch": "2.15.0", "torchvision": "0.29.2", "pillow": "13.0.0"},
)
UNPREPARED_MAC = replace(
    MAC, triton_error="Check the network", simulator_run=KernelRun({}, "failed", "error: Check the network")
)


def failed(stderr: str, facts: Mapping[str, object] = IMPORTED) -> KernelRun:
    return KernelRun(facts, "failed", stderr)


BROKEN_TORCH = failed(
    'File "setup/kernel.py", line 15, in <module>\n    import torch\nOSError: libtorch_cuda.so: no such file', {}
)
BROKEN_TRITON = failed('File "setup/kernel.py", line 16, in <module>\n    import triton\nImportError: libtriton.so', {})
BROKEN_TORCHVISION = failed("OSError: undefined symbol: nms", WORKED.facts)
OLD_DRIVER = replace(
    GPU_MACHINE,
    driver=Driver("535.104.05", (12, 2)),
    gpu_run=failed("RuntimeError: The NVIDIA driver on your system is too old (found version 12020)."),
)
WITHOUT_CUDA = replace(
    GPU_MACHINE,
    gpu_run=failed("AssertionError: Torch not compiled with CUDA", {**IMPORTED, "torch_cuda": None}),
    simulator_run=replace(WORKED, facts={**WORKED.facts, "torch_cuda": None}),
)


def without(package: str) -> MachineFacts:
    return replace(
        LAPTOP,
        packages={name: version for name, version in LAPTOP.packages.items() if name != package},
        simulator_run=KernelRun({}, "failed", f"ModuleNotFoundError: No module named '{package}'"),
    )


# What takes as much space in the report as it can.
WORDY = replace(
    LAPTOP,
    python="3.14.10",
    packages={**LAPTOP.packages, "torch": "2.15.0.dev20261101+cu132", "triton": "3.9.0+git12345678"},
    pictures=NO_GRAPHICS,
)
WORDY_GPU = replace(
    WORDY,
    gpus=(LONG_GPU,) * 8,
    driver=Driver("580.126.20", (13, 0)),
    nvidia_on_the_bus=True,
    gpu_run=replace(WORKED, facts={**WORKED.facts, "seconds": 59.9}),
)


def row(machine: MachineFacts, name: str) -> Check:
    return next(check for check in check_machine(machine) if check.name == name)


def verdict(machine: MachineFacts) -> Readiness:
    return judge(machine, check_machine(machine))


def report(machine: MachineFacts, columns: int = 76) -> str:
    screen = io.StringIO()
    print_report(check_machine(machine), verdict(machine), Console(file=screen, width=columns))
    return screen.getvalue()
