"""Workloads of the exercises, and what PyTorch offers for the same work."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.cases import Case
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.exercises.workload import Workload

if TYPE_CHECKING:
    import torch

WORKLOADS: dict[str, Workload] = {
    number: import_module(f"{exercise.package}.workload").WORKLOAD
    for number, exercise in EXERCISES.items()
    if find_spec(f"{exercise.package}.workload")
}
"""By the number of the exercise."""


def cost_case(exercise: Exercise) -> Case:
    """Return the case at which an exercise's costs are measured.

    Where `bench` counts none, it is the checker's largest.
    """
    workload = WORKLOADS.get(exercise.number)
    return exercise.cases[-1] if workload is None else workload.traffic_case


def load_baselines(exercise: Exercise, device: str) -> tuple[Callable[..., torch.Tensor], ...]:
    """Return the ways to do an exercise's work in PyTorch.

    The fastest counts. It imports torch.
    """
    baselines: tuple[Callable[..., torch.Tensor], ...] = import_module(f"{exercise.package}.pytorch").baselines(device)
    return baselines
