"""The record of a learner's progress, for a screen: what there is to say about it comes back as text."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import redirect_stderr
from typing import TypeVar

from triton_workshop.checking import desk, progress
from triton_workshop.checking.desk import Entry, Standing
from triton_workshop.checking.exercise import Exercise
from triton_workshop.checking.verdict import Verdict

Answer = TypeVar("Answer")


def entries() -> tuple[tuple[Entry, ...], str]:
    """How far each exercise is, and what there was to say: of a broken record that was set aside, for example."""
    return _heard(desk.entries, ())


def first_open(known: tuple[Entry, ...]) -> int:
    """The number of the first exercise that has not passed; the first of all where every one has."""
    waiting = [entry for entry in known if entry.standing is not Standing.PASSED]
    return (waiting or list(known))[0].exercise.number


def remember(verdict: Verdict) -> tuple[int, str]:
    """Keep a verdict: how many of its hints had been asked for before, and what there was to say."""

    def keep() -> int:
        progress.remember(verdict)
        record = progress.load_progress().of(verdict.exercise)
        return record.hints_shown if verdict.findings and record.hints == verdict.findings[0].hints else 0

    return _heard(keep, 0)


def remember_hint(exercise: Exercise, level: int) -> str:
    """Keep how many hints have been asked for; what there was to say."""
    return _heard(lambda: desk.next_hint(exercise, level), None)[1]


def _heard(ask: Callable[[], Answer], otherwise: Answer) -> tuple[Answer, str]:
    said = io.StringIO()
    try:
        with redirect_stderr(said):
            answer = ask()
    except OSError as error:
        return otherwise, f"{error.filename or 'the record of your progress'}: {error.strerror or error}"
    return answer, said.getvalue().strip().splitlines()[0] if said.getvalue().strip() else ""
