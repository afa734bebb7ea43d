"""Phrases that several findings share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from triton_workshop.checking.diagnosing.repair import Culprit
from triton_workshop.checking.judging.verdict import Finding
from triton_workshop.checking.observing.failure import Failure
from triton_workshop.checking.observing.source import Source
from triton_workshop.exercises.exercise import quote_solution
from triton_workshop.hints import sentence

MIN_SHIPPED_RATIO = 0.6
"""The least share of an exercise's lines in a script that began as it."""
MAX_ERROR_LINES = 3
MAX_ERROR_CHARACTERS = 400
MAX_LISTED_PROGRAMS = 3


def shorten_error(failure: Failure) -> str:
    """Return an error's type and first lines.

    Triton's compiler puts a copy of the kernel before its message: that is left out.
    """
    text = failure.message.strip()
    # The caret marks the column, below the compiler's copy of the line.
    if "^" in text:
        text = text.rpartition("^")[2].strip() or text
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    message = " ".join(lines[:MAX_ERROR_LINES])[:MAX_ERROR_CHARACTERS]
    return f"{failure.type}: {message}" if message else failure.type


def name_programs(programs: Sequence[tuple[int, ...]]) -> str:
    """Return the numbers of some programs as a sentence has them."""
    names = list(map(_name_program, programs))
    if len(names) == 1:
        return sentence("messages.program", program=names[0])
    if len(names) <= MAX_LISTED_PROGRAMS:
        return sentence("messages.programs", programs=", ".join(names[:-1]), last=names[-1])
    first, second, *_, last = names
    return sentence("messages.many-programs", first=first, second=second, last=last, number=len(names))


def _name_program(program: tuple[int, ...]) -> str:
    return str(program[0]) if len(program) == 1 else str(program)


def format_index(index: tuple[int, ...]) -> str:
    """Return an element's index as Python writes it in brackets."""
    return f"[{', '.join(map(str, index))}]"


def final_hint(culprit: Culprit) -> str:
    """Return the last hint on a culprit: the code that belongs there.

    It is the solution's, or the exercise's where no TODO was. Where the script has that code already, it says how the
    line differs from the solution's.
    """
    if culprit.instead is not None:
        return sentence(f"solution.{culprit.instead.difference}", line=culprit.instead.predecessor)
    return quote_solution(culprit.code) if culprit.todos else sentence("lines.exercise-has", code=culprit.code)


def mark_as_symptom(finding: Finding) -> Finding:
    """Return a finding whose first hint says that its line may be right."""
    if finding.line is None:
        return finding
    if not finding.hints:
        return finding
    question, *ideas = finding.hints
    return replace(finding, hints=(sentence("lines.shows-on", question=question), *ideas))


def add_missing_step(message: str, culprit: Culprit, source: Source) -> str:
    """Return a message that also says where a step is missing.

    A script that began as the exercise's file had a TODO there; others have none.
    """
    exercise, number = source.exercise, culprit.todos[0]
    if exercise.planted_bugs:
        return sentence("todos.missing-part", message=message, number=number)
    # A line with a comment may be a TODO, which people replace.
    uncommented = [line.strip() for line in exercise.shipped_text.splitlines() if "#" not in line]
    shipped = set(filter(None, uncommented))
    common = shipped.intersection(line.strip() for line in source.lines)
    if len(common) >= MIN_SHIPPED_RATIO * len(shipped):
        return sentence("todos.missing-todo", message=message, number=number)
    return sentence("todos.missing-step", message=message)


def ask_about_line(culprit: Culprit, question: str) -> str:
    """Return a question that names the line, if the script has one."""
    return question if culprit.line is None else sentence("lines.look-at", question=question)
