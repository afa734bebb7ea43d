"""Ends a process whose time is up, whatever it is busy with, and says on which line of the script that was."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

EXIT_STATUS = 1


@contextmanager
def watchdog(seconds: float, file: Path, last_words: Callable[[int | None], None]) -> Iterator[None]:
    """End this process after `seconds`, unless the block is left before. `last_words` is given the line of `file`.

    A thread, not a signal: it needs no main thread that listens, and a bare `except:` cannot swallow it.
    """
    watched = threading.get_ident()

    def expire() -> None:
        try:
            last_words(_line(sys._current_frames().get(watched), file))
            sys.stdout.flush()
        finally:
            os._exit(EXIT_STATUS)

    timer = threading.Timer(seconds, expire)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _line(frame: FrameType | None, file: Path) -> int | None:
    """Where the thread is in the script: the innermost frame of it."""
    while frame is not None and Path(frame.f_code.co_filename) != file:
        frame = frame.f_back
    return frame.f_lineno if frame is not None else None
