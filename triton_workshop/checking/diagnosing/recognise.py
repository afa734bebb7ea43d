"""Finds the known mistake that a script made: an edit of the solution that does the same in the failing case."""

from __future__ import annotations

import ast
import functools
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch

from triton_workshop.checking.diagnosing.alignment import aligned
from triton_workshop.checking.diagnosing.repair import Culprit
from triton_workshop.checking.diagnosing.slips import Slip
from triton_workshop.checking.observing.comparison import Comparison
from triton_workshop.checking.observing.observe import Observation
from triton_workshop.checking.observing.source import Source, called
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.cases import Case, to_float64
from triton_workshop.exercises.exercise import Exercise, edited_todos
from triton_workshop.exercises.mistakes import Edit, Mistake
from triton_workshop.exercises.tolerance import tolerance

SLACK_TOLERANCES = 4.0
"""How many tolerances apart two answers may be and still count as the same: another order rounds differently."""

LIKE = 0.5
"""How similar two lines must be, from 0 to 1, to be taken for each other."""


@dataclass(frozen=True)
class Diagnosis:
    """Where a script went wrong, and by which mistake, as far as that is known."""

    culprit: Culprit | None = None
    mistake: Mistake | None = None
    todo: int | None = None
    """The TODO that the mistake was made in."""
    line: int | None = None
    """The line that shows the mistake, as the table of mistakes knows it."""
    remembers: bool = False
    """Whether the case fails only if others run before it."""
    slip: Slip | None = None
    """A small change of the script that makes it right, where nothing else says which line is wrong."""


NO_DIAGNOSIS = Diagnosis()


def diagnose(
    source: Source,
    case: Case,
    culprit: Culprit | None,
    observe: Callable[[str, Case], Observation | None],
) -> Diagnosis:
    """Recognise a mistake by what it does. `observe` runs a script's text on a case, or returns None if time is up.

    If several edits do what the script did, the one whose text is nearest to the script's wins: it is tried first.
    Mistakes that look the same in the failing case may differ in larger ones, so two of those have to agree. And where
    the script has the solution's own lines, it made no mistake. What else is planted in a script is in each edit, too.
    """
    exercise = source.exercise
    solution = exercise.solution
    fitting = [(mistake, edit) for mistake in exercise.mistakes for edit in mistake.edits if edit.applies_to(solution)]
    if not fitting:  # somebody has changed the solution
        return Diagnosis(culprit)
    nearness, possible, code = _nearness(solution, source.text), _possible(source), _code(source)

    @functools.cache
    def telling() -> bool:
        """Whether what the script does is more than no result at all, to which a hundred mistakes lead."""
        return any(_tells(exercise, each, observe(source.text, each)) for each in _cases(exercise, case))

    def expected(edit: Edit) -> bool:
        return culprit is not None and not edited_todos(edit, solution).isdisjoint(culprit.todos or (None,))

    for mistake, edit in sorted(fitting, key=lambda each: (expected(each[1]), nearness(each[1])), reverse=True):
        text = _with_what_is_planted(source, edit)
        if not possible(text):
            continue
        same = _edited(exercise.number, text).code == code  # then they need not run
        pairs = ((each, observe(source.text, each), observe(text, each)) for each in _cases(exercise, case))
        alike = not same and all(_alike(exercise, *pair) for pair in pairs)
        if same or (alike and _fails(exercise, case, observe(text, case)) and (expected(edit) or telling())):
            todo = min((todo for todo in edited_todos(edit, solution) if todo is not None), default=None)
            line = _line_of(edit, solution, source)
            shown = culprit is not None and (culprit.extra or expected(edit) or line in culprit.lines)
            return Diagnosis(culprit if shown else None, mistake, todo, line)
    return Diagnosis(culprit)


def _cases(exercise: Exercise, failed: Case) -> Iterator[Case]:
    """Those that two mistakes have to agree in. A long one comes last: most differ before, and some take minutes in it.

    Arguments in another order, for example, make a loop over a row out of the way to the next one.
    """
    others = [case for case in exercise.largest_cases if case is not failed]
    yield from (*others, failed) if failed in exercise.long_cases else (failed, *others)


def _with_what_is_planted(source: Source, edit: Edit) -> str:
    """The solution with this edit, and with the bugs that the script still has from its exercise."""
    text = edit.apply(source.exercise.solution)
    for bug in source.exercise.remaining_bugs(source.text):
        text = bug.apply(text) if bug.applies_to(text) else text
    return text


def _possible(source: Source) -> Callable[[str], bool]:
    """Whether the script differs from the solution where the edited solution does, or in a name that is used there.

    What the edited solution no longer calls, the script must not call either. Reading this takes less than running it.
    """
    exercise, script, called_there = source.exercise, aligned(source), _called(source)
    different, added = set(script.different()), script.added_names()
    called_by_us = _called_by_solution(exercise.number, exercise.solution)

    def possible(edited: str) -> bool:
        edit = _edited(exercise.number, edited)
        if (called_by_us - edit.calls) & called_there:
            return False
        return not edit.places or not edit.places.isdisjoint(different) or not edit.uses.isdisjoint(added)

    return possible


@dataclass(frozen=True)
class _Edited:
    """What an edited solution has that the solution has not."""

    places: frozenset[int]
    """Where they differ, as numbers of the solution's statements."""
    uses: frozenset[tuple[str, str]]
    """The names that the solution uses there, each with its function."""
    calls: frozenset[str]
    """All that it calls."""
    code: tuple[str, ...]


@functools.cache
def _edited(number: str, text: str) -> _Edited:
    exercise = EXERCISES[number]
    source = Source(exercise.solution_file, text, exercise)
    edit = aligned(source)
    places = frozenset(range(edit.extras.start)).intersection(edit.different())
    uses = frozenset(key for place in places for key in edit.ours[place].uses)
    return _Edited(places, uses, _called(source), _code(source))


def _code(source: Source) -> tuple[str, ...]:
    """What a script says, without comments and without what its file begins with."""
    return tuple(ast.dump(node) for node in source.tree.body if not isinstance(node, ast.Expr))


@functools.cache
def _called_by_solution(number: str, text: str) -> frozenset[str]:
    return _called(Source(EXERCISES[number].solution_file, text, EXERCISES[number]))


def _called(source: Source) -> frozenset[str]:
    return frozenset(called(call) for call in source.calls())


def _nearness(solution: str, text: str) -> Callable[[Edit], float]:
    """How near an edit is to the script's own changes of the solution's text, from 0 to 1: the cosine.

    A script with its own names has lost much of the solution. An edit must not seem near just by losing much too.
    """
    known = _pieces(solution)
    theirs = _pieces(text) ^ known

    def nearness(edit: Edit) -> float:
        edited = _pieces(edit.apply(solution)) ^ known
        return len(edited & theirs) / max(math.sqrt(len(edited) * len(theirs)), 1)

    return nearness


def _line_of(edit: Edit, solution: str, source: Source) -> int | None:
    """Return the script's line that shows the edit's first change of the solution; None if no line does.

    An edit's later changes may be right by themselves in a script that is written differently from ours.
    """
    wrong = Edit(edit.changes[:1]).apply(solution)
    new = _pieces(wrong) - _pieces(solution)
    lines = [_words(line) for line in wrong.splitlines() if line not in solution.splitlines()]

    def likeness(number: int) -> tuple[int, float]:
        words = _words(source.lines[number - 1])
        return len(words & new), max((len(words & line) / max(len(words | line), 1) for line in lines), default=0.0)

    functions = [function for function in (source.kernel, source.launcher) if function is not None]
    numbers = [number for each in functions for number in range(each.lineno, (each.end_lineno or each.lineno) + 1)]
    best = max(numbers, key=likeness, default=None)
    return best if best is not None and likeness(best) > (0, LIKE) else None


def _pieces(text: str) -> frozenset[tuple[str, ...]]:
    """All sequences of three words or signs on a line of the code."""
    code = text.partition("@triton.jit")[2].splitlines()
    return frozenset[tuple[str, ...]]().union(*map(_words, code))


@functools.cache  # an edit has nearly all of its lines from the solution
def _words(line: str) -> frozenset[tuple[str, ...]]:
    words = re.findall(r"^ +|\w+|[^\w\s]", line.partition("#")[0])  # with the indentation
    return frozenset(zip(words, words[1:], words[2:], strict=False))


def _alike(exercise: Exercise, case: Case, one: Observation | None, other: Observation | None) -> bool:
    """Whether two calls did the same: they have the same faults, or the same values in the same places."""
    if one is None or other is None or _events(one) != _events(other):
        return False
    if one.failure or one.faults:
        return True
    if one.output is None or other.output is None or one.output.shape != other.output.shape:
        return False
    arguments = case.arguments("cpu")
    allowed = tolerance(exercise, arguments, exercise.reference(*to_float64(arguments)))
    if one.output.shape != allowed.shape:
        return True
    near = (one.output.double() - other.output.double()).abs() <= SLACK_TOLERANCES * allowed
    same = (one.output == other.output) | (one.output.isnan() & other.output.isnan())
    return torch.equal(one.missing, other.missing) and bool((near | one.missing | same).all())


def _fails(exercise: Exercise, case: Case, seen: Observation | None) -> bool:
    """Whether a call does something wrong: two results that differ little may be a wrong one and a right one."""
    if seen is None or seen.failure or seen.faults or seen.changed_inputs or seen.earlier_answer_changed:
        return True
    return not Comparison(exercise, case.arguments("cpu"), seen).right


def _tells(exercise: Exercise, case: Case, seen: Observation | None) -> bool:
    """Whether a wrong call gives any number, or none in some places only, or a fault: not NaN or nothing all over."""
    if seen is None:
        return False
    if seen.output is None or seen.faults or seen.failure:
        return True
    comparison = Comparison(exercise, case.arguments("cpu"), seen)
    if seen.output.shape != comparison.expected.shape:
        return True
    nothing = ~seen.output.isfinite() | seen.missing
    return not comparison.right and not bool(nothing.all())


def fails_alike(exercise: Exercise, case: Case, one: Observation | None, other: Observation | None) -> bool:
    """Whether the same is told of two calls first: an error, a fault, what is never written, or else their values."""
    if one is None or other is None:
        return False
    if one.failure or other.failure:
        return _message(one) == _message(other)
    if one.faults or other.faults:
        return _faults(one)[:1] == _faults(other)[:1]
    if one.output is not None and other.output is not None and one.missing.any():
        return torch.equal(one.missing, other.missing)
    return _alike(exercise, case, one, other)


def _events(seen: Observation) -> tuple[object, ...]:
    """What a call did beside its result."""
    undefined = any(launch.undefined for launch in seen.launches)
    return _message(seen), seen.changed_inputs, _faults(seen), undefined


def _message(seen: Observation) -> str | None:
    return seen.failure.message if seen.failure else None


def _faults(seen: Observation) -> list[tuple[object, ...]]:
    return [(f.kind, f.program, f.index, f.last_index, f.outside, f.elements, f.other) for f in seen.faults]
