"""Finds the known mistake that a script made.

It is an edit of the solution that does the same in the failing case.
"""

from __future__ import annotations

import ast
import functools
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch

from triton_workshop.checking.diagnosing.alignment import SlotKind, align
from triton_workshop.checking.diagnosing.repair import Culprit
from triton_workshop.checking.diagnosing.sight import Sight, with_sizes
from triton_workshop.checking.diagnosing.slips import Slip
from triton_workshop.checking.observing.comparison import Comparison
from triton_workshop.checking.observing.observe import Observation
from triton_workshop.checking.observing.source import Source, callee_name
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.cases import Case, to_float64
from triton_workshop.exercises.exercise import Exercise, edited_todos
from triton_workshop.exercises.mistakes import Edit, Mistake
from triton_workshop.exercises.tolerance import tolerance

SLACK_TOLERANCES = 4.0
"""Distance in tolerances at which two results still count as the same.

Another order of operations rounds differently.
"""

MAX_SUSPECT_LINES = 2
"""Number of the solution's first lines with numbers that a script lacks, which are suspected before its launch is."""
ELEMENTS = re.compile(r"\bgrid\b|\w*mask\b *=|program_id|cdiv|\]\(|BLOCK_SIZE\w* =")
"""What decides which elements a program has."""
MAX_CHANGES = 2
"""Of an edit whose first change is known by its numbers."""
MAX_GROWTH = 100.0
"""Factor by which a wrong result may be larger than the right one, and have as much larger roundings."""
LIKE = 0.5
"""Similarity, from 0 to 1, above which two lines are taken for each other."""


@dataclass(frozen=True)
class Diagnosis:
    """The place and the mistake of a wrong script, as far as known."""

    culprit: Culprit | None = None
    mistake: Mistake | None = None
    todo: int | None = None
    """The TODO that the mistake was made in."""
    line: int | None = None
    """The line that shows the mistake, as the table of mistakes knows it."""
    edited: str = ""
    """The solution with the mistake and the script's tile sizes, if the script has a style of its own."""
    edited_lines: tuple[int, ...] = ()
    """The lines of that text which have the mistake's first change."""
    similar_line: int | None = None
    """The line of a script in a style of its own that looks like the mistake's."""
    first_difference: tuple[str, int] | None = None
    """The first name, and its line, whose numbers are not the solution's. It may be right in another way."""
    empty_sum_line: int | None = None
    """The line after a loop that makes the first NaN, of a sum of nothing."""
    remembers: bool = False
    """The case fails only if others run before it."""
    slip: Slip | None = None
    """A small change of the script that makes it right.

    It is there where nothing else says which line is wrong.
    """
    is_preliminary: bool = False
    """The search goes on."""


NO_DIAGNOSIS = Diagnosis()


def diagnose(
    source: Source,
    case: Case,
    culprit: Culprit | None,
    observe: Callable[[str, Case], Observation | None],
    sight: Sight | None = None,
) -> Diagnosis:
    """Recognise a mistake by what it does.

    With `sight` of a script in a style of its own, the edits run with its tile sizes. Those of the first line whose
    numbers the script lacks come first.

    `observe` runs a script's text on a case, or returns None if time is up.

    If several edits do what the script did, the one whose text is nearest to the script's wins: it is tried first.
    Mistakes that look the same in the failing case may differ in larger ones, so two of those have to agree. And where
    the script has the solution's own lines, it made no mistake. What else is planted in a script is in each edit, too.
    """
    exercise = source.exercise
    solution = exercise.solution
    fitting: list[tuple[Mistake, Edit]] = []
    for mistake in exercise.mistakes:
        fitting += [(mistake, edit) for edit in mistake.edits if edit.applies_to(solution)]
    if not fitting:  # somebody has changed the solution
        return Diagnosis(culprit)
    nearness, code = _measure_nearness(solution, source.text), _code(source)
    possible = _possible_edits(source) if sight is None else lambda _text: True

    @functools.cache
    def is_specific() -> bool:
        """Return whether the script does more than to give no result at all.

        A hundred mistakes lead to that.
        """
        return any(_is_specific(exercise, sample, observe(source.text, sample)) for sample in _cases(exercise, case))

    def expected(edit: Edit) -> bool:
        if culprit is None:
            return False
        # A culprit without TODOs is a line that the exercise gives, which is None among an edit's.
        todos = culprit.todos or (None,)
        return not edited_todos(edit, solution).isdisjoint(todos)

    def does_the_same(edit: Edit, text: str) -> bool:
        is_same_code = sight is None and _code_of_edited(exercise.number, text) == code
        if is_same_code:  # then they need not run
            return True
        pairs = ((sample, observe(source.text, sample), observe(text, sample)) for sample in _cases(exercise, case))
        are_alike = all(_are_alike(exercise, *pair) for pair in pairs)
        if not are_alike:
            return False
        # What is no mistake in this case, or has the same result as many others, explains nothing.
        if not _fails(exercise, case, observe(text, case)):
            return False
        return expected(edit) or is_specific()

    suspicion = _suspicion(solution, sight)

    def likely(fit: tuple[Mistake, Edit]) -> tuple[bool, bool, float, float]:
        # In sight, everything is written, and nothing outside: of what leaves out elements, little fits.
        shows_here = sight is None or not ELEMENTS.search(" ".join(fit[1].changes[0]))
        return expected(fit[1]), shows_here, suspicion(fit[1]), nearness(fit[1])

    for mistake, edit in sorted(fitting, key=likely, reverse=True):
        text = _plant_bugs(source, edit)
        if sight is not None:
            text = with_sizes(text, sight.sizes)
        if not possible(text):
            continue
        if not does_the_same(edit, text):
            continue
        todo = min((todo for todo in edited_todos(edit, solution) if todo is not None), default=None)
        line = _line_of(edit, solution, source)
        if sight is not None:
            at, lines = sight.line_of(edit), _first_lines(edit, solution)
            # With many changes, other numbers than those of the first one are wrong too.
            edited = text if len(edit.changes) <= MAX_CHANGES else ""
            similar_line = line if edited else None
            return Diagnosis(None, mistake, todo, at, edited=edited, edited_lines=lines, similar_line=similar_line)
        if culprit is None:
            return Diagnosis(None, mistake, todo, line)
        # A culprit elsewhere would contradict the mistake.
        is_at_culprit = expected(edit) or line in culprit.lines
        is_consistent = culprit.extra or is_at_culprit
        return Diagnosis(culprit if is_consistent else None, mistake, todo, line)
    return Diagnosis(culprit)


def _first_lines(edit: Edit, solution: str) -> tuple[int, ...]:
    """Return the lines of an edited solution that have its first change.

    Where code was left out, they are what follows that code.
    """
    old, new = edit.changes[0]
    first = solution.count("\n", 0, solution.index(old)) + 1
    return tuple(range(first, first + new.rstrip("\n").count("\n") + 1))


def _suspicion(solution: str, sight: Sight | None) -> Callable[[Edit], float]:
    """Return a function that estimates how likely an edit is.

    It goes by the solution's lines whose numbers the script lacks, or has. The first one that it lacks is the
    likeliest. All later ones follow from it, unless nothing is known of a line.
    """
    if sight is None:
        return lambda _edit: 0
    missing = sight.missing_lines()
    ranks = {line: max(len(missing) - number, 1) for number, line in enumerate(missing)}

    def suspicion(edit: Edit) -> float:
        shown = sight.shown_by(edit.changed_lines(solution))
        # A style may lack a line or two, but hardly three in a row.
        return max((ranks.get(line, 0) for line in shown), default=len(missing) - MAX_SUSPECT_LINES + 0.5)

    return suspicion


def _cases(exercise: Exercise, failed: Case) -> Iterator[Case]:
    """Yield the cases in which two mistakes have to agree.

    A long one comes last: most mistakes differ before, and some take minutes in it. Arguments in another order, for
    example, make a loop over a row out of the way to the next one.
    """
    more = [case for case in exercise.largest_cases if case is not failed]
    yield from (*more, failed) if failed in exercise.long_cases else (failed, *more)


def _plant_bugs(source: Source, edit: Edit) -> str:
    """Return the solution with this edit, and with the exercise's own bugs.

    Those are the ones that the script still has.
    """
    text = edit.apply(source.exercise.solution)
    for bug in source.exercise.remaining_bugs(source.text):
        text = bug.apply(text) if bug.applies_to(text) else text
    return text


def _possible_edits(source: Source) -> Callable[[str], bool]:
    """Return a quick test for edits that the script may have made.

    The script has to differ from the solution where the edited solution does, or in a name that is used there. What the
    edited solution no longer calls, the script must not call either. Reading this takes less than running it.
    """
    exercise, script, script_calls = source.exercise, align(source), _callee_names(source)
    different, added = {slot.index for slot in script.different_slots()}, script.added_names()
    solution_calls = _solution_callees(exercise.number, exercise.solution)

    def possible(edited: str) -> bool:
        edit = _compare_edited(exercise.number, edited)
        if (solution_calls - edit.calls) & script_calls:
            return False
        # An edit outside the solution's statements cannot be ruled out by them.
        if not edit.indices:
            return True
        return not edit.indices.isdisjoint(different) or not edit.uses.isdisjoint(added)

    return possible


@dataclass(frozen=True)
class _EditedDifferences:
    """Differences of an edited solution from the solution."""

    indices: frozenset[int]
    """Numbers of the solution's statements that differ."""
    uses: frozenset[tuple[str, str]]
    """The names that the solution uses there, each with its function."""
    calls: frozenset[str]
    """All that it calls."""


@functools.cache
def _compare_edited(number: str, text: str) -> _EditedDifferences:
    source = _solution_source(number, text)
    edit = align(source)
    slots = [slot for slot in edit.different_slots() if slot.kind is SlotKind.SOLUTION]
    uses = frozenset[tuple[str, str]]().union(*(slot.solution.uses for slot in slots))
    return _EditedDifferences(frozenset(slot.index for slot in slots), uses, _callee_names(source))


@functools.cache
def _code_of_edited(number: str, text: str) -> tuple[str, ...]:
    return _code(_solution_source(number, text))


def _solution_source(number: str, text: str) -> Source:
    """Return a solution, or what an edit makes of it."""
    return Source(EXERCISES[number].solution_file, text, EXERCISES[number])


def _code(source: Source) -> tuple[str, ...]:
    """Return a script's code, without comments and docstrings."""
    return tuple(ast.dump(node) for node in source.tree.body if not isinstance(node, ast.Expr))


@functools.cache
def _solution_callees(number: str, text: str) -> frozenset[str]:
    return _callee_names(_solution_source(number, text))


def _callee_names(source: Source) -> frozenset[str]:
    return frozenset(callee_name(call) for call in source.calls())


def _measure_nearness(solution: str, text: str) -> Callable[[Edit], float]:
    """Return a measure of an edit's nearness to the script, from 0 to 1.

    It is the cosine between their changes of the solution's text. A script with its own names has lost much of the
    solution. An edit must not seem near just by losing much too.
    """
    solution_pieces = _pieces(solution)
    script_pieces = _pieces(text) ^ solution_pieces

    def nearness(edit: Edit) -> float:
        edited = _pieces(edit.apply(solution)) ^ solution_pieces
        return len(edited & script_pieces) / max(math.sqrt(len(edited) * len(script_pieces)), 1)

    return nearness


def _line_of(edit: Edit, solution: str, source: Source) -> int | None:
    """Return the script's line that shows an edit's first change.

    It is None if no line does. An edit's later changes may be right by themselves in a script that is written
    differently from ours.
    """
    wrong = Edit(edit.changes[:1]).apply(solution)
    new = _pieces(wrong) - _pieces(solution)
    lines = [_trigrams(line) for line in wrong.splitlines() if line not in solution.splitlines()]

    def likeness(number: int) -> tuple[int, float]:
        trigrams = _trigrams(source.lines[number - 1])
        return len(trigrams & new), max(
            (len(trigrams & line) / max(len(trigrams | line), 1) for line in lines), default=0.0
        )

    functions = [function for function in (source.kernel, source.launcher) if function is not None]
    numbers: list[int] = []
    for function in functions:
        last = function.end_lineno or function.lineno
        numbers += range(function.lineno, last + 1)
    best = max(numbers, key=likeness, default=None)
    if best is None:
        return None
    # A piece that only the mistake has is enough; without any, the line has to be like an edited one.
    return best if likeness(best) > (0, LIKE) else None


def _pieces(text: str) -> frozenset[tuple[str, ...]]:
    """All sequences of three words or signs on a line of the code."""
    # What comes before the first kernel, as imports and the docstring, says nothing of a mistake.
    code = text.partition("@triton.jit")[2].splitlines()
    return frozenset[tuple[str, ...]]().union(*map(_trigrams, code))


@functools.cache  # an edit has nearly all of its lines from the solution
def _trigrams(line: str) -> frozenset[tuple[str, ...]]:
    tokens = re.findall(r"^ +|\w+|[^\w\s]", line.partition("#")[0])  # with the indentation
    return frozenset(zip(tokens, tokens[1:], tokens[2:], strict=False))


def _are_alike(exercise: Exercise, case: Case, first: Observation | None, second: Observation | None) -> bool:
    """Return whether two calls have the same faults, or the same values."""
    if first is None or second is None:
        return False
    if _events(first) != _events(second):
        return False
    if _has_failed(first):
        return True
    one, other = first.output, second.output
    if one is None or other is None:
        return False
    if one.values.shape != other.values.shape:
        return False
    arguments = case.arguments("cpu")
    expected = exercise.reference(*to_float64(arguments))
    allowed = tolerance(exercise, arguments, expected)
    # Of two results of the same wrong shape, no tolerance fits the values.
    if one.values.shape != allowed.shape:
        return True
    # Where nothing was written, values are chance; infinities and NaNs have no distance.
    exact = one.values.double()
    # Wrong numbers that are larger are rounded more.
    allowed = allowed * (exact.abs() / expected.abs()).nan_to_num(1.0, posinf=1.0).clamp(min=1.0, max=MAX_GROWTH)
    close = (exact - other.values.double()).abs() <= SLACK_TOLERANCES * allowed
    equal = (one.values == other.values) | (one.values.isnan() & other.values.isnan())
    return torch.equal(one.missing, other.missing) and bool((close | one.missing | equal).all())


def _fails(exercise: Exercise, case: Case, observation: Observation | None) -> bool:
    """Return whether a call does something wrong.

    Two results that differ little may be a wrong one and a right one.
    """
    if observation is None or _has_failed(observation):
        return True
    if observation.changed_inputs:
        return True
    if observation.output is not None and observation.output.changes_earlier:
        return True
    return not Comparison(exercise, case.arguments("cpu"), observation).right


def _is_specific(exercise: Exercise, case: Case, observation: Observation | None) -> bool:
    """Return whether a wrong call shows more than NaN or nothing all over.

    That is any number, a fault, or elements that are missing in some places only.
    """
    if observation is None:
        return False
    if observation.output is None or _has_failed(observation):
        return True
    comparison = Comparison(exercise, case.arguments("cpu"), observation)
    output = observation.output
    if output.values.shape != comparison.expected.shape:
        return True
    nothing = ~output.values.isfinite() | output.missing
    return not comparison.right and not bool(nothing.all())


def fails_alike(exercise: Exercise, case: Case, first: Observation | None, second: Observation | None) -> bool:
    """Return whether the first symptom of two calls is the same.

    It is an error, a fault, what is never written, or else their values.
    """
    if first is None or second is None:
        return False
    if first.failure or second.failure:
        return _message(first) == _message(second)
    if first.faults or second.faults:
        return _faults(first)[:1] == _faults(second)[:1]
    one, other = first.output, second.output
    if one is not None and other is not None:
        missing = one.missing
        if missing.any():
            return torch.equal(missing, other.missing)
    return _are_alike(exercise, case, first, second)


def _has_failed(observation: Observation) -> bool:
    """Return whether a call has failed, or has made a fault."""
    return observation.failure is not None or bool(observation.faults)


def _events(observation: Observation) -> tuple[object, ...]:
    """Return the effects of a call beside its result."""
    undefined = any(launch.undefined for launch in observation.launches)
    return _message(observation), observation.changed_inputs, _faults(observation), undefined


def _message(observation: Observation) -> str | None:
    return observation.failure.message if observation.failure else None


def _faults(observation: Observation) -> list[tuple[object, ...]]:
    return [(f.kind, f.program, f.index, f.last_index, f.outside, f.elements, f.peer) for f in observation.faults]
