"""Calls of each launcher with odd input.

An exercise's `calls.toml` has them, with `t(*shape)` for a tensor of zeros.

`refused` are calls with a part of the error's message, and `empty` is one with nothing to compute.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass

from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.exercise import Exercise

from . import data_file


@dataclass(frozen=True)
class Calls:
    """Calls with odd input, as Python expressions."""

    empty: str
    refused: tuple[tuple[str, str], ...]


def load_calls(exercise: Exercise) -> Calls:
    """Return the calls of the exercise's launcher."""
    table = tomllib.loads(data_file(exercise, "calls.toml").read_text(encoding="utf-8"))
    return Calls(table["empty"], tuple((call, message) for call, message in table["refused"]))


CALLS = {number: load_calls(exercise) for number, exercise in EXERCISES.items()}
