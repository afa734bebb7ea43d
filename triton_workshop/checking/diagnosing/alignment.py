"""A script beside the solution of its exercise: which of its statements stand where the solution's do.

A script's statements are paired with those of the solution by the function that they are in, what they assign or call,
and how many loops are around them. A script that shares few names with the exercise cannot be paired.
"""

from __future__ import annotations

import ast
import difflib
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from triton_workshop.checking.diagnosing.statements import (
    Statement,
    branches_of,
    names_known_without,
    pairings,
    statements_of,
)
from triton_workshop.checking.observing.source import Source
from triton_workshop.exercises import EXERCISES


@dataclass(frozen=True)
class Alignment:
    """A script beside the solution, statement by statement.

    A place is the number of one of our statements. What the script has in addition is a place too, at the end: there
    the solution has nothing.
    """

    source: Source
    ours: tuple[Statement, ...]
    theirs: tuple[Statement, ...]
    pairs: tuple[tuple[Statement, ...], ...]
    """For each of our statements, by its place: those of theirs that it can replace."""
    standing: Mapping[int, Statement]
    """By place: their statement that is ours, and stands in its order among the others. It is right."""
    extras: range
    """The places of what the script has in addition."""
    branches: range
    """The places of its conditions: here each is always true. They are tried alone, as what is in them stays."""

    def different(self) -> list[int]:
        """Our places where the script has something else, or nothing, and those where only the script has something."""
        places = range(self.extras.stop)
        return [place for place in places if self.pairs[place] != (self.standing.get(place),)]

    def added_names(self) -> frozenset[tuple[str, str]]:
        """The names that get a value in statements that only the script has, each with its function."""
        return frozenset(key for place in self.extras for s in self.pairs[place] for key in s.keys)

    def other_lines(self) -> list[int]:
        """The first lines of the script's statements that are not ours."""
        standing = list(self.standing.values())
        return [s.first for s in self.theirs if s not in standing]

    def right_lines(self) -> frozenset[int]:
        """The lines of the script's statements that are ours."""
        return frozenset(line for s in self.standing.values() for line in range(s.first, s.last + 1))

    def places_of(self, todo: int) -> list[int]:
        return [place for place, own in enumerate(self.ours) if own.todo == todo]

    def has_all_of(self, places: Sequence[int]) -> bool:
        """Whether our statements of these places stand anywhere in the script, even in a branch."""
        functions = {"kernel": self.source.kernel, "launcher": self.source.launcher}
        return all(self.ours[place].is_in(functions[self.ours[place].function]) for place in places)

    def with_needed(self, places: Sequence[int]) -> list[int]:
        """These places, and our places that define the names that they use and that the script calls something else."""
        known = {key for s in self.theirs for key in s.keys}
        found, queue = set(places), list(places)
        while queue:
            wanted = self.ours[queue.pop()].uses - known
            makers = {place for place, other in enumerate(self.ours) if not other.keys.isdisjoint(wanted)}
            queue += makers - found
            found |= makers
        return sorted(found)

    def line_of_more(self, places: Sequence[int]) -> int | None:
        """Return where a statement does what is missing in these places, and more: `rows, cols = …`, or a branch."""
        found = [s.first for place in places for s in self.theirs if self.ours[place].keys < s.keys]
        return min(found, default=None)

    def lines_of(self, places: Sequence[int]) -> frozenset[int]:
        """The lines of the script that stand at these places, and are not ours."""
        others = [s for place in places for s in self.pairs[place] if s != self.standing.get(place)]
        return frozenset(line for s in others for line in range(s.first, s.last + 1))

    def uses_own(self, places: Sequence[int]) -> bool:
        """Whether the script's statements there use names, or call kernels, that only the script has."""
        others = {each.name for each in self.source.kernels} - {self.source.exercise.kernel}
        own = {key for s in self.theirs for key in s.keys} - {key for s in self.ours for key in s.keys}
        own |= {("kernel", name) for name in others}
        return any(not s.uses.isdisjoint(own) for place in places for s in self.pairs[place])

    def is_moved(self, line: int | None) -> bool:
        """Whether a line is one of ours, which the script has in another place, or twice."""
        return any(
            s.first == line and own.same_code(s) for own, pair in zip(self.ours, self.pairs, strict=True) for s in pair
        )


def aligned(source: Source) -> Alignment:
    """Read a script's statements. Raises SyntaxError if the script is not Python."""
    return _aligned(source, source.exercise.solution)


@functools.lru_cache(maxsize=4)  # of one script, it is asked several times
def _aligned(source: Source, solution: str) -> Alignment:
    ours, theirs = _statements_of_solution(source.exercise.number, solution), statements_of(source)
    pairs = pairings(ours, theirs)
    paired = [s for pair in pairs for s in pair]
    functions = {"kernel": source.kernel, "launcher": source.launcher}
    extras = [s for s in theirs if s not in paired and names_known_without(s, functions[s.function])]
    branches = list(branches_of(source))
    nothing = [replace(s, node=ast.Pass(), code="pass", todo=None) for s in extras]
    always = [replace(s, node=ast.Pass(), code="if True:", todo=None) for s in branches]
    first_branch = len(ours) + len(extras)
    return Alignment(
        source,
        (*ours, *nothing, *always),
        theirs,
        (*map(tuple, pairs), *((s,) for s in (*extras, *branches))),
        _standing(ours, pairs),
        range(len(ours), first_branch),
        range(first_branch, first_branch + len(branches)),
    )


def _standing(ours: Sequence[Statement], pairs: Sequence[Sequence[Statement]]) -> dict[int, Statement]:
    same = {place: s for place, own in enumerate(ours) for s in pairs[place][::-1] if own.same_as(s)}
    there = sorted(same, key=lambda place: (same[place].function, same[place].first))
    blocks = difflib.SequenceMatcher(None, list(same), there, autojunk=False).get_matching_blocks()
    return {place: same[place] for block in blocks for place in there[block.b : block.b + block.size]}


@functools.cache
def _statements_of_solution(number: str, text: str) -> tuple[Statement, ...]:
    exercise = EXERCISES[number]
    return statements_of(Source(exercise.solution_file, text, exercise))


def is_begun(source: Source, todo: int) -> bool:
    """Whether a script has some of what only this TODO makes or calls, in addition to the TODO's `...`."""
    alignment = aligned(source)
    own = {key for s in alignment.ours if s.todo == todo for key in s.keys}
    others = {key for s in alignment.ours if s.todo != todo for key in s.keys}
    written = {key for s in alignment.theirs if "= ..." not in s.code for key in s.keys}
    return not written.isdisjoint(own - others)
