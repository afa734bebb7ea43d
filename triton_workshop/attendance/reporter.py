"""Reports to the room that was joined, without keeping the caller waiting."""

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
    RefusedError,
    UnansweredError,
    membership_file,
    read_membership,
    send,
)
from triton_workshop.checking.reporting.progress import ListedExercise, Status, entries

TIMEOUT_SECONDS = 5.0
"""Seconds to wait for an answer."""
RETRY_SECONDS = (1.0, 2.0, 4.0)
"""Seconds before another try; the last one from then on."""

FLUSH_SECONDS = 1.0
"""Seconds to wait at most, for somebody who waits."""

HELP = "help"
"""The room's path for calls; the other one is for reports."""


def to_progress(entry: ListedExercise) -> Progress:
    """Return the message about an exercise.

    No more than this is ever sent.
    """
    todos = entry.exercise.tasks
    filled = max(todos - entry.remaining_todos, 0)
    right = entry.status is Status.PASSED
    return Progress(entry.exercise.number, filled, todos, right, entry.record.hints_shown, entry.record.mistake)


def report_once(exercises: Collection[str]) -> None:
    """Report progress in these exercises to the room, if one was joined.

    Waits for a second at most.
    """
    if not exercises or read_membership(file := membership_file()) is None:
        return
    reports = [to_progress(entry) for entry in reversed(entries()) if entry.exercise.number in exercises]
    reporter = Reporter(file)
    # An attendee is where the last report says: at the first exercise that is not right.
    for progress in sorted(reports, key=lambda progress: not progress.right):
        reporter.report(progress)
    reporter.flush(FLUSH_SECONDS)


class Reporter:
    """Sends messages to the room from a thread, until they are received.

    Of several pending reports about an exercise, only the newest is sent.
    """

    def __init__(self, file: Path, notify: Callable[[str], None] = lambda sentence: None) -> None:
        """Create a reporter for the membership in `file`.

        The file is read for each message, so joining and leaving take effect at once. `notify` is called in the
        thread, with sentences about a call for help.
        """
        self._file, self._notify = file, notify
        self._pending: dict[str, tuple[str, dict[str, Any]]] = {}
        """Path and message by topic, the oldest first."""
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._warned = False
        """True once the user knows that a call for help has to wait."""
        self._refused_by: Membership | None = None
        """Room whose refusal the user already knows."""

    def report(self, progress: Progress) -> None:
        """Send the progress in an exercise, if a room was joined."""
        if read_membership(self._file) is not None:
            self._enqueue(progress.exercise, "report", asdict(progress))

    def call_for_help(self) -> bool:
        """Ask for help; return whether there is a room to ask."""
        if read_membership(self._file) is None:
            return False
        with self._changed:
            if HELP not in self._pending:  # the same call
                # This takes the lock again: that of a Condition is reentrant.
                self._enqueue(HELP, HELP, {})
        return True

    def flush(self, timeout_seconds: float) -> bool:
        """Wait until everything was received; return False at the timeout."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._pending, timeout_seconds)

    def _enqueue(self, topic: str, path: str, message: dict[str, Any]) -> None:
        with self._changed:
            self._pending.pop(topic, None)
            self._pending[topic] = (path, message | {"told": time.time_ns()})
            self._changed.notify_all()
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, daemon=True)
                self._thread.start()

    def _work(self) -> None:
        """Send pending messages in the thread, the oldest first, until received."""
        tries = 0
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._pending)
                topic, (path, message) = next(iter(self._pending.items()))
            failure = self._send(path, message)
            if failure is None:
                tries = 0
                with self._changed:
                    if self._pending[topic] == (path, message):  # nothing newer has come
                        del self._pending[topic]
                    self._changed.notify_all()
                continue
            if HELP in self._pending and not self._warned:
                self._warned = True
                self._notify(f"the room does not answer ({failure}); your call for help is sent as soon as it does")
            time.sleep(RETRY_SECONDS[min(tries, len(RETRY_SECONDS) - 1)])
            tries += 1

    def _send(self, path: str, message: dict[str, Any]) -> str | None:
        """Send a message; return why it has to be sent again, or None."""
        joined = read_membership(self._file)
        if joined is None:  # has left in the meantime
            return None
        try:
            send(joined, path, message, TIMEOUT_SECONDS)
        except UnansweredError as error:
            return str(error)
        except RefusedError as error:
            if error.busy:
                return str(error)
            if path == HELP or joined != self._refused_by:  # each save would say it again
                self._notify(f"the room did not take your {'call for help' if path == HELP else 'progress'}: {error}")
            self._refused_by = joined
        else:
            if path == HELP:
                self._notify(f"asked for help; the presenter sees your {_describe_identity(joined)}")
        self._warned = False
        return None


def _describe_identity(joined: Membership) -> str:
    return f"name, {joined.name}" if joined.name else f"number, {joined.number}"
