"""Finds the statement of a script where a mistake was made.

The solution's statements replace the learner's, one TODO after the other: see `alignment`. If that makes the case pass,
the mistake is there, whatever it is.
"""

from __future__ import annotations

import ast
import itertools
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from triton_workshop.checking.diagnosing.alignment import Alignment, Slot, SlotKind, align, lines_of
from triton_workshop.checking.diagnosing.statements import Statement
from triton_workshop.checking.observing.source import Source

MAX_TODOS = 2
"""Number of TODOs that may be wrong, and be replaced to see it.

With more, nothing of the script is left.
"""


class Difference(StrEnum):
    """Kind of difference between a script's line and the solution's.

    Other code in the place of the line would not help.
    """

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
    """Code that the script has already, but misplaced.

    It belongs elsewhere, or more stands beside it.
    """

    difference: Difference
    predecessor: str = ""
    """The solution's line before it, if the script's has to stand after that."""


@dataclass(frozen=True)
class Culprit:
    """The statement of a script that is wrong."""

    todos: tuple[int, ...]
    """Numbers of its TODOs, that of the line first.

    There are none if it was a line that the exercise gives.
    """
    line: int | None
    """The script's line; None if it lacks what should be there."""
    lines: frozenset[int]
    """All lines of the script in that place that are not the solution's."""
    code: str
    """The solution's code for that place."""
    instead: Misplacement | None = None
    """Reason why that code would not help, where the script has it already."""
    extra: bool = False
    """The solution has nothing at all in that place."""
    moved: bool = False
    """The line is the solution's, but stands elsewhere there, or once."""
    with_others: bool = False
    """The script's code or the solution's needs other lines that only it has.

    Then what the script's line uses may be wrong as well.
    """


def find_culprit(
    source: Source,
    passes: Callable[[str], bool],
    passes_all: Callable[[str], bool],
    fails_alike: Callable[[str], bool] = lambda text: False,
) -> Culprit | None:
    """Find the statement to blame; None if no change helps.

    `passes` runs a changed script on the case that failed, `passes_all` on larger ones. Of two mistakes, it is the one
    that shows: without it, the script no longer `fails_alike` in that case. A script that is too far from the exercise
    has no culprit.
    """
    try:
        alignment = align(source)
    except (SyntaxError, ValueError):
        return None

    def right(slots: Sequence[Slot]) -> bool:
        return passes(replace_slots(alignment, slots))

    groups = _wrong_groups(alignment, right, lambda group: passes_all(replace_slots(alignment, group)))
    if not 0 < len(groups) <= MAX_TODOS:
        return None
    hidden: list[list[Slot]] = []
    if len(groups) > 1:
        hidden = [group for group in groups if fails_alike(replace_slots(alignment, group))]
    # False sorts first: of two mistakes, the one that shows is named.
    first, *rest = sorted(groups, key=lambda group: group in hidden)
    # With what they need, the groups may replace more TODOs than their own.
    replaced = alignment.with_needed([*itertools.chain.from_iterable(groups)])
    todos = {slot.solution.todo for slot in replaced} - {None}
    if len(todos) > MAX_TODOS:
        return None
    remaining = [*itertools.chain.from_iterable(rest)]
    # The other mistakes stay repaired meanwhile, or the case would fail with any part of the first.
    slots = _minimize(first, lambda some: right([*some, *remaining]))
    return _culprit(alignment, [first, *rest], slots)


def _wrong_groups(
    alignment: Alignment, right: Callable[[list[Slot]], bool], all_right: Callable[[list[Slot]], bool]
) -> list[list[Slot]]:
    """Return the fewest groups of slots whose replacement makes the case pass.

    A group is a TODO, a given line or an addition. There are none if nothing helps.
    """
    different = alignment.different_slots()
    groups = _by_todo(different)
    numbered = [group for group in groups if group[0].solution.todo is not None]
    for group in numbered:
        if right(group):
            return [group]
    # A learner may well have changed a given line, such as a block's size: it is wrong only if nothing else is.
    unnumbered = [group for group in groups if group[0].solution.todo is None]
    branches = [[slot] for slot in alignment.of_kind(SlotKind.BRANCH)]
    for group in [*unnumbered, *branches]:
        if right(group) and all_right(group):
            return [group]
    # A single group has been tried above.
    if len(groups) < 2:
        return []
    if not right(different):
        return []
    return sorted(_needed_groups(groups, right), key=lambda group: group[0].index)


def _culprit(alignment: Alignment, groups: list[list[Slot]], slots: list[Slot]) -> Culprit:
    """Describe the culprit.

    These groups are wrong, and of the first of them these slots.
    """
    every = [*slots, *itertools.chain.from_iterable(groups[1:])]
    todos = tuple(todo for group in groups if (todo := group[0].solution.todo) is not None)
    if slots[0].solution.todo is None:
        todos = ()
    lines = lines_of(every)
    line = min(lines_of(slots) or lines, default=None)
    if line is None:
        line = alignment.line_of_more(slots)
    needed = alignment.with_needed(slots)
    numbers = {slot.solution.todo for slot in slots}
    code = "\n".join(slot.solution.code for slot in needed if slot.solution.todo in numbers)
    extra = slots[0].kind is not SlotKind.SOLUTION
    with_others = len(needed) > len(slots) or alignment.uses_extra_names(slots)
    instead = _instead(alignment, slots, line, alone=len(groups) == 1)
    return Culprit(todos, line, lines, code, instead, extra, alignment.is_moved(line), with_others)


def _minimize(slots: list[Slot], right: Callable[[list[Slot]], bool]) -> list[Slot]:
    """Return one of these slots if that is enough, or else all needed ones.

    The lines around it may be right in another way than the solution's.
    """
    single = next(([slot] for slot in slots if right([slot])), None)
    if single is not None:
        return single
    groups = [[slot] for slot in slots]
    return [slot for [slot] in _needed_groups(groups, right)]


def _needed_groups(groups: list[list[Slot]], right: Callable[[list[Slot]], bool]) -> list[list[Slot]]:
    """Leave out the groups that are not needed, beginning with the last one."""
    needed = list(groups)
    for group in reversed(groups):
        fewer = [candidate for candidate in needed if candidate is not group]
        # One stays: with nothing replaced, the case fails.
        if not fewer:
            continue
        if right([*itertools.chain.from_iterable(fewer)]):
            needed = fewer
    return needed


def _by_todo(slots: list[Slot]) -> list[list[Slot]]:
    """Group the slots of a TODO; a line that is given is a group by itself."""
    groups: dict[object, list[Slot]] = {}
    for slot in slots:
        todo = slot.solution.todo
        groups.setdefault(slot if todo is None else todo, []).append(slot)
    return list(groups.values())


def replace_slots(alignment: Alignment, slots: Sequence[Slot]) -> str:
    """Return the script with the solution's statements in these slots.

    They come with the statements that they need.
    """
    return "\n".join(line for line, _ in replaced_lines(alignment, slots)) + "\n"


def replaced_lines(
    alignment: Alignment, slots: Sequence[Slot], dropped: Sequence[Statement] = ()
) -> list[tuple[str, int | None]]:
    """Return the lines of `replace_slots`, each with its number in the script.

    It is None for the solution's. `pass` stands for statements that are dropped.
    """
    lines: list[str | None] = list(alignment.source.lines)
    for s in dropped:
        # `pass`, because a body may have no other statement.
        passes = _margin(alignment.source.lines[s.first - 1]) + "pass"
        lines[s.first - 1 : s.last] = [passes, *[None] * (s.last - s.first)]
    added: dict[int, list[str]] = {}
    for slot in alignment.with_needed(slots):
        statement = slot.solution
        nearest = max(slot.ordered_matches(), key=statement.likeness, default=None)
        if nearest:
            at = nearest.first - 1
            margin = _margin(alignment.source.lines[at])
        else:
            at = _insertion_line(alignment, slot)
            margin = " " * 4 * (statement.loops + 1)
        added.setdefault(at, []).append(textwrap.indent(statement.code, margin))
        for match in slot.matches:
            lines[match.first - 1 : match.last] = [None] * (match.last - match.first + 1)
    # Lines that go are None until here, so that the numbers of all others stay valid.
    text: list[tuple[str, int | None]] = []
    # The last place is behind all lines, where a statement may be added, too.
    for at, old in enumerate([*lines, None]):
        for code in added.get(at, []):
            text += [(line, None) for line in code.split("\n")]
        if old is not None:
            text.append((old, at + 1))
    return text


def _insertion_line(alignment: Alignment, slot: Slot) -> int:
    """Return the line, from 0, before which a missing statement belongs.

    It belongs after the statement that precedes it in the solution.
    """
    statement = slot.solution
    for previous in reversed(alignment.slots[: slot.index]):
        if previous.solution.function != statement.function:
            continue
        matches = previous.ordered_matches()
        if matches:
            last = matches[-1]
            # A statement outside the loops of the previous one comes after those.
            # A line's number from 1 is that of the next line from 0.
            return last.outer[statement.loops] if len(last.outer) > statement.loops else last.last
    starts = (s.first - 1 for s in alignment.script if s.function == statement.function)
    return min(starts, default=len(alignment.source.lines))


def _margin(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _instead(alignment: Alignment, slots: Sequence[Slot], line: int | None, *, alone: bool) -> Misplacement | None:
    """Return what is wrong with a line although no code is missing.

    The script has all of the solution's code there, and putting that code in these slots would help no more. `alone`:
    nothing else is wrong.
    """
    if slots[0].kind is SlotKind.BRANCH:
        return Misplacement(Difference.UNCONDITIONAL)
    if slots[0].kind is SlotKind.EXTRA:
        return Misplacement(Difference.RIGHT_WITHOUT if alone else Difference.NO_SUCH_LINE)
    if not alignment.has_all_of(slots):
        return None
    slot, blamed = _find_match(slots, line)
    statement, previous = slot.solution, alignment.slots[max(slot.index - 1, 0)].solution
    # Pairing looks into loops, not into branches: code that is there but unpaired stands in one.
    if blamed is None or isinstance(blamed.node, ast.If):
        return Misplacement(Difference.UNCONDITIONAL)
    if not statement.same_code(blamed):
        return Misplacement(Difference.NO_SUCH_LINE)
    is_repeated = sum(statement.same_code(match) for match in slot.matches) > 1
    only_once = is_repeated or slot.right is not None
    if only_once:
        return Misplacement(Difference.ONLY_ONCE)
    if blamed.loops != statement.loops:
        depths = (Difference.OUTSIDE_THE_LOOP, Difference.INSIDE_THE_LOOP, Difference.INSIDE_BOTH_LOOPS)
        return Misplacement(depths[statement.loops])
    is_after_line = previous.function == statement.function and previous.loops <= statement.loops
    if is_after_line:
        return Misplacement(Difference.AFTER_A_LINE, previous.first_line)
    return Misplacement(Difference.AFTER_THE_LOOP if previous.loops else Difference.FIRST)


def _find_match(slots: Sequence[Slot], line: int | None) -> tuple[Slot, Statement | None]:
    """Return the statement that begins on a line, and its slot.

    Without such a statement, the slot is the first one.
    """
    for slot in slots:
        for match in slot.matches:
            if match.first == line:
                return slot, match
    return slots[0], None
