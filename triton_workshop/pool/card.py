"""What scripts run on, and the cases that are tried there."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import torch

from triton_workshop.exercises.cases import Case
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.pool.batch import moved, random_shifts

KEPT_SHARE = 16
"""One of so many bytes of a GPU is for inputs that are kept for the next job, as making them takes the CPU a second."""
FREE_SHARE = 3
"""One of so many bytes of a GPU is free for scripts. To give memory back, and to get it again, takes time."""
IDLE_LAUNCHES = 8
IDLE_SECONDS = 0.0005
"""Seconds that a small launch takes at most on a GPU where no other process runs: its time slices are longer."""
BUSY_SECONDS = 0.3
"""Seconds in which the last launches of a process that is suspended end."""


@dataclass(frozen=True)
class Card:
    """What the scripts run on."""

    name: str
    device: str
    """As PyTorch names it."""
    _kept: KeptInputs = field(default_factory=lambda: KeptInputs(), repr=False, compare=False)

    @property
    def is_gpu(self) -> bool:
        return self.device != "cpu"

    def cases(self, exercise: Exercise) -> tuple[Case, ...]:
        """Return the cases of an exercise that are tried here.

        On the simulator they are the checker's own, some of which depend on how their tensors fit to each other.
        """
        if self.is_gpu:
            return tuple(self.fresh_case(exercise, case) for case in exercise.gpu_cases)
        return tuple(case for case in exercise.cases if not case.is_large)

    def fresh_case(self, exercise: Exercise, case: Case) -> Case:
        """Return a full-size case with numbers that nobody knows in advance.

        They are the same ones, moved.
        """
        made: list[tuple[torch.Tensor, ...]] = []

        def arguments(_device: str) -> tuple[torch.Tensor, ...]:
            if not made:
                originals = self.inputs(exercise, case)
                made.append(tuple(map(moved, originals, random_shifts(originals))))
            return made[0]

        return replace(case, arguments=arguments)

    def inputs(self, exercise: Exercise, case: Case) -> tuple[torch.Tensor, ...]:
        """Return a case's tensors, which nobody may change."""
        return self._kept.get((exercise.number, case.name), lambda: case.arguments(self.device))

    def is_idle(self) -> bool:
        """Return whether no other process runs anything on the GPU.

        Waits up to `BUSY_SECONDS` for one that does.
        """
        if not self.is_gpu:
            return True
        deadline, quick = time.monotonic() + BUSY_SECONDS, 0
        number = torch.zeros(1, device=self.device)
        torch.cuda.synchronize()
        while quick < IDLE_LAUNCHES and time.monotonic() < deadline:
            started = time.perf_counter()
            number.add_(1)
            torch.cuda.synchronize()
            quick = quick + 1 if time.perf_counter() - started < IDLE_SECONDS else 0
        return quick == IDLE_LAUNCHES

    def release_memory(self) -> None:
        """Give unused memory back to the GPU, if the scripts may need it."""
        if self.is_gpu:
            free, total = torch.cuda.mem_get_info()
            if free * FREE_SHARE < total:
                torch.cuda.empty_cache()


class KeptInputs:
    """Tensors of cases, the last ones that were needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tensors: dict[tuple[str, str], tuple[torch.Tensor, ...]] = {}

    def get(self, key: tuple[str, str], make: Callable[[], tuple[torch.Tensor, ...]]) -> tuple[torch.Tensor, ...]:
        """Return the tensors of a key, and make them if they are not there."""
        with self._lock:
            tensors = self._tensors.pop(key, None)
        if tensors is None:
            tensors = make()
        with self._lock:
            # At the end, as the one that was used last.
            self._tensors[key] = tensors
            if tensors[0].is_cuda:
                self._forget(torch.cuda.get_device_properties(0).total_memory // KEPT_SHARE)
        return tensors

    def _forget(self, limit: int) -> None:
        """Forget the oldest, until the others take so many bytes."""
        total = sum(map(_size, self._tensors.values()))
        for key in list(self._tensors)[:-1]:
            if total > limit:
                total -= _size(self._tensors.pop(key))


def _size(tensors: tuple[torch.Tensor, ...]) -> int:
    return sum(tensor.untyped_storage().nbytes() for tensor in tensors)
