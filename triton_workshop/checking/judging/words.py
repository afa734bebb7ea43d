"""How a finding says which programs, which element, which error and which line it is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from triton_workshop.checking.diagnosing.repair import Culprit
from triton_workshop.checking.judging.verdict import Finding
from triton_workshop.checking.observing.failure import Failure
from triton_workshop.checking.observing.source import Source
from triton_workshop.exercises.exercise import quote_solution

GIVEN = 0.6
"""Of the lines of code that an exercise gives, how many a script has that began as its file."""


def shortened(failure: Failure) -> str:
    """Return a message's first lines, without the copy of the kernel that Triton's compiler puts before them."""
    text = failure.message.strip()
    if "^" in text:
        text = text.rpartition("^")[2].strip() or text
    words = " ".join([line.strip() for line in text.splitlines() if line.strip()][:3])[:400]
    return f"{failure.type}: {words}" if words else failure.type


def named(programs: tuple[tuple[int, ...], ...]) -> str:
    names = [str(program[0]) if len(program) == 1 else str(program) for program in programs]
    if len(names) == 1:
        return f"program {names[0]}"
    if len(names) <= 3:
        return f"programs {', '.join(names[:-1])} and {names[-1]}"
    return f"programs {names[0]}, {names[1]} … {names[-1]} ({len(names):,} of them)"


def bracketed(index: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, index))}]"


def last_hint(culprit: Culprit) -> str:
    """What has to stand there: the solution's code, or the exercise's where no TODO was."""
    has = quote_solution if culprit.todos else "The exercise gives this: {}".format
    return culprit.instead or has(culprit.code)


def only_noticed(finding: Finding) -> Finding:
    """The finding, of whose line no more is known than that it shows there."""
    if finding.line is None or not finding.hints:
        return finding
    shows = f"It shows on this line; the mistake may be in what the line uses. {finding.hints[0]}"
    return replace(finding, hints=(shows, *finding.hints[1:]))


def missing_step(culprit: Culprit, source: Source) -> str:
    """Say where something is missing: by its TODO in a script that began as the exercise's file; others have none."""
    exercise = source.exercise
    if exercise.planted_bugs:
        return f"something is missing in part {culprit.todos[0]}"
    code = {line.strip() for line in exercise.shipped_text.splitlines() if line.strip() and "#" not in line}
    given = len(code.intersection(line.strip() for line in source.lines)) >= GIVEN * len(code)
    return f"something is missing where TODO {culprit.todos[0]} was" if given else "a step is missing"


def look_at(culprit: Culprit) -> str:
    """Say what to look at, as the beginning of a hint."""
    return "" if culprit.line is None else "The mistake is on this line, or in what it uses. "


def in_a_row(things: Sequence[str]) -> str:
    """Things as a sentence has them: `a`, `a and b`, or `a, b and c`."""
    *others, last = things
    return f"{', '.join(others)} and {last}" if others else last
