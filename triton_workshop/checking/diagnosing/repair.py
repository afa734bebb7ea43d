"""Finds where a mistake was made: the place in a script where the solution's own lines make a failing case pass.

The solution's statements replace the learner's, one TODO after the other: see `alignment`. If that makes the case pass,
the mistake is there, whatever it is.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from triton_workshop.checking.diagnosing.alignment import Alignment, aligned
from triton_workshop.checking.diagnosing.statements import Statement
from triton_workshop.checking.observing.source import Source

MOST_TODOS = 2
"""The most TODOs that may be wrong, and that may be replaced to see it: with more, nothing of the script is left."""


class Difference(StrEnum):
    """How a script's line differs from the solution, where other code in its place would not help."""

    UNCONDITIONAL = "unconditional"
    NO_SUCH_LINE = "no-such-line"
    RIGHT_WITHOUT = "right-without"
    ONLY_ONCE = "only-once"
    OUTSIDE_THE_LOOP = "outside-the-loop"
    INSIDE_THE_LOOP = "inside-the-loop"
    INSIDE_BOTH_LOOPS = "inside-both-loops"
    AFTER_A_LINE = "after-a-line"
    AFTER_THE_LOOP = "after-the-loop"
    FIRST = "first"


@dataclass(frozen=True)
class Misplacement:
    """Code that the script has already: it belongs elsewhere, or more stands beside it."""

    difference: Difference
    predecessor: str = ""
    """The solution's line before it, if the script's has to stand after that."""


@dataclass(frozen=True)
class Culprit:
    """Where a script went wrong."""

    todos: tuple[int, ...]
    """Their numbers, that of the line first; none if it was a line that the exercise gives."""
    line: int | None
    """The script's line; None if it lacks what should be there."""
    lines: frozenset[int]
    """All lines of the script in that place that are not the solution's."""
    code: str
    """What the solution has there."""
    instead: Misplacement | None = None
    """Why that code would not help, where the script has it already."""
    extra: bool = False
    """Whether the solution has nothing at all in that place."""
    moved: bool = False
    """Whether the line is the solution's, but stands elsewhere there, or once."""
    with_others: bool = False
    """Whether either needs other lines that only it has: then what the script's line uses may be wrong as well."""


def find_culprit(
    source: Source,
    passes: Callable[[str], bool],
    passes_all: Callable[[str], bool],
    fails_alike: Callable[[str], bool] = lambda text: False,
) -> Culprit | None:
    """Return where the mistake is. `passes` runs a changed script on the case that failed, `passes_all` on larger ones.

    Of two mistakes, it is the one that shows: without it, the script no longer `fails_alike` in that case. None if no
    change helps, or if the script is too far from the exercise to tell.
    """
    try:
        alignment = aligned(source)
    except (SyntaxError, ValueError):
        return None

    def right(places: Sequence[int]) -> bool:
        return passes(repaired(alignment, sorted(places)))

    groups = _wrong_groups(alignment, right, lambda group: passes_all(repaired(alignment, group)))
    if not 0 < len(groups) <= MOST_TODOS:
        return None
    hidden = [group for group in groups if len(groups) > 1 and fails_alike(repaired(alignment, group))]
    first, *others = sorted(groups, key=lambda group: group in hidden)
    replaced = alignment.with_needed([place for group in groups for place in group])
    if len({alignment.ours[place].todo for place in replaced} - {None}) > MOST_TODOS:
        return None
    rest = [place for group in others for place in group]
    places = _fewest(first, lambda some: right([*some, *rest]))
    return _culprit(alignment, [first, *others], places)


def _wrong_groups(
    alignment: Alignment, right: Callable[[list[int]], bool], all_right: Callable[[list[int]], bool]
) -> list[list[int]]:
    """Return the fewest TODOs, given lines or additions whose replacement makes the case pass; empty if none does."""
    different = alignment.different()
    groups = _by_todo(alignment, different)
    for group in groups:
        if alignment.ours[group[0]].todo is not None and right(group):
            return [group]
    # A learner may well have changed a given line, such as a block's size: it is wrong only if nothing else is.
    given = [group for group in groups if alignment.ours[group[0]].todo is None]
    for group in [*given, *([place] for place in alignment.branches)]:
        if right(group) and all_right(group):
            return [group]
    return sorted(_least(groups, right)) if len(groups) > 1 and right(different) else []


def _culprit(alignment: Alignment, groups: list[list[int]], places: list[int]) -> Culprit:
    """The culprit, where these groups are wrong, and of the first of them these places."""
    every = [*places, *(place for group in groups[1:] for place in group)]
    todos = tuple(todo for group in groups if (todo := alignment.ours[group[0]].todo) is not None)
    if alignment.ours[places[0]].todo is None:
        todos = ()
    lines = alignment.lines_of(every)
    line = min(alignment.lines_of(places) or lines, default=None)
    if line is None:
        line = alignment.line_of_more(places)
    ours = (alignment.ours[place] for place in alignment.with_needed(places))
    own = {alignment.ours[place].todo for place in places}
    code = "\n".join(each.code for each in ours if each.todo in own)
    extra = places[0] in alignment.extras or places[0] in alignment.branches
    more = len(alignment.with_needed(places)) > len(places) or alignment.uses_own(places)
    instead = _instead(alignment, places, line, alone=len(groups) == 1)
    return Culprit(todos, line, lines, code, instead, extra, alignment.is_moved(line), more)


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


def _by_todo(alignment: Alignment, places: list[int]) -> list[list[int]]:
    """Places of one TODO together; each line that is given by itself."""
    groups: dict[object, list[int]] = {}
    for place in places:
        todo = alignment.ours[place].todo
        groups.setdefault(("given", place) if todo is None else todo, []).append(place)
    return list(groups.values())


def repaired(alignment: Alignment, places: Sequence[int]) -> str:
    """Return the script with our statements at these places, and with what those need."""
    lines: list[str | None] = list(alignment.source.lines)
    added: dict[int, list[str]] = {}
    for place in alignment.with_needed(places):
        own = alignment.ours[place]
        here = [s for s in alignment.pairs[place] if _in_place(alignment, place, s)]
        nearest = max(here, key=own.likeness, default=None)
        at = nearest.first - 1 if nearest else _after(alignment, place)
        margin = _margin(alignment.source.lines[at]) if nearest else " " * 4 * (own.loops + 1)
        added.setdefault(at, []).append(textwrap.indent(own.code, margin))
        for statement in alignment.pairs[place]:
            lines[statement.first - 1 : statement.last] = [None] * (statement.last - statement.first + 1)
    whole = [text for at, line in enumerate([*lines, None]) for text in (*added.get(at, []), line)]
    return "\n".join(text for text in whole if text is not None) + "\n"


def _after(alignment: Alignment, place: int) -> int:
    """Return the line, from 0, before which a missing statement belongs: after the statement that precedes it."""
    own = alignment.ours[place]
    for before in range(place - 1, -1, -1):
        here = [s for s in alignment.pairs[before] if _in_place(alignment, before, s)]
        if here and alignment.ours[before].function == own.function:
            last = here[-1]
            return last.outer[own.loops] if len(last.outer) > own.loops else last.last
    inside = [s for s in alignment.theirs if s.function == own.function]
    return min((s.first - 1 for s in inside), default=len(alignment.source.lines))


def _in_place(alignment: Alignment, place: int, other: Statement) -> bool:
    """Whether their statement stands where ours does: ours itself may stand out of order, or twice."""
    own = alignment.ours[place]
    return other.loops == own.loops and (not own.same_as(other) or other == alignment.standing.get(place))


def _margin(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _instead(alignment: Alignment, places: Sequence[int], line: int | None, *, alone: bool) -> Misplacement | None:
    """Return what is wrong with a line where the script has all of our code of these places, so that it helps no more.

    `alone`: whether nothing else is wrong.
    """
    if places[0] in alignment.branches:
        return Misplacement(Difference.UNCONDITIONAL)
    if places[0] in alignment.extras:
        return Misplacement(Difference.RIGHT_WITHOUT if alone else Difference.NO_SUCH_LINE)
    if not alignment.has_all_of(places):
        return None
    place, blamed = next(((p, s) for p in places for s in alignment.pairs[p] if s.first == line), (places[0], None))
    own, before = alignment.ours[place], alignment.ours[max(place - 1, 0)]
    if blamed is None or isinstance(blamed.node, ast.If):
        return Misplacement(Difference.UNCONDITIONAL)
    if not own.same_code(blamed):
        return Misplacement(Difference.NO_SUCH_LINE)
    only_once = sum(own.same_code(s) for s in alignment.pairs[place]) > 1
    if only_once or place in alignment.standing:
        return Misplacement(Difference.ONLY_ONCE)
    if blamed.loops != own.loops:
        depths = (Difference.OUTSIDE_THE_LOOP, Difference.INSIDE_THE_LOOP, Difference.INSIDE_BOTH_LOOPS)
        return Misplacement(depths[own.loops])
    if before.function == own.function and before.loops <= own.loops:
        return Misplacement(Difference.AFTER_A_LINE, before.first_line)
    return Misplacement(Difference.AFTER_THE_LOOP if before.loops else Difference.FIRST)
