"""Where a verdict points: the case, the program and the line to look at."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from triton_workshop.checking.judging.verdict import FilledTodo, Finding, FindingKind, Verdict
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.look.recording import Request
from triton_workshop.look.timeline import FIRST, Target


def request_for(exercise: Exercise, file: Path, text: str, verdict: Verdict | None) -> Request:
    """Return the request for a verdict's case or one with several programs."""
    subject = _subject_of(verdict)
    case = subject.case if subject is not None else ""
    if case not in case_names(exercise):
        case = ""
    return Request(file, text, exercise.number, case)


def target_of(verdict: Verdict | None) -> Target:
    """Return the program and the line that a verdict names, if it names any."""
    subject = _subject_of(verdict)
    return FIRST if subject is None else Target(ids=subject.program, line=subject.line, or_first=True)


def _subject_of(verdict: Verdict | None) -> Finding | FilledTodo | None:
    """Return the first finding, or the open TODO whose values are listed.

    Where those of all are right, it is the first, from its program's beginning.
    """
    if verdict is None:
        return None
    finding = next(iter(verdict.findings), None)
    if finding is None:
        return None
    if finding.kind is not FindingKind.UNFINISHED:
        return finding
    recorded = [todo for todo in verdict.todos if todo.values or todo.error]
    wrong = next((todo for todo in recorded if not todo.right), None)
    if wrong is not None:
        return wrong
    return replace(recorded[0], line=None) if recorded else None


def case_names(exercise: Exercise) -> list[str]:
    """Return the names of all cases that run on the simulator."""
    return [case.name for case in exercise.simulated_cases]
