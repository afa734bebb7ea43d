"""Mistakes as beginners make them: an exercise's `mistakes.toml` has each as edits of the solution.

They were written by people who had not seen how the checker recognises a mistake: they test its own tables, too.

`edits` are pieces of the solution and what stands there instead, in turns. `says` is the kind of the first finding and
the name of its hints. `line` is the line that it points to, where that is not the first one that differs from the
solution; it is empty where no line is to blame. `words` are in the first hint. `leaves` says what makes a script unfit
for the process of the tests.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass

from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.exercises.mistakes import Edit

from . import data_file


@dataclass(frozen=True)
class Mistake:
    """A script that is wrong, and what the checker is to say of it."""

    exercise: Exercise
    name: str
    text: str
    kind: str
    hint: str
    line: str
    words: str = ""
    leaves: str = ""

    def __str__(self) -> str:
        return f"{self.exercise.number}-{self.name}"


def mistakes_in(exercise: Exercise) -> tuple[Mistake, ...]:
    """The mistakes that the exercise's table has."""
    table = tomllib.loads(data_file(exercise, "mistakes.toml").read_text(encoding="utf-8"))
    return tuple(_mistake(exercise, name, **entry) for name, entry in table.items())


def _mistake(
    exercise: Exercise, name: str, edits: list[str], says: str, line: str | None = None, **more: str
) -> Mistake:
    text = Edit(tuple(zip(edits[::2], edits[1::2], strict=True))).made_in(exercise.solution)
    kind, hint = says.split()
    blamed = _first_difference(exercise.solution, text) if line is None else line
    return Mistake(exercise, name, text, kind, hint, blamed, **more)


def _first_difference(solution: str, text: str) -> str:
    pairs = zip(solution.splitlines(), text.splitlines(), strict=False)
    return next(theirs.strip() for ours, theirs in pairs if ours != theirs)


MISTAKES = {str(mistake): mistake for exercise in EXERCISES.values() for mistake in mistakes_in(exercise)}
