"""`uv run setup-check`: what works on this machine, and how to fix what does not.

Facts are gathered once, into a `Machine`; each check is a small function from the machine to one row. Kernels
run in separate processes, on the GPU and on the simulator; this process imports neither torch nor Triton.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.metadata
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from triton_workshop.device import (
    MINIMUM_COMPUTE_CAPABILITY,
    Driver,
    Gpu,
    driver,
    installed_gpus,
    misspelt_interpret,
    simulated,
    visible_gpus,
)
from triton_workshop.errors import WorkshopError
from triton_workshop.processes import call
from triton_workshop.screen.terminal import ask
from triton_workshop.streams import speak_utf8
from triton_workshop.without_library import fetch_if_needed, files

KERNEL = "triton_workshop.setup_kernel:main"
KERNEL_SECONDS = 60
"""How long a kernel may take, including importing torch, before it counts as hanging."""

OLDEST_PYTHON = (3, 11)
OLDEST_TRITON = (3, 6)
TRITON_NAMES_COMPUTE_CAPABILITY = (8, 0)
"""The oldest NVIDIA GPU that Triton's README names (section "Compatibility"); older ones run most kernels."""

OLDEST_DRIVER = {11: "450", 12: "525", 13: "580"}
"""CUDA's major version → the first NVIDIA driver that runs it, in every minor version (NVIDIA's "CUDA Compatibility",
section "Minor Version Compatibility", table 1)."""

PACKAGES_NEEDED = ("Python", "torch", "torchvision", "Pillow")
"""The rows without which the workshop cannot run, on a GPU or on the simulator."""

ROW = 59
"""Characters of a finding that fit in one row of an 80-column screen. The report is made to fit a slide."""

NO_GRAPHICS = "no graphics protocol; try kitty, Ghostty, WezTerm or iTerm2"

NVIDIA_PCI_VENDOR = "0x10de"
PCI_DISPLAY_CLASS = "0x03"


class State(StrEnum):
    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"
    NOT_APPLICABLE = "not applicable"


@dataclass(frozen=True)
class Check:
    """One row: what was checked, what was found and, if that is a problem, how to fix it."""

    name: str
    state: State
    found: str
    fix: str | None = None


@dataclass(frozen=True)
class KernelRun:
    """What a process that ran `setup_kernel` reported, and how it ended."""

    facts: Mapping[str, object]
    failure: str | None = None
    """Why the process ended early, in one line; None if it finished."""
    stderr: str = ""

    @property
    def worked(self) -> bool:
        return self.facts.get("correct") is True

    @property
    def broken_import(self) -> str | None:
        """The package whose import stopped the process: torch, triton or triton_workshop."""
        match = re.search(r'setup_kernel\.py", line \d+, in <module>\s+(?:import|from) (\w+)', self.stderr)
        return match[1] if match else None


@dataclass(frozen=True)
class Machine:
    """Everything the checks need to know."""

    system: str  # as in sys.platform
    processor: str
    python: tuple[int, int, int]
    packages: Mapping[str, str]  # installed package → version
    pillow_error: str | None
    triton_error: str | None  # why its Python files could not be fetched, where it is not installed
    uv: str | None
    presenterm: str | None
    compiler: str | None  # CC as it is set
    visible_gpus: tuple[Gpu, ...]
    installed_gpus: tuple[Gpu, ...]
    driver: Driver | None
    nvidia_on_the_bus: bool  # an NVIDIA GPU is plugged in, whether or not a driver knows it
    cuda_visible_devices: str | None
    interpret: str | None  # TRITON_INTERPRET as it is set
    wants_simulator: bool
    misspelling: str | None
    pictures: str
    home: Path
    cache: Path
    cache_error: str | None
    gpu_run: KernelRun | None  # None: no GPU to run on
    simulator_run: KernelRun

    @property
    def runs(self) -> tuple[KernelRun, ...]:
        return (self.simulator_run,) if self.gpu_run is None else (self.gpu_run, self.simulator_run)

    @property
    def gpu_works(self) -> bool:
        return self.gpu_run is not None and self.gpu_run.worked

    def fact(self, name: str) -> str | None:
        """A fact from the first run that knows it."""
        values = (run.facts.get(name) for run in self.runs)
        return next((value for value in values if isinstance(value, str)), None)


# ---- The checks, in the order of the table ----------------------------------------------------------------


def check_python(machine: Machine) -> Check:
    version = ".".join(map(str, machine.python))
    systems = {"darwin": "macOS", "linux": "Linux", "win32": "Windows"}
    found = f"{version}, {systems.get(machine.system, machine.system)} on {machine.processor}"
    if machine.python[:2] < OLDEST_PYTHON:
        return Check("Python", State.FAILED, found, "Install Python 3.11 or newer: `uv python install 3.12`")
    return Check("Python", State.OK, found)


def check_uv(machine: Machine) -> Check:
    if machine.uv is not None:
        return Check("uv", State.OK, machine.uv)
    installer = "curl -LsSf https://astral.sh/uv/install.sh | sh"
    if machine.system == "win32":
        installer = 'powershell -c "irm https://astral.sh/uv/install.ps1 | iex"'
    return Check("uv", State.WARNING, "not found; every command starts with `uv run`", f"Install it: `{installer}`")


def check_torch(machine: Machine) -> Check:
    version = machine.fact("torch") or machine.packages.get("torch")
    if version is None:
        return Check("torch", State.FAILED, "not installed", _REINSTALL.format(package="torch"))
    broken = next((run for run in machine.runs if run.broken_import == "torch"), None)
    if broken is not None:
        return Check(
            "torch",
            State.FAILED,
            f"{version}, but its import fails: {_last_error(broken)}",
            _REINSTALL.format(package="torch"),
        )
    if machine.gpu_run is not None and machine.fact("torch") and machine.fact("torch_cuda") is None:
        return Check(
            "torch",
            State.WARNING,  # the simulator works without CUDA
            f"{version}, built without CUDA: it cannot use the GPU",
            _REINSTALL.format(package="torch"),
        )
    return Check("torch", State.OK, version)


def check_torchvision(machine: Machine) -> Check:
    version = machine.packages.get("torchvision")
    fix = _REINSTALL.format(package="torchvision")
    if version is None:
        return Check("torchvision", State.FAILED, "not installed", fix)
    if any(run.facts.get("torchvision") for run in machine.runs):
        return Check("torchvision", State.OK, version)
    # Asked after the kernel: if the kernel never ended, nothing is known about torchvision.
    asked = next((run for run in machine.runs if "correct" in run.facts), None)
    if asked is not None:
        found = f"{version}, but it does not fit this torch: {_last_error(asked)}"
        return Check("torchvision", State.FAILED, found, fix)
    return Check("torchvision", State.OK, f"{version} (not tried)")


def check_triton(machine: Machine) -> Check:
    version = machine.fact("triton") or machine.packages.get("triton")
    if version is None:
        return Check("Triton", State.FAILED, "not installed", machine.triton_error or "Install it: `uv sync`")
    broken = next((run for run in machine.runs if run.broken_import == "triton"), None)
    if broken is not None:
        found = f"{version}, but its import fails: {_last_error(broken)}"
        return Check("Triton", State.FAILED, found, _REINSTALL.format(package="triton"))
    if _major_minor(version) < OLDEST_TRITON:
        return Check("Triton", State.WARNING, f"{version}; the workshop needs 3.6 or newer", "Run `uv sync`")
    if "triton" not in machine.packages:
        version += ", its Python files only: enough for the simulator"
    return Check("Triton", State.OK, version)


def check_pillow(machine: Machine) -> Check:
    version = machine.packages.get("pillow")
    fix = _REINSTALL.format(package="pillow")
    if version is None:
        return Check("Pillow", State.FAILED, "not installed", fix)
    if machine.pillow_error is not None:
        return Check("Pillow", State.FAILED, f"{version}, but its import fails: {machine.pillow_error}", fix)
    return Check("Pillow", State.OK, version)


def check_gpu(machine: Machine) -> Check:
    if not machine.visible_gpus:
        return _check_missing_gpu(machine)
    gpu = machine.visible_gpus[0]
    capability = _dotted(gpu.compute_capability)
    more = f" (and {len(machine.visible_gpus) - 1} more)" if len(machine.visible_gpus) > 1 else ""
    found = f"{gpu.name}, {gpu.memory_bytes / 2**30:.0f} GiB, compute capability {capability}{more}"
    if not any(each.runs_kernels for each in machine.visible_gpus):
        needed = _dotted(MINIMUM_COMPUTE_CAPABILITY)
        fix = (
            f"Too old for current torch and Triton, which need compute capability {needed}. "
            "You need not do anything: the workshop uses the simulator here"
        )
        return Check("GPU", State.WARNING, found, fix)
    if gpu.compute_capability < TRITON_NAMES_COMPUTE_CAPABILITY:
        fix = (
            f"Triton lists {_dotted(TRITON_NAMES_COMPUTE_CAPABILITY)} as its oldest, but most kernels run. "
            f"If one does not, use the simulator: `{_set_variable(machine, 'TRITON_INTERPRET', '1')}`"
        )
        return Check("GPU", State.WARNING, found, fix)
    return Check("GPU", State.OK, found)


def _check_missing_gpu(machine: Machine) -> Check:
    if machine.installed_gpus:
        setting = f"CUDA_VISIBLE_DEVICES={machine.cuda_visible_devices!r}"
        found = f"{machine.installed_gpus[0].name}, hidden by {setting}"
        fix = f"To use it: `{_unset_variable(machine, 'CUDA_VISIBLE_DEVICES')}`"
        return Check("GPU", State.WARNING, found, fix)
    if machine.nvidia_on_the_bus:
        return Check("GPU", State.WARNING, "found, but its driver does not work: fix the driver first")
    return Check("GPU", State.NOT_APPLICABLE, "no NVIDIA GPU here; the simulator needs none")


def check_driver(machine: Machine) -> Check:
    name = "NVIDIA driver"
    if machine.driver is None:
        if not machine.nvidia_on_the_bus:
            return Check(name, State.NOT_APPLICABLE, "none; not needed without an NVIDIA GPU")
        fix = (
            "Install it (on Ubuntu: `sudo ubuntu-drivers install`) and restart; if you just updated it, only restart. "
            "In a container: `docker run --gpus all …`"
        )
        return Check(name, State.WARNING, "no driver answers", fix)
    found = f"{machine.driver.version}, supports CUDA up to {_dotted(machine.driver.cuda)}"
    torch_cuda = machine.fact("torch_cuda")
    if torch_cuda is None:
        return Check(name, State.OK, found)
    found += f"; torch uses {torch_cuda}"
    major = _major_minor(torch_cuda)[0]
    if machine.gpu_works or machine.driver.cuda[0] >= major:
        return Check(name, State.OK, found)
    oldest = OLDEST_DRIVER.get(major)
    wanted = f"driver {oldest} or newer" if oldest else f"a driver for CUDA {major}"
    fix = f"Install {wanted} (on Ubuntu: `sudo ubuntu-drivers install`) and restart"
    return Check(name, State.FAILED, found, fix)


def check_gpu_kernel(machine: Machine) -> Check:
    name = "GPU kernel"
    run = machine.gpu_run
    if run is None:
        return Check(name, State.NOT_APPLICABLE, "no GPU to run it on")
    if run.worked:
        return Check(name, State.OK, f"compiled and run; result equals torch's ({_seconds(run)})")
    return _failed_kernel(name, machine, run, f"`{_KERNEL_BY_HAND}`")


def check_simulator_kernel(machine: Machine) -> Check:
    name = "simulator kernel"
    run = machine.simulator_run
    if run.worked:
        return Check(name, State.OK, f"run; result equals torch's ({_seconds(run)})")
    by_hand = f"`{_set_variable(machine, 'TRITON_INTERPRET', '1')}` and `{_KERNEL_BY_HAND}`, after `uv sync`"
    return _failed_kernel(name, machine, run, by_hand)


def _failed_kernel(name: str, machine: Machine, run: KernelRun, by_hand: str) -> Check:
    """What to do: fix the cause, which has its own row, or follow what is known about the error."""
    cause = _cause(machine, run)
    if cause is not None:
        return Check(name, State.FAILED, f"{run.failure or 'failed'}: fix {cause} first")
    fix = _hint(machine, run)
    found = _shortened(_what_happened(run), ROW if fix else 2 * ROW - 10)
    return Check(name, State.FAILED, found, fix or f"To see the whole error: {by_hand}")


def check_interpret(machine: Machine) -> Check:
    name = "TRITON_INTERPRET"
    if machine.misspelling is not None:
        fix = (
            f"`{_unset_variable(machine, 'TRITON_INTERPRETER')}`; for the simulator: "
            f"`{_set_variable(machine, 'TRITON_INTERPRET', '1')}`"
        )
        return Check(name, State.WARNING, machine.misspelling, fix)
    if machine.wants_simulator:
        return Check(name, State.OK, f"{machine.interpret}: kernels run on the simulator")
    found = "not set" if machine.interpret is None else f"{machine.interpret!r}, which means no"
    return Check(name, State.OK, f"{found}: the GPU if there is one, else the simulator")


def check_cache(machine: Machine) -> Check:
    folder = _brief(machine.cache, machine.home)
    if machine.cache_error is None:
        return Check("Triton cache", State.OK, folder)
    # The simulator compiles nothing, so only a GPU needs the cache.
    state = State.WARNING if machine.gpu_run is None else State.FAILED
    choose = _set_variable(machine, "TRITON_CACHE_DIR", _example_cache())
    fix = f"Choose another folder: `{choose}`"
    return Check("Triton cache", state, f"{folder} cannot be written: {machine.cache_error}", fix)


def _brief(path: Path, home: Path) -> str:
    """The path in one row: relative to the home folder, and only the end of a long path."""
    shown = str(Path("~") / path.relative_to(home) if path.is_relative_to(home) else path)
    return shown if len(shown) <= ROW else f"…{shown[1 - ROW :]}"


def check_pictures(machine: Machine) -> Check:
    return Check("pictures", State.OK, machine.pictures)


def check_presenterm(machine: Machine) -> Check:
    if machine.presenterm is not None:
        return Check("presenterm", State.OK, machine.presenterm)
    return Check("presenterm", State.NOT_APPLICABLE, "not found; only --viewer presenterm needs it")


CHECKS: tuple[Callable[[Machine], Check], ...] = (
    check_python,
    check_uv,
    check_torch,
    check_torchvision,
    check_triton,
    check_pillow,
    check_gpu,
    check_driver,
    check_gpu_kernel,
    check_simulator_kernel,
    check_interpret,
    check_cache,
    check_pictures,
    check_presenterm,
)


# ---- The verdict ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Verdict:
    """Whether the workshop can be done here, and on what: "cuda", "cpu" for the simulator, or None."""

    ok: bool
    device: str | None
    summary: str


def judge(machine: Machine, checks: Sequence[Check]) -> Verdict:
    not_ready = "Not ready: fix the rows marked ✗."
    packages_failed = any(check.state is State.FAILED for check in checks if check.name in PACKAGES_NEEDED)
    device = _where_kernels_run(machine)
    if packages_failed or device is None:
        return Verdict(False, device, not_ready)
    if device == "cuda":
        return Verdict(True, device, f"Ready: kernels run on {machine.visible_gpus[0].name}.")
    if machine.gpu_run is not None and not machine.wants_simulator:
        to_simulator = _set_variable(machine, "TRITON_INTERPRET", "1")
        summary = f"Ready on the simulator: `{to_simulator}`. To use the GPU, fix each ✗ first."
        return Verdict(True, device, summary)
    reason = "TRITON_INTERPRET is set" if machine.gpu_run is not None else _why_no_gpu(machine)
    return Verdict(True, device, f"Ready: kernels run on the simulator ({reason}).")


def _where_kernels_run(machine: Machine) -> str | None:
    if machine.gpu_works and not machine.wants_simulator:
        return "cuda"
    if machine.simulator_run.worked:
        return "cpu"
    return None


def _why_no_gpu(machine: Machine) -> str:
    return "see the GPU's row" if machine.installed_gpus or machine.nvidia_on_the_bus else "no NVIDIA GPU here"


# ---- The words for fixing --------------------------------------------------------------------------------

_REINSTALL = "Reinstall it: `uv sync --reinstall-package {package}`"
_KERNEL_BY_HAND = "uv run python -m triton_workshop.setup_kernel"

_MENDING_BY_ERROR = (
    (
        r"Failed to find C compiler",
        "Triton needs a C compiler: `sudo apt install gcc` (on Fedora: `sudo dnf install gcc`), or name one that you "
        "have: `export CC=/path/to/gcc`",
    ),
    (
        r"Python\.h",
        "Triton needs Python's C headers: `sudo apt install python3-dev`, or use uv's own Python: "
        "`uv python install 3.12` and `uv sync --managed-python`",
    ),
    (
        r"driver.{0,40}too old",
        "The NVIDIA driver is too old for this torch: install a newer one and restart",
    ),
    (
        r"libcuda\.so",
        "The driver's libcuda.so.1 was not found: `sudo ldconfig`; in a container: `docker run --gpus all …`",
    ),
    (
        r"no kernel image is available|sm_\d+\w?' is not|Value 'sm_\d+",
        "This torch or Triton does not know this GPU (see its compute capability): `uv sync`",
    ),
    (
        r"out of memory",
        "Another program is using the GPU's memory: find it with `nvidia-smi`, and end it",
    ),
    (
        r"No space left on device",
        "The disk is full: free some space, or move Triton's cache: `export TRITON_CACHE_DIR=/path/with/room`",
    ),
    (
        r"unknown error|initialization error|No CUDA GPUs are available|active drivers",
        "The GPU does not respond. Try `nvidia-smi`; if it fails too, restart the machine (or start the container "
        "with `docker run --gpus all …`)",
    ),
)


def _cause(machine: Machine, run: KernelRun) -> str | None:
    """What must be fixed before the run can succeed; None if no other row says so."""
    for name, package in (("torch", "torch"), ("Triton", "triton")):
        installed = machine.fact(package) or machine.packages.get(package)
        if installed is None or run.broken_import == package:
            return name
    if run is machine.gpu_run and check_torch(machine).state is State.WARNING:
        return "torch"
    if run is machine.gpu_run and check_driver(machine).state is State.FAILED:
        return "the NVIDIA driver"
    if machine.cache_error is not None and re.search(r"Permission|Read-only|NotADirectory|FileExists", run.stderr):
        return "the Triton cache"
    return None


def _hint(machine: Machine, run: KernelRun) -> str | None:
    """How to fix what stopped the run, if it is a known error."""
    if machine.compiler and f"No such file or directory: '{machine.compiler}'" in run.stderr:
        return f"CC names a compiler that does not exist, {machine.compiler}: `{_unset_variable(machine, 'CC')}`"
    for pattern, words in _MENDING_BY_ERROR:
        if re.search(pattern, run.stderr, re.IGNORECASE):
            return words
    return None


def _what_happened(run: KernelRun) -> str:
    if run.failure is None:
        return "it ran, but its values differ from torch's"
    error = _last_error(run)
    return f"{run.failure}: {error}" if error else run.failure


def _last_error(run: KernelRun) -> str:
    """The line of a traceback that says what went wrong, or else the last line."""
    lines = [line.strip() for line in run.stderr.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"[\w.]*(Error|Exception)\b|(fatal )?error:", line)]
    return _shortened((errors or lines or [""])[-1], 160)


def _shortened(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"


def _set_variable(machine: Machine, name: str, value: str) -> str:
    return f'$env:{name} = "{value}"' if machine.system == "win32" else f"export {name}={value}"


def _unset_variable(machine: Machine, name: str) -> str:
    return f"Remove-Item Env:{name}" if machine.system == "win32" else f"unset {name}"


def _example_cache() -> str:
    return str(Path(tempfile.gettempdir()) / "triton-cache")


def _seconds(run: KernelRun) -> str:
    seconds = run.facts.get("seconds")
    return f"{seconds:.1f} s" if isinstance(seconds, int | float) else "time unknown"


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def _major_minor(version: str) -> tuple[int, int]:
    numbers = [int(number) for number in re.findall(r"\d+", version)]
    return (numbers[0], numbers[1]) if len(numbers) > 1 else (0, 0)


# ---- Gathering the facts ----------------------------------------------------------------------------------


def look_at_machine(waiting: contextlib.AbstractContextManager[object] | None = None) -> Machine:
    """Gather the facts, within seconds: the kernels start first, and run during the other checks.

    `waiting` is entered once the terminal has said what it can do and may be drawn on.
    """
    gpus = visible_gpus()
    triton_error = _why_no_triton()
    with contextlib.ExitStack() as stack:
        simulator_run = stack.enter_context(_kernel_process(simulate=True))
        gpu_run = None
        if any(gpu.runs_kernels for gpu in gpus):
            gpu_run = stack.enter_context(_kernel_process(simulate=False))
        pictures = _how_pictures_show()
        stack.enter_context(waiting or contextlib.nullcontext())
        cache = _cache_folder(os.environ)
        return Machine(
            system=sys.platform,
            processor=platform.machine(),
            python=sys.version_info[:3],
            packages=_installed_packages(),
            pillow_error=_pillow_error(),
            triton_error=triton_error,
            uv=_version_of(os.environ.get("UV", "uv")),
            presenterm=_version_of("presenterm"),
            compiler=os.environ.get("CC"),
            visible_gpus=gpus,
            installed_gpus=installed_gpus(),
            driver=driver(),
            nvidia_on_the_bus=_nvidia_on_the_bus(),
            cuda_visible_devices=os.environ.get("CUDA_VISIBLE_DEVICES"),
            interpret=os.environ.get("TRITON_INTERPRET"),
            wants_simulator=simulated(),
            misspelling=misspelt_interpret(os.environ),
            pictures=pictures,
            home=Path.home(),
            cache=cache,
            cache_error=_why_not_writable(cache),
            gpu_run=gpu_run() if gpu_run else None,
            simulator_run=simulator_run(),
        )


@contextlib.contextmanager
def _kernel_process(simulate: bool) -> Iterator[Callable[[], KernelRun]]:
    """Start a process that runs the kernel, and yield a function that waits for its result."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("TRITON_INTERPRET")}
    if simulate:
        variables["TRITON_INTERPRET"] = "1"
    # A file, not a pipe: a compiler that the process leaves behind would hold a pipe open.
    with (
        tempfile.TemporaryFile() as printed,
        call.start(KERNEL, output=printed.fileno(), variables=variables, patience=KERNEL_SECONDS) as trying,
    ):

        def result() -> KernelRun:
            facts, failure = _facts_of(trying)
            printed.seek(0)
            return KernelRun(facts, failure, printed.read().decode(errors="replace"))

        yield result


def _facts_of(trying: call.Call) -> tuple[dict[str, object], str | None]:
    """What the kernel's process reports, and why it failed; None if it did not."""
    facts: dict[str, object] = {}
    try:
        for said in trying.messages():
            assert isinstance(said, dict)
            facts |= said
    except call.TimeIsUpError:
        return facts, f"not finished after {KERNEL_SECONDS} s"
    except call.EndedError as error:
        return facts, f"crashed ({signal.Signals(-error.code).name})" if error.code < 0 else "failed"
    return facts, None


def _installed_packages() -> dict[str, str]:
    """Versions from the packages' metadata, as importing them would take seconds."""
    distributions = {
        "torch": ("torch",),
        "torchvision": ("torchvision",),
        "triton": ("triton", "triton-windows", "pytorch-triton"),
        "pillow": ("pillow",),
    }
    versions: dict[str, str] = {}
    for package, names in distributions.items():
        for name in names:
            with contextlib.suppress(importlib.metadata.PackageNotFoundError):
                versions.setdefault(package, importlib.metadata.version(name))
    return versions


def _why_no_triton() -> str | None:
    """Fetch Triton's Python files where it is not installed, while the terminal shows how that goes."""
    try:
        fetch_if_needed()
    except WorkshopError as error:
        return str(error)
    return None


def _pillow_error() -> str | None:
    try:
        import PIL.Image  # noqa: F401
    except ImportError as error:
        return str(error)
    return None


def _version_of(program: str) -> str | None:
    """The version that the program prints; None if it is not installed or does not run."""
    path = shutil.which(program)
    if path is None:
        return None
    try:
        answer = subprocess.run(
            [path, "--version"],
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    version = re.search(r"\d[\w.+-]*", answer.stdout)
    return version[0] if version else None


def _nvidia_on_the_bus() -> bool:
    """Whether Linux lists an NVIDIA display device on the PCI bus; False on other systems."""
    devices = Path("/sys/bus/pci/devices")
    try:
        return any(
            (device / "vendor").read_text().strip() == NVIDIA_PCI_VENDOR
            and (device / "class").read_text().startswith(PCI_DISPLAY_CLASS)
            for device in devices.iterdir()
        )
    except OSError:
        return False


def _cache_folder(environ: Mapping[str, str]) -> Path:
    """Where Triton keeps compiled kernels, following `triton.knobs.cache`."""
    if "TRITON_CACHE_DIR" in environ:
        return Path(environ["TRITON_CACHE_DIR"])
    return Path(environ.get("TRITON_HOME", Path.home())) / ".triton" / "cache"


def _why_not_writable(folder: Path) -> str | None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return None
    except OSError as error:
        return error.strerror or str(error)


def _how_pictures_show() -> str:
    """As the viewer finds out."""
    if sys.stdout.isatty():
        way = ask().way
        return f"{way} graphics" if way is not None else NO_GRAPHICS
    try:
        from triton_workshop.images import slide_columns
    except ImportError:
        return "unknown: Pillow does not load"
    if slide_columns(os.environ) is not None:
        return "half-blocks, in the slide"
    return "not a terminal; pictures are written to files"


# ---- The report -------------------------------------------------------------------------------------------

_MARKS = {
    State.OK: ("✓", "green"),
    State.WARNING: ("!", "yellow"),
    State.FAILED: ("✗", "bold red"),
    State.NOT_APPLICABLE: ("·", "dim"),
}
_INDENT = " " * 3  # of the lines under a row: small, so that a command fits and can be copied in one piece


def print_report(checks: Sequence[Check], verdict: Verdict, console: Console) -> None:
    """Print the rows, each followed by how to fix its problem, and then the verdict."""
    names = max(len(check.name) for check in checks)
    for check in _rows(checks):
        console.print(_row(check, names))
        for line in wrap_keeping_commands(check.fix or "", console.width - len(_INDENT)):
            # Not wrapped by Rich: a command has to be copied in one piece.
            console.print(Text(_INDENT) + _coloured_commands(line), soft_wrap=True)
    console.print()
    console.print(Text(verdict.summary, style="bold green" if verdict.ok else "bold red"))


def _rows(checks: Sequence[Check]) -> Iterator[Check]:
    """One row per check, except that working packages share torch's row if torch works."""
    well = {check.name: check for check in checks if check.state is State.OK}
    beside = [well[name] for name in ("torchvision", "Pillow") if name in well and "torch" in well]
    for check in checks:
        if check.name == "torch":
            yield replace(check, found=", ".join((check.found, *(f"{each.name} {each.found}" for each in beside))))
        elif check not in beside:
            yield check


def _row(check: Check, names: int) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 1))
    table.add_column(width=1)
    table.add_column(width=names, no_wrap=True)
    table.add_column(overflow="fold")
    quiet = "dim" if check.state is State.NOT_APPLICABLE else ""
    table.add_row(_mark(check), Text(check.name, style=quiet or "bold"), Text(check.found, style=quiet))
    return table


def _mark(check: Check) -> Text:
    mark, style = _MARKS[check.state]
    return Text(mark, style=style)


def wrap_keeping_commands(text: str, width: int) -> list[str]:
    """Lines of at most `width` columns; commands in backticks and indented lines are never broken."""
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith(" ") or not line:
            lines.append(line)
            continue
        glued = re.sub(r"`[^`]*`", lambda command: command[0].replace(" ", "\0"), line)
        wrapped = textwrap.wrap(glued, width, break_long_words=False, break_on_hyphens=False)
        lines += [part.replace("\0", " ") for part in wrapped]
    return lines


def _coloured_commands(line: str) -> Text:
    text = Text(line)
    text.highlight_regex(r"`[^`]*`|^ .*", style="cyan")
    return text


def check_machine(machine: Machine) -> list[Check]:
    """The rows of the table, in order."""
    return [check(machine) for check in CHECKS]


def main(arguments: Sequence[str] | None = None) -> None:
    """The command `setup-check`. Exits with 0 if the workshop can be done on this machine, and otherwise with 1."""
    parser = argparse.ArgumentParser(
        prog="setup-check", description="Say what works on this machine, and how to fix what does not."
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--triton",
        metavar="FOLDER",
        help="where Triton has no package: take its Python files from a folder that `workshop pack` made, "
        "or from the address that serves it, instead of downloading them",
    )
    chosen = parser.parse_args(arguments)
    try:
        if chosen.triton is not None:
            files.take(chosen.triton)
        machine = look_at_machine(_progress())
    except KeyboardInterrupt:
        sys.exit(130)
    checks = check_machine(machine)
    verdict = judge(machine, checks)
    if chosen.json:
        rows = [asdict(check) for check in checks]
        print(json.dumps({"ok": verdict.ok, "device": verdict.device, "checks": rows}, indent=2))
    else:
        speak_utf8()
        print_report(checks, verdict, Console())
    sys.exit(0 if verdict.ok else 1)


def _progress() -> Progress:
    console = Console(stderr=True)
    progress = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    progress.add_task("Running a kernel; importing torch takes a few seconds", total=None)
    return progress


if __name__ == "__main__":
    main()
