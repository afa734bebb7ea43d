"""Alignment of a script with the solution of its exercise.

A script's statements are paired with those of the solution by the function that they are in, what they assign or call,
and how many loops are around them. A script that shares few names with the exercise cannot be paired.
"""

from __future__ import annotations

import ast
import difflib
import functools
import itertools
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from triton_workshop.checking.diagnosing.statements import (
    Statement,
    branches_of,
    is_redundant,
    pair_statements,
    statements_of,
)
from triton_workshop.checking.observing.source import Source
from triton_workshop.exercises import EXERCISES


class SlotKind(Enum):
    """The side that has a statement in a slot."""

    SOLUTION = auto()
    """The solution has one; the script may have some."""
    EXTRA = auto()
    """Only the script has one: the solution's is `pass`."""
    BRANCH = auto()
    """A condition of the script: the solution's is always true.

    It is tried by itself, as what is in it stays.
    """


@dataclass(frozen=True, eq=False)
class Slot:
    """A place where a statement of the solution can replace the script's."""

    kind: SlotKind
    index: int
    solution: Statement
    matches: tuple[Statement, ...]
    """The script's statements that it can replace."""
    right: Statement | None = None
    """The match that is the solution's, and in its order."""

    def is_right(self) -> bool:
        """Return whether the script has just the solution's statement here."""
        return self.matches == (self.right,)

    def ordered_matches(self) -> list[Statement]:
        """Return the matches that stand where the solution's statement does.

        The solution's own may stand out of order, or twice.
        """
        matches = [s for s in self.matches if s.loops == self.solution.loops]
        return [s for s in matches if self._is_in_order(s)]

    def _is_in_order(self, match: Statement) -> bool:
        return not self.solution.same_as(match) or match == self.right


@dataclass(frozen=True)
class Alignment:
    """A script beside the solution, statement by statement."""

    source: Source
    script: tuple[Statement, ...]
    """The script's statements."""
    slots: tuple[Slot, ...]
    """In the solution's order.

    At the end are those that have nothing of the solution.
    """

    def of_kind(self, kind: SlotKind) -> list[Slot]:
        """Return the slots of a kind."""
        return [slot for slot in self.slots if slot.kind is kind]

    def different_slots(self) -> list[Slot]:
        """Return the slots where script and solution differ, but no branches."""
        slots = [slot for slot in self.slots if slot.kind is not SlotKind.BRANCH]
        return [slot for slot in slots if not slot.is_right()]

    def added_names(self) -> frozenset[tuple[str, str]]:
        """Return the names that only extra statements assign.

        Each comes with its function.
        """
        return _keys_of(_matches_of(self.of_kind(SlotKind.EXTRA)))

    def other_lines(self) -> list[int]:
        """Return the first lines of statements that are not the solution's."""
        right = self._right_statements()
        return [s.first for s in self.script if s not in right]

    def right_lines(self) -> frozenset[int]:
        """Return the lines of the script's statements that are the solution's."""
        return _lines_of_statements(self._right_statements())

    def _right_statements(self) -> list[Statement]:
        return [slot.right for slot in self.slots if slot.right is not None]

    def places_of(self, todo: int) -> list[Slot]:
        """Return the slots of a TODO."""
        return [slot for slot in self.slots if slot.solution.todo == todo]

    def has_all_of(self, slots: Sequence[Slot]) -> bool:
        """Return whether the solution's statements are anywhere in the script.

        They may stand in a branch.
        """
        functions = {"kernel": self.source.kernel, "launcher": self.source.launcher}
        return all(slot.solution.is_in(functions[slot.solution.function]) for slot in slots)

    def with_needed(self, slots: Sequence[Slot]) -> list[Slot]:
        """Return these slots, and those that define the names that they use.

        Left out are names that the script defines itself.
        """
        defined = _keys_of(self.script)
        needed, queue = set(slots), list(slots)
        while queue:
            missing = queue.pop().solution.uses - defined
            makers = {slot for slot in self.slots if not slot.solution.keys.isdisjoint(missing)}
            queue += makers - needed
            needed |= makers
        return _in_order(needed)

    def line_of_more(self, slots: Sequence[Slot]) -> int | None:
        """Return the line of a statement that does more than these slots lack.

        It is `rows, cols = …`, for example, or a branch.
        """
        lines: list[int] = []
        for slot in slots:
            lines += [s.first for s in self.script if slot.solution.keys < s.keys]
        return min(lines, default=None)

    def uses_extra_names(self, slots: Sequence[Slot]) -> bool:
        """Return whether the slots use names that only the script has.

        So they do if they call such kernels.
        """
        kernels = {kernel.name for kernel in self.source.kernels} - {self.source.exercise.kernel}
        names = _keys_of(self.script) - _keys_of(slot.solution for slot in self.slots)
        names |= {("kernel", name) for name in kernels}
        return any(not s.uses.isdisjoint(names) for s in _matches_of(slots))

    def is_moved(self, line: int | None) -> bool:
        """Return whether a line is the solution's, but stands elsewhere, or twice."""
        for slot in self.slots:
            on_line = [s for s in slot.matches if s.first == line]
            if any(map(slot.solution.same_code, on_line)):
                return True
        return False


def lines_of(slots: Sequence[Slot]) -> frozenset[int]:
    """Return the script's lines in these slots that are not the solution's."""
    statements: list[Statement] = []
    for slot in slots:
        statements += [s for s in slot.matches if s != slot.right]
    return _lines_of_statements(statements)


def _lines_of_statements(statements: Iterable[Statement]) -> frozenset[int]:
    return frozenset(itertools.chain.from_iterable(range(s.first, s.last + 1) for s in statements))


def _matches_of(slots: Iterable[Slot]) -> Iterable[Statement]:
    return itertools.chain.from_iterable(slot.matches for slot in slots)


def _keys_of(statements: Iterable[Statement]) -> frozenset[tuple[str, str]]:
    return frozenset[tuple[str, str]]().union(*(s.keys for s in statements))


def _in_order(slots: Collection[Slot]) -> list[Slot]:
    return sorted(slots, key=lambda slot: slot.index)


def align(source: Source) -> Alignment:
    """Align a script with the solution.

    Raises SyntaxError if the script is not Python.
    """
    return _align(source, source.exercise.solution)


@functools.lru_cache(maxsize=4)  # of one script, it is asked several times
def _align(source: Source, text: str) -> Alignment:
    solution, script = _statements_of_solution(source.exercise.number, text), statements_of(source)
    matches = pair_statements(solution, script)
    paired = list(itertools.chain.from_iterable(matches))
    functions = {"kernel": source.kernel, "launcher": source.launcher}
    right = _right_matches(solution, matches)
    rows: list[tuple[SlotKind, Statement, Sequence[Statement], Statement | None]] = [
        (SlotKind.SOLUTION, statement, group, right.get(index))
        for index, (statement, group) in enumerate(zip(solution, matches, strict=True))
    ]
    unpaired = [s for s in script if s not in paired]
    for s in unpaired:
        # What the script cannot do without is no extra: only its names differ from the solution's.
        if is_redundant(s, functions[s.function]):
            rows.append((SlotKind.EXTRA, replace(s, node=ast.Pass(), code="pass", todo=None), (s,), None))
    for s in branches_of(source):
        # Its body stays where it is, so an `if` has to stay above it.
        rows.append((SlotKind.BRANCH, replace(s, node=ast.Pass(), code="if True:", todo=None), (s,), None))
    slots = (
        Slot(kind, index, statement, tuple(group), match) for index, (kind, statement, group, match) in enumerate(rows)
    )
    return Alignment(source, script, tuple(slots))


def _right_matches(solution: Sequence[Statement], matches: Sequence[Sequence[Statement]]) -> dict[int, Statement]:
    """Return by index the matches that are the solution's, in its order.

    Of matches that stand in another order, as many are left out as have to be.
    """
    same: dict[int, Statement] = {}
    for index, statement in enumerate(solution):
        equal = [s for s in matches[index] if statement.same_as(s)]
        # Of several matches, the first one wins.
        if equal:
            same[index] = equal[0]
    # By function first: a script may define its launcher above its kernel.
    order = sorted(same, key=lambda index: (same[index].function, same[index].first))
    blocks = difflib.SequenceMatcher(None, list(same), order, autojunk=False).get_matching_blocks()
    in_order = itertools.chain.from_iterable(order[block.b : block.b + block.size] for block in blocks)
    return {index: same[index] for index in in_order}


@functools.cache
def _statements_of_solution(number: str, text: str) -> tuple[Statement, ...]:
    exercise = EXERCISES[number]
    return statements_of(Source(exercise.solution_file, text, exercise))


def is_begun(source: Source, todo: int) -> bool:
    """Return whether a script has some of what only this TODO defines.

    What a TODO defines are names and calls; its `...` does not count.
    """
    alignment = align(source)
    statements = [slot.solution for slot in alignment.slots]
    of_todo = _keys_of(s for s in statements if s.todo == todo)
    of_the_rest = _keys_of(s for s in statements if s.todo != todo)
    written = _keys_of(s for s in alignment.script if "= ..." not in s.code)
    return not written.isdisjoint(of_todo - of_the_rest)
