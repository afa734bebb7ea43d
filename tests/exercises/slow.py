"""Scripts that are correct and still slow: repairs that do not help.

An exercise's `slow.toml` has each as edits of the exercise as shipped, or of a right script, `of`, with the goal that
it has to be told first.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass

from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.mistakes import Edit

from . import data_file
from .right import right_scripts


@dataclass(frozen=True)
class SlowScript:
    """A correct script, and the first goal that it misses."""

    name: str
    goal: str
    source: str


def slow_scripts(number: str) -> list[SlowScript]:
    """Return the slow scripts of the exercise with this number."""
    exercise = EXERCISES[number]
    table = tomllib.loads(data_file(exercise, "slow.toml").read_text(encoding="utf-8"))
    texts = {script.name: script.source for script in right_scripts(number)} | {"": exercise.shipped_text}
    return [
        SlowScript(f"{number}-{name}", entry["goal"], _edited(texts[entry.get("of", "")], entry["edits"]))
        for name, entry in table.items()
    ]


def _edited(text: str, edits: list[str]) -> str:
    return Edit(tuple(zip(edits[::2], edits[1::2], strict=True))).apply(text)
