"""How many programs an SM runs at the same time, and what stops it from running more.

The same rules as in `cuda_occupancy.h`, which is in Triton's wheel.
"""

from __future__ import annotations

from dataclasses import dataclass

from triton_simulator.gpus import REGISTERS, WARP_THREADS, Target

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
    limits = {
        "registers": _by_registers(registers, warps),
        "shared memory": _by_shared_memory(target, shared_bytes),
        "threads": target.sm_threads // target.warp_threads // warps,
        "programs": target.sm_programs,
    }
    programs = min(limits.values())
    return Occupancy(programs, tuple(name for name, most in limits.items() if most == programs))


def _by_registers(registers: int, warps: int) -> int:
    of_a_warp = _rounded_up(registers * WARP_THREADS, _REGISTERS_AT_ONCE)
    if of_a_warp * _rounded_up(warps, _PARTS) > REGISTERS:
        return 0
    return REGISTERS // _PARTS // max(of_a_warp, 1) * _PARTS // warps


def _by_shared_memory(target: Target, shared_bytes: int) -> int:
    assert target.shared_bytes is not None, f"nothing is known of {target}"
    assert target.sm_shared_bytes is not None
    reserved = target.sm_shared_bytes - target.shared_bytes
    step = 128 if reserved else 256  # where CUDA keeps nothing for itself, as on Turing, it rounds more
    taken = _rounded_up(shared_bytes + reserved, step)
    return target.sm_shared_bytes // taken if taken else REGISTERS


def _rounded_up(value: int, step: int) -> int:
    return -(-value // step) * step
