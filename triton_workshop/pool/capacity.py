"""How many scripts a GPU runs at a time."""

from __future__ import annotations

import os
from dataclasses import dataclass

from triton_workshop.device import installed_gpus, visible_gpus
from triton_workshop.processes.process import machine_memory

UNCONTAINED = "TRITON_WORKSHOP_UNCONTAINED"
"""Variable that the owner of a machine sets, if its scripts shall run without a sandbox."""
SLOTS = "TRITON_WORKSHOP_SLOTS"
"""Variable for how many slots each GPU gets, in place of what we compute."""

MAX_SLOTS = 12
"""Slots of a GPU. More would only take turns: a check keeps a GPU busy for a fraction of its seconds."""
CORES_PER_SLOT = 4 / 3
"""A script's compiler keeps one core busy, and three slots the judge another one."""
HOST_BYTES_PER_SLOT = 4 << 30
"""A sandbox with PyTorch, CUDA and a script's tensors takes 2 GiB, a spare one 1 GiB."""
GPU_BYTES_PER_SLOT = 8 << 30
"""Two contexts, of a sandbox and a spare one, and the largest case with its copies for script and judge."""

MAX_SPARES = 40
"""Warm sandboxes of a GPU, each for one script: a room that presses at once should not wait for PyTorch's imports."""
BYTES_PER_SPARE = 1 << 30
"""Memory of a warm sandbox: so much of the machine's, and less of the GPU's."""


@dataclass(frozen=True)
class ActorStatus:
    """What an actor offers."""

    gpu: str
    slots: int
    spares: int = 1
    """Warm sandboxes, which wait for a script."""


def gpu_slots(cores: int, gpus: int, gpu_bytes: int, host_bytes: int) -> int:
    """Return how many slots each of a machine's GPUs gets."""
    by_cores = int(cores / gpus / CORES_PER_SLOT)
    by_memory = min(gpu_bytes // GPU_BYTES_PER_SLOT, host_bytes // gpus // HOST_BYTES_PER_SLOT)
    return max(1, min(MAX_SLOTS, by_cores, by_memory))


def spares(slots: int, gpus: int, gpu_bytes: int, host_bytes: int) -> int:
    """Return how many warm sandboxes a GPU gets, at least one for each slot.

    They have the memory that slots leave.
    """
    of_gpu = gpu_bytes - slots * GPU_BYTES_PER_SLOT
    of_host = host_bytes // gpus - slots * HOST_BYTES_PER_SLOT
    return max(slots, min(MAX_SPARES, slots + min(of_gpu, of_host) // BYTES_PER_SPARE))


def simulator_slots(cores: int) -> int:
    """Return how many slots run the simulator on a machine without a GPU.

    One for each core, as a slot with a script keeps one busy, and others wait.
    """
    return max(1, min(MAX_SLOTS, cores))


def _cores() -> int:
    """Return how many cores this process may use."""
    # A container may have fewer cores than the machine; macOS cannot tell.
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def own_status(gpu: bool) -> ActorStatus:
    """Return what an actor in this process offers."""
    chosen = visible_gpus()[0] if gpu else None  # Ray shows each actor its own
    name = chosen.name if chosen else "the simulator"
    wanted = int(os.environ.get(SLOTS, 0))
    cores = _cores()
    if chosen is None:
        slots = wanted or simulator_slots(cores)
        return ActorStatus(name, slots, spares=slots)
    gpus, host_bytes = len(installed_gpus()), machine_memory() or HOST_BYTES_PER_SLOT
    slots = wanted or gpu_slots(cores, gpus, chosen.memory_bytes, host_bytes)
    return ActorStatus(name, slots, spares(slots, gpus, chosen.memory_bytes, host_bytes))
