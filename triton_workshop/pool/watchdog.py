"""Thread that looks at all sandboxes of a process.

One for all of them, as the judges' threads would wait for one another's looks.
"""

from __future__ import annotations

import functools
import threading
import time
from typing import Protocol

LOOK_SECONDS = 0.04
"""Seconds between two looks at a sandbox."""


class Watched(Protocol):
    """What is looked at."""

    def look(self) -> bool:
        """Do what is needed now; return False if no more looks are."""


class Watchdog:
    """Looks at sandboxes, many times a second, until they have ended."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._watched: list[Watched] = []
        threading.Thread(target=self._run, name="watchdog", daemon=True).start()

    @staticmethod
    @functools.cache
    def of_this_process() -> Watchdog:
        """Return the only one that is needed."""
        return Watchdog()

    def add(self, watched: Watched) -> None:
        """Look at this one, too."""
        with self._changed:
            self._watched.append(watched)
            self._changed.notify_all()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._watched)
                watched = list(self._watched)
            ended = [each for each in watched if not each.look()]
            if ended:
                with self._changed:
                    self._watched = [each for each in self._watched if each not in ended]
            time.sleep(LOOK_SECONDS)
