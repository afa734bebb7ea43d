"""Finds where a mistake was made: the place in a script where the solution's own lines make a failing case pass.

A script's statements are paired with those of the solution by the function that they are in, what they assign or call,
and how many loops are around them. Then the solution's statements replace the learner's, one TODO after the other. If
that makes the case pass, the mistake is there, whatever it is. A script that shares few names with the exercise cannot
be paired, and nothing is said about it.
"""

from __future__ import annotations

import ast
import difflib
import functools
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from triton_workshop.checking.diagnosing.statements import (
    Statement,
    branches_of,
    names_known_without,
    pairings,
    statements_of,
)
from triton_workshop.checking.exercises import EXERCISES
from triton_workshop.checking.observing.source import Source

MOST_TODOS = 2
"""The most TODOs that may be wrong. A script with more does everything differently, so nothing can be said."""
ALWAYS = "The solution does this always, without an `if`."
NO_SUCH_LINE = "The solution has no such line"


@dataclass(frozen=True)
class Culprit:
    """Where a script went wrong."""

    todos: tuple[int, ...]
    """Their numbers, in order; none if it was a line that the exercise gives."""
    line: int | None
    """The script's line; None if it lacks what should be there."""
    lines: frozenset[int]
    """All lines of the script in that place that are not the solution's."""
    code: str
    """What the solution has there."""
    instead: str = ""
    """What to say where the script has that code already: that it belongs elsewhere, or that more stands beside it."""
    extra: bool = False
    """Whether the solution has nothing at all in that place."""
    moved: bool = False
    """Whether the line is the solution's, but stands elsewhere there, or once."""
    with_others: bool = False
    """Whether either needs other lines that only it has: then what the script's line uses may be wrong as well."""


@dataclass
class Repair:
    """A script beside the solution of its exercise.

    What the script has in addition is a place too, at the end: there the solution has nothing.
    """

    ours: tuple[Statement, ...]
    theirs: tuple[Statement, ...]
    source: Source
    pairs: list[list[Statement]] = field(init=False)
    """For each of our statements, by its place: those of theirs that it can replace."""
    standing: dict[int, Statement] = field(init=False)
    """By place: their statement that is ours, and stands in its order among the others. It is right."""
    extras: range = field(init=False)
    """The places of what the script has in addition."""
    branches: range = field(init=False)
    """The places of its conditions: here each is always true. They are tried alone, as what is in them stays."""

    def __post_init__(self) -> None:
        self.pairs = pairings(self.ours, self.theirs)
        paired = [s for pair in self.pairs for s in pair]
        functions = {"kernel": self.source.kernel, "launcher": self.source.launcher}
        extras = [s for s in self.theirs if s not in paired and names_known_without(s, functions[s.function])]
        branches = list(branches_of(self.source))
        own = len(self.ours)
        self.extras, self.branches = (
            range(own, own + len(extras)),
            range(own + len(extras), own + len(extras) + len(branches)),
        )
        self.standing = self._standing()
        nothing = [replace(s, node=ast.Pass(), code="pass", todo=None) for s in extras]
        always = [replace(s, node=ast.Pass(), code="if True:", todo=None) for s in branches]
        self.ours = (*self.ours, *nothing, *always)
        self.pairs += [[s] for s in (*extras, *branches)]

    def _standing(self) -> dict[int, Statement]:
        same = {place: s for place, own in enumerate(self.ours) for s in self.pairs[place][::-1] if own.same_as(s)}
        there = sorted(same, key=lambda place: (same[place].function, same[place].first))
        blocks = difflib.SequenceMatcher(None, list(same), there, autojunk=False).get_matching_blocks()
        return {place: same[place] for block in blocks for place in there[block.b : block.b + block.size]}

    def different(self) -> list[int]:
        """Our places where the script has something else, or nothing, and those where only the script has something."""
        places = range(self.extras.stop)
        return [place for place in places if self.pairs[place] != [self.standing.get(place)]]

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

    def text(self, places: Sequence[int]) -> str:
        """Return the script with our statements at these places, and with what those need."""
        lines: list[str | None] = list(self.source.lines)
        added: dict[int, list[str]] = {}
        for place in self.with_needed(places):
            own = self.ours[place]
            here = [s for s in self.pairs[place] if self._in_place(place, s)]
            nearest = max(here, key=own.likeness, default=None)
            at = nearest.first - 1 if nearest else self._after(place)
            margin = self._margin(at) if nearest else " " * 4 * (own.loops + 1)
            added.setdefault(at, []).append(textwrap.indent(own.code, margin))
            for statement in self.pairs[place]:
                lines[statement.first - 1 : statement.last] = [None] * (statement.last - statement.first + 1)
        whole = [text for at, line in enumerate([*lines, None]) for text in (*added.get(at, []), line)]
        return "\n".join(text for text in whole if text is not None) + "\n"

    def _after(self, place: int) -> int:
        """Return the line, from 0, before which a missing statement belongs: after the statement that precedes it."""
        own = self.ours[place]
        for before in range(place - 1, -1, -1):
            here = [s for s in self.pairs[before] if self._in_place(before, s)]
            if here and self.ours[before].function == own.function:
                last = here[-1]
                return last.outer[own.loops] if len(last.outer) > own.loops else last.last
        inside = [s for s in self.theirs if s.function == own.function]
        return min((s.first - 1 for s in inside), default=len(self.source.lines))

    def _in_place(self, place: int, other: Statement) -> bool:
        """Whether their statement stands where ours does: ours itself may stand out of order, or twice."""
        own = self.ours[place]
        return other.loops == own.loops and (not own.same_as(other) or other == self.standing.get(place))

    def _margin(self, line: int) -> str:
        text = self.source.lines[line]
        return text[: len(text) - len(text.lstrip())]

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

    def instead(self, places: Sequence[int], line: int | None) -> str:
        """What to say of a line where the script has all of our code of these places, so that it helps no more."""
        if places[0] in self.branches:
            return ALWAYS
        if places[0] in self.extras:
            return f"{NO_SUCH_LINE}: without it, this case is right."
        if not self.has_all_of(places):
            return ""
        place, blamed = next(((p, s) for p in places for s in self.pairs[p] if s.first == line), (places[0], None))
        own, before = self.ours[place], self.ours[max(place - 1, 0)]
        if blamed is None or isinstance(blamed.node, ast.If):
            return ALWAYS
        if not own.same_code(blamed):
            return f"{NO_SUCH_LINE}."
        only_once = sum(own.same_code(s) for s in self.pairs[place]) > 1
        if only_once or place in self.standing:
            return "The solution has this line only once."
        if blamed.loops != own.loops:
            where = ("outside the loop", "inside the loop", "inside both loops")[own.loops]
        elif before.function == own.function and before.loops <= own.loops:
            where = f"after `{before.first_line}`"
        else:
            where = "after the loop" if before.loops else "first"
        return f"In the solution this line stands {where}."

    def is_moved(self, line: int | None) -> bool:
        """Whether a line is one of ours, which the script has in another place, or twice."""
        return any(
            s.first == line and own.same_code(s) for own, pair in zip(self.ours, self.pairs, strict=True) for s in pair
        )


def find_culprit(source: Source, passes: Callable[[str], bool], passes_all: Callable[[str], bool]) -> Culprit | None:
    """Return where the mistake is. `passes` runs a changed script on the case that failed, `passes_all` on larger ones.

    None if no change helps, or if the script is too far from the exercise to tell.
    """
    try:
        repair = repair_of(source)
    except (SyntaxError, ValueError):
        return None

    def right(places: Sequence[int]) -> bool:
        return passes(repair.text(sorted(places)))

    groups = _wrong_groups(repair, right, lambda group: passes_all(repair.text(group)))
    if not 0 < len(groups) <= MOST_TODOS:
        return None
    first, *others = groups
    rest = [place for group in others for place in group]
    places = _fewest(first, lambda some: right([*some, *rest]))
    return _culprit(repair, groups, places)


def _wrong_groups(
    repair: Repair, right: Callable[[list[int]], bool], all_right: Callable[[list[int]], bool]
) -> list[list[int]]:
    """Return the fewest TODOs, given lines or additions whose replacement makes the case pass; empty if none does."""
    different = repair.different()
    groups = _by_todo(repair, different)
    for group in groups:
        if repair.ours[group[0]].todo is not None and right(group):
            return [group]
    # A learner may well have changed a given line, such as a block's size: it is wrong only if nothing else is.
    given = [group for group in groups if repair.ours[group[0]].todo is None] + [[place] for place in repair.branches]
    for group in given:
        if right(group) and all_right(group):
            return [group]
    return sorted(_least(groups, right)) if len(groups) > 1 and right(different) else []


def _culprit(repair: Repair, groups: list[list[int]], places: list[int]) -> Culprit:
    """The culprit, where these groups are wrong, and of the first of them these places."""
    every = [*places, *(place for group in groups[1:] for place in group)]
    todos = tuple(todo for group in groups if (todo := repair.ours[group[0]].todo) is not None)
    if repair.ours[places[0]].todo is None:
        todos = ()
    lines = repair.lines_of(every)
    line = min(repair.lines_of(places) or lines, default=None)
    if line is None:
        line = repair.line_of_more(places)
    ours = (repair.ours[place] for place in repair.with_needed(places))
    own = {repair.ours[place].todo for place in places}
    code = "\n".join(each.code for each in ours if each.todo in own)
    extra = places[0] in repair.extras or places[0] in repair.branches
    more = len(repair.with_needed(places)) > len(places) or repair.uses_own(places)
    return Culprit(todos, line, lines, code, repair.instead(places, line), extra, repair.is_moved(line), more)


def _fewest(places: list[int], right: Callable[[list[int]], bool]) -> list[int]:
    """Return one of these places if it is enough, since the lines around it may be right in another way than ours.

    Otherwise return all that are needed together.
    """
    alone = next(([place] for place in places if right([place])), None)
    return alone or [place for [place] in _least([[place] for place in places], right)]


def _least(groups: list[list[int]], right: Callable[[list[int]], bool]) -> list[list[int]]:
    """Leave out the groups that are not needed, beginning with the last one."""
    kept = list(groups)
    for group in reversed(groups):
        fewer = [each for each in kept if each is not group]
        if fewer and right([place for each in fewer for place in each]):
            kept = fewer
    return kept


def _by_todo(repair: Repair, places: list[int]) -> list[list[int]]:
    """Places of one TODO together; each line that is given by itself."""
    groups: dict[object, list[int]] = {}
    for place in places:
        todo = repair.ours[place].todo
        groups.setdefault(("given", place) if todo is None else todo, []).append(place)
    return list(groups.values())


def is_begun(source: Source, todo: int) -> bool:
    """Whether a script has some of what only this TODO makes or calls, in addition to the TODO's `...`."""
    repair = repair_of(source)
    own = {key for s in repair.ours if s.todo == todo for key in s.keys}
    others = {key for s in repair.ours if s.todo != todo for key in s.keys}
    written = {key for s in repair.theirs if "= ..." not in s.code for key in s.keys}
    return not written.isdisjoint(own - others)


def repair_of(source: Source) -> Repair:
    """Read a script's statements. Raises SyntaxError if the script is not Python."""
    return Repair(
        _statements_of_solution(source.exercise.number, source.exercise.solution), statements_of(source), source
    )


@functools.cache
def _statements_of_solution(number: str, text: str) -> tuple[Statement, ...]:
    exercise = EXERCISES[number]
    return statements_of(Source(exercise.solution_file, text, exercise))
