"""What processes take of a machine and a GPU (Linux)."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from triton_workshop.device import Gpu


@functools.cache
def start_nvml() -> None:
    """Start the driver's library, once: it takes longer than a question to it."""
    import pynvml

    pynvml.nvmlInit()


def gpu_memory_of(gpu: Gpu, processes: Collection[int]) -> int:
    """Return how many bytes processes have on a GPU, if the driver says so.

    In some containers it does not say which process is which.
    """
    import pynvml

    try:
        start_nvml()
        running = pynvml.nvmlDeviceGetComputeRunningProcesses(pynvml.nvmlDeviceGetHandleByUUID(gpu.uuid))
    except pynvml.NVMLError:
        return 0
    sizes = [each.usedGpuMemory for each in running if each.pid in processes]
    return sum(filter(None, sizes))


def processes_below(parent: int, *, every_thread: bool = True) -> Iterator[int]:
    """Yield the descendants of a process, parents first.

    Without `every_thread`, those are left out that another thread than the first one of a process has started.
    """
    found = [parent]
    for process in found:
        with suppress(OSError):
            tasks = Path(f"/proc/{process}/task")
            threads: Iterable[Path] = tasks.iterdir() if every_thread else [tasks / str(process)]
            for thread in threads:
                with suppress(OSError):
                    children = list(map(int, (thread / "children").read_text(encoding="ascii").split()))
                    found += children
                    yield from children


def memory_of(process: int) -> int:
    """Return the bytes of a process's memory; 0 once it has ended."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def available_memory() -> int:
    """Return the bytes of memory that the machine has left."""
    for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
        name, _, size = line.partition(":")
        if name == "MemAvailable":
            return int(size.split()[0]) << 10
    return sys.maxsize
