"""Debug mode: importing this module puts kernels on the simulator.

They run there even on a machine with a GPU. A kernel is ordinary Python: `print`, f-strings, `breakpoint()` and
`print_if` work inside it.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Protocol, SupportsIndex

from triton_workshop.device import use_simulator
from triton_workshop.simulation import simulate
from triton_workshop.tensors import cdiv, ceiling_divide, check_tensors_gpu_ready

__all__ = ["cdiv", "ceiling_divide", "check_tensors_gpu_ready", "print_if"]

use_simulator()
simulate()


class _OneElement(Protocol):
    """A list or a block that holds a single program id."""

    def __getitem__(self, index: int, /) -> SupportsIndex: ...
    def __len__(self) -> int: ...


ProgramId = SupportsIndex | _OneElement

_OPERATORS: dict[str, Callable[[int, int], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "!=": operator.ne,
}
_CONDITION = re.compile(r"\s*(<=|>=|!=|<|>|=)\s*(-?\d+)\s*")


def print_if(
    text: object,
    pid_0: ProgramId,
    pid_1: ProgramId | None = None,
    pid_2: ProgramId | None = None,
    conditions: str = "<3",
) -> None:
    """Print `text` for program ids that meet the conditions.

    `conditions` holds one condition per program id, separated by commas: `"<3"`, `"=0,>=2"`. An id without a condition,
    or with an empty one (`",=0"`), may be anything. An id is an int, a Triton scalar, or a one-element list of either.
    Raises ValueError for a malformed condition, and for one without a program id.
    """
    pids = [pid for pid in (pid_0, pid_1, pid_2) if pid is not None]
    parsed = [_parse(condition, conditions) for condition in conditions.split(",")]
    if len(parsed) > len(pids):
        raise ValueError(
            f"expected {len(parsed)} program ids, one for each condition in {conditions!r}, got {len(pids)}"
        )
    ids = [_as_int(pid) for pid in pids]
    if all(condition(pid) for condition, pid in zip(parsed, ids, strict=False)):
        print(text)


def _parse(condition: str, conditions: str) -> Callable[[int], bool]:
    if not condition.strip():
        return lambda pid: True
    match = _CONDITION.fullmatch(condition)
    if match is None:
        raise ValueError(
            f"malformed condition {condition.strip()!r} in {conditions!r}: expected an operator "
            f"({' '.join(_OPERATORS)}) and a whole number, such as '<3'"
        )
    compare, bound = _OPERATORS[match[1]], int(match[2])
    return lambda pid: compare(pid, bound)


def _as_int(pid: ProgramId) -> int:
    if isinstance(pid, SupportsIndex):
        return operator.index(pid)
    if len(pid) != 1:
        raise ValueError(f"expected a program id, which is one number, got {len(pid)} numbers")
    return operator.index(pid[0])
