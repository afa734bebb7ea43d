"""What a slot's scripts run on, and the cases that are tried there."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

import torch

from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.cases import Case
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.pool.batch import moved, random_shifts

KEPT_CASES = 12
"""Full-size cases that stay on the GPU for the next job: a room does one exercise or two at a time."""


@dataclass(frozen=True)
class Card:
    """What the scripts run on."""

    name: str
    device: str
    """As PyTorch names it."""

    @property
    def is_gpu(self) -> bool:
        return self.device != "cpu"

    def cases(self, exercise: Exercise) -> tuple[Case, ...]:
        """Return the cases of an exercise that are tried here.

        On the simulator they are the checker's own, some of which depend on how their tensors fit to each other.
        """
        if self.is_gpu:
            numbers = range(len(exercise.gpu_cases))
            return tuple(fresh_case(exercise, number, self.device) for number in numbers)
        return tuple(case for case in exercise.cases if not case.is_large)


@functools.lru_cache(KEPT_CASES)
def _originals(exercise: str, number: int, device: str) -> tuple[torch.Tensor, ...]:
    """Return the tensors of a full-size case, which take the CPU a second."""
    return EXERCISES[exercise].gpu_cases[number].arguments(device)


def fresh_case(exercise: Exercise, number: int, device: str) -> Case:
    """Return a full-size case with other numbers, which nobody can know in advance.

    They are the same ones, moved.
    """
    made: list[tuple[torch.Tensor, ...]] = []

    def arguments(_device: str) -> tuple[torch.Tensor, ...]:
        if not made:
            originals = _originals(exercise.number, number, device)
            made.append(tuple(map(moved, originals, random_shifts(originals))))
        return made[0]

    return replace(exercise.gpu_cases[number], arguments=arguments)
