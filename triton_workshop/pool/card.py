"""What a slot's scripts run on, and the cases that are tried there."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch

from triton_workshop.exercises.cases import Case
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.pool.batch import moved, random_shifts


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
            return tuple(fresh_case(case, self.device) for case in exercise.gpu_cases)
        return tuple(case for case in exercise.cases if not case.is_large)


def fresh_case(case: Case, device: str) -> Case:
    """Return a case with other numbers, which nobody can know in advance.

    They are the same ones, moved.
    """
    made: list[tuple[torch.Tensor, ...]] = []

    def arguments(_device: str) -> tuple[torch.Tensor, ...]:
        if not made:
            originals = case.arguments(device)
            made.append(tuple(map(moved, originals, random_shifts(originals))))
        return made[0]

    return replace(case, arguments=arguments)
