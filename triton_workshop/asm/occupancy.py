"""How many programs an SM runs at the same time, and what stops it from running more.

The same rules as in `cuda_occupancy.h`, which is in Triton's wheel.
"""

from __future__ import annotations

from dataclasses import dataclass

from triton_simulator.compiler.targets import REGISTERS, SHARED_KIB, THREADS_OF_A_WARP, Target

THREADS_OF_AN_SM = {75: 1024, 86: 1536, 87: 1536, 89: 1536, 110: 1536, 120: 1536, 121: 1536}
"""By compute capability; in others it is 2,048 (CUDA C++ Programming Guide, "Compute Capabilities")."""
PROGRAMS_OF_AN_SM = {75: 16, 86: 16, 87: 16, 89: 24, 110: 24, 120: 24, 121: 24}
"""The same; in others it is 32."""
_PARTS = 4
"""An SM has four parts with a quarter of its registers each."""
_REGISTERS_AT_ONCE = 256
"""A warp gets as many registers as are a multiple of this."""


@dataclass(frozen=True)
class Occupancy:
    """`programs` on an SM, and the `limits` that allow no more: registers, shared memory, threads, programs."""

    programs: int
    limits: tuple[str, ...]


def occupancy(target: Target, registers: int, shared_bytes: int, warps: int) -> Occupancy:
    """For a program that takes so much: registers are a thread's."""
    capability = target.capability
    limits = {
        "registers": _by_registers(registers, warps),
        "shared memory": _by_shared_memory(capability, shared_bytes),
        "threads": THREADS_OF_AN_SM.get(capability, 2048) // THREADS_OF_A_WARP // warps,
        "programs": PROGRAMS_OF_AN_SM.get(capability, 32),
    }
    programs = min(limits.values())
    return Occupancy(programs, tuple(name for name, most in limits.items() if most == programs))


def _by_registers(registers: int, warps: int) -> int:
    of_a_warp = _rounded_up(registers * THREADS_OF_A_WARP, _REGISTERS_AT_ONCE)
    if of_a_warp * _rounded_up(warps, _PARTS) > REGISTERS:
        return 0
    return REGISTERS // _PARTS // max(of_a_warp, 1) * _PARTS // warps


def _by_shared_memory(capability: int, shared_bytes: int) -> int:
    """From Ampere on, CUDA takes 1 KiB for itself in each program."""
    reserved, at_once = (1024, 128) if capability >= 80 else (0, 256)
    taken = _rounded_up(shared_bytes + reserved, at_once)
    return ((SHARED_KIB[capability] << 10) + reserved) // taken if taken else REGISTERS


def _rounded_up(value: int, step: int) -> int:
    return -(-value // step) * step
