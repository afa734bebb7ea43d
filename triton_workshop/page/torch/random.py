"""Random numbers: PyTorch's on the CPU, from the same Mersenne Twister.

A float32 takes 24 bits of one of its numbers, a float64 takes 53 bits of two. Normally distributed ones are made in
blocks of 16, if there are as many, and else one pair after the other (Box and Muller's method).
"""

from __future__ import annotations

import functools
import math
import os
from typing import Any

import numpy as np

from triton_workshop.page.torch.dtypes import CPU, FLOAT32, FLOAT64, INT64, Array, dtype, require_cpu
from triton_workshop.page.torch.tensor import Tensor, from_values, register, to_shape
from triton_workshop.page.torch.views import requires_grad_

SEED = 67280421310721
"""Seed of a new generator."""
BLOCK = 16


class Generator:
    """State of the twister (MT19937)."""

    device = CPU

    def __init__(self, device: Any = None) -> None:
        require_cpu(device)
        self.manual_seed(SEED)

    def manual_seed(self, seed: int) -> Generator:
        """Start again from a seed."""
        self._seed = int(seed) % 2**64
        self.__dict__.pop("_bits", None)
        self._spare: float | None = None
        return self

    @functools.cached_property
    def _bits(self) -> Any:
        """Twister, seeded on first use.

        Most generators get another seed before they are used, and seeding takes half a millisecond.
        """
        bits = np.random.MT19937()
        # PyTorch takes the lower 32 bits as they are; numpy's own seeding would mix them first.
        bits._legacy_seeding(self._seed % 2**32)
        return bits

    def initial_seed(self) -> int:
        """Return the last seed."""
        return self._seed

    def seed(self) -> int:
        """Start again from a random seed, and return it."""
        self.manual_seed(int.from_bytes(os.urandom(8)))
        return self._seed

    def uint32(self, count: int) -> Array:
        """Return numbers of 32 bits."""
        return np.asarray(self._bits.random_raw(count), np.uint64)

    def uint64(self, count: int) -> Array:
        """Return numbers of 64 bits."""
        # The first of two numbers is the upper half.
        pairs = self.uint32(2 * count).reshape(count, 2)
        return (pairs[:, 0] << np.uint64(32)) | pairs[:, 1]

    def uniform(self, count: int, kind: dtype) -> Array:
        """Return numbers from 0 to below 1."""
        if kind.itemsize == 8:
            return (self.uint64(count) & np.uint64(2**53 - 1)).astype("f8") * 2.0**-53
        return ((self.uint32(count) & np.uint64(2**24 - 1)).astype("f8") * 2.0**-24).astype("f4")

    def normal(self, count: int, kind: dtype) -> Array:
        """Return normally distributed numbers."""
        if count < BLOCK:
            return np.array([self._next_normal() for _ in range(count)], "f8")
        full_blocks = count // BLOCK * BLOCK
        # PyTorch draws float16 block by block, and wider numbers for all blocks and the rest at once.
        values = self.uniform(full_blocks if kind.itemsize == 2 else count, kind)
        values[:full_blocks] = _box_muller(values[:full_blocks])
        if full_blocks < count:  # the last block overlaps the one before
            values = np.concatenate([values[: count - BLOCK], _box_muller(self.uniform(BLOCK, kind))])
        return values

    def _next_normal(self) -> float:
        if self._spare is not None:
            value, self._spare = self._spare, None
            return value
        # As in PyTorch, the angle is first here, unlike in `_box_muller`.
        angle, radius = self.uniform(2, FLOAT64)
        radius, angle = math.sqrt(-2.0 * math.log1p(-radius)), 2.0 * math.pi * angle
        self._spare = radius * math.sin(angle)
        return radius * math.cos(angle)


def _box_muller(uniform: Array) -> Array:
    pairs = uniform.reshape(-1, 2, BLOCK // 2)
    # 8 radii and then 8 angles, which give 8 cosines and then 8 sines.
    radius = np.sqrt(-2 * np.log(1 - pairs[:, 0]))
    angle = uniform.dtype.type(2 * math.pi) * pairs[:, 1]
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1).reshape(-1)


default_generator = Generator()
default_generator.seed()


def _float_dtype(kind: dtype | None) -> dtype:
    if kind is None:
        return FLOAT32
    if kind.rank != 2:
        raise NotImplementedError(f"random numbers are no {kind!r}")
    return kind


def rand(
    *size: Any, generator: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Create a tensor of uniform random numbers."""
    require_cpu(device)
    shape, kind = to_shape(size), _float_dtype(dtype)
    values = (generator or default_generator).uniform(math.prod(shape), kind)
    return requires_grad_(from_values(values.reshape(shape), kind), requires_grad)


def randn(
    *size: Any, generator: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Create a tensor of normally distributed random numbers."""
    require_cpu(device)
    shape, kind = to_shape(size), _float_dtype(dtype)
    values = (generator or default_generator).normal(math.prod(shape), kind)
    return requires_grad_(from_values(values.reshape(shape), kind), requires_grad)


def randint(*bounds: Any, generator: Any = None, dtype: Any = None, device: Any = None) -> Tensor:
    """Create a tensor of random integers."""
    require_cpu(device)
    low, high, size = bounds if len(bounds) == 3 else (0, *bounds)
    span, shape = high - low, to_shape([size])
    if span <= 0:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    source = generator or default_generator
    count = math.prod(shape)
    # From this span on, PyTorch makes each number from 64 random bits.
    values = (source.uint64 if span >= 2**28 else source.uint32)(count) % np.uint64(span)
    return from_values((values.astype("i8") + low).reshape(shape), dtype or INT64)


def manual_seed(seed: int) -> Generator:
    """Seed the default generator."""
    return default_generator.manual_seed(seed)


register("rand randn randint manual_seed", vars(), function=True)
