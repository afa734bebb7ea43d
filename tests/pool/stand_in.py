"""A slot without a sandbox, which notes what ran when."""

from __future__ import annotations

import os
import threading
import time
from contextlib import AbstractContextManager
from pathlib import Path

from triton_workshop.attendance.jobs import Answer, Job, Outcome

NOTES = "STAND_IN_NOTES"
"""Variable for the file in which slots note their process and what they do."""


class Slot:
    """Sleeps as many seconds as the text of a job says."""

    def __init__(self, gpu: bool, *, contained: bool = True, spares: int = 1) -> None:
        self._job, self._cancelled = "", threading.Event()
        note(f"slot-{gpu}-{contained}-{spares}", "")

    def run(self, job: Job, alone: AbstractContextManager[None]) -> Answer:
        """Check, and time it alone if asked to."""
        self._cancelled.clear()
        self._job = job.id
        try:
            note("check", job.id)
            self._cancelled.wait(float(job.text))
            note("checked", job.id)
            if self._cancelled.is_set():
                return Answer(Outcome.CANCELLED, "Cancelled.")
            if job.timed:
                with alone:
                    note("time", job.id)
                    time.sleep(0.3)
                    note("timed", job.id)
            return Answer(Outcome.CORRECT, f"Right: {job.id}.")
        finally:
            self._job = ""

    def cancel(self, id: str) -> None:
        """End the job."""
        if self._job == id:
            self._cancelled.set()

    def close(self) -> None:
        """Note it."""
        note("closed", "")


def note(what: str, job: str) -> None:
    """Add a line to the notes."""
    with Path(os.environ[NOTES]).open("a", encoding="utf-8") as notes:
        notes.write(f"{time.monotonic()} {os.getpid()} {what} {job}\n")
