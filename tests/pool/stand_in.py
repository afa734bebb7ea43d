"""A runner without sandboxes, which notes what ran when."""

from __future__ import annotations

import os
import threading
import time
from collections import defaultdict
from pathlib import Path

from triton_workshop.attendance.jobs import Answer, Job, Outcome

NOTES = "STAND_IN_NOTES"
"""Variable for the file in which runners note their process and what they do."""


class Runner:
    """Sleeps as many seconds as the text of a job says."""

    def __init__(self, gpu: bool, slots: int, spares: int, *, contained: bool = True) -> None:
        self._slots = threading.Semaphore(slots)
        self._cancelled: defaultdict[str, threading.Event] = defaultdict(threading.Event)
        note(f"runner-{gpu}-{slots}-{spares}-{contained}", "")

    def run(self, job: Job) -> Answer:
        """Check it."""
        with self._slots:
            note("check", job.id)
            is_cancelled = self._cancelled[job.id].wait(float(job.text))
            note("checked", job.id)
        return Answer(Outcome.CANCELLED, "Cancelled.") if is_cancelled else Answer(Outcome.CORRECT, f"Right: {job.id}.")

    def cancel(self, id: str) -> None:
        """End the job."""
        self._cancelled[id].set()

    def close(self) -> None:
        """Note it."""
        note("closed", "")


def note(what: str, job: str) -> None:
    """Add a line to the notes."""
    with Path(os.environ[NOTES]).open("a", encoding="utf-8") as notes:
        notes.write(f"{time.monotonic()} {os.getpid()} {what} {job}\n")
