"""The checks, each from the machine to one row, and the verdict."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

from triton_simulator.gpus import OLDEST_CAPABILITY
from triton_workshop.device import misspelt_interpret, simulated
from triton_workshop.setup.machine import KernelRun, MachineFacts, shortened

PACKAGES_NEEDED = ("torch", "torchvision", "Pillow")
"""Rows without which the workshop cannot run, not even simulated."""

OLDEST_DRIVER = {12: "525", 13: "580"}
"""First NVIDIA driver that runs each major version of CUDA.

It runs every minor version (NVIDIA's "CUDA Compatibility", section "Minor Version Compatibility", table 1).
"""

ROW = 59
"""Characters of a finding that fit in one row of an 80-column screen.

The report is made to fit a slide.
"""

KERNEL_BY_HAND = "`uv run python -m triton_workshop.setup.kernel`"

FIXES = {
    r"Failed to find C compiler": "Triton needs a C compiler: `sudo apt install gcc` (on Fedora: "
    "`sudo dnf install gcc`), or name one that you have: `export CC=/path/to/gcc`",
    r"Python\.h": "Triton needs Python's C headers: `sudo apt install python3-dev`, or use uv's own Python: "
    "`uv python install 3.12` and `uv sync --managed-python`",
    r"libcuda\.so": "The driver's libcuda.so.1 was not found: `sudo ldconfig`; in a container: "
    "`docker run --gpus all …`",
    r"no kernel image is available|sm_\d+\w?' is not|Value 'sm_\d+": "This torch or Triton does not know this GPU "
    "(see its compute capability): `uv sync`",
    r"out of memory": "Another program is using the GPU's memory: find it with `nvidia-smi`, and end it",
    r"No space left on device": "The disk is full: free some space, or move Triton's cache: "
    "`export TRITON_CACHE_DIR=/path/with/room`",
    r"Permission denied|Read-only file system": "Triton cannot write to its cache. Choose another folder: "
    "`export TRITON_CACHE_DIR=/tmp/triton-cache`",
    r"unknown error|initialization error|No CUDA GPUs are available|active drivers": "The GPU does not respond. Try "
    "`nvidia-smi`; if it fails too, restart the machine (or start the container with `docker run --gpus all …`)",
}
"""Fixes, by a pattern in the error of a kernel's process."""


class State(StrEnum):
    """Result of a check."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"
    NOT_APPLICABLE = "not applicable"


@dataclass(frozen=True)
class Check:
    """Row of the report: a finding and, if it is a problem, its fix."""

    name: str
    state: State
    found: str
    fix: str | None = None


def check_python(machine: MachineFacts) -> Check:
    """Return the row of Python and the system."""
    systems = {"darwin": "macOS", "linux": "Linux", "win32": "Windows"}
    system = systems.get(machine.system, machine.system)
    return Check("Python", State.OK, f"{machine.python}, {system} on {machine.processor}")


def check_uv(machine: MachineFacts) -> Check:
    """Return the row of uv."""
    if machine.uv is not None:
        return Check("uv", State.OK, machine.uv)
    installer = "curl -LsSf https://astral.sh/uv/install.sh | sh"
    if machine.system == "win32":
        installer = 'powershell -c "irm https://astral.sh/uv/install.ps1 | iex"'
    return Check("uv", State.WARNING, "not found; every command starts with `uv run`", f"Install it: `{installer}`")


def check_torch(machine: MachineFacts) -> Check:
    """Return the row of PyTorch, which must see a GPU if there is one."""
    check = _check_package("torch", machine, machine.fact("torch"))
    if check.state is not State.OK:
        return check
    # Of a torch that could not be imported, nobody knows what it was built with.
    lacks_cuda = machine.fact("torch") and not machine.fact("torch_cuda")
    misses_gpu = machine.gpu_run is not None and lacks_cuda
    if not misses_gpu:
        return check
    found = f"{check.found}, built without CUDA: it cannot use the GPU"
    return Check("torch", State.WARNING, found, _reinstall("torch"))  # the simulator works without CUDA


def check_triton(machine: MachineFacts) -> Check:
    """Return the row of Triton, of which Python files are enough to simulate."""
    check = _check_package("Triton", machine, machine.fact("triton"))
    if "triton" in machine.packages:
        return check
    if check.state is State.OK:
        return replace(check, found=f"{check.found}, its Python files only: enough for the simulator")
    return replace(check, fix=machine.triton_error or check.fix)


def _check_package(name: str, machine: MachineFacts, imported: str | None = None) -> Check:
    """Return the row of a package.

    `imported` is the version as the package itself states it, if it does: 2.15.0+cu132.
    """
    package = name.lower()
    version = imported or machine.packages.get(package)
    if version is None:
        return Check(name, State.FAILED, "not installed", _reinstall(package))
    broken = next((run for run in machine.runs if run.broken_package == package), None)
    if broken is not None:
        return Check(name, State.FAILED, f"{version}, but its import fails: {broken.error}", _reinstall(package))
    return Check(name, State.OK, version)


def _reinstall(package: str) -> str:
    return f"Reinstall it: `uv sync --reinstall-package {package}`"


def check_gpu(machine: MachineFacts) -> Check:
    """Return the row of the first GPU that CUDA shows."""
    if not machine.visible_gpus:
        return _check_missing_gpu(machine)
    gpu, *more_gpus = machine.visible_gpus
    capability = _dotted(gpu.compute_capability)
    more = f" (and {len(more_gpus)} more)" if more_gpus else ""
    description = f"{gpu.name}, {gpu.memory_bytes / 2**30:.0f} GiB, compute capability {capability}{more}"
    has_usable_gpu = any(gpu.runs_kernels for gpu in machine.visible_gpus)
    if has_usable_gpu:
        return Check("GPU", State.OK, description)
    fix = (
        f"Too old for current torch and Triton, which need compute capability {_dotted(OLDEST_CAPABILITY)}. "
        "You need not do anything: the workshop uses the simulator here"
    )
    return Check("GPU", State.WARNING, description, fix)


def _check_missing_gpu(machine: MachineFacts) -> Check:
    if machine.gpus:
        setting = f"CUDA_VISIBLE_DEVICES={machine.environ['CUDA_VISIBLE_DEVICES']!r}"
        fix = f"To use it: `{_unset_variable(machine, 'CUDA_VISIBLE_DEVICES')}`"
        return Check("GPU", State.WARNING, f"{machine.gpus[0].name}, hidden by {setting}", fix)
    if machine.nvidia_on_the_bus:
        return Check("GPU", State.WARNING, "found, but its driver does not work: fix the driver first")
    return Check("GPU", State.NOT_APPLICABLE, "no NVIDIA GPU here; the simulator needs none")


def check_driver(machine: MachineFacts) -> Check:
    """Return the row of NVIDIA's driver, which must be new enough for torch."""
    name = "NVIDIA driver"
    if machine.driver is None:
        if not machine.nvidia_on_the_bus:
            return Check(name, State.NOT_APPLICABLE, "none; not needed without an NVIDIA GPU")
        fix = (
            "Install it (on Ubuntu: `sudo ubuntu-drivers install`) and restart; if you just updated it, only restart. "
            "In a container: `docker run --gpus all …`"
        )
        return Check(name, State.WARNING, "no driver answers", fix)
    description = f"{machine.driver.version}, supports CUDA up to {_dotted(machine.driver.cuda)}"
    torch_cuda = machine.fact("torch_cuda")
    if torch_cuda is None:
        return Check(name, State.OK, description)
    description += f"; torch uses {torch_cuda}"
    major = int(torch_cuda.split(".")[0])
    # Minor versions of CUDA are compatible with each other, and a kernel that ran proves more than a number.
    is_new_enough = machine.gpu_works or machine.driver.cuda[0] >= major
    if is_new_enough:
        return Check(name, State.OK, description)
    oldest = OLDEST_DRIVER.get(major)
    requirement = f"driver {oldest} or newer" if oldest else f"a driver for CUDA {major}"
    return Check(
        name, State.FAILED, description, f"Install {requirement} (on Ubuntu: `sudo ubuntu-drivers install`) and restart"
    )


def check_gpu_kernel(machine: MachineFacts) -> Check:
    """Return the row of the kernel's run on the GPU."""
    if machine.gpu_run is None:
        return Check("GPU kernel", State.NOT_APPLICABLE, "no GPU to run it on")
    return _check_kernel("GPU kernel", "compiled and run", machine, machine.gpu_run, KERNEL_BY_HAND)


def check_simulator_kernel(machine: MachineFacts) -> Check:
    """Return the row of the kernel's run on the simulator."""
    by_hand = f"`{_set_variable(machine, 'TRITON_INTERPRET', '1')}` and {KERNEL_BY_HAND}, after `uv sync`"
    return _check_kernel("simulator kernel", "run", machine, machine.simulator_run, by_hand)


def _check_kernel(name: str, done: str, machine: MachineFacts, run: KernelRun, by_hand: str) -> Check:
    """Return the row of a kernel's run.

    If it failed, the fix is for the cause, which has its own row, or for the error, if it is known.
    """
    if run.worked:
        return Check(name, State.OK, f"{done}; result equals torch's ({run.facts['seconds']:.1f} s)")
    cause = _cause(machine, run)
    if cause is not None:
        return Check(name, State.FAILED, f"{run.failure}: fix {cause} first")
    fix = next((fix for error, fix in FIXES.items() if re.search(error, run.stderr, re.IGNORECASE)), None)
    description = shortened(run.outcome, ROW if fix else 2 * ROW - 10)
    return Check(name, State.FAILED, description, fix or f"To see the whole error: {by_hand}")


def _cause(machine: MachineFacts, run: KernelRun) -> str | None:
    """Return what must be fixed before the run can succeed.

    None if no other row says so.
    """
    on_gpu = run is machine.gpu_run
    torch = check_torch(machine).state
    faults = (State.FAILED, State.WARNING) if on_gpu else (State.FAILED,)
    if torch in faults:
        return "torch"
    if check_triton(machine).state is State.FAILED:
        return "Triton"
    has_wrong_driver = on_gpu and check_driver(machine).state is State.FAILED
    return "the NVIDIA driver" if has_wrong_driver else None


def check_interpret(machine: MachineFacts) -> Check:
    """Return the row of the variable that asks for the simulator."""
    name = "TRITON_INTERPRET"
    misspelling = misspelt_interpret(machine.environ)
    if misspelling is not None:
        to_simulator = _set_variable(machine, "TRITON_INTERPRET", "1")
        fix = f"`{_unset_variable(machine, 'TRITON_INTERPRETER')}`; for the simulator: `{to_simulator}`"
        return Check(name, State.WARNING, misspelling, fix)
    value = machine.environ.get("TRITON_INTERPRET")
    if simulated(machine.environ):
        return Check(name, State.OK, f"{value}: kernels run on the simulator")
    description = "not set" if value is None else f"{value!r}, which means no"
    return Check(name, State.OK, f"{description}: the GPU if there is one, else the simulator")


def check_pictures(machine: MachineFacts) -> Check:
    """Return the row of how pictures show."""
    return Check("pictures", State.OK, machine.pictures)


def _set_variable(machine: MachineFacts, name: str, value: str) -> str:
    return f'$env:{name} = "{value}"' if machine.system == "win32" else f"export {name}={value}"


def _unset_variable(machine: MachineFacts, name: str) -> str:
    return f"Remove-Item Env:{name}" if machine.system == "win32" else f"unset {name}"


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


CHECKS: tuple[Callable[[MachineFacts], Check], ...] = (
    check_python,
    check_uv,
    check_torch,
    partial(_check_package, "torchvision"),
    check_triton,
    partial(_check_package, "Pillow"),
    check_gpu,
    check_driver,
    check_gpu_kernel,
    check_simulator_kernel,
    check_interpret,
    check_pictures,
)
"""In the order of the table."""


def check_machine(machine: MachineFacts) -> list[Check]:
    """Return all rows, in the order of the table."""
    return [check(machine) for check in CHECKS]


@dataclass(frozen=True)
class Readiness:
    """Verdict on the machine, and the device for kernels.

    That is "cuda", "cpu" for the simulator, or None.
    """

    ok: bool
    device: str | None
    summary: str


def judge(machine: MachineFacts, checks: Sequence[Check]) -> Readiness:
    """Return the verdict on the machine."""
    wants_simulator = simulated(machine.environ)
    on_gpu = machine.gpu_works and not wants_simulator
    device = "cpu" if machine.simulator_run.worked else None
    if on_gpu:
        device = "cuda"
    packages_failed = any(check.state is State.FAILED for check in checks if check.name in PACKAGES_NEEDED)
    is_ready = not packages_failed and device is not None
    if not is_ready:
        return Readiness(
            False,
            device,
            "Not ready: fix the rows marked ✗. Until then, take part in the page, which needs only a browser.",
        )
    if on_gpu:
        return Readiness(True, device, f"Ready: kernels run on {machine.visible_gpus[0].name}.")
    has_nvidia_gpu = machine.gpus or machine.nvidia_on_the_bus
    if machine.gpu_run is not None:
        if not wants_simulator:
            to_simulator = _set_variable(machine, "TRITON_INTERPRET", "1")
            return Readiness(
                True, device, f"Ready on the simulator: `{to_simulator}`. To use the GPU, fix each ✗ first."
            )
        reason = "TRITON_INTERPRET is set"
    elif has_nvidia_gpu:
        reason = "see the GPU's row"
    else:
        reason = "no NVIDIA GPU here"
    return Readiness(True, device, f"Ready: kernels run on the simulator ({reason}).")
