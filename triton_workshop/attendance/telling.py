"""Tells the room how far an attendee is, and that they ask for help; whoever calls it is never kept waiting."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection
from dataclasses import asdict
from pathlib import Path
from typing import Any

from triton_workshop.attendance.board import Progress
from triton_workshop.attendance.membership import (
    Membership,
    RefusedByRoomError,
    UnansweredError,
    membership,
    membership_file,
    tell,
)
from triton_workshop.checking.reporting.progress import ListedExercise, Status, entries

PATIENCE_SECONDS = 5.0
"""Seconds to wait for an answer."""
PAUSE_SECONDS = (1.0, 2.0, 4.0)
"""Seconds before another try; the last one from then on."""

AT_ONCE_SECONDS = 1.0
"""Seconds to wait at most, for somebody who waits."""

HELP = "help"
"""The room's path for calls; the other one is for reports."""


def progress_of(entry: ListedExercise) -> Progress:
    """What the room is told of an exercise. No more than this is ever sent."""
    todos = len(entry.exercise.hints)
    filled = max(todos - entry.todos_left, 0)
    right = entry.status is Status.PASSED
    return Progress(entry.exercise.number, filled, todos, right, entry.record.hints_shown)


def tell_once(exercises: Collection[str]) -> None:
    """Tell the room that was joined, if any, how far one is in these exercises; wait for a second at most."""
    if not exercises or membership(file := membership_file()) is None:
        return
    told = [progress_of(entry) for entry in reversed(entries()) if entry.exercise.number in exercises]
    teller = Teller(file)
    # An attendee is where the last report says: at the first exercise that is not right.
    for progress in sorted(told, key=lambda progress: not progress.right):
        teller.report(progress)
    teller.flush(AT_ONCE_SECONDS)


class Teller:
    """Tells the room that was joined, if any, from a thread of its own, until the room has heard.

    Of several reports about an exercise that have not been heard yet, only the newest is sent.
    """

    def __init__(self, file: Path, say: Callable[[str], None] = lambda sentence: None) -> None:
        """`file` holds the membership: who joins or leaves in the meantime is told of, or no longer.

        `say` is called in that thread with what became of a call for help.
        """
        self._file, self._say = file, say
        self._unheard: dict[str, tuple[str, dict[str, Any]]] = {}
        """The path and the message, by what it is about; the oldest first."""
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._warned = False
        """Whether it has been said that a call for help has to wait."""
        self._refused_by: Membership | None = None
        """The room that was last said to refuse what it is told."""

    def report(self, progress: Progress) -> None:
        """Tell how far the attendee is in an exercise, if they have joined."""
        if membership(self._file) is not None:
            self._put(progress.exercise, "report", asdict(progress))

    def ask(self) -> bool:
        """Ask for help; say whether there is a room to ask."""
        if membership(self._file) is None:
            return False
        with self._changed:
            if HELP not in self._unheard:  # the same call
                self._put(HELP, HELP, {})
        return True

    def flush(self, limit: float) -> bool:
        """Wait until all has been heard, at most so many seconds; say whether it has."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._unheard, limit)

    def _put(self, about: str, path: str, message: dict[str, Any]) -> None:
        with self._changed:
            self._unheard.pop(about, None)
            self._unheard[about] = (path, message | {"told": time.time_ns()})
            self._changed.notify_all()
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, daemon=True)
                self._thread.start()

    def _work(self) -> None:
        """In a separate thread: sends what has not been heard yet, the oldest first, and tries until it has been."""
        tries = 0
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._unheard)
                about, (path, message) = next(iter(self._unheard.items()))
            trouble = self._tell(path, message)
            if trouble is None:
                tries = 0
                with self._changed:
                    if self._unheard[about] == (path, message):  # nothing newer has come
                        del self._unheard[about]
                    self._changed.notify_all()
                continue
            if HELP in self._unheard and not self._warned:
                self._warned = True
                self._say(f"the room does not answer ({trouble}); your call for help is sent as soon as it does")
            time.sleep(PAUSE_SECONDS[min(tries, len(PAUSE_SECONDS) - 1)])
            tries += 1

    def _tell(self, path: str, message: dict[str, Any]) -> str | None:
        """Send a message; return why it has to be sent again, if it has to."""
        joined = membership(self._file)
        if joined is None:  # has left in the meantime
            return None
        try:
            tell(joined, path, message, PATIENCE_SECONDS)
        except UnansweredError as error:
            return str(error)
        except RefusedByRoomError as error:
            if error.busy:
                return str(error)
            if path == HELP or joined != self._refused_by:  # each save would say it again
                self._say(f"the room did not take your {'call for help' if path == HELP else 'progress'}: {error}")
            self._refused_by = joined
        else:
            if path == HELP:
                self._say(f"asked for help; the presenter sees your {_shown(joined)}")
        self._warned = False
        return None


def _shown(joined: Membership) -> str:
    return f"name, {joined.name}" if joined.name else f"number, {joined.number}"
