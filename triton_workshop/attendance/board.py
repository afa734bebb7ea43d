"""What is known about the room at one moment, as plain data."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

GUESSED = "Somebody is guessing the room's word, so it has five letters more now: w shows it on the slides."
CALLS_FULL = (
    "So many calls for help wait that no more fit in. Many may come from one address: "
    "answer some, or remove on the board who does not need any."
)

MOST_NAMED = 3
"""Attendees who are named for asking too much: the board and the notes are for more than that."""


@dataclass(frozen=True)
class Progress:
    """How far an attendee is in one exercise. It says nothing about the code."""

    exercise: str
    filled: int
    """TODOs filled in, out of `todos`."""
    todos: int
    right: bool
    hints: int
    """How many hints about the current mistake have been shown."""


@dataclass(frozen=True)
class Present:
    """An attendee who joined by name, who told of their progress, or who asked for help."""

    number: int
    name: str | None
    progress: tuple[Progress, ...]
    """One for each exercise, in the order in which they were told: the last one is where the attendee is."""


@dataclass(frozen=True)
class CallForHelp:
    """A call for help that nobody has answered yet."""

    number: int
    name: str | None
    minutes: int
    """Since they asked."""


@dataclass(frozen=True)
class Count:
    """How many attendees an exercise has."""

    exercise: str
    working: int
    """They are at this exercise, and not right yet."""
    right: int


@dataclass(frozen=True)
class Board:
    """Who is where."""

    present: tuple[Present, ...] = ()
    """By number."""
    calls: tuple[CallForHelp, ...] = ()
    """The oldest first."""
    guessed: bool = False
    """Whether somebody is guessing the room's word."""
    calls_full: bool = False
    """Whether as many calls wait as there are places."""
    excessive: tuple[Present, ...] = ()
    """Who has asked for far too much in the last minute, the latest first."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences for the presenter about those who disturb the room."""
        guessed = (GUESSED,) if self.guessed else ()
        full = (CALLS_FULL,) if self.calls_full else ()
        return guessed + full + tuple(map(_excess, self.excessive[:MOST_NAMED]))

    @property
    def counts(self) -> tuple[Count, ...]:
        """Every exercise that somebody is at or has right, in order."""
        latest = (each.progress[-1] for each in self.present if each.progress)
        working = Counter(progress.exercise for progress in latest if not progress.right)
        right = Counter(progress.exercise for each in self.present for progress in each.progress if progress.right)
        return tuple(Count(exercise, working[exercise], right[exercise]) for exercise in sorted({*working, *right}))


def _excess(present: Present) -> str:
    who = f"{present.name}, number {present.number}," if present.name else f"Number {present.number}"
    return f"{who} asks for far more than a page needs, and is refused most of it: the board can remove them."


def called(attendee: Present | CallForHelp) -> str:
    """The name; without one, the number."""
    return attendee.name or f"number {attendee.number}"
