"""Queue of scripts for the room's GPUs, and the board of their times.

Both are in the register's file: they outlive every process that works on them, and who leaves the room leaves nothing
there. A submission is answered once, and its text is deleted with the answer.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import groupby
from operator import attrgetter
from typing import Any

from triton_workshop.attendance.jobs import CANCELLED, Answer, Job, Outcome, Times
from triton_workshop.attendance.register import IS_PRESENT, Register
from triton_workshop.exercises import EXERCISES

MAX_SENDS = 3
"""Times that a job is sent to the GPUs: once, and twice again if it is lost."""
KEPT_ANSWERS = 8
"""Answers of one attendee that are kept besides those with times, the newest ones."""
MAX_ANSWER_CHARACTERS = 2**20
"""Characters of the longest answer that is kept."""

SUPERSEDED = Answer(Outcome.SUPERSEDED, "A newer script of yours has taken its place.")
LOST = Answer(
    Outcome.FAILED,
    f"The GPUs' machine has lost this script {MAX_SENDS} times without an answer. Try again; if that does not help, "
    "tell the presenter.",
)
UNREADABLE = Answer(Outcome.FAILED, "The GPUs' machine gave an answer that cannot be read. Tell the presenter.")

CSV_COLUMNS = (
    "exercise",
    "title",
    "number",
    "name",
    "ratio",
    "script_ms",
    "limit_ms",
    "plain_ms",
    "pytorch_ms",
    "size",
    "gpu",
    "submitted",
)
"""Columns of the exported board of times.

`ratio` is the script's time over the limit's; the limit, the plain solution and PyTorch were timed in the same run on
the same GPU. `submitted` is in ISO 8601, in UTC.
"""


FORMULA_SIGNS = ("=", "+", "-", "@")
"""Characters that begin a formula in a spreadsheet; a name that begins with one gets an apostrophe before it."""


class TakenError(ValueError):
    """The identifier belongs to the submission of somebody else."""


@dataclass(frozen=True)
class Submission:
    """A script that an attendee has sent to the GPUs."""

    id: str
    number: int
    """The attendee."""
    exercise: str
    answer: Answer | None = None


@dataclass(frozen=True)
class Entry:
    """An attendee's best time in an exercise."""

    id: str
    """The submission."""
    exercise: str
    number: int
    name: str | None
    times: Times
    gpu: str
    submitted: float
    """When it was submitted, in seconds since 1970."""


class Submissions:
    """The submissions of a room.

    Safe to use from several threads, and from several processes.
    """

    def __init__(self, register: Register) -> None:
        self._register = register

    # An attendee's side

    def submit(self, number: int, job: Job) -> None:
        """Store a job, which is a new submission unless its identifier is known.

        It supersedes whatever the attendee has waiting or running, and takes the turn of what was still waiting.
        Raises TakenError.
        """
        room, rows = self._register.id, self._register.rows
        with self._register.write_transaction():
            if known := rows("SELECT room, number FROM submissions WHERE id = ?", job.id):
                if known != [(room, number)]:
                    raise TakenError(job.id)
                return
            waiting = "SELECT min(turn) FROM submissions WHERE room = ? AND number = ? AND answer IS NULL AND sends = 0"
            ((turn,),) = rows(waiting, room, number)
            if turn is None:
                ((turn,),) = rows("SELECT coalesce(max(turn), 0) + 1 FROM submissions WHERE room = ?", room)
            for (id,) in rows(
                "SELECT id FROM submissions WHERE room = ? AND number = ? AND answer IS NULL", room, number
            ):
                self._store_answer(id, SUPERSEDED)
            rows(
                "INSERT INTO submissions (room, number, id, exercise, text, timed, asked, turn, sends, struck)"
                f" SELECT ?, ?, ?, ?, ?, ?, ?, ?, 0, 0 WHERE {IS_PRESENT}",
                *(room, number, job.id, job.exercise, job.text, job.timed, self._register.now(), turn, room, number),
            )
            self._delete_old(number)

    def _delete_old(self, number: int) -> None:
        mine = "room = ? AND number = ? AND answer IS NOT NULL AND ratio IS NULL"
        newest = f"SELECT sequence FROM submissions WHERE {mine} ORDER BY sequence DESC LIMIT {KEPT_ANSWERS}"
        attendee = (self._register.id, number)
        self._register.rows(
            f"DELETE FROM submissions WHERE {mine} AND sequence NOT IN ({newest})", *attendee, *attendee
        )

    def find(self, number: int, id: str | None = None) -> Submission | None:
        """Return an attendee's submission: the newest one without an `id`."""
        query = "SELECT id, exercise, answer FROM submissions WHERE room = ? AND number = ? AND (? IS NULL OR id = ?)"
        with self._register.transaction():
            rows = self._register.rows(f"{query} ORDER BY sequence DESC LIMIT 1", self._register.id, number, id, id)
        return next(
            (Submission(found, number, exercise, _parse_answer(answer)) for found, exercise, answer in rows), None
        )

    def cancel(self, number: int, id: str) -> None:
        """Answer an attendee's submission as cancelled, unless it has an answer."""
        if self.find(number, id):
            self.answer(id, CANCELLED)

    # The side of the GPUs

    def unanswered(self) -> list[Submission]:
        """Return the submissions without an answer, in the order of their turns."""
        query = "SELECT id, number, exercise FROM submissions WHERE room = ? AND answer IS NULL ORDER BY turn, sequence"
        with self._register.transaction():
            return [Submission(*row) for row in self._register.rows(query, self._register.id)]

    def take(self, id: str) -> Job | None:
        """Return the job to send, and count that; None if it has its answer.

        One that was lost too often is answered here.
        """
        with self._register.write_transaction():
            query = "SELECT exercise, text, timed, sends FROM submissions WHERE id = ? AND answer IS NULL"
            for exercise, text, timed, sends in self._register.rows(query, id):
                if sends >= MAX_SENDS:
                    self._store_answer(id, LOST)
                    continue
                self._register.rows("UPDATE submissions SET sends = sends + 1 WHERE id = ?", id)
                return Job(id, exercise, text, bool(timed))
        return None

    def answer(self, id: str, answer: Answer) -> None:
        """Store the answer of a submission, unless it has one."""
        with self._register.write_transaction():
            self._store_answer(id, answer)

    def _store_answer(self, id: str, answer: Answer) -> None:
        text = _answer_text(answer)
        if text is None:
            answer, text = UNREADABLE, json.dumps(UNREADABLE.as_json())
        times = answer.times if answer.outcome is Outcome.CORRECT else None
        self._register.rows(
            "UPDATE submissions SET answer = ?, ratio = ?, times = ?, gpu = ?, text = NULL"
            " WHERE id = ? AND answer IS NULL",
            text,
            times and times.ratio,
            times and json.dumps(asdict(times)),
            answer.gpu,
            id,
        )

    # The board of times

    def entries(self) -> list[Entry]:
        """Return the best time of each attendee, by exercise, the best first."""
        query = (
            "SELECT id, exercise, number, name, times, gpu, asked, min(ratio) AS best"
            " FROM submissions JOIN attendees USING (room, number)"
            " WHERE room = ? AND ratio IS NOT NULL AND NOT struck"
            " GROUP BY exercise, number ORDER BY best, sequence"  # SQLite takes the other columns from the best row
        )
        with self._register.transaction():
            rows = self._register.rows(query, self._register.id)
        entries = [
            Entry(id, exercise, number, name, Times(**json.loads(times)), gpu, asked)
            for id, exercise, number, name, times, gpu, asked, _ in rows
            if exercise in EXERCISES
        ]
        order = list(EXERCISES)
        # A stable sort: in each exercise, the best stays first.
        return sorted(entries, key=lambda entry: order.index(entry.exercise))

    def strike(self, id: str) -> None:
        """Take an entry off the board of times."""
        with self._register.write_transaction():
            self._register.rows("UPDATE submissions SET struck = 1 WHERE room = ? AND id = ?", self._register.id, id)

    @property
    def board_is_on(self) -> bool:
        """True while attendees may see the board of times."""
        with self._register.transaction():
            return not self._register.rows("SELECT 1 FROM closed_boards WHERE room = ?", self._register.id)

    def turn_board(self, *, on: bool) -> None:
        """Show the board of times to attendees, or hide it from them."""
        change = "DELETE FROM closed_boards WHERE room = ?" if on else "INSERT OR IGNORE INTO closed_boards VALUES (?)"
        with self._register.write_transaction():
            self._register.rows(change, self._register.id)


def _answer_text(answer: Answer) -> str | None:
    """Return an answer as JSON; None if it cannot be kept."""
    try:
        text = json.dumps(answer.as_json(), allow_nan=False)
        # Read at once, so that nothing is stored which cannot be read again.
        whole = Answer.from_json(json.loads(text))
    except (ArithmeticError, AttributeError, KeyError, RecursionError, TypeError, ValueError):
        return None
    figures = () if whole.times is None else _figures(whole.times)
    is_sound = all(0 < figure < math.inf for figure in figures)
    return text if is_sound and len(text) <= MAX_ANSWER_CHARACTERS else None


def _figures(times: Times) -> tuple[float, ...]:
    return times.script, times.limit, times.plain, times.pytorch


def _parse_answer(text: str | None) -> Answer | None:
    return None if text is None else Answer.from_json(json.loads(text))


def entries_to_json(entries: Iterable[Entry], reader: int | None = None) -> list[dict[str, Any]]:
    """Return the board of times as pages read it.

    The entries of the attendee with the number `reader` are marked as their own.
    """
    return [
        {
            "exercise": exercise,
            "title": EXERCISES[exercise].title,
            "entries": [
                {
                    "id": entry.id,
                    "called": entry.name or f"number {entry.number}",
                    "number": entry.number,
                    "ratio": entry.times.ratio,
                    "milliseconds": entry.times.script,
                    "size": entry.times.size,
                    "gpu": entry.gpu,
                    "own": entry.number == reader,
                }
                for entry in group
            ],
        }
        for exercise, group in groupby(entries, attrgetter("exercise"))
    ]


def csv_rows(entries: Iterable[Entry]) -> Iterator[tuple[object, ...]]:
    """Yield the rows of `CSV_COLUMNS`."""
    for entry in entries:
        submitted = datetime.fromtimestamp(entry.submitted, UTC).isoformat(timespec="seconds")
        title, times = EXERCISES[entry.exercise].title, entry.times
        figures = (f"{figure:.6g}" for figure in (times.ratio, *_figures(times)))
        name = entry.name or ""
        if name.startswith(FORMULA_SIGNS):
            name = f"'{name}"
        yield (entry.exercise, title, entry.number, name, *figures, times.size, entry.gpu, submitted)
