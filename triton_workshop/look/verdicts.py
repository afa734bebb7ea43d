"""Where a verdict points: the case, the program and the line to look at."""

from __future__ import annotations

from pathlib import Path

from triton_workshop.checking.judging.verdict import Finding
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.look.recording import Request
from triton_workshop.look.timeline import FIRST, Target


def request_for(exercise: Exercise, file: Path, text: str, finding: Finding | None) -> Request:
    """Return the request for a finding's case or one with several programs."""
    case = finding.case if finding is not None and finding.case in case_names(exercise) else ""
    return Request(file, text, exercise.number, case)


def target_of(finding: Finding | None) -> Target:
    """Return the program and the line that a finding names, if it names any."""
    if finding is None:
        return FIRST
    return Target(ids=finding.program, line=finding.line)


def case_names(exercise: Exercise) -> list[str]:
    """Return the names of all cases that run on the simulator."""
    return [case.name for case in exercise.simulated_cases]
