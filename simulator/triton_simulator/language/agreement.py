"""Python's questions about values that all programs hold at once.

Programs may disagree; then the group is split.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from triton_simulator.faults import Kind
from triton_simulator.operations.builder import Builder
from triton_simulator.signals import Divergence, ElementBranch, LaunchAborted
from triton_simulator.values.undefined import source_of
from triton_simulator.values.value import Value


def check_defined(builder: Builder, value: Value) -> None:
    """End the launch where Python's next step depends on an undefined value."""
    if builder.combining:
        raise ElementBranch
    if value.poison is None:
        return
    poison = np.asarray(value.poison).reshape(-1)
    if poison.any():
        builder.memory.results.trace("a branch depends on an undefined value")
        group = builder.memory.group
        builder.memory.log.add(
            Kind.UNDEFINED_BRANCH, group[np.broadcast_to(poison, group.shape)], source=source_of(value.poison)
        )
        raise LaunchAborted


def uniform_value(builder: Builder, value: Value) -> Any:
    """Return the single number that all programs of the group have.

    Raises Divergence if they have several.
    """
    check_defined(builder, value)
    data = value.data.reshape(-1)
    is_divergent = len(data) > 1 and (data != data[0]).any()
    if is_divergent:
        raise Divergence(data)
    return data[0]


def describe(tensor: Any) -> str:
    """Return a phrase on a tensor's shape or type, for a message."""
    shape = tuple(tensor.handle.shape)
    return f"a block of shape {shape}" if shape else f"a scalar of type {tensor.dtype}"


def is_single(value: Any) -> bool:
    """Return whether something is a value of one element."""
    if not isinstance(value, Value):
        return False
    return all(size == 1 for size in value.shape)
