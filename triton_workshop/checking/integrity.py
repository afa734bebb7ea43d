"""Notices a script that puts something of its own in the place of the checker's code, or of PyTorch's."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import torch

_OURS = "triton_workshop"
_CHECKER = "triton_workshop.checking."


class Integrity:
    """What names stood for before the script was loaded."""

    def __init__(self) -> None:
        self._known = [(owner, label, dict(vars(owner))) for owner, label in _owners()]
        self._tensor = frozenset(vars(torch.Tensor))

    def broken(self) -> str:
        """The first name that stands for something else now; empty where there is none."""
        for owner, label, before in self._known:
            now = vars(owner)
            for name, value in before.items():
                if not name.startswith("__") and now.get(name, value) is not value and not _equal(now[name], value):
                    return f"{label}.{name}"
            if label.startswith(_CHECKER):
                foreign = [
                    n for n in now.keys() - before.keys() if not isinstance(now[n], ModuleType) and n[:2] != "__"
                ]
                if foreign:
                    return f"{label}.{min(foreign)}"
        added = {name for name in vars(torch.Tensor).keys() - self._tensor if not name.startswith("__")}
        return f"torch.Tensor.{min(added)}" if added else ""


def _equal(one: object, other: object) -> bool:
    return type(one) is type(other) and isinstance(one, str | int | float | tuple) and one == other


def _owners() -> Iterator[tuple[Any, str]]:
    """Modules and classes whose names matter."""
    for name, module in list(sys.modules.items()):
        if isinstance(module, ModuleType) and (name == _OURS or name.startswith(f"{_OURS}.")):
            yield module, name
            classes = [value for value in vars(module).values() if inspect.isclass(value)]
            yield from ((each, f"{name}.{each.__name__}") for each in classes if each.__module__ == name)
    yield from ((torch, "torch"), (torch.Tensor, "torch.Tensor"), (torch.nn.functional, "torch.nn.functional"))
