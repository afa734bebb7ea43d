"""Decides between GPU and simulator, once, before Triton loads.

Asking NVML takes 0.04 s, needs no torch, and leaves CUDA uninitialised; `cuInit` would break every process
forked afterwards.
"""

from __future__ import annotations

import functools
import os
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType

from triton_simulator.gpus import OLDEST_CAPABILITY

FP_FUSION = "TRITON_DEFAULT_FP_FUSION"
_TRUE = frozenset({"1", "true", "on", "y", "yes"})


@dataclass(frozen=True)
class Gpu:
    """An NVIDIA GPU as NVML describes it."""

    index: int
    name: str
    memory_bytes: int
    compute_capability: tuple[int, int]
    uuid: str

    @property
    def runs_kernels(self) -> bool:
        """True if Triton's kernels run on it."""
        return self.compute_capability >= OLDEST_CAPABILITY


@dataclass(frozen=True)
class Driver:
    """The NVIDIA driver and the newest CUDA version that it supports."""

    version: str
    cuda: tuple[int, int]


def resolve_device() -> str:
    """Return "cuda", or "cpu" for the simulator: where kernels run.

    Must be called before Triton is imported: for "cpu" it sets `TRITON_INTERPRET=1`, and for "cuda" the rounding that
    our kernels were measured with (see `_enable_fp_fusion`).
    """
    return _resolve_once()


def simulated(environ: Mapping[str, str] | None = None) -> bool:
    """Return True if `TRITON_INTERPRET` asks for the simulator.

    It is read as Triton reads it. `environ` is this process's by default.
    """
    environ = os.environ if environ is None else environ
    return environ.get("TRITON_INTERPRET", "").strip().lower() in _TRUE


def use_simulator() -> None:
    """Run the kernels of this process on the simulator.

    Call this before Triton is imported.
    """
    os.environ["TRITON_INTERPRET"] = "1"
    _resolve_once.cache_clear()


@functools.cache
def _resolve_once() -> str:
    misspelling = misspelt_interpret(os.environ)
    if misspelling:
        warnings.warn(misspelling, stacklevel=5)  # the line of the script that imports us
    if runs_on_a_gpu():
        _enable_fp_fusion()
        return "cuda"
    os.environ["TRITON_INTERPRET"] = "1"
    return "cpu"


def _enable_fp_fusion() -> None:
    """Have multiplications and additions fused into one instruction.

    It rounds once, as in every Triton so far. Triton 3.9 warns in each process that leaves this unset, since 3.10 is to
    fuse only on request (triton/_utils.py, FP_FUSION_DEFAULT_WARNING).
    """
    os.environ.setdefault(FP_FUSION, "1")


def misspelt_interpret(environ: Mapping[str, str]) -> str | None:
    """Return a warning if `TRITON_INTERPRETER` is set, else None.

    Triton ignores that variable.
    """
    if "TRITON_INTERPRETER" not in environ:
        return None
    return "TRITON_INTERPRETER is set, but Triton does not read it: the variable is spelt TRITON_INTERPRET"


def runs_on_a_gpu(environ: Mapping[str, str] | None = None) -> bool:
    """Return True if kernels run on a GPU here.

    A suitable one exists, and nobody asked for the simulator.
    """
    return not simulated(environ) and any(gpu.runs_kernels for gpu in visible_gpus(environ))


def visible_gpus(environ: Mapping[str, str] | None = None) -> tuple[Gpu, ...]:
    """Return the NVIDIA GPUs that CUDA would show this process.

    It takes `CUDA_VISIBLE_DEVICES` into account.
    """
    visible = (os.environ if environ is None else environ).get("CUDA_VISIBLE_DEVICES")
    return select_visible(installed_gpus(), visible)


def select_visible(gpus: tuple[Gpu, ...], visible: str | None) -> tuple[Gpu, ...]:
    """Return the GPUs that a value of `CUDA_VISIBLE_DEVICES` selects.

    They are in its order; None selects all. As in CUDA, each entry is an index or the start of a UUID, and the first
    one that matches no GPU ends the list (CUDA C++ Programming Guide, "CUDA Environment Variables").
    """
    if visible is None:
        return gpus
    selected: list[Gpu] = []
    for name in visible.split(","):
        gpu = _named(gpus, name.strip())
        if gpu is None:
            break
        selected.append(gpu)
    return tuple(selected)


def _named(gpus: tuple[Gpu, ...], name: str) -> Gpu | None:
    if name.isdecimal():
        index = int(name)
        return gpus[index] if index < len(gpus) else None
    if name.startswith("MIG-"):
        # Asking NVML for each GPU's slices is not worth it; all that matters here is that there is one.
        return gpus[0] if gpus else None
    matches = [gpu for gpu in gpus if name.startswith("GPU-") and gpu.uuid.startswith(name)]
    return matches[0] if len(matches) == 1 else None


@functools.cache
def installed_gpus() -> tuple[Gpu, ...]:
    """Return every NVIDIA GPU that the driver reports.

    CUDA may not show all of them. There are none without a driver.
    """
    with _nvml() as nvml:
        if nvml is None:
            return ()
        try:
            count = nvml.nvmlDeviceGetCount()
        except nvml.NVMLError:
            return ()
        gpus = (_describe(nvml, index) for index in range(count))
        return tuple(gpu for gpu in gpus if gpu is not None)


@functools.cache
def driver() -> Driver | None:
    """Return the NVIDIA driver, or None if there is none."""
    with _nvml() as nvml:
        if nvml is None:
            return None
        try:
            version, cuda = nvml.nvmlSystemGetDriverVersion(), nvml.nvmlSystemGetCudaDriverVersion_v2()
        except nvml.NVMLError:
            return None
        return Driver(version, (cuda // 1000, cuda % 1000 // 10))  # NVML gives 13000 for CUDA 13.0


def _describe(nvml: ModuleType, index: int) -> Gpu | None:
    """Return the GPU with this index, or None if it cannot be reached."""
    try:
        handle = nvml.nvmlDeviceGetHandleByIndex(index)
        return Gpu(
            index=index,
            name=nvml.nvmlDeviceGetName(handle),
            memory_bytes=_memory(nvml, handle),
            compute_capability=nvml.nvmlDeviceGetCudaComputeCapability(handle),
            uuid=nvml.nvmlDeviceGetUUID(handle),
        )
    except nvml.NVMLError:
        return None


def _memory(nvml: ModuleType, handle: object) -> int:
    """Return the bytes of a GPU's memory.

    They are 0 for a GPU that shares the machine's memory, of which NVML says nothing.
    """
    try:
        return int(nvml.nvmlDeviceGetMemoryInfo(handle).total)
    except nvml.NVMLError:
        return 0


@contextmanager
def _nvml() -> Iterator[ModuleType | None]:
    """Provide NVML's functions, or None where there is no driver.

    They raise its NVMLError.
    """
    # A page has no driver to ask. On Linux each block that a command runs asks, and to import pynvml takes 9 ms.
    may_have_driver = sys.platform != "emscripten"
    if sys.platform == "linux":
        may_have_driver = _has_library("libnvidia-ml.so.1")
    if not may_have_driver:
        yield None
        return
    import pynvml

    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        yield None
        return
    try:
        yield pynvml
    finally:
        pynvml.nvmlShutdown()


def _has_library(name: str) -> bool:
    import ctypes

    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True
