"""The GPUs that people have."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

SHARED_KIB = {75: 64, 80: 163, 86: 99, 87: 163, 89: 99, 90: 227, 100: 227, 103: 227, 110: 227, 120: 99, 121: 99}
"""KiB of shared memory that a block of threads may have.

They are by compute capability (CUDA C++ Programming Guide, "Compute Capabilities", table "Technical Specifications per
Compute Capability").
"""

REGISTERS = 65_536
"""Registers of an SM, of 4 bytes each, and so of a program.

They are the same in all of these GPUs.
"""
REGISTERS_OF_A_THREAD = 255
"""The most registers of a thread (the same table).

What has no room in them lies in local memory, which is slow.
"""
THREADS_OF_A_WARP = 32
THREADS = 1024
"""The most threads of a program in any of these GPUs.

The table calls them "threads per block".
"""


@dataclass(frozen=True)
class Target:
    """A kind of GPU, by its compute capability: 75 for 7.5."""

    capability: int
    examples: str = ""

    @property
    def shared_bytes(self) -> int | None:
        """The most shared memory that a program can have there, if known."""
        kib = SHARED_KIB.get(self.capability)
        return None if kib is None else kib << 10

    def __str__(self) -> str:
        return f"sm_{self.capability}" + f" ({self.examples})" * bool(self.examples)


TARGETS = (Target(90, "H100, H200"), Target(80, "A100"), Target(75, "T4, RTX 20"))
"""The newest first: what it refuses, older ones hardly take."""


def targets_with(present: Set[int]) -> tuple[Target, ...]:
    """Return all targets, and this machine's GPUs.

    `present` has their compute capabilities.
    """
    extra = present - {target.capability for target in TARGETS}
    return (*TARGETS, *(Target(capability, "the GPU of this machine") for capability in sorted(extra)))
