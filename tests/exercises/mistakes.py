"""Mistakes as beginners make them.

An exercise's `mistakes.toml` has each as edits of the solution.

They were written by people who had not seen how the checker recognises a mistake: they test its own tables, too.

`edits` are pieces of the solution and what stands there instead, in turns. `says` is the kind of the first finding and
the name of its hints. `line` is the line that it points to, where that is not the first one that differs from the
solution; it is empty where no line is to blame. `words` are in the first hint. `leaves` says what makes a script unfit
for the process of the tests.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import Any

from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.exercises.mistakes import Edit

from . import data_file


@dataclass(frozen=True)
class Mistake:
    """A wrong script with the verdict that the checker has to come to."""

    exercise: Exercise
    name: str
    text: str
    kind: str
    hint: str
    line: str
    quote: str = ""
    leaves: str = ""

    def __str__(self) -> str:
        return f"{self.exercise.number}-{self.name}"


def load_mistakes(exercise: Exercise) -> tuple[Mistake, ...]:
    """Return the mistakes in the exercise's table."""
    table = tomllib.loads(data_file(exercise, "mistakes.toml").read_text(encoding="utf-8"))
    return tuple(_parse_mistake(exercise, name, entry) for name, entry in table.items())


def _parse_mistake(exercise: Exercise, name: str, entry: dict[str, Any]) -> Mistake:
    edits = entry["edits"]
    text = Edit(tuple(zip(edits[::2], edits[1::2], strict=True))).apply(exercise.solution)
    kind, hint = entry["says"].split()
    line = entry["line"] if "line" in entry else _first_difference(exercise.solution, text)
    return Mistake(exercise, name, text, kind, hint, line, entry.get("words", ""), entry.get("leaves", ""))


def _first_difference(solution: str, text: str) -> str:
    pairs = zip(solution.splitlines(), text.splitlines(), strict=False)
    return next(edited.strip() for original, edited in pairs if original != edited)


MISTAKES = {str(mistake): mistake for exercise in EXERCISES.values() for mistake in load_mistakes(exercise)}
