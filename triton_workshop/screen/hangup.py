"""End of an app when its terminal closes or it is killed.

As after a key, the code that it runs is ended, and the terminal restored.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import select
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

from textual.app import App

RESTORE_SECONDS = 5.0
"""Seconds that restoring the terminal may take after a signal."""
POLL_SECONDS = 1.0
"""Seconds between two checks of the terminal.

It does not always send a signal when it goes away.
"""


def quit_on_hangup(app: App[int], close: Callable[[], None]) -> None:
    """Have SIGTERM, SIGHUP and the end of the terminal end the app.

    Its status is 1 then. Call this in the app's loop. If the terminal is gone, Textual would wait for ever to write its
    last output to it. Then `close` ends what the app runs, and the process ends.
    """
    leaving = threading.Event()

    def abandon() -> None:
        """End what the app runs, and this process."""
        close()
        # It runs in the timer's thread, which is all that `sys.exit` would end.
        os._exit(1)

    def leave() -> None:
        """Ask the app to exit, and force it if it does not."""
        if leaving.is_set():
            return
        leaving.set()
        app.exit(1)
        timer = threading.Timer(RESTORE_SECONDS, abandon)
        timer.daemon = True
        timer.start()

    def look() -> None:
        """Leave if the terminal has gone."""
        has_gone = terminal is not None and terminal.poll(0)
        if has_gone:
            leave()

    atexit.register(_discard_unwritable_output)
    # Signals that the system lacks, or that only the main thread may handle, are left alone.
    loop = asyncio.get_running_loop()
    for name in ("SIGTERM", "SIGHUP"):
        with suppress(NotImplementedError, AttributeError, ValueError, RuntimeError):
            loop.add_signal_handler(getattr(signal, name), leave)
    terminal = _terminal()
    if terminal is not None:
        app.set_interval(POLL_SECONDS, look)


def _discard_unwritable_output() -> None:
    """Discard output that cannot be written to the terminal.

    Python would end with status 120 otherwise.
    """
    for stream in filter(None, (sys.__stdout__, sys.__stderr__)):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _terminal() -> select.poll | None:
    """Return an object that reports the end of the terminal.

    `poll` reports this one event without being asked for it.
    """
    if sys.platform == "win32":
        return None
    if sys.__stdin__ is None or not sys.__stdin__.isatty():
        return None
    poll = select.poll()
    poll.register(sys.__stdin__, 0)
    return poll
