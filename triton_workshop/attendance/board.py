"""State of the room at one moment, as plain data."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

GUESSING_WARNING = "Somebody is guessing the room's word, so it has five letters more now: w shows it on the slides."
CALLS_FULL_WARNING = (
    "So many calls for help wait that no more fit in. Many may come from one address: "
    "answer some, or remove on the board who does not need any."
)

MAX_NAMED_ATTENDEES = 3
"""Attendees who are named for asking too much.

The board and the notes are for more than that.
"""

MAX_FREQUENT_MISTAKES = 3
"""Mistakes of an exercise that a room talks about."""


@dataclass(frozen=True)
class Progress:
    """Progress of an attendee in one exercise, without any code."""

    exercise: str
    filled: int
    """TODOs filled in, out of `todos`."""
    todos: int
    right: bool
    hints: int
    """Hints about the current mistake that have been shown."""
    mistake: str = ""
    """Name of the current mistake, if it is a known one."""


@dataclass(frozen=True)
class AttendeeStatus:
    """Attendee who gave a name, reported progress or asked for help."""

    number: int
    name: str | None
    progress: tuple[Progress, ...]
    """One for each exercise, by the time of its last report.

    The last one is the exercise that the attendee is at.
    """


@dataclass(frozen=True)
class CallForHelp:
    """Call for help that nobody has answered yet."""

    number: int
    name: str | None
    minutes: int
    """Minutes since the call."""


@dataclass(frozen=True)
class ExerciseCount:
    """Number of attendees at an exercise."""

    exercise: str
    working: int
    """Attendees who are at this exercise, and not right yet."""
    right: int


@dataclass(frozen=True)
class MistakeCount:
    """Number of attendees who have made a mistake in an exercise."""

    exercise: str
    mistake: str
    attendees: int

    @property
    def words(self) -> str:
        """The name of the mistake as people read it."""
        return self.mistake.replace("-", " ")


@dataclass(frozen=True)
class Board:
    """Everything that the presenter sees of the room."""

    attendees: tuple[AttendeeStatus, ...] = ()
    """Ordered by number."""
    calls: tuple[CallForHelp, ...] = ()
    """The oldest first."""
    guessing: bool = False
    """True once somebody has tried many wrong words."""
    calls_full: bool = False
    """True while no further call for help is accepted."""
    excessive: tuple[AttendeeStatus, ...] = ()
    """Attendees with far too many requests in the last minute, latest first."""
    mistakes: tuple[MistakeCount, ...] = ()
    """Of each exercise, what most attendees did wrong at any time; the most frequent first."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences for the presenter about whoever disturbs the room."""
        guesses = (GUESSING_WARNING,) if self.guessing else ()
        full = (CALLS_FULL_WARNING,) if self.calls_full else ()
        return guesses + full + tuple(map(_excess_warning, self.excessive[:MAX_NAMED_ATTENDEES]))

    @property
    def counts(self) -> tuple[ExerciseCount, ...]:
        """Every exercise that somebody is at or has right, in order."""
        latest = (attendee.progress[-1] for attendee in self.attendees if attendee.progress)
        working = Counter(progress.exercise for progress in latest if not progress.right)
        right = Counter(
            progress.exercise for attendee in self.attendees for progress in attendee.progress if progress.right
        )
        return tuple(
            ExerciseCount(exercise, working[exercise], right[exercise]) for exercise in sorted({*working, *right})
        )

    def frequent_mistakes(self, exercise: str) -> tuple[MistakeCount, ...]:
        """The most frequent mistakes of the room in an exercise, three at most."""
        return tuple(count for count in self.mistakes if count.exercise == exercise)[:MAX_FREQUENT_MISTAKES]


def _excess_warning(attendee: AttendeeStatus) -> str:
    subject = f"{attendee.name}, number {attendee.number}," if attendee.name else f"Number {attendee.number}"
    return f"{subject} asks for far more than a page needs, and is refused most of it: the board can remove them."


def display_name(attendee: AttendeeStatus | CallForHelp) -> str:
    """Return the name; without one, the number."""
    return attendee.name or f"number {attendee.number}"
