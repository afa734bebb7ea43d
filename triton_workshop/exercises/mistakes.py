"""Known mistakes of each exercise: hints, and edits of the solution.

A mistake is defined once, in its exercise's `mistakes.toml`; one that several exercises have is in `common.toml`. Its
`edits` are alternatives: each is `[old, new]`, or several pairs in a flat list, the first with the line to blame, and
each `old` occurs once in the solution. Its two hints are a question and an idea. In the same file, `todos` has hints
for the TODOs, and `planted` the bugs of an exercise to repair.
"""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Edit:
    """Unique pieces of a solution's text, and their replacements."""

    changes: tuple[tuple[str, str], ...]

    def apply(self, solution: str) -> str:
        """Return the edited solution.

        Raises ValueError if a piece does not occur exactly once.
        """
        for old, new in self.changes:
            if solution.count(old) != 1:
                raise ValueError(f"expected this once in the solution, found it {solution.count(old)} times: {old}")
            solution = solution.replace(old, new)
        return solution

    def applies_to(self, solution: str) -> bool:
        """Return whether the edit is possible.

        A learner may have changed the solution too.
        """
        try:
            return bool(self.apply(solution))
        except ValueError:
            return False

    def changed_lines(self, solution: str) -> frozenset[int]:
        """Return the numbers of the solution's lines that it changes, from 1."""
        # A replaced newline at a piece's end belongs to that piece's last line.
        spans = ((solution.index(old), old.rstrip("\n").count("\n")) for old, _ in self.changes)
        firsts = ((solution.count("\n", 0, start) + 1, more) for start, more in spans)
        return frozenset(line for first, more in firsts for line in range(first, first + more + 1))


@dataclass(frozen=True)
class Mistake:
    """A question and an idea about a mistake, and edits that make it."""

    name: str
    hints: tuple[str, ...]
    edits: tuple[Edit, ...]


@dataclass(frozen=True)
class MistakeTable:
    """Hints for each TODO, known mistakes, and planted bugs."""

    todo_hints: tuple[tuple[str, str], ...]
    mistakes: tuple[Mistake, ...]
    planted_bugs: tuple[Edit, ...]


@functools.cache
def load_table(folder: Path) -> MistakeTable:
    """Return the table of the exercise in this folder."""
    files = (folder.with_name("common.toml"), folder / "mistakes.toml")
    common, table = (tomllib.loads(file.read_text(encoding="utf-8")) for file in files)
    todo_hints = tuple((question, idea) for question, idea in table.pop("todos"))
    planted_bugs = tuple(map(_parse_edit, table.pop("planted", ())))
    mistakes = tuple(_parse_mistake(name, common.get(name, {}) | entry) for name, entry in table.items())
    return MistakeTable(todo_hints, mistakes, planted_bugs)


def _parse_mistake(name: str, entry: dict[str, list[list[str]]]) -> Mistake:
    return Mistake(name, tuple(map(str, entry["hints"])), tuple(map(_parse_edit, entry["edits"])))


def _parse_edit(texts: list[str]) -> Edit:
    return Edit(tuple(zip(texts[::2], texts[1::2], strict=True)))
