"""Each row says what was found and how to fix it, and the verdict where kernels run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from triton_workshop.setup.checks import State, check_machine
from triton_workshop.setup.machine import KernelRun, MachineFacts

from .machines import (
    BROKEN_TORCH,
    BROKEN_TORCHVISION,
    BROKEN_TRITON,
    CRASHED,
    GPU_MACHINE,
    H200,
    HIDDEN_GPU,
    IMPORTED,
    LAPTOP,
    MAC,
    OLD_DRIVER,
    PASCAL,
    UNPREPARED_MAC,
    WITHOUT_CUDA,
    failed,
    row,
    verdict,
    without,
)

ADVISED = "Traceback\n  File x\nRuntimeError: CUDA error: misaligned\nCompile with TORCH_USE_CUDA_DSA\n"
"""The error is not the last line, which is advice."""
SIMULATED = {"TRITON_INTERPRET": "1"}
NOT_READY = "Not ready: fix the rows marked ✗. Until then, take part in the page, which needs only a browser."


@pytest.mark.parametrize("machine", [LAPTOP, GPU_MACHINE], ids=["laptop", "gpu machine"])
def test_a_sound_machine_has_nothing_to_fix(machine: MachineFacts) -> None:
    checks = check_machine(machine)
    assert {check.state for check in checks} <= {State.OK, State.NOT_APPLICABLE}
    assert all(check.fix is None for check in checks)


@pytest.mark.parametrize(
    ("machine", "name", "state", "found", "fix"),
    [
        (replace(LAPTOP, uv=None), "uv", "warning", "not found", "astral.sh/uv"),
        (without("torch"), "torch", "failed", "not installed", "uv sync"),
        (without("torchvision"), "torchvision", "failed", "not installed", "uv sync"),
        (without("triton"), "Triton", "failed", "not installed", "uv sync"),
        (without("pillow"), "Pillow", "failed", "not installed", "uv sync"),
        (replace(LAPTOP, simulator_run=BROKEN_TORCH), "torch", "failed", "libtorch_cuda", "uv sync"),
        (replace(LAPTOP, simulator_run=BROKEN_TORCH), "Triton", "ok", "3.9.0", None),
        (replace(LAPTOP, simulator_run=BROKEN_TRITON), "Triton", "failed", "libtriton.so", "uv sync"),
        (replace(LAPTOP, simulator_run=BROKEN_TORCHVISION), "torchvision", "failed", "nms", "uv sync"),
        (replace(LAPTOP, simulator_run=CRASHED), "simulator kernel", "failed", "SIGSEGV", "uv sync"),
        (replace(LAPTOP, environ=SIMULATED), "TRITON_INTERPRET", "ok", "simulator", None),
        (HIDDEN_GPU, "GPU", "warning", "NVIDIA H200, hidden by CUDA_VISIBLE_DEVICES='-1'",
         "unset CUDA_VISIBLE_DEVICES"),
        (replace(GPU_MACHINE, gpus=(PASCAL,), gpu_run=None), "GPU", "warning", "compute capability 6.1",
         "need compute capability 7.5"),
        (replace(GPU_MACHINE, gpus=(H200, H200)), "GPU", "ok", "(and 1 more)", None),
        (replace(LAPTOP, nvidia_on_the_bus=True), "GPU", "warning", "its driver does not work", None),
        (replace(LAPTOP, nvidia_on_the_bus=True), "NVIDIA driver", "warning", "no driver answers", "--gpus all"),
        (OLD_DRIVER, "NVIDIA driver", "failed", "CUDA up to 12.2; torch uses 13.2", "driver 580 or newer"),
        (replace(OLD_DRIVER, gpu_run=GPU_MACHINE.gpu_run), "NVIDIA driver", "ok", "torch uses 13.2", None),
        (OLD_DRIVER, "GPU kernel", "failed", "fix the NVIDIA driver first", None),
        (WITHOUT_CUDA, "torch", "warning", "without CUDA", "uv sync"),
        (WITHOUT_CUDA, "GPU kernel", "failed", "fix torch first", None),
        (without("torch"), "simulator kernel", "failed", "fix torch first", None),
        (replace(LAPTOP, simulator_run=BROKEN_TRITON), "simulator kernel", "failed", "fix Triton first", None),
        (MAC, "Triton", "ok", "3.9.0, its Python files only", None),
        (UNPREPARED_MAC, "Triton", "failed", "not installed", "Check the network"),
        (UNPREPARED_MAC, "simulator kernel", "failed", "fix Triton first", None),
        (replace(GPU_MACHINE, gpu_run=KernelRun({**IMPORTED, "correct": False})), "GPU kernel", "failed",
         "it ran, but its values differ from torch's", "To see the whole error"),
        (replace(GPU_MACHINE, gpu_run=failed(ADVISED)), "GPU kernel", "failed",
         "failed: RuntimeError: CUDA error: misaligned", "To see the whole error"),
        (replace(LAPTOP, system="win32", environ={"TRITON_INTERPRETER": "1"}), "TRITON_INTERPRET", "warning", "",
         '`Remove-Item Env:TRITON_INTERPRETER`; for the simulator: `$env:TRITON_INTERPRET = "1"`'),
    ],
)  # fmt: skip
def test_a_row_says_what_was_found_and_how_to_fix_it(
    machine: MachineFacts, name: str, state: str, found: str, fix: str | None
) -> None:
    check = row(machine, name)
    assert check.state == state
    assert found in check.found
    assert (fix is None and check.fix is None) or (fix or "?") in (check.fix or "")


@pytest.mark.parametrize(
    ("stderr", "fix"),
    [
        ("RuntimeError: Failed to find C compiler. Please specify via CC environment variable", "apt install gcc"),
        ("main.c:7:10: fatal error: Python.h: No such file or directory", "python3-dev"),
        ("AssertionError: libcuda.so cannot found!", "ldconfig"),
        ("RuntimeError: CUDA error: no kernel image is available for execution on the device", "uv sync"),
        ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 MiB", "nvidia-smi"),
        ("PermissionError: [Errno 13] Permission denied: '/home/me/.triton/cache/x'", "TRITON_CACHE_DIR"),
        ("OSError: [Errno 28] No space left on device", "TRITON_CACHE_DIR"),
        ("RuntimeError: 0 active drivers ([]). There should only be one.", "nvidia-smi"),
        ("RuntimeError: something new", "uv run python -m triton_workshop.setup.kernel"),
    ],
)
def test_a_failed_gpu_kernel_says_how_to_fix_it(stderr: str, fix: str) -> None:
    check = row(replace(GPU_MACHINE, gpu_run=failed(stderr)), "GPU kernel")
    assert check.state is State.FAILED
    assert check.fix is not None
    assert fix in check.fix


@pytest.mark.parametrize(
    ("machine", "ok", "device", "summary"),
    [
        (LAPTOP, True, "cpu", "Ready: kernels run on the simulator (no NVIDIA GPU here)."),
        (HIDDEN_GPU, True, "cpu", "Ready: kernels run on the simulator (see the GPU's row)."),
        (GPU_MACHINE, True, "cuda", "Ready: kernels run on NVIDIA H200."),
        (replace(GPU_MACHINE, environ=SIMULATED), True, "cpu",
         "Ready: kernels run on the simulator (TRITON_INTERPRET is set)."),
        (replace(GPU_MACHINE, simulator_run=CRASHED), True, "cuda", "Ready: kernels run on NVIDIA H200."),
        (replace(GPU_MACHINE, gpu_run=CRASHED), True, "cpu",
         "Ready on the simulator: `export TRITON_INTERPRET=1`. To use the GPU, fix each ✗ first."),
        (UNPREPARED_MAC, False, None, NOT_READY),
        (replace(LAPTOP, simulator_run=BROKEN_TORCHVISION), False, "cpu", NOT_READY),
    ],
)  # fmt: skip
def test_the_verdict(machine: MachineFacts, ok: bool, device: str | None, summary: str) -> None:
    said = verdict(machine)
    assert (said.ok, said.device, said.summary) == (ok, device, summary)
