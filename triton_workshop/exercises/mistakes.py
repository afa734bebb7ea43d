"""What learners get wrong: for each exercise a table with each mistake's hints and edits of the solution."""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Edit:
    """Pieces of a solution's text, each of which occurs once, and what replaces each of them."""

    changes: tuple[tuple[str, str], ...]

    def made_in(self, solution: str) -> str:
        """Return the solution with this mistake in it. Raises ValueError if a piece does not occur exactly once."""
        for old, new in self.changes:
            if solution.count(old) != 1:
                raise ValueError(f"expected this once in the solution, found it {solution.count(old)} times: {old}")
            solution = solution.replace(old, new)
        return solution

    def fits(self, solution: str) -> bool:
        """Whether the edit can be made: a learner may have changed the solution too."""
        try:
            return bool(self.made_in(solution))
        except ValueError:
            return False

    def lines(self, solution: str) -> frozenset[int]:
        """The numbers of the solution's lines that it changes, from 1."""
        spans = ((solution.index(old), old.rstrip("\n").count("\n")) for old, _ in self.changes)
        firsts = ((solution.count("\n", 0, start) + 1, more) for start, more in spans)
        return frozenset(line for first, more in firsts for line in range(first, first + more + 1))


@dataclass(frozen=True)
class Mistake:
    """One way to be wrong: a question and an idea, and the edits of the solution that make this mistake."""

    name: str
    hints: tuple[str, ...]
    edits: tuple[Edit, ...]


@dataclass(frozen=True)
class MistakeTable:
    """The two hints for each TODO, the known mistakes, and the bugs that are planted in the exercise."""

    todos: tuple[tuple[str, str], ...]
    mistakes: tuple[Mistake, ...]
    planted: tuple[Edit, ...]


@functools.cache
def table_of(folder: Path) -> MistakeTable:
    """Return the table of the exercise in this folder."""
    files = (folder.with_name("common.toml"), folder / "mistakes.toml")
    common, own = (tomllib.loads(file.read_text(encoding="utf-8")) for file in files)
    todos = tuple((question, idea) for question, idea in own.pop("todos"))
    planted = tuple(map(_edit, own.pop("planted", ())))
    mistakes = tuple(_mistake(name, common.get(name, {}) | entry) for name, entry in own.items())
    return MistakeTable(todos, mistakes, planted)


def _mistake(name: str, entry: dict[str, list[list[str]]]) -> Mistake:
    return Mistake(name, tuple(map(str, entry["hints"])), tuple(map(_edit, entry["edits"])))


def _edit(texts: list[str]) -> Edit:
    return Edit(tuple(zip(texts[::2], texts[1::2], strict=True)))
