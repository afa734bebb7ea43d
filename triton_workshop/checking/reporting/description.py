"""A verdict, and the state of each exercise, in words, as plain data: every screen lays out the same words."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from triton_simulator.compiler.report import is_success
from triton_workshop.checking.judging.verdict import Element, Finding, FindingKind, Pixels, TileMap, TileState, Verdict
from triton_workshop.checking.reporting.progress import ListedExercise, Standing, first_open, half_to_come
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.exercises.todos import open_todos

AROUND = 1
"""How many lines of code to show before and after the line to blame."""

Tone = Literal["plain", "strong", "muted", "good", "warning", "bad", "important", "accent", "key"]
Toned = tuple[str, Tone]
"""A text and its tone."""
Row = tuple[Toned, ...]
"""The cells of a table's row."""

HEADLINES = {
    FindingKind.ANOTHER_TEXT: "This is not the exercise",
    FindingKind.UNFINISHED: "Not finished yet",
    FindingKind.CRASH: "It stops with an error",
    FindingKind.TIMEOUT: "It does not finish",
    FindingKind.OUT_OF_BOUNDS_LOAD: "It reads outside a tensor",
    FindingKind.OUT_OF_BOUNDS_STORE: "It writes outside a tensor",
    FindingKind.RACE: "It races for an element",
    FindingKind.WRAPPED_OFFSET: "An offset is too large for int32",
    FindingKind.UNDEFINED_BRANCH: "It branches on an undefined value",
    FindingKind.ENDLESS_WAIT: "It waits for a value that never comes",
    FindingKind.INPUT_MODIFIED: "It changes its input",
    FindingKind.NOT_A_KERNEL: "The answer is not the kernel's",
    FindingKind.WRONG_SHAPE: "The result has the wrong shape",
    FindingKind.WRONG_DTYPE: "The result has the wrong type",
    FindingKind.UNWRITTEN: "Part of the result is never written",
    FindingKind.WRONG_VALUES: "The result has wrong values",
    FindingKind.DOES_NOT_COMPILE: "It does not compile for a GPU",
    FindingKind.DOES_NOT_FIT: "No GPU has room for it",
    FindingKind.NOT_SIMULATED: "Only a GPU can run it",
    FindingKind.CHECKER_FAILED: "The checker has failed, not the script",
}
CELLS: dict[TileState, Toned] = {
    TileState.RIGHT: ("·", "good"),
    TileState.UNWRITTEN: ("U", "warning"),
    TileState.WRONG: ("W", "bad"),
    TileState.OUT_OF_BOUNDS: ("O", "important"),
}
"""A letter and a tone for a cell of a map: both say the same."""
STANDINGS: dict[Standing, tuple[str, Tone, str]] = {
    Standing.MISSING: ("?", "bad", "the file is missing"),
    Standing.NEW: ("○", "muted", "not begun"),
    Standing.BEGUN: ("◐", "warning", "{todos_left} of {todos} {tasks} left"),
    Standing.FAILING: ("✗", "bad", "{finding}"),
    Standing.CHANGED: ("◑", "warning", "changed since its last check"),
    Standing.PASSED: ("✓", "good", "passed"),
}


TOLD_ALL_THE_SAME = (FindingKind.UNFINISHED, FindingKind.TIMEOUT, FindingKind.ANOTHER_TEXT)
"""What needs no solution to compare with."""


@dataclass(frozen=True)
class Description:
    """A verdict, and the finding that is its cause, in reading order."""

    headline: str
    tone: Tone
    parts: tuple[tuple[Row, ...] | TileMap, ...]
    pictures: tuple[Pixels, ...] = ()
    kind: str = ""
    where: str = ""
    """The file and the line to blame."""


def title(exercise: Exercise) -> str:
    return f"Exercise {exercise.number} · {exercise.title}"


def describe(verdict: Verdict, exercise: Exercise, text: str = "", *, hints: int = 1, more: Row = ()) -> Description:
    """Describe a verdict, with this many hints, and how to get `more` if there are more.

    `text` is the script: with it, the code around a line and the TODOs are shown.
    """
    tolerance, names = _line(verdict.tolerance, "muted"), [case.name for case in verdict.cases]
    if verdict.passed:
        mark, tone, right = _right(len(names), verdict.to_come)
        cases: tuple[Row, ...] = (((mark, tone), (" · ".join(names), "muted")),)
        remarks: tuple[Row, ...] = tuple(((remark, "warning"),) for remark in verdict.remarks)
        parts = (remarks, cases, tolerance, compiler_rows(verdict.compiler))
        return Description(f"{mark} {right}", tone, tuple(filter(None, parts)))
    finding = verdict.findings[0]
    todos = _todos(exercise, text) if finding.kind is FindingKind.UNFINISHED else ()
    done = sum(mark == "●" for (mark, _), *_ in todos)
    sign: Toned = ("◐", "warning") if finding.kind is FindingKind.UNFINISHED else ("✗", "bad")
    shown = hint_rows(finding.hints)[:hints]
    found = (
        _cases(verdict, exercise),
        todos or _line(finding.message, "plain"),
        _code(finding, text),
        (*shown, more) if more and hints < len(finding.hints) else shown,
        _line(_also(verdict.findings[1:]), "muted"),
        finding.tiles if finding.tiles and len(finding.tiles.states) > 1 else None,
        _element(finding.element) if finding.element else (),
        tolerance if finding.kind is FindingKind.WRONG_VALUES else (),
        _line(_without_solution(exercise), "warning") if finding.kind not in TOLD_ALL_THE_SAME else (),
    )
    return Description(
        f"{sign[0]} {f'{done} of {len(todos)} TODOs filled in' if todos else HEADLINES[finding.kind]}",
        sign[1],
        tuple(part for part in found if part),
        finding.pictures if finding.kind is FindingKind.WRONG_VALUES else (),
        finding.kind,
        "" if finding.line is None else f"{verdict.file.name}, line {finding.line}",
    )


def _right(cases: int, to_come: int) -> tuple[str, Tone, str]:
    """How right a script is: it is good only once no case is to come, as that may fail."""
    if to_come:
        return "…", "plain", f"{cases} cases are right so far, {to_come} to come"
    return "✓", "good", f"All {cases} cases are right"


def _without_solution(exercise: Exercise) -> str:
    """That findings say less where somebody has deleted the solution; empty if it is there."""
    file = exercise.solution_file
    return (
        ""
        if exercise.solution
        else f"{file.parent.name}/{file.name} is missing: without it there are fewer hints, and lines to blame."
    )


def compiler_rows(said: Sequence[str]) -> tuple[Row, ...]:
    """What the compiler says about kernels that are right."""
    return tuple(((line, "muted" if is_success(line) else "warning"),) for line in said)


def _line(text: str, tone: Tone) -> tuple[Row, ...]:
    return (((text, tone),),) if text else ()


def _cases(verdict: Verdict, exercise: Exercise) -> tuple[Row, ...]:
    """A mark for each case, and the name of the one that failed."""
    failed = [case.name for case in verdict.cases if not case.passed] or [verdict.findings[0].case]
    right, wrong = (sum(case.passed is passed for case in verdict.cases) for passed in (True, False))
    left = len(exercise.simulated_cases) - len(verdict.cases)
    marks: tuple[tuple[str, int, Tone], ...] = (("✓", right, "good"), ("✗", wrong, "bad"), ("·", left, "muted"))
    cells = [(mark * count, tone) for mark, count, tone in marks if count > 0]
    return ((*cells, (failed[0], "plain")),) if verdict.cases else ()


def hint_rows(hints: Sequence[str]) -> tuple[Row, ...]:
    return tuple(((f"hint {level} of {len(hints)}", "accent"), (hint, "plain")) for level, hint in enumerate(hints, 1))


def _todos(exercise: Exercise, text: str) -> tuple[Row, ...]:
    """Return all TODOs of an exercise; none if no TODO is open, but a `...` of the learner's own is left."""
    shipped = {todo.number: todo.task for todo in open_todos(exercise.shipped_text) if todo.number}
    still_open = {todo.number: f"line {todo.line}" for todo in open_todos(text) if todo.number in shipped}
    following = next(iter(still_open), None)

    def row(number: int | None, task: str) -> Row:
        if number not in still_open:
            return ("●", "muted"), ("", "plain"), (task, "muted")
        if number == following:
            return ("▶", "warning"), (still_open[number], "key"), (task, "strong")
        return ("○", "muted"), (still_open[number], "muted"), (task, "plain")

    return tuple(row(*item) for item in shipped.items()) if still_open else ()


def _code(finding: Finding, text: str) -> tuple[Row, ...]:
    """Return the line to blame, with those around it if they are known."""
    if finding.line is None:
        return ()
    lines, blamed, first = text.splitlines(), finding.line, max(finding.line - AROUND, 1)
    if blamed <= len(lines):
        lines = textwrap.dedent("\n".join(lines[first - 1 : blamed + AROUND])).split("\n")
    else:
        lines, first = [finding.source], blamed
    return tuple(
        ((f"❱{number:>4}", "bad"), (line, "strong"))
        if number == blamed
        else ((f"{number:>5}", "muted"), (line, "muted"))
        for number, line in enumerate(lines, first)
    )


def _element(element: Element) -> tuple[Row, ...]:
    index = ", ".join(map(str, element.index))
    program = str(element.program[0]) if len(element.program) == 1 else str(element.program)
    owned = f", owned by program {program}" if element.program else ""
    got = "never written" if element.got is None else f"{element.got:.7g}"
    return (
        (("element", "muted"), (f"[{index}], offset {element.offset:,}{owned}", "plain")),
        (("expected", "muted"), (f"{element.expected:.7g} ± {element.allowed:.1g}", "good")),
        (("got", "muted"), (got, "bad")),
    )


def _also(findings: Sequence[Finding]) -> str:
    others = Counter(str(finding.kind) for finding in findings)
    kinds = ", ".join(f"{kind}{f' × {number}' if number > 1 else ''}" for kind, number in others.items())
    return f"Also: {kinds}. Fix the first one first." if kinds else ""


def describe_entry(entry: ListedExercise) -> Row:
    """Say how far an exercise is, how long its last check took, and how close its kernel is to the hardware's limit."""
    exercise, record, passed = entry.exercise, entry.record, entry.standing is Standing.PASSED
    mark, tone, pattern = STANDINGS[entry.standing]
    finding = record.finding.replace("-", " ")
    words = pattern.format(
        todos_left=entry.todos_left, todos=len(exercise.hints), tasks=exercise.task_noun, finding=finding
    )
    if exercise.optional and not passed:
        words = f"optional, {words}"
    if record.passed_at is not None and not passed:
        words += ", passed before"
    if record.seconds is not None and passed:
        words += f", {record.seconds:.2f} s"
    if record.best_ratio is not None:
        words += f" · best {record.best_ratio:.2f} × the limit"
    return (mark, tone), (exercise.number, "strong"), (exercise.title, "plain"), (words, "muted")


def offer(variation: Exercise) -> str:
    """Offer more to those who have time left."""
    return f"Done early? Exercise {variation.number}, {variation.title}: uv run workshop watch {variation.number}"


def next_step(entries: Sequence[ListedExercise]) -> str:
    """Say what to do now."""
    entry = first_open(entries)
    if entry is None:
        following = half_to_come(entries)
        halves = [each for each in entries if following is None or each.exercise.session < following.exercise.session]
        left = [each.exercise for each in halves if each.standing is not Standing.PASSED]
        done = "All exercises are done." if following is None else "The first half is done."
        begins = f"The second half begins with: uv run workshop watch {following.exercise.number}" if following else ""
        return "\n".join(filter(None, [done + (f" {offer(left[0])}" if left else ""), begins]))
    number = entry.exercise.number
    return f"Next: uv run workshop {'reset' if entry.standing is Standing.MISSING else 'watch'} {number}"
