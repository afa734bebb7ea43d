"""Summaries of the solutions that were recorded where there is a compiler, for machines without one."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from triton_workshop.asm.occupancy import Occupancy
from triton_workshop.asm.summary import Conversion, LineSummary, Summary
from triton_workshop.compiler.targets import Target

FILE = Path(__file__).parent / "recorded.json"
"""`python -m benchmarks.asm_summaries` writes it."""


@cache
def _recorded() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def recorded_on() -> str:
    """The version of Triton that compiled them."""
    return str(_recorded()["triton"])


def key(exercise: str, whose: str, target: Target, size: tuple[int, ...] = ()) -> str:
    """How the summaries of a solution for a GPU are called there, at a size other than the one that `bench` counts."""
    return " ".join([exercise, whose, f"sm_{target.capability}", *map(str, size)])


def recorded_summaries(exercise: str, whose: str, target: Target, size: tuple[int, ...] = ()) -> list[Summary]:
    """Those of one solution's kernels for one GPU; none if there are none."""
    return [_summary(each, target) for each in _recorded()["summaries"].get(key(exercise, whose, target, size), [])]


def _summary(recorded: dict[str, Any], target: Target) -> Summary:
    data = _with_tuples(recorded) | {"target": target}
    data["lines"] = tuple(LineSummary(**each) for each in data["lines"])
    data["conversions"] = tuple(Conversion(**each) for each in data["conversions"])
    data["occupancy"] = Occupancy(**data["occupancy"])
    return Summary(**data)


def _with_tuples(value: Any) -> Any:
    """JSON has lists in the place of tuples."""
    if isinstance(value, dict):
        return {name: _with_tuples(each) for name, each in value.items()}
    return tuple(map(_with_tuples, value)) if isinstance(value, list) else value
