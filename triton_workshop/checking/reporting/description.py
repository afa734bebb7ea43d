"""Description of verdicts and exercises, as plain data.

Every screen lays out the same sentences.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from triton_simulator.compiler.report import is_success
from triton_workshop.checking.judging.verdict import (
    Element,
    FilledTodo,
    Finding,
    FindingKind,
    JudgedGoal,
    Pixels,
    TileMap,
    TileState,
    Verdict,
)
from triton_workshop.checking.reporting.progress import ListedExercise, Status, first_open_entry, next_half
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.exercises.goals import Quantity
from triton_workshop.exercises.todos import open_todos
from triton_workshop.hints import sentence
from triton_workshop.scripts import lines_of

CONTEXT_LINES = 1
"""Lines of code to show before and after the line to blame."""

Tone = Literal["plain", "strong", "muted", "good", "warning", "bad", "important", "accent", "key"]
Toned = tuple[str, Tone]
"""A text and its tone."""
Row = tuple[Toned, ...]
"""The cells of a table's row."""

CELLS: dict[TileState, Toned] = {
    TileState.RIGHT: ("·", "good"),
    TileState.UNWRITTEN: ("U", "warning"),
    TileState.WRONG: ("W", "bad"),
    TileState.OUT_OF_BOUNDS: ("O", "important"),
}
"""A letter and a tone for a cell of a map: both say the same."""
STATUS_MARKS: dict[Status, Toned] = {
    Status.MISSING: ("?", "bad"),
    Status.NEW: ("○", "muted"),
    Status.BEGUN: ("◐", "warning"),
    Status.FAILING: ("✗", "bad"),
    Status.CHANGED: ("◑", "warning"),
    Status.PASSED: ("✓", "good"),
}
_UNFINISHED: Toned = ("◐", "warning")
_FAILED: Toned = ("✗", "bad")
_SLOW: Toned = ("◑", "warning")
_SIGNS = {FindingKind.UNFINISHED: _UNFINISHED, FindingKind.CORRECT_BUT_SLOW: _SLOW}
"""Signs of what is not wrong."""
_FILLED: Toned = ("●", "muted")
_RIGHT: Toned = ("✓", "good")
_FILLED_MARKS = (_FILLED[0], _RIGHT[0])
"""Marks of TODOs that are filled in."""
KINDS_WITHOUT_SOLUTION = (
    FindingKind.UNFINISHED,
    FindingKind.TIMEOUT,
    FindingKind.ANOTHER_TEXT,
    FindingKind.CORRECT_BUT_SLOW,
)
"""Findings that need no solution to compare with."""


@dataclass(frozen=True)
class Description:
    """A verdict, and the finding that is its cause, in reading order."""

    headline: str
    tone: Tone
    sections: tuple[tuple[Row, ...] | TileMap, ...]
    pictures: tuple[Pixels, ...] = ()
    kind: str = ""
    location: str = ""
    """The file and the line to blame."""


def title(exercise: Exercise) -> str:
    """Return an exercise's number and title."""
    return sentence("reports.title", number=exercise.number, title=exercise.title)


def describe(verdict: Verdict, exercise: Exercise, text: str = "", *, hints: int = 1, more: Row = ()) -> Description:
    """Describe a verdict, with this many hints.

    If there are more, `more` stands below them. `text` is the script: with it, the code around a line and the TODOs are
    shown.
    """
    return _describe_success(verdict) if verdict.passed else _describe_failure(verdict, exercise, text, hints, more)


def _describe_success(verdict: Verdict) -> Description:
    names = [case.name for case in verdict.cases]
    mark, tone, headline = _success(len(names), verdict.to_come)
    cases: tuple[Row, ...] = (((mark, tone), (" · ".join(names), "muted")),)
    remarks: tuple[Row, ...] = tuple(((remark, "warning"),) for remark in verdict.remarks)
    costs: tuple[Row, ...] = tuple(((cost, "plain"),) for cost in verdict.costs)
    # One that is missed is a finding, and one that is not known stands among the compiler's sentences.
    goals = tuple(_goal(goal) for goal in verdict.goals if goal.holds)
    sections = (remarks, cases, goals, _line(verdict.tolerance, "muted"), compiler_rows(verdict.compiler), costs)
    return Description(f"{mark} {headline}", tone, tuple(filter(None, sections)))


def _goal(goal: JudgedGoal) -> Row:
    name = "goals.at-least" if Quantity(goal.quantity).is_gain else "goals.at-most"
    measured, allowed = _quantity(goal.measured), _quantity(goal.allowed)
    # A name has no limit, and "0 of at most 0" says no more than 0.
    needs_no_limit = goal.measured == 0 or isinstance(goal.measured, str)
    is_exact = needs_no_limit and goal.measured == goal.allowed
    both = measured if is_exact else sentence(name, measured=measured, allowed=allowed)
    return _RIGHT, (goal.name.replace("-", " "), "plain"), (str(both), "muted")


def _quantity(value: int | str | None) -> str | None:
    return f"{value:,}" if isinstance(value, int) else value


def _success(cases: int, remaining: int) -> tuple[str, Tone, str]:
    """Return the mark, tone and headline of a right script.

    It is good only once no case is to come, as that may fail.
    """
    if remaining:
        return "…", "plain", sentence("reports.cases-right-so-far", number=cases, remaining=remaining)
    return "✓", "good", sentence("reports.all-cases-right", number=cases)


def _describe_failure(verdict: Verdict, exercise: Exercise, text: str, hints: int, more: Row) -> Description:
    finding = verdict.findings[0]
    is_unfinished = finding.kind is FindingKind.UNFINISHED
    has_wrong_values = finding.kind is FindingKind.WRONG_VALUES
    todos = _todos(exercise, text, verdict.todos) if is_unfinished else ()
    sign, tone = _SIGNS.get(finding.kind, _FAILED)
    sections = (
        _cases(verdict, exercise),
        todos or _line(finding.message, "plain"),
        _code(finding, text, _SLOW[1] if finding.kind is FindingKind.CORRECT_BUT_SLOW else _FAILED[1]),
        _hints(finding.hints, hints, more),
        _line(_more_findings(verdict.findings), "muted"),
        finding.tiles,
        _element(finding.element) if finding.element else (),
        _line(verdict.tolerance, "muted") if has_wrong_values else (),
        () if finding.kind in KINDS_WITHOUT_SOLUTION else _line(_missing_solution(exercise), "warning"),
    )
    return Description(
        f"{sign} {_headline(finding, todos)}",
        tone,
        tuple(section for section in sections if section),
        finding.pictures if has_wrong_values else (),
        finding.kind,
        _location(verdict, finding),
    )


def _headline(finding: Finding, todos: Sequence[Row]) -> str:
    if not todos:
        return sentence(f"headlines.{finding.kind}")
    # The notes below the TODOs have no mark.
    marks = [mark for (mark, _), *_ in todos if mark]
    done = sum(mark in _FILLED_MARKS for mark in marks)
    return sentence("reports.todos-filled-in", done=done, number=len(marks))


def _location(verdict: Verdict, finding: Finding) -> str:
    """Return the file and the line to blame; empty if no line is known."""
    return "" if finding.line is None else sentence("reports.on-line", file=verdict.file.name, line=finding.line)


def _missing_solution(exercise: Exercise) -> str:
    """Return the sentence on a deleted solution; empty if it is there."""
    file = exercise.solution_file
    return "" if exercise.solution else sentence("reports.solution-missing", file=f"{file.parent.name}/{file.name}")


def compiler_rows(sentences: Sequence[str]) -> tuple[Row, ...]:
    """Return rows with the compiler's sentences on kernels that are right."""
    return tuple(map(_compiler_row, sentences))


def _compiler_row(line: str) -> Row:
    tone: Tone = "muted" if is_success(line) else "warning"
    return ((line, tone),)


def _line(text: str, tone: Tone) -> tuple[Row, ...]:
    return (((text, tone),),) if text else ()


def _cases(verdict: Verdict, exercise: Exercise) -> tuple[Row, ...]:
    """Return a mark for each case, and the name of the one that failed."""
    # A script that stops while it is loaded has tried none.
    if not verdict.cases:
        return ()
    # A missed goal, or what the compiler refuses, fails no case.
    failed = [case.name for case in verdict.cases if not case.passed]
    name = failed[0] if failed else verdict.findings[0].case
    right, wrong = len(verdict.cases) - len(failed), len(failed)
    remaining = len(exercise.simulated_cases) - len(verdict.cases)
    marks: tuple[tuple[str, int, Tone], ...] = (("✓", right, "good"), ("✗", wrong, "bad"), ("·", remaining, "muted"))
    # Larger cases and those on a GPU come on top, so fewer than none may remain.
    cells = [(mark * count, tone) for mark, count, tone in marks if count > 0]
    return ((*cells, (name, "plain")),)


def _hints(hints: Sequence[str], count: int, more: Row) -> tuple[Row, ...]:
    rows = hint_rows(hints)[:count]
    if count >= len(hints):
        return rows
    return (*rows, more) if more else rows


def hint_rows(hints: Sequence[str]) -> tuple[Row, ...]:
    """Return a row for each hint, with its number."""
    labels = [sentence("reports.hint-number", level=level, number=len(hints)) for level in range(1, len(hints) + 1)]
    return tuple(((label, "accent"), (hint, "plain")) for label, hint in zip(labels, hints, strict=True))


def _todos(exercise: Exercise, text: str, filled: Sequence[FilledTodo]) -> tuple[Row, ...]:
    """Return all TODOs of an exercise, with what is known of filled ones.

    There are none if no TODO is open, but a `...` of the learner's own is left.
    """
    by_number = {todo.number: todo for todo in filled}
    shipped = {todo.number: todo.task for todo in open_todos(exercise.shipped_text) if todo.number}
    lines = {
        todo.number: sentence("reports.line", line=todo.line) for todo in open_todos(text) if todo.number in shipped
    }
    if not lines:
        return ()
    following = next(iter(lines), None)
    example = _shown_values(filled)

    def row(number: int, task: str) -> Row:
        if todo := by_number.get(number):
            return _filled_todo(todo, task, example)
        if number not in lines:
            return _FILLED, ("", "plain"), (task, "muted")
        if number == following:
            return ("▶", "warning"), (lines[number], "key"), (task, "strong")
        return ("○", "muted"), (lines[number], "muted"), (task, "plain")

    return (*(row(*item) for item in shipped.items()), *_todo_notes(filled))


def _shown_values(filled: Sequence[FilledTodo]) -> FilledTodo | None:
    """Return the TODO whose program and case the note names."""
    not_right = (todo for todo in filled if not todo.right)
    return next((todo for todo in not_right if todo.values), None)


def _filled_todo(todo: FilledTodo, task: str, example: FilledTodo | None) -> Row:
    """Return a TODO with its values.

    Their place is added if it is not the note's.
    """
    number: Toned = (sentence("todos.number", number=todo.number), "muted")
    if todo.right:
        return _RIGHT, number, (task, "muted")
    if todo.error:
        return _FILLED, number, (sentence("todos.stops", task=task, error=todo.error), "plain")
    if not todo.values or example is None:
        return _FILLED, number, (task, "plain")
    name = "todos.values" if (todo.program, todo.case) == (example.program, example.case) else "todos.values-elsewhere"
    text = sentence(name, task=task, values=todo.values, program=_program(todo.program), case=todo.case)
    return _FILLED, number, (text, "plain")


def _todo_notes(filled: Sequence[FilledTodo]) -> tuple[Row, ...]:
    """Say what the marks of filled TODOs mean."""
    has_right_todo = any(todo.right for todo in filled)
    right = sentence("todos.right-note") if has_right_todo else ""
    example = _shown_values(filled)
    values = sentence("todos.values-note", program=_program(example.program), case=example.case) if example else ""
    return tuple((("", "plain"), ("", "plain"), (note, "muted")) for note in (right, values) if note)


def _code(finding: Finding, text: str, tone: Tone) -> tuple[Row, ...]:
    """Return the line to blame, with those around it if they are known."""
    if finding.line is None:
        return ()
    lines, blamed, first = lines_of(text), finding.line, max(finding.line - CONTEXT_LINES, 1)
    if blamed <= len(lines):
        lines = textwrap.dedent("\n".join(lines[first - 1 : blamed + CONTEXT_LINES])).split("\n")
    else:  # without the script's text, or after a save that made it shorter
        lines, first = [finding.source], blamed
    return tuple(
        ((f"❱{number:>4}", tone), (line, "strong"))
        if number == blamed
        else ((f"{number:>5}", "muted"), (line, "muted"))
        for number, line in enumerate(lines, first)
    )


def _element(element: Element) -> tuple[Row, ...]:
    index = ", ".join(map(str, element.index))
    if element.program:
        name = "reports.element-place-of-program"
        position = sentence(name, index=index, offset=element.offset, program=_program(element.program))
    else:
        position = sentence("reports.element-place", index=index, offset=element.offset)
    got = sentence("reports.never-written") if element.got is None else f"{element.got:.7g}"
    return (
        ((sentence("reports.element"), "muted"), (position, "plain")),
        ((sentence("reports.expected"), "muted"), (f"{element.expected:.7g} ± {element.allowed:.1g}", "good")),
        ((sentence("reports.got"), "muted"), (got, "bad")),
    )


def _program(ids: tuple[int, ...]) -> str:
    return str(ids[0]) if len(ids) == 1 else str(ids)


def look_command(verdict: Verdict, exercise: Exercise) -> str:
    """Return the command that shows the values where a script is wrong.

    It is empty if nothing has run there.
    """
    finding = verdict.findings[0]
    names = [case.name for case in exercise.simulated_cases]
    if finding.case not in names:
        return ""
    if finding.kind in KINDS_WITHOUT_SOLUTION:
        return ""
    is_exercise = verdict.file == exercise.exercise_file.resolve()
    options = {
        # Also the first: without a number, look takes a case with several programs.
        "--case": names.index(finding.case) + 1,
        "--program": ",".join(map(str, finding.program)) or None,
        "--line": finding.line,
    }
    arguments: list[str] = []
    for option, value in options.items():
        if value is not None:
            arguments += [option, str(value)]
    return " ".join(["uv run workshop look", exercise.number, *arguments]) if is_exercise else ""


def _more_findings(findings: Sequence[Finding]) -> str:
    """Return what else was found, after the first finding."""
    first, *others = findings
    if not others:
        return ""
    kinds = [finding.kind for finding in others]
    alike = kinds.count(first.kind)
    name = "reports.one-more-like-it" if alike == 1 else "reports.more-like-it"
    more = [sentence(name, number=alike)] if alike else []
    for kind in dict.fromkeys(kinds):
        if kind is not first.kind:
            headline = _in_a_sentence(sentence(f"headlines.{kind}"))
            more.append(sentence("reports.also", headline=headline))
    return " ".join((*more, sentence("reports.first-first")))


def _in_a_sentence(headline: str) -> str:
    return headline[0].lower() + headline[1:]


def status_mark(entry: ListedExercise) -> Toned:
    """Return the mark of an exercise in a list: what is slow is not wrong."""
    is_slow = entry.status is Status.FAILING and entry.record.finding == FindingKind.CORRECT_BUT_SLOW
    return _SLOW if is_slow else STATUS_MARKS[entry.status]


def describe_entry(entry: ListedExercise) -> Row:
    """Describe an exercise's status in a row.

    It says how long its last check took, and how close its kernel is to the hardware's limit.
    """
    exercise, record, passed = entry.exercise, entry.record, entry.status is Status.PASSED
    text = sentence(
        f"reports.{entry.status}",
        remaining=entry.remaining_todos,
        number=exercise.tasks,
        tasks=exercise.task_noun,
        finding=record.finding.replace("-", " "),
    )
    if not passed:
        if exercise.is_optional:
            text = sentence("reports.optional", status=text)
        if record.passed_at is not None:
            text = sentence("reports.passed-before", status=text)
    elif record.seconds is not None:
        text = sentence("reports.passed-in-seconds", status=text, seconds=record.seconds)
    if record.best_ratio is not None:
        text = sentence("reports.best-ratio", status=text, ratio=record.best_ratio)
    return status_mark(entry), (exercise.number, "strong"), (exercise.title, "plain"), (text, "muted")


def offer(variation: Exercise) -> str:
    """Offer more to those who have time left."""
    return sentence("reports.offer", number=variation.number, title=variation.title)


def next_step(entries: Sequence[ListedExercise]) -> str:
    """Say what to do now."""
    entry = first_open_entry(entries)
    if entry is None:
        return _next_half_step(entries)
    name = "reports.next-reset" if entry.status is Status.MISSING else "reports.next-watch"
    return sentence(name, number=entry.exercise.number)


def _next_half_step(entries: Sequence[ListedExercise]) -> str:
    """Say what to do where no exercise is open."""
    following = next_half(entries)
    halves = entries
    if following is not None:
        halves = [entry for entry in entries if entry.exercise.session < following.exercise.session]
    optional = [entry.exercise for entry in halves if entry.status is not Status.PASSED]
    done = sentence("reports.all-done") if following is None else sentence("reports.first-half-done")
    lines = [f"{done} {offer(optional[0])}" if optional else done]
    if following is not None:
        lines.append(sentence("reports.second-half", number=following.exercise.number))
    return "\n".join(lines)
