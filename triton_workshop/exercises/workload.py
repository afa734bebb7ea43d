"""Sizes at which to count and time an exercise, and units to show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from triton_workshop.exercises.cases import Case, random_case

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class Workload:
    """Sizes of an exercise for `workshop bench` and `workshop asm`."""

    traffic_case: Case
    """For the simulator: it takes a second, and edges hardly matter."""
    timing_cases: tuple[Case, ...]
    """For the GPU, the smallest first."""
    element: str | None = None
    """The noun for an element of the largest input."""
    compute_bound: bool = False
    """True if rates are operations per second, limited by tensor cores."""
    library: str = ""
    """The library whose kernel PyTorch runs, where that is worth telling."""
    make_case: Callable[..., Case] | None = None
    """A case of any size; `workshop asm --size` calls its parameters so."""


def random_tensor(shape: tuple[int, ...], device: str, seed: int) -> torch.Tensor:
    """Return numbers from 0 to 1.

    They are made on the device, as copying a large tensor would take long.
    """
    import torch

    # On "meta" a tensor has a shape but no elements.
    generator = None if device == "meta" else torch.Generator(device).manual_seed(seed)
    return torch.rand(shape, device=device, generator=generator)


def timing_case(name: str, *shapes: tuple[int, ...]) -> Case:
    """Return arguments of these shapes, between -1 and 1 except for pictures."""

    def arguments(device: str) -> tuple[torch.Tensor, ...]:
        tensors = (random_tensor(shape, device, seed) for seed, shape in enumerate(shapes))
        return tuple(tensor if tensor.ndim == 3 else 2 * tensor - 1 for tensor in tensors)

    return Case(name, arguments)


def traffic_case(name: str, *shapes: tuple[int, ...], pictures: bool = True) -> Case:
    """Return arguments of these shapes as the checker has them."""
    return random_case(name, ("bench", name), *shapes, pictures=pictures)
