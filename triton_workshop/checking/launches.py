"""What kernels did while a launcher ran on the simulator: which tensors they were given, loaded from and stored to."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from triton_workshop.simulator import Fault, Launch

UNWRITTEN = 0x7FC5_5AA5
"""A float32 NaN that no arithmetic makes: stands where memory was never written."""
SPOILT = 0xA5
"""A byte. Four of them are a float32 close to 0, eight a float64."""
_PLAIN_NAN = 0x7FC0_0000
"""What PyTorch fills uninitialised memory with in deterministic mode."""


@dataclass(frozen=True)
class TensorSeen:
    """A tensor as a kernel was given it, with the bytes that the launch loaded and stored."""

    storage: int
    shape: tuple[int, ...]
    loaded: int
    stored: int


@dataclass(frozen=True)
class Launched:
    """One launch. `numbers` are its arguments that are no tensors: sizes, strides, constexprs."""

    kernel: str
    grid: tuple[int, ...]
    faults: tuple[Fault, ...]
    tensors: dict[str, TensorSeen]
    numbers: dict[str, int | float]
    idle: int
    """How many of its programs have stored nothing."""

    @property
    def programs(self) -> int:
        return math.prod(self.grid)


@dataclass
class LaunchLog:
    """The launches of one call, and what was in memory when the last of them had ended."""

    inputs: frozenset[int]
    """The storages of the launcher's arguments."""
    launches: list[Launched] = field(default_factory=list)
    stored: dict[int, torch.Tensor] = field(default_factory=dict)
    """By storage that a launch has stored to: its elements after the last launch that did."""
    loaded: dict[int, torch.Tensor] = field(default_factory=dict)
    """By storage that a launch has loaded from and none stored to before: the tensor as it was then."""
    fresh: dict[int, torch.Tensor] = field(default_factory=dict)
    """By storage that is no input's: its bytes before the first launch that was given it."""
    handed: list[float] = field(default_factory=list)
    """The numbers that launches were given, those in tuples too."""
    complete: set[int] = field(default_factory=set)
    """The storages that launches have written to whole, by their count of distinct bytes."""
    spoiled: bool = False
    """Whether what kernels store is overwritten at once: then nothing right can come of it."""
    _alive: list[torch.Tensor] = field(default_factory=list)
    """Tensors that are gone would hand their addresses on."""

    def before(self, tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """Mark what nobody has written, and copy what a launch might load."""
        for tensor in tensors.values():
            self._alive.append(tensor)
            storage = storage_of(tensor)
            if storage not in self.inputs | self.fresh.keys():
                _mark_unwritten(tensor)
                self.fresh[storage] = _bytes(tensor).clone()
        return {name: tensor.clone() for name, tensor in tensors.items()}

    def after(self, launch: Launch, given: dict[str, Any], tensors: dict[str, torch.Tensor], before: Any) -> None:
        traffic = launch.counts.arguments
        seen = {}
        for name, tensor in tensors.items():
            moved = traffic.get(name)
            loaded, stored = (moved.loaded, moved.stored) if moved else (0, 0)
            storage = storage_of(tensor)
            seen[name] = TensorSeen(storage, tuple(tensor.shape), loaded, stored)
            if loaded and storage not in self.stored:
                self.loaded.setdefault(storage, before[name])
            if moved and not loaded and moved.distinct == tensor.untyped_storage().nbytes():
                self.complete.add(storage)
        for name, tensor in tensors.items():
            storage = seen[name].storage
            if seen[name].stored:
                if self.spoiled and storage not in self.inputs:
                    _bytes(tensor).fill_(SPOILT)
                self.stored[storage] = _elements(tensor).clone()
        numbers = {name: value for name, value in given.items() if isinstance(value, int | float)}
        self.handed += _numbers(given.values())
        self.launches.append(Launched(launch.kernel, launch.grid, launch.faults, seen, numbers, launch.counts.idle))


@contextmanager
def log_launches(inputs: tuple[torch.Tensor, ...], *, spoil: bool = False) -> Iterator[LaunchLog]:
    """Collect every launch made inside; faults are collected too, and do not raise.

    With `spoil`, what a launch has stored is overwritten at once.
    """
    from triton.runtime import interpreter

    from triton_workshop.simulator import record
    from triton_workshop.simulator.executor import Executor

    log = LaunchLog(frozenset(map(storage_of, inputs)), spoiled=spoil)
    with record() as launches:

        class Logging(Executor):
            """Triton looks its executor up by name at each launch: for as long as we look on, it finds this one."""

            def __call__(self, *arguments: Any, **named: Any) -> None:
                given = _bound(self.fn, arguments, named)
                tensors = dict(_tensors(given))
                before, number = log.before(tensors), len(launches)
                try:
                    super().__call__(*arguments, **named)
                finally:
                    if len(launches) > number:
                        log.after(launches[-1], given, tensors, before)

        original = interpreter.GridExecutor
        interpreter.GridExecutor = Logging
        try:
            yield log
        finally:
            interpreter.GridExecutor = original


def storage_of(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


def memory_after_launches(log: LaunchLog, tensor: torch.Tensor) -> torch.Tensor | None:
    """A tensor's elements as they were after the last launch; None where no launch has stored to its storage."""
    return _as_it_was(tensor, log.stored.get(storage_of(tensor)))


def unwritten_elements(log: LaunchLog, tensor: torch.Tensor) -> torch.Tensor:
    """Where a tensor still holds what it held before the first launch that was given it."""
    if storage_of(tensor) in log.complete:
        return torch.zeros(tensor.shape, dtype=torch.bool)
    before = _as_it_was(tensor, log.fresh.get(storage_of(tensor)))
    if before is None:
        marked = tensor.dtype == torch.float32
        return bits(tensor) == UNWRITTEN if marked else torch.zeros(tensor.shape, dtype=torch.bool)
    return bits(before) == bits(tensor)


def bits(tensor: torch.Tensor) -> torch.Tensor:
    """The elements as integers, for comparing: a NaN equals itself."""
    kinds = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    return tensor.contiguous().view(kinds[tensor.element_size()])


def _as_it_was(tensor: torch.Tensor, storage: torch.Tensor | None) -> torch.Tensor | None:
    if storage is None:
        return None
    return torch.empty(0, dtype=tensor.dtype).set_(
        storage.untyped_storage(), tensor.storage_offset(), tensor.shape, tensor.stride()
    )


def _mark_unwritten(tensor: torch.Tensor) -> None:
    if tensor.dtype == torch.float32 and tensor.device.type == "cpu" and tensor.numel():
        held = tensor.view(torch.int32)
        held.masked_fill_(held == _PLAIN_NAN, UNWRITTEN)


def _bytes(tensor: torch.Tensor) -> torch.Tensor:
    return torch.empty(0, dtype=torch.uint8).set_(tensor.untyped_storage())


def _elements(tensor: torch.Tensor) -> torch.Tensor:
    """All of a tensor's storage, in its dtype."""
    return torch.empty(0, dtype=tensor.dtype).set_(tensor.untyped_storage())


def _bound(function: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
    """A kernel's arguments by name; none where they do not fit, which the launch itself will say."""
    parameters = inspect.signature(function).parameters
    try:
        return inspect.getcallargs(function, *arguments, **{k: v for k, v in named.items() if k in parameters})
    except TypeError:
        return {}


def _numbers(values: Iterable[Any]) -> Iterator[float]:
    for value in values:
        if isinstance(value, tuple):
            yield from _numbers(value)
        elif isinstance(value, int | float):
            yield value


def _tensors(given: dict[str, Any]) -> Iterator[tuple[str, torch.Tensor]]:
    """The tensors among a kernel's arguments: plain, behind a descriptor, or in a tuple."""
    for name, value in given.items():
        if isinstance(value, tuple):
            yield from _tensors({f"{name}[{place}]": part for place, part in enumerate(value)})
            continue
        tensor = getattr(value, "base", value)
        if isinstance(tensor, torch.Tensor):
            yield name, tensor
