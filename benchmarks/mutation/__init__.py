"""Edits of a script by machine, one place at a time.

They are as people mistype and misremember; `edits` lists all there are.

Only the bodies of functions are edited: no docstring, no message, and no guard such as an assertion, since no case of
the checker is about a guard.
"""

from __future__ import annotations

import ast
import random
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from benchmarks.mutation.edits import edits
from benchmarks.mutation.script import Edit, Script

TRIES = 20
"""For each pair of edits that is wanted: some overlap, or can't be read by Python."""

__all__ = ["Edit", "Mutant", "Script", "edits", "mutants", "pairs", "some"]


@dataclass(frozen=True)
class Mutant:
    """A script after its edits."""

    script: Script
    edits: tuple[Edit, ...]

    @property
    def text(self) -> str:
        return self.script.edited(*self.edits)

    @cached_property
    def changes(self) -> tuple[tuple[str, str], ...]:
        """Return the lines that each edit changes, before and after.

        Several are put in one.
        """
        return tuple(self._change(edit) for edit in sorted(self.edits))

    def _change(self, edit: Edit) -> tuple[str, str]:
        start, end = self.script.lines_around(edit.start, edit.end)
        old = self.script.part(start, end)
        new = self.script.part(start, edit.start) + edit.new + self.script.part(edit.end, end)
        return _one_line(old), _one_line(new)


def _one_line(code: str) -> str:
    """Without comments and empty lines; indentation counts where it differs."""
    lines = (re.sub(r"(^|\s)# .*", "", line).rstrip() for line in code.split("\n"))
    return " ⏎ ".join(textwrap.dedent("\n".join(filter(None, lines))).split("\n"))


def mutants(script: Script) -> list[Mutant]:
    """One for each edit."""
    return list(_different(script, ((edit,) for edit in edits(script))))


def some(script: Script, number: int, chance: random.Random) -> list[Mutant]:
    """So many of them, if there are as many."""
    every = edits(script)
    return list(islice(_different(script, ((edit,) for edit in chance.sample(every, len(every)))), number))


def pairs(every: list[Mutant], number: int, chance: random.Random) -> list[Mutant]:
    """Return mutants with two of these edits, so many if there are.

    Every other one has one slip in two places.
    """
    own = [mutant.edits[0] for mutant in every]
    alike: dict[tuple[str, str], list[Edit]] = {}
    for mutant, edit in zip(every, own, strict=True):
        alike.setdefault((mutant.script.part(edit.start, edit.end), edit.new), []).append(edit)
    slips = [edits for edits in alike.values() if len(edits) > 1] or [own]
    chosen = (chance.sample(chance.choice(slips) if turn % 2 else own, 2) for turn in range(TRIES * number))
    return list(islice(_different(every[0].script, chosen), number))


def _different(script: Script, chosen: Iterable[Sequence[Edit]]) -> Iterator[Mutant]:
    """Return the mutants that Python can read and that differ.

    Their syntax tree is neither the script's nor that of an earlier one.
    """
    seen = {ast.dump(ast.parse(script.text))}
    for together in chosen:
        try:
            mutant = Mutant(script, tuple(sorted(together)))
            tree = ast.dump(ast.parse(mutant.text))
        except (SyntaxError, ValueError):
            continue
        if tree not in seen:
            seen.add(tree)
            yield mutant
