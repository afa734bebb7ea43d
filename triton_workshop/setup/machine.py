"""Facts about this machine, gathered within seconds.

The kernels start first, and run while the rest is collected.
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from triton_simulator.without_library import fetch_if_needed
from triton_simulator.without_library.errors import NoTritonError
from triton_workshop.device import Driver, Gpu, driver, installed_gpus, select_visible
from triton_workshop.processes import call
from triton_workshop.terminal import query_terminal

KERNEL = "triton_workshop.setup.kernel:main"
KERNEL_SECONDS = 60
"""Time limit for a kernel, including importing torch.

After that it counts as hanging.
"""

DISTRIBUTIONS = ("torch", "torchvision", "triton", "triton-windows", "pytorch-triton", "pillow")
NO_GRAPHICS = "no graphics protocol; try kitty, Ghostty, WezTerm or iTerm2"
NVIDIA_PCI_VENDOR = "0x10de"
PCI_DISPLAY_CLASS = "0x03"


@dataclass(frozen=True)
class KernelRun:
    """Report of a process that ran the kernel, and how it ended."""

    facts: Mapping[str, Any]
    failure: str | None = None
    """Why the process ended early, in a few words; None if it finished."""
    stderr: str = ""

    @property
    def worked(self) -> bool:
        """True if the kernel added as torch does."""
        return self.facts.get("correct") is True

    @property
    def broken_package(self) -> str | None:
        """The package whose import ended the process."""
        match = re.search(r'kernel\.py", line \d+, in <module>\s+import (torch|triton)\b', self.stderr)
        if match is not None:
            return match[1]
        failed_later = "correct" in self.facts and self.failure is not None
        return "torchvision" if failed_later else None

    @property
    def outcome(self) -> str:
        """Reason why the run is no success, in a phrase."""
        if self.failure is None:
            return "it ran, but its values differ from torch's"
        return f"{self.failure}: {self.error}" if self.error else self.failure

    @property
    def error(self) -> str:
        """Line of a traceback with the error, or else the last line."""
        lines = [line.strip() for line in self.stderr.splitlines() if line.strip()]
        errors = [line for line in lines if re.match(r"[\w.]*(Error|Exception)\b|(fatal )?error:", line)]
        candidates = errors or lines
        return shortened(candidates[-1] if candidates else "", 160)


@dataclass(frozen=True)
class MachineFacts:
    """Everything the checks need to know."""

    system: str  # as in sys.platform
    processor: str
    python: str
    packages: Mapping[str, str]  # installed package → version
    triton_error: str | None  # why its Python files could not be fetched, where it is not installed
    uv: str | None
    environ: Mapping[str, str]
    gpus: tuple[Gpu, ...]  # visible to CUDA or not
    driver: Driver | None
    nvidia_on_the_bus: bool  # an NVIDIA GPU is plugged in, whether or not a driver knows it
    pictures: str
    gpu_run: KernelRun | None  # None: no GPU to run on
    simulator_run: KernelRun

    @property
    def visible_gpus(self) -> tuple[Gpu, ...]:
        """GPUs that CUDA shows."""
        return select_visible(self.gpus, self.environ.get("CUDA_VISIBLE_DEVICES"))

    @property
    def runs(self) -> tuple[KernelRun, ...]:
        """All runs of the kernel, the GPU's first."""
        return (self.simulator_run,) if self.gpu_run is None else (self.gpu_run, self.simulator_run)

    @property
    def gpu_works(self) -> bool:
        """True if the kernel was right on the GPU."""
        return self.gpu_run is not None and self.gpu_run.worked

    def fact(self, name: str) -> str | None:
        """A fact from the first run that knows it."""
        return next((run.facts[name] for run in self.runs if run.facts.get(name)), None)


def shortened(text: str, length: int) -> str:
    """Cut a text to a length, with an ellipsis."""
    return text if len(text) <= length else f"{text[: length - 1]}…"


def look_at_machine(waiting: AbstractContextManager[object]) -> MachineFacts:
    """Gather the facts.

    `waiting` is entered once the terminal has said what it can do and may be drawn on.
    """
    gpus = installed_gpus()
    triton_error = _why_no_triton()
    with ExitStack() as stack:
        # These processes import PyTorch while the other facts are gathered, and are asked last.
        simulator_run = stack.enter_context(kernel_process(simulate=True))
        gpu_run = None
        visible_gpus = select_visible(gpus, os.environ.get("CUDA_VISIBLE_DEVICES"))
        has_usable_gpu = any(gpu.runs_kernels for gpu in visible_gpus)
        if has_usable_gpu:
            gpu_run = stack.enter_context(kernel_process(simulate=False))
        pictures = how_pictures_show()
        # Not before: how pictures show is asked of the terminal, and its answer must not meet a spinner.
        stack.enter_context(waiting)
        return MachineFacts(
            system=sys.platform,
            processor=platform.machine(),
            python=".".join(map(str, sys.version_info[:3])),
            packages=_installed_packages(),
            triton_error=triton_error,
            uv=_version_of(os.environ.get("UV", "uv")),
            environ=dict(os.environ),
            gpus=gpus,
            driver=driver(),
            nvidia_on_the_bus=_nvidia_on_the_bus(),
            pictures=pictures,
            gpu_run=gpu_run() if gpu_run else None,
            simulator_run=simulator_run(),
        )


@contextmanager
def kernel_process(simulate: bool) -> Iterator[Callable[[], KernelRun]]:
    """Start a process that runs the kernel.

    It yields a function that waits for the result.
    """
    # Also without the misspelt TRITON_INTERPRETER, which has a row of its own.
    variables = {name: value for name, value in os.environ.items() if not name.startswith("TRITON_INTERPRET")}
    if simulate:
        variables["TRITON_INTERPRET"] = "1"
    # A file, not a pipe: a compiler that the process leaves behind would hold a pipe open.
    with (
        tempfile.TemporaryFile() as printed,
        call.start(KERNEL, output=printed.fileno(), variables=variables, timeout=KERNEL_SECONDS) as trying,
    ):

        def result() -> KernelRun:
            facts: dict[str, Any] = {}
            failure = None
            try:
                for message in trying.messages():
                    assert isinstance(message, dict)
                    facts |= message
            except call.TimeIsUpError:
                failure = f"not finished after {KERNEL_SECONDS} s"
            except call.EndedError as error:
                failure = f"crashed ({signal.Signals(-error.code).name})" if error.code < 0 else "failed"
            printed.seek(0)
            return KernelRun(facts, failure, printed.read().decode(errors="replace"))

        yield result


def _installed_packages() -> dict[str, str]:
    """Return versions from the packages' metadata.

    Importing the packages would take seconds.
    """
    versions: dict[str, str] = {}
    for name in DISTRIBUTIONS:
        with suppress(importlib.metadata.PackageNotFoundError):
            versions["triton" if "triton" in name else name] = importlib.metadata.version(name)
    return versions


def _why_no_triton() -> str | None:
    """Fetch Triton's Python files where it is not installed.

    The terminal shows how that goes. Returns the error, if there was one.
    """
    try:
        fetch_if_needed()
    except NoTritonError as error:
        return str(error)
    return None


def _version_of(program: str) -> str | None:
    """Return the version that a program prints.

    None if it is not installed or does not run.
    """
    path = shutil.which(program)
    if path is None:
        return None
    try:
        answer = subprocess.run([path, "--version"], capture_output=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    version = re.search(r"\d[\w.+-]*", answer.stdout.decode(errors="replace"))
    return version[0] if version else None


def _nvidia_on_the_bus() -> bool:
    """Return whether Linux lists an NVIDIA display device on the PCI bus.

    False on other systems.
    """
    devices = Path("/sys/bus/pci/devices")
    try:
        return any(
            (device / "vendor").read_text().strip() == NVIDIA_PCI_VENDOR
            and (device / "class").read_text().startswith(PCI_DISPLAY_CLASS)
            for device in devices.iterdir()
        )
    except OSError:
        return False


def how_pictures_show() -> str:
    """As the viewer finds out."""
    if sys.stdout.isatty():
        protocol = query_terminal().graphics
        return f"{protocol} graphics" if protocol is not None else NO_GRAPHICS
    with suppress(ImportError):  # of Pillow, which has its own row
        from triton_workshop.images import slide_columns

        if slide_columns(os.environ) is not None:
            return "half-blocks, in the slide"
    return "not a terminal; pictures are written to files"
