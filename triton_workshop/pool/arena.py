"""Memory through which tensors go into a sandbox, and a result comes out.

Both sides map the same file, which neither can make smaller. What lies in it is bytes: the other side may change them
at any time, so whoever reads copies first.
"""

from __future__ import annotations

import fcntl
import math
import mmap
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import torch

from triton_workshop.checking import full_size

ARENA_BYTES = 3 << 29
"""Bytes of an arena. It takes only as much memory as has been written to."""
ALIGNMENT = 4096
POISON = b"\xff"
"""Every floating-point number of such bytes is NaN."""
DTYPES = {str(dtype).removeprefix("torch."): dtype for dtype in full_size.DTYPES}
"""All dtypes that a tensor in an arena may have."""


@dataclass(frozen=True)
class Placed:
    """Place of a tensor in an arena."""

    dtype: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int


class Arena:
    """A file in memory, mapped."""

    def __init__(self, file: int) -> None:
        """Map a file, and take charge of it."""
        self.file = file
        self._memory = mmap.mmap(file, 0)
        self.size = len(self._memory)

    @classmethod
    def create(cls, size: int = ARENA_BYTES) -> Arena:
        """Create an arena of so many bytes."""
        file = os.memfd_create("arena", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(file, size)
        # A file that became smaller would end everybody who reads beyond its new end.
        fcntl.fcntl(file, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
        return cls(file)

    def place(self, tensors: Sequence[torch.Tensor]) -> tuple[Placed, ...]:
        """Copy tensors into the arena, from its start, with their strides.

        Raises MemoryError if there is no room.
        """
        placed, offset = [], 0
        for tensor in tensors:
            dtype = str(tensor.dtype).removeprefix("torch.")
            there = Placed(dtype, tuple(tensor.shape), tensor.stride(), offset)
            memory_of(self.view(there)).copy_(memory_of(tensor))
            placed.append(there)
            offset = end_of([there])
        return tuple(placed)

    @staticmethod
    def size_of(tensors: Sequence[torch.Tensor]) -> int:
        """Return the bytes that tensors take in an arena, at most."""
        extents = (extent_of(tensor.shape, tensor.stride()) * tensor.itemsize for tensor in tensors)
        return sum(extent + ALIGNMENT for extent in extents)

    def view(self, placed: Placed) -> torch.Tensor:
        """Return a tensor in the arena. Raises MemoryError if there is no room."""
        dtype, extent = DTYPES[placed.dtype], extent_of(placed.shape, placed.stride)
        if placed.offset + extent * dtype.itemsize > self.size:
            raise MemoryError(f"expected at most {self.size:,} bytes of tensors, got more")
        if not extent:
            # `frombuffer` refuses a count of 0.
            return torch.empty(placed.shape, dtype=dtype)
        memory = torch.frombuffer(self._memory, dtype=dtype, count=extent, offset=placed.offset)
        return memory.as_strided(placed.shape, placed.stride)

    def poison(self, start: int, size: int) -> None:
        """Fill bytes with poison, as far as the arena reaches."""
        if end := max(0, min(size, self.size - start)):
            torch.frombuffer(self._memory, dtype=torch.uint8, count=end, offset=start).fill_(POISON[0])

    def close(self) -> None:
        """Give the memory back, unless a tensor still has it."""
        os.close(self.file)
        with suppress(BufferError):  # it goes with the last tensor
            self._memory.close()


def memory_of(tensor: torch.Tensor) -> torch.Tensor:
    """Return all memory from a tensor's first element to its last one.

    A view may have gaps, or the same element twice.
    """
    return tensor.as_strided((extent_of(tensor.shape, tensor.stride()),), (1,))


def extent_of(shape: Sequence[int], stride: Sequence[int]) -> int:
    """Return the elements from the first one of a tensor to its last one."""
    if not all(shape):
        return 0
    return 1 + sum((size - 1) * step for size, step in zip(shape, stride, strict=True))


def end_of(placed: Sequence[Placed]) -> int:
    """Return the first free offset behind tensors."""
    ends = [each.offset + extent_of(each.shape, each.stride) * DTYPES[each.dtype].itemsize for each in placed]
    return math.ceil(max(ends, default=0) / ALIGNMENT) * ALIGNMENT
