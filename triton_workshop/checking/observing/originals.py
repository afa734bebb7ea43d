"""Functions by which the checker observes, to notice their replacement."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from types import ModuleType

import numpy as np
import torch

OUR_OWN = ("triton_workshop.checking.", "triton_simulator.")


class Originals:
    """Functions as they were before a script was loaded.

    They are PyTorch's, NumPy's, the simulator's and the checker's.
    """

    def __init__(self) -> None:
        self._snapshots = [(name, names, dict(names)) for name, names in _owners()]

    def replaced_functions(self) -> tuple[str, ...]:
        """The functions that are no longer what they were."""
        # Two dictionaries with the same objects are compared in microseconds; few of them differ, and those are small.
        changed = [snapshot for snapshot in self._snapshots if snapshot[1] != snapshot[2]]
        return tuple(
            f"{owner}.{name}"
            for owner, current, original in changed
            for name, thing in original.items()
            if callable(thing) and current.get(name) is not thing
        )


def _owners() -> Iterator[tuple[str, Mapping[str, object]]]:
    """Modules and classes by their names, with what they have."""
    yield "torch", vars(torch)
    yield "torch.Tensor", vars(torch.Tensor)
    yield "numpy", vars(np)
    modules = [module for name, module in list(sys.modules.items()) if name.startswith(OUR_OWN)]
    for module in modules:
        yield module.__name__, vars(module)
        yield from ((f"{module.__name__}.{name}", vars(thing)) for name, thing in _classes_of(module))


def _classes_of(module: ModuleType) -> Iterator[tuple[str, type]]:
    classes = [(name, thing) for name, thing in list(vars(module).items()) if isinstance(thing, type)]
    for name, thing in classes:
        if thing.__module__ == module.__name__:
            yield name, thing
