"""What a verdict says, and how far each exercise is, as plain data: every screen lays out the same words."""

from __future__ import annotations

import textwrap
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from triton_workshop.checking.exercises.exercise import Exercise
from triton_workshop.checking.exercises.unfinished import open_todos
from triton_workshop.checking.judging.verdict import CaseResult, Element, Finding, Kind, Pixels, State, TileMap, Verdict
from triton_workshop.checking.reporting.standing import Entry, Standing, first_open

AROUND = 1
"""Lines of code before and after the line to blame."""

Tone = Literal["plain", "strong", "muted", "good", "warning", "bad", "important", "accent", "key"]
Row = tuple[tuple[str, Tone], ...]
"""The cells of a table's row."""

HEADLINES = {
    Kind.UNFINISHED: "Not finished yet",
    Kind.CRASH: "It stops with an error",
    Kind.TIMEOUT: "It does not come to an end",
    Kind.OUT_OF_BOUNDS_LOAD: "It reads outside of a tensor",
    Kind.OUT_OF_BOUNDS_STORE: "It writes outside of a tensor",
    Kind.RACE: "Its programs race for an element",
    Kind.INPUT_MODIFIED: "It changes its input",
    Kind.NOT_A_KERNEL: "The answer is not the kernel's",
    Kind.WRONG_SHAPE: "The result has the wrong shape",
    Kind.WRONG_DTYPE: "The result has the wrong type",
    Kind.UNWRITTEN: "Part of the result is never written",
    Kind.WRONG_VALUES: "The result has wrong values",
}
CELLS: dict[State, tuple[str, Tone]] = {
    State.RIGHT: ("·", "good"),
    State.UNWRITTEN: ("U", "warning"),
    State.WRONG: ("W", "bad"),
    State.OUT_OF_BOUNDS: ("O", "important"),
}
"""A letter and a tone for a cell of a map: neither says more than the other."""
STANDINGS: dict[Standing, tuple[str, Tone, str]] = {
    Standing.MISSING: ("?", "bad", "the file is not there"),
    Standing.NEW: ("○", "muted", "not begun"),
    Standing.BEGUN: ("◐", "warning", "{todos_left} of {todos} TODOs left"),
    Standing.FAILING: ("✗", "bad", "{finding}"),
    Standing.CHANGED: ("◑", "warning", "changed since its last check"),
    Standing.PASSED: ("✓", "good", "passed"),
}
_DEVICES = {"cuda": "simulator and GPU", "simulator": "simulator"}


@dataclass(frozen=True)
class Code:
    """Lines of the script, the first of them by its number, and the one to blame."""

    where: str
    line: int
    first: int
    text: str


@dataclass(frozen=True)
class Description:
    """A verdict, and the finding that is its cause. What there is nothing to say of is empty or None."""

    title: str
    device: str
    mark: str
    tone: Tone
    headline: str
    cases: tuple[CaseResult, ...]
    cases_left: int
    failed_case: str = ""
    tolerance: str = ""
    remark: str = ""
    kind: str = ""
    message: str = ""
    code: Code | None = None
    todos: tuple[Row, ...] = ()
    """What is filled in, what comes next, and on which line the rest waits."""
    element: tuple[Row, ...] = ()
    tiles: TileMap | None = None
    pictures: tuple[Pixels, ...] = ()
    hints: tuple[Row, ...] = ()
    also: str = ""
    """What else was found, most often a consequence."""


def describe(verdict: Verdict, exercise: Exercise, text: str = "") -> Description:
    """Describe a verdict. `text` is the script: with it, the code around a line and the TODOs are shown."""
    passed = Description(
        title=title(exercise),
        device=_DEVICES[verdict.device],
        mark="✓",
        tone="good",
        headline=f"All {len(verdict.cases)} cases are right",
        cases=verdict.cases,
        cases_left=max(0, len(exercise.cases) - len(verdict.cases)),
        tolerance=verdict.tolerance,
        remark=verdict.remark,
    )
    return _failed(passed, verdict, exercise, text) if verdict.findings else passed


def title(exercise: Exercise) -> str:
    return f"Exercise {exercise.number} · {exercise.title}"


def _failed(passed: Description, verdict: Verdict, exercise: Exercise, text: str) -> Description:
    finding = verdict.findings[0]
    unfinished, wrong_values = finding.kind is Kind.UNFINISHED, finding.kind is Kind.WRONG_VALUES
    todos = _todos(exercise, text) if unfinished else ()
    done = sum(mark == "●" for (mark, _), *_ in todos)
    return replace(
        passed,
        kind=str(finding.kind),
        mark="◐" if unfinished else "✗",
        tone="warning" if unfinished else "bad",
        headline=f"{done} of {len(todos)} TODOs filled in" if todos else HEADLINES[finding.kind],
        failed_case=_printable(next((case.name for case in verdict.cases if not case.passed), finding.case)),
        message=_printable(finding.message),
        code=_code(finding, verdict.file.name, text),
        todos=todos,
        element=_element(finding.element) if finding.element else (),
        tiles=finding.tiles if finding.tiles and not _uniform(finding.tiles) else None,
        pictures=finding.pictures if wrong_values else (),
        tolerance=verdict.tolerance if wrong_values else "",
        remark="",
        hints=hint_rows(finding.hints),
        also=_also(verdict.findings[1:]),
    )


def hint_rows(hints: Sequence[str]) -> tuple[Row, ...]:
    numbered = enumerate(hints, start=1)
    return tuple(((f"hint {level} of {len(hints)}", "accent"), (_printable(hint), "plain")) for level, hint in numbered)


def _todos(exercise: Exercise, text: str) -> tuple[Row, ...]:
    """All TODOs of an exercise; none where no TODO is open, but a `...` of the learner's own is left."""
    shipped = {todo.number: todo.task for todo in open_todos(exercise.shipped()) if todo.number}
    still_open = {todo.number: f"line {todo.line}" for todo in open_todos(text) if todo.number in shipped}
    following = next(iter(still_open), None)

    def row(number: int | None, task: str) -> Row:
        if number not in still_open:
            return ("●", "muted"), ("", "plain"), (task, "muted")
        if number == following:
            return ("▶", "warning"), (still_open[number], "key"), (task, "strong")
        return ("○", "muted"), (still_open[number], "muted"), (task, "plain")

    return tuple(row(*item) for item in shipped.items()) if still_open else ()


def _code(finding: Finding, name: str, text: str) -> Code | None:
    if finding.line is None:
        return None
    where, lines = f"{name}, line {finding.line}", text.splitlines()
    if not 1 <= finding.line <= len(lines):
        return Code(where, finding.line, finding.line, _printable(finding.source))
    first = max(finding.line - AROUND, 1)
    excerpt = textwrap.dedent("\n".join(lines[first - 1 : finding.line + AROUND]))
    return Code(where, finding.line, first, _printable(excerpt))


def _element(element: Element) -> tuple[Row, ...]:
    index = ", ".join(map(str, element.index))
    program = str(element.program[0]) if len(element.program) == 1 else str(element.program)
    got = "never written" if element.got is None else f"{element.got:.7g}"
    return (
        (("element", "muted"), (f"[{index}], offset {element.offset:,}, owned by program {program}", "plain")),
        (("expected", "muted"), (f"{element.expected:.7g} ± {element.allowed:.1g}", "good")),
        (("got", "muted"), (got, "bad")),
    )


def _uniform(tiles: TileMap) -> bool:
    return len({state for plane in tiles.planes for row in plane for state in row}) < 2


def _also(findings: Sequence[Finding]) -> str:
    others = Counter(str(finding.kind) for finding in findings)
    kinds = ", ".join(f"{kind}{f' × {number}' if number > 1 else ''}" for kind, number in others.items())
    return f"Also: {kinds}. Fix the first one first." if kinds else ""


def _printable(text: str) -> str:
    """Leave out control characters: they would move a terminal's cursor."""
    shown = text.expandtabs(4)
    return "".join(each for each in shown if each == "\n" or unicodedata.category(each) != "Cc")


def describe_entry(entry: Entry) -> Row:
    """Say how far an exercise is, how long its last check took, and how near its kernel is to the hardware's limit."""
    exercise, record, passed = entry.exercise, entry.record, entry.standing is Standing.PASSED
    mark, tone, pattern = STANDINGS[entry.standing]
    finding = record.finding.replace("-", " ")
    words = pattern.format(todos_left=entry.todos_left, todos=len(exercise.hints), finding=finding)
    if record.passed_at is not None and not passed:
        words += ", passed before"
    if record.seconds is not None and passed:
        words += f", {record.seconds:.2f} s"
    if record.best_ratio is not None:
        words += f" · best {record.best_ratio:.2f} × the limit"
    return (mark, tone), (str(exercise.number), "strong"), (exercise.title, "plain"), (words, "muted")


def next_step(entries: Sequence[Entry]) -> str:
    """Say what to do now."""
    entry = first_open(entries)
    if entry is None:
        return "All exercises are done."
    number = entry.exercise.number
    missing = entry.standing is Standing.MISSING
    return f"Next: uv run workshop reset {number}" if missing else f"Next: uv run exercises/exercise_{number}.py"
