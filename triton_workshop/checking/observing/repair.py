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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from triton_workshop.checking.exercises.exercise import todo_lines
from triton_workshop.checking.observing.source import Source, called

LIMIT = 0.7
"""Seconds of processor time for all tries together: the verdict should come within a second of the save."""
MOST = 2
"""The most TODOs that may be wrong. A script with more does everything differently, so nothing can be said."""
GRACE = 2.0
"""Seconds for a try that began within the limit."""
NAME = "repaired.py"
"""The name of the texts that are tried: it is not in any folder."""


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


@dataclass(frozen=True)
class Statement:
    """A statement of a kernel or a launcher; for a loop, only its first line."""

    function: str
    node: ast.stmt
    code: str
    """Without indentation."""
    last: int
    """Its last line, from 1."""
    outer: tuple[int, ...]
    """The last lines of the loops around it, outermost first."""
    todo: int | None

    @functools.cached_property
    def keys(self) -> frozenset[tuple[str, str]]:
        """Its function, with each name that it assigns, or with what it calls, returns or loops over."""
        names = ["loop"] if isinstance(self.node, ast.For | ast.While) else _names(self.node)
        return frozenset((self.function, name) for name in names)

    @property
    def first(self) -> int:
        return self.node.lineno

    @property
    def loops(self) -> int:
        """How many loops are around it."""
        return len(self.outer)

    @functools.cached_property
    def updates(self) -> bool:
        """Whether it makes the new value of a name from the old one."""
        return isinstance(self.node, ast.AugAssign) or (
            isinstance(self.node, ast.Assign) and not self.keys.isdisjoint(self.uses)
        )

    @functools.cached_property
    def uses(self) -> frozenset[tuple[str, str]]:
        """Its function, with each name that it reads."""
        parts = ast.walk(self.node.iter if isinstance(self.node, ast.For) else self.node)
        names = (part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load))
        return frozenset((self.function, name) for name in names)

    def likeness(self, other: Statement) -> float:
        """How much alike the two are as texts, 0 to 1."""
        return difflib.SequenceMatcher(None, self.code, other.code).ratio()

    def same_as(self, other: Statement) -> bool:
        same = self.code == other.code or _dump(self.node) == _dump(other.node)
        return same and self.loops == other.loops


@dataclass
class Repair:
    """A script beside the solution of its exercise."""

    ours: tuple[Statement, ...]
    theirs: tuple[Statement, ...]
    lines: tuple[str, ...]
    pairs: list[list[Statement]] = field(init=False)
    """For each of our statements, by its place: those of theirs that it can replace."""

    def __post_init__(self) -> None:
        self.pairs = [[] for _ in self.ours]
        left = list(self.theirs)
        for alike in (_twins, _neighbours, _namesakes, _same_call):
            for place, own in enumerate(self.ours):
                found = [] if self.pairs[place] else [s for s in left if alike(own, s)]
                # Several assignments of a name all correspond to our last one, each one before that to one of ours.
                again = len(found) > 1 and any(_twins(own, other) for other in self.ours[place + 1 :])
                self.pairs[place] += found[:1] if again else found
                left = [s for s in left if s not in self.pairs[place]]
        for place, own in enumerate(self.ours):
            # An additional assignment goes with the first one.
            if self.pairs[place]:
                self.pairs[place] += [s for s in left if _neighbours(own, s)]
                left = [s for s in left if s not in self.pairs[place]]

    def different(self) -> list[int]:
        """Our places where the script has something else, or nothing."""
        pairs = enumerate(zip(self.ours, self.pairs, strict=True))
        return [place for place, (own, pair) in pairs if len(pair) != 1 or not own.same_as(pair[0])]

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
        lines: list[str | None] = list(self.lines)
        added: dict[int, list[str]] = {}
        for place in self.with_needed(places):
            own = self.ours[place]
            here = [s for s in self.pairs[place] if s.loops == own.loops]
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
            pair = self.pairs[before]
            if pair and self.ours[before].function == own.function:
                last = pair[-1]
                return last.outer[own.loops] if len(last.outer) > own.loops else last.last
        inside = [s for s in self.theirs if s.function == own.function]
        return min((s.first - 1 for s in inside), default=len(self.lines))

    def _margin(self, line: int) -> str:
        text = self.lines[line]
        return text[: len(text) - len(text.lstrip())]

    def line_of_more(self, places: Sequence[int]) -> int | None:
        """Return where a statement does what is missing in these places, and more: `rows, cols = …`, or a branch."""
        found = [s.first for place in places for s in self.theirs if self.ours[place].keys < s.keys]
        return min(found, default=None)

    def lines_of(self, places: Sequence[int]) -> frozenset[int]:
        """The lines of the script that stand at these places, and are not ours."""
        pairs = [(self.ours[place], s) for place in places for s in self.pairs[place]]
        spans = [range(s.first, s.last + 1) for own, s in pairs if not own.same_as(s)]
        return frozenset(line for span in spans for line in span)


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
    if not 0 < len(groups) <= MOST:
        return None
    first, *others = groups
    rest = [place for group in others for place in group]
    places = _fewest(first, lambda some: right([*some, *rest]))
    return _culprit(repair, groups, places)


def _wrong_groups(
    repair: Repair, right: Callable[[list[int]], bool], all_right: Callable[[list[int]], bool]
) -> list[list[int]]:
    """Return the fewest TODOs, or given lines, whose replacement makes the case pass; empty if there are none."""
    different = repair.different()
    groups = _by_todo(repair, different)
    for group in groups:
        if repair.ours[group[0]].todo is not None and right(group):
            return [group]
    # A learner may well have changed a given line, such as a block's size: it is wrong only if nothing else is.
    given = [group for group in groups if repair.ours[group[0]].todo is None and right(group) and all_right(group)]
    if given:
        return given[:1]
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
    return Culprit(todos, line, lines, "\n".join(each.code for each in ours if each.todo in own))


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
    exercise = source.exercise
    solution = Source(exercise.solution_file, exercise.solution, exercise)
    return Repair(_statements(solution), _statements(source), source.lines)


def _statements(source: Source) -> tuple[Statement, ...]:
    functions = (("kernel", source.kernel), ("launcher", source.launcher))
    every = (s for name, function in functions if function for s in _inside(source, name, function.body, ()))
    return tuple(statement for statement in every if statement.keys)


def _inside(source: Source, function: str, body: list[ast.stmt], outer: tuple[int, ...]) -> Iterator[Statement]:
    for node in body:
        last = _end_of_header(node)
        code = textwrap.dedent("\n".join(source.lines[node.lineno - 1 : last]))
        yield Statement(function, node, code, last, outer, todo_lines(source.text).get(node.lineno))
        if isinstance(node, ast.For | ast.While):
            yield from _inside(source, function, node.body, (*outer, node.end_lineno or last))


def _end_of_header(node: ast.stmt) -> int:
    """The last line of a statement, or of a loop's first line."""
    header = node.iter if isinstance(node, ast.For) else node.test if isinstance(node, ast.While) else node
    return header.end_lineno or node.lineno


def _names(node: ast.stmt) -> Iterator[str]:
    """What distinguishes a statement from others in its function. A branch has the names of what is in it."""
    for part in ast.walk(node):
        match part:
            case ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.Return():
                yield "return"
            case ast.Expr(value=ast.Call(func=ast.Subscript())):
                yield "launch()"
            case ast.Expr(value=ast.Call() as call):
                yield f"{called(call)}()"


def _twins(own: Statement, other: Statement) -> bool:
    return _neighbours(own, other) and own.updates == other.updates


def _neighbours(own: Statement, other: Statement) -> bool:
    return _namesakes(own, other) and own.loops == other.loops


def _namesakes(own: Statement, other: Statement) -> bool:
    return bool(own.keys & other.keys)


def _same_call(own: Statement, other: Statement) -> bool:
    """Whether both call the same function, and one of them ignores what it returns."""
    node, value = other.node, getattr(own.node, "value", None)
    if not isinstance(value, ast.Call) or not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        return False
    return own.function == other.function and own.loops == other.loops and called(value) == called(node.value)


def _dump(node: ast.stmt) -> str:
    if isinstance(node, ast.For):
        return ast.dump(ast.Tuple([node.target, node.iter]))
    return ast.dump(node.test) if isinstance(node, ast.While) else ast.dump(node)
